package cc

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestCongestionPoint: Q_eq 40,800 B, w 2.
func TestCongestionPoint(t *testing.T) {
	p, err := NewCongestionPoint(PointConfig{
		Setpoint: 40_800, Weight: sluice.Ratio{Num: 2, Den: 1}, Base: 150_000,
		Jitter: sluice.Ratio{Den: 1},
	}, 1)
	require.NoError(t, err)
	require.EqualValues(t, 150_000, p.left)
	for _, s := range []struct {
		queue      sluice.Bytes
		congestion int64
		feedback   uint8
		base       int64
	}{
		{20000, 19200, 6, 150_000}, {40800, 41600, 13, 75_000}, {41000, 600, 0, 150_000},
		{60000, 57200, 17, 50_000}, {100000, 139200, 43, 25_000}, {102000, 65200, 20, 50_000},
		{300000, 204000, 63, 18_500}, {250000, 109200, 34, 30_000}, {100000, 0, 0, 150_000},
	} {
		require.Equal(t, s.congestion, p.congestion(s.queue))
		_, notify := p.Arrive(sluice.Bytes(p.left), s.queue)
		require.False(t, notify, "before the sample")
		feedback, notify := p.Arrive(1, s.queue)
		require.Equal(t, s.feedback, feedback)
		require.Equal(t, feedback > 0, notify)
		require.Equal(t, s.base, p.left)
	}
}

// TestQCN: the reaction point at 40 Gb/s. A train of notices keeps the target; the rate falls by
// 1/128 a unit of feedback.
func TestQCN(t *testing.T) {
	c := configured(t, QCN, "qcn.ai=40Mbps,qcn.jitter=0")
	c.Start(0, 0, 40*sluice.Gbps)
	r := &lawOf[*qcn](c).state[0]
	for k, feedback := range []uint8{63, 63, 32} {
		c.Notice(0, 0, Notice{Feedback: feedback})
		isMbps(t, []float64{20312.5, 10314.9414, 7736.2061}[k], c.Rate(0, 0), 4)
		isMbps(t, 40000, r.target, 4)
	}
	c.byteEvent(1, r)
	isMbps(t, 23868.1030, c.Rate(1, 0), 4)
	c.byteEvent(1, r)
	isMbps(t, 31934.0515, c.Rate(1, 0), 4)
	now := 15 * sluice.Millisecond
	isMbps(t, 35967.0258, c.Rate(now, 0), 4)
	c.Notice(now, 0, Notice{Feedback: 16})
	isMbps(t, 35967.0258, r.target, 4)
	isMbps(t, 31471.1475, c.Rate(now, 0), 4)
	for range 4 {
		c.byteEvent(now, r)
	}
	isMbps(t, 35686.0334, c.Rate(now, 0), 4)
	c.byteEvent(now, r)
	isMbps(t, 35846.5296, c.Rate(now, 0), 4)
	isMbps(t, 36007.0258, r.target, 4)
}

// TestIBCC: a BECN adds CCTI_Increase to the index, up to CCTI_Limit; the timer takes 1, down to
// CCTI_Min; the rate is C/(1 + CCT[CCTI]).
func TestIBCC(t *testing.T) {
	for _, kind := range []*Kind{IBCC, IBCCTCD} {
		c := configured(t, kind, "ibcc.increase=2,ibcc.limit=5,ibcc.min=1,ibcc.step=1/2,ibcc.timer=30us")
		c.Start(0, 0, 40*sluice.Gbps)
		for _, s := range []struct {
			at      sluice.Time
			mark    sluice.ECN // of a notice; NotECT for none
			index   int32
			changes sluice.Time // in us, 0 for Never
		}{
			{0, sluice.NotECT, 1, 0}, {10, sluice.CE, 3, 40}, {12, sluice.CE, 5, 40}, {13, sluice.CE, 5, 40},
			{39, sluice.NotECT, 5, 40}, {40, sluice.NotECT, 4, 70}, {69, sluice.CE, 5, 70},
			{131, sluice.NotECT, 2, 160}, {160, sluice.NotECT, 1, 0}, {500, sluice.CE, 3, 530},
			{2000, sluice.CE, 3, 2030},
		} {
			if s.mark != sluice.NotECT {
				c.Notice(s.at*us, 0, Notice{Mark: s.mark})
			}
			want := 40e3 / (1 + float64(s.index)/2)
			isMbps(t, want, c.Rate(s.at*us, 0), 2, "at %d us", s.at)
			require.Equal(t, s.index, lawOf[*ibcc](c).state[0].index, "at %d us", s.at)
			if s.changes == 0 {
				require.Equal(t, sluice.Never, c.Changes(0))
				continue
			}
			require.Equal(t, s.changes*us, c.Changes(0), "at %d us", s.at)
		}
		require.EqualValues(t, 6-1, c.Counters().Decreases, "of 6 notices one met the limit")

		// UE keeps the index for a period of the timer, under ibcc+tcd.
		c.Notice(2020*us, 0, Notice{Mark: sluice.UE})
		want := map[*Kind]int32{IBCC: 2, IBCCTCD: 3}[kind]
		c.Rate(2049*us, 0)
		require.Equal(t, want, lawOf[*ibcc](c).state[0].index)
		c.Rate(2050*us, 0)
		require.EqualValues(t, 2, lawOf[*ibcc](c).state[0].index)
		require.EqualValues(t, map[*Kind]int{IBCC: 1, IBCCTCD: 0}[kind], c.Counters().Ignored)
	}
}

