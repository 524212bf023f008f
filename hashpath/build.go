package hashpath

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
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
	tiers    []int32                // by node, hops to the nearest switch with a host; -1: see rank
	up       []bool                 // by trunk
	arrivals []uint16               // by trunk, the port at the other end
	weights  []uint8                // by trunk; nil if all are 1
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

// assembly is a layout and the tables that are made with it.
type assembly struct {
	*Builder
	layout   *layout
	tables   *tables
	index    []uint32      // node by declaration; noDest if isSimple
	adjacent [][]adjacency // by node
	with     [2]bool       // there are IPv4 addresses, IPv6 addresses
}

type adjacency struct {
	port, peerPort sluice.PortID
	peer           uint32
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
		Builder: b, layout: &layout{config: c}, tables: &tables{hostHops: c.HostHops},
	}
	for _, step := range []func() error{
		a.number, a.connectNodes, a.rank, a.order, a.weigh, a.destinations, a.hashes,
		a.staticRoutes,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	d := newDraft(a.layout, a.tables)
	d.routeAll()
	n := &Network{layout: a.layout}
	n.now.Store(d.finish())
	return n, nil
}

// number gives nodes their indices: first those with a name.
func (a *assembly) number() error {
	t, l := a.tables, a.layout
	a.index = slices.Repeat([]uint32{noDest}, len(a.nodes))
	for _, named := range []bool{true, false} {
		for i := range a.nodes {
			d := &a.nodes[i]
			if d.kind.hasAddress() && a.isSimple(i) || named != (d.kind != isPrefix) {
				continue
			}
			a.index[i] = uint32(len(t.nodes))
			t.nodes = append(t.nodes, node{id: d.id, dest: noDest})
			l.own = append(l.own, d.hash)
			l.kinds = append(l.kinds, d.kind)
		}
		if named {
			t.named = uint32(len(t.nodes))
		}
	}
	for p := range a.prefixes {
		a.with[p.Addr().BitLen()/128] = true
	}
	if n := len(t.nodes); n > MaxNodes {
		return configError("Nodes", n, "must be at most 524,287")
	}
	return nil
}

// isSimple reports whether a declaration is a host, or the way out to a prefix, on one switch by
// its port 0, without routes of its own: then it needs no entry in any table.
func (a *assembly) isSimple(i int) bool {
	d := &a.nodes[i]
	if len(d.links) != 1 || d.routed || d.kind.forwards() {
		return false
	}
	here, there := a.endsOf(i)
	return a.nodes[there.node].kind.forwards() && (here.port == 0 || here.port == anyPort)
}

// endsOf returns the two ends of the first link of a declaration, its own first.
func (a *assembly) endsOf(i int) (here, there linkEnd) {
	k := a.links[a.nodes[i].links[0]]
	if k.a.node == i {
		return k.a, k.z
	}
	return k.z, k.a
}

// connectNodes lists the links between nodes.
func (a *assembly) connectNodes() error {
	a.adjacent = make([][]adjacency, len(a.tables.nodes))
	for _, l := range a.links {
		x, y := a.index[l.a.node], a.index[l.z.node]
		if x != noDest && y != noDest {
			a.adjacent[x] = append(a.adjacent[x], adjacency{l.a.port, l.z.port, y})
			a.adjacent[y] = append(a.adjacent[y], adjacency{l.z.port, l.a.port, x})
		}
	}
	return nil
}

// rank finds the tiers: a breadth-first search from all forwarding nodes that have or are hosts.
// Nodes that do not forward have -1.
func (a *assembly) rank() error {
	tiers := slices.Repeat([]int32{math.MaxInt32}, len(a.tables.nodes))
	a.layout.tiers = tiers
	var queue []uint32
	reach := func(index uint32, tier int32) {
		if a.layout.kinds[index].forwards() && tiers[index] > tier {
			tiers[index] = tier
			queue = append(queue, index)
		}
	}
	for i := range a.nodes {
		d := &a.nodes[i]
		if !d.kind.hasAddress() {
			continue
		}
		if index := a.index[i]; index != noDest {
			if reach(index, 0); !d.kind.forwards() {
				tiers[index] = -1
			}
		}
		for _, l := range d.links {
			for _, e := range []linkEnd{a.links[l].a, a.links[l].z} {
				if index := a.index[e.node]; e.node != i && index != noDest && !d.kind.forwards() {
					reach(index, 0)
				}
			}
		}
	}
	for head := 0; head < len(queue); head++ {
		for _, n := range a.adjacent[queue[head]] {
			reach(n.peer, tiers[queue[head]]+1)
		}
	}
	return nil
}

