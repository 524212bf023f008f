package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A frame is late up to Reordering, so that it matters how old a mark is, up to that: a late frame
// is newer than one mark, and older than another.
func TestSettledMarks(t *testing.T) {
	const newest = 5_000_000
	var w Window
	require.True(t, w.Fresh(newest))
	late := func(by uint32) Mark { return w.Mark(newest - by) }
	for _, by := range []uint32{1025, 2000, 30_000, Reordering - 2} {
		newer, older := late(by), late(by+1)
		w.Normalize(&newer, &older)
		require.False(t, w.After(newest-by, newer))
		require.True(t, w.After(newest-by, older), "%d late", by)
		require.NotEqual(t, newer, older)
	}
	old := late(Reordering)
	w.Normalize(&old)
	require.Equal(t, Mark{}, old, "no frame is so late")
}

// The later of two marks is the one nearer to the newest frame, however old the other is.
func TestLatestOfOldMarks(t *testing.T) {
	var w Window
	require.True(t, w.Fresh(7))
	first := w.Mark(7)
	for range 3 {
		newest, _ := w.Newest()
		require.True(t, w.Fresh(newest+Reordering-1))
	}
	newest, _ := w.Newest()
	require.Equal(t, w.Mark(newest), w.Latest(first, w.Mark(newest)))
	require.Equal(t, w.Mark(newest), w.Latest(w.Mark(newest), first))
}

func TestNumber(t *testing.T) {
	c := NewCodec(VOQ)
	frame := c.Finish(c.Begin(nil, &Header{Type: 1, Sequence: 0x01020304}), 0)
	require.Equal(t, []byte{1, 2, 3, 4}, Number(frame))
	require.Nil(t, Number(frame[:HeaderLength-1]))
	frame[13]++
	require.Nil(t, Number(frame), "of another EtherType")
}