// TestIBCCReceiver: every marked packet is answered, or one per ibcc.becn.
func TestIBCCReceiver(t *testing.T) {
	for _, spacing := range []string{"0", "10us"} {
		c := configured(t, IBCC, "ibcc.becn="+spacing)
		c.Start(0, 0, 40*sluice.Gbps)
		for k, want := range []bool{true, false, false, true} {
			a := c.Arrive(sluice.Time(k)*4*us, 0, 1048, sluice.CE)
			require.Equal(t, want || spacing == "0", a.Notice == cnp, "packet %d", k)
			require.Zero(t, c.Arrive(sluice.Time(k)*4*us, 0, 1048, sluice.ECT1).Notice)
		}
	}
}

// TestPCN: Algorithm 1 and Figure 8 are tested with package pcn; here, what they tell each other.
// NSDI 2020, section 5.3: "flows start at the line rate"; a receiving rate of 9,500 Mb/s and its
// discount of 1/128 give 9,425.78 Mb/s.
func TestPCN(t *testing.T) {
	c := configured(t, PCN, "")
	c.Start(0, 0, 40*sluice.Gbps)
	require.Equal(t, sluice.Never, c.NoticeDue(0))
	const size, packets = 59_375, 1 // 9,500 Mb/s over 50 us
	for k, mark := range []sluice.ECN{sluice.CE, sluice.ECT0, sluice.CE} {
		begin := sluice.Time(k) * 50 * us
		require.Zero(t, c.Arrive(begin, 0, size, mark).Notice)
		require.Equal(t, 50*us, c.NoticeDue(0)-begin)
		_, ok := c.TakeNotice(begin+50*us-1, 0)
		require.False(t, ok)
		n, ok := c.TakeNotice(begin+50*us, 0)
		require.True(t, ok)
		require.EqualValues(t, 9500, n.RecRate)
		require.Equal(t, mark == sluice.CE, n.Mark == sluice.CE)
		c.Notice(begin+50*us, 0, n)
		// (40 - 9.42578125)/128 + 9.42578125 Gb/s after the notice that is not of congestion.
		want := []float64{9425.78125, 9664.6423, 9425.78125}[k]
		isMbps(t, want, c.Rate(0, 0), 4)
	}
	_, ok := c.TakeNotice(200*us, 0)
	require.False(t, ok, "nothing came in the fourth period")
	require.Equal(t, sluice.Never, c.NoticeDue(0))
	require.Equal(t, Counters{Decreases: 2, Notices: 3}, c.Counters())

	// Hostile: nothing, and congestion without a rate.
	c.Notice(200*us, 0, Notice{})
	c.Notice(200*us, 0, Notice{Mark: sluice.CE})
	require.EqualValues(t, 2, c.Counters().Ignored)
	isMbps(t, 9425.78125, c.Rate(0, 0), 4)
	c.Notice(200*us, 0, Notice{Mark: sluice.CE, RecRate: math.MaxUint32})
	isMbps(t, 9425.78125, c.Rate(0, 0), 4)
	c.Notice(200*us, 0, Notice{Mark: sluice.CE, RecRate: 1})
	require.Equal(t, sluice.Mbps, c.Rate(0, 0), "pcn.min-rate")
}
