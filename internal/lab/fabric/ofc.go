package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
)

type ofcSettings struct {
	config    ofc.Config // what all nodes have in common
	xOff      sluice.Bytes
	xOn       *sluice.Bytes
	congested sluice.Ratio // X^c_OFF over X_OFF
}

func (o *ofcSettings) parameters() []params.Field {
	c := &o.config
	return params.Checked(c, alone(c, ofc.New, &c.Ports, ofc.PortConfig{Link: anyLink}),
		// The paper's 75 KB is for its own network, of links of 20 ns. Where links are longer, PFC with a
		// constant threshold of 75 KB is as slow as OFC: two notes of the scenario "reference" have both.
		// The default has OFC use the same buffer as PFC's dynamic threshold.
		params.Bind("ofc.xoff", &o.xOff, "",
			"X_OFF, the pause threshold of an ingress and class; unset: what the buffer has for each "+
				"port of a switch beside its headroom; 75KB in the paper").Range("100B", "").As("XOff"),
		params.Bind("ofc.alpha", &o.congested, "68/75",
			"congested pause threshold X^c_OFF as a share of X_OFF; 1: no flow is ever named").
			Range("1/100", "1"),
		params.Bind("ofc.xon", &o.xOn, "",
			"X_ON, the resume threshold; unset: 3/5 of X_OFF, the paper's 45KB of 75KB").
			Range("1B", "").As("XOn"),
		params.Bind("ofc.distinguish", &params.Opposite{Not: &c.Undistinguished}, "on",
			"a port distinguishes original from local congestion; off: it names all flows when congested"),
		params.Bind("ofc.flows", &c.Flows, "1024", "flows that a port can know at once").
			Range("1", ""),
		params.Bind("ofc.frame", &c.MaxFlowsPerFrame, "184", "flows that a frame names at most").
			Range("1", ""),
		params.Bind("ofc.refresh", &c.Refresh, "0",
			"period after which a port repeats all pauses; 0: never, as in the paper"),
		params.Bind("ofc.speedup", &c.Speedup, "0",
			"rate of moves to the paused queue, in line rates; 0: at once"),
	)
}

type ofcFleet struct {
	*plan
	ofcSettings
	switches []*ofc.Switch
	cards    []*ofc.Switch
}

func buildOFC(p *plan) (fleet, error) {
	f := &ofcFleet{plan: p}
	p.fill(f.parameters())
	return f, nil
}

func (f *ofcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	all := &f.switches
	if f.isCard(node) {
		all = &f.cards
	}
	return kit.WrapNew(kept(all, ofc.New, f.configOf(node)))
}

func (f *ofcFleet) configOf(node sluice.SwitchID) ofc.Config {
	c := f.config
	c.Classes, c.Seed, c.MAC = sluice.AllClasses&^f.apart, f.seed+uint64(node), MAC(node)
	c.MTU = f.packet()
	if !f.isCard(node) {
		c.Buffer = f.buffer(node)
	}
	for _, end := range f.graph.Nodes[node].Ports {
		c.Ports = append(c.Ports, ofc.PortConfig{Link: end.Link})
	}
	for i := range c.Ports {
		p := &c.Ports[i]
		p.Headroom = c.HeadroomFor(sluice.PortID(i), f.packet())
		p.XOff = f.thresholdOf(node, p.Headroom)
		p.XOffCongested = p.XOff * sluice.Bytes(f.congested.Num) / sluice.Bytes(f.congested.Den)
		if p.XOn = p.XOff * 3 / 5; f.xOn != nil {
			p.XOn = *f.xOn
		}
	}
	return c
}

// leastXOff is the threshold where the buffer is too small for a larger one: the paper's X_OFF.
const leastXOff = 75 * sluice.KB

// thresholdOf returns ofc.xoff, or a port's share of the node's buffer without its headroom.
func (f *ofcFleet) thresholdOf(node sluice.SwitchID, headroom sluice.Bytes) sluice.Bytes {
	if f.xOff > 0 {
		return f.xOff
	}
	ports := sluice.Bytes(max(1, len(f.graph.Nodes[node].Ports)))
	return max(leastXOff, f.buffer(node)/ports-headroom)
}

// report tells what was paused and how long the price of order was paid, or that nothing was.
func (f *ofcFleet) report(r *sim.Result) {
	sum := summed(f.switches)
	r.Figure("times new flows were named in an original congestion", int64(sum.Originals))
	r.Figure("times new flows were named in a local congestion", int64(sum.Locals))
	r.Figure("times a whole class was paused at X_OFF", int64(sum.Overruns))
	r.Figure("largest q_in, bytes", int64(sum.IngressPeak))
	cards := summed(f.cards)
	fields.Add(&sum, &cards)
	r.Figure("packets that moved to a paused queue", int64(sum.Moved))
	r.Figure("rotations", int64(sum.Rotations))
	r.Figure("time normal queues waited for rotations, us", int64(sum.RotationTime/sluice.Microsecond))
	r.Figure("flows known to a port at once", int64(sum.FlowsPeak))
	if sum.Untracked > 0 {
		r.Note("ofc: %d packets were of flows that their port had no room for (ofc.flows)", sum.Untracked)
	}
	if sum.Originals+sum.Locals+sum.Overruns == 0 {
		r.Note("ofc never paused: no ingress held X^c_OFF for an egress as long, and none X_OFF; the "+
			"most was %v",
			sum.IngressPeak)
	}
}
