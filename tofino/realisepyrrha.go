package tofino

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/chip"
)

// What the chip can hold of roots and queues.
const (
	mostSlots        = 255 // of a level: a number of 8 bits, 0 is no slot
	mostLevels       = 4
	mostPyrrhaPorts  = chip.Channels * (chip.Groups - 1)
	queuesApart      = 3 // of a port: the OQ, signals, and the class that is not under Pyrrha
	ruleTier         = "the chip has no queues in levels: it has one for a set of roots"
	ruleOrder        = "the chip cannot hold a new set's queue behind the queues of its subsets"
	ruleMerged       = "no packet moves from one queue to another: nothing waits for the old queue"
	ruleRelent       = "the program cannot search for the sets of a root: it pauses as the paper does"
	ruleImbalance    = "the mean of the queues' lengths takes a division"
	ruleIngressSum   = "the program adds up by ingress and root, not by queue"
	ruleCalm         = "the program looks at no queue's length when a PAUSE comes"
	ruleOtherClasses = "the program has one queue for a class that is not under Pyrrha"
	ruleSlots        = "a root has a number of 8 bits, and 0 is no number"
	ruleIQs          = "a port needs three queues besides, and the ports of a pipe share its queues"
	ruleRepeat       = "the program repeats no frame, and obeys a pause until it is taken back"
	ruleCard         = "must be a port of a switch: cards of hosts are not emitted"
	ruleManyPorts    = "must be at most 64: registers are of one pipe"
	ruleBigThreshold = "its thresholds must be within the chip's buffer of 393,216 cells of 176 B"
)

// RealisePyrrha returns the nearest configuration that the chip can run, and its changes. The
// machine to compare the chip with is made of that configuration. Thresholds stay as they are: with
// packets of whole cells, a threshold in bytes is equal to one in cells. It refuses, with a
// [*sluice.ConfigError], a configuration that the machine refuses, a host's card, more ports than a
// pipe has, rates that no port has, and thresholds beyond the buffer.
//
// Nothing of the chip depends on Levels, because the path tables know how far a root is, on MTU and
// Speedup, which are about moves between levels, on Imbalance, whose rule is off, nor on Expiry.
func RealisePyrrha(c pyrrha.Config) (pyrrha.Config, []Change, error) {
	return realised(c, pyrrha.New, func(r *realisation, c *pyrrha.Config, machine *pyrrha.Switch) {
		full := machine.Config()
		c.Ports = slices.Clone(c.Ports)
		r.that(len(c.Ports) <= mostPyrrhaPorts, "Ports", len(c.Ports), ruleManyPorts)
		realise(r, "Organisation", &c.Organisation, pyrrha.SingleTier, ruleTier)
		realise(r, "Unordered", &c.Unordered, true, ruleOrder)
		realise(r, "FreeMerged", &c.FreeMerged, true, ruleMerged)
		realise(r, "KeepPaused", &c.KeepPaused, true, ruleRelent)
		realise(r, "Child", &c.Child, pyrrha.ByIngress, ruleIngressSum)
		if c.UpPorts == pyrrha.UpImbalanced {
			realise(r, "UpPorts", &c.UpPorts, pyrrha.UpAlways, ruleImbalance)
		}
		if c.Merge == pyrrha.MergeIfCalm {
			realise(r, "Merge", &c.Merge, pyrrha.MergeAlways, ruleCalm)
		}
		if apart := sluice.AllClasses &^ full.Classes; apart.Len() > 1 {
			highest := sluice.ClassSet(1) << (bits.Len8(uint8(apart)) - 1)
			realise(r, "Classes", &c.Classes, sluice.AllClasses&^highest, ruleOtherClasses)
		}
		if full.Roots > mostSlots {
			realise(r, "Roots", &c.Roots, mostSlots, ruleSlots)
		}
		if most := mostIQs(len(c.Ports)); full.IQs > most {
			realise(r, "IQs", &c.IQs, most, ruleIQs)
		}
		realise(r, "Scheduler", &c.Scheduler, hiq.DeficitRoundRobin, ruleScheduler)
		without(r, "Buffer", &c.Buffer, ruleUncounted)
		without(r, "Refresh", &c.Refresh, ruleRepeat)
		without(r, "Expiry", &c.Expiry, ruleRepeat)
		for at := range c.Ports {
			r.rate(at, c.Ports[at].Link.Rate)
			r.that(c.Ports[at].Role != pyrrha.NIC, fmt.Sprintf("Ports[%d].Role", at), c.Ports[at].Role,
				ruleCard)
			for ingress := range c.Ports {
				pause, _ := machine.Port(sluice.PortID(at)).Thresholds(sluice.PortID(ingress))
				r.that(pause < sluice.Bytes(chip.BufferBytes), "Pause", c.Pause, ruleBigThreshold)
			}
		}
	})
}

// mostIQs returns how many isolation queues each of the ports of a pipe has.
func mostIQs(ports int) int {
	channels := 1
	for channels < chip.Channels && ports > channels*(chip.Groups-1) {
		channels *= 2
	}
	return chip.QueuesPerGroup/channels - queuesApart
}
