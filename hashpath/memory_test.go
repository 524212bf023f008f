package hashpath

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

func TestSizes(t *testing.T) {
	require.EqualValues(t, unsafe.Sizeof(place(0)), placeSize)
	require.EqualValues(t, unsafe.Sizeof(placeSlot{}), placeSlotSize)
	require.EqualValues(t, unsafe.Sizeof(target(0)), targetSize)
	require.EqualValues(t, unsafe.Sizeof(block4{}), blockSize)
	require.EqualValues(t, unsafe.Sizeof(slot4{}), slot4Size)
	require.EqualValues(t, unsafe.Sizeof(slot6{}), slot6Size)
	require.EqualValues(t, unsafe.Sizeof(node{}), nodeSize)
	require.EqualValues(t, unsafe.Sizeof(trunk(0)), trunkSize)
	require.EqualValues(t, unsafe.Sizeof(dest{}), destSize)
	require.EqualValues(t, unsafe.Sizeof(entry(0)), entrySize)
	require.EqualValues(t, unsafe.Sizeof(group{}), groupSize)
	require.EqualValues(t, unsafe.Sizeof([256]uint32{}), byteSums)
	require.EqualValues(t, unsafe.Sizeof(choice{}), choiceSize)
}

// "we use a k=36 fat-tree topology with 11,664 hosts as a representative case ... the memory consumption of the path
// calculation can be optimized by leveraging the industry standard, occupying 0.44MB SRAM" (Pyrrha, section V-A).
func TestMemoryOfThePapersFatTree(t *testing.T) {
	tree := fatTree{36}
	require.Equal(t, 11664, tree.hosts())
	for _, c := range []struct {
		name   string
		b      *Builder
		config Config
		bytes  sluice.Bytes
	}{
		{"dense addresses", tree.declare(nil), Config{Hash: Hash{Kind: KindCRC32C}}, 367_584},
		{"10.pod.rack.host", tree.declare(tree.dotted), Config{Hash: Hash{Kind: KindCRC32C}}, 377_964},
		{"resilient", tree.declare(tree.dotted), Config{Hash: Hash{Kind: KindCRC32C, Select: Resilient}}, 379_940},
	} {
		start := time.Now()
		net, err := c.b.Build(c.config)
		require.NoError(t, err)
		m := net.Memory()
		t.Logf("%s: %d bytes for paths, %d in all, built in %v: %+v", c.name, m.Paths(), m.Total(), time.Since(start).Round(time.Millisecond), m)
		require.Equal(t, c.bytes, m.Paths())
		require.Less(t, m.Paths(), 440*sluice.KB)
		require.Equal(t, 1620, m.Nodes)
		// One table for all ToRs, one for all cores, one for the aggregation switches of each pod; and
		// groups only upwards.
		require.Equal(t, 1+1+36, m.Replicas)
		require.Equal(t, 2, m.Groups)
	}
}

// Ports towards the hosts in any order, different at each switch, leave as many tables as ports in order do.
func TestCablingIsNoHindrance(t *testing.T) {
	const k = 8
	tree := fatTree{k}
	ordered, err := tree.declare(nil).Build(Config{})
	require.NoError(t, err)

	shuffled := tree.declare(nil)
	for i := range shuffled.links {
		for _, end := range []*linkEnd{&shuffled.links[i].a, &shuffled.links[i].z} {
			down := sluice.PortID(tree.half())
			if !end.host && shuffled.switches[end.index].id >= tree.core(0, 0) {
				down = k
			}
			if !end.host && end.port < down {
				end.port = (end.port*3 + sluice.PortID(end.index)) % down
			}
		}
	}
	other, err := shuffled.Build(Config{})
	require.NoError(t, err)
	require.Equal(t, ordered.Memory(), other.Memory())
}
