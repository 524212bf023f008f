package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// fate is what a bad wire does to a control frame.
type fate uint8

const (
	frameDelivered fate = iota
	frameLost
	frameDoubled
	frameHeldBack // it comes after the next frame of its link, or heldBackFor later
)

const heldBackFor = 10 * sluice.Microsecond

// faults draws the fate of control frames.
type faults struct {
	enabled                  bool
	random                   prng.Source
	loss, duplicate, reorder uint64 // parts per million
}

func newFaults(c *Config) faults {
	return faults{
		enabled: c.ControlLoss+c.ControlDuplicate+c.ControlReorder > 0,
		random:  prng.New(c.Seed),
		loss:    c.ControlLoss, duplicate: c.ControlDuplicate, reorder: c.ControlReorder,
	}
}

func (f *faults) draw() fate {
	x := f.random.Below(1_000_000)
	switch {
	case x < f.loss:
		return frameLost
	case x < f.loss+f.duplicate:
		return frameDoubled
	case x < f.loss+f.duplicate+f.reorder:
		return frameHeldBack
	}
	return frameDelivered
}
