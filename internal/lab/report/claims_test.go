package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// Every claim of every scenario, on runs that are made up: numbers grow from run to run, each in
// its own way, so that what a claim does with them can be read off the table. A claim that divides
// the wrong way, takes one group or port for another, or a mean for a maximum, changes it.
func TestClaimsOfMadeUpRuns(t *testing.T) {
	byPaper := map[string]*strings.Builder{}
	for i := range papers.All.Scenarios {
		name := papers.All.Scenarios[i].Name
		s := runtest.Prepared(t, papers.All, name, settings(name)...)
		if s.Claims == nil {
			continue
		}
		b := byPaper[run.PaperOf(name)]
		if b == nil {
			b = &strings.Builder{}
			byPaper[run.PaperOf(name)] = b
		}
		var outcomes []*run.Outcome
		for k, trial := range s.Trials() {
			o := run.NewOutcome(trial.Subject, trial.FC, madeUp(trial.Subject, int64(k+1)))
			o.FC = trial.Label
			outcomes = append(outcomes, o)
		}
		fmt.Fprintf(b, "%s: %s\n", name, strings.Join(labels(outcomes), " | "))
		findings := run.Findings(s, outcomes)
		requireOneValue(t, findings)
		writeMadeUp(b, s.Claims(s), append(findings, run.Missing(s, findings)...))
	}
	for paper, b := range byPaper {
		golden.Require(t, "claims-"+paper+".txt", b.String())
	}
}

// writeMadeUp writes claims with their cells, and what the paper gives nothing of without.
func writeMadeUp(b *strings.Builder, claims []run.Claim, findings []run.Finding) {
	for i := range claims {
		var cells []run.Finding
		for _, f := range findings {
			if f.Index == i {
				cells = append(cells, f)
			}
		}
		if c := &claims[i]; c.Statement != "" {
			fmt.Fprintf(b, " %s (%s; %s): %+v\n", c.Statement, c.Place, c.Source, run.Judge(cells))
		}
		for _, f := range cells {
			ours, paper := f.Measured.Words, ""
			if ours == "" {
				ours = fmt.Sprintf("%.6g", f.Measured.Value)
			}
			if f.Published != nil {
				paper = fmt.Sprintf("(%s) %s", f.Published, f.Verdict())
			} else if f.Rank > 0 {
				paper = fmt.Sprintf("place %d", f.Rank)
			}
			line := fmt.Sprintf("  %s, %s [%s %s] %s %s", f.What, f.Unit, f.Run, f.Baseline, ours, paper)
			fmt.Fprintln(b, strings.TrimRight(line, " "))
		}
	}
}

// requireOneValue checks that what has one name is one measurement.
func requireOneValue(t *testing.T, findings []run.Finding) {
	t.Helper()
	values := map[string]run.Measured{}
	for _, f := range findings {
		cell := f.Cell()
		before, again := values[cell]
		if math.IsNaN(f.Measured.Value) && math.IsNaN(before.Value) {
			before.Value = f.Measured.Value
		}
		require.True(t, !again || fmt.Sprint(before) == fmt.Sprint(f.Measured),
			"two measurements are named %q: %v and %v", cell, before, f.Measured)
		values[cell] = f.Measured
	}
}

