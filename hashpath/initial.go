package hashpath

import "slices"

// route finds the paths from everywhere to all destinations of a network that has none yet, and
// whose links are up: to one of each block, and what differs for the others. They have the same
// neighbours. So who is neither a neighbour nor of the block is as far from all of them, and sends
// to all of them alike: two of the block are never on one shortest path, unless it begins and ends
// there.
func (d *draft) route() {
	d.open()
	for block := range uint32(len(d.blocks) - 1) {
		first, end := d.blocks[block], d.blocks[block+1]
		d.reroute(first)
		near := d.near(first, end)
		for where := first + 1; where < end; where++ {
			d.rerouteLike(where, first, near)
		}
	}
	if d.static == nil {
		near := make([]uint32, len(d.blocks)-1)
		for x := range d.rows {
			d.spread(uint32(x), near)
		}
	}
}

// near returns the nodes of a block of destinations, from first to end, and their neighbours.
func (d *draft) near(first, end uint32) []uint32 {
	near := slices.Clone(d.homes[first:end])
	for _, by := range d.was.trunksOf(d.homes[first]) {
		near = append(near, by.index())
	}
	slices.Sort(near)
	return slices.Compact(near)
}

// rerouteLike finds the paths of the nodes near a block to a destination, where those to the first
// of the block were searched for last; with static routes, which may be to one of them alone, the
// paths of all.
func (d *draft) rerouteLike(where, first uint32, near []uint32) {
	if d.static != nil {
		d.reroute(where)
		return
	}
	home, other := d.homes[where], d.homes[first]
	d.distance[home], d.distance[other] = d.distance[other], d.distance[home]
	for _, x := range near {
		if x != home {
			d.follow(x, where, d.collect(x, where))
		}
	}
	d.distance[home], d.distance[other] = d.distance[other], d.distance[home]
}

// spread gives the entry of a node for the first destination of a block to the others, unless the
// node is near it: then it is noted by block, as the node's number plus one.
func (d *draft) spread(x uint32, near []uint32) {
	note := func(node uint32) {
		if own := d.was.nodes[node].dest; own != none {
			near[d.was.dests[own].block] = x + 1
		}
	}
	note(x)
	for _, by := range d.was.trunksOf(x) {
		note(by.index())
	}
	row, sum := d.rows[x], d.sums[x]
	for block := range near {
		first, e := d.blocks[block], row[d.blocks[block]]
		if e == entryNone || near[block] == x+1 {
			continue
		}
		for where := first + 1; where < d.blocks[block+1]; where++ {
			sum += mix(where, e) - mix(where, entryNone)
			row[where] = e
		}
	}
	d.sums[x] = sum
}
