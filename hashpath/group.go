package hashpath

import (
	"cmp"
	"slices"
)

// next returns the entry that follows old at a node for members, its trunks in ascending order.
// With Resilient no bucket moves that need not: see refill. Nodes that take members in the same
// way, of the same weights, after the same entry, have the same group.
func (d *draft) next(x uint32, old entry, members []uint16, reweighed bool) entry {
	switch len(members) {
	case 0:
		return entryNone
	case 1:
		return entryTrunk | entry(members[0])
	}
	c, last := d.choices[x], &d.last[x]
	if c.selection == Modulo {
		old = entryNone
	}
	if old != last.old || !slices.Equal(members, d.membersOf(last.to)) {
		trunks := d.was.trunksOf(x)
		members = slices.Clone(members)
		slices.SortFunc(members, func(a, b uint16) int {
			return cmp.Compare(trunks[a].port(), trunks[b].port())
		})
		weights := make([]int, len(members))
		key := appendKey(nil, []entry{entry(c.buckets)<<1 | entry(c.selection), old})
		if reweighed {
			key = append(key, 1)
		}
		for i, m := range members {
			weights[i] = int(d.weight(d.was.nodes[x].trunks + uint32(m)))
			key = appendKey(key, []entry{entry(m)<<8 | entry(weights[i])})
		}
		e, ok := d.known[string(key)]
		if !ok {
			e = d.intern(d.fill(c, old, members, weights, reweighed))
			d.known[string(key)] = e
		}
		*last = made{old, e}
	}
	return last.to
}

func (d *draft) fill(
	c choice, old entry, members []uint16, weights []int, reweighed bool,
) (slots []uint16) {
	if c.selection == Modulo {
		divisor := 0
		for _, w := range weights {
			divisor = gcd(w, divisor)
		}
		for i, m := range members {
			slots = append(slots, slices.Repeat([]uint16{m}, weights[i]/divisor)...)
		}
		return slots
	}
	buckets := int(c.buckets)
	shares := share(buckets, weights)
	home := spread(buckets, members, shares)
	switch old & entryKind {
	case entryNone:
		return home
	case entryGroup:
		slots = slices.Clone(d.groups[old&entryValue].slots)
	default:
		slots = slices.Repeat([]uint16{uint16(old & entryValue)}, buckets)
	}
	refill(slots, home, members, shares, reweighed)
	return slots
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// share divides total in proportion to the weights: whole parts first, the rest to the largest
// remainders, of equal ones to the first. Every weight gets at least one, at the expense of the
// largest share. total is not below the number of weights.
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

// spread gives each bucket to the member furthest behind its share so far, of several to the first.
func spread(buckets int, members []uint16, shares []int) (slots []uint16) {
	behind := make([]int, len(members)) // in parts of a bucket
	for range buckets {
		for i := range behind {
			behind[i] += shares[i]
		}
		most := slices.Index(behind, slices.Max(behind))
		behind[most] -= buckets
		slots = append(slots, members[most])
	}
	return slots
}

// refill moves as few of the buckets in slots as it can: the buckets of members that are gone, and,
// if a member is new or release reports changed weights, as many of the others as the shares
// demand. A bucket goes home if it can, so that a group whose lost member comes back is what it
// was; the rest goes to the member that lacks most.
func refill(slots, home, members []uint16, shares []int, release bool) {
	lacks := shares
	for i, m := range members {
		has := 0
		for _, owner := range slots {
			if owner == m {
				has++
			}
		}
		lacks[i] -= has
		release = release || has == 0
	}
	move := func(bucket, to int) {
		from := slices.Index(members, slots[bucket])
		if lacks[to] <= 0 || from >= 0 && !(release && lacks[from] < 0) {
			return
		}
		if from >= 0 {
			lacks[from]++
		}
		lacks[to]--
		slots[bucket] = members[to]
	}
	for b := range slots {
		move(b, slices.Index(members, home[b]))
	}
	for b := range slots {
		move(b, slices.Index(lacks, slices.Max(lacks)))
	}
}
