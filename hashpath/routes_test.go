package hashpath

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

func path(t *testing.T, net *Network, at sluice.SwitchID, to string) string {
	f := MakeFlow(addrPort("192.0.2.1:1"), addrPort(to), 17)
	if f.Is6 {
		f = MakeFlow(addrPort("[2001:db8::1]:1"), addrPort(to), 17)
	}
	p, s := net.Path(at, sluice.Local, &f)
	if s != OK {
		return p.String() + " " + s.String()
	}
	return p.String()
}

// TestLongestPrefix has three switches in a row, 1 to 3, a host at 2, and ways out at 1 and 3.
func TestLongestPrefix(t *testing.T) {
	b := NewBuilder()
	for id := range sluice.SwitchID(3) {
		b.AddSwitch(id + 1)
	}
	b.Connect(hop(1, 0), hop(2, 1))
	b.Connect(hop(2, 0), hop(3, 1))
	b.AddHost(
		9, netip.MustParseAddr("10.1.2.3"), netip.MustParseAddr("2001:db8:1::5"),
		netip.MustParseAddr("::ffff:10.1.2.4"),
	)
	b.Connect(hop(9, 0), hop(2, 7))
	b.AddPrefix(netip.MustParsePrefix("0.0.0.0/0"), hop(1, 8))
	b.AddPrefix(netip.MustParsePrefix("0.0.0.0/0"), hop(3, 8))
	b.AddPrefix(netip.MustParsePrefix("10.1.0.0/16"), hop(3, 9))
	b.AddPrefix(netip.MustParsePrefix("10.1.2.0/24"), hop(1, 8))
	b.AddPrefix(netip.MustParsePrefix("::/0"), hop(1, 8))
	b.AddPrefix(netip.MustParsePrefix("2001:db8::/33"), hop(3, 8))
	b.AddPrefix(netip.MustParsePrefix("2001:db8:1::/97"), hop(3, 9))
	net, err := b.Build(Config{})
	require.NoError(t, err)
	for _, c := range []struct {
		at       sluice.SwitchID
		to, path string
	}{
		{3, "10.1.2.3:0", "3:1 2:7"},
		{3, "10.1.2.4:0", "3:1 2:7"},
		{9, "10.1.2.3:0", ""},
		{9, "10.1.2.5:0", "9:0 2:1 1:8"},
		{2, "10.1.3.3:0", "2:0 3:9"},
		{3, "8.8.8.8:0", "3:8"},
		{1, "8.8.8.8:0", "1:8"},
		{1, "[2001:db8:1::5]:0", "1:0 2:7"},
		{1, "[2001:db8:1::6]:0", "1:0 2:0 3:9"},
		{1, "[2001:db8:1::8000:0]:0", "1:0 2:0 3:8"},
		{1, "[2001:db9::]:0", "1:8"},
	} {
		require.Equal(t, c.path, path(t, net, c.at, c.to), "%d to %s", c.at, c.to)
	}

	// A way out that fails leaves its prefix to the other; a prefix that has no other is
	// unreachable, though a shorter prefix has one: routes to the longest prefix are not withdrawn.
	require.NoError(t, net.FailLink(hop(3, 8)))
	require.Equal(t, "3:1 2:1 1:8", path(t, net, 3, "8.8.8.8:0"))
	require.NoError(t, net.FailLink(hop(1, 8)))
	require.Equal(t, " unreachable", path(t, net, 3, "8.8.8.8:0"))
	require.Equal(t, "2:1 unreachable", path(t, net, 2, "10.1.2.5:0"))
	require.NoError(t, net.RestoreNode(1))
	require.Equal(t, "3:1 2:1 1:8", path(t, net, 3, "8.8.8.8:0"))
	require.Equal(t, "2:1 1:8", path(t, net, 2, "10.1.2.5:0"))
	require.NoError(t, net.FailNode(9))
	require.Equal(t, "3:1 unreachable", path(t, net, 3, "10.1.2.3:0"))
	require.Equal(t, " unreachable", path(t, net, 9, "10.1.2.5:0"))
}

func TestUnknownNamesAndAddresses(t *testing.T) {
	net := buildFatTree(t, 4, Config{})
	require.Equal(t, " no route", path(t, net, 0, "192.0.2.2:0"))
	require.Equal(t, " no route", path(t, net, 0, "[2001:db8::]:0"))
	require.Equal(t, " unknown node", path(t, net, 999, "10.0.0.1:0"))
	f := FlowBetween(0, 1, 0, 0, 0)
	_, ok := net.Egress(999, 0, &f)
	require.False(t, ok)
	for _, err := range []error{
		net.FailLink(hop(999, 0)), net.FailLink(hop(0, 1)), net.FailLink(hop(16, 4)),
		net.FailLink(hop(16, 4095)), net.FailLink(hop(16, 65535)), net.FailNode(999),
		net.RestoreLink(hop(999, 0)), net.RestoreNode(999), net.SetWeight(hop(999, 0), 1),
		net.SetWeight(hop(16, 2), 0), net.SetWeight(hop(16, 2), 256),
	} {
		var refusal *sluice.ConfigError
		require.ErrorAs(t, err, &refusal)
	}
	require.False(t, net.IsUp(hop(999, 0)))
	require.True(t, net.IsUp(hop(0, 0)))
}

