package portfc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Flows that close a circle of waits bring PFC to nothing, and PortFC not (PortFC, section V-F).
// Where nodes pause on their own account it takes flows from all four nodes; where they only pass
// on what switches say, two are enough once a switch is congested (section II-C3).
func TestNodeRing(t *testing.T) {
	depth.From(t, depth.Thorough, "it simulates for seconds")
	stuck := map[string]bool{"pfc four": true, "pfc-forward two": true}
	for _, fc := range []string{"portfc", "pfcstar", "pfc", "pfc-forward"} {
		for _, form := range []string{"four", "two"} {
			o := runtest.VariantOf(t, Library, "portfc/deadlock", fc, form)
			before, last := before.Value(o).Value, inTheEnd.Value(o).Value
			t.Logf("%s: %.1f, %.1f; %s", o.FC, before, last, o.Result.Deadlock)
			require.Greater(t, before, 0.05)
			if stuck[o.FC] {
				require.Contains(t, o.Result.Deadlock, "waits for")
				require.Less(t, last, 0.05)
			} else {
				require.Empty(t, o.Result.Deadlock)
				require.Greater(t, last, 0.05)
			}
			if fc != "pfc-forward" {
				require.Zero(t, o.Result.Dropped)
			}
		}
	}
}

// PFC* has fewer deadlocks, but blocks heads of lines (section V-F): its background flows share a
// node's queue with the loop flows. The factor follows from how many packets of either kind wait
// there.
func TestFigure19(t *testing.T) {
	for _, test := range []struct {
		flows  string
		factor float64
	}{{"64", 43}, {"2", 5. / 3}, {"1", 1}} {
		s := runtest.Prepared(t, Library, "portfc/fig19", "loop.flows="+test.flows)
		portfc, star, pfc := runtest.OutcomeOf(t, s, "portfc"), runtest.OutcomeOf(t, s, "pfcstar"),
			runtest.OutcomeOf(t, s, "pfc")
		times := runtest.Finding(t, s, []*run.Outcome{portfc, star, pfc},
			"throughput of background flows in the last ms", "portfc", "pfcstar")
		require.Equal(t, run.About(1.9), *times.Published)
		require.InEpsilon(t, test.factor, times.Measured.Value, 0.05, "%s loop flows of each node",
			test.flows)
		if test.flows == "64" {
			require.Zero(t, inTheEnd.Value(pfc).Value)
		}
	}
}

// A node's queue of one port is shared by flows that part at the next switch: the victim is slower
// than with a queue per flow. PortFC is not free of head-of-line blocking there.
func TestNodeVictim(t *testing.T) {
	s := runtest.Prepared(t, Library, "portfc/hol", "duration=1ms")
	portfc, ideal := runtest.OutcomeOf(t, s, "portfc"), runtest.OutcomeOf(t, s, "ideal")
	for _, o := range []*run.Outcome{portfc, ideal} {
		require.Equal(t, len(s.Flows), o.Result.Completed)
		require.Zero(t, o.Result.Dropped)
	}
	victim := 0
	require.Equal(t, "vulnerable", s.Groups[victim].String())
	slower := float64(portfc.Result.Flows[victim].FCT) / float64(ideal.Result.Flows[victim].FCT)
	require.Greater(t, slower, 1.2)
}

// The parameter server's two stages (section V-D). The broadcast takes as long under all; without a
// congestion control so does the first stage here, as nothing is lost: the server's two ports are
// full from beginning to end. Runs are compared with runs of their own size.
func TestFigure15(t *testing.T) {
	s := runtest.Prepared(t, Library, "portfc/fig15", "cc=none")
	outcomes := map[string]*run.Outcome{}
	var all []*run.Outcome
	for _, trial := range s.Trials() {
		if !strings.HasSuffix(trial.Label, " 1MB") && trial.Label != "pfcstar 4MB" {
			continue
		}
		o := runtest.OutcomeOf(t, trial.Subject, trial.FC)
		o.FC = trial.Label
		outcomes[trial.Label], all = o, append(all, o)
	}
	require.Len(t, outcomes, 4)
	portfc := outcomes["portfc 1MB"]
	for _, other := range []string{"pfcstar 1MB", "none irn 1MB"} {
		o := outcomes[other]
		require.Equal(t, 30, o.Result.Completed)
		for g, near := range map[workload.Group]float64{firstHalf: 0.05, secondHalf: 0.01} {
			require.InEpsilon(t, half("", g).of(portfc), half("", g).of(o), near, other)
		}
		second := runtest.Finding(t, s, all, "second stage", portfc.FC, other)
		require.InDelta(t, 0, second.Measured.Value, 0.05)
		require.Equal(t, run.SameNone, second.Verdict())
	}
	for _, f := range run.Findings(s, all) {
		require.NotEqual(t, [2]string{"portfc 1MB", "pfcstar 4MB"}, [2]string{f.Run, f.Baseline})
	}
	require.Zero(t, portfc.Result.Dropped)
	require.Zero(t, portfc.Result.Reordered)
	// The second stage begins when the first has ended.
	last, second := sluice.Time(0), 0
	for _, f := range portfc.Result.Flows {
		if f.Group == firstHalf {
			last = max(last, f.Start+f.FCT)
		}
	}
	for _, f := range portfc.Result.Flows {
		if f.Group == secondHalf {
			second++
			require.Equal(t, last, f.Start)
		}
	}
	require.Equal(t, 15, second)
}

