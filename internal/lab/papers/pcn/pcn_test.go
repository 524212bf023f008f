package pcn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/pcn"
)

// fig5 runs Figure 5 with a rate of F1.
func fig5(t *testing.T, rate string) *run.Outcome {
	s := runtest.Prepared(t, Library, "pcn/fig5", "f1.rate="+rate)
	require.Empty(t, s.Variants, "the user's choice is the only one")
	return runtest.OutcomeOf(t, s, "pfc")
}

// TestPCNFigure5: PCN, section 4.1: above a rate of 9.5 Gb/s of F1, P1/S1 pauses its upstream and
// F0 suffers; at that rate or below it does not.
func TestPCNFigure5(t *testing.T) {
	rate := 93 * 100 * sluice.Mbps // the largest without a pause
	for ; ; rate += 100 * sluice.Mbps {
		o := fig5(t, rate.String())
		if o.Statistics(pcnP0).Pauses > 0 {
			break
		}
		require.InDelta(t, 20, o.OnWire(0, 4*sluice.Millisecond, o.Result.Simulated), 0.1)
	}
	rate -= 100 * sluice.Mbps
	require.Equal(t, 9500*sluice.Mbps, rate)
	over := fig5(t, (rate + sluice.Gbps).String())
	require.Greater(t, over.Statistics(pcnP0).Pauses, int64(50))
	require.Less(t, over.OnWire(1, 4*sluice.Millisecond, over.Result.Simulated), 10.0)
	require.Less(t, over.OnWire(0, 4*sluice.Millisecond, over.Result.Simulated), 16.0)
}

// TestPCNFigure2: section 3.1: under PFC the congestion tree lasts 3.1 ms, with DCQCN 1.8 ms; the
// loss of throughput lasts 25 ms with DCQCN and 60 ms with TIMELY. Under PCN there is no congestion
// tree, and S1 pauses S0 a few times (section 5.4): here never.
func TestPCNFigure2(t *testing.T) {
	depth.From(t, depth.Thorough, "seconds of simulated milliseconds")
	const begin = pcnBursts
	tree := func(o *run.Outcome) float64 {
		last := o.Released(pcnP0)
		return (last - begin).Microseconds() / 1000
	}
	require.InEpsilon(t, 3.1, tree(runtest.VariantOf(t, Library, "pcn/fig2", "pfc", "none")), 0.05)
	dcqcn := runtest.VariantOf(t, Library, "pcn/fig2", "pfc", "dcqcn")
	require.InEpsilon(t, 1.8, tree(dcqcn), 0.15)
	require.InDelta(t, 26.4, firstOf(begin, begin+3*sluice.Millisecond, recovered)(dcqcn).Value, 0.01,
		"published: 25")
	timely := runtest.VariantOf(t, Library, "pcn/fig2", "pfc", "timely-pcn")
	require.InDelta(t, 51.4, firstOf(begin, begin+3*sluice.Millisecond, recovered)(timely).Value, 0.01,
		"published: 60")

	o := runtest.VariantOf(t, Library, "pcn/fig2", "pfc", "pcn")
	require.Zero(t, o.Statistics(pcnP0).Pauses)
	at := func(us int64) sluice.Time { return begin + sluice.Time(us)*sluice.Microsecond }
	require.Greater(t, o.OnWire(0, at(1000), at(2800)), 36.0)
	// The fair share of F1 among 15 inputs: 40/15.
	require.Less(t, o.OnWire(1, at(500), at(2800)), 2.67)
	// After the burst F0 and F1 share the link fairly, use all of it, and are not paused.
	over := begin + 3*sluice.Millisecond
	even, byFluid := firstOf(begin, over, even)(o).Value, evensByFluid(o, begin, over).Value
	t.Logf("20 Gb/s each at %.1f ms, by the fluid model %.1f", even, byFluid)
	require.InEpsilon(t, byFluid, even, 0.5)
}

// TestPCNFigure3: of F0 and F1 both the rate that congestion control allows and the rate at which
// they send are drawn.
func TestPCNFigure3(t *testing.T) {
	for control, want := range map[string][]string{
		"dcqcn": {"flow 0", "flow 1", "flow 0, set", "flow 1, set"}, "none": {"flow 0", "flow 1"},
	} {
		s := runtest.Prepared(t, Library, "pcn/fig2", "f.bursts=1ms,cc="+control)
		s.Until = 2 * sluice.Millisecond
		var f draw.Figure
		rows := report.Watched(&f, s, []*run.Outcome{runtest.OutcomeOf(t, s, "pfc")})
		curves := rows[len(rows)-1][0].Curves
		require.Len(t, curves, len(want))
		for i, c := range curves {
			require.Equal(t, want[i], c.FC)
			require.Contains(t, f.Legend, c.FC)
			require.NotEmpty(t, c.Points)
		}
		if control == "dcqcn" {
			require.InDelta(t, 40, curves[2].Points[0].Y, 0.1, "flows start at line rate,")
			require.Less(t, curves[0].Points[0].Y, 21.0, "and two of them share it")
		}
	}
}

