package twin

import (
	"cmp"
	"reflect"
	"runtime"
	"slices"
	"unsafe"
)

// block is memory that a machine reaches: n values, side by side.
type block struct {
	at   unsafe.Pointer
	n    int
	of   *layout
	copy unsafe.Pointer
}

func (b *block) begin() uintptr { return uintptr(b.at) }
func (b *block) end() uintptr   { return uintptr(b.at) + uintptr(b.n)*b.of.of.Size() }

// Clone returns a copy of what v points to and of all that it reaches. The copy shares no memory
// with v but texts; pointers and slices that led to one place lead to one place in the copy too.
// It allocates. The time is linear in the memory, times the logarithm of the number of its parts.
func (f *Form[T]) Clone(v *T) *T {
	blocks := reach(unsafe.Pointer(v), f.layout())
	for i := range blocks {
		b := &blocks[i]
		from := reflect.SliceAt(b.of.of, b.at, b.n)
		to := reflect.MakeSlice(from.Type(), b.n, b.n)
		reflect.Copy(to, from)
		b.copy = to.UnsafePointer()
	}
	for i := range blocks {
		b := &blocks[i]
		for element := range b.n {
			for _, r := range b.of.refs {
				at := unsafe.Add(b.copy, uintptr(element)*b.of.of.Size()+r.offset)
				if to := (*unsafe.Pointer)(at); *to != nil && !(r.slice && capacity(at) == 0) {
					*to = moved(blocks, *to)
				}
			}
		}
	}
	clone := (*T)(moved(blocks, unsafe.Pointer(v)))
	runtime.KeepAlive(v)
	return clone
}

// reach returns all memory that is reached from the value at p, in the order of addresses, none of
// it twice.
func reach(p unsafe.Pointer, of *layout) []block {
	found := []block{{at: p, n: 1, of: of}}
	type place struct {
		at unsafe.Pointer
		n  int
		of *layout
	}
	seen := map[place]bool{{p, 1, of}: true}
	for next := 0; next < len(found); next++ {
		b := found[next]
		for element := range b.n {
			for _, r := range b.of.refs {
				at := unsafe.Add(b.at, uintptr(element)*b.of.of.Size()+r.offset)
				to := place{*(*unsafe.Pointer)(at), 1, r.to}
				if r.slice {
					to.n = capacity(at)
				}
				if to.at != nil && to.n > 0 && !seen[to] {
					seen[to] = true
					found = append(found, block{at: to.at, n: to.n, of: to.of})
				}
			}
		}
	}
	return outermost(found)
}

// outermost drops the blocks that lie within others.
func outermost(blocks []block) []block {
	slices.SortFunc(blocks, func(a, b block) int {
		switch {
		case a.begin() != b.begin():
			return cmp.Compare(a.begin(), b.begin())
		case a.end() != b.end():
			return cmp.Compare(b.end(), a.end())
		}
		// Of a struct and its first field, or of an array and its first element, the one that may
		// have pointers is copied.
		return len(b.of.refs) - len(a.of.refs)
	})
	kept := blocks[:0]
	for _, b := range blocks {
		if n := len(kept); n > 0 && b.begin() < kept[n-1].end() {
			if b.end() > kept[n-1].end() {
				panic("twin: " + b.of.of.String() + " lies across the end of other memory")
			}
			continue
		}
		kept = append(kept, b)
	}
	return kept
}

// moved returns where the copy of what lies at p is.
func moved(blocks []block, p unsafe.Pointer) unsafe.Pointer {
	i, _ := slices.BinarySearchFunc(blocks, uintptr(p), func(b block, at uintptr) int {
		switch {
		case b.end() <= at:
			return -1
		case b.begin() > at:
			return 1
		}
		return 0
	})
	return unsafe.Add(blocks[i].copy, uintptr(p)-blocks[i].begin())
}

func capacity(p unsafe.Pointer) int { return cap(*(*[]struct{})(p)) }

func length(p unsafe.Pointer) int { return len(*(*[]struct{})(p)) }
