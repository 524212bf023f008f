package hashpath

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// The paper's switch keeps the paths of a fat-tree with k = 36 and 11,664 hosts in 0.44 MB of SRAM
// (Pyrrha, section V-A).
func TestMemoryOfThePapersFatTree(t *testing.T) {
	tree := fatTree{36}
	require.Equal(t, 11664, tree.hosts())
	for _, c := range []struct {
		name   string
		b      *Builder
		config Config
		bytes  sluice.Bytes
	}{
		{"dense addresses", tree.declare(nil), Config{Hash: Hash{Kind: KindCRC32C}}, 364_704},
		{"10.pod.rack.host", tree.declare(tree.dotted), Config{Hash: Hash{Kind: KindCRC32C}}, 376_224},
		{
			"resilient", tree.declare(tree.dotted), Config{Hash: Hash{Kind: KindCRC32C, Select: Resilient}},
			378_200,
		},
	} {
		start := time.Now()
		net, err := c.b.Build(c.config)
		require.NoError(t, err)
		m := net.Memory()
		t.Logf(
			"%s: %d bytes for paths, %d in all, built in %v: %+v", c.name, m.Paths(), m.Total(),
			time.Since(start).Round(time.Millisecond), m,
		)
		require.Equal(t, c.bytes, m.Paths())
		require.Less(t, m.Paths(), 440*sluice.KB)
		require.Equal(t, 1620, m.Nodes)
		// One table for all ToRs, one for all cores, one for the aggregation switches of each pod;
		// and groups only upwards.
		require.Equal(t, 1+1+36, m.Replicas)
		require.Equal(t, 2, m.Groups)
	}
}

// A node's entry for itself is never read, and becomes what makes nodes alike; also where a block
// is one destination, so that it has no neighbour to copy. With k = 2, pods have one ToR and one
// aggregation switch: the ToRs share a table, the switches that send to pod 0 by their first link
// and to pod 1 by their second share one, and the aggregation switch of pod 1 has its own.
func TestSwitchesThatAreDestinationsShareTables(t *testing.T) {
	net := buildFatTree(t, 2, Config{})
	require.Equal(t, 3, net.Memory().Replicas)
	// They do so again after a failure and a repair, and after both of another link.
	for _, h := range []sluice.Hop{hop(fatTree{2}.tor(0, 0), 1), hop(fatTree{2}.agg(1, 0), 1)} {
		require.NoError(t, net.FailLink(h))
		require.NoError(t, net.RestoreLink(h))
		require.Equal(t, 3, net.Memory().Replicas)
	}
}

// Ports towards the hosts in any order, different at each switch, leave as many tables as ports in
// order do.
func TestCablingIsNoHindrance(t *testing.T) {
	const k = 8
	tree := fatTree{k}
	ordered, err := tree.declare(nil).Build(Config{})
	require.NoError(t, err)

	shuffled := tree.declare(nil)
	for _, d := range shuffled.declared {
		down := sluice.PortID(tree.half())
		if d.id >= tree.core(0, 0) {
			down = k
		}
		for _, l := range d.links {
			if d.kind == isSwitch && l.port < down {
				l.port = (l.port*3 + sluice.PortID(d.id)) % down
			}
		}
	}
	other, err := shuffled.Build(Config{})
	require.NoError(t, err)
	require.Equal(t, ordered.Memory(), other.Memory())
}
