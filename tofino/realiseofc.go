package tofino

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/chip"
)

// What the chip can hold of flows: a walk through the cells of a class takes a round for each.
const (
	leastFlows = 4 * sluice.Classes
	mostFlows  = 256 * sluice.Classes
)

// Rules by which OFC is changed or refused.
const (
	ruleFlows = "must be a power of two, 32 to 2,048: bits of a hash choose a cell, and a packet " +
		"that reads all cells of a class goes round once for each"
	ruleOneFlow = "a packet names one flow: a list is as many frames"
	ruleInstant = "packets move as fast as they go round: the program does not pace them"
	rulePorts   = "must be at most 64: a port has 25 queues for 8 classes, a port group 128"
)

// RealiseOFC returns the nearest configuration that the chip can run, and its changes. Flows is how
// many cells each table of a port has then, shared evenly among the classes: the chip finds a flow
// in one of two cells, and does not know it if both are others'. Package replay has the machine of
// such tables to compare the chip with. Thresholds stay as they are: with packets of whole cells, a
// threshold in bytes is equal to one in cells. It refuses, with a [*sluice.ConfigError], a
// configuration that the machine refuses, thresholds beyond the buffer, more than 64 ports, and
// rates that no port has.
//
// Nothing of the chip depends on Seed, because bits of a flow choose its cells, on MTU without
// Speedup, on IdleRefreshes without Refresh, nor on a link's Delay and Reaction, which only
// [ofc.Config.HeadroomFor] uses.
func RealiseOFC(c ofc.Config) (ofc.Config, []Change, error) {
	return realised(c, ofc.New, func(r *realisation, c *ofc.Config, machine *ofc.Switch) {
		full := machine.Config()
		c.Ports = slices.Clone(c.Ports)
		r.that(len(c.Ports) <= mostOFCPorts, "Ports", len(c.Ports), rulePorts)
		flows := min(max(1<<bits.Len(uint(full.Flows-1)), leastFlows), mostFlows)
		if flows != full.Flows {
			realise(r, "Flows", &c.Flows, flows, ruleFlows)
		}
		realise(r, "MaxFlowsPerFrame", &c.MaxFlowsPerFrame, 1, ruleOneFlow)
		without(r, "Refresh", &c.Refresh, ruleTimes)
		if c.Expiry > 0 {
			without(r, "Expiry", &c.Expiry, ruleTimes)
		}
		without(r, "Speedup", &c.Speedup, ruleInstant)
		without(r, "Buffer", &c.Buffer, ruleUncounted)
		for at := range c.Ports {
			p, name := &c.Ports[at], fmt.Sprintf("Ports[%d].", at)
			r.rate(at, p.Link.Rate)
			r.that(full.Ports[at].XOff <= sluice.Bytes(chip.BufferBytes), name+"XOff", p.XOff, ruleThreshold)
			without(r, name+"Headroom", &p.Headroom, ruleUncounted)
		}
	})
}

const mostOFCPorts = 64
