package general

import (
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// claimReference says how flows beside the incast fare under every protocol, and what that takes.
func claimReference(*run.Subject) []run.Claim {
	return []run.Claim{run.Beside(append([]run.Measurement{
		{What: "mean FCT of vulnerable flows", Unit: "us", Value: run.MeanFCT(workload.Vulnerable)},
		{What: "mean FCT of background flows", Unit: "us", Value: run.MeanFCT(workload.Background)},
	}, MeasureQueues...)...)}
}

// MeasureQueues says what isolation takes of switches where roots, or destinations, have queues of
// their own: queues, states, backlog.
var MeasureQueues = []run.Measurement{
	{What: "queues beside the output queue in use at a port", Value: run.Figure(
		"isolation queues in use at a port", "queues of destinations in use at a port")},
	{What: "roots or destinations tracked by a switch", Value: run.Figure(
		"congestion roots known to a switch at once", "destinations tracked by a switch",
		"destinations that needed a queue of a switch at once")},
	{What: "largest backlog of a switch", Unit: "KB", Value: run.LargestBacklog},
}