// TestThreadsOfCollectives: the networks of Figures 15 and 17 are cut for threads, which change
// nothing.
func TestThreadsOfCollectives(t *testing.T) {
	runtest.Alone(t)
	for name, set := range map[string]string{
		"portfc/fig15": "sync.bytes=20KB", "portfc/fig17": "moe.tokens=16,moe.batches=2,moe.every=20us",
	} {
		for _, trial := range runtest.Prepared(t, Library, name, set).Trials() {
			result := func(threads int) *sim.Result {
				r := trial.Subject.FabricRun(trial.FC)
				parts := 0
				r.Threads, r.Windows = threads, func(events []int64) { parts = len(events) }
				result, err := r.Do()
				require.NoError(t, err)
				require.Equal(t, threads > 1, parts > 1)
				result.Wall = 0
				return result
			}
			want := result(1)
			require.Equal(t, len(want.Flows), want.Completed)
			for _, threads := range []int{2, 7} {
				require.Equal(t, want, result(threads), "%s %s: %d threads", name, trial.Label, threads)
			}
		}
	}
}

// PortFC's mean and tail are below IRN's (section V-E). IRN's cap holds for a flow; many small ones
// fill the buffers before the popular experts. The weights of ATE move with what is in flight.
func TestFigure17(t *testing.T) {
	depth.From(t, depth.Thorough, "takes seconds")
	outcomes := runtest.TrialsOf(t, Library, "portfc/fig17", "moe.tokens=512,moe.batches=8")
	hash, ate, irn := outcomes["portfc hash"], outcomes["portfc ate"], outcomes["none irn"]
	mean, p99 := fct("mean", workload.GroupAuto, 0), fct("p99", workload.GroupAuto, 0.99)
	require.Less(t, p99.of(hash), p99.of(irn))
	require.Less(t, mean.of(hash), mean.of(irn))
	for _, o := range []*run.Outcome{hash, ate} {
		require.Equal(t, len(o.Result.Flows), o.Result.Completed)
		require.Zero(t, o.Result.Dropped)
		require.Zero(t, o.Result.Reordered)
	}
	require.Empty(t, hash.Result.Steered)
	least := 1.0
	for _, s := range ate.Result.Steered {
		least = min(least, s.Weight)
	}
	require.Less(t, least, 0.8)
	require.Positive(t, least)
	for _, m := range weights() {
		ours, none := m.Value(ate), m.Value(hash)
		require.True(t, ours.Known())
		require.False(t, none.Known())
	}

	// The JSON has every sample, and the picture the closed form beside the weights.
	steered := report.MakeRecord(ate.Subject, ate, nil).Steered
	require.Len(t, steered.W, len(ate.Result.Series))
	for i, s := range ate.Result.Steered {
		require.Equal(t, s.At.Microseconds(), steered.TimeUS[i])
		require.InDelta(t, s.Weight, steered.W[i], 1e-6)
		require.InDelta(t, s.ClosedForm, steered.ClosedForm[i], 1e-6)
	}
	require.Empty(t, report.MakeRecord(hash.Subject, hash, nil).Steered.W)
	panels := report.Weights(ate.Subject, []*run.Outcome{hash, ate})
	require.Len(t, panels, 1)
	require.Len(t, panels[0].Curves, 2)
	require.False(t, panels[0].Curves[0].Published)
	require.True(t, panels[0].Curves[1].Published)
	for _, at := range panels[0].Curves[1].Points {
		require.LessOrEqual(t, at.Y, 1.)
		require.Positive(t, at.Y)
	}
}

// The packets of Figure 8 that arrived marked: X_off is below Kmin, so that a control by marks
// learns next to nothing under PortFC.
func TestMarksOfFigure8(t *testing.T) {
	const set = "load=1/2,duration=200us"
	marked := runtest.Prepared(t, Library, "portfc/fig8-storage",
		set+",cc=dcqcn-hpcc,ecn.kmin=100KB,ecn.kmax=400KB")
	o := runtest.OutcomeOf(t, marked, "portfc")
	require.Less(t, o.Result.Marked, o.Result.PacketHops/1000)
	require.Greater(t, runtest.OutcomeOf(t, marked, "pfc").Result.Marked, o.Result.Marked)
}

