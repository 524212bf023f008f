package tofino_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/fabric"
	"github.com/sluicefc/sluice/internal/topo"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

var packets = flag.Int("tofino.packets", 20_000, "random packets through the path tables of each of "+
	"three switches of a fat-tree with k = 36")

// finder runs the path tables of one switch: a packet comes in with a flow and leaves with the
// numbers of the ports that it will pass.
type finder struct {
	paths   *tofino.Paths
	machine *ir.Machine
	config  *ir.Config
	numbers []map[int]sluice.Hop
	is6     bool
	first   sluice.SwitchID
}

func field(name string, bits int) *ir.Field { return &ir.Field{Name: name, Bits: bits} }

// newFinder makes the program around the tables.
func newFinder(t require.TestingT, network *hashpath.Snapshot, at sluice.SwitchID,
	change func(*tofino.PathConfig)) *finder {
	c := tofino.PathConfig{Network: network, Switch: at}
	for port := range 72 {
		c.Ports = append(c.Ports, chip.DevPort(port+128)) // all of them in pipe 1
	}
	if change != nil {
		change(&c)
	}
	address := 32
	if c.IPv6 {
		address = 128
	}
	c.Flow = tofino.FlowFields{Src: field("src", address), Dst: field("dst", address),
		SrcPort: field("source_port", 16), DstPort: field("destination_port", 16),
		Protocol: field("protocol", 8), FlowLabel: field("flow_label", 20)}
	paths, tables, err := tofino.NewPaths(c)
	require.NoError(t, err)

	in := &ir.Header{Name: "flow", Fields: []*ir.Field{c.Flow.Src, c.Flow.Dst, c.Flow.SrcPort,
		c.Flow.DstPort, c.Flow.Protocol, field("pad", 4), c.Flow.FlowLabel}}
	out := &ir.Header{Name: "found"}
	body := []ir.Statement{ir.SetValid{Header: out, Valid: true}, ir.SetValid{Header: in},
		ir.Assign{To: ir.EgressSpec, Value: ir.Number(9, 8)}}
	show := func(number, has *ir.Field) {
		to := field(fmt.Sprintf("number%d", len(out.Fields)), 32)
		out.Fields = append(out.Fields, to)
		body = append(body, ir.Assign{To: to, Value: ir.Concat{has, ir.Number(31-number.Bits, 0), number}})
	}
	show(paths.Port, paths.HasPort)
	for _, root := range paths.Roots {
		show(root.Number, root.Has)
	}
	report := &ir.Action{Name: "report", Body: body}
	p := &ir.Program{Name: "finding", Headers: []*ir.Header{out, in}, Functions: paths.Functions,
		Actions: append(paths.Actions, report), Tables: paths.Tables}
	p.Metadata[ir.Ingress] = paths.Metadata
	p.Parse[ir.Ingress] = &ir.State{Name: "start", Extract: []*ir.Header{in}}
	p.Control[ir.Ingress] = append(paths.Steps, ir.Do{Action: report})
	m, err := ir.NewMachine(p)
	require.NoError(t, err)
	f := &finder{paths: paths, machine: m, config: &ir.Config{Tables: tables}, is6: c.IPv6, first: at}
	require.NoError(t, m.Load(f.config))
	f.name(network)
	return f
}

// name finds the port of each number.
func (f *finder) name(network *hashpath.Snapshot) {
	f.numbers = make([]map[int]sluice.Hop, sluice.MaxHops+1)
	for at := range f.numbers {
		f.numbers[at] = map[int]sluice.Hop{}
	}
	note := func(hop sluice.Hop) {
		for at := range f.numbers {
			if number, known := f.paths.Root(at, hop); known {
				f.numbers[at][number] = hop
			}
		}
	}
	for i := range network.Nodes {
		for _, link := range network.Nodes[i].Links {
			note(sluice.Hop{Switch: network.Nodes[i].Name, Port: link.Port})
		}
	}
	for _, d := range network.Destinations {
		for _, exit := range d.Exits {
			note(sluice.Hop{Switch: network.Nodes[d.Node].Name, Port: exit.Port})
		}
	}
}

