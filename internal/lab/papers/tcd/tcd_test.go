package tcd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/tcd"
)

// sumOfMarks adds up what a port did to F0, F1 and F2.
func sumOfMarks(o *run.Outcome, at sluice.Hop) (sum probe.FlowMarks) {
	for flow := range 3 {
		m := o.MarksAt(at, flow)
		sum.Packets, sum.UE, sum.CE = sum.Packets+m.Packets, sum.UE+m.UE, sum.CE+m.CE
	}
	return sum
}

// maxTon is max(T_on) of the unit's links under PFC, with thresholds two frames apart.
func maxTon() sluice.Time {
	link := sluice.Link{Rate: 40 * sluice.Gbps, Delay: 4 * sluice.Microsecond}
	return tcd.MaxTonCEE(link, 2060, 1030, tcd.DefaultEpsilon())
}

// TestTCDFigure3: TCD, section 3.1.2: only P3 is congested, and yet ECN marks F0 at P2, whose queue
// exceeds 500 KB at most; when P3 is no longer congested, the rate drops to 10 Gb/s.
func TestTCDFigure3(t *testing.T) {
	ecn, ternary := runtest.VariantOf(t, Library, "tcd/fig3", "pfc", "ecn"),
		runtest.VariantOf(t, Library, "tcd/fig3", "pfc", "tcd")
	for flow := range 3 {
		require.Greater(t, ecn.MarksAt(unitP2, flow).CE, int64(100), "F%d", flow)
	}
	for _, o := range []*run.Outcome{ecn, ternary} {
		require.Greater(t, o.Statistics(unitP2).LongestQueue, 500*sluice.KB)
		require.InDelta(t, 10, o.Rate(unitP2, burstsEnd(o), burstsEnd(o)+sluice.Millisecond), 0.5)
		require.Equal(t, 240, o.Result.Completed)
		require.Zero(t, o.Result.Dropped)
	}
	for _, at := range []sluice.Hop{unitP0, unitP1, unitP2} {
		require.Zero(t, ternary.Statistics(at).CE, "%v", at)
		require.Positive(t, ternary.Statistics(at).UE, "%v", at)
	}
	require.Positive(t, ternary.Statistics(unitP3).CE)
	require.Zero(t, ternary.Statistics(unitP3).UE)
	require.Equal(t, []string{"0", "/", "D", "0"}, sequence(ternary.States(unitP2)))
	require.NotContains(t, sequence(ternary.States(unitP3)), "/")
}

// sequence lists the states of a detector.
func sequence(changes []probe.Change) []string {
	states := []string{"0"}
	for _, c := range changes {
		states = append(states, c.To)
	}
	return states
}

// TestTCDFigure4: section 3.1.3: P2 is congested too, beside P3. Section 3.2.2: when tree a is
// gone, the root of tree b, which a covered, turns into a congested port.
func TestTCDFigure4(t *testing.T) {
	o := runtest.VariantOf(t, Library, "tcd/fig4", "pfc", "tcd")
	congested := requireEmerges(o, t, maxTon())
	requireAllMarked(t, o, congested)

	// The authors' slack: P2 is fed by two ports that it pauses in turn, so that its queue stays
	// within two frames of twice X_off. It does not shrink, but does not grow by 900 bytes over a
	// max(T_on) either, and P2 counts as draining for ever.
	slack := runtest.VariantOf(t, Library, "tcd/fig4", "pfc", "tcd, slack 900")
	states := sequence(slack.States(unitP2))
	require.Equal(t, "D", states[len(states)-1])
	require.NotContains(t, states, "1")
	require.Zero(t, sumOfMarks(slack, unitP2).CE)
	least, most := sluice.Bytes(1<<40), sluice.Bytes(0)
	for i, at := range slack.Result.Seen.Series[2].Time {
		if at > 6*sluice.Millisecond {
			backlog := slack.Result.Seen.Series[2].Backlog[i]
			least, most = min(least, backlog), max(most, backlog)
		}
	}
	require.Greater(t, least, 2*(329_600-2060)*sluice.Byte)
	require.Less(t, most-least, 100*sluice.KB, "of about 700 KB, both upstreams at X_off")
}

// requireEmerges requires that P2 is not congested before it is released last, is at most twice M
// later, and stays so. It returns when it became so.
func requireEmerges(o *run.Outcome, t *testing.T, m sluice.Time) sluice.Time {
	released := o.Released(unitP2)
	changes := o.States(unitP2)
	last := changes[len(changes)-1]
	require.Equal(t, "1", last.To)
	require.Greater(t, last.Time, released)
	// The packet that decides leaves at most a frame's time later.
	require.LessOrEqual(t, last.Time, released+2*m+sluice.Microsecond)
	return last.Time
}

// requireAllMarked requires that every packet that leaves P2 from then on is CE.
func requireAllMarked(t *testing.T, o *run.Outcome, from sluice.Time) {
	s := o.Result.Seen.Series[2]
	packets := int64(0)
	for i, at := range s.Time {
		if at-o.Subject.SampleEvery >= from {
			require.EqualValues(t, s.Sent[i], 1030*s.CE[i], "at %v", at)
			packets += s.CE[i]
		}
	}
	require.Greater(t, packets, int64(20_000))
}