// order lays out the trunks in canonical order.
func (a *assembly) order() error {
	tiers := a.layout.tiers
	for i, list := range a.adjacent {
		towards := func(n adjacency) uint32 { // peers towards the hosts by index, the others last
			if tiers[n.peer] < tiers[i] {
				return n.peer
			}
			return noDest
		}
		slices.SortFunc(list, func(p, q adjacency) int {
			return cmp.Or(cmp.Compare(towards(p), towards(q)), cmp.Compare(p.port, q.port))
		})
		a.tables.nodes[i].trunks = uint32(len(a.tables.trunks))
		for _, n := range list {
			end := !a.layout.kinds[n.peer].forwards()
			a.tables.trunks = append(a.tables.trunks, makeTrunk(n.port&portMask, n.peer, end))
			a.layout.arrivals = append(a.layout.arrivals, uint16(n.peerPort))
			a.layout.up = append(a.layout.up, true)
		}
	}
	if a.tables.hostHops {
		a.tables.arrivals = a.layout.arrivals
	}
	return nil
}

// weigh takes over the weights that were declared.
func (a *assembly) weigh() error {
	for hop, w := range a.weights {
		if a.ends[hop] == 0 {
			return configError("SetWeight", hop, "must be a port in use")
		}
		index := a.index[a.names[hop.Switch]]
		if index == noDest {
			continue
		}
		if i, ok := a.tables.findTrunk(index, hop.Port); ok {
			a.layout.setWeight(i, w)
		}
	}
	return nil
}

// weight returns the weight of a trunk.
func (l *layout) weight(trunk uint32) uint8 {
	if l.weights == nil {
		return 1
	}
	return l.weights[trunk]
}

func (l *layout) setWeight(trunk uint32, w uint8) {
	if l.weights == nil {
		l.weights = slices.Repeat([]uint8{1}, len(l.up))
	}
	l.weights[trunk] = w
}

// hashes gives every node its hash.
func (a *assembly) hashes() error {
	a.layout.choices = make([]choice, len(a.tables.nodes))
	for i := range a.tables.nodes {
		x := &a.tables.nodes[i]
		h, err := a.layout.hashOf(uint32(i), x.id)
		if err != nil {
			return err
		}
		number, err := a.profile(&h)
		if err != nil {
			return err
		}
		p := a.tables.profiles[number]
		x.tweak = p.newTweak(&h)
		x.tweak.profile = uint8(number)
		a.layout.choices[i] = choice{h.Select, uint32(h.Buckets)}
		if n := len(a.adjacent[i]); h.Select == Resilient && h.Buckets < n {
			rule := fmt.Sprintf("must not be below the %d links of node %d to switches", n, x.id)
			return configError("Hash.Buckets", h.Buckets, rule)
		}
		if p.ingress {
			a.tables.arrivals = a.layout.arrivals
		}
	}
	return nil
}

// hashOf returns the hash of a node as it is in effect.
func (l *layout) hashOf(index uint32, id sluice.SwitchID) (Hash, error) {
	if own := l.own[index]; own != nil {
		return own.resolve()
	}
	h := l.config.Hash
	if !l.config.OneSeed {
		h.Seed ^= prng.Mix(prng.Mix(l.config.Seed) + uint64(id) + 1)
	}
	if tier := l.tiers[index]; tier > 0 && tier != math.MaxInt32 {
		h.Offset += uint8(min(int(tier)*int(l.config.TierOffset), math.MaxUint8-int(h.Offset)))
	}
	return h.resolve()
}

