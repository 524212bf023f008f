package run

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// InParallel calls f for 0 to n-1 in this order, at most jobs at a time, and begins no other after
// an error. It returns the error of the least i, whichever came first.
func InParallel(n, jobs int, f func(i int) error) error {
	errs := make([]error, n)
	var failed atomic.Bool
	var group sync.WaitGroup
	free := make(chan struct{}, max(jobs, 1))
	for i := range n {
		free <- struct{}{}
		if failed.Load() {
			break
		}
		group.Go(func() {
			if errs[i] = f(i); errs[i] != nil {
				failed.Store(true)
			}
			<-free
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Slice is one of Of equal parts of a list, from 1 on, so that several machines can do a part each.
// Without Of it is the whole list.
type Slice struct{ Part, Of int }

func ParseSlice(s string) (Slice, error) {
	part, of, _ := strings.Cut(s, "/")
	i, err := strconv.Atoi(part)
	n, ofErr := strconv.Atoi(of)
	if err != nil || ofErr != nil || i < 1 || i > n {
		return Slice{}, errors.New("must be PART/OF, as 1/4 to 4/4")
	}
	return Slice{i, n}, nil
}

// Has reports whether the element i, counted from 0, is in the slice. Neighbours are in different
// slices, as they take about the same time.
func (s Slice) Has(i int) bool { return s.Of == 0 || i%s.Of == s.Part-1 }
