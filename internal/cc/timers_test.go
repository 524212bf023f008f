package cc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestHyperIncreaseHalves: the periods of the timer and of the counter are halved in hyper
// increase, from the event after the one that enters it.
func TestHyperIncreaseHalves(t *testing.T) {
	for _, halve := range []bool{true, false} {
		config := defaults(t, DCQCN)
		config.DCQCN.HalveInHyper, config.DCQCN.FastRecovery = halve, 2
		c, err := New(config)
		require.NoError(t, err)
		c.Start(0, 0, 40*sluice.Gbps)
		for range 8 {
			c.Notice(0, 0, cnp)
		}
		d := &c.dcqcn[0]
		c.byteEvent(1, &d.recovery)
		c.byteEvent(1, &d.recovery)
		require.EqualValues(t, 10_000_000, d.left)
		now := sluice.Time(0)
		for k := range 5 { // the second enters hyper increase
			period := 55 * us
			if halve && k > 2 {
				period /= 2
			}
			require.Equal(t, now+period, c.Changes(0), "event %d", k)
			now = c.Changes(0)
			c.Rate(now, 0)
		}
		c.byteEvent(now, &d.recovery)
		require.EqualValues(t, map[bool]int64{true: 5_000_000, false: 10_000_000}[halve], d.left)
	}
}

// TestQCNHalves: each of timer and counter has half its period once its own stages of fast recovery
// are over.
func TestQCNHalves(t *testing.T) {
	c := configured(t, QCN, "qcn.jitter=0,qcn.fast-recovery=2")
	c.Start(0, 0, 40*sluice.Gbps)
	c.Notice(0, 0, Notice{Feedback: 63})
	c.Notice(0, 0, Notice{Feedback: 63})
	const full = 15 * sluice.Millisecond
	for _, want := range []sluice.Time{full, 2 * full, 2*full + full/2, 3 * full} {
		require.Equal(t, want, c.Changes(0))
		c.Rate(want, 0)
	}
	for _, want := range []int64{150_000, 75_000, 75_000} {
		c.byteEvent(3*full, &c.qcn[0])
		require.Equal(t, want, c.qcn[0].left)
	}
}

// TestQCNJitter: periods vary by 15 %, up and down, and average to the full one.
func TestQCNJitter(t *testing.T) {
	c := configured(t, QCN, "")
	c.Start(0, 0, 40*sluice.Gbps)
	least, most, sum := int64(1)<<62, int64(0), int64(0)
	const n = 10_000
	for range n {
		p := c.qcn[0].period(1_000_000, &c.constant.recovery)
		least, most, sum = min(least, p), max(most, p), sum+p
	}
	require.InDelta(t, 850_000, least, 500)
	require.InDelta(t, 1_150_000, most, 500)
	require.InDelta(t, 1_000_000, float64(sum)/n, 5*300_000/3.46/100)
	require.GreaterOrEqual(t, least, int64(850_000-1))
	require.LessOrEqual(t, most, int64(1_150_000))

	other := configured(t, QCN, "")
	other.Start(0, 0, 40*sluice.Gbps)
	other.Start(0, 1, 40*sluice.Gbps)
	a, b := &other.qcn[0], &other.qcn[1]
	require.NotEqual(t, a.period(1<<40, &c.constant.recovery), b.period(1<<40, &c.constant.recovery))
	require.NotEqual(t, a.period(1<<40, &c.constant.recovery), a.period(1<<40, &c.constant.recovery))
}

// TestAlphaAtItsInstant: a mark before the end of alpha's timer counts at that end, one at the same
// instant counts at the next.
func TestAlphaAtItsInstant(t *testing.T) {
	c := configured(t, DCQCNHPCC, "dcqcn-hpcc.alpha-timer=50us,dcqcn-hpcc.decrease-timer=50us")
	c.Start(0, 0, 100*sluice.Gbps)
	mark := func(at sluice.Time) { c.Ack(at*us, 0, &Sample{Mark: sluice.CE}) }
	d := &c.dcqcnHPCC[0]
	mark(0)
	mark(10)
	d.decay(50*us, c)
	require.Equal(t, 1.0, d.alpha)
	mark(100)
	require.Equal(t, 255.0/256, d.alpha, "no mark from 50 to 100 us")
	require.Equal(t, 150*us+sluice.Nanosecond, c.Changes(0)+50*us, "and the decrease is still due at 100")
	d.decay(150*us, c)
	require.Equal(t, 255.0*255/256/256+1.0/256, d.alpha)
	c.Rate(400*us, 0)
	require.False(t, d.decreaseMarked)
	mark(400)
	require.Equal(t, 400*us+sluice.Nanosecond, d.decreaseAt, "the first end after 400 us")
}

// TestThresholdsOfTimely: a sample at a threshold is between the thresholds.
func TestThresholdsOfTimely(t *testing.T) {
	for _, rtt := range []sluice.Time{50, 500} {
		c := configured(t, Timely, "")
		c.Start(0, 0, 100*sluice.Gbps)
		c.Ack(0, 0, &Sample{Acked: 1, Sent: 1, RTT: (rtt - 5) * us})
		c.Ack(0, 0, &Sample{Acked: 2, Sent: 2, RTT: rtt * us})
		isMbps(t, 100_000*(1-.8*.875*5/20), c.Rate(0, 0), 4, "RTT %d us", rtt)

		p := configured(t, TimelyPCN, "timely-pcn.every=1")
		p.Start(0, 0, 40*sluice.Gbps)
		p.Ack(0, 0, &Sample{RTT: (rtt - 15) * us})
		p.Ack(us, 0, &Sample{RTT: rtt * us})
		isMbps(t, 40_000*(1-.8*.02*15/30), p.Rate(us, 0), 4, "RTT %d us", rtt)
	}
}

// TestPacketTime: timely-pcn takes the time of one packet off a sample.
func TestPacketTime(t *testing.T) {
	c := configured(t, TimelyPCN, "timely-pcn.every=1", func(c *Config) { c.Packet = 1000 })
	c.Start(0, 0, 40*sluice.Gbps)
	c.Ack(0, 0, &Sample{RTT: 35 * us})
	require.Equal(t, 35*us-200*sluice.Nanosecond, c.timely[0].lastRTT)
}