// TestTCDInfiniBand: Figures 3(b) and 4(b). FECN marks some packets of F0 and F2 at P2, where TCD
// marks none; where P2 is congested, TCD comes to say so. P3 is never
// off.
func TestTCDInfiniBand(t *testing.T) {
	depth.From(t, depth.Thorough, "milliseconds of simulated queues")
	fecn, ternary := runtest.VariantOf(t, Library, "tcd/fig3", "cbfc", " fecn"),
		runtest.VariantOf(t, Library, "tcd/fig3", "cbfc", " tcd")
	for _, flow := range []int{0, 2} {
		require.Greater(t, fecn.MarksAt(unitP2, flow).CE, int64(20))
		require.Zero(t, ternary.MarksAt(unitP2, flow).CE)
	}
	require.Zero(t, sumOfMarks(ternary, unitP2).CE)
	for _, o := range []*run.Outcome{fecn, ternary} {
		for _, p := range o.Result.Seen.Pauses {
			require.False(t, p.At == unitP3 && p.Time > 0, "P3 has no OFF period, but at %v", p.Time)
		}
		require.Positive(t, o.Statistics(unitP2).Pauses)
	}

	// T_c is short beside what the queue takes to grow again: it shrinks for a few periods more.
	both := runtest.VariantOf(t, Library, "tcd/fig4", "cbfc", " tcd")
	requireAllMarked(t, both, requireEmerges(both, t, 3*4096*sluice.Nanosecond))
}

// TestTCDVictims: with DCQCN, the flows that do not go to the congested port are cut as well; with
// TCD never, and the flow to the congested port is as fast as before.
func TestTCDVictims(t *testing.T) {
	plain, ternary := runtest.VariantOf(t, Library, "tcd/victim", "pfc", "dcqcn"),
		runtest.VariantOf(t, Library, "tcd/victim", "pfc", "dcqcn+tcd")
	for _, victim := range []int{0, 2} {
		require.Positive(t, plain.Cuts(victim))
		require.Zero(t, ternary.Cuts(victim))
		require.Greater(t, ternary.Throughput(victim, unitVictims, unitUntil),
			1.2*plain.Throughput(victim, unitVictims, unitUntil))
	}
	require.InEpsilon(t, plain.Throughput(1, unitVictims, unitUntil),
		ternary.Throughput(1, unitVictims, unitUntil), 0.05)
}

// TestTCDTrees: section 3.2.2 and Figure 5, as the states of all ports over time. When a tree
// disappears, its leaves turn from undetermined to not congested; leaves that another tree has too
// stay undetermined.
func TestTCDTrees(t *testing.T) {
	for _, scenario := range []string{"isolated", "overlapped", "covered"} {
		s := runtest.Prepared(t, Library, "tcd/"+scenario)
		o := runtest.OutcomeOf(t, s, "pfc")
		var b strings.Builder
		fmt.Fprintf(&b, "us since the bursts, port: old state -> new state\n")
		for _, c := range o.Result.Seen.States {
			name := ""
			for _, p := range watchedPorts[s.Name] {
				if p.at == c.At {
					name = p.name
				}
			}
			if c.From == "0" && c.To == "1" || c.From == "1" && c.To == "0" {
				continue // below K_max marking is random, and so is what of 0 and 1 it says
			}
			fmt.Fprintf(
				&b, "%10.3f  %s: %s -> %s\n", (c.Time - unitBursts).Microseconds(), name, c.From, c.To,
			)
		}
		golden.Require(t, "tcd-"+scenario+".txt", b.String())
	}
}

// TestTCDOverlapped reads the relations off the states: the leaf that both trees have is
// undetermined until the second one is gone as well.
func TestTCDOverlapped(t *testing.T) {
	o := runtest.OutcomeOf(t, runtest.Prepared(t, Library, "tcd/overlapped"), "pfc")
	end := map[string]sluice.Time{}
	for _, p := range overlappedPorts {
		changes := o.States(p.at)
		last := changes[len(changes)-1]
		end[p.name] = last.Time
		require.Equal(t, "0", last.To, p.name)
	}
	short, long := end["the second tree's leaf"], end["the first tree's leaf"]
	require.Less(t, short+sluice.Millisecond, long)
	require.Greater(t, end["the common leaf"], long-maxTon())
	released := o.Released(overlappedPorts[1].at)
	for _, c := range o.States(overlappedPorts[0].at) {
		require.False(t, short <= c.Time && c.Time < released, "the common leaf at %v", c.Time)
	}
}

// TestTCDEpsilon: the smaller the degree of congestion that is to be detected, the longer a port
// stays undetermined; with 1/5 it does not stay so from resume to resume, and is taken for
// congested.
func TestTCDEpsilon(t *testing.T) {
	depth.From(t, depth.Thorough, "milliseconds of simulated queues")
	for _, name := range []string{"1/100", "1/50", "1/20", "1/10"} {
		require.Zero(t, sumOfMarks(runtest.VariantOf(t, Library, "tcd/epsilon", "pfc", name), unitP2).CE,
			name)
	}
	require.Positive(t, sumOfMarks(runtest.VariantOf(t, Library, "tcd/epsilon", "pfc", "1/5"),
		unitP2).CE)
}

// TestTernaryStates: the paper has three states; ours beyond them are read as one of them.
func TestTernaryStates(t *testing.T) {
	at := sluice.Hop{Switch: 5}
	for states, want := range map[string]string{
		"/":             "/",
		"/ D 0":         "/, 0",
		"/ D / D 1":     "/, 1",
		"1 0 1 0 1 0":   "1, 0",
		"1 0 1":         "1",
		"0 1 0 1 / D 0": "0, 1, /, 0",
		"/ D 1 / D 1":   "/, 1, /, 1",
	} {
		seen := &probe.Report{}
		from := "0"
		for _, to := range strings.Fields(states) {
			seen.States = append(seen.States, probe.Change{At: at, From: from, To: to})
			from = to
		}
		require.Equal(t, want, ternaryOf(&run.Outcome{Result: &sim.Result{Seen: seen}}, at), states)
	}
}
