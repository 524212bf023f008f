package general

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/prng"
)

// spreads returns how many times its shortest time the longest of each flow is, over runs in which
// every flow begins up to a span later and marks are drawn anew.
func spreads(t *testing.T, dir, set, fc string, runs int, span sluice.Time) (spread []float64) {
	var least, most []float64
	for seed := range uint64(runs) {
		s := hostSubject(t, filepath.Join("testdata", "hosts", dir), set)
		s.Flows, s.Seed = slices.Clone(s.Flows), seed+1
		random := prng.New(seed)
		for i := range s.Flows {
			s.Flows[i].Start += sluice.Time(random.Below(uint64(span)))
		}
		for i, f := range runtest.OutcomeOf(t, s, fc).Result.Flows {
			took := f.FCT.Microseconds()
			if seed == 0 {
				least, most = append(least, took), append(most, took)
			}
			least[i], most[i] = min(least[i], took), max(most[i], took)
		}
	}
	for i := range least {
		spread = append(spread, most[i]/least[i])
	}
	return spread
}

// TestWhatOneFlowIsWorth: a single flow of another simulator says nothing closer than this, so that
// groups are compared.
func TestWhatOneFlowIsWorth(t *testing.T) {
	depth.From(t, depth.Thorough, "it simulates for seconds")
	irn := join("buffer=1MiB", pyrrhaFrames, "transport=irn", withWindow, smallMarks, pyrrhaDCQCN)
	spread := spreads(t, "incast-pfc-window", irn, "none", 10, sluice.Microsecond)
	require.Greater(t, slices.Max(spread), 2.0)
	timely := "buffer=32MiB,payload=1000,ack.size=84," + hpccTimely
	spread = spreads(t, "convergence-hpcc-settings", timely, "pfc", 10, sluice.Microsecond)
	require.Greater(t, slices.Max(spread), 1.2)
	if depth.Now() < depth.Exhaustive {
		return
	}
	paper := join("buffer=8MiB,"+hpccFrames, hpccOriginal[1].set)
	spread = spreads(t, "websearch-hpcc-settings", paper, "pfc", 4, 100*sluice.Nanosecond)
	slices.Sort(spread)
	require.Greater(t, spread[len(spread)*9/10], 1.3, "of one flow in ten")
	require.Greater(t, spread[len(spread)-1], 5.0)
}

// TestVictimHangsOnDraws: a flow beside an incast under IRN with DCQCN takes up to four times as
// long with other draws of marks and nothing else changed: its first mark halves its rate, early or
// late. It is the same with the cap on what is in flight, so it is not IRN's cap.
func TestVictimHangsOnDraws(t *testing.T) {
	for _, limit := range []string{"irn.in-flight=span", "irn.in-flight=outstanding"} {
		var took []float64
		for seed := range uint64(4) {
			s := hostSubject(t, filepath.Join("testdata", "hosts", "irn-lossy"), join(
				"buffer=1MiB", pyrrhaFrames, "transport=irn", withWindow, smallMarks, pyrrhaDCQCN, limit))
			s.Flows, s.Seed = slices.Clone(s.Flows), seed+1
			victim := len(s.Flows) - 1
			s.Flows[victim].Start = 11 * sluice.Microsecond
			took = append(took, runtest.OutcomeOf(t, s, "none").Result.Flows[victim].FCT.Microseconds())
		}
		require.Greater(t, slices.Max(took), 3*slices.Min(took), "%s: %v", limit, took)
	}
}
