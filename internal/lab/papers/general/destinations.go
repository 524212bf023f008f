package general

import (
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// claimReference sets our means beside the means of the authors' ns-3 on the same flows, as far as
// it was run, and says what isolation takes.
func claimReference(s *run.Subject) []run.Claim {
	mean := func(g workload.Group) run.Measurement {
		p := run.Ranges{}
		for fc := range s.Published.FCT {
			if ns3, ok := s.Published.Mean(fc, s.Groups, g); ok {
				p[fc] = run.Exactly(ns3)
			}
		}
		return run.Measurement{What: "mean FCT of " + g.String() + " flows", Unit: "us",
			Value: run.MeanFCT(g), Published: p}
	}
	return []run.Claim{
		{Statement: "means of the authors' ns-3 (NASA-NJU/Pyrrha-NS3, 3765687) on the same flows",
			Place: "no paper: internal/lab/papers/general/testdata/pyrrha-ns3", Source: run.Others,
			Note:     "other hashes choose other links; on the same links means agree within 0.2 %",
			Measures: []run.Measurement{mean(workload.Vulnerable), mean(workload.Background)}},
		run.Beside(MeasureQueues...),
	}
}

// MeasureQueues says what isolation takes of switches where roots, or destinations, have queues of
// their own: queues, states, backlog.
var MeasureQueues = []run.Measurement{
	{What: "queues beside the output queue in use at a port", Value: run.Figure(
		"isolation queues in use at a port", "queues of destinations in use at a port")},
	{What: "roots, or destinations, that a switch had a state of", Value: run.Figure(
		"congestion roots known to a switch at once", "destinations that a switch had a state of",
		"destinations that needed a queue of a switch at once")},
	{What: "largest backlog of a switch", Unit: "KB", Value: run.LargestBacklog},
}
