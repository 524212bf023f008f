package tcd

import (
	"fmt"
	"maps"
	"slices"
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

// claimUnit sets what Figures 3 and 4 say of P2 beside ours.
func claimUnit(s *run.Subject) (claims []run.Measurement) {
	multiple := s.Flows[0].Rate > 10*sluice.Gbps
	longest := run.Measurement{What: "longest queue at P2", Unit: "KB",
		Value: run.Value(func(o *run.Outcome) float64 {
			return float64(o.Statistics(unitP2).LongestQueue / sluice.KB)
		})}
	rate := run.Measurement{What: "rate of P2 in the ms after the bursts", Unit: "Gb/s",
		Value: run.Value(func(o *run.Outcome) float64 {
			over := burstsEnd(o)
			return o.Rate(unitP2, over, over+sluice.Millisecond)
		})}
	states := "/, 1"
	if !multiple {
		longest.Published = run.Ranges{"pfc": run.AtLeast(500)}
		rate.Published = run.Always(run.Exactly(10))
		states = "/, 0"
	}
	claims = append(claims, longest, run.Measurement{
		What: "P2 on and off until", Unit: "ms", Value: lastResume(unitP2),
		Published: run.Ranges{"pfc": run.Exactly(1.6), "cbfc": run.Exactly(4)},
	})
	for flow := range 3 {
		marks := func(of func(probe.FlowMarks) int64) run.Measure {
			return run.Value(func(o *run.Outcome) float64 { return float64(of(o.MarksAt(unitP2, flow))) })
		}
		claims = append(claims,
			run.Measurement{What: fmt.Sprintf("packets of F%d that P2 marked CE", flow),
				Value:     marks(func(m probe.FlowMarks) int64 { return m.CE }),
				Published: markedCE(multiple)},
			run.Measurement{What: fmt.Sprintf("packets of F%d that P2 marked UE", flow),
				Value: marks(func(m probe.FlowMarks) int64 { return m.UE })})
	}
	claims = append(claims, rate)
	return slices.Concat(
		claims, claimState("P2", unitP2, states), claimState("P3", unitP3, "1, 0"))
}

// markedCE is what the paper says of CE at P2, by detector: "some" by ECN and FECN; none by TCD,
// where P3 alone is congested.
func markedCE(multiple bool) run.Ranges {
	published := run.Ranges{}
	for _, variant := range tcdDetectors {
		if !strings.HasPrefix(variant.Name, "tcd") {
			published[variant.Name] = run.AtLeast(1)
		} else if !multiple {
			published[variant.Name] = run.Exactly(0)
		}
	}
	return published
}

// claimEpsilon is claimUnit with what the paper says of PFC with TCD alone.
func claimEpsilon(s *run.Subject) []run.Measurement {
	claims := claimUnit(s)
	for _, c := range claims {
		maps.DeleteFunc(c.Published, func(name string, _ run.Range) bool {
			return name != "" && name != "pfc"
		})
	}
	return claims
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

// claimState has the states of a port's detector, and when it came to them; nothing for a run whose
// detector has no states.
func claimState(name string, at sluice.Hop, published string) []run.Measurement {
	words := func(say func(*run.Outcome, sluice.Hop) string) run.Measure {
		return func(o *run.Outcome) run.Measured {
			if len(o.States(at)) == 0 {
				return run.None()
			}
			return run.Words(say(o, at))
		}
	}
	return []run.Measurement{
		{What: "states of " + name, Value: words(sequenceOf),
			Published: run.Always(run.InWords(published))},
		{What: "states of " + name, Unit: "ms", Value: words(statesInWords)},
	}
}

// sequenceOf lists the states after the first.
func sequenceOf(o *run.Outcome, at sluice.Hop) string {
	var states []string
	for _, state := range strings.Split(statesInWords(o, at), ", ")[1:] {
		name, _, _ := strings.Cut(state, " ")
		states = append(states, name)
	}
	return strings.Join(states, ", ")
}

// claimVictim compares the throughputs of F0, F1 and F2 and how often each was cut while P3 alone
// is congested.
func claimVictim(*run.Subject) (claims []run.Measurement) {
	for i := range 3 {
		name := fmt.Sprintf("F%d", i)
		claims = append(claims,
			run.Measurement{What: "times that the rate of " + name + " was cut",
				Value: run.Value(func(o *run.Outcome) float64 { return float64(o.Cuts(i)) })},
			run.Measurement{What: "throughput of " + name + " from F0's start to the end", Unit: "Gb/s",
				Value: run.Value(func(o *run.Outcome) float64 {
					return o.Throughput(i, unitVictims, o.Result.Simulated)
				})})
	}
	return claims
}

// claimStates lists the states of all watched ports: Figure 5's relations in words.
func claimStates(s *run.Subject) (claims []run.Measurement) {
	for _, p := range watchedPorts[s.Name] {
		claims = append(claims, claimState("the "+p.name, p.at, p.published)...)
		claims = append(claims, run.Measurement{
			What: "last resume of the " + p.name, Unit: "ms", Value: lastResume(p.at),
		})
	}
	return claims
}
