package zold

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
}

// layout is what a network is made of besides its forwarding state: what updates need. The
// links' state and weights change under Network.update.
type layout struct {
	up       []bool                 // by trunk
	arrivals []uint16               // by trunk, the port at the other end
	weights  []uint8                // by trunk; nil if all are 1
	choices  []choice               // by node
	blocks   [][]uint32             // destinations by block and offset
	homes    []uint32               // node by destination
	static   map[[2]uint32][]uint16 // trunks by node and destination
	tiers    []int32                // by node: hops to the nearest switch with a host; -1 of a host
}

// choice is how a node takes members.
type choice struct {
	selection Selection
	buckets   uint32
}

// assembly is a layout and the tables that are made with it.
type assembly struct {
	builder *Builder
	config  *Config
	layout  *layout
	tables  *tables

	switchNode   []uint32 // node by switch declaration
	endpointNode []uint32 // node by endpoint, noDest if it is on one switch
	with4, with6 bool
	adjacent     [][]adjacency // by node
	profileOf    map[string]uint8
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
	if err := c.Hash.validate(); err != nil {
		return nil, err
	}
	a := &assembly{builder: b, config: &c, layout: &layout{}, tables: &tables{}, profileOf: map[string]uint8{}}
	for _, step := range []func() error{
		a.number, a.connect, a.rank, a.order, a.destinations, a.hashes, a.staticRoutes,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	d := newDraft(a.layout, a.tables)
	for block := range a.layout.blocks {
		d.routeBlock(uint32(block))
	}
	for _, p := range a.tables.profiles {
		p.function = function{} // its tables are in the profile's now
	}
	n := &Network{layout: a.layout}
	n.now.Store(d.finish())
	return n, nil
}

// number gives nodes their indices: switches, then hosts that are not on one switch by port 0.
func (a *assembly) number() error {
	for range a.builder.switches {
		a.switchNode = append(a.switchNode, uint32(len(a.switchNode)))
	}
	next := uint32(len(a.switchNode))
	for i := range a.builder.endpoints {
		e := &a.builder.endpoints[i]
		at := uint32(noDest)
		if !a.isSimple(i) {
			at = next
			next++
		}
		a.endpointNode = append(a.endpointNode, at)
		for _, p := range e.prefixes {
			a.with4 = a.with4 || p.Addr().Is4()
			a.with6 = a.with6 || p.Addr().Is6()
		}
	}
	if next > MaxNodes {
		return configError("Nodes", next, "must be at most 524,287")
	}
	a.tables.nodes = make([]node, next)
	for i, s := range a.builder.switches {
		a.tables.nodes[i].id = s.id
	}
	for i, at := range a.endpointNode {
		if at != noDest {
			a.tables.nodes[at].id = a.builder.endpoints[i].id
		}
	}
	return nil
}

// isSimple reports whether an endpoint is on one switch by its port 0, without routes of its own: then it needs
// no entry in any table.
func (a *assembly) isSimple(endpoint int) bool {
	e := &a.builder.endpoints[endpoint]
	if len(e.links) != 1 || e.routed {
		return false
	}
	here, there := a.ends(e.links[0], endpoint)
	return !there.host && (here.port == 0 || here.port == anyPort)
}

// ends returns the two ends of a link, that of an endpoint first.
func (a *assembly) ends(l int, endpoint int) (here, there linkEnd) {
	k := a.builder.links[l]
	if k.a.host && k.a.index == endpoint {
		return k.a, k.z
	}
	return k.z, k.a
}

func (a *assembly) nodeOf(e linkEnd) uint32 {
	if e.host {
		return a.endpointNode[e.index]
	}
	return a.switchNode[e.index]
}

// connect lists the links between nodes.
func (a *assembly) connect() error {
	a.adjacent = make([][]adjacency, len(a.tables.nodes))
	for _, l := range a.builder.links {
		x, y := a.nodeOf(l.a), a.nodeOf(l.z)
		if x == noDest || y == noDest {
			continue
		}
		a.adjacent[x] = append(a.adjacent[x], adjacency{l.a.port, l.z.port, y})
		a.adjacent[y] = append(a.adjacent[y], adjacency{l.z.port, l.a.port, x})
	}
	return nil
}

func (a *assembly) isEndpoint(index uint32) bool { return int(index) >= len(a.switchNode) }

// rank finds the tiers: a breadth-first search from all switches that have hosts.
func (a *assembly) rank() error {
	tiers := slices.Repeat([]int32{math.MaxInt32}, len(a.tables.nodes))
	var queue []uint32
	reach := func(index uint32, tier int32) {
		if tiers[index] == math.MaxInt32 {
			tiers[index] = tier
			queue = append(queue, index)
		}
	}
	for i := len(a.switchNode); i < len(tiers); i++ {
		tiers[i] = -1
	}
	for i := range a.builder.endpoints {
		for _, l := range a.builder.endpoints[i].links {
			if _, there := a.ends(l, i); !there.host {
				reach(a.nodeOf(there), 0)
			}
		}
	}
	for head := 0; head < len(queue); head++ {
		for _, n := range a.adjacent[queue[head]] {
			reach(n.peer, tiers[queue[head]]+1)
		}
	}
	a.layout.tiers = tiers
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
			a.tables.trunks = append(a.tables.trunks, makeTrunk(n.port&portMask, n.peer, a.isEndpoint(n.peer)))
			a.layout.arrivals = append(a.layout.arrivals, uint16(n.peerPort))
			a.layout.up = append(a.layout.up, true)
		}
	}
	return a.weigh()
}

