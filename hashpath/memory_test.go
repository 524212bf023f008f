package hashpath

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// "we use a k=36 fat-tree topology with 11,664 hosts as a representative case ... the memory
// consumption of the path calculation can be optimized by leveraging the industry standard,
// occupying 0.44MB SRAM" (Pyrrha, section V-A).
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
		{"resilient", tree.declare(tree.dotted), Config{Hash: Hash{Kind: KindCRC32C, Select: Resilient}}, 378_200},
	} {
		start := time.Now()
		net, err := c.b.Build(c.config)
		require.NoError(t, err)
		m := net.Memory()
		t.Logf("%s: %d bytes for paths, %d in all, built in %v: %+v", c.name, m.Paths(), m.Total(), time.Since(start).Round(time.Millisecond), m)
		require.Equal(t, c.bytes, m.Paths())
		require.Less(t, m.Paths(), 440*sluice.KB)
		require.Equal(t, 1620, m.Nodes)
		// One table for all ToRs, one for all cores, one for the aggregation switches of each pod;
		// and groups only upwards.
		require.Equal(t, 1+1+36, m.Replicas)
		require.Equal(t, 2, m.Groups)
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
	for i := range shuffled.links {
		for _, end := range []*linkEnd{&shuffled.links[i].a, &shuffled.links[i].z} {
			down := sluice.PortID(tree.half())
			d := shuffled.nodes[end.node]
			if d.id >= tree.core(0, 0) {
				down = k
			}
			if d.kind == isSwitch && end.port < down {
				end.port = (end.port*3 + sluice.PortID(d.id)) % down
			}
		}
	}
	other, err := shuffled.Build(Config{})
	require.NoError(t, err)
	require.Equal(t, ordered.Memory(), other.Memory())
}
