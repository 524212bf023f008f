package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// TestHowFarFromActing: when no pause was ever sent, the counters say how near it came.
func TestHowFarFromActing(t *testing.T) {
	config := hpcc(2, 100*sluice.Gbps, sluice.Microsecond, sluice.MiB)
	k := newBench(t, config)
	require.Equal(t, MaxBuffer, k.s.Counters().Class[3].XOffMargin)
	for range 20 {
		k.enqueue(0, 1, 3, 1500)
	}
	nearest := k.s.Port(1).XOff(3) - 30_000
	k.drain(0)
	k.enqueue(0, 1, 3, 1500)
	c := k.s.Port(1).Counters().Class[3]
	require.Zero(t, c.XOffs)
	require.Equal(t, sluice.Bytes(30_000), c.IngressPeak)
	require.Equal(t, nearest, c.XOffMargin)
	require.Equal(t, nearest, k.s.Counters().Class[3].XOffMargin, "the least of all ports")
	require.Equal(t, MaxBuffer, k.s.Port(0).Counters().Class[3].XOffMargin)
}

// TestUntroubled: nothing troubles a switch until an ingress pauses, or a lossless packet finds no
// room.
func TestUntroubled(t *testing.T) {
	for name, trouble := range map[string]func(*bench){
		"a pause": func(k *bench) {
			for k.s.Counters().Class[3].XOffs == 0 {
				k.enqueue(0, 1, 3, 1500)
			}
		},
		"a loss, and no pause": func(k *bench) {
			k.enqueue(0, 1, 3, 1<<30)
			require.Zero(t, k.s.Counters().Class[3].XOffs)
			require.Equal(t, uint64(1), k.s.Counters().Class[3].HeadroomDrops)
		},
	} {
		k := newBench(t, hpcc(2, 100*sluice.Gbps, sluice.Microsecond, sluice.MiB))
		k.enqueue(0, 1, 3, 1500)
		k.drain(0)
		require.True(t, k.s.Untroubled(), name)
		require.Equal(t, k.s.Port(1).Counters().Class[3].XOffMargin, k.s.Port(1).XOffMargin(3))
		require.Equal(t, MaxBuffer, k.s.Port(1).XOffMargin(8), "no such class")
		trouble(k)
		require.False(t, k.s.Untroubled(), name)
	}
}

// TestMarginOnceExceeded is 0 or less, rounded down.
func TestMarginOnceExceeded(t *testing.T) {
	port := PortConfig{
		Link:    sluice.Link{Rate: 100 * sluice.Gbps},
		Profile: Profile{Alpha: ratio(1, 3), Headroom: 2000},
	}
	k := newBench(
		t,
		Config{Ports: []PortConfig{port, port}, Buffer: 14_000, Classes: sluice.MakeClassSet(3)},
	)
	k.enqueue(0, 1, 3, 2500) // T = 7500 / 3
	require.Equal(t, sluice.Bytes(0), k.s.Port(1).Counters().Class[3].XOffMargin)
	require.Len(t, k.take(), 1)
	k.enqueue(0, 0, 3, 1000) // T = 6500 / 3, for both
	k.enqueue(0, 1, 3, 1)
	require.Equal(t, sluice.Bytes(2166-2500), k.s.Port(1).Counters().Class[3].XOffMargin)
	k.enqueue(0, 0, 3, 1)
	k.enqueue(0, 0, 3, 1)
	k.enqueue(0, 1, 3, 1) // T = 6498 / 3, no more than 2166
	require.Equal(t, sluice.Bytes(2166-2500), k.s.Port(1).Counters().Class[3].XOffMargin)
}

// TestTimesUnderWay: a hold and a pause that have not ended count as far as time was seen.
func TestTimesUnderWay(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100))
	k.at(1000)
	k.enqueue(0, 0, 4, 1000)
	k.receive(0, pauseOf(65535, 3))
	k.now = 5000
	k.enqueue(0, 0, 0, 1)
	c := k.s.Counters()
	require.Equal(t, sluice.Time(4000), c.Class[3].HeldTime)
	require.Equal(t, sluice.Time(4000), c.Class[4].PausedTime)
}

