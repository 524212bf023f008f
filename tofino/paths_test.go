package tofino_test

import (
	"flag"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/topo/ways"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

var packets = flag.Int("tofino.packets", 20_000,
	"random packets through the path tables of each of "+
		"three switches of a fat-tree with k = 36")

// network builds a graph's network.
func network(t require.TestingT, g *topo.Graph, c hashpath.Config) *hashpath.Network {
	net, err := ways.Builder(g, hashpath.HostAddress).Build(c)
	require.NoError(t, err)
	return net
}

// fatTree is one with k ports a switch: hosts, then edges pod by pod with their aggregations.
func fatTree(t require.TestingT, k int) *topo.Graph {
	g, err := topo.FatTree(topo.FatTreeConfig{K: k,
		Link: sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}})
	require.NoError(t, err)
	return g
}

// affine are the hash functions that the chip computes, nine bits of each.
func affine() []hashpath.Hash {
	return []hashpath.Hash{
		{Kind: hashpath.KindCRC32, Width: 9},
		{Kind: hashpath.KindCRC32C, Width: 9, Offset: 5, Select: hashpath.Resilient},
		{Kind: hashpath.KindCRC16ARC, Width: 9, Fields: []hashpath.Field{hashpath.FieldSrcAddress,
			hashpath.FieldDstAddress, hashpath.FieldZero, hashpath.FieldIngressPort, hashpath.FieldSrcPort}},
		{Kind: hashpath.KindCRC16CCITT, Width: 9},
		{Kind: hashpath.KindXOR16, Width: 9, Select: hashpath.Resilient, Buckets: 256},
		{Kind: hashpath.KindXOR32, Width: 9, Fields: []hashpath.Field{hashpath.FieldSrcPort,
			hashpath.FieldFlowLabel, hashpath.FieldSrcAddress}},
		{Kind: hashpath.KindCRC, Width: 4, CRC: hashpath.CRCParameters{Width: 24, Polynomial: 0x864CFB,
			Init: 0xB704CE}},
	}
}

// Every pair of racks of a fat-tree with k = 8, for each function, from each kind of switch and by
// each of its ports: the tables say what Network.Path says.
func TestPathsOfEveryPairOfRacks(t *testing.T) {
	for _, hash := range affine() {
		g := fatTree(t, 8)
		net := network(t, g, hashpath.Config{Hash: hash, Seed: 7})
		s := net.Snapshot()
		for _, tier := range []int{0, 1, 2} {
			node := firstOfTier(t, s, tier)
			f := newFinder(t, s, node, nil)
			for src := sluice.SwitchID(0); src < 128; src += 4 {
				for dst := sluice.SwitchID(0); dst < 128; dst += 4 {
					flow := hashpath.FlowBetween(src, dst, uint16(src*131), 4791, 17)
					f.agree(t, net, sluice.PortID(int(src+dst)%8), &flow)
				}
			}
		}
	}
}

func firstOfTier(t require.TestingT, s *hashpath.Snapshot, tier int) sluice.SwitchID {
	for _, node := range s.Nodes {
		if node.Forwards && !node.Host && node.Tier == tier {
			return node.Name
		}
	}
	require.Fail(t, "no switch of this tier")
	return 0
}

// The counts of entries of a fat-tree with k = 36 by hop: classes of nodes with equal tables,
// routes by block, details, links, and numbers of roots.
func TestEntriesOfAFatTree36(t *testing.T) {
	depth.From(t, depth.Thorough, "a network of 11,664 hosts")
	hash := hashpath.Hash{Kind: hashpath.KindCRC32, Width: 9}
	net := network(t, fatTree(t, 36), hashpath.Config{Hash: hash, Seed: 1})
	s := net.Snapshot()
	tables := map[int]map[string]int{
		0: {"dst": 11664, "0_route": 36, "0_link": 18, "1_route": 36, "1_detail": 17, "1_link": 630,
			"2_route": 35, "2_link": 11340, "3_route": 35, "3_detail": 630, "3_link": 11340,
			"0_member": 512, "1_member": 512},
		1: {"dst": 11664, "0_route": 36, "0_detail": 18, "0_link": 36, "1_route": 35, "1_link": 630,
			"2_route": 35, "2_detail": 630, "2_link": 630, "0_member": 512},
		2: {"dst": 11664, "0_route": 36, "0_link": 36, "1_route": 36, "1_detail": 648, "1_link": 648},
	}
	roots := map[int][]int{0: {630, 11646, 11340, 11340}, 1: {954, 630, 11340}, 2: {648, 11664}}
	random := rand.New(rand.NewPCG(1, 2))
	for tier, want := range tables {
		f := newFinder(t, s, firstOfTier(t, s, tier), nil)
		got := map[string]int{}
		for _, filled := range f.config.Tables {
			got[filled.Table.Name[len("path_"):]] = len(filled.Entries)
			if filled.Table.Name != "path_dst" {
				got[filled.Table.Name[len("path"):]] = len(filled.Entries)
			}
		}
		for name, count := range want {
			assert.Equal(t, count, got[name], "tier %d, table %s", tier, name)
		}
		for at, count := range roots[tier] {
			assert.Equal(t, count, f.paths.Numbers(at+1), "tier %d, roots at hop %d", tier, at+1)
		}
		for range *packets {
			flow := hashpath.FlowBetween(sluice.SwitchID(random.IntN(11664)),
				sluice.SwitchID(random.IntN(11664)), uint16(random.Uint32()), 4791, 17)
			f.agree(t, net, 0, &flow)
		}
	}
}

