package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// twoClasses is a switch of ports at the given rates in which classes 3 and 4 are lossless and
// every packet of 1,000 bytes takes its ingress to X_off.
func twoClasses(mode Mode, pause sluice.Quanta, rates ...sluice.Rate) Config {
	config := Config{
		Buffer:  sluice.MiB,
		Classes: sluice.MakeClassSet(3, 4),
		MAC:     sluice.MAC{2, 0, 0, 0, 0, 1},
	}
	for _, r := range rates {
		config.Ports = append(
			config.Ports,
			PortConfig{
				Link:    sluice.Link{Rate: r},
				Pause:   pause,
				Mode:    mode,
				Profile: Profile{XOff: 1000, Headroom: 10_000},
			},
		)
	}
	return config
}

const (
	g10  = 10 * sluice.Gbps
	g100 = 100 * sluice.Gbps
	g400 = 400 * sluice.Gbps
)

// TestQuantaAtThePortsRate: a quantum of a pause is 512 bit times (802.3 clause 31B.2), at the rate
// of the port that receives it.
func TestQuantaAtThePortsRate(t *testing.T) {
	for _, test := range []struct {
		rate sluice.Rate
		want sluice.Time
	}{
		{g10, 51_200}, {40 * sluice.Gbps, 12_800}, {g100, 5_120}, {g400, 1_280},
		{1600 * sluice.Gbps, 320},
	} {
		k := newBench(t, twoClasses(PriorityPause, 0, g10, test.rate))
		k.at(7)
		k.receive(1, pauseOf(1, 3))
		require.Equal(t, 7+test.want, k.s.Port(1).HeldUntil(3), "%v", test.rate)
		require.Equal(t, 7+test.want, k.s.Deadline())
		k.receive(1, pauseOf(65535, 3))
		require.Equal(t, 7+65535*test.want, k.s.Port(1).HeldUntil(3), "%v", test.rate)
	}
}

// TestTimerOfEachClass: a time loads its class's timer whatever was left, 0 releases at once, and
// classes that are not enabled are untouched (802.1Q clause 36.1.2 and 802.3 annex 31D).
func TestTimerOfEachClass(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	port := k.s.Port(0)
	for range 3 {
		k.enqueue(0, sluice.Local, 3, 100)
		k.enqueue(0, sluice.Local, 4, 100)
	}
	k.receive(0, pauseOf(100, 3, 4))
	require.Equal(t, sluice.MakeClassSet(3, 4), port.Held())
	require.Zero(t, k.drain(0))

	k.at(1000)
	k.receive(0, pauseOf(10, 4)) // shorter
	require.Equal(t, sluice.Time(100*5120), port.HeldUntil(3))
	require.Equal(t, sluice.Time(1000+10*5120), port.HeldUntil(4))
	require.False(t, port.Sendable(4))

	w := k.receive(
		0,
		Frame{Opcode: OpcodePFC, Enabled: sluice.MakeClassSet(3), Time: [8]sluice.Quanta{4: 9}},
	) // 4 is not enabled
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, w|sluice.WakeDeadline)
	require.Equal(t, sluice.MakeClassSet(4), port.Held())
	p, _, _ := k.send(0)
	require.Equal(t, sluice.Class(3), p.Class)

	k.at(1000 + 10*5120 - 1)
	require.Equal(t, sluice.MakeClassSet(4), port.Held())
	k.at(1000 + 10*5120)
	require.Zero(t, port.Held())
	p, _, _ = k.send(0)
	require.Equal(t, sluice.Class(4), p.Class)

	c := port.Counters()
	require.Equal(t, uint64(1), c.Class[4].Expiries)
	require.Equal(t, uint64(0), c.Class[3].Expiries)
	require.Equal(t, uint64(1), c.Class[4].Holds)
	require.Equal(t, uint64(2), c.Class[4].PausesReceived)
	require.Equal(t, uint64(1), c.Class[3].ResumesReceived)
	require.Equal(t, sluice.Time(1000), c.Class[3].HeldTime)
	require.Equal(t, sluice.Time(1000+10*5120), c.Class[4].HeldTime)
	require.Equal(t, sluice.Never, k.s.Deadline())
}

