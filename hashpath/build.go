package hashpath

import (
	"cmp"
	"math"
	"slices"

	"github.com/sluicefc/sluice"
)

// Config configures a network.
type Config struct {
	// Hash is that of every switch without one of its own (Builder.SetHash).
	Hash Hash
	// Seed: the seed of each of these switches is Hash.Seed exclusive-or a number derived
	// from Seed and the switch's identity. Any Seed is good.
	Seed uint64
	// OneSeed gives these switches the seed Hash.Seed as it stands, all the same. Paths then
	// polarise; see the package comment.
	OneSeed bool
	// TierOffset is added to Hash.Offset of these switches once for each tier above the
	// lowest, the switches that have hosts, so that tiers use different bits. With Hash.Width 0
	// the bits from there up are used. At least one bit must remain at the highest tier.
	TierOffset uint8
	// HostHops ends paths with a hop of the host itself, by the port at which packets come in, so
	// that a host that cannot take what arrives is a congestion root as any port is (Pyrrha). Paths
	// that leave by a prefix have none.
	HostHops bool
}

// layout is what updates need of a network besides its forwarding state. The links' state and
// weights change under Network.update; the rest stays.
type layout struct {
	config   Config
	own      []*Hash                // by node, nil without one of its own
	kinds    []kind                 // by node
	tiers    []int32                // by node, hops to the nearest that has or is a host; -1: see rank
	up       []bool                 // by trunk
	arrivals []uint16               // by trunk, the port at the other end
	weights  map[uint32]uint8       // by trunk, of those that were given one
	choices  []choice               // by node
	blocks   []uint32               // by block, its first destination; then their number
	homes    []uint32               // node by destination
	static   map[[2]uint32][]uint16 // trunks by node and destination
}

// choice is how a node takes members.
type choice struct {
	selection Selection
	buckets   uint32
}

// noNode is the index of what is in no table.
const noNode = math.MaxUint32

// assembly is a layout and the tables that are made with it.
type assembly struct {
	*Builder
	*layout
	*tables
	owners []*declaration // by node
}

// Build makes the network, or returns the first error of a declaration or of the configuration, a
// *sluice.ConfigError. The builder may be used further. Links are up.
func (b *Builder) Build(c Config) (*Network, error) {
	if b.err != nil {
		return nil, b.err
	}
	if _, err := c.Hash.resolve(); err != nil {
		return nil, err
	}
	c.Hash.Fields, c.Hash.Key = slices.Clone(c.Hash.Fields), slices.Clone(c.Hash.Key)
	a := &assembly{
		Builder: b, layout: &layout{config: c, weights: map[uint32]uint8{}},
		tables: &tables{hostHops: c.HostHops},
	}
	if err := a.number(); err != nil {
		return nil, err
	}
	a.exitBase = make([]uint32, len(a.nodes)+1)
	a.rank()
	a.order()
	if err := a.hashNodes(); err != nil {
		return nil, err
	}
	a.makeBlocks()
	a.makeLookups()
	if err := a.addRoutes(); err != nil {
		return nil, err
	}
	a.rows = make([]entry, len(a.blocks)-1) // of every node: nowhere
	d := newDraft(a.layout, a.tables)
	d.routeAll()
	n := &Network{layout: a.layout}
	n.now.Store(d.finish())
	return n, nil
}

// number gives nodes their indices: first those with a name.
func (a *assembly) number() error {
	for _, named := range []bool{true, false} {
		for _, d := range a.declared {
			if named != (d.kind != isPrefix) {
				continue
			}
			if d.index = noNode; d.isSimple() {
				continue
			}
			d.index = uint32(len(a.owners))
			a.owners = append(a.owners, d)
			a.nodes = append(a.nodes, node{id: d.id, dest: noDest})
			a.own, a.kinds = append(a.own, d.hash), append(a.kinds, d.kind)
		}
		if named {
			a.named = uint32(len(a.owners))
		}
	}
	if n := len(a.owners); n > MaxNodes {
		return configError("Nodes", n, "must be at most 524,287")
	}
	return nil
}

// isSimple reports whether a declaration is a host, or the way out to a prefix, on one switch by
// its port 0, without routes of its own: then it needs no entry in any table.
func (d *declaration) isSimple() bool {
	if len(d.links) != 1 || d.routed || d.kind.forwards() {
		return false
	}
	port := d.links[0].port
	return d.links[0].far.at.kind.forwards() && (port == 0 || port == anyPort)
}

// home returns the node of a declaration, or that to which it is linked if it needs none, and the
// port there.
func (d *declaration) home() (index uint32, port sluice.PortID) {
	if d.index != noNode {
		return d.index, 0
	}
	return d.links[0].far.at.index, d.links[0].far.port
}

// rank finds the tiers: a breadth-first search from all forwarding nodes that have or are hosts.
// Nodes that do not forward have -1.
func (a *assembly) rank() {
	var queue []*declaration
	reach := func(d *declaration, tier int32) {
		if d.kind.forwards() && a.tiers[d.index] > tier {
			a.tiers[d.index] = tier
			queue = append(queue, d)
		}
	}
	for _, d := range a.owners {
		tier := int32(unreached)
		if !d.kind.forwards() {
			tier = -1
		}
		a.tiers = append(a.tiers, tier)
	}
	for _, d := range a.declared {
		if d.kind == isForwardingHost {
			reach(d, 0)
		} else if d.kind.hasAddress() {
			for _, l := range d.links {
				reach(l.far.at, 0)
			}
		}
	}
	for head := 0; head < len(queue); head++ {
		for _, l := range queue[head].links {
			reach(l.far.at, a.tiers[queue[head].index]+1)
		}
	}
}

// order lays out the trunks of each node in canonical order, and its exits by port.
func (a *assembly) order() {
	for i, d := range a.owners {
		class := func(l *linkEnd) int64 { // towards the hosts by peer, then others, then exits
			switch peer := l.far.at.index; {
			case peer == noNode:
				return noNode + 1
			case a.tiers[peer] < a.tiers[i]:
				return int64(peer)
			}
			return noNode
		}
		links := slices.SortedFunc(slices.Values(d.links), func(p, q *linkEnd) int {
			return cmp.Or(cmp.Compare(class(p), class(q)), cmp.Compare(p.port, q.port))
		})
		a.nodes[i].trunks, a.exitBase[i] = uint32(len(a.trunks)), uint32(len(a.exits))
		for _, l := range links {
			peer := l.far.at
			if peer.index == noNode {
				a.addExit(makeSpot(uint32(i), l.port, false), peer)
				continue
			}
			a.trunks = append(a.trunks, makeSpot(peer.index, l.port, !peer.kind.forwards()))
			a.layout.arrivals = append(a.layout.arrivals, uint16(l.far.port))
			if l.weight != 1 {
				a.weights[uint32(len(a.up))] = l.weight
			}
			a.up = append(a.up, true)
		}
	}
	a.exitBase[len(a.owners)] = uint32(len(a.exits))
	if a.hostHops {
		a.tables.arrivals = a.layout.arrivals
	}
}

// weight returns the weight of a trunk.
func (l *layout) weight(trunk uint32) uint8 { return max(1, l.weights[trunk]) }