// After each of many random failures and repairs, loading only what changed gives the paths of the
// network as it is then.
func TestPathsFollowFailures(t *testing.T) {
	g := fatTree(t, 4)
	for _, hash := range affine()[:depth.Choose(1, 1, 2)] {
		net := network(t, g, hashpath.Config{Hash: hash, Seed: 3})
		before := net.Snapshot()
		for tier := range 3 {
			followFailures(t, net, newFinder(t, before, firstOfTier(t, before, tier),
				func(c *tofino.PathConfig) { c.Failures, c.Hops = true, 7 }), before)
			before = net.Snapshot()
		}
	}
}

// followFailures breaks and mends links at random and compares after each.
func followFailures(t *testing.T, net *hashpath.Network, f *finder, before *hashpath.Snapshot) {
	random := rand.New(rand.NewPCG(5, 6))
	var down []sluice.Hop
	for range 34 {
		if len(down) > 2 {
			at := random.IntN(len(down))
			require.NoError(t, net.RestoreLink(down[at]))
			down = append(down[:at], down[at+1:]...)
		} else {
			node := &before.Nodes[random.IntN(len(before.Nodes))]
			hop := sluice.Hop{Switch: node.Name, Port: node.Links[random.IntN(len(node.Links))].Port}
			require.NoError(t, net.FailLink(hop))
			down = append(down, hop)
		}
		d, err := hashpath.Compare(before, net.Snapshot())
		require.NoError(t, err)
		before = d.To
		tables, err := f.paths.Update(before)
		require.NoError(t, err)
		require.NoError(t, ir.Diff(f.config, &ir.Config{Tables: tables}).Apply(f.machine))
		f.config = &ir.Config{Tables: tables}
		f.name(before)
		for i := range 200 {
			flow := hashpath.FlowBetween(sluice.SwitchID(random.IntN(16)), sluice.SwitchID(random.IntN(16)),
				uint16(i), 4791, 17)
			f.agree(t, net, 0, &flow)
		}
	}
	for _, hop := range down {
		require.NoError(t, net.RestoreLink(hop))
	}
}

// Random networks of switches with hosts and several links between some: every flow's path,
// whatever the function.
func TestPathsOfRandomNetworks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		switches := rapid.IntRange(1, 6).Draw(t, "switches")
		b := hashpath.NewBuilder()
		ports := make([]int, switches)
		port := func(at int) sluice.Hop {
			ports[at]++
			return sluice.Hop{Switch: sluice.SwitchID(at), Port: sluice.PortID(ports[at] - 1)}
		}
		for at := range switches {
			b.AddSwitch(sluice.SwitchID(at))
			if at > 0 {
				b.Connect(port(at), port(rapid.IntRange(0, at-1).Draw(t, "parent")))
			}
		}
		for range rapid.IntRange(0, 6).Draw(t, "more links") {
			x, y := rapid.IntRange(0, switches-1).Draw(t, "x"), rapid.IntRange(0, switches-1).Draw(t, "y")
			if x != y {
				b.Connect(port(x), port(y))
			}
		}
		hosts := rapid.IntRange(1, 8).Draw(t, "hosts")
		for i := range hosts {
			id := sluice.SwitchID(100 + i)
			b.AddHost(id)
			b.Connect(sluice.Hop{Switch: id}, port(rapid.IntRange(0, switches-1).Draw(t, "home")))
		}
		hash := rapid.SampledFrom(affine()).Draw(t, "hash")
		net, err := b.Build(hashpath.Config{Hash: hash, Seed: rapid.Uint64().Draw(t, "seed")})
		require.NoError(t, err)
		f := newFinder(t, net.Snapshot(), 0, nil)
		for i := range 40 {
			flow := hashpath.FlowBetween(sluice.SwitchID(100+i%hosts), sluice.SwitchID(100+i*7%hosts),
				uint16(i*977), 80, 6)
			f.agree(t, net, sluice.PortID(i%max(1, ports[0])), &flow)
		}
	})
}