// TestClassThatIsNotLosslessIgnoresPauses: PFC is enabled by priority (802.1Q clause 36.1.1).
func TestClassThatIsNotLosslessIgnoresPauses(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100))
	require.Zero(t, k.receive(0, pauseOf(100, 0, 7)))
	require.Zero(t, k.s.Port(0).Held())
	c := k.s.Port(0).Counters()
	require.Equal(t, uint64(1), c.Class[0].PausesIgnored)
	require.Equal(t, uint64(1), c.Class[7].PausesIgnored)
	require.Equal(t, uint64(1), c.FramesReceived)
	require.Zero(t, c.Ignored)
}

// TestRefreshAtAThird: while an ingress stays above, its pause is sent anew when a third of the
// time sent has passed, at the rate of its port.
func TestRefreshAtAThird(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 1500, g100, g400))
	v := k.enqueue(0, 0, 3, 1000)
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, v.Wake())
	k.enqueue(0, 1, 3, 1000)
	require.Len(t, k.take(), 2)

	third100, third400 := sluice.Time(500*5120), sluice.Time(500*1280)
	require.Equal(t, third400, k.s.Deadline())
	k.at(third400)
	require.Equal(t, []sent{{1, withMAC(pauseOf(1500, 3))}}, k.take())
	k.at(third100)
	require.Len(t, k.take(), 4, "three more of port 1, one of port 0")
	c0, c1 := k.s.Port(0).Counters(), k.s.Port(1).Counters()
	require.Equal(t, uint64(1), c0.Class[3].Refreshes)
	require.Equal(t, uint64(4), c1.Class[3].Refreshes)
	require.Equal(t, uint64(1), c0.Class[3].XOffs)
	require.Equal(t, uint64(5), c1.FramesSent)

	k.drain(0)
	require.Len(t, k.take(), 2)
	require.Equal(t, sluice.Never, k.s.Deadline())
	require.NoError(t, k.s.Quiescent())
	c0 = k.s.Port(0).Counters()
	require.Equal(t, third100, c0.Class[3].PausedTime)
	require.Equal(t, uint64(1), c0.Class[3].ResumesSent)
	require.Equal(t, uint64(2), c0.Class[3].PausesSent)
}

func withMAC(f Frame) Frame {
	f.Source = sluice.MAC{2, 0, 0, 0, 0, 1}
	return f
}

// TestFrameSpeaksOfEveryPausedClass, so that a pause of one class refreshes the others.
func TestFrameSpeaksOfEveryPausedClass(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 1500, g100))
	k.enqueue(0, 0, 3, 1000)
	k.take()
	k.at(400 * 5120)
	k.enqueue(0, 0, 4, 1000)
	require.Equal(t, []sent{{0, withMAC(pauseOf(1500, 3, 4))}}, k.take())
	require.Equal(
		t,
		sluice.Time(900*5120),
		k.s.Deadline(),
		"both are refreshed a third of a pause later",
	)
	k.send(0) // class 4 goes first
	f := withMAC(pauseOf(1500, 3))
	f.Enabled = sluice.MakeClassSet(3, 4)
	require.Equal(t, []sent{{0, f}}, k.take())
}

// TestClassicPauseHoldsAllClasses: PAUSE stops all data frames for its time (802.3 clause 31B.1),
// whatever their priority, lossless or not.
func TestClassicPauseHoldsAllClasses(t *testing.T) {
	for _, mode := range []Mode{ClassicPause, ClassicObey} {
		k := newBench(t, twoClasses(mode, 0, g100))
		k.enqueue(0, sluice.Local, 0, 100)
		k.enqueue(0, sluice.Local, 4, 100)
		k.receive(0, Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{20}})
		require.Equal(t, sluice.ClassSet(0xff), k.s.Port(0).Held())
		require.Zero(t, k.drain(0))
		w := k.receive(0, Frame{Opcode: OpcodePause})
		require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, w)
		require.Equal(t, 2, k.drain(0))
		k.receive(0, Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{20}})
		k.at(20 * 5120)
		require.Zero(t, k.s.Port(0).Held())
	}
}

