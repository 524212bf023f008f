package tofino

import "math/bits"

// numbering gives things dense numbers and keeps them while they are in use. A number that is free
// goes to the next thing that needs one.
type numbering[K comparable] struct {
	of   map[K]int
	list []K // by number; a free number has no meaning there
	free []int
}

// number returns the number of a thing, the least free one if it has none.
func (n *numbering[K]) number(k K) int {
	if at, known := n.of[k]; known {
		return at
	}
	if n.of == nil {
		n.of = map[K]int{}
	}
	at := len(n.list)
	if last := len(n.free) - 1; last >= 0 {
		at, n.free = n.free[last], n.free[:last]
		n.list[at] = k
	} else {
		n.list = append(n.list, k)
	}
	n.of[k] = at
	return at
}

// keep frees the numbers of things that are not in use.
func (n *numbering[K]) keep(used map[K]bool) {
	n.free = n.free[:0]
	for at := len(n.list) - 1; at >= 0; at-- {
		k := n.list[at]
		if number, known := n.of[k]; known && number == at && used[k] {
			continue
		}
		if n.of[k] == at {
			delete(n.of, k)
		}
		n.free = append(n.free, at)
	}
}

// width returns how many bits the numbers 0 to numbers-1 take, at least 1.
func width(numbers int) int { return max(1, bits.Len(uint(max(numbers, 1)-1))) }
