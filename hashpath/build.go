package hashpath

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/prng"
)

// Config configures a network.
type Config struct {
	// Hash is the hash of every switch that Builder.SetHash gives none of its own.
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

// assembly is a network and its tables in the making.
type assembly struct {
	*Builder
	*Network
	*tables
	owners []*declaration // by node
	faults *check.Config
}

// Build makes the network, or returns the first error of a declaration or of the configuration, a
// *sluice.ConfigError. The builder may be used further. Links are up.
func (b *Builder) Build(c Config) (*Network, error) {
	if !b.check.Fine() {
		return nil, b.check.Err()
	}
	a := &assembly{
		Builder: b, Network: &Network{config: c, weights: map[uint32]uint8{}},
		tables: &tables{stop: flag}, faults: check.Of("hashpath", ""),
	}
	a.config.Hash = c.Hash.clone()
	c.Hash.resolve(a.faults)
	a.number()
	a.rank()
	a.order()
	a.hashNodes()
	a.makeBlocks()
	a.makeLookups()
	a.addRoutes()
	if !a.faults.Fine() {
		return nil, a.faults.Err()
	}
	a.rows = make([]entry, len(a.blocks)-1) // of every node: nowhere
	d := newDraft(a.Network, a.tables)
	d.route()
	a.now.Store(d.finish())
	return a.Network, nil
}

func (a *assembly) number() {
	for _, d := range a.declared {
		if d.index = none; d.isSimple() {
			continue
		}
		d.index = uint32(len(a.nodes))
		a.nodes = append(a.nodes, node{id: d.id, dest: none})
		a.owners, a.own, a.kinds = append(a.owners, d), append(a.own, d.hash), append(a.kinds, d.kind)
	}
	a.faults.That(len(a.nodes) <= MaxNodes, len(a.nodes), "must be at most 524,287", "Nodes")
}

// isSimple reports whether a declaration is a host, or the way out to a prefix, on one switch by
// its port 0, without routes of its own: then it needs no entry in any table.
func (d *declaration) isSimple() bool {
	return len(d.links) == 1 && d.links[0].port == 0 && d.links[0].far.at.kind.forwards() &&
		!d.routed && !d.kind.forwards()
}

// home returns the node of a declaration, or the node that it is linked to, and the port there.
func (d *declaration) home() (x uint32, port sluice.PortID) {
	if d.index != none {
		return d.index, 0
	}
	return d.links[0].far.at.index, d.links[0].far.port
}

// rank finds the tiers: a breadth-first search from all forwarding nodes that have or are hosts.
func (a *assembly) rank() {
	var front []*declaration
	for _, d := range a.declared {
		if d.kind == isForwardingHost {
			front = append(front, d)
		} else if d.kind.hasAddress() {
			front = append(front, d.peers()...)
		}
	}
	a.tiers = slices.Repeat([]int32{-1}, len(a.nodes))
	for tier := int32(0); len(front) > 0; tier++ {
		var next []*declaration
		for _, d := range front {
			if d.kind.forwards() && a.tiers[d.index] < 0 {
				a.tiers[d.index] = tier
				next = append(next, d.peers()...)
			}
		}
		front = next
	}
}

func (d *declaration) peers() (peers []*declaration) {
	for _, l := range d.links {
		peers = append(peers, l.far.at)
	}
	return peers
}

// order lays out the trunks of each node in canonical order, and its exits by port.
func (a *assembly) order() {
	var exits []spot
	for i, d := range a.owners {
		class := func(l *linkEnd) int64 { // towards the hosts by peer, then others, then exits
			switch peer := l.far.at; {
			case peer.index == none:
				return none + 1
			case a.tiers[peer.index] < a.tiers[i]:
				return int64(peer.index)
			}
			return none
		}
		links := slices.SortedFunc(slices.Values(d.links), func(p, q *linkEnd) int {
			return cmp.Or(cmp.Compare(class(p), class(q)), cmp.Compare(p.port, q.port))
		})
		a.nodes[i].trunks, a.exitBase = uint32(len(a.links)), append(a.exitBase, uint32(len(exits)))
		for _, l := range links {
			switch peer := l.far.at; {
			case peer.index != none:
				if l.weight != 1 {
					a.weights[uint32(len(a.links))] = l.weight
				}
				a.links = append(a.links, makeSpot(peer.index, l.port, !peer.kind.forwards()))
				a.ends = append(a.ends, uint16(l.far.port))
			case len(exits) == 0 || exits[len(exits)-1] != makeSpot(uint32(i), l.port, false):
				exits = append(exits, makeSpot(uint32(i), l.port, false))
				a.hosts = append(a.hosts, peer.id) // other prefixes that leave by it are the same exit
			}
		}
	}
	a.exits = uint32(len(a.links))
	a.links = append(a.links, exits...)
	a.exitBase = append(a.exitBase, uint32(len(exits)))
	for i := range a.exitBase {
		a.exitBase[i] += a.exits
	}
	if a.config.HostHops {
		a.arrivals, a.stop = a.ends, none
	}
}

// hashNodes gives every node its hash. Nodes with the same function and fields share a profile.
func (a *assembly) hashNodes() {
	var has [2]bool
	for _, o := range a.owned {
		has[o.prefix.Addr().BitLen()/128] = true
	}
	var families []uint8
	for family, there := range has {
		if there {
			families = append(families, uint8(family))
		}
	}
	for i := range a.nodes {
		x, n := &a.nodes[i], len(a.trunksOf(uint32(i)))
		h := a.hashOf(uint32(i), x.id, a.faults)
		a.faults.That(h.Select != Resilient || h.Buckets >= n, h.Buckets,
			fmt.Sprintf("must not be below the %d links of node %d to switches", n, x.id), "Hash.Buckets")
		if !a.faults.Fine() {
			return
		}
		number := slices.IndexFunc(a.profiles, func(p *profile) bool { return p.hash.isFunctionOf(&h) })
		if number < 0 {
			number = len(a.profiles)
			a.profiles = append(a.profiles, newProfile(h, families...))
		}
		a.faults.That(number < 256, h.Kind, "must be one of at most 256 different functions", "Hash")
		p := a.profiles[number]
		x.tweak = p.newTweak(&h)
		x.tweak.profile = uint8(number)
		a.choices = append(a.choices, choice{h.Select, uint32(h.Buckets)})
		if p.ingress {
			a.arrivals = a.ends
		}
	}
}

// hashOf returns the hash of a node as it is in effect.
func (n *Network) hashOf(x uint32, id sluice.SwitchID, faults *check.Config) Hash {
	h, own := n.config.Hash, n.own[x]
	if own != nil {
		return own.resolve(faults)
	}
	if !n.config.OneSeed {
		h.Seed ^= prng.Mix(prng.Mix(n.config.Seed) + uint64(id) + 1)
	}
	tier := max(0, int(n.tiers[x]))
	h.Offset += uint8(min(tier*int(n.config.TierOffset), math.MaxUint8-int(h.Offset)))
	return h.resolve(faults)
}

// makeBlocks groups the destinations with the same neighbours, and numbers them block by block.
func (a *assembly) makeBlocks() {
	homes := map[uint32]bool{}
	for _, d := range a.declared {
		if x, _ := d.home(); d.kind.hasAddress() {
			homes[x] = true
		}
	}
	var blocks [][]uint32
	blockOf := map[string]int{}
	for _, x := range slices.Sorted(maps.Keys(homes)) {
		var peers []uint32
		for _, by := range a.trunksOf(x) {
			peers = append(peers, by.index())
		}
		slices.Sort(peers)
		key := fmt.Sprint(slices.Compact(peers))
		if _, known := blockOf[key]; !known {
			blockOf[key] = len(blocks)
			blocks = append(blocks, nil)
		}
		blocks[blockOf[key]] = append(blocks[blockOf[key]], x)
	}
	for block, homes := range blocks {
		a.blocks = append(a.blocks, uint32(len(a.homes)))
		for offset, home := range homes {
			a.nodes[home].dest = uint32(len(a.homes))
			a.dests = append(a.dests, dest{uint32(block), uint32(offset)})
			a.homes = append(a.homes, home)
		}
	}
	a.blocks = append(a.blocks, uint32(len(a.homes)))
}

func (a *assembly) makeLookups() {
	named := slices.DeleteFunc(slices.Clone(a.declared), func(d *declaration) bool {
		return d.kind == isPrefix
	})
	byName := func(p, q *declaration) int { return cmp.Compare(p.id, q.id) }
	if !slices.IsSortedFunc(named, byName) {
		slices.SortFunc(named, byName)
	}
	for _, d := range named {
		x, port := d.home()
		a.places.add(uint32(d.id)>>8, uint8(d.id), uint32(makeSpot(x, port, d.index == none)))
	}
	a.places.place()
	found := make([]announced, 0, len(a.owned))
	for _, o := range a.owned {
		x, port := o.owner.home()
		found = append(found, announced{o.prefix, makeSpot(a.nodes[x].dest, port, o.owner.index == none)})
	}
	a.addresses = makeAddresses(found)
}

func (a *assembly) addRoutes() {
	for _, r := range a.Builder.routes {
		var members []uint16
		for _, port := range r.ports {
			hop := sluice.Hop{Switch: r.at.id, Port: port}
			i, ok := findPort(a.trunksOf(r.at.index), port)
			if ok { // a host that does not forward is the end
				to := a.trunksOf(r.at.index)[i]
				ok = !to.isFlagged() || to.index() == r.to.index
			}
			a.faults.That(ok, hop, "must be a port with a link to a switch or to the host", "SetRoute")
			a.faults.That(!slices.Contains(members, uint16(i)), hop, "must be given once", "SetRoute")
			members = append(members, uint16(i))
		}
		if a.static == nil {
			a.static = map[[2]uint32][]uint16{}
		}
		slices.Sort(members)
		a.static[[2]uint32{r.at.index, a.nodes[r.to.index].dest}] = members
	}
}