// TestOneKindOfPauseAPort: a port with PFC does not use PAUSE (802.3 annex 31D.1).
func TestOneKindOfPauseAPort(t *testing.T) {
	for _, test := range []struct {
		mode  Mode
		frame Frame
	}{
		{PriorityPause, Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{20}}},
		{ClassicPause, pauseOf(20, 3)},
		{ClassicObey, pauseOf(20, 3)},
		{PriorityPause, Frame{Opcode: 0x0102, Enabled: 0xff, Time: [8]sluice.Quanta{20}}},
	} {
		k := newBench(t, twoClasses(test.mode, 0, g100))
		require.Zero(t, k.receive(0, test.frame))
		require.Zero(t, k.s.Port(0).Held())
		require.Equal(t, uint64(1), k.s.Port(0).Counters().Ignored)
	}
}

// TestClassicPauseSent: the whole port is paused from the first class that needs it to the last.
func TestClassicPauseSent(t *testing.T) {
	k := newBench(t, twoClasses(ClassicPause, 1500, g100))
	pause := withMAC(Frame{Opcode: OpcodePause, Time: [8]sluice.Quanta{1500}})
	k.enqueue(0, 0, 3, 1000)
	require.Equal(t, []sent{{0, pause}}, k.take())
	k.at(100 * 5120)
	k.enqueue(0, 0, 4, 1000)
	require.Empty(t, k.take(), "the peer is paused already")
	k.at(500 * 5120)
	require.Equal(t, []sent{{0, pause}}, k.take(), "a third of the time")
	k.send(0)
	require.Empty(t, k.take(), "class 3 needs it still")
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Paused())
	k.send(0)
	require.Equal(t, []sent{{0, withMAC(Frame{Opcode: OpcodePause})}}, k.take())
	require.NoError(t, k.s.Quiescent())
}

// TestClassicObeySendsNothing, and says that it would have.
func TestClassicObeySendsNothing(t *testing.T) {
	k := newBench(t, twoClasses(ClassicObey, 1000, g100))
	require.Zero(t, k.enqueue(0, 0, 3, 1000).Wake())
	require.Empty(t, k.take())
	require.Equal(t, sluice.Never, k.s.Deadline())
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(0).Paused())
	k.drain(0)
	require.Empty(t, k.take())
	require.Equal(t, uint64(1), k.s.Port(0).Counters().Class[3].XOffs)
	require.NoError(t, k.s.Quiescent())
}

// TestTheEndOfTime: times near the largest saturate, and Expire comes to an end.
func TestTheEndOfTime(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 1000, g100))
	k.now = sluice.Never - 10
	k.enqueue(0, 0, 3, 1000)
	k.receive(0, pauseOf(10, 4))
	require.Equal(t, sluice.Never, k.s.Deadline())
	k.poll(k.s.Expire(sluice.Never))
}

// TestSourceAddress: the port's own, or else the switch's.
func TestSourceAddress(t *testing.T) {
	config := twoClasses(PriorityPause, 0, g100, g100)
	config.Ports[1].MAC = sluice.MAC{2, 0, 0, 0, 0, 9}
	k := newBench(t, config)
	k.enqueue(0, 0, 3, 1000)
	k.enqueue(0, 1, 3, 1000)
	frames := k.take()
	require.Len(t, frames, 2)
	require.Equal(t, config.MAC, frames[0].Source)
	require.Equal(t, config.Ports[1].MAC, frames[1].Source)
}

// A pause that comes at the end of time ends once the origin has moved: its Deadline is Never until
// Rebase brings its end near (package sluice, Time).
func TestPauseAtTheEndOfTimeExpires(t *testing.T) {
	for _, at := range []sluice.Time{sluice.Never - 1, chassis.Latest, 1 << 62} {
		k := newBench(t, twoClasses(PriorityPause, 1000, g100))
		k.now = at
		k.receive(0, pauseOf(10, 4))
		require.Equal(t, sluice.MakeClassSet(4), k.s.Port(0).Held())
		k.s.Rebase(at)
		require.LessOrEqual(t, k.s.Deadline(), 10*5120*sluice.Picosecond)
		k.poll(k.s.Expire(10 * 5120))
		require.Zero(t, k.s.Port(0).Held(), "from %d", int64(at))
		require.NoError(t, k.s.Audit())
	}
}
