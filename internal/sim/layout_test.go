package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A packet is two cache lines, of which the second has the hops of its path, a port is one, a node
// four, of which the first three have what a hop touches, and a flow five, of which an answer needs
// the first two, as their comments say: each hop of a large network misses in all of them.
func TestCacheLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("of 64-bit platforms")
	}
	const line = 64
	var p packet
	require.EqualValues(t, 2*line, unsafe.Sizeof(p))
	hops := sluice.MaxHops * unsafe.Sizeof(sluice.Hop{})
	path := unsafe.Offsetof(p.Packet) + unsafe.Offsetof(p.Packet.Path)
	require.EqualValues(t, line, path+unsafe.Sizeof(p.Packet.Path)-hops)
	require.EqualValues(t, line, unsafe.Sizeof(port{}))
	require.EqualValues(t, 4*line, unsafe.Sizeof(node{}))
	var f flow
	require.EqualValues(t, 5*line, unsafe.Sizeof(f))
	require.EqualValues(t, 2*line, unsafe.Offsetof(f.back)+unsafe.Sizeof(f.back))
	require.EqualValues(t, 2*line, unsafe.Offsetof(f.forward))
}