// path runs a packet through the tables and returns the ports that they name.
func (f *finder) path(ingress sluice.PortID, flow *hashpath.Flow) []sluice.Hop {
	var octets []byte
	if f.is6 {
		octets = append(append(octets, flow.Src[:]...), flow.Dst[:]...)
	} else {
		octets = append(append(octets, flow.Src[:4]...), flow.Dst[:4]...)
	}
	octets = binary.BigEndian.AppendUint16(octets, flow.SrcPort)
	octets = binary.BigEndian.AppendUint16(octets, flow.DstPort)
	octets = append(octets, flow.Protocol, byte(flow.FlowLabel>>16), byte(flow.FlowLabel>>8),
		byte(flow.FlowLabel))
	found := f.machine.Receive(0, chip.DevPort(128+int(ingress)), octets).Copies[0].Octets
	var hops []sluice.Hop
	for at := 0; at*4 < len(found); at++ {
		word := binary.BigEndian.Uint32(found[at*4:])
		if word>>31 == 0 {
			break
		}
		number := int(word & 0x7FFFFFFF)
		if at == 0 {
			hops = append(hops, sluice.Hop{Switch: f.first, Port: sluice.PortID(number - 128)})
			continue
		}
		hop, known := f.numbers[at][number]
		if !known {
			hop = sluice.Hop{Switch: 1<<32 - 1, Port: sluice.PortID(number)}
		}
		hops = append(hops, hop)
	}
	return hops
}

// agree compares the tables with the network for one flow.
func (f *finder) agree(t require.TestingT, net *hashpath.Network, ingress sluice.PortID, flow *hashpath.Flow) {
	want, status := net.Path(f.first, ingress, flow)
	got := f.path(ingress, flow)
	if len(want.Hops())+len(got) > 0 {
		require.Equal(t, want.Hops(), got, "from %v by %d, %v: %v", f.first, ingress, flow, status)
	}
}

// network builds a graph's network.
func network(t require.TestingT, g *topo.Graph, c hashpath.Config) *hashpath.Network {
	net, err := fabric.Builder(g).Build(c)
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
	if testing.Short() {
		t.Skip("a network of 11,664 hosts")
	}
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
	for _, hash := range affine()[:2] {
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

// Random networks of switches with hosts and several links between some: every flow's path, whatever
// the function.
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

// IPv6 addresses, by prefixes of which the longest counts, and the flow label.
func TestPathsOfIPv6Prefixes(t *testing.T) {
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
		b.AddHost(100+i, netip.AddrFrom16([16]byte{0x20, 1, 15: byte(i + 1)}))
		connect(100+i, 0, i%2*3, sluice.PortID(2+i))
	}
	hash := hashpath.Hash{Kind: hashpath.KindCRC32C, Width: 8, Fields: []hashpath.Field{
		hashpath.FieldSrcAddress, hashpath.FieldDstAddress, hashpath.FieldFlowLabel}}
	net, err := b.Build(hashpath.Config{Hash: hash, Seed: 11})
	require.NoError(t, err)
	f := newFinder(t, net.Snapshot(), 0, func(c *tofino.PathConfig) { c.IPv6 = true })
	for i := range 200 {
		src := netip.AddrFrom16([16]byte{0x20, 1, 15: 1})
		dst := netip.AddrFrom16([16]byte{0x20, 1, 15: byte(i % 4)})
		flow := hashpath.MakeFlow(netip.AddrPortFrom(src, uint16(i)), netip.AddrPortFrom(dst, 80), 6)
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
		return tofino.PathConfig{Network: affine, Switch: edge, Ports: make([]chip.DevPort, 4),
			Flow: tofino.FlowFields{Src: field("src", 32), Dst: field("dst", 32), SrcPort: field("s", 16),
				DstPort: field("d", 16), Protocol: field("p", 8)}}
	}
	refusals := map[string]func(*tofino.PathConfig){
		"Network":      func(c *tofino.PathConfig) { c.Network = nil },
		"Switch":       func(c *tofino.PathConfig) { c.Switch = 9999 },
		"Hops":         func(c *tofino.PathConfig) { c.Hops = 9 },
		"Ports":        func(c *tofino.PathConfig) { c.Ports = c.Ports[:2] },
		"Ports[0]":     func(c *tofino.PathConfig) { c.Ports[0] = 72 },
		"Flow.Dst":     func(c *tofino.PathConfig) { c.IPv6 = true },
		"Flow":         func(c *tofino.PathConfig) { c.Flow.Src = nil },
		"Network hash": func(c *tofino.PathConfig) { c.Network = network(t, g, hashpath.Config{}).Snapshot() },
		"Network hash width": func(c *tofino.PathConfig) {
			c.Network = network(t, g, hashpath.Config{Hash: hashpath.Hash{Kind: hashpath.KindCRC32}}).Snapshot()
			c.Failures = true
		},
	}
	_, _, err := tofino.NewPaths(good())
	require.NoError(t, err)
	for name, spoil := range refusals {
		c := good()
		spoil(&c)
		_, _, err := tofino.NewPaths(c)
		var fault *sluice.ConfigError
		if assert.ErrorAs(t, err, &fault, name) {
			assert.Equal(t, name, fault.Field, err)
		}
	}
	few := good()
	few.Hops = 2
	_, _, err = tofino.NewPaths(few)
	assert.EqualError(t, err, "tofino: Config.Hops = 2: some paths are longer")
}
