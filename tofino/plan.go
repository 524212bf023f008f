package tofino

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice/hashpath"
)

// destinationParts is how many blocks there are, and how many offsets in the largest.
type destinationParts struct{ blocks, offsets int }

func partsOf(s *hashpath.Snapshot) destinationParts {
	var parts destinationParts
	for at := range s.Destinations {
		d := &s.Destinations[at]
		parts.blocks = max(parts.blocks, d.Block+1)
		parts.offsets = max(parts.offsets, d.Offset+1)
	}
	return parts
}

// route is where nodes of a class send packets for a block: all by one entry, or in detail.
type route struct {
	class, block int
	entry        hashpath.Entry
	detail       bool
}

// detail is where nodes of a class send packets for one destination of a block.
type detail struct {
	class, block, offset int
	entry                hashpath.Entry
}

// byBlock returns the destinations by block and offset.
func (p *Paths) byBlock() []int {
	order := make([]int, len(p.snapshot.Destinations))
	for at := range order {
		order[at] = at
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &p.snapshot.Destinations[a], &p.snapshot.Destinations[b]
		return cmp.Or(cmp.Compare(x.Block, y.Block), cmp.Compare(x.Offset, y.Offset))
	})
	return order
}

// plan returns the routes and details of a hop, by class, block and offset. Nodes of a class send
// alike.
func (p *Paths) plan(h *hop, r *reached, order []int) (routes []route, details []detail) {
	destinations := len(p.snapshot.Destinations)
	node := make([]int, len(h.classes.list)*destinations) // one more than one of the class, 0 for none
	for _, t := range r.transits {
		node[h.classAt[t.node]*destinations+t.destination] = t.node + 1
	}
	for number := range h.classes.list {
		for _, destination := range order {
			if from := node[number*destinations+destination]; from > 0 {
				d := &p.snapshot.Destinations[destination]
				details = append(details, detail{number, d.Block, d.Offset,
					p.entry(transit{from - 1, destination})})
			}
		}
	}
	return p.merge(h, details)
}

// merge makes one route where a class sends packets for all of a block the same way, and leaves the
// rest in detail. A block with a destination that is a node of the class stays in detail: there is
// no entry for that destination, so that packets arrive.
func (p *Paths) merge(h *hop, sorted []detail) (routes []route, details []detail) {
	for len(sorted) > 0 {
		first, count := sorted[0], 1
		alike := true
		for ; count < len(sorted); count++ {
			next := sorted[count]
			if next.class != first.class || next.block != first.block {
				break
			}
			alike = alike && next.entry == first.entry
		}
		if own := h.classes.list[first.class].own; own >= 0 {
			alike = alike && p.snapshot.Destinations[own].Block != first.block
		}
		routes = append(routes, route{first.class, first.block, first.entry, !alike})
		if !alike {
			details = append(details, sorted[:count]...)
		}
		sorted = sorted[count:]
	}
	return routes, details
}

// shape decides which tables each hop needs, and how wide their keys are.
func (p *Paths) shape() error {
	p.parts = partsOf(p.snapshot)
	if p.config.Failures {
		if err := p.prepare(); err != nil {
			return err
		}
	}
	for _, h := range p.hops {
		h.detailed = len(h.details) > 0 || p.config.Failures
		h.grouped = h.detailsByGroup() || p.config.Failures
		blocks := map[int]int{}
		for _, one := range h.routes {
			if one.detail {
				blocks[one.class]++
				h.blocks = h.blocks || blocks[one.class] > 1
			}
		}
		h.blocks = h.blocks || p.config.Failures
		h.value = p.valueBits(h)
		h.limits = limits{len(h.nodes.list), len(h.classes.list), len(h.groups.list), h.numbers}
		if p.config.Failures {
			h.limits = p.roomy(h.limits)
		}
		const rule = "must be at most 12 bits where a group's slots are no power of two: there is an " +
			"entry for each value"
		if h.value > maxValueBits {
			return refused("Network hash width", h.value, rule)
		}
	}
	return nil
}

// detailsByGroup reports whether a detail of the hop leads to a group.
func (h *hop) detailsByGroup() bool {
	return slices.ContainsFunc(h.details, func(d detail) bool {
		return d.entry.Kind == hashpath.ToGroup
	})
}

// maxValueBits bounds a table of values: 4,096 entries a group.
const maxValueBits = 12

// prepare lets packets pass and hash at every hop, for paths that come when links fail, if all
// nodes that hash take the same bits of the same function.
func (p *Paths) prepare() error {
	for _, h := range p.hops {
		h.passes = true
	}
	for at := range p.snapshot.Nodes {
		if !p.snapshot.Nodes[at].Forwards {
			continue
		}
		for _, h := range p.hops {
			if err := p.hashing(h, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// roomy returns limits with room for failures, which bring to a hop any node by any of its ports,
// and more classes and groups than there are now.
func (p *Paths) roomy(l limits) limits {
	ports := 0
	for at := range p.snapshot.Nodes {
		ports += len(p.snapshot.Nodes[at].Links)
	}
	for at := range p.snapshot.Destinations {
		ports += len(p.snapshot.Destinations[at].Exits)
	}
	return limits{len(p.snapshot.Nodes), 2*l.classes + 16, 2*l.groups + 16, l.numbers + 3*ports}
}

// valueBits returns how many bits of the hash value choose a member: all, unless the number of
// slots of every group is a power of two, modulo which a value is its low bits.
func (p *Paths) valueBits(h *hop) int {
	switch {
	case !h.hashes:
		return 0
	case p.config.Failures:
		return int(h.hash.Width)
	}
	most := 1
	for group := range h.groups.of {
		slots := len(p.snapshot.Groups[group])
		if slots&(slots-1) != 0 {
			return int(h.hash.Width)
		}
		most = max(most, slots)
	}
	return width(most)
}

// fits refuses a state for which the program has no room.
func (p *Paths) fits() error {
	for at, h := range p.hops {
		if h.detailsByGroup() && !h.grouped {
			return refused("Network", at, "must send by no group at this hop what was sent in detail")
		}
		l := h.limits
		for _, one := range []struct {
			what       string
			have, room int
		}{{"nodes", len(h.nodes.list), l.nodes}, {"classes", len(h.classes.list), l.classes},
			{"groups", len(h.groups.list), l.groups}, {"roots", h.numbers, l.numbers}} {
			if one.have > one.room {
				return refused("Network", one.have, "must have no more "+one.what+" at a hop than the "+
					"program has room for")
			}
		}
	}
	return nil
}