// Each claim is a statement of its paper, with its place and how its number came here, and what is
// measured beside claims nothing of the paper. What messages rest on are claims.
func TestEveryClaimHasItsPlace(t *testing.T) {
	named := map[string]bool{}
	statements := map[string]*run.Claim{}
	for i := range papers.All.Scenarios {
		name := papers.All.Scenarios[i].Name
		paper := run.PaperOf(name)
		s := runtest.Prepared(t, papers.All, name, settings(name)...)
		if s.Claims == nil {
			continue
		}
		claims := s.Claims(s)
		for k := range claims {
			c := &claims[k]
			given := c.Across || c.Rising != nil
			for _, m := range c.Measures {
				given = given || len(m.Published) > 0
				require.NotNil(t, m.Value, "%s: %s", name, m.What)
			}
			require.Equal(t, given, c.Statement != "", "%s: %q", name, c.Statement)
			require.Equal(t, given, c.Place != "", "%s: %s", name, c.Statement)
			require.Equal(t, given, slices.Contains(sourcesOfNumbers, c.Source), "%s: %s", name, c.Statement)
			if c.Name != "" {
				key := paper + " " + c.Name
				named[key] = true
				if before := statements[key]; before != nil {
					require.Equal(t, before.Statement+before.Place, c.Statement+c.Place,
						"%s: two claims are named %s", name, c.Name)
				}
				statements[key] = c
			}
		}
	}
	for paper, claims := range papers.All.Untested {
		for _, c := range claims {
			require.Empty(t, c.Measures, c.Statement)
			for _, text := range []string{c.Statement, c.Place, c.Note} {
				require.NotEmpty(t, text, c.Statement)
			}
			named[paper+" "+c.Name] = c.Name != ""
		}
	}
	for paper, messages := range papers.All.Messages {
		require.Len(t, messages, 5, paper)
		for _, m := range messages {
			require.NotEmpty(t, m.Statement)
			require.NotEmpty(t, m.Place, m.Statement)
			for _, name := range m.Claims {
				require.True(t, named[paper+" "+name], "%s: no claim is named %s", paper, name)
			}
		}
	}
}

var sourcesOfNumbers = []run.Source{run.Given, run.Curve, run.Derived, run.Formula, run.Others}

// settings are what tests set of a scenario; nothing where there is nothing, as a setting of no
// name would stand for a variant without any.
func settings(name string) []string {
	return slices.DeleteFunc([]string{slow[name], longer[name]}, func(set string) bool {
		return set == ""
	})
}

// longer are scenarios in which flows are to start for as long as claims look at spans.
var longer = map[string]string{
	"pyrrha/fig2":   "duration=1ms,racks=4,hosts=4,spines=2,incast.degree=20",
	"pyrrha/fig14f": "duration=1ms,racks=4,hosts=4,spines=2,incast.degree=20",
}

// madeUpSpan is how long a run lasts that is given no end.
const madeUpSpan = 14 * sluice.Millisecond

// madeUp is the k-th result.
func madeUp(s *run.Subject, k int64) *sim.Result {
	end := s.Until
	if end == 0 {
		end = s.FirstStart() + madeUpSpan
	}
	r := &sim.Result{
		Completed: int(10 * k), Dropped: 20 * k, Marked: 30 * k, Reordered: 40 * k,
		MaxSwitchBytes: sluice.Bytes(50_000 * k), MaxPortBytes: sluice.Bytes(6_000 * k * k),
		MaxDrainBytes: sluice.Bytes(700 * (k + 1)), MaxRelayBytes: sluice.Bytes(80_000 * (k + 2)),
		ControlFrames: map[string]int64{"pause": 9_000 * k, "resume": 1},
		Figures:       map[string]int64{"isolation queues in use at a port": 11 * k},
		Simulated:     end,
	}
	if k == 1 {
		r.Deadlock = "made up"
	}
	// Of a group a third of the flows each takes k, k + k^2 and k + 2k^2 (plus its number) times its
	// unit: means and maxima of runs have other ratios, and so have groups.
	per := [...]sluice.Time{workload.GroupAuto: 1, workload.Incast: 10, workload.Vulnerable: 100,
		workload.Background: 1000}
	for i := range s.Flows {
		r.Flows = append(r.Flows, sim.FlowResult{
			Flow: s.Flows[i], Ideal: sluice.Microsecond,
			FCT: per[s.Groups[i]] * sluice.Microsecond *
				sluice.Time(k*(1+k*int64((i+1)%3))+int64(s.Groups[i])),
		})
	}
	step := max(s.SampleEvery, (end-s.FirstStart())/4000)
	for at, j := s.FirstStart()+step, int64(0); at <= end; at, j = at+step, j+1 {
		sample := sim.Sample{At: at, MaxPortBytes: sluice.Bytes(k * j), PausedQueues: int(k)}
		for g := range sample.DeliveredBytes {
			sample.DeliveredBytes[g] = sluice.Bytes(k * int64(1000<<g) * (1 + j%2))
		}
		r.Series = append(r.Series, sample)
		if strings.HasPrefix(s.Name, "portfc/fig1") {
			r.Steered = append(r.Steered, sim.SteeringSample{
				At: at, Weight: 1 / float64(k+j), ClosedForm: 1 / float64(k+2*j+1),
			})
		}
	}
	if s.Probes != nil {
		r.Seen = madeUpReport(s, k, step, end)
	}
	return r
}

