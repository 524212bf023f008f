package hashpath

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// next returns the entry that follows old at a node for members, its trunks in ascending order.
// With Resilient no bucket moves that need not: those of members that are gone, and, if a member is
// new or members were reweighed, as many of the others as the shares demand. Nodes that take members
// in the same way, of the same weights, after the same entry, have the same group.
func (d *draft) next(x uint32, old entry, members []uint16, reweighed bool) entry {
	switch len(members) {
	case 0:
		return entryNone
	case 1:
		return entryTrunk | entry(members[0])
	}
	c := d.choices[x]
	if c.selection == Modulo {
		old = entryNone
	}
	// The next destination is mostly for the same members as the one before.
	if e := d.last[x]; old == entryNone && e != entryNone && slices.Equal(members, d.membersOf(e)) {
		return e
	}
	trunks := d.was.trunksOf(x)
	members = slices.SortedFunc(slices.Values(members), func(a, b uint16) int {
		return cmp.Compare(trunks[a].port(), trunks[b].port())
	})
	weights := make([]int, len(members))
	key := appendKey(d.key[:0], []entry{entry(c.buckets)<<1 | entry(c.selection), old})
	if reweighed {
		key = append(key, 1)
	}
	for i, m := range members {
		weights[i] = int(d.weight(d.was.nodes[x].trunks + uint32(m)))
		key = append(binary.LittleEndian.AppendUint16(key, m), uint8(weights[i]))
	}
	d.key = key
	e, ok := d.known[string(key)]
	if !ok {
		name := string(key)
		e = d.intern(d.fill(c, old, members, weights, reweighed))
		d.known[name] = e
	}
	if old == entryNone {
		d.last[x] = e
	}
	return e
}

// fill returns the slots of a group.
func (d *draft) fill(c choice, old entry, members []uint16, weights []int, reweighed bool) []uint16 {
	if c.selection == Modulo {
		divisor := 0
		for _, w := range weights {
			divisor = gcd(w, divisor)
		}
		var slots []uint16
		for i, m := range members {
			slots = append(slots, slices.Repeat([]uint16{m}, weights[i]/divisor)...)
		}
		return slots
	}
	shares := share(int(c.buckets), weights)
	slots := spread(members, shares)
	if old == entryNone {
		return slots
	}
	r := refill{members: members, home: slots, lacks: shares, release: reweighed}
	if old&entryKind == entryGroup {
		r.slots = slices.Clone(d.groups[old&entryValue].slots)
	} else {
		r.slots = slices.Repeat([]uint16{uint16(old & entryValue)}, len(slots))
	}
	r.run()
	return r.slots
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// share divides total in proportion to the weights: whole parts first, the rest to the largest
// remainders, of equal ones to the first; but everyone gets one at least, from who has most. total
// is not below the number of weights.
func share(total int, weights []int) []int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	parts, order := make([]int, len(weights)), make([]int, len(weights))
	rest := total
	for i, w := range weights {
		parts[i], order[i] = total*w/sum, i
		rest -= parts[i]
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return total*weights[y]%sum - total*weights[x]%sum
	})
	for _, i := range order[:rest] {
		parts[i]++
	}
	for i := range parts {
		if parts[i] == 0 {
			parts[slices.Index(parts, slices.Max(parts))]--
			parts[i]++
		}
	}
	return parts
}

// spread gives each bucket to the member that is furthest behind its share of the buckets so far,
// of equal ones to the first.
func spread(members []uint16, shares []int) (slots []uint16) {
	total := 0
	for _, s := range shares {
		total += s
	}
	behind := make([]int, len(members)) // in buckets, times total
	for range total {
		for i := range behind {
			behind[i] += shares[i]
		}
		best := slices.Index(behind, slices.Max(behind))
		behind[best] -= total
		slots = append(slots, members[best])
	}
	return slots
}

// refill moves buckets of a resilient group to the members that have too few.
type refill struct {
	slots   []uint16 // owner by bucket
	members []uint16
	home    []uint16 // owner by bucket in a group without a past
	lacks   []int    // buckets each member is short of; at first, its share
	release bool     // members that have too many give some up
}

// run moves what must move: the buckets of members that are gone, and, if a member is new or
// weights changed, as many of the others as the shares demand. A bucket goes home if it can, so
// that a group whose lost member comes back is what it was; the rest goes to whoever lacks most.
func (r *refill) run() {
	for i, m := range r.members {
		has := 0
		for _, owner := range r.slots {
			if owner == m {
				has++
			}
		}
		r.lacks[i] -= has
		r.release = r.release || has == 0
	}
	for b := range r.slots {
		r.move(b, slices.Index(r.members, r.home[b]))
	}
	for b := range r.slots {
		r.move(b, slices.Index(r.lacks, slices.Max(r.lacks)))
	}
}

// move gives a bucket to a member that lacks one, if its owner is gone or has too many.
func (r *refill) move(bucket, to int) {
	from := slices.Index(r.members, r.slots[bucket])
	if r.lacks[to] <= 0 || from >= 0 && !(r.release && r.lacks[from] < 0) {
		return
	}
	if from >= 0 {
		r.lacks[from]++
	}
	r.lacks[to]--
	r.slots[bucket] = r.members[to]
}