// weigh takes over the weights that were declared.
func (a *assembly) weigh() error {
	for hop, w := range a.builder.weights {
		if a.builder.ends[hop] == 0 {
			return configError("SetWeight", hop, "must be a port in use")
		}
		n := a.builder.names[hop.Switch]
		index := a.nodeOf(linkEnd{name: n})
		if index == noDest {
			continue
		}
		if i, ok := a.tables.findTrunk(index, hop.Port); ok {
			a.layout.setWeight(int(i), w)
		}
	}
	return nil
}

// weight returns the weight of a trunk.
func (l *layout) weight(trunk int) uint8 {
	if l.weights == nil {
		return 1
	}
	return l.weights[trunk]
}

func (l *layout) setWeight(trunk int, w uint8) {
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
		h, own := a.config.Hash, false
		if i < len(a.builder.switches) && a.builder.switches[i].hash != nil {
			h, own = *a.builder.switches[i].hash, true
		}
		if !own {
			if !a.config.OneSeed {
				h.Seed ^= prng.Mix(prng.Mix(a.config.Seed) + uint64(x.id) + 1)
			}
			if tier := a.layout.tiers[i]; tier > 0 && tier != math.MaxInt32 {
				h.Offset += uint8(min(int(tier)*int(a.config.TierOffset), math.MaxUint8-int(h.Offset)))
			}
		}
		if err := h.validate(); err != nil {
			return err
		}
		number, p, err := a.profile(&h)
		if err != nil {
			return err
		}
		x.tweak = p.newTweak(&h, a.with6)
		x.tweak.profile = number
		a.layout.choices[i] = choice{h.Select, uint32(h.buckets())}
		if n := len(a.adjacent[i]); h.Select == Resilient && h.buckets() < n {
			return configError("Hash.Buckets", h.Buckets, fmt.Sprintf("must not be below the %d links of node %d to switches", n, x.id))
		}
		if p.ingress {
			a.tables.arrivals = a.layout.arrivals
		}
	}
	return nil
}

// profile returns the number of the profile of h, which nodes with the same function and fields share.
func (a *assembly) profile(h *Hash) (uint8, *profile, error) {
	key := fmt.Sprint(h.Kind, h.fields())
	switch h.Kind {
	case KindCRC:
		key += fmt.Sprint(h.CRC)
	case KindToeplitz:
		key += string(h.Key)
	}
	if number, ok := a.profileOf[key]; ok {
		return number, a.tables.profiles[number], nil
	}
	number := len(a.tables.profiles)
	if number > math.MaxUint8 {
		return 0, nil, configError("Hash", h.Kind, "must be one of at most 256 different functions")
	}
	p, err := newProfile(h)
	if err != nil {
		return 0, nil, err
	}
	if a.with4 {
		p.prepare(false)
	}
	if a.with6 {
		p.prepare(true)
	}
	a.profileOf[key] = uint8(number)
	a.tables.profiles = append(a.tables.profiles, p)
	return uint8(number), p, nil
}

