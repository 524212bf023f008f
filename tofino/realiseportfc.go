package tofino

import (
	"math"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino/chip"
)

// Rules by which PortFC is changed or refused.
const (
	ruleLayers = "must be NDC(n,1): the program has the paper's two detectors of a port"
	ruleDigits = "must have n of at most 127: a port group has 128 queues, and a port n+1"
	ruleNode   = "must be a switch: nodes run in software (section IV), and there is nothing to " +
		"emit"
	ruleThreshold = "must be less than the chip's buffer of 393,216 cells of 176 B"
	ruleRelay     = "must be left out: a pause of a relay queue holds all IHFQs of a port, and a " +
		"packet carries one word of flow control"
	ruleMarks = "the program marks nothing"
	ruleTimes = "the program repeats no pause, and obeys one until it is taken back"
)

// RealisePortFC returns the nearest configuration of a switch that the chip can run, and its
// changes. Thresholds stay as they are: with packets of whole cells, a threshold in bytes is equal
// to one in cells. It refuses, with a [*sluice.ConfigError], a node, networks of more than two
// layers, thresholds beyond the buffer, a threshold of relay queues, and rates that no port has.
//
// Nothing of the chip depends on Quantum, because queues weigh the same, on Seed, without marking,
// on RelayInTurn, which is of nodes, and on HopClasses, which with two layers changes nothing.
func RealisePortFC(c portfc.Config) (portfc.Config, []Change, error) {
	r := &realisation{}
	r.that(c.Network.K == 1, "Network.K", c.Network.K, ruleLayers)
	r.that(c.Network.N < chip.QueuesPerGroup, "Network.N", c.Network.N, ruleDigits)
	if r.err == nil && c.Network.Check() == nil {
		r.that(!c.Network.IsNode(c.Switch), "Switch", c.Switch, ruleNode)
	}
	if r.err != nil {
		return portfc.Config{}, nil, r.err
	}
	return realised(c, portfc.New, func(r *realisation, c *portfc.Config, machine *portfc.Switch) {
		full := machine.Config()
		c.Ports = slices.Clone(c.Ports)
		r.that(c.RelayXOff == (sluice.Ratio{}), "RelayXOff", c.RelayXOff, ruleRelay)
		without(r, "Marking", &c.Marking, ruleMarks)
		without(r, "Buffer", &c.Buffer, ruleUncounted)
		without(r, "Refresh", &c.Refresh, ruleTimes)
		without(r, "Expiry", &c.Expiry, ruleTimes)
		for at := range full.Ports {
			link := full.Ports[at].Link
			r.rate(at, link.Rate)
			within := func(field string, factor sluice.Ratio) {
				r.that(bytesOf(factor, link) <= sluice.Bytes(chip.BufferBytes), field, factor, ruleThreshold)
			}
			within("XOff", full.XOff)
			within("DirectXOff", full.DirectXOff)
		}
	})
}

// bytesOf returns a threshold as the machine has it: a multiple of the bandwidth-delay product of a
// link, rounded down.
func bytesOf(factor sluice.Ratio, link sluice.Link) sluice.Bytes {
	bdp := min(link.Rate.BDP(link.Delay), math.MaxInt64>>33)
	return bdp * sluice.Bytes(factor.Num) / sluice.Bytes(factor.Den)
}
