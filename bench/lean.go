package main

import (
	"runtime/debug"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// lean has the garbage collector come earlier where the network is large: what is simulated lives
// as long as the run, so that it finds little and need not come again.
func lean(s *run.Subject) *run.Subject {
	const large, percent = 4096, 10
	if len(s.Graph.Nodes) >= large {
		debug.SetGCPercent(percent)
	}
	return s
}
