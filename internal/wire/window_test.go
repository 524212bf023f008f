package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewer: a frame is late up to the edge of the window, and new from there on, as one from a
// peer that started anew is.
func TestNewer(t *testing.T) {
	for _, b := range []uint32{0, 5, 0xffff_fff0} {
		require.False(t, Newer(b, b), "the same again")
		require.False(t, Newer(b-1, b))
		require.False(
			t, Newer(b-(Reordering-1), b), "as late as a frame can be and still be known as late",
		)
		require.True(t, Newer(b-Reordering, b), "one further back is a peer that started anew")
		require.True(t, Newer(b+1, b))
		require.True(t, Newer(b+1<<31, b))
	}
}

func TestWindow(t *testing.T) {
	var w Window
	_, heard := w.Newest()
	require.False(t, heard)
	require.True(t, w.Fresh(7), "whatever comes first is new")
	require.False(t, w.Fresh(7), "doubled")
	require.False(t, w.Fresh(6), "overtaken")
	require.True(t, w.Fresh(9))
	require.False(t, w.Fresh(8), "overtaken")
	newest, heard := w.Newest()
	require.True(t, heard)
	require.Equal(t, uint32(9), newest)
	w = Window{}
	require.True(t, w.Fresh(8), "a link that came up has heard nothing")
}
