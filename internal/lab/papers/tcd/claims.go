package tcd

import (
	"fmt"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// statesInWords lists the states of a port's detector, with the milliseconds since the bursts at
// which it came to them. A detector that goes back and forth between 0 and 1, as the random marking
// below K_max makes it, is in "0-1".
func statesInWords(o *run.Outcome, at sluice.Hop) string {
	text, now := "0", "0"
	for _, c := range o.States(at) {
		to := c.To
		if (to == "0" || to == "1") && (now == "1" || now == "0-1") {
			if now != "0-1" {
				text += ", 0-1 " + sinceBursts(c.Time)
			}
			now = "0-1"
			continue
		}
		text += fmt.Sprintf(", %s %s", to, sinceBursts(c.Time))
		now = to
	}
	return text
}

// burstsEnd returns when the last flow of the bursts was over; 0 if none was.
func burstsEnd(o *run.Outcome) (end sluice.Time) {
	for i := range o.Result.Flows {
		if f := &o.Result.Flows[i]; f.Group == workload.Incast && f.FCT != sluice.Never {
			end = max(end, f.Start+f.FCT)
		}
	}
	return end
}

// unitMeasures are what Figures 3 and 4 are about: P2, and the states of P2 and P3.
type unitMeasures struct {
	longest, until, rate, queued run.Measurement
	marked                       [3][2]run.Measurement // of F0, F1 and F2: CE and UE
	states, times                [2]run.Measurement    // of P2 and P3: the paper's, and ours with when
}

func measuresOfUnit() (m unitMeasures) {
	m.longest = run.Measurement{What: "longest queue at P2", Unit: "KB",
		Value: run.Value(func(o *run.Outcome) float64 {
			return float64(o.Statistics(unitP2).LongestQueue / sluice.KB)
		})}
	m.until = run.Measurement{What: "P2 on and off until", Unit: "ms", Value: lastResume(unitP2)}
	m.rate = run.Measurement{What: "rate of P2 in the ms after the bursts", Unit: "Gb/s",
		Value: run.Value(func(o *run.Outcome) float64 {
			over := burstsEnd(o)
			return o.Rate(unitP2, over, over+sluice.Millisecond)
		})}
	m.queued = run.Measurement{What: "queue at P2 in the end", Unit: "KB",
		Value: func(o *run.Outcome) run.Measured {
			backlog := o.Result.Seen.Series[unitPlaceOfP2].Backlog
			if len(backlog) == 0 {
				return run.None()
			}
			return run.Number(float64(backlog[len(backlog)-1]) / 1000)
		}}
	for flow := range m.marked {
		marks := func(of func(probe.FlowMarks) int64) run.Measure {
			return run.Value(func(o *run.Outcome) float64 { return float64(of(o.MarksAt(unitP2, flow))) })
		}
		m.marked[flow] = [2]run.Measurement{
			{What: fmt.Sprintf("packets of F%d that P2 marked CE", flow),
				Value: marks(func(m probe.FlowMarks) int64 { return m.CE })},
			{What: fmt.Sprintf("packets of F%d that P2 marked UE", flow),
				Value: marks(func(m probe.FlowMarks) int64 { return m.UE })},
		}
	}
	for i, p := range []watched{{name: "P2", at: unitP2}, {name: "P3", at: unitP3}} {
		m.states[i], m.times[i] = statesOf(p.name, p.at)
	}
	return m
}

// beside is everything that is measured.
func (m *unitMeasures) beside() run.Claim {
	c := run.Beside(m.longest, m.until)
	for _, flow := range m.marked {
		c.Measures = append(c.Measures, flow[0], flow[1])
	}
	c.Measures = append(c.Measures, m.rate, m.queued)
	for i := range m.states {
		c.Measures = append(c.Measures, m.states[i], m.times[i])
	}
	return c
}

// Detectors of Ethernet and of InfiniBand without TCD, and with it, by the names of runs.
var (
	fecn    = []string{"cbfc fecn", "cbfc fecn, ibcc"}
	ternary = []string{"pfc tcd", "cbfc tcd", "cbfc tcd, ibcc"}
)

// of returns a measurement with what the paper gives for runs, which are the only ones.
func of(m run.Measurement, names []string, r run.Range) run.Measurement {
	m.Of, m.Published = names, run.Always(r)
	return m
}

func given(name, statement, place string, measures ...run.Measurement) run.Claim {
	return run.Claim{
		Name: name, Statement: statement, Place: place, Source: run.Given, Measures: measures,
	}
}

func derived(name, statement, place string, measures ...run.Measurement) run.Claim {
	c := given(name, statement, place, measures...)
	c.Source = run.Derived
	return c
}

// stateClaims are what section 3.2 says of the states of P2 and P3.
func (m *unitMeasures) stateClaims(name, ofP2, published, place string) []run.Claim {
	return []run.Claim{
		given(name, ofP2, place, of(m.states[0], ternary, run.InWords(published))),
		given("", "P3 is the congested port, and with its tree it comes to be uncongested",
			"section 3.2.1, second state; section 3.2.2, item 1",
			of(m.states[1], ternary, run.InWords("1, 0"))),
	}
}

// claimFigure3 sets what section 3.1.2 says of P2 beside ours.
func claimFigure3(*run.Subject) []run.Claim {
	m := measuresOfUnit()
	const place = "section 3.1.2, "
	some := run.AtLeast(1)
	mistaken := derived("", "P2 is not congested, so that nothing is to be marked CE there", place+
		"paragraph 2")
	mistaken.Note = "the paper says it of ports; that TCD marks nothing follows from its rule"
	for _, flow := range m.marked {
		mistaken.Measures = append(mistaken.Measures, of(flow[0], ternary, run.Exactly(0)))
	}
	ethernet, infiniBand := []string{"pfc ecn"}, fecn
	overflowing := given("", "the queue of P2 grows to over 500 KB, though F0 and F2 send at 5 Gb/s",
		place+"paragraph 2; Figure 3(a)", of(m.longest, ethernet, run.AtLeast(500)))
	overflowing.Note = "the text does not say whether of Ethernet alone: here of PFC with ECN"
	claims := []run.Claim{
		overflowing,
		given("ecn-victims", "ECN marks packets of F0, a victim, and some of F1 at P2, which is not "+
			"congested", place+"paragraph 2; Figure 3(a)",
			of(m.marked[0][0], ethernet, some), of(m.marked[1][0], ethernet, some)),
		given("fecn-victims", "FECN marks some packets of F0 and F2 at P2", place+"last paragraph; "+
			"Figure 3(b)", of(m.marked[0][0], infiniBand, some), of(m.marked[2][0], infiniBand, some)),
		mistaken,
		given("", "when the congestion at P3 is gone, P2 sends at 10 Gb/s", "section 3.1.3, paragraph 2; "+
			"Figure 3(c) and (d)", withAlways(m.rate, run.Exactly(10))),
		given("", "and its queue is drained", "section 3.1.3, paragraph 2; Figure 3(a) and (b)",
			withAlways(m.queued, run.Exactly(0))),
	}
	claims = append(claims, m.stateClaims("recovers",
		"P2 is undetermined, and not congested once congestion has ceased to spread", "/, 0",
		"section 3.2.1, third state; section 3.2.2, item 1")...)
	return append(claims, m.beside())
}

// claimFigure4 sets what section 3.1.3 says of P2 beside ours.
func claimFigure4(*run.Subject) []run.Claim {
	m := measuresOfUnit()
	const place = "section 3.1.3, paragraph 2; Figure 4"
	until := m.until
	until.Of = []string{"pfc ecn", "cbfc fecn", "cbfc fecn, ibcc"}
	until.Published = run.Ranges{
		"pfc ecn": run.Exactly(1.6), "cbfc fecn": run.Exactly(4), "cbfc fecn, ibcc": run.Exactly(4),
	}
	claims := []run.Claim{
		given("", "P2 alternates between on and off until 1.6 ms in CEE and 4 ms in InfiniBand", place,
			until),
		given("", "afterwards packets still accumulate at P2", place+"(a) and (b)",
			of(m.queued, until.Of, run.AtLeast(1))),
	}
	claims = append(claims, m.stateClaims("emerges",
		"P2 is a covered root: undetermined, and congested once the deeper tree is gone", "/, 1",
		"section 3.2.2, item 3")...)
	return append(claims, m.beside())
}

func withAlways(m run.Measurement, r run.Range) run.Measurement {
	m.Published = run.Always(r)
	return m
}

// claimEpsilon is what is measured of P2, and no claim: the sections of the paper that we have do
// not speak of epsilon.
func claimEpsilon(*run.Subject) []run.Claim {
	m := measuresOfUnit()
	return []run.Claim{m.beside()}
}

// lastResume is when a port was released last, on the paper's clock.
func lastResume(at sluice.Hop) run.Measure {
	return func(o *run.Outcome) run.Measured {
		last := o.Released(at)
		if last == sluice.Never {
			return run.Words("never held")
		}
		return run.Number((last - unitBursts).Microseconds() / 1000)
	}
}

// statesOf measures the states of a port's detector, as the paper has them, and with ours when it
// came to them; nothing of a run whose detector has no states.
func statesOf(name string, at sluice.Hop) (ternary, when run.Measurement) {
	words := func(say func(*run.Outcome, sluice.Hop) string) run.Measure {
		return func(o *run.Outcome) run.Measured {
			if len(o.States(at)) == 0 {
				return run.None()
			}
			return run.Words(say(o, at))
		}
	}
	return run.Measurement{What: "the three states of " + name, Value: words(ternaryOf)},
		run.Measurement{What: "states of " + name, Unit: "ms", Value: words(statesInWords)}
}

// ternaryOf lists the states after the first as the paper has them: a port whose queue is found out
// to shrink or not (D) is still undetermined. Below K_max marking is random, and with it the states
// 0 and 1: of a time in which a port goes back and forth between them, only the last counts.
func ternaryOf(o *run.Outcome, at sluice.Hop) string {
	var states []string
	for _, c := range o.States(at) {
		to := strings.Replace(c.To, "D", "/", 1)
		n := len(states)
		switch {
		case n > 0 && states[n-1] == to:
		case n > 1 && to != "/" && states[n-1] != "/" && states[n-2] == to:
			states = states[:n-1]
		default:
			states = append(states, to)
		}
	}
	return strings.Join(states, ", ")
}

// claimVictim compares the throughputs of F0, F1 and F2 and how often each was cut while P3 alone
// is congested. The sections of the paper that we have say nothing of it.
func claimVictim(*run.Subject) []run.Claim {
	c := run.Beside()
	for i := range 3 {
		name := fmt.Sprintf("F%d", i)
		c.Measures = append(c.Measures,
			run.Measurement{What: "times that the rate of " + name + " was cut",
				Value: run.Value(func(o *run.Outcome) float64 { return float64(o.Cuts(i)) })},
			run.Measurement{What: "throughput of " + name + " from F0's start to the end", Unit: "Gb/s",
				Value: run.Value(func(o *run.Outcome) float64 {
					return o.Throughput(i, unitVictims, o.Result.Simulated)
				})})
	}
	return []run.Claim{c}
}

// claimTrees are Figure 5's relations, as the states of all watched ports in words.
func claimTrees(s *run.Subject) []run.Claim {
	tree := figure5[s.Name]
	claims := map[role]*run.Claim{}
	var order []role
	beside := run.Beside()
	for _, p := range watchedPorts[s.Name] {
		which, when := statesOf(p.name, p.at)
		r := p.role()
		if claims[r] == nil {
			claims[r] = &run.Claim{
				Name: tree[r].name, Statement: tree[r].statement, Place: tree[r].place, Source: run.Given,
			}
			order = append(order, r)
		}
		which.Published = run.Always(run.InWords(p.published))
		claims[r].Measures = append(claims[r].Measures, which)
		beside.Measures = append(beside.Measures, when,
			run.Measurement{What: "last resume of " + p.name, Unit: "ms", Value: lastResume(p.at)})
	}
	var all []run.Claim
	for _, r := range order {
		all = append(all, *claims[r])
	}
	if s.Name == "tcd/overlapped" {
		all = append(all, claimOutlasts())
	}
	return append(all, beside)
}

// claimOutlasts is an order of instants: a leaf of both trees is undetermined for longer than the
// leaf of the tree that is gone first.
func claimOutlasts() run.Claim {
	left := func(p watched) run.Measurement {
		return run.Measurement{
			What: p.name + " is undetermined until", Unit: "ms",
			Value: func(o *run.Outcome) run.Measured {
				states := o.States(p.at)
				for i := len(states) - 1; i >= 0; i-- {
					if from := states[i].From; from == "/" || from == "D" {
						return run.Number((states[i].Time - unitBursts).Microseconds() / 1000)
					}
				}
				return run.None()
			},
		}
	}
	c := given("overlapped", "when one of two trees is gone, leaves that they have in common are still "+
		"undetermined, and its other leaves are not congested", "section 3.2.2, item 2; Figure 5(b)",
		left(overlappedPorts[3]), left(overlappedPorts[0]))
	c.Across = true
	return c
}