// All experiments have DCQCN (section V-A): that is where the gain over IRN comes from, published
// as 11.7 to 69.2 % of the mean, 1.7 to 2.3 times the throughput. IRN's queues are over Kmin, and
// marks cut the rates of its flows; PortFC's X_off is below it.
func TestFigure8UnderDCQCN(t *testing.T) {
	depth.From(t, depth.Thorough, "two runs of some 3,000 flows each")
	mean, gbps := fct("mean", workload.GroupAuto, 0), run.FlowThroughput(workload.Incast)
	without := 0.0
	for _, control := range []string{"none", "dcqcn-hpcc"} {
		s := runtest.Prepared(t, Library, "portfc/fig8-storage",
			"duration=6ms,ecn.kmin=100KB,ecn.kmax=400KB,cc="+control)
		portfc, irn := s.Trial("portfc"), s.Trial("none irn")
		ours, theirs := runtest.OutcomeOf(t, portfc.Subject, "portfc"),
			runtest.OutcomeOf(t, irn.Subject, "none")
		less, times := 1-mean.of(ours)/mean.of(theirs), gbps(ours)/gbps(theirs)
		t.Logf("%s: mean %.1f %% less, incast %.2f times", control, 100*less, times)
		require.Zero(t, theirs.Result.Dropped)
		if control == "none" {
			require.Less(t, times, 1.3)
			without = less
			continue
		}
		require.Greater(t, less, max(0.117, 1.5*without))
		require.Less(t, less, 0.692)
		require.Greater(t, times, 1.65) // published: 1.7
		require.Greater(t, theirs.Result.Marked, 10*ours.Result.Marked)
	}
}

// Go-Back-N is slow, by 58.4 to 97.9 % in means or tails (section I), where it loses packets. With
// DCQCN on NDC(4,1) it loses some where a queue may not take all of the buffer.
func TestGoBackNOfFigure8NeedsLosses(t *testing.T) {
	depth.From(t, depth.Thorough, "two runs of some 3,000 flows each")
	mean, gbps := fct("mean", workload.GroupAuto, 0), run.FlowThroughput(workload.Incast)
	for _, share := range []string{"", ",none.alpha=1/8"} {
		s := runtest.Prepared(t, Library, "portfc/fig8-hadoop",
			"duration=6ms,ecn.kmin=100KB,ecn.kmax=400KB,cc=dcqcn-hpcc"+share)
		portfc, gbn := s.Trial("portfc"), s.Trial("none gbn")
		ours, theirs := runtest.OutcomeOf(t, portfc.Subject, "portfc"),
			runtest.OutcomeOf(t, gbn.Subject, "none")
		less, times := 1-mean.of(ours)/mean.of(theirs), gbps(ours)/gbps(theirs)
		t.Logf("%q: mean %.1f %% less, incast %.2f times, %d lost", share, 100*less, times,
			theirs.Result.Dropped)
		if share == "" {
			require.Zero(t, theirs.Result.Dropped)
			require.Less(t, less, 0.584)
			continue
		}
		require.Positive(t, theirs.Result.Dropped)
		require.Greater(t, less, 0.584)
		require.Less(t, less, 0.979)
	}
}

// Traditional PFC deadlocks in BCube (section V-A): so it is where nodes only pass on what switches
// say of pauses (section II-C3).
func TestPFCOfFigure8DeadlocksWhereNodesForwardPauses(t *testing.T) {
	s := runtest.Prepared(t, Library, "portfc/fig8-hadoop", "load=1/2,duration=600us")
	o := runtest.OutcomeOf(t, s, "pfc-forward")
	t.Logf("%d of %d flows: %s", o.Result.Completed, len(s.Flows), o.Result.Deadlock)
	require.Contains(t, o.Result.Deadlock, "waits for")
	require.Less(t, o.Result.Completed, len(s.Flows))
	require.Zero(t, o.Result.Dropped)
	require.Empty(t, runtest.OutcomeOf(t, s, "portfc").Result.Deadlock)
}

