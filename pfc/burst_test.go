package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestBurst: a configuration that is unsafe loses a packet, the last, at the burst that is named,
// and all of its frames begin before the peer must stop: with a byte of headroom more than the
// burst needs at least, and with the burst's own headroom, nothing is lost.
func TestBurst(t *testing.T) {
	unsafe := 0
	rapid.Check(t, func(t *rapid.T) {
		l := drawLink(t)
		needed := l.port.Headroom
		l.port.Headroom = needed - sluice.Bytes(rapid.IntRange(1, int(needed)).Draw(t, "too little"))
		if rapid.Bool().Draw(t, "just a byte") {
			l.port.Headroom = needed - 1
		}
		unsafe++
		frames := l.port.Burst(l.mtu, l.cell, l.port.Headroom)
		need := frames[len(frames)-1].Headroom
		require.Greater(t, need, l.port.Headroom)
		if l.port.Headroom == needed-1 {
			require.Equal(t, needed, need)
		}
		require.Equal(t, uint64(1), l.runBurst(t, frames, l.port.Headroom))
		require.Equal(t, uint64(1), l.runBurst(t, frames, need-1))
		require.Zero(t, l.runBurst(t, frames, need))
		require.Nil(t, l.port.Burst(l.mtu, l.cell, needed))
	})
	t.Logf("%d unsafe configurations", unsafe)
}

// runBurst sends a burst and returns how many packets are lost. The transmitter of the port begins
// its largest frame as the pause is decided, and the peer stops as late as it may.
func (l *losslessLink) runBurst(t require.TestingT, frames []BurstFrame,
	headroom sluice.Bytes) uint64 {
	filler := max(l.cell, MinimumFrame)
	port := l.port
	port.Headroom, port.XOff, port.XOn = headroom, (filler+l.cell-1)/l.cell*l.cell+1, 1
	s, err := New(Config{
		Ports: []PortConfig{port, port}, CellSize: l.cell, Classes: sluice.MakeClassSet(3),
	})
	require.NoError(t, err)
	p := sluice.Packet{Size: filler, Class: 3}
	s.Port(1).Enqueue(-sluice.Second, &p)
	own := max(max(l.mtu, port.MTU)+port.Overhead, WireLength)
	stop := l.rate.TimeOf(own) + l.rate.TimeOf(WireLength-l.gap()) + l.reaction() + 2*l.oneWay() +
		port.Pipeline
	told := false
	for _, f := range frames {
		require.LessOrEqual(t, f.Begins, stop+4, "it begins before the peer must stop")
		p := sluice.Packet{Size: f.Size, Class: 3}
		v := s.Port(1).Enqueue(f.Begins+l.rate.TimeOf(f.Size), &p)
		if !told && v.Action() == sluice.Append {
			var frame Frame
			told = s.Port(0).PollFrame(0, &frame)
			require.True(t, told, "the first crosses the threshold")
		}
	}
	require.NoError(t, s.Audit())
	return s.Counters().Class[3].HeadroomDrops
}
