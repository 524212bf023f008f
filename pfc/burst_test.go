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

// TestFramesInAWindow: those that take most of the buffer. Counted in bytes, as many of the MTU as
// fit, or one frame more that together fill the window; counted in cells, small frames, as many of
// them as possible a byte larger than a cell, and then as many as possible a cell larger still.
func TestFramesInAWindow(t *testing.T) {
	for _, test := range []struct {
		window, mtu, cell, overhead sluice.Bytes
		want                        []sluice.Bytes
	}{
		{600, 300, 1, 0, []sluice.Bytes{300, 300}},
		{600, 300, 1, -5, []sluice.Bytes{300, 300}},
		{960, 300, 1, 20, []sluice.Bytes{300, 300, 300}},
		{1000, 300, 1, 20, []sluice.Bytes{230, 230, 230, 230}},
		{1001, 300, 1, 20, []sluice.Bytes{230, 230, 230, 231}}, // 921 bytes and 4 x 20
		{84, 300, 100, 20, []sluice.Bytes{64}},
		{84 + 37, 300, 100, 20, []sluice.Bytes{101}},                            // 37 bytes for a cell
		{3*84 + 2*37, 300, 100, 20, []sluice.Bytes{101, 101, 64}},               // 5 cells
		{2*84 + 2*37 + 100, 300, 100, 20, []sluice.Bytes{201, 101}},             // 5 cells
		{2 * (84 + 37 + 100), 300, 100, 20, []sluice.Bytes{201, 201}},           // six cells
		{2 * (1000 + 101), 101, 100, 1000, []sluice.Bytes{101, 101}},            // no frame has three
		{2 * (1000 + 301), 301, 100, 1000, []sluice.Bytes{301, 301}},            // each has four
		{1000 + 301 + 1000 + 100, 301, 100, 1000, []sluice.Bytes{201, 101}},     // five cells, not four
		{2*(1000+301) - 1, 301, 100, 1000, []sluice.Bytes{301, 201}},            // a byte is missing
		{3*64 + 3, 80, 64, 0, []sluice.Bytes{65, 65, 65}},                       // a byte for a cell
		{2 * (64 + 20), 64, 64, 20, []sluice.Bytes{64, 64}},                     // all of a cell
		{g100.BytesIn(6720 * sluice.Picosecond), 64, 1, 20, []sluice.Bytes{64}}, // 84 byte times
	} {
		p := PortConfig{Overhead: test.overhead}
		require.Equal(t, test.want, p.framesIn(test.window, test.mtu, test.cell), "%+v", test)
	}
}

// TestHeaviestOfLongWindows: which size takes most cells for its time on the wire, in a window of a
// million frames: the smallest where a second cell costs more than a frame; of two cells where it
// costs a byte; the largest where what every frame costs is more than it has.
func TestHeaviestOfLongWindows(t *testing.T) {
	const million = 1_000_000
	for _, test := range []struct{ window, mtu, cell, over, want sluice.Bytes }{
		{84 * million, 9216, 208, 20, million},
		{85 * million, 640, 64, 20, 2 * million},
		{(1000 + 9*64 + 1) * million, 9*64 + 1, 64, 1000, 10 * million},
	} {
		got := heaviest(test.window, test.mtu, test.cell, test.over).cells()
		require.Equal(t, test.want, got, "%+v", test)
	}
}

// TestBurstByHand: at 100 Gb/s a byte takes 80 ps. The first frame, of the MTU, has begun before
// the pause is decided, the next begins behind its gap, and the last is the smallest that the
// headroom has no room for.
func TestBurstByHand(t *testing.T) {
	const byteTime = 80 * sluice.Picosecond
	type frames []BurstFrame
	for _, test := range []struct {
		mtu, cell, headroom, overhead sluice.Bytes
		want                          frames
	}{
		{1000, 1, 400, 20, frames{{401, -401 * byteTime, 401}}},
		{1000, 1, 20, 20, frames{{64, -64 * byteTime, 64}}},
		{10, 0, 64, 0, frames{{64, -64 * byteTime, 64}, {64, 0, 128}}},
		{1000, 1, 1000, 20, frames{{1000, -1000 * byteTime, 1000}, {64, 12 * byteTime, 1064}}},
		{1000, 1, 1999, 0, frames{{1000, -1000 * byteTime, 1000}, {1000, 0, 2000}}},
		{1000, 1, 1999, -7, frames{{1000, -1000 * byteTime, 1000}, {1000, 0, 2000}}},
		{150, 100, 399, 20, frames{{150, -150 * byteTime, 200}, {101, 12 * byteTime, 400}}},
		{150, 100, 400, 7, frames{
			{150, -150 * byteTime, 200}, {101, 7 * byteTime, 400}, {64, (7 + 108) * byteTime, 500},
		}},
	} {
		p := PortConfig{Link: sluice.Link{Rate: g100}, Overhead: test.overhead}
		got := p.Burst(test.mtu, test.cell, test.headroom)
		require.Equal(t, []BurstFrame(test.want), got, "%+v", test)
	}
}
