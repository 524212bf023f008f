package tofino

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
)

// tick is the step of the chip's clock.
const tick = sluice.Nanosecond

// What the chip can hold of flows and queues.
const (
	mostBFCQueues = 64
	mostVFIDs     = 1 << 16
)

// Rules by which BFC is changed.
const (
	ruleClock     = "the chip's clock ticks in nanoseconds: it is rounded up to whole ones"
	ruleQueues    = "must be a power of two, 2 to 64: a port's last queue is for signals"
	ruleVFIDs     = "must be a power of two, at least Queues and at most 65,536"
	ruleIndex     = "the chip has no product of 64 bits: an entry is found by low bits of the hash"
	ruleIdeal     = "the flow table has no keys: flows of one index share an entry"
	ruleStack     = "the chip cannot search for a free queue: it has a stack of them"
	ruleOverflow  = "the chip draws no queue at random: it takes low bits of the hash"
	ruleMiddle    = "a stack cannot give up a queue in its middle when that is paused"
	ruleFirst     = "the program has no queue for first packets"
	ruleClasses   = "the program has data queues and one for signals, none for other classes"
	ruleWaiting   = "the program has no list of resumes that wait"
	ruleSignals   = "the program sends a frame for each change, and no bitmaps"
	ruleOneQueue  = "a packet carries one word of flow control: a frame names one queue"
	ruleScheduler = "the scheduler of the chip shares by bytes"
	ruleUncounted = "a packet that the buffer drops was counted before, and would stay counted: the " +
		"buffer has no bound but the chip's"
	ruleRate = "must be the rate of a port of the chip: 10, 25, 40, 50, 100, 200 or 400 Gbit/s"
)

// RealiseBFC returns the nearest configuration that the chip can run, and its changes. The machine
// to compare the chip with is made of that configuration. It refuses, with a [*sluice.ConfigError],
// a configuration that the machine refuses and a rate that no port has.
//
// Nothing of the chip depends on Seed, for there is no random choice left and the hash has none, on
// Quantum, for data queues weigh the same, nor on Period, IdleBitmaps and ResumePeriod, whose
// mechanisms are off.
func RealiseBFC(c bfc.Config) (bfc.Config, []Change, error) {
	return realised(c, bfc.New, func(r *realisation, c *bfc.Config, machine *bfc.Switch) {
		full := machine.Config()
		c.Ports, c.Withhold = slices.Clone(c.Ports), slices.Clone(c.Withhold)
		realise(r, "Index", &c.Index, bfc.LowBits, ruleIndex)
		without(r, "Ideal", &c.Ideal, ruleIdeal)
		realise(r, "Assignment", &c.Assignment, bfc.LastFreed, ruleStack)
		realise(r, "Overflow", &c.Overflow, bfc.HashQueue, ruleOverflow)
		without(r, "AssignForgotten", &c.AssignForgotten, ruleMiddle)
		realise(r, "AssignPaused", &c.AssignPaused, true, ruleMiddle)
		without(r, "FirstPacketQueue", &c.FirstPacketQueue, ruleFirst)
		if full.Classes != sluice.AllClasses {
			realise(r, "Classes", &c.Classes, sluice.AllClasses, ruleClasses)
		}
		without(r, "ResumeLimit", &c.ResumeLimit, ruleWaiting)
		realise(r, "Signalling", &c.Signalling, bfc.Transitions, ruleSignals)
		if c.Expiry > 0 {
			without(r, "Expiry", &c.Expiry, ruleSignals)
		}
		realise(r, "QueuesPerFrame", &c.QueuesPerFrame, 1, ruleOneQueue)
		realise(r, "Scheduler", &c.Scheduler, bfc.DeficitRoundRobin, ruleScheduler)
		without(r, "Buffer", &c.Buffer, ruleUncounted)
		realiseTable(r, c, &full)
		if c.Sticky > 0 {
			realise(r, "Sticky", &c.Sticky, wholeTicks(c.Sticky), ruleClock)
		}
		for at := range c.Ports {
			p := &c.Ports[at]
			r.rate(at, p.Link.Rate)
			if hrtt := full.Ports[at].HRTT; wholeTicks(hrtt) != hrtt {
				realise(r, fmt.Sprintf("Ports[%d].HRTT", at), &p.HRTT, wholeTicks(hrtt), ruleClock)
			}
		}
	})
}

// realiseTable rounds the number of queues down and the number of flow table entries up to powers
// of two, which bits of an index can tell. Defaults stay defaults where they are powers of two.
func realiseTable(r *realisation, c, full *bfc.Config) {
	queues := min(max(1<<(bits.Len(uint(full.Queues))-1), 2), mostBFCQueues)
	if queues != full.Queues {
		realise(r, "Queues", &c.Queues, queues, ruleQueues)
	}
	if c.VFIDs == 0 {
		return // the next power of two above a hundred entries a queue
	}
	vfids := min(max(1<<bits.Len(uint(c.VFIDs-1)), queues), mostVFIDs)
	realise(r, "VFIDs", &c.VFIDs, vfids, ruleVFIDs)
}

// wholeTicks rounds a time up to whole ticks of the chip's clock.
func wholeTicks(t sluice.Time) sluice.Time { return (t + tick - 1) / tick * tick }

// stickyTime returns the sticky time of packets by a port of a configuration with its defaults.
func stickyTime(c *bfc.Config, at int) sluice.Time {
	switch {
	case c.Sticky == bfc.NoSticky:
		return 0
	case c.Sticky == 0:
		return 2 * c.Ports[at].HRTT
	}
	return c.Sticky
}
