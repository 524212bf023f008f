package hashpath

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Routes is the forwarding that a driver of machines needs of a network. A router of a node-centric
// network can have the same methods.
var _ interface {
	Path(at sluice.SwitchID, ingress sluice.PortID, f *Flow) (sluice.Path, Status)
	Egress(at sluice.SwitchID, ingress sluice.PortID, f *Flow) (sluice.PortID, bool)
} = (*Network)(nil)

// A host whose card is congested pauses its senders as a switch would (Pyrrha, section IV-D). A
// path matches such a root if it ends with the host's own hop, by the congested port of the card.
func TestHostHops(t *testing.T) {
	b := NewBuilder()
	b.AddSwitch(0)
	b.AddSwitch(1)
	b.Connect(hop(0, 0), hop(1, 0))
	b.AddHost(7)
	b.Connect(hop(7, 0), hop(0, 1))
	b.AddHost(8) // by two NICs
	b.Connect(hop(8, 0), hop(0, 2))
	b.Connect(hop(8, 1), hop(1, 2))
	b.AddHost(9)
	b.Connect(hop(9, 3), hop(1, 3)) // not by port 0
	b.AddPrefix(netip.MustParsePrefix("0.0.0.0/0"), hop(1, 8))
	b.AddPrefix(netip.MustParsePrefix("192.0.2.0/24"), hop(0, 8))
	b.AddPrefix(netip.MustParsePrefix("192.0.2.0/24"), hop(1, 8))
	net, err := b.Build(Config{HostHops: true})
	require.NoError(t, err)
	for _, c := range []struct {
		at       sluice.SwitchID
		to, path string
	}{
		{8, "10.0.0.7:0", "8:0 0:1 7:0"},
		{1, "10.0.0.7:0", "1:0 0:1 7:0"},
		{7, "10.0.0.7:0", "7:0"},
		{1, "10.0.0.8:0", "1:2 8:1"},
		{7, "10.0.0.8:0", "7:0 0:2 8:0"},
		{7, "10.0.0.9:0", "7:0 0:0 1:3 9:3"},
		{7, "8.8.8.8:0", "7:0 0:0 1:8"}, // out of the network, where no host is known
		{7, "192.0.2.1:0", "7:0 0:8"},
		{9, "10.0.0.9:0", ""}, // it is there; by which port it came in is not said
	} {
		require.Equal(t, c.path, path(t, net, c.at, c.to), "%d to %s", c.at, c.to)
		f := MakeFlow(addrPort("192.0.2.1:1"), addrPort(c.to), 17)
		_, ok := net.Egress(c.at, sluice.Local, &f)
		require.Equal(t, f.Dst != FlowBetween(0, c.at, 0, 0, 0).Dst, ok, "a host sends nothing to itself")
	}
	f := FlowBetween(7, 8, 1, 2, 17)
	p, status := net.Path(8, 1, &f)
	require.Equal(t, "8:1 ok", p.String()+" "+status.String(), "it came in by port 1")

	require.NoError(t, net.FailLink(hop(0, 1)))
	require.Equal(t, "1:0 unreachable", path(t, net, 1, "10.0.0.7:0"))

	// The host's hop counts against sluice.MaxHops.
	line := NewBuilder()
	for id := range sluice.SwitchID(9) {
		line.AddSwitch(id)
		if id > 0 {
			line.Connect(hop(id-1, 0), hop(id, 1))
		}
	}
	line.AddHost(20)
	line.Connect(hop(20, 0), hop(8, 0))
	line.AddHost(21)
	line.Connect(hop(21, 5), hop(8, 5))
	net, err = line.Build(Config{HostHops: true})
	require.NoError(t, err)
	for _, to := range []string{"10.0.0.20:0", "10.0.0.21:0"} {
		require.NotContains(t, path(t, net, 2, to), "too long")
		require.Contains(t, path(t, net, 1, to), "too long")
		require.Contains(t, path(t, net, 0, to), "too long")
	}
}

// Hosts of a node-centric network forward (PortFC, section II). Three such nodes form a line, with
// a host of one port on the middle one. The middle node forwards packets for others.
func TestHostsThatForward(t *testing.T) {
	b := NewBuilder()
	for id := range sluice.SwitchID(3) {
		b.AddForwardingHost(id)
	}
	b.Connect(hop(0, 0), hop(1, 2))
	b.Connect(hop(1, 1), hop(2, 0))
	b.AddHost(9)
	b.Connect(hop(9, 0), hop(1, 0))
	for _, hops := range []bool{false, true} {
		net, err := b.Build(Config{HostHops: hops})
		require.NoError(t, err)
		for _, c := range []struct {
			at                sluice.SwitchID
			to, path, hostHop string
		}{
			{0, "10.0.0.2:0", "0:0 1:1", " 2:0"},
			{0, "10.0.0.1:0", "0:0", " 1:2"},
			{2, "10.0.0.1:0", "2:0", " 1:1"},
			{2, "10.0.0.9:0", "2:0 1:0", " 9:0"},
			{9, "10.0.0.1:0", "9:0", " 1:0"},
			{9, "10.0.0.9:0", "", "9:0"},
			{9, "10.0.0.0:0", "9:0 1:2", " 0:0"},
			{1, "10.0.0.1:0", "", ""},
		} {
			want := c.path
			if hops {
				want += c.hostHop
			}
			require.Equal(t, want, path(t, net, c.at, c.to), "%d to %s", c.at, c.to)
		}
		p, status := net.Follow(9, []sluice.PortID{0, 1, 0, 0})
		require.Equal(
			t, "9:0 1:1 2:0 1:0 ok", p.String()+" "+status.String(), "a source route may go through",
		)
		_, status = net.Follow(0, []sluice.PortID{0, 0, 0})
		require.Equal(t, BadPort, status, "not through a host that does not forward")
	}

	// A torus of 4 by 4, each node with four ports: hashes spread flows, and a route may be set.
	torus := NewBuilder()
	const side = 4
	for id := range sluice.SwitchID(side * side) {
		torus.AddForwardingHost(id)
	}
	for id := range sluice.SwitchID(side * side) {
		x, y := id%side, id/side
		torus.Connect(hop(id, 0), hop((x+1)%side+y*side, 1))
		torus.Connect(hop(id, 2), hop(x+(y+1)%side*side, 3))
	}
	torus.SetHash(0, Hash{Kind: KindCRC32C})
	torus.SetRoute(3, 5, 3) // a detour
	net, err := torus.Build(Config{})
	require.NoError(t, err)
	ports := map[sluice.PortID]int{}
	for port := range uint16(1000) {
		f := FlowBetween(0, 10, port, 4791, 17)
		p, status := net.Path(0, sluice.Local, &f)
		require.Equal(t, OK, status)
		require.Equal(t, 4, p.Len())
		ports[p.At(0).Port]++
	}
	require.Len(t, ports, 4, "(2,2) is two hops away by either way round, in both directions")
	require.Equal(t, hop(3, 3).String(), path(t, net, 3, "10.0.0.5:0")[:3])
	require.Equal(t, 3, net.Levels()[hop(1, 0)])
}