// TestStaticRoutes sends around a ring the long way, as the deadlock scenarios do, and into a loop.
func TestStaticRoutes(t *testing.T) {
	ring := func() *Builder {
		b := NewBuilder()
		for id := range sluice.SwitchID(3) {
			b.AddSwitch(id)
			b.AddHost(10 + id)
			b.AddHost(20 + id)
		}
		for id := range sluice.SwitchID(3) {
			b.Connect(hop(id, 0), hop((id+1)%3, 1)) // port 0 clockwise
			b.Connect(hop(id, 2), hop(10+id, 0))
			b.Connect(hop(id, 3), hop(20+id, 0))
		}
		return b
	}
	b := ring()
	b.SetRoute(0, 12, 0) // from 0 to the host at 2 the long way
	net, err := b.Build(Config{})
	require.NoError(t, err)
	require.Equal(t, "10:0 0:0 1:0 2:2", path(t, net, 10, "10.0.0.12:0"))
	require.Equal(t, "10:0 0:1 2:3", path(t, net, 10, "10.0.0.22:0"))
	// The route holds when links fail, and has no other port to fall back to.
	require.NoError(t, net.FailLink(hop(1, 0)))
	require.Equal(t, "10:0 0:0 1:1 0:0 1:1 0:0 1:1 0:0 too long", path(t, net, 10, "10.0.0.12:0"))
	require.NoError(t, net.FailLink(hop(0, 0)))
	require.Equal(t, "10:0 unreachable", path(t, net, 10, "10.0.0.12:0"))
	require.NoError(t, net.RestoreNode(1))
	require.Equal(t, "10:0 0:0 1:0 2:2", path(t, net, 10, "10.0.0.12:0"))

	b = ring()
	for id := range sluice.SwitchID(3) {
		b.SetRoute(id, 12, 0)
	}
	net, err = b.Build(Config{})
	require.NoError(t, err)
	require.Equal(t, "10:0 0:0 1:0 2:0 0:0 1:0 2:0 0:0 too long", path(t, net, 10, "10.0.0.12:0"))

	b = ring()
	b.SetRoute(0, 12, 2)
	_, err = b.Build(Config{})
	require.EqualError(
		t, err, "hashpath: SetRoute = 0:2: must be a port with a link to a switch or to the host",
	)
}

// A source route needs no hash: its header holds the onward path, and a switch reads it there
// (Pyrrha, section IV-B).
func TestFollow(t *testing.T) {
	tree := fatTree{8}
	net := buildFatTree(t, 8, Config{})
	for i := range 200 {
		src, dst := sluice.SwitchID(i%tree.hosts()), sluice.SwitchID((i*31+1)%tree.hosts())
		f := FlowBetween(src, dst, uint16(i), 2, 6)
		for _, at := range []sluice.SwitchID{src, tree.torOf(src)} {
			want, status := net.Path(at, 0, &f)
			require.Equal(t, OK, status)
			var ports []sluice.PortID
			for _, h := range want.Hops() {
				ports = append(ports, h.Port)
			}
			got, status := net.Follow(at, ports)
			require.Equal(t, OK, status)
			require.Equal(t, want.Hops(), got.Hops())
		}
	}
	tor := tree.tor(0, 0)
	for _, c := range []struct {
		at     sluice.SwitchID
		ports  []sluice.PortID
		path   string
		status Status
	}{
		{tor, nil, "", OK},
		{0, nil, "", OK},
		{0, []sluice.PortID{0, 3}, "0:0 128:3", OK},
		{0, []sluice.PortID{1, 3}, "", BadPort},
		{tor, []sluice.PortID{4}, "128:4", OK},
		{tor, []sluice.PortID{3, 0}, "", BadPort}, // through a host
		{tor, []sluice.PortID{8}, "", BadPort},
		{tor, []sluice.PortID{4095}, "", BadPort},
		{tor, []sluice.PortID{65535}, "", BadPort},
		{
			tor, []sluice.PortID{4, 0, 4, 0, 4, 0, 4, 0, 4},
			"128:4 132:0 128:4 132:0 128:4 132:0 128:4 132:0", TooLong,
		},
		{9999, []sluice.PortID{0}, "", UnknownNode},
	} {
		p, s := net.Follow(c.at, c.ports)
		require.Equal(t, c.status, s, "%v", c.ports)
		require.Equal(t, c.path, p.String(), "%v", c.ports)
	}
}