// destinations numbers the destinations, groups them in blocks, and makes the tables of names and addresses.
func (a *assembly) destinations() error {
	racks := slices.Repeat([]uint32{noDest}, len(a.tables.nodes)) // destination by node
	for i := range a.builder.endpoints {
		if at := a.endpointNode[i]; at != noDest {
			racks[at] = 0
			continue
		}
		_, there := a.ends(a.builder.endpoints[i].links[0], i)
		racks[a.nodeOf(there)] = 0
	}
	for i := range racks {
		a.tables.nodes[i].dest = racks[i]
		if racks[i] == noDest {
			continue
		}
		racks[i] = uint32(len(a.layout.homes))
		a.tables.nodes[i].dest = racks[i]
		if a.isEndpoint(uint32(i)) {
			a.tables.nodes[i].dest |= flagBit
		}
		a.layout.homes = append(a.layout.homes, uint32(i))
	}
	a.makeBlocks()
	a.locate(racks)
	return nil
}

// makeBlocks groups destinations with the same neighbours.
func (a *assembly) makeBlocks() {
	a.tables.dests = make([]dest, len(a.layout.homes))
	blockOf := map[string]uint32{}
	for d, home := range a.layout.homes {
		var peers []uint32
		for _, by := range a.tables.trunksOf(home) {
			peers = append(peers, by.peer())
		}
		slices.Sort(peers)
		key := fmt.Sprint(slices.Compact(peers))
		block, ok := blockOf[key]
		if !ok {
			block = uint32(len(a.layout.blocks))
			blockOf[key] = block
			a.layout.blocks = append(a.layout.blocks, nil)
		}
		a.tables.dests[d] = dest{block, uint32(len(a.layout.blocks[block]))}
		a.layout.blocks[block] = append(a.layout.blocks[block], uint32(d))
	}
}

// locate makes the tables of names and addresses and the bits of ports to hosts.
func (a *assembly) locate(racks []uint32) {
	var ids []sluice.SwitchID
	var found []place
	var prefixes []netip.Prefix
	var targets []target
	for i, s := range a.builder.switches {
		ids, found = append(ids, s.id), append(found, place(i))
	}
	type exit struct {
		dest uint32
		port sluice.PortID
	}
	var exits []exit
	for i := range a.builder.endpoints {
		e := &a.builder.endpoints[i]
		at := a.endpointNode[i]
		here, port := place(at), sluice.PortID(0)
		if at == noDest {
			_, there := a.ends(e.links[0], i)
			at = a.nodeOf(there)
			here, port = hostPlace(at, there.port), there.port
			exits = append(exits, exit{racks[at], there.port})
		}
		if e.host {
			ids, found = append(ids, e.id), append(found, here)
		}
		for _, p := range e.prefixes {
			prefixes, targets = append(prefixes, p), append(targets, makeTarget(racks[at], port))
		}
	}
	t := a.tables
	t.places = makePlaces(ids, found)
	t.addresses = makeAddresses(prefixes, targets)
	for _, e := range exits {
		t.exitsWords = max(t.exitsWords, uint32(e.port)/64+1)
	}
	t.exits = make([]uint64, len(a.layout.homes)*int(t.exitsWords))
	for _, e := range exits {
		t.exits[e.dest*t.exitsWords+uint32(e.port)/64] |= 1 << (e.port % 64)
	}
}

// staticRoutes takes over the routes that were declared.
func (a *assembly) staticRoutes() error {
	for _, r := range a.builder.routes {
		index := a.switchNode[a.builder.names[r.at].index]
		home := a.endpointNode[a.builder.names[r.to].index]
		var members []uint16
		for _, port := range r.ports {
			i, ok := a.tables.findTrunk(index, port)
			if !ok {
				return configError("SetRoute", sluice.Hop{Switch: r.at, Port: port}, "must be a port with a link to a switch or to the host")
			}
			m := uint16(i - a.tables.nodes[index].trunks)
			if slices.Contains(members, m) {
				return configError("SetRoute", sluice.Hop{Switch: r.at, Port: port}, "must be given once")
			}
			members = append(members, m)
		}
		if a.layout.static == nil {
			a.layout.static = map[[2]uint32][]uint16{}
		}
		a.layout.static[[2]uint32{index, a.tables.nodes[home].dest &^ flagBit}] = members
	}
	return nil
}