// TestSums: the switch's counters are the sums of its ports' counters.
func TestSums(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	for in := range sluice.PortID(2) {
		k.enqueue(0, in, 3, 1000)
		k.enqueue(1, in, 4, 600)
		k.receive(in, pauseOf(1, 3))
		k.receive(in, Frame{})
	}
	k.at(sluice.Millisecond)
	k.drain(0)
	k.drain(1)
	k.s.Port(1).Dequeue(k.now, 3, &sluice.Packet{Size: 1, Class: 3})
	k.enqueue(1, 9, 3, 1)
	total := k.s.Counters()
	require.Equal(t, uint64(2), total.Class[3].Enqueued)
	require.Equal(t, uint64(2), total.Class[4].Transmitted)
	require.Equal(t, uint64(2), total.Class[3].Expiries)
	require.Equal(t, uint64(4), total.FramesReceived)
	require.Equal(t, uint64(2), total.Ignored)
	require.Equal(t, uint64(1), total.Misuse)
	require.Equal(t, uint64(1), total.Dropped[sluice.BadIngress])
	require.Equal(t, sluice.Bytes(3200), total.BufferPeak)
	require.Equal(t, sluice.Bytes(2000), total.Class[3].BacklogPeak)
	require.Equal(t, sluice.Bytes(1000), total.Class[3].IngressPeak)
	require.Equal(
		t,
		total.FramesSent,
		k.s.Port(0).Counters().FramesSent+k.s.Port(1).Counters().FramesSent,
	)
	require.Equal(
		t,
		total.Class[3].PausesSent-total.Class[3].Refreshes,
		total.Class[3].XOffs,
		"nothing else was paused at that time",
	)
}

// TestQueueAndPriorityGroupCounters: `show queue counters`, `show priority-group drop counters`.
func TestQueueAndPriorityGroupCounters(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) { c.Buffer = c.SetApart() + 20_000 }))
	for range 11 {
		k.enqueue(0, 1, 3, 1000)
	}
	for k.enqueue(0, 1, 0, 900).Action() == sluice.Append {
	}
	require.Equal(t, k.s.Port(0).Counters().Class[0].Enqueued+1, k.s.Counters().Outside,
		"packets of classes that are not lossless, the dropped one included")
	k.enqueue(0, 7, 3, 1000)
	k.enqueue(0, 1, 3, 0)
	k.enqueue(0, 1, 9, 1)
	k.drain(0)
	out, in := k.s.Port(0).Counters(), k.s.Port(1).Counters()
	require.Equal(t, uint64(10), out.Class[3].Enqueued)
	require.Equal(t, sluice.Bytes(10_000), out.Class[3].EnqueuedBytes)
	require.Equal(t, uint64(10), out.Class[3].Transmitted)
	require.Equal(t, sluice.Bytes(10_000), out.Class[3].TransmittedBytes)
	require.Equal(t, uint64(10), in.Class[3].Received)
	require.Equal(t, sluice.Bytes(10_000), in.Class[3].ReceivedBytes)
	require.Equal(t, in.Class[0].ReceivedBytes, out.Class[0].TransmittedBytes)
	require.Equal(t, uint64(1), out.Class[3].Dropped[sluice.HeadroomExhausted])
	require.Equal(t, uint64(1), out.Class[3].Dropped[sluice.BadIngress])
	require.Equal(t, uint64(1), out.Class[3].Dropped[sluice.BadSize])
	require.Equal(t, uint64(1), out.Class[0].Dropped[sluice.BufferFull])
	require.Equal(t, uint64(5), out.Drops(), "and one of no class")
	require.Equal(t, uint64(1), out.Dropped[sluice.BadClass])
	require.Equal(t, uint64(1), in.Class[3].HeadroomDrops)
}

// TestWatermarkClear: `sonic-clear priority-group watermark`, `sonic-clear queue watermark`.
func TestWatermarkClear(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	for range 8 {
		k.enqueue(0, 1, 3, 1000)
	}
	k.s.ClearPeaks(AllPeaks)
	held := k.s.Port(1).Counters().Class[3]
	require.Equal(t, sluice.Bytes(8000), held.IngressPeak, "what is held now, headroom included")
	require.Equal(t, sluice.Bytes(3000), held.HeadroomPeak)
	for range 6 {
		k.send(0)
	}
	k.s.ClearPeaks(AllPeaks)
	c, in := k.s.Counters(), k.s.Port(1).Counters().Class[3]
	require.Equal(t, sluice.Bytes(2000), c.BufferPeak)
	require.Equal(t, sluice.Bytes(2000), c.Class[3].BacklogPeak)
	require.Equal(t, sluice.Bytes(2000), in.IngressPeak)
	require.Zero(t, in.HeadroomPeak)
	require.Equal(t, MaxBuffer, in.XOffMargin)
	require.Equal(t, uint64(8), c.Enqueued, "counters go on")
	k.enqueue(0, 1, 3, 1000)
	require.Equal(t, sluice.Bytes(3000), k.s.Counters().BufferPeak)
	require.Equal(t, sluice.Bytes(2000), k.s.Port(1).Counters().Class[3].XOffMargin)
}