// lastOctet is an address of the network of twoWays.
func lastOctet(x byte) netip.Addr { return netip.AddrFrom16([16]byte{0x20, 1, 15: x}) }

// twoWays has two ways of two hops from switch 0 to switch 3; hosts, of IPv6 addresses ending in 1,
// 2 and 3, are at switches 0, 3 and 0. The flow label is hashed.
func twoWays(t *testing.T) *hashpath.Network {
	b := hashpath.NewBuilder()
	for at := range sluice.SwitchID(4) {
		b.AddSwitch(at)
	}
	connect := func(x sluice.SwitchID, p sluice.PortID, y sluice.SwitchID, q sluice.PortID) {
		b.Connect(sluice.Hop{Switch: x, Port: p}, sluice.Hop{Switch: y, Port: q})
	}
	connect(0, 0, 1, 0)
	connect(0, 1, 2, 0)
	connect(1, 1, 3, 0)
	connect(2, 1, 3, 1)
	for i := range sluice.SwitchID(3) {
		b.AddHost(100+i, lastOctet(byte(i+1)))
		connect(100+i, 0, i%2*3, sluice.PortID(2+i))
	}
	hash := hashpath.Hash{Kind: hashpath.KindCRC32C, Width: 8, Fields: []hashpath.Field{
		hashpath.FieldSrcAddress, hashpath.FieldDstAddress, hashpath.FieldFlowLabel}}
	net, err := b.Build(hashpath.Config{Hash: hash, Seed: 11})
	require.NoError(t, err)
	return net
}

// IPv6 addresses, by prefixes of which the longest counts, and the flow label.
func TestPathsOfIPv6Prefixes(t *testing.T) {
	net := twoWays(t)
	f := newFinder(t, net.Snapshot(), 0, func(c *tofino.PathConfig) { c.IPv6 = true })
	for i := range 200 {
		flow := hashpath.MakeFlow(netip.AddrPortFrom(lastOctet(1), uint16(i)),
			netip.AddrPortFrom(lastOctet(byte(i%4)), 80), 6)
		flow.FlowLabel = uint32(i * 4099 & 0xFFFFF)
		f.agree(t, net, 2, &flow)
	}
}

// What no tables can be made of is refused by name.
func TestPathsRefuse(t *testing.T) {
	g := fatTree(t, 4)
	affine := network(t, g, hashpath.Config{Hash: affine()[0]}).Snapshot()
	edge := firstOfTier(t, affine, 0)
	good := func() tofino.PathConfig {
		return tofino.PathConfig{Network: affine, Switch: edge, Ports: make([]chip.DevPort, 4)}
	}
	refusals := map[string]func(*tofino.PathConfig){
		"Network":  func(c *tofino.PathConfig) { c.Network = nil },
		"Switch":   func(c *tofino.PathConfig) { c.Switch = 9999 },
		"Hops":     func(c *tofino.PathConfig) { c.Hops = 9 },
		"Ports":    func(c *tofino.PathConfig) { c.Ports = c.Ports[:2] },
		"Ports[0]": func(c *tofino.PathConfig) { c.Ports[0] = 72 },
		"Network hash": func(c *tofino.PathConfig) {
			c.Network = network(t, g, hashpath.Config{}).Snapshot()
		},
		"Network hash width": func(c *tofino.PathConfig) {
			c.Network = network(
				t, g, hashpath.Config{Hash: hashpath.Hash{Kind: hashpath.KindCRC32}},
			).Snapshot()
			c.Failures = true
		},
	}
	_, err := tofino.NewForwarding(good())
	require.NoError(t, err)
	for name, spoil := range refusals {
		c := good()
		spoil(&c)
		_, err := tofino.NewForwarding(c)
		var fault *sluice.ConfigError
		if assert.ErrorAs(t, err, &fault, name) {
			assert.Equal(t, name, fault.Field, err)
		}
	}
	few := good()
	few.Hops = 2
	_, err = tofino.NewForwarding(few)
	assert.EqualError(t, err, "tofino: Config.Hops = 2: some paths are longer")
}

// Where paths end with a hop of the host itself, the tables end one hop before.
func TestPathsLeaveOutHostHops(t *testing.T) {
	net := network(t, fatTree(t, 4), hashpath.Config{Hash: affine()[0], HostHops: true})
	s := net.Snapshot()
	f := newFinder(t, s, firstOfTier(t, s, 0), nil)
	for dst := range sluice.SwitchID(16) {
		flow := hashpath.FlowBetween(0, dst, 7, 4791, 17)
		want, status := net.Path(f.first, 0, &flow)
		require.Equal(t, hashpath.OK, status)
		require.Equal(t, want.Hops()[:want.Len()-1], f.path(0, &flow), "to %d", dst)
	}
}
