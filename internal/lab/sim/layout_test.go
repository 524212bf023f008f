package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A packet is a cache line and a half, a port is one, a node four, of which the first three have
// what a hop touches, and a flow five, of which an answer needs the first two, as their comments
// say: each hop of a large network misses in all of them.
func TestCacheLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("of 64-bit platforms")
	}
	const line = 64
	var p packet
	require.EqualValues(t, line+line/2, unsafe.Sizeof(p))
	require.EqualValues(t, line, unsafe.Sizeof(port{}))
	require.EqualValues(t, 4*line, unsafe.Sizeof(node{}))
	var f flow
	require.EqualValues(t, 5*line, unsafe.Sizeof(f))
	require.EqualValues(t, line, unsafe.Offsetof(f.back))
	require.EqualValues(t, 2*line, unsafe.Offsetof(f.forward))
}
