package hashpath

import (
	"slices"
)

// fresh returns the entry of a node for members that are trunks of it in ascending order of port.
func (d *draft) fresh(index uint32, members []uint16) entry {
	switch len(members) {
	case 0:
		return entryNone
	case 1:
		return entryTrunk | entry(members[0])
	}
	return d.intern(d.fill(index, members))
}

// fill returns the slots of a group without a past.
func (d *draft) fill(index uint32, members []uint16) []uint16 {
	weights := d.weightsOf(index, members)
	c := d.layout.choices[index]
	if c.selection == Modulo {
		var slots []uint16
		for i, m := range members {
			for range weights[i] {
				slots = append(slots, m)
			}
		}
		return slots
	}
	shares := share(int(c.buckets), weights, nil)
	slots := make([]uint16, c.buckets)
	given := make([]int, len(members))
	for b := range slots {
		// The member that is furthest behind its share of the first b+1 buckets.
		best := 0
		for i := range members {
			if shares[i]*(b+1)-given[i]*len(slots) > shares[best]*(b+1)-given[best]*len(slots) {
				best = i
			}
		}
		given[best]++
		slots[b] = members[best]
	}
	return slots
}

// weightsOf returns the weights of members, divided by their greatest common divisor.
func (d *draft) weightsOf(index uint32, members []uint16) []int {
	weights := make([]int, len(members))
	divisor := 0
	for i, m := range members {
		weights[i] = int(d.layout.weight(int(d.tables.nodes[index].trunks) + int(m)))
		for a, b := weights[i], divisor; ; a, b = b, a%b {
			if b == 0 {
				divisor = a
				break
			}
		}
	}
	for i := range weights {
		weights[i] /= divisor
	}
	return weights
}

// share divides total in proportion to the weights: whole parts first, the rest to the largest remainders,
// of equal ones to whoever holds most, then to the first.
func share(total int, weights, holds []int) []int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	parts := make([]int, len(weights))
	order := make([]int, len(weights))
	rest := total
	for i, w := range weights {
		parts[i] = total * w / sum
		rest -= parts[i]
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		if a, b := total*weights[x]%sum, total*weights[y]%sum; a != b {
			return b - a
		}
		if holds != nil {
			return holds[y] - holds[x]
		}
		return 0
	})
	for _, i := range order[:rest] {
		parts[i]++
	}
	return parts
}

// intern returns the entry of a group with these slots, which equal groups share.
func (d *draft) intern(slots []uint16) entry {
	key := d.keyOf(slots)
	e, ok := d.groupOf[string(key)]
	if !ok {
		e = entryGroup | entry(len(d.groups))
		d.groups = append(d.groups, slots)
		d.groupOf[string(key)] = e
	}
	return e
}

func (d *draft) keyOf(slots []uint16) []byte {
	d.key = d.key[:0]
	for _, s := range slots {
		d.key = append(d.key, byte(s), byte(s>>8))
	}
	return d.key
}
