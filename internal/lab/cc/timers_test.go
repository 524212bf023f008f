package cc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestHyperIncreaseHalves: the periods of the timer and of the counter are halved in hyper
// increase, from the event after the event that enters it.
func TestHyperIncreaseHalves(t *testing.T) {
	for _, halve := range []bool{true, false} {
		c := configured(t, DCQCN, fmt.Sprintf("dcqcn.halve-in-hyper=%v,dcqcn.fast-recovery=2", halve))
		c.Start(0, 0, 40*sluice.Gbps)
		for range 8 {
			c.Notice(0, 0, cnp)
		}
		d := &lawOf[*dcqcn](c).state[0]
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
		c.byteEvent(3*full, &lawOf[*qcn](c).state[0])
		require.Equal(t, want, lawOf[*qcn](c).state[0].left)
	}
}

// TestQCNJitter: periods vary by 15 %, up and down, and average to the full one.
func TestQCNJitter(t *testing.T) {
	c := configured(t, QCN, "")
	c.Start(0, 0, 40*sluice.Gbps)
	least, most, sum := int64(1)<<62, int64(0), int64(0)
	const n = 10_000
	for range n {
		p := lawOf[*qcn](c).state[0].period(1_000_000, &lawOf[*qcn](c).recovery)
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
	a, b := &lawOf[*qcn](other).state[0], &lawOf[*qcn](other).state[1]
	k := &lawOf[*qcn](c).recovery
	require.NotEqual(t, a.period(1<<40, k), b.period(1<<40, k))
	require.NotEqual(t, a.period(1<<40, k), a.period(1<<40, k))
}

// TestAlphaAtItsInstant: a mark before the end of alpha's timer counts at that end, one at the same
// instant counts at the next.
func TestAlphaAtItsInstant(t *testing.T) {
	c := configured(t, DCQCNHPCC, "dcqcn-hpcc.alpha-timer=50us,dcqcn-hpcc.decrease-timer=50us")
	c.Start(0, 0, 100*sluice.Gbps)
	mark := func(at sluice.Time) { c.Ack(at*us, 0, &Sample{Mark: sluice.CE}) }
	d := &lawOf[*dcqcnHPCC](c).state[0]
	mark(0)
	mark(10)
	d.decay(50*us, lawOf[*dcqcnHPCC](c))
	require.Equal(t, 1.0, d.alpha)
	mark(100)
	require.Equal(t, 255.0/256, d.alpha, "no mark from 50 to 100 us")
	require.Equal(t, 100*us+sluice.Nanosecond, c.Changes(0), "the decrease is still due")
	d.decay(150*us, lawOf[*dcqcnHPCC](c))
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

// TestRoundsLater: with RoundsLater the acknowledgement of the second packet sent since the last
// round trip ended is the next sample, else the acknowledgement of the first. The caller's sample
// stays.
func TestRoundsLater(t *testing.T) {
	for _, later := range []bool{false, true} {
		c := configured(t, Timely, "timely.ai=1Gbps", func(c *Config) { c.RoundsLater = later })
		c.Start(0, 0, 100*sluice.Gbps)
		var cuts []int32
		for acked := int32(1); acked <= 7; acked++ { // one packet in flight
			before := c.Rate(0, 0)
			s := Sample{Acked: acked, Sent: acked, RTT: sluice.Time(50+10*acked) * us}
			c.Ack(0, 0, &s)
			require.Equal(t, acked, s.Acked)
			if c.Rate(0, 0) < before {
				cuts = append(cuts, acked)
			}
		}
		want := []int32{2, 3, 4, 5, 6, 7}
		if later {
			want = []int32{4, 6}
		}
		require.Equal(t, want, cuts, "later: %v", later)
	}
}

// TestPacketTime: timely-pcn takes the time of one packet off a sample.
func TestPacketTime(t *testing.T) {
	c := configured(t, TimelyPCN, "timely-pcn.every=1", func(c *Config) { c.Packet = 1000 })
	c.Start(0, 0, 40*sluice.Gbps)
	c.Ack(0, 0, &Sample{RTT: 35 * us})
	require.Equal(t, 35*us-200*sluice.Nanosecond, lawOf[*timelyPCN](c).state[0].lastRTT)
}

// TestNoticeAfterTimers: what fell due before a notice is applied before it, read or not.
func TestNoticeAfterTimers(t *testing.T) {
	for _, kind := range []*Kind{DCQCN, QCN, DCQCNHPCC} {
		var rates [2]sluice.Rate
		for read := range rates {
			c := configured(t, kind, "qcn.timer=55us", func(c *Config) { c.Seed = 1 })
			c.Start(0, 0, 40*sluice.Gbps)
			for _, now := range []sluice.Time{0, 0, 0, 700 * us, 705 * us} {
				if read == 1 {
					c.Rate(now, 0)
				}
				c.Notice(now, 0, Notice{Mark: sluice.CE, Feedback: 40})
				c.Ack(now, 0, &Sample{Mark: sluice.CE})
			}
			rates[read] = c.Rate(750*us, 0)
			require.Less(t, rates[read], 40*sluice.Gbps)
		}
		require.Equal(t, rates[1], rates[0], "%v", kind)
	}
}

// TestDecayed: alpha's timer keeps its beat, also where alpha has become nothing.
func TestDecayed(t *testing.T) {
	alpha, at := decayed(1, 10, 34, 10, 0.5)
	require.Equal(t, 0.125, alpha)
	require.EqualValues(t, 40, at)
	alpha, at = decayed(1, 10, 9, 10, 0.5)
	require.Equal(t, 1.0, alpha)
	require.EqualValues(t, 10, at)
	alpha, at = decayed(1, 10, 1_000_000_000_005, 10, 0.5)
	require.Zero(t, alpha)
	require.Equal(t, sluice.Time(1_000_000_000_010), at)
	_, at = decayed(1, 10, 1_000_000_000_000, 10, 0.5)
	require.Equal(t, sluice.Time(1_000_000_000_010), at, "one that ends now has ended")
}

// TestTelemetryOfNothing: telemetry of no later packet, or of a link without a rate, measures
// nothing.
func TestTelemetryOfNothing(t *testing.T) {
	c, err := New(defaults(t, HPCC))
	require.NoError(t, err)
	c.Start(0, 0, 100*sluice.Gbps)
	ack := func(now sluice.Time, rate sluice.Rate) {
		telemetry := INT{N: 1}
		telemetry.Hops[0] = INTHop{Time: now, Sent: sluice.Bytes(now), Queue: 1000, Rate: rate}
		h := &lawOf[*hpcc](c).state[0]
		c.Ack(now, 0, &Sample{Acked: h.lastUpdate + 1, Sent: h.lastUpdate + 2, Telemetry: &telemetry})
	}
	ack(us, 100*sluice.Gbps)
	for _, rate := range []sluice.Rate{100 * sluice.Gbps, 0, -1} {
		u := lawOf[*hpcc](c).state[0].u
		ack(us, rate)
		require.Equal(t, u, lawOf[*hpcc](c).state[0].u)
	}
	u := lawOf[*hpcc](c).state[0].u
	ack(2*us, 0)
	require.Equal(t, u, lawOf[*hpcc](c).state[0].u)
	ack(2*us, 1)
	require.Greater(t, lawOf[*hpcc](c).state[0].u, u)
	require.Equal(t, sluice.Gbps, c.Rate(0, 0), "the least")
}

// TestStepsOfTimelyPCN: a step by the time since the last one; five at once after five falling
// samples; never below half.
func TestStepsOfTimelyPCN(t *testing.T) {
	c := configured(t, TimelyPCN, "timely-pcn.every=1,timely-pcn.ewma=1")
	c.Start(0, 0, 40*sluice.Gbps)
	now := sluice.Time(0)
	sample := func(rtt, since sluice.Time) sluice.Rate {
		now += since * us
		before := c.Rate(now, 0)
		c.Ack(now, 0, &Sample{RTT: rtt * us})
		return c.Rate(now, 0) - before
	}
	sample(60, 0)
	require.Equal(t, -20*sluice.Gbps, sample(480, 15), "a gradient of 14 takes more than half")
	for range 4 {
		require.Equal(t, 20*sluice.Mbps, sample(480-sluice.Time(now/us), 15))
	}
	require.Equal(t, 100*sluice.Mbps, sample(300, 15), "the fifth in a row")
	require.Equal(t, 200*sluice.Mbps, sample(299, 40))
	require.Equal(t, 40*sluice.Mbps, sample(49, 40), "below the low threshold, one")
	require.Negative(t, sample(300, 15))
}