// profile returns the number of the profile of a resolved hash, which nodes with the same function
// and fields share.
func (a *assembly) profile(h *Hash) (int, error) {
	t := a.tables
	is := func(p *profile) bool { return p.hash.isFunctionOf(h) }
	if number := slices.IndexFunc(t.profiles, is); number >= 0 {
		return number, nil
	}
	if len(t.profiles) > math.MaxUint8 {
		return 0, configError("Hash", h.Kind, "must be one of at most 256 different functions")
	}
	p := newProfile(*h)
	for family, used := range a.with {
		if used {
			p.prepare(uint8(family))
		}
	}
	t.profiles = append(t.profiles, p)
	return len(t.profiles) - 1, nil
}

// destinations makes the tables of names, addresses and exits, numbers the destinations, and groups
// those with the same neighbours in blocks.
func (a *assembly) destinations() error {
	t := a.tables
	homes := make([]uint32, len(a.nodes)) // by declaration: the node that is the destination
	places, exits, ways := map[uint32]uint32{}, map[uint32]uint32{}, map[uint32]uint32{}
	for i := range a.nodes {
		d := &a.nodes[i]
		index := a.index[i]
		at := place(index)
		if index == noDest {
			_, there := a.endsOf(i)
			index = a.index[there.node]
			at = hostPlace(index, there.port)
			if key := exitKey(index, there.port); d.kind == isPrefix {
				ways[key] = 0
			} else {
				exits[key] = uint32(d.id)
			}
		}
		if d.kind != isPrefix {
			places[uint32(d.id)] = uint32(at)
		}
		homes[i] = index
		if d.kind.hasAddress() {
			t.nodes[index].dest = 0
		}
	}
	t.places, t.exits, t.ways = makeTable4(places), makeTable4(exits), makeTable4(ways)
	a.makeBlocks()

	targets := map[netip.Prefix]target{}
	for p, i := range a.prefixes {
		where := t.nodes[homes[i]].dest
		targets[p] = nodeTarget(where)
		if a.index[i] == noDest {
			_, there := a.endsOf(i)
			targets[p] = makeTarget(where, there.port)
		}
	}
	t.addresses = makeAddresses(targets)
	return nil
}

// makeBlocks groups the destinations with the same neighbours, and numbers them block by block.
func (a *assembly) makeBlocks() {
	t, l := a.tables, a.layout
	var blocks [][]uint32
	blockOf := map[string]int{}
	for i := range t.nodes {
		if t.nodes[i].dest == noDest {
			continue
		}
		var peers []uint32
		for _, by := range t.trunksOf(uint32(i)) {
			peers = append(peers, by.peer())
		}
		slices.Sort(peers)
		key := fmt.Sprint(slices.Compact(peers))
		block, ok := blockOf[key]
		if !ok {
			block = len(blocks)
			blockOf[key] = block
			blocks = append(blocks, nil)
		}
		blocks[block] = append(blocks[block], uint32(i))
	}
	for block, homes := range blocks {
		l.blocks = append(l.blocks, uint32(len(l.homes)))
		for offset, home := range homes {
			t.nodes[home].dest = uint32(len(l.homes))
			t.dests = append(t.dests, dest{uint32(block), uint32(offset)})
			l.homes = append(l.homes, home)
		}
	}
	l.blocks = append(l.blocks, uint32(len(l.homes)))
}

// staticRoutes takes over the routes that were declared.
func (a *assembly) staticRoutes() error {
	for _, r := range a.routes {
		index, where := a.index[r.at], a.tables.nodes[a.index[r.to]].dest
		var members []uint16
		for _, port := range r.ports {
			i, ok := a.tables.findTrunk(index, port)
			m := uint16(i - a.tables.nodes[index].trunks)
			hop := sluice.Hop{Switch: a.nodes[r.at].id, Port: port}
			if !ok {
				rule := "must be a port with a link to a switch or to the host"
				return configError("SetRoute", hop, rule)
			}
			if slices.Contains(members, m) {
				return configError("SetRoute", hop, "must be given once")
			}
			members = append(members, m)
		}
		if a.layout.static == nil {
			a.layout.static = map[[2]uint32][]uint16{}
		}
		a.layout.static[[2]uint32{index, where}] = members
	}
	return nil
}
