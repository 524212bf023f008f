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

// claimUnit sets what Figures 3 and 4 say of P2 beside ours.
func claimUnit(s *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	multiple := s.Flows[0].Rate > 10*sluice.Gbps
	for _, o := range outcomes {
		say := func(what, published, ours string) {
			claims = append(claims, run.Claim{What: what, FC: o.FC, Published: published, Ours: ours})
		}
		marks := func(mark func(probe.FlowMarks) int64) string {
			var each []string
			for flow := range 3 {
				each = append(each, fmt.Sprint(mark(o.MarksAt(unitP2, flow))))
			}
			return strings.Join(each, ", ")
		}
		longest := "over 500"
		marked := map[string]string{"ecn": "some", "fecn": "some"}
		if multiple || o.Run != "pfc" {
			longest = ""
		}
		if !multiple {
			marked["tcd"] = "none"
		}
		say(
			"longest queue at P2, KB", longest,
			fmt.Sprint(int64(o.Statistics(unitP2).LongestQueue/sluice.KB)),
		)
		last := o.Released(unitP2)
		end := "never held"
		if last != sluice.Never {
			end = sinceBursts(last)
		}
		say("P2 on and off until, ms", onOffEnd[o.Run], end)
		say("CE set at P2 on F0, F1, F2", marked[detector(o)],
			marks(func(m probe.FlowMarks) int64 { return m.CE }))
		say("UE set at P2 on F0, F1, F2", "", marks(func(m probe.FlowMarks) int64 { return m.UE }))
		over := burstsEnd(o)
		say("rate of P2 in the ms after the bursts, Gb/s", map[bool]string{false: "10"}[multiple],
			fmt.Sprintf("%.1f", o.Rate(unitP2, over, over+sluice.Millisecond)))
		if len(o.States(unitP2)) > 0 {
			say(
				"states of P2, ms", map[bool]string{false: "/, 0", true: "/, 1"}[multiple],
				statesInWords(o, unitP2),
			)
			say("states of P3, ms", "1, 0", statesInWords(o, unitP3))
		}
	}
	return claims
}

// onOffEnd is when, as published, P2 goes on and off no more, in milliseconds. Under InfiniBand it is
// 3.38 with ibcc. That hangs on the table of delays, which the paper has from elsewhere: with steps of
// a packet (ibcc.step=1) P2 is never held, CCTI_Timer (30 or 150 us) changes nothing.
var onOffEnd = map[string]string{"pfc": "1.6", "cbfc": "4"}

// detector returns what marks in the run.
func detector(o *run.Outcome) string { return o.Subject.Values.String("detect") }

// claimVictim compares the throughputs of F0, F1 and F2 and how often each was cut while P3 alone
// is congested.
func claimVictim(_ *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	for _, o := range outcomes {
		for i := range o.Result.Seen.Flows {
			name := fmt.Sprintf("F%d", i)
			claims = append(claims, run.Claim{
				What: "times that the rate of " + name + " was cut", FC: o.FC,
				Ours: fmt.Sprint(o.Cuts(i)),
			}, run.Claim{
				What: "throughput of " + name + " from F0's start to the end, Gb/s", FC: o.FC,
				Ours: fmt.Sprintf("%.2f", o.Throughput(i, unitVictims, o.Result.Simulated)),
			})
		}
	}
	return claims
}

// claimStates lists the states of all watched ports: Figure 5's relations in words.
func claimStates(s *run.Subject, outcomes []*run.Outcome) (claims []run.Claim) {
	for _, o := range outcomes {
		for _, p := range portsOf(s.Name) {
			last := o.Released(p.at)
			claims = append(claims, run.Claim{
				What: "states of the " + p.name + ", ms", FC: o.FC, Published: p.published,
				Ours: statesInWords(o, p.at),
			})
			if last != sluice.Never {
				claims = append(claims, run.Claim{
					What: "last resume of the " + p.name + ", ms", FC: o.FC, Ours: sinceBursts(last),
				})
			}
		}
	}
	return claims
}

// portsOf returns the watched ports of a scenario of Figure 5.
func portsOf(scenario string) []watched {
	switch scenario {
	case "tcd/isolated":
		return isolatedPorts
	case "tcd/overlapped":
		return overlappedPorts
	}
	return unitPorts
}
