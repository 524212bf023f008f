package portfc

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/drr"
)

// What a packet touches of a port is three cache lines, with the detectors of IHFQs and DDQ the
// last of them, as the comments there say; a queue and its turn are half of one. With 128 ports
// little of it is in the nearest cache.
func TestCacheLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("of 64-bit platforms")
	}
	const line = 64
	var p Port
	require.Zero(t, unsafe.Sizeof(p)%line)
	require.EqualValues(t, 2*line, unsafe.Offsetof(p.detectors))
	require.LessOrEqual(t, 2*unsafe.Sizeof(p.detectors[0]), uintptr(line))
	require.EqualValues(t, line/2, unsafe.Sizeof(drr.Slot[queue]{}))
}
