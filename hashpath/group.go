package hashpath

import (
	"encoding/binary"
	"slices"
)

// lastGroup is the group without a past that a node had last: the next destination is mostly for
// the same.
type lastGroup struct {
	members []uint16
	to      entry
}

// next returns the entry that follows old at a node for members that are trunks of it, by port.
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
	c, last := d.layout.choices[x], &d.last[x]
	if c.selection == Modulo {
		old = entryNone
	}
	if old == entryNone && slices.Equal(members, last.members) {
		return last.to
	}
	key := binary.LittleEndian.AppendUint32(d.key[:0], c.buckets<<1|uint32(c.selection))
	key = appendKey(key, old)
	if reweighed {
		key = append(key, 1)
	}
	for _, m := range members {
		weight := d.layout.weight(d.tables.nodes[x].trunks + uint32(m))
		key = append(binary.LittleEndian.AppendUint16(key, m), weight)
	}
	d.key = key
	e, ok := d.known[string(key)]
	if !ok {
		name, slots := string(key), d.fill(x, members)
		if old != entryNone {
			r := refill{
				slots: d.slotsOf(old, len(slots)), members: members, home: slots,
				lacks:   share(len(slots), d.weightsOf(x, members)),
				release: reweighed,
			}
			r.run()
			slots = r.slots
		}
		e = d.intern(slots)
		d.known[name] = e
	}
	if old == entryNone {
		last.members, last.to = append(last.members[:0], members...), e
	}
	return e
}

// slotsOf returns a copy of the slots of an entry; those of one trunk are so many.
func (d *draft) slotsOf(e entry, buckets int) []uint16 {
	if e&entryKind == entryGroup {
		return slices.Clone(d.groups[e&entryValue])
	}
	return slices.Repeat([]uint16{uint16(e & entryValue)}, buckets)
}

// intern returns the entry of a group with these slots, which equal groups share.
func (d *draft) intern(slots []uint16) entry {
	d.key = d.key[:0]
	for _, s := range slots {
		d.key = binary.LittleEndian.AppendUint16(d.key, s)
	}
	e, ok := d.groupOf[string(d.key)]
	if !ok {
		e = entryGroup | entry(len(d.groups))
		d.groupOf[string(d.key)] = e
		d.groups, d.sets = append(d.groups, slots), append(d.sets, nil)
	}
	return e
}

// membersOf returns the members of an entry of a node by port.
func (d *draft) membersOf(index uint32, e entry) []uint16 {
	switch e & entryKind {
	case entryTrunk:
		return []uint16{uint16(e & entryValue)}
	case entryGroup:
		set := &d.sets[e&entryValue]
		if *set == nil {
			*set = distinct(d.groups[e&entryValue])
		}
		members := make([]uint16, 0, len(*set)+1)
		for _, m := range *set {
			members = insertByPort(d.tables.trunksOf(index), members, m)
		}
		return members
	}
	return nil
}

// distinct returns the members of a group with these slots, in order.
func distinct(slots []uint16) []uint16 {
	set := slices.Clone(slots)
	slices.Sort(set)
	return slices.Compact(set)
}

// fill returns the slots of a group without a past.
func (d *draft) fill(index uint32, members []uint16) []uint16 {
	weights := d.weightsOf(index, members)
	c := d.layout.choices[index]
	var slots []uint16
	if c.selection == Modulo {
		for i, m := range members {
			slots = append(slots, slices.Repeat([]uint16{m}, weights[i])...)
		}
		return slots
	}
	shares := share(int(c.buckets), weights)
	given := make([]int, len(members))
	for n := 1; n <= int(c.buckets); n++ {
		// The member that is furthest behind its share of the first n buckets.
		best := 0
		for i := range members {
			if shares[i]*n-given[i]*int(c.buckets) > shares[best]*n-given[best]*int(c.buckets) {
				best = i
			}
		}
		given[best]++
		slots = append(slots, members[best])
	}
	return slots
}

// weightsOf returns the weights of members, divided by their greatest common divisor.
func (d *draft) weightsOf(index uint32, members []uint16) []int {
	weights := make([]int, len(members))
	divisor := 0
	for i, m := range members {
		weights[i] = int(d.layout.weight(d.tables.nodes[index].trunks + uint32(m)))
		for rest := weights[i]; rest != 0; {
			divisor, rest = rest, divisor%rest
		}
	}
	for i := range weights {
		weights[i] /= divisor
	}
	return weights
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
	seen := make([]bool, len(r.members))
	for _, owner := range r.slots {
		if i := slices.Index(r.members, owner); i >= 0 {
			r.lacks[i]--
			seen[i] = true
		}
	}
	r.release = r.release || slices.Contains(seen, false)
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