// A host with several links is no way through either, but may be the end and the beginning.
func TestFollowAndHostsOfSeveralLinks(t *testing.T) {
	net, err := clos(2, 2).Build(Config{})
	require.NoError(t, err)
	for _, c := range []struct {
		at     sluice.SwitchID
		ports  []sluice.PortID
		path   string
		status Status
	}{
		{0, []sluice.PortID{1, 2, 3}, "0:1 3:2 4:3", OK},
		{0, []sluice.PortID{1, 2, 3, 0}, "0:1 3:2", BadPort},
		{1, []sluice.PortID{3, 0}, "1:3 5:0", OK},
		{1, []sluice.PortID{4}, "", BadPort},
	} {
		p, s := net.Follow(c.at, c.ports)
		require.Equal(t, c.status, s, "%v", c.ports)
		require.Equal(t, c.path, p.String(), "%v", c.ports)
	}
}

// A flow label can be a field of the hash (Pyrrha, section IV-B): PLB changes the label of a flow
// to move it to another path, and nothing else moves it.
func TestFlowLabelMovesAFlow(t *testing.T) {
	tree := fatTree{8}
	b := tree.declare(func(pod, rack, i int) netip.Addr {
		return netip.AddrFrom16([16]byte{0xfd, 1: byte(pod), 2: byte(rack), 15: byte(i)})
	})
	net, err := b.Build(Config{Hash: Hash{Fields: append(fiveTuple, FieldFlowLabel)}})
	require.NoError(t, err)
	f := MakeFlow(addrPort("[fd00::]:5"), addrPort("[fd07:0300::3]:6"), 6)
	seen := map[sluice.Path]int{}
	hash := f.Hash()
	for label := range uint32(1000) {
		f.FlowLabel = label
		p, s := net.Path(0, sluice.Local, &f)
		require.Equal(t, OK, s)
		seen[p]++
		require.Equal(t, hash, f.Hash())
	}
	require.Len(t, seen, 16) // one for each core
	for p, n := range seen {
		require.InDelta(t, 1000/16, n, 40, "%v", p)
	}
	p, _ := net.Path(0, sluice.Local, &f)
	f.FlowLabel |= 0xfff00000 // not of the label
	q, _ := net.Path(0, sluice.Local, &f)
	require.Equal(t, p, q)
	hasher, err := NewHasher(Hash{Fields: []Field{FieldFlowLabel}})
	require.NoError(t, err)
	require.Equal(t, []byte{0, 3, 0xe7}, hasher.AppendInput(nil, 0, &f))
	without, err := b.Build(Config{})
	require.NoError(t, err)
	p, _ = without.Path(0, sluice.Local, &f)
	f.FlowLabel++
	q, _ = without.Path(0, sluice.Local, &f)
	require.Equal(t, p, q)
}

func TestBuilderRefusals(t *testing.T) {
	prefix := netip.MustParsePrefix
	for rule, declare := range map[string]func(*Builder){
		"Node = 1: must be declared once": func(b *Builder) {
			b.AddHost(1)
		},
		"Node = 9: must be declared before it is used": func(b *Builder) {
			b.Connect(hop(1, 3), hop(9, 0))
		},
		"Port = 1:4096: must be below 4096": func(b *Builder) {
			b.Connect(hop(1, 4096), hop(2, 3))
		},
		"Connect = 1:5: must lead to another node": func(b *Builder) {
			b.Connect(hop(1, 5), hop(1, 6))
		},
		"Connect = 1:0: must be in use once": func(b *Builder) {
			b.Connect(hop(1, 0), hop(2, 3))
		},
		"AddHost = 10.0.0.3: must be one host's only": func(b *Builder) {
			b.AddHost(7, HostAddress(3))
		},
		"AddHost = invalid IP: must be a valid address": func(b *Builder) {
			b.AddHost(7, netip.Addr{})
		},
		"AddPrefix = 1:0: must be a port of a switch without a link": func(b *Builder) {
			b.AddPrefix(prefix("1.0.0.0/8"), hop(1, 0))
		},
		"AddPrefix = 3:5: must be a port of a switch without a link": func(b *Builder) {
			b.AddPrefix(prefix("1.0.0.0/8"), hop(3, 5))
		},
		"AddPrefix = invalid Prefix: must be a valid prefix of IPv4 or IPv6": func(b *Builder) {
			b.AddPrefix(netip.Prefix{}, hop(1, 5))
		},
		"AddPrefix = 10.0.0.3/32: must not be the address of a host": func(b *Builder) {
			b.AddPrefix(prefix("10.0.0.3/32"), hop(1, 5))
		},
		"Connect = 1:5: must be in use once": func(b *Builder) {
			b.AddPrefix(prefix("1.0.0.0/8"), hop(1, 5))
			b.Connect(hop(1, 5), hop(2, 5))
		},
		"SetHash = 3: must be a switch declared before":  func(b *Builder) { b.SetHash(3, Hash{}) },
		"SetWeight = 0: must be 1 to 255":                func(b *Builder) { b.SetWeight(hop(1, 0), 0) },
		"SetWeight = 1:9: must be a port in use":         func(b *Builder) { b.SetWeight(hop(1, 9), 1) },
		"SetRoute = 3: must be a switch declared before": func(b *Builder) { b.SetRoute(3, 3, 0) },
		"SetRoute = 2: must be a host declared before":   func(b *Builder) { b.SetRoute(1, 2, 0) },
		"Offset = 33: must be below the bits of the function": func(b *Builder) {
			b.SetHash(1, Hash{Kind: KindCRC32, Offset: 33})
		},
		"Hash.Buckets = 1: must not be below the 2 links of node 1 to switches": func(b *Builder) {
			b.Connect(hop(1, 7), hop(2, 7))
			b.SetHash(1, Hash{Select: Resilient, Buckets: 1})
		},
	} {
		b := NewBuilder()
		b.AddSwitch(1)
		b.AddSwitch(2)
		b.AddHost(3)
		b.Connect(hop(1, 0), hop(2, 0))
		b.Connect(hop(1, 1), hop(3, 0))
		declare(b)
		_, err := b.Build(Config{})
		require.EqualError(t, err, "hashpath: "+rule)
		b.AddSwitch(100) // the first error stays
		_, err = b.Build(Config{})
		require.EqualError(t, err, "hashpath: "+rule)
	}
	net, err := NewBuilder().Build(Config{})
	require.NoError(t, err)
	require.Equal(t, " no route", path(t, net, 0, "1.2.3.4:0"))
}

