package hashpath

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A port has as many levels of IQs as its farthest congestion root has hops: two for an uplink of a
// ToR switch in two tiers (Pyrrha, section IV-C).
func TestLevelsOfTwoTiers(t *testing.T) {
	b := NewBuilder()
	for id := range sluice.SwitchID(3) { // ToRs 0 and 1, spine 2
		b.AddSwitch(id)
	}
	for tor := range sluice.SwitchID(2) {
		for i := range sluice.SwitchID(2) {
			b.AddHost(10*(tor+1) + i)
			b.Connect(hop(10*(tor+1)+i, 0), hop(tor, sluice.PortID(i)))
		}
		b.Connect(hop(tor, 2), hop(2, sluice.PortID(tor)))
	}
	net, err := b.Build(Config{})
	require.NoError(t, err)
	require.Equal(t, map[sluice.Hop]int{
		hop(10, 0): 3, hop(11, 0): 3, hop(20, 0): 3, hop(21, 0): 3,
		hop(0, 2): 2, hop(1, 2): 2,
		hop(2, 0): 1, hop(2, 1): 1,
	}, net.Levels())

	// A host that may be a congestion root itself is one hop farther.
	net, err = b.Build(Config{HostHops: true})
	require.NoError(t, err)
	require.Equal(t, map[sluice.Hop]int{
		hop(10, 0): 4, hop(11, 0): 4, hop(20, 0): 4, hop(21, 0): 4,
		hop(0, 2): 3, hop(1, 2): 3,
		hop(2, 0): 2, hop(2, 1): 2,
		hop(0, 0): 1, hop(0, 1): 1, hop(1, 0): 1, hop(1, 1): 1,
	}, net.Levels())

	// Without the spine, paths stay in the rack; a host alone in its rack has none.
	require.NoError(t, net.FailNode(2))
	require.NoError(t, net.FailLink(hop(21, 0)))
	require.Equal(t, map[sluice.Hop]int{
		hop(10, 0): 2, hop(11, 0): 2,
		hop(0, 0): 1, hop(0, 1): 1, hop(1, 0): 1,
	}, net.Levels())
}

func TestLevelsOfTheFatTree(t *testing.T) {
	const k = 36
	tree := fatTree{k}
	net := buildFatTree(t, k, Config{Hash: Hash{Select: Resilient}})
	start := time.Now()
	levels := net.Levels()
	took := time.Since(start)
	t.Logf("%d ports in %v", len(levels), took.Round(time.Millisecond))
	require.Less(t, took, 5*time.Second)
	// hosts, ToR-agg and agg-core both ways
	require.Len(t, levels, tree.hosts()+2*tree.hosts()+2*tree.hosts())
	for name, c := range map[string]struct {
		hop    sluice.Hop
		levels int
	}{
		"host": {hop(5, 0), 5}, "ToR down": {hop(tree.tor(3, 4), 17), 0},
		"ToR up":           {hop(tree.tor(3, 4), 18), 4},
		"aggregation down": {hop(tree.agg(3, 4), 17), 1}, "aggregation up": {hop(tree.agg(3, 4), 18), 3},
		"core": {hop(tree.core(3, 4), 35), 2},
	} {
		require.Equal(t, c.levels, levels[c.hop], name)
	}
}

// Routes that loop are as long as a path can be; ways out of the network are followed by nothing.
func TestLevelsOfLoopsAndPrefixes(t *testing.T) {
	b := NewBuilder()
	for id := range sluice.SwitchID(3) {
		b.AddSwitch(id)
	}
	for id := range sluice.SwitchID(3) {
		b.Connect(hop(id, 0), hop((id+1)%3, 1)) // port 0 clockwise
	}
	b.AddHost(9)
	b.Connect(hop(9, 0), hop(0, 2))
	b.AddPrefix(netip.MustParsePrefix("192.0.2.0/24"), hop(2, 8))
	b.AddPrefix(netip.MustParsePrefix("198.51.100.0/24"), hop(1, 8))
	b.AddPrefix(netip.MustParsePrefix("198.51.100.0/24"), hop(2, 8))
	for id := range sluice.SwitchID(2) {
		b.SetRoute(1+id, 9, sluice.PortID(id)) // 1 sends to 2, and 2 to 1
	}
	net, err := b.Build(Config{HostHops: true})
	require.NoError(t, err)
	require.Equal(t, map[sluice.Hop]int{
		hop(9, 0): 2,               // to switch 2 and out
		hop(0, 1): 1, hop(0, 0): 1, // to a neighbour and out
		hop(1, 0): 7, hop(2, 1): 7, // the loop
		hop(0, 2): 1,
	}, net.Levels())
}

func BenchmarkLevels(b *testing.B) {
	net := buildFatTree(b, 36, Config{})
	for b.Loop() {
		net.Levels()
	}
}
