package zold

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
	return d.remember(index, entryNone, members, false, func() entry {
		return d.intern(d.fill(index, members))
	})
}

// remember returns what calculate returned when it was asked for the same members with the same weights, after
// the same entry, at a node that takes them in the same way; or asks it.
func (d *draft) remember(index uint32, old entry, members []uint16, reweighed bool, calculate func() entry) entry {
	c := d.layout.choices[index]
	key := append(d.key[:0], byte(c.selection), byte(c.buckets), byte(c.buckets>>8), byte(c.buckets>>16))
	key = appendKey(key, []entry{old})
	if reweighed {
		key = append(key, 1)
	}
	for _, m := range members {
		key = append(key, byte(m), byte(m>>8), d.layout.weight(int(d.tables.nodes[index].trunks)+int(m)))
	}
	d.key = key
	e, ok := d.known[string(key)]
	if !ok {
		name := string(key)
		e = calculate()
		d.known[name] = e
	}
	return e
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
	shares := share(int(c.buckets), weights)
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

// share divides total in proportion to the weights: whole parts first, the rest to the largest remainders, of
// equal ones to the first; but everyone gets one at least, from who has most. total is not below
// the number of weights.
func share(total int, weights []int) []int {
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
	slices.SortStableFunc(order, func(x, y int) int { return total*weights[y]%sum - total*weights[x]%sum })
	for _, i := range order[:rest] {
		parts[i]++
	}
	for i := range parts {
		if parts[i] == 0 {
			most := slices.Index(parts, slices.Max(parts))
			parts[most]--
			parts[i]++
		}
	}
	return parts
}

// transition returns the entry that follows old at a node when its members changed, or, if reweighed, their
// weights. With Resilient no bucket moves that need not.
func (d *draft) transition(index uint32, old entry, members []uint16, reweighed bool) entry {
	if len(members) < 2 || old == entryNone || d.layout.choices[index].selection == Modulo {
		return d.fresh(index, members)
	}
	return d.remember(index, old, members, reweighed, func() entry {
		slots := slices.Clone(d.slotsOf(index, old))
		r := refill{
			slots: slots, members: members, release: reweighed,
			home:  d.fill(index, members),
			lacks: share(len(slots), d.weightsOf(index, members)),
		}
		r.run()
		return d.intern(r.slots)
	})
}

// slotsOf returns the buckets of an entry, one trunk's if it is a single one.
func (d *draft) slotsOf(index uint32, e entry) []uint16 {
	if e&entryKind == entryGroup {
		return d.groups[e&entryValue]
	}
	return slices.Repeat([]uint16{uint16(e & entryValue)}, int(d.layout.choices[index].buckets))
}

// membersOf returns the distinct members of an entry of a node by port.
func (d *draft) membersOf(index uint32, e entry) []uint16 {
	switch e & entryKind {
	case entryTrunk:
		return []uint16{uint16(e & entryValue)}
	case entryGroup:
		members := slices.Clone(d.distinct(int(e & entryValue)))
		d.sortByPort(index, members)
		return members
	}
	return nil
}

// distinct returns the members of a group, each once.
func (d *draft) distinct(group int) []uint16 {
	for len(d.sets) <= group {
		d.sets = append(d.sets, nil)
	}
	if d.sets[group] == nil {
		set := slices.Clone(d.groups[group])
		slices.Sort(set)
		d.sets[group] = slices.Compact(set)
	}
	return d.sets[group]
}

func (d *draft) sortByPort(index uint32, members []uint16) {
	trunks := d.tables.trunksOf(index)
	slices.SortStableFunc(members, func(a, b uint16) int { return int(trunks[a].port()) - int(trunks[b].port()) })
}

// refill moves buckets of a resilient group to the members that have too few.
type refill struct {
	slots   []uint16 // owner by bucket
	members []uint16
	home    []uint16 // owner by bucket in a group without a past
	lacks   []int    // buckets each member is short of; at first, its share
	release bool     // members that have too many give some up
}

// run moves what must move: the buckets of members that are gone, and, if a member is new or weights
// changed, as many of the others as the shares demand. A bucket goes home if it can, so that a group
// whose lost member comes back is what it was; the rest goes to whoever lacks most.
func (r *refill) run() {
	seen := make([]bool, len(r.members))
	for _, owner := range r.slots {
		if i := slices.Index(r.members, owner); i >= 0 {
			r.lacks[i]--
			seen[i] = true
		}
	}
	r.release = r.release || slices.Contains(seen, false)
	for b := range r.slots {
		if i := slices.Index(r.members, r.home[b]); r.movable(b) && r.lacks[i] > 0 {
			r.move(b, i)
		}
	}
	for b := range r.slots {
		if most := slices.Index(r.lacks, slices.Max(r.lacks)); r.movable(b) && r.lacks[most] > 0 {
			r.move(b, most)
		}
	}
}

// movable reports whether a bucket's owner is gone or has too many.
func (r *refill) movable(bucket int) bool {
	i := slices.Index(r.members, r.slots[bucket])
	return i < 0 || r.release && r.lacks[i] < 0
}

func (r *refill) move(bucket, to int) {
	if from := slices.Index(r.members, r.slots[bucket]); from >= 0 {
		r.lacks[from]++
	}
	r.lacks[to]--
	r.slots[bucket] = r.members[to]
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