// Config.Seed gives every switch another seed, and another Seed other paths; a hash of a switch's
// own is left alone.
func TestSeeds(t *testing.T) {
	tree := fatTree{8}
	own := Hash{Kind: KindCRC16ARC, Seed: 77}
	seeds := func(c Config) map[uint32]int {
		b := tree.declare(nil)
		b.SetHash(tree.tor(0, 0), own)
		net, err := b.Build(c)
		require.NoError(t, err)
		seen := map[uint32]int{}
		for _, x := range net.now.Load().nodes {
			seen[x.tweak.constant[0]]++
		}
		return seen
	}
	hasher, err := NewHasher(own)
	require.NoError(t, err)
	first, second := seeds(Config{}), seeds(Config{Seed: 1})
	require.Len(t, first, 80)
	require.Len(t, second, 80)
	common := 0
	for constant := range first {
		common += second[constant]
	}
	require.Equal(t, 1, common)
	require.Equal(t, 1, first[hasher.tweak.constant[0]])
	require.Equal(
		t, map[uint32]int{5: 79, hasher.tweak.constant[0]: 1},
		seeds(Config{OneSeed: true, Hash: Hash{Seed: 5}}),
	)
}

// The same declarations make the same tables, and a builder may be built from again.
func TestBuildIsDeterministic(t *testing.T) {
	b := fatTree{6}.declare(nil)
	for _, c := range []Config{{}, {Seed: 5, Hash: Hash{Kind: KindToeplitz, Select: Resilient}}} {
		first, err := b.Build(c)
		require.NoError(t, err)
		again, err := b.Build(c)
		require.NoError(t, err)
		other, err := fatTree{6}.declare(nil).Build(c)
		require.NoError(t, err)
		require.Equal(t, first.now.Load(), again.now.Load())
		require.Equal(t, first.now.Load(), other.now.Load())
	}
}

// A route ends at a host that does not forward: Build refuses a route to another host by it, also
// if that host has several links.
func TestRoutesPassNoHostThatDoesNotForward(t *testing.T) {
	build := func(route ...sluice.PortID) error {
		b := NewBuilder()
		b.AddSwitch(1)
		b.AddSwitch(2)
		b.AddHost(8, netip.MustParseAddr("10.0.0.8")) // by two NICs
		b.AddHost(9, netip.MustParseAddr("10.0.0.9"))
		b.Connect(hop(1, 0), hop(8, 0))
		b.Connect(hop(2, 0), hop(8, 1))
		b.Connect(hop(1, 1), hop(2, 1))
		b.Connect(hop(2, 2), hop(9, 0))
		b.SetRoute(1, 9, route...)
		b.SetRoute(2, 8, 0) // by the host's own link
		_, err := b.Build(Config{})
		return err
	}
	require.NoError(t, build(1))
	for _, route := range [][]sluice.PortID{{0}, {1, 0}} {
		require.EqualError(t, build(route...), "hashpath: SetRoute = 1:0: must be a port with a "+
			"link to a switch or to the host")
	}
}
