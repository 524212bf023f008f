package run

import (
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
