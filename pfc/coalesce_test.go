package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A frame is built from the state at its poll, so earlier changes coalesce into it (package
// sluice). In these tests the transmitters are busy for a while.

func lazy(t *testing.T, mode Mode) *bench {
	k := newBench(t, twoClasses(mode, 999, g100, g100, g100))
	k.busy = true
	return k
}

// TestPauseAndResumeCancel: a pause that ends before the poll makes no frame.
func TestPauseAndResumeCancel(t *testing.T) {
	for _, mode := range []Mode{PriorityPause, ClassicPause} {
		k := lazy(t, mode)
		k.enqueue(0, 1, 3, 1000)
		k.send(0)
		k.free()
		require.Empty(t, k.take())
		require.Equal(t, sluice.Never, k.s.Deadline())
		require.NoError(t, k.s.Quiescent())
	}
}

// TestResumeAndPauseCoalesce: one frame, and it pauses.
func TestResumeAndPauseCoalesce(t *testing.T) {
	for _, mode := range []Mode{PriorityPause, ClassicPause} {
		k := lazy(t, mode)
		k.enqueue(0, 1, 3, 1000)
		k.free()
		require.Len(t, k.take(), 1)
		k.busy, k.now = true, 5
		k.send(0)
		k.now = 9
		k.enqueue(0, 1, 3, 1000)
		k.free()
		frames := k.take()
		require.Len(t, frames, 1)
		require.Equal(t, "pause", frames[0].Kind())
		require.Equal(t, sluice.Time(9+333*5120), k.s.Deadline(), "the refresh counts from the decision")
	}
}

// TestCancelDoesNotDelayRefresh: a pause that is taken back before it was polled has moved the
// refresh of the other class; so a frame goes.
func TestCancelDoesNotDelayRefresh(t *testing.T) {
	k := lazy(t, PriorityPause)
	k.enqueue(0, 1, 3, 1000)
	k.free()
	k.take()
	k.busy, k.now = true, 100*5120
	k.enqueue(0, 1, 4, 1000)
	k.send(0) // class 4 goes first
	k.free()
	frames := k.take()
	require.Len(t, frames, 1)
	require.Equal(t, sluice.MakeClassSet(3, 4), frames[0].Enabled)
	require.Equal(t, [8]sluice.Quanta{3: 999}, frames[0].Time)
	require.Equal(t, sluice.Time(433*5120), k.s.Deadline())
}

// TestPollMovesNoDeadline: "PollFrame and PollPort move no deadline" (package sluice).
func TestPollMovesNoDeadline(t *testing.T) {
	k := lazy(t, PriorityPause)
	k.enqueue(0, 1, 3, 1000)
	k.now = 100 * 5120
	k.free()
	require.Len(t, k.take(), 1)
	require.Equal(t, sluice.Time(333*5120), k.s.Deadline())
}

// TestLatePollRefreshes: a refresh that falls due while the frame waits goes with it.
func TestLatePollRefreshes(t *testing.T) {
	k := lazy(t, PriorityPause)
	k.enqueue(0, 1, 3, 1000)
	k.at(334 * 5120)
	k.free()
	require.Len(t, k.take(), 1, "one frame at most")
	require.Equal(t, sluice.Time(666*5120), k.s.Deadline())
}

// TestFlapping: packets of 64 bytes at line rate into static thresholds a byte apart, which are
// crossed by every packet that comes and by every one that goes. At most one frame waits at the
// port, and with HeadroomFor no packet is lost if the transmitter polls whenever it is free.
func TestFlapping(t *testing.T) {
	port := PortConfig{
		Link:    sluice.Link{Rate: g100, Delay: Cable(300)},
		Profile: Profile{XOff: 64, XOn: 63},
	}
	port.Headroom = port.HeadroomFor(1518, 0).Total
	wire := newFlappingLink(
		t,
		Config{Ports: []PortConfig{port, port}, Buffer: sluice.MiB, Classes: sluice.MakeClassSet(3)},
	)
	wire.run(200 * sluice.Microsecond)
	c := wire.s.Port(0).Counters()
	require.Greater(t, c.Class[3].XOffs, uint64(5_000))
	require.Less(
		t,
		c.FramesSent,
		uint64(200*sluice.Microsecond/g100.TimeOf(WireLength)),
		"no more than the wire can carry",
	)
	require.Zero(t, c.Class[3].HeadroomDrops)
	require.Greater(t, c.Class[3].HeadroomPeak, sluice.Bytes(40_000), "the headroom is needed")
	total := wire.s.Counters()
	require.Zero(t, total.Drops())
}

// flappingLink is a peer that sends packets of 64 bytes of class 3 into port 0 as fast as it may,
// on a wire of 300 m at 100 Gb/s, and a switch that sends them on by port 1, as fast as they come
// for 20 us and not at all for the next 20.
type flappingLink struct {
	*bench
	peerFree  sluice.Time // when the peer's transmitter is free
	wireFree  sluice.Time // when the transmitter of port 0 is free
	sendFree  sluice.Time // when the transmitter of port 1 is free
	holdUntil sluice.Time // the peer begins no packet before
	arrivals  []sluice.Time
	frames    []timedFrame // on their way to the peer
}

type timedFrame struct {
	at sluice.Time
	Frame
}

func newFlappingLink(t *testing.T, config Config) *flappingLink {
	k := newBench(t, config)
	k.busy = true
	return &flappingLink{bench: k}
}

// run lets time pass in steps of a byte time at 100 Gb/s: 80 ps.
func (l *flappingLink) run(until sluice.Time) {
	const step = 80
	delay, react := Cable(300), g100.TimeOfQuanta(Reaction(g100))
	packet := g100.TimeOf(64)
	var f Frame
	for ; l.now < until; l.now += step {
		for len(l.frames) > 0 && l.frames[0].at <= l.now {
			l.holdUntil = 0
			if l.frames[0].Time[3] > 0 {
				l.holdUntil = l.now + g100.TimeOfQuanta(l.frames[0].Time[3])
			}
			l.frames = l.frames[1:]
		}
		if l.peerFree <= l.now && l.holdUntil <= l.now {
			l.arrivals = append(l.arrivals, l.now+packet+delay)
			l.peerFree = l.now + packet
		}
		if l.sendFree <= l.now && l.now/(20*sluice.Microsecond)%2 == 0 {
			if _, _, ok := l.send(1); ok {
				l.sendFree = l.now + packet
			}
		}
		if len(l.arrivals) > 0 && l.arrivals[0] <= l.now {
			l.arrivals = l.arrivals[1:]
			l.enqueue(1, 0, 3, 64)
		}
		if l.wireFree <= l.now && l.s.Port(0).PollFrame(l.now, &f) {
			require.False(l.t, l.s.Port(0).PollFrame(l.now, &f), "one frame at most")
			l.wireFree = l.now + g100.TimeOf(WireLength)
			l.frames = append(l.frames, timedFrame{l.wireFree + delay + react, f})
		}
	}
}
