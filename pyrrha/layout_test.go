package pyrrha

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The fields that every packet touches come first: the comments of Port and Switch give their size.
func TestLayout(t *testing.T) {
	const hotOfQueues = 40 // of hiq.Port: the OQ, and which levels may move
	var p Port
	require.LessOrEqual(t, unsafe.Offsetof(p.iq)+hotOfQueues, uintptr(120))
	var s Switch
	require.LessOrEqual(t, unsafe.Offsetof(s.touched)+8, uintptr(128))
}
