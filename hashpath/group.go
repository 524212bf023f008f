package hashpath

import (
	"encoding/binary"
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
	fill := func() []uint16 { return d.fill(index, members) }
	return d.remember(index, entryNone, members, false, fill)
}

// transition returns the entry that follows old at a node when its members changed, or, if
// reweighed, their weights. With Resilient no bucket moves that need not.
func (d *draft) transition(index uint32, old entry, members []uint16, reweighed bool) entry {
	c := d.layout.choices[index]
	if len(members) < 2 || old == entryNone || c.selection == Modulo {
		return d.fresh(index, members)
	}
	return d.remember(index, old, members, reweighed, func() []uint16 {
		slots := slices.Repeat([]uint16{uint16(old & entryValue)}, int(c.buckets)) // of one trunk
		if old&entryKind == entryGroup {
			slots = slices.Clone(d.groups[old&entryValue])
		}
		r := refill{
			slots: slots, members: members, release: reweighed,
			home:  d.fill(index, members),
			lacks: share(len(slots), d.weightsOf(index, members)),
		}
		r.run()
		return r.slots
	})
}

// remember returns the group that calculate returned when it was asked for the same members with
// the same weights, after the same entry, at a node that takes them in the same way; or asks it.
func (d *draft) remember(
	index uint32, old entry, members []uint16, reweighed bool, calculate func() []uint16,
) entry {
	c := d.layout.choices[index]
	key := binary.LittleEndian.AppendUint32(d.key[:0], c.buckets<<1|uint32(c.selection))
	key = appendKey(key, []entry{old})
	if reweighed {
		key = append(key, 1)
	}
	for _, m := range members {
		weight := d.layout.weight(d.tables.nodes[index].trunks + uint32(m))
		key = append(binary.LittleEndian.AppendUint16(key, m), weight)
	}
	d.key = key
	e, ok := d.known[string(key)]
	if !ok {
		name := string(key)
		e = d.intern(calculate())
		d.known[name] = e
	}
	return e
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
			*set = slices.Clone(d.groups[e&entryValue])
			slices.Sort(*set)
			*set = slices.Compact(*set)
		}
		members := slices.Clone(*set)
		d.sortByPort(index, members)
		return members
	}
	return nil
}

// sortByPort sorts members of a node, which are mostly in order.
func (d *draft) sortByPort(index uint32, members []uint16) {
	trunks := d.tables.trunksOf(index)
	for i := 1; i < len(members); i++ {
		for j := i; j > 0 && trunks[members[j-1]].port() > trunks[members[j]].port(); j-- {
			members[j-1], members[j] = members[j], members[j-1]
		}
	}
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
