package general

import (
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// claimReference says how flows beside the incast fare under every protocol, and what that takes.
func claimReference(*run.Subject) []run.Claim {
	return append([]run.Claim{
		{
			What: "mean FCT of vulnerable flows", Unit: "us",
			Value: run.FCT(workload.Vulnerable, (*run.Summary).OfMean),
		},
		{
			What: "mean FCT of background flows", Unit: "us",
			Value: run.FCT(workload.Background, (*run.Summary).OfMean),
		},
	}, ClaimQueues()...)
}

// ClaimQueues says what isolation takes of switches where roots, or destinations, have queues of
// their own: "per-destination VOQs are not scalable since the number of VOQs required scales with
// the number of hosts in networks" (Pyrrha, section II-C). The paper has no numbers.
func ClaimQueues() []run.Claim {
	figure := func(names ...string) func(*run.Outcome) run.Measured {
		return func(o *run.Outcome) run.Measured {
			for _, name := range names {
				if n, ok := o.Result.Figures[name]; ok {
					return run.Number(float64(n))
				}
			}
			return run.None()
		}
	}
	return []run.Claim{
		{
			What:  "queues beside the output queue in use at a port",
			Value: figure("isolation queues in use at a port", "queues of destinations in use at a port"),
		},
		{
			What: "roots, or destinations, that a switch had a state of",
			Value: figure("congestion roots known to a switch at once",
				"destinations that a switch had a state of",
				"destinations that needed a queue of a switch at once"),
		},
		{
			What: "largest backlog of a switch", Unit: "KB",
			Value: func(o *run.Outcome) run.Measured {
				return run.Number(float64(o.Result.MaxSwitchBytes) / 1000)
			},
		},
	}
}
