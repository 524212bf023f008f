package main

import "github.com/sluicefc/sluice"

// request is what somebody asks of a scenario; without anything it is the scenario as it is, for
// the seed 0.
type request struct {
	protocols []string // nil: those of the scenario
	set       []string // assignments of parameters, the last of which counts
	seed      uint64
	until     sluice.Time // 0: that of the scenario
	failures  failures
	incast    []sluice.SwitchID // hosts whose flows are the incast
	watch     watchRequest
}

// defaultSeed is the seed of who asks for none.
const defaultSeed = 1