// The mean completion time of Figures 8 to 11 no longer grows when flows are counted. At a load of
// 1/2 PFC*'s does.
func TestFigure8HasSettled(t *testing.T) {
	depth.From(t, depth.Thorough, "runs of some 10,000 flows")
	for _, traffic := range []string{"hadoop", "storage", "websearch"} {
		s := runtest.Prepared(t, Library, "portfc/fig8-"+traffic)
		for _, label := range []string{"portfc", "pfcstar", "none irn"} {
			trial := s.Trial(label)
			o := runtest.OutcomeOf(t, trial.Subject, trial.FC)
			later := settled(o)
			t.Logf("%s, %s: %.2f", traffic, label, later.Value)
			require.InDelta(t, 1, later.Value, 0.4, "%s, %s", traffic, label)
		}
	}
	s := runtest.Prepared(t, Library, "portfc/fig8-hadoop", "load=1/2")
	later := settled(runtest.OutcomeOf(t, s, "pfcstar"))
	t.Logf("hadoop, pfcstar, load 1/2: %.2f", later.Value)
	require.Greater(t, later.Value, 1.5)
}

// A load is of what a node sends by all of its ports together: at one, the Poisson flows of a span
// have as many bytes as all ports send in it.
func TestLoadIsOfTheNode(t *testing.T) {
	for _, load := range []float64{0.5, 1} {
		s := runtest.Prepared(t, Library, "portfc/fig8-hadoop",
			fmt.Sprintf("load=%g,duration=20ms", load))
		var bytes sluice.Bytes
		for i := range s.Flows {
			if s.Flows[i].Group == workload.Background {
				bytes += s.Flows[i].Bytes
			}
		}
		sent := (2 * 16 * 100 * sluice.Gbps).BytesInUp(20 * sluice.Millisecond)
		require.InEpsilon(t, load, float64(bytes)/float64(sent), 0.05)
	}
}

// Storage and WebSearch have more long flows than Hadoop (section V-B), WebSearch most flows of
// megabytes (section V-C, Figure 13).
func TestLongFlowsOfFigure13(t *testing.T) {
	shares := map[string]float64{}
	for _, traffic := range []string{"hadoop", "storage", "websearch"} {
		s := runtest.Prepared(t, Library, "portfc/fig8-"+traffic)
		sizes, err := workload.DistributionByName(s.Values.String("workload"))
		require.NoError(t, err)
		const of = 1 << 12
		for i := range uint64(of) {
			if sizes.Quantile(i<<52) >= sluice.MB {
				shares[traffic] += 1. / of
			}
		}
	}
	t.Log(shares)
	require.Greater(t, shares["storage"], shares["hadoop"])
	require.Greater(t, shares["websearch"], shares["storage"])
}

// With digits=lowest a node that has a choice sends by its switch of layer 0, with highest by its
// switch of layer 1.
func TestDigitsOfFigure8(t *testing.T) {
	require.Empty(t, runtest.Prepared(t, Library, "portfc/fig8-hadoop", "digits=hash").Routes)
	for first, set := range []string{"digits=lowest", "digits=highest"} {
		routes := runtest.Prepared(t, Library, "portfc/fig8-hadoop", set).Routes
		require.Len(t, routes, 16*9, "of each node to the nodes of which both digits differ")
		for _, r := range routes {
			require.Equal(t, []sluice.PortID{sluice.PortID(first)}, r.Ports)
			require.NotEqual(t, r.At%4, r.Host%4)
			require.NotEqual(t, r.At/4, r.Host/4)
		}
	}
}

// Half of the nodes send to one (section V-A): to another each time, or always the same ones to the
// same.
func TestIncastsOfFigure8(t *testing.T) {
	for _, to := range []string{"any", "one"} {
		pairs := [2]map[sluice.SwitchID]bool{{}, {}} // who sends, who receives
		incasts := 0
		for _, f := range runtest.Prepared(t, Library, "portfc/fig8-hadoop",
			"duration=2ms,incast.to="+to).Flows {
			if f.Group == workload.Incast {
				incasts++
				pairs[0][f.Src], pairs[1][f.Dst] = true, true
			}
		}
		require.Equal(t, 4*8, incasts)
		if to == "one" {
			require.Len(t, pairs[0], 8)
			require.Equal(t, map[sluice.SwitchID]bool{0: true}, pairs[1])
		} else {
			require.Greater(t, len(pairs[0]), 8)
			require.Greater(t, len(pairs[1]), 1)
		}
	}
}

// TestALoadIsAWholeNumberOfThousandths: any other is an error of the scenario, and not rounded.
func TestALoadIsAWholeNumberOfThousandths(t *testing.T) {
	for _, name := range []string{"portfc/fig8-storage", "portfc/fig12-storage"} {
		s, err := Library.Find(name)
		require.NoError(t, err)
		_, err = Library.Prepare(s, run.Request{Seed: 1, Set: []string{"load=1/7"}})
		require.ErrorContains(t, err, "must be a whole number of thousandths", name)
	}
}
