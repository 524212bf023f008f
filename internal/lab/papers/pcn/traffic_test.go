package pcn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// TestPCNSizes: Table 1, shares of flows and of bytes by class.
func TestPCNSizes(t *testing.T) {
	for name, want := range map[string][4][2]float64{
		"w1": {{80.14, 3.08}, {10.32, 5.89}, {9.12, 83.8}, {0.41, 7.04}},
		"w2": {{70.79, 0.22}, {16.59, 1.56}, {3.52, 1.53}, {9.1, 96.7}},
	} {
		var flows, bytes [4]float64
		const n = 200_000
		for i := range uint64(n) {
			size := pcnSizes[name].Quantile(i * (1 << 63 / n) * 2)
			class := 0
			for _, limit := range []sluice.Bytes{10 * sluice.KB, 100 * sluice.KB, sluice.MB} {
				if size >= limit {
					class++
				}
			}
			flows[class]++
			bytes[class] += float64(size)
		}
		total := bytes[0] + bytes[1] + bytes[2] + bytes[3]
		for class, shares := range want {
			require.InDelta(t, shares[0], 100*flows[class]/n, 0.05, "%s, class %d", name, class)
			require.InDelta(t, shares[1], 100*bytes[class]/total, 0.2, "%s, class %d", name, class)
		}
	}
}

// TestPCNIncasts: section 7.4: incasts of a random 1 to 15 flows, at the load that was asked for.
// Flows begin one by one, or together where f.incast says so.
func TestPCNIncasts(t *testing.T) {
	s := runtest.Prepared(t, Library, "pcn/fig14-w1", "f.count=8000,f.incast=15")
	senders, bytes := map[sluice.Time]int{}, sluice.Bytes(0)
	for i := range s.Flows {
		senders[s.Flows[i].Start]++
		bytes += s.Flows[i].Bytes
	}
	require.Len(t, s.Flows, 8000)
	least, most := 100, 0
	for _, n := range senders {
		least, most = min(least, n), max(most, n)
	}
	require.Equal(t, []int{1, 15}, []int{least, most})
	span := s.Flows[len(s.Flows)-1].Start
	load := float64(bytes) / float64((512 * 10 * sluice.Gbps).BytesIn(span))
	require.InDelta(t, 0.6, load, 0.1)
	require.NoError(t, workload.CheckFlows(s.Graph, s.Flows))

	s = runtest.Prepared(t, Library, "pcn/fig14-w1", "f.count=8000,f.incast=1")
	for i := range s.Flows[1:] {
		require.Greater(t, s.Flows[i+1].Start, s.Flows[i].Start, "no two flows begin together")
	}
	require.InEpsilon(t, float64(span), float64(s.Flows[7999].Start), 0.1, "at the same load")
}

// TestPCNLoads: a load is divided among in-casts exactly, whatever it is: four times the load comes
// at the same hosts, in the same order and sizes, in a quarter of the time.
func TestPCNLoads(t *testing.T) {
	for _, most := range []string{"15", "14", "100"} { // of 0.15 no whole number of thousandths each
		slow := runtest.Prepared(t, Library, "pcn/fig14-w1", "f.count=500,load=15%,f.incast="+most).Flows
		fast := runtest.Prepared(t, Library, "pcn/fig14-w1", "f.count=500,load=60%,f.incast="+most).Flows
		for i := range slow {
			require.InDelta(t, float64(slow[i].Start), float64(4*fast[i].Start), 10, "in ps")
			fast[i].Start = slow[i].Start
			require.Equal(t, slow[i], fast[i])
		}
	}
}

// TestPCNTrafficClaims: the PAUSE frames of the classes add up to all, except for few frames that
// pause two classes, and the frames of the tiers do. Pauses are begun by the fewest of them.
func TestPCNTrafficClaims(t *testing.T) {
	s := runtest.Prepared(t, Library, "pcn/fig20", "f.count=600,f.incast=15")
	for _, trial := range s.Trials() {
		if trial.Label != "pfc pcn" && trial.Label != "pfc timely-pcn" {
			continue
		}
		trial.Subject.Until = 500 * sluice.Microsecond
		o := runtest.OutcomeOf(t, trial.Subject, trial.FC)
		o.FC = trial.Label
		found := func(what string) float64 {
			return runtest.Finding(t, s, []*run.Outcome{o}, what, o.FC, "").Measured.Value
		}
		sum := 0.0
		for _, class := range []string{"S", "M", "L", "XL"} {
			sum += found("thousand PAUSE frames per second of " + class + " flows")
		}
		require.Positive(t, sum, o.FC)
		all := found("thousand PAUSE frames per second")
		require.InDelta(t, 1.05*all, sum, 0.06*all, "few frames pause two classes, and none pauses none")
		tiers := found("PAUSE frames of ToRs") + found("PAUSE frames of leafs") +
			found("PAUSE frames of spines")
		require.InDelta(t, 100, tiers, 0.2)
		begun := found("thousand pauses begun per second")
		require.Positive(t, begun)
		require.Less(t, begun, all/2, "a pause is repeated each 5/3 us")
	}
}

// TestPCNPausesBesideOthers: section 7.4: PCN has 64 % fewer pauses than DCQCN and 75 % fewer than
// TIMELY.
func TestPCNPausesBesideOthers(t *testing.T) {
	depth.From(t, depth.Thorough, "thousands of flows")
	pauses := func(set string) int64 {
		s := runtest.Prepared(t, Library, "pcn/fig14-w1", "f.count=5000,f.incast=1,"+set)
		return int64(runtest.OutcomeOf(t, s, "pfc").Result.ControlFrames["pause"])
	}
	dcqcn := pauses("cc=dcqcn")
	require.Positive(t, dcqcn)
	require.Less(t, pauses("cc=pcn"), dcqcn)
	require.Greater(t, pauses("cc=timely-pcn"), 4*dcqcn)
}

// TestDCQCNPausesByFirstCut: where flows begin together, DCQCN's pauses hang on its first cut, of
// alpha/2, and on its thresholds. With alpha from 1 senders halve their rates, and pause less than
// PCN's; from 1/2 they pause more, and still more with 40 Gb/s's thresholds at 10 Gb/s.
func TestDCQCNPausesByFirstCut(t *testing.T) {
	depth.From(t, depth.Thorough, "thousands of flows")
	pauses := func(set string) int64 {
		s := runtest.Prepared(t, Library, "pcn/fig14-w1",
			"f.count=2000,f.incast=15,cc.pace=card,dcqcn.ai=10Mbps,dcqcn.hai=50Mbps,"+set)
		s.Until = 2 * sluice.Millisecond
		return int64(runtest.OutcomeOf(t, s, "pfc").Result.ControlFrames["pause"])
	}
	pcn := pauses("cc=pcn")
	require.Positive(t, pcn)
	const scaled = ",ecn.kmin=12875B,ecn.kmax=515KB"
	require.Less(t, pauses("cc=dcqcn,dcqcn.alpha0=1"+scaled), pcn)
	half := pauses("cc=dcqcn,dcqcn.alpha0=1/2" + scaled)
	require.Greater(t, half, 2*pcn)
	require.Greater(t, pauses("cc=dcqcn,dcqcn.alpha0=1/2"), half)
}
