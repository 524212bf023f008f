package run

import "github.com/sluicefc/sluice"

// Request is what somebody asks of a scenario; without anything it is the scenario as it is, for
// the seed 0.
type Request struct {
	Protocols []string // nil: those of the scenario
	Set       []string // assignments of parameters, the last of which counts
	Seed      uint64
	Until     sluice.Time // 0: that of the scenario
	Failures  Failures
	Incast    []sluice.SwitchID // hosts whose flows are the incast
	Watch     WatchRequest
}

// DefaultSeed is the seed of who asks for none.
const DefaultSeed = 1
