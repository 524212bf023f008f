package hashpath

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Tiers are counted from the switches that have hosts. A host that does not forward is in none, and
// neither is a switch that no host can reach.
func TestTiersAreOfWhatForwardsForHosts(t *testing.T) {
	b := clos(2, 3)
	b.AddSwitch(99)
	net, err := b.Build(Config{})
	require.NoError(t, err)
	tiers := map[int]int{}
	for _, x := range net.Snapshot().Nodes {
		tiers[int(x.Name)] = x.Tier
	}
	require.Equal(t, map[int]int{0: -1, 1: -1, 2: 0, 3: 0, 4: 1, 5: 1, 6: 0, 7: 0, 99: -1}, tiers)
}

// Links of a node are in the order that makes nodes alike: towards the hosts first, whatever their
// ports.
func TestLinksTowardsHostsComeFirst(t *testing.T) {
	net, err := clos(2, 2).Build(Config{})
	require.NoError(t, err)
	s := net.Snapshot()
	for _, x := range s.Nodes {
		if x.Name != 4 && x.Name != 5 {
			continue
		}
		var ports []sluice.PortID
		for _, l := range x.Links {
			ports = append(ports, l.Port)
		}
		require.Equal(
			t, []sluice.PortID{2, 3, 0, 1}, ports, "host 1 is at ports 2 and 3 of switch %d", x.Name,
		)
	}
}

// A table that no other node shares keeps its number when it changes: the difference has its
// entries, and no node gets another table.
func TestChangedTablesKeepTheirNumbers(t *testing.T) {
	const n = 7
	b := NewBuilder()
	for i := range sluice.SwitchID(n) {
		b.AddSwitch(100 + i)
		b.AddHost(i)
		b.Connect(hop(i, 0), hop(100+i, 0))
	}
	for i := range sluice.SwitchID(n) {
		b.Connect(hop(100+i, 1), hop(100+(i+1)%n, 2))
	}
	net, err := b.Build(Config{})
	require.NoError(t, err)
	before := net.Snapshot()
	require.NoError(t, net.FailLink(hop(100, 1)))
	d, err := Compare(before, net.Snapshot())
	require.NoError(t, err)
	require.NotEmpty(t, d.Entries)
	require.Empty(t, d.Nodes)
}

// A port number beyond a switch's is not a port of the next switch.
func TestPortsBeyondASwitchAreNone(t *testing.T) {
	tree := fatTree{4}
	net := buildFatTree(t, 4, Config{})
	for pod := range 4 {
		for i := range 2 {
			for port := range sluice.PortID(4) {
				beyond := hop(tree.tor(pod, i), MaxPorts+port)
				require.Error(t, net.FailLink(beyond))
				_, status := net.Follow(beyond.Switch, []sluice.PortID{beyond.Port})
				require.Equal(t, BadPort, status)
			}
		}
	}
}
