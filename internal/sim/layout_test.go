package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A packet is two cache lines and a port is one, as their comments say: each hop of a large network
// misses in all of them.
func TestCacheLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("of 64-bit platforms")
	}
	const line = 64
	require.EqualValues(t, 2*line, unsafe.Sizeof(packet{}))
	require.EqualValues(t, line, unsafe.Sizeof(port{}))
}