// TestCountersOfClassicPause: a frame that stops the port is a pause of each class that needs it,
// and a frame that starts the port is a resume of the last class.
func TestCountersOfClassicPause(t *testing.T) {
	k := newBench(t, twoClasses(ClassicPause, 999, g100))
	k.enqueue(0, 0, 3, 1000)
	k.enqueue(0, 0, 4, 1000)
	k.at(333 * 5120) // the refresh is for both
	k.drain(0)
	c := k.s.Counters()
	require.Equal(t, uint64(3), c.FramesSent)
	require.Equal(t, uint64(2), c.PausesSent)
	require.Equal(t, uint64(1), c.ResumesSent)
	require.Equal(t, uint64(2), c.Class[3].PausesSent)
	require.Equal(t, uint64(1), c.Class[4].PausesSent)
	require.Equal(t, uint64(1), c.Class[3].ResumesSent, "class 4 went first")
	require.Zero(t, c.Class[4].ResumesSent)
}

// TestWatermarksByKind: of pools, of the headroom pool, and of a priority group's shared part, each
// cleared by itself.
func TestWatermarksByKind(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) {
		c.Watermarks, c.HeadroomPool = true, 20_000
		c.Pools, c.LossyPool = []sluice.Bytes{30_000}, 1
		c.Ports[1].Reserve = 1000
	}))
	for range 8 {
		k.enqueue(0, 1, 3, 1000) // 1 of the reserve, 4 of the pool, 3 of the headroom
		k.enqueue(0, 1, 0, 500)
	}
	in := func() ClassCounters { return k.s.Port(1).Counters().Class[3] }
	c := k.s.Counters()
	require.Equal(t, [8]sluice.Bytes{4000, 4000}, c.PoolPeak)
	require.Equal(t, sluice.Bytes(3000), c.HeadroomPoolPeak)
	require.Equal(t, sluice.Bytes(4000), in().SharedPeak)
	k.drain(0)
	off := k.s.Config()
	off.Watermarks = false
	_, err := k.s.Reconfigure(k.now, off)
	require.NoError(t, err)
	require.Zero(t, k.s.Port(1).account(3).flags&watched, "nothing is watched from now on")
	off.Watermarks = true
	_, err = k.s.Reconfigure(k.now, off)
	require.NoError(t, err)
	k.s.ClearPeaks(PoolPeaks)
	require.Zero(t, k.s.Counters().PoolPeak)
	require.Equal(t, sluice.Bytes(3000), k.s.Counters().HeadroomPoolPeak)
	k.s.ClearPeaks(HeadroomPoolPeaks)
	require.Zero(t, k.s.Counters().HeadroomPoolPeak)
	require.Equal(t, sluice.Bytes(4000), in().SharedPeak)
	k.s.ClearPeaks(SharedPeaks)
	require.Zero(t, in().SharedPeak)
	require.Equal(t, sluice.Bytes(3000), in().HeadroomPeak)
	require.Equal(t, sluice.Bytes(8000), in().IngressPeak)
	k.s.ClearPeaks(HeadroomPeaks | IngressPeaks)
	require.Zero(t, in().HeadroomPeak)
	require.Zero(t, in().IngressPeak)
	require.Equal(t, sluice.Bytes(12_000), k.s.Port(0).Counters().Class[3].BacklogPeak+
		k.s.Port(0).Counters().Class[0].BacklogPeak)
}

// TestWatermarksBeginAtWhatIsHeld when they are cleared, each kind by itself; and at nothing where
// they are not counted any more.
func TestWatermarksBeginAtWhatIsHeld(t *testing.T) {
	config := ruled(func(q *qos.Port) { q.Queues[3] = &qos.Limit{} })
	config.Watermarks, config.EgressPools[0] = true, 50_000
	for i := range config.Ports {
		config.Ports[i].Profile = Profile{XOff: 5000, Headroom: 5000}
	}
	k := newBench(t, config)
	for range 11 {
		k.enqueue(0, 1, 3, 1000) // 5 of the pool, 5 of the headroom, and one is lost
	}
	for range 8 {
		k.send(0)
	}
	peaks := func() [5]sluice.Bytes {
		c, in := k.s.Counters(), k.s.Port(1).Counters().Class[3]
		return [5]sluice.Bytes{
			c.BufferPeak, c.PoolPeak[0], c.EgressPoolPeak[0], in.SharedPeak, in.HeadroomMissing,
		}
	}
	k.s.ClearPeaks(AllPeaks &^ (PoolPeaks | SharedPeaks | HeadroomPeaks))
	require.Equal(t, [5]sluice.Bytes{10_000, 5000, 10_000, 5000, 1000}, peaks())
	k.s.ClearPeaks(AllPeaks)
	require.Equal(t, [5]sluice.Bytes{2000, 2000, 2000, 2000, 0}, peaks())
	k.reconfigure(func(c *Config) { c.Watermarks = false })
	k.s.ClearPeaks(AllPeaks)
	require.Equal(t, [5]sluice.Bytes{2000, 0, 2000, 0, 0}, peaks())
}
