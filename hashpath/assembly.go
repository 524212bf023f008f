package hashpath

import (
	"fmt"
	"math"
	"net/netip"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// addExit adds a port to what is no node, unless other prefixes leave by it.
func (a *assembly) addExit(at spot, to *declaration) {
	id := to.id
	if to.kind == isPrefix {
		id = none
	}
	if n := len(a.exits); n == 0 || a.exits[n-1] != at {
		a.exits, a.hosts = append(a.exits, at), append(a.hosts, id)
	}
}

// hashNodes gives every node its hash.
func (a *assembly) hashNodes() error {
	a.choices = make([]choice, len(a.nodes))
	for i := range a.nodes {
		x := &a.nodes[i]
		h, err := a.hashOf(uint32(i), x.id)
		if err != nil {
			return err
		}
		number, err := a.profile(&h)
		if err != nil {
			return err
		}
		p := a.profiles[number]
		x.tweak = p.newTweak(&h)
		x.tweak.profile = uint8(number)
		a.choices[i] = choice{h.Select, uint32(h.Buckets)}
		if n := len(a.trunksOf(uint32(i))); h.Select == Resilient && h.Buckets < n {
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
	if tier := l.tiers[index]; tier > 0 && tier != unreached {
		h.Offset += uint8(min(int(tier)*int(l.config.TierOffset), math.MaxUint8-int(h.Offset)))
	}
	return h.resolve()
}

// profile returns the number of the profile of a resolved hash, which nodes with the same function
// and fields share.
func (a *assembly) profile(h *Hash) (int, error) {
	is := func(p *profile) bool { return p.hash.isFunctionOf(h) }
	if number := slices.IndexFunc(a.profiles, is); number >= 0 {
		return number, nil
	}
	if len(a.profiles) > math.MaxUint8 {
		return 0, configError("Hash", h.Kind, "must be one of at most 256 different functions")
	}
	p := newProfile(*h)
	for _, family := range a.families() {
		p.prepare(family)
	}
	a.profiles = append(a.profiles, p)
	return len(a.profiles) - 1, nil
}

// families returns the families of the addresses.
func (a *assembly) families() (families []uint8) {
	for p := range a.prefixes {
		if family := uint8(p.Addr().BitLen() / 128); !slices.Contains(families, family) {
			families = append(families, family)
		}
	}
	return families
}

// makeBlocks groups the destinations with the same neighbours, and numbers them block by block.
func (a *assembly) makeBlocks() {
	for _, d := range a.declared {
		if d.kind.hasAddress() {
			index, _ := d.home()
			a.nodes[index].dest = 0
		}
	}
	var blocks [][]uint32
	blockOf := map[string]int{}
	for i := range a.nodes {
		if a.nodes[i].dest == noDest {
			continue
		}
		var peers []uint32
		for _, by := range a.trunksOf(uint32(i)) {
			peers = append(peers, by.index())
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
		a.blocks = append(a.blocks, uint32(len(a.homes)))
		for offset, home := range homes {
			a.nodes[home].dest = uint32(len(a.homes))
			a.dests = append(a.dests, dest{uint32(block), uint32(offset)})
			a.homes = append(a.homes, home)
		}
	}
	a.blocks = append(a.blocks, uint32(len(a.homes)))
}

// makeLookups makes the tables of names and addresses.
func (a *assembly) makeLookups() {
	places := map[uint32]uint32{}
	for id, d := range a.names {
		index, port := d.home()
		places[uint32(id)] = uint32(makeSpot(index, port, d.index == noNode))
	}
	a.places = makeTable4(places)
	found := map[netip.Prefix]spot{}
	for p, d := range a.prefixes {
		index, port := d.home()
		found[p] = makeSpot(a.nodes[index].dest, port, d.index == noNode)
	}
	a.addresses = makeAddresses(found)
}

// addRoutes takes over the routes that were declared.
func (a *assembly) addRoutes() error {
	for _, r := range a.routes {
		var members []uint16
		for _, port := range r.ports {
			hop := sluice.Hop{Switch: r.at.id, Port: port}
			i, ok := findPort(a.trunksOf(r.at.index), port)
			if !ok {
				rule := "must be a port with a link to a switch or to the host"
				return configError("SetRoute", hop, rule)
			}
			if slices.Contains(members, uint16(i)) {
				return configError("SetRoute", hop, "must be given once")
			}
			members = append(members, uint16(i))
		}
		if a.static == nil {
			a.static = map[[2]uint32][]uint16{}
		}
		a.static[[2]uint32{r.at.index, a.nodes[r.to.index].dest}] = members
	}
	return nil
}
