package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
)

// forge hands the node of a pair the frame of a forger about its queue b for the egress port.
func (p *pair) forge(kind Type, ahead uint32) {
	p.up.Receive(p.now, &Frame{Type: kind, Sequence: uint32(p.sent) + ahead, Queue: twoHop})
}

// One forged Resume, numbered 65,535 ahead, lets go a queue that the switch holds, and makes what
// the switch says late. Three refreshes of its pause are refused; the fourth is obeyed.
func TestOneForgedFrameDoesNotFreezeALink(t *testing.T) {
	const refresh = 20 * sluice.Microsecond
	p := newPair(t, refresh)
	p.fill(6)
	require.False(t, p.up.Sendable(twoHop))
	p.forge(Resume, wire.Reordering-1)
	require.True(t, p.up.Sendable(twoHop), "the forged frame is believed")
	for range wire.Persistence - 1 {
		p.run(refresh)
		require.True(t, p.up.Sendable(twoHop))
	}
	p.run(refresh)
	require.False(t, p.up.Sendable(twoHop))
	p.drain()
	require.True(t, p.up.Sendable(twoHop), "and so is what comes after it")
	p.run(sluice.Second)
	require.NoError(t, p.node.Quiescent())
	require.NoError(t, p.sw.Quiescent())
	c := p.up.Counters()
	require.EqualValues(t, 1, c.Resynchronised)
	require.EqualValues(t, wire.Persistence-1, c.Stale)
}

// A forged Pause in the name of a switch that holds nothing, and so repeats nothing, ends after
// Expiry, whatever its number; and the switch's next pause holds within four refreshes.
func TestForgedPauseExpires(t *testing.T) {
	const refresh = 20 * sluice.Microsecond
	for _, ahead := range []uint32{1, wire.Reordering - 1, 1 << 31} {
		p := newPair(t, refresh)
		p.forge(Pause, ahead)
		require.False(t, p.up.Sendable(twoHop))
		p.run(4*refresh - 1)
		require.False(t, p.up.Sendable(twoHop))
		p.run(1)
		require.True(t, p.up.Sendable(twoHop))
		require.EqualValues(t, 1, p.node.Counters().Expired)
		require.NoError(t, p.node.Quiescent())

		p.fill(6)
		p.run(wire.Persistence * refresh)
		require.False(t, p.up.Sendable(twoHop), "%d ahead", ahead)
	}
}
