package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// After Up, a frame that may have been under way is not obeyed, and a frame that comes later is;
// while the link is down none is.
func TestPeer(t *testing.T) {
	link := sluice.Link{Rate: sluice.Gbps, Delay: sluice.Microsecond}
	p := NewPeer()
	require.True(t, p.Obeys(0, 7))
	require.False(t, p.Obeys(0, 7), "the same again")
	p.Down = true
	require.False(t, p.Obeys(0, 8))
	p.Sent = 3
	p.Up(0, link, 125)
	require.EqualValues(t, 3+Reordering, p.Sent)
	require.False(t, p.Down)
	require.False(t, p.Obeys(2*sluice.Microsecond, 9), "a delay and the longest frame's microsecond")
	require.True(t, p.Obeys(2*sluice.Microsecond+1, 9))

	p.Renumber(3, 9)
	sent, heard := p.Numbers()
	require.EqualValues(t, Reordering, sent)
	require.Zero(t, heard)
	require.True(t, p.Obeys(3*sluice.Microsecond, 1))
	p.Normalize(3 * sluice.Microsecond)
	require.Equal(t, NewPast(), p.Past)
}

func TestHop(t *testing.T) {
	hop := sluice.Hop{Switch: 0x01020304, Port: 0x0506}
	b := AppendHop([]byte{0}, hop)
	require.Equal(t, []byte{0, 1, 2, 3, 4, 5, 6}, b)
	require.Len(t, b[1:], HopLength)
	require.Equal(t, hop, ParseHop(b[1:]))
}