// madeUpReport is what was seen of such a run.
func madeUpReport(s *run.Subject, k int64, step, end sluice.Time) *probe.Report {
	seen := &probe.Report{From: s.WarmUp, To: end}
	for node := range s.Graph.Nodes {
		for port := range s.Graph.Nodes[node].Ports {
			n := (k + int64(node%3)) * int64(1+node%7+10*(port%5))
			p := probe.PortStatistics{
				At:        sluice.Hop{Switch: sluice.SwitchID(node), Port: sluice.PortID(port)},
				MeanQueue: sluice.Bytes(n), LongestQueue: sluice.Bytes(10_000 * n), Sent: sluice.Bytes(1e6 * n),
				Pauses: n,
			}
			for class := range p.Paused {
				p.Paused[class], p.Pausing[class] = n*int64(1+class), n*n*int64(2+class)
			}
			seen.Ports = append(seen.Ports, p)
		}
	}
	later := sluice.Time(k) * 100 * sluice.Microsecond
	for i, at := range s.Probes.Ports {
		shift := later + sluice.Time(i)*10*sluice.Microsecond
		series := &probe.PortSeries{At: at}
		for time, j := step, int64(0); time <= end; time, j = time+step, j+1 {
			series.Time = append(series.Time, time)
			// a peak that is gone after 2 ms
			backlog := sluice.Bytes(k * (1000 + 10*(j%7)))
			if time < 2*sluice.Millisecond+shift {
				backlog += 100 * sluice.KB
			}
			series.Backlog = append(series.Backlog, backlog)
			rate := 10 + j%3 // Gb/s
			series.Sent = append(series.Sent, sluice.Bytes(rate*(k+int64(i))*int64(step)/8000))
		}
		seen.Series = append(seen.Series, series)
		for _, began := range []sluice.Time{sluice.Millisecond, 20 * sluice.Millisecond} {
			seen.Pauses = append(seen.Pauses,
				probe.Pause{At: at, Time: began + shift, Paused: true},
				probe.Pause{At: at, Time: began + 2*shift})
		}
		seen.States = append(seen.States,
			probe.Change{At: at, Time: sluice.Millisecond + shift, From: "0", To: "/"},
			probe.Change{At: at, Time: sluice.Millisecond + 2*shift, From: "/", To: "1"},
			probe.Change{At: at, Time: sluice.Millisecond + 3*shift, From: "1", To: "0"})
		for flow := range min(3, len(s.Flows)) {
			key := workload.Key(&s.Flows[flow], flow)
			seen.Marks = append(seen.Marks, &probe.FlowMarks{
				At: at, Flow: key.Hash(), CE: k * int64(1+flow), UE: 100 * k * int64(1+flow),
			})
		}
	}
	n := int64(max(1, len(s.Probes.Flows)))
	for i, flow := range s.Probes.Flows {
		f := &probe.FlowSeries{Flow: flow}
		for time, j := step, int64(0); time <= end; time, j = time+step, j+1 {
			f.Time = append(f.Time, time)
			rate := 10 * sluice.Gbps / sluice.Rate(n)
			if time < sluice.Millisecond+later {
				rate *= 3
			}
			f.Set = append(f.Set, rate)
			f.Cuts = append(f.Cuts, int(k*(j/100)))
			f.Received = append(f.Received, sluice.Bytes((18+k+int64(i))*(1+j%2)*int64(step)/8000/n))
		}
		seen.Flows = append(seen.Flows, f)
	}
	return seen
}