// TestPCNFigure11: section 7.1: after 2 ms, 4 RTT, the rates add up to the bottleneck's capacity.
func TestPCNFigure11(t *testing.T) {
	for _, set := range []string{"pcn.t=50us", "pcn.t=500us", "pcn.t=500us,pcn.wmin=1/40"} {
		s := runtest.Prepared(t, Library, "pcn/fig11", "cc=pcn,"+set)
		s.Until = 2 * sluice.Millisecond
		sums := setRates(runtest.OutcomeOf(t, s, "pfc"))
		require.Greater(t, sums[0], 29.9, "three hosts at 10 Gb/s, one of which has two flows")
		require.Less(t, sums[len(sums)-1], 11.0, set)
	}
}

// TestPCNFigure18: appendix B.2: PCN, QCN and TIMELY nearly fill the link from S0 to S1. QCN does
// with the constants of the authors' code, and not with the standard's. The paper has 30 Gb/s under
// PCN, 23 under QCN, 25 under DCQCN and 29 under TIMELY: with bursts of 16 flows per host, as in
// Figure 1, every 5 ms QCN's and DCQCN's are. PCN has less, as it comes to fair rates slowly, by
// equation 13: it has 30 with a larger w_min.
func TestPCNFigure18(t *testing.T) {
	depth.From(t, depth.Thorough, "seconds of simulated milliseconds")
	rate := func(at sluice.Hop, set string) float64 {
		s := runtest.Prepared(t, Library, "pcn/fig18", set)
		s.Until = 25 * sluice.Millisecond
		o := runtest.OutcomeOf(t, s, "pfc")
		return o.Rate(at, 10*sluice.Millisecond, o.Result.Simulated)
	}
	require.Greater(t, rate(pcnP0, "cc=qcn,"+authorsQCN), 38.0)
	require.Less(t, rate(pcnP0, "cc=qcn"), 15.0)

	const bursts = ",f.burst=16,f.interval=5ms"
	require.InEpsilon(t, 23, rate(pcnP2, "cc=qcn"+bursts), 0.07)
	require.InEpsilon(t, 25, rate(pcnP2, "cc=dcqcn"+bursts), 0.07)
	require.InEpsilon(t, burstyByFluid(16, 5*sluice.Millisecond), rate(pcnP2, "cc=pcn"+bursts), 0.05)
	require.InEpsilon(t, burstyByFluid(1, 500*sluice.Microsecond), rate(pcnP2, "cc=pcn"), 0.05)
	require.InEpsilon(t, 30, rate(pcnP2, "cc=pcn,pcn.wmin=1/8"+bursts), 0.05)
}

// burstyByFluid returns the throughput of S1 to R1 in Gb/s by equation 13: the link is full while a
// burst drains, which leaves F1 its share among 15 inputs, 40/15, and F0 the rest of S0's link;
// then F1's share of that comes nearer to a half by the factor a, in each cycle of two T.
func burstyByFluid(flows int, interval sluice.Time) float64 {
	const share, cycle = 40.0 / 15, 2 * pcn.DefaultPeriod
	p := pcn.Parameters{}
	factor := p.Bounds(2, pcnUplink).Factor
	burst := pcnUplink.TimeOf(sluice.Bytes(flows*pcnBursters) * 64 * sluice.KB * 1030 / 1000)
	bits := pcnUplink.BytesIn(burst) * 8
	distance := 20 - share
	for at := burst; at < interval; at += cycle {
		span := min(cycle, interval-at)
		bits += sluice.Bytes((20 - distance) * span.Microseconds() * 1000)
		distance *= factor
	}
	return float64(bits) / interval.Microseconds() / 1000
}

// TestPCNPacketsBesideTheFluid: appendix A, equation 8: the queue is empty after
// 1 + (sum R - C)/(w_min C) loops. Packets are no slower, as a sender keeps the lowest rate of its
// notices; once the queue has drained the sum of the rates stays near the capacity.
func TestPCNPacketsBesideTheFluid(t *testing.T) {
	depth.From(t, depth.Thorough, "hundreds of simulated milliseconds")
	for _, name := range []string{"RTT 6us, N 4", "RTT 6us, N 16", "RTT 6us, N 64"} {
		o := runtest.VariantOf(t, Library, "pcn/fluid", "pfc", name)
		steady := steady(o)
		require.LessOrEqual(t, steady.drained, drainTime(o.Subject.Values), name)
		require.GreaterOrEqual(t, steady.low, 9.0, name)
		require.LessOrEqual(t, steady.high, 12.0, name)
	}
	// "The maximal queue oscillation" (equation 15) is exceeded by packets, as flows go on raising
	// their rates where 19 of 20 packets of a window are not marked, but not if one sufficed.
	longest := func(set string) float64 {
		s := runtest.Prepared(t, Library, "pcn/fluid", "f.count=4,pcn.wmin=1/40,link.delay=800ns"+set)
		s.Until = 150 * sluice.Millisecond
		return float64(steady(runtest.OutcomeOf(t, s, "pfc")).most)
	}
	values := runtest.Prepared(t, Library, "pcn/fluid", "f.count=4,pcn.wmin=1/40").Values
	bound := pcnParametersOf(values).Bounds(4, pcnDumbbellC).Queue
	require.Greater(t, longest(""), bound)
	require.Less(t, longest(",pcn.share=1/1000"), bound)
	require.Equal(
		t, sluice.Time(40500)*sluice.Microsecond, drainTime(values), "81 loops of 500 us",
	)
}
