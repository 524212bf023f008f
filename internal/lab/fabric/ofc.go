package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
)

var ofcParameters = []params.Definition{
	// The paper's 75 KB is for its own network, of links of 20 ns. PFC with a constant threshold of
	// 75 KB is as slow as OFC with it where links are longer: in the scenario "reference" background
	// flows take 1,329 us on average under PFC so (-set pfc.xoff=75KB,pfc.resume=30KB), 1,256 under
	// OFC (-set ofc.xoff=75KB), and 42 under PFC's dynamic threshold. What compares with that is the
	// same buffer.
	{Name: "ofc.xoff", Kind: params.Bytes, Default: "", Min: "100B", Section: "ofc",
		Doc: "X_OFF, the pause threshold of an ingress and class; unset: what the buffer has for each " +
			"port of a switch beside its headroom; 75KB in the paper"},
	{Name: "ofc.alpha", Kind: params.Rational, Default: "68/75", Min: "1/100", Max: "1",
		Section: "ofc",
		Doc:     "congested pause threshold X^c_OFF as a share of X_OFF; 1: no flow is ever named"},
	{Name: "ofc.xon", Kind: params.Bytes, Default: "", Min: "1B", Section: "ofc",
		Doc: "X_ON, the resume threshold; unset: 3/5 of X_OFF, the paper's 45KB of 75KB"},
	{Name: "ofc.distinguish", Kind: params.Bool, Default: "on", Section: "ofc",
		Doc: "original congestion is told from local; off: all flows of a congested port are named"},
	{Name: "ofc.flows", Kind: params.Int, Default: "1024", Min: "1", Max: "1048576", Section: "ofc",
		Doc: "flows that a port can know at once"},
	{Name: "ofc.choices", Kind: params.Bool, Default: "off", Section: "ofc",
		Doc: "flows are found in one of two cells, as on the chip; off: in a table that takes any flows"},
	{Name: "ofc.frame", Kind: params.Int, Default: "184", Min: "1", Max: "184", Section: "ofc",
		Doc: "flows that a frame names at most"},
	{Name: "ofc.refresh", Kind: params.Time, Default: "0", Max: "1s", Section: "ofc",
		Doc: "period in which all that is paused is told again; 0: never, as in the paper"},
	{Name: "ofc.speedup", Kind: params.Int, Default: "0", Max: "64", Section: "ofc",
		Doc: "rate of moves to the paused queue, in line rates; 0: at once"},
}

// ofcFleet is a network of ofc switches and cards.
type ofcFleet struct {
	*plan
	switches []*ofc.Switch
	cards    []*ofc.Switch
}

func buildOFC(p *plan) fleet { return &ofcFleet{plan: p} }

func (f *ofcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	s, err := ofc.New(f.config(node))
	if err != nil {
		return nil, err
	}
	if f.isCard(node) {
		f.cards = append(f.cards, s)
	} else {
		f.switches = append(f.switches, s)
	}
	return kit.Wrap(s), nil
}

func (f *ofcFleet) config(node sluice.SwitchID) ofc.Config {
	v := f.values
	num, den := v.Rational("ofc.alpha")
	c := ofc.Config{
		Classes: (sluice.AllClasses &^ f.apart), Flows: int(v.Int("ofc.flows")),
		TwoChoices: v.Bool("ofc.choices"), Seed: f.seed + uint64(node), MAC: MAC(node),
		Undistinguished: !v.Bool("ofc.distinguish"), MaxFlowsPerFrame: int(v.Int("ofc.frame")),
		Refresh: v.Time("ofc.refresh"), Speedup: int(v.Int("ofc.speedup")), MTU: f.packet(),
	}
	if !f.isCard(node) {
		c.Buffer = f.buffer(node)
	}
	for _, end := range f.graph.Nodes[node].Ports {
		c.Ports = append(c.Ports, ofc.PortConfig{Link: end.Link})
	}
	for i := range c.Ports {
		p := &c.Ports[i]
		p.Headroom = c.HeadroomFor(sluice.PortID(i), f.packet())
		p.XOff = f.xOff(node, p.Headroom)
		p.XOffCongested = p.XOff * sluice.Bytes(num) / sluice.Bytes(den)
		if p.XOn = p.XOff * 3 / 5; v.IsSet("ofc.xon") {
			p.XOn = v.Bytes("ofc.xon")
		}
	}
	return c
}

// leastXOff is what remains of a buffer that is too small: the paper's.
const leastXOff = 75 * sluice.KB

// xOff returns ofc.xoff, or a port's share of the node's buffer without its headroom.
func (f *ofcFleet) xOff(node sluice.SwitchID, headroom sluice.Bytes) sluice.Bytes {
	if f.values.IsSet("ofc.xoff") {
		return f.values.Bytes("ofc.xoff")
	}
	ports := sluice.Bytes(max(1, len(f.graph.Nodes[node].Ports)))
	return max(leastXOff, f.buffer(node)/ports-headroom)
}

// report tells what was paused and how long the price of order was paid, or that nothing was.
func (f *ofcFleet) report(r *sim.Result) {
	var sum ofc.Counters
	for _, s := range f.switches {
		addOFC(&sum, s)
	}
	r.Figure("times new flows were named in an original congestion", int64(sum.Originals))
	r.Figure("times new flows were named in a local congestion", int64(sum.Locals))
	r.Figure("times a whole class was paused at X_OFF", int64(sum.Overruns))
	r.Figure("largest q_in, bytes", int64(sum.IngressPeak))
	for _, s := range f.cards {
		addOFC(&sum, s)
	}
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

// addOFC adds the counters of a switch.
func addOFC(sum *ofc.Counters, s *ofc.Switch) {
	c := s.Counters()
	sum.Originals += c.Originals
	sum.Locals += c.Locals
	sum.Overruns += c.Overruns
	sum.Moved += c.Moved
	sum.Rotations += c.Rotations
	sum.RotationTime = sum.RotationTime.Add(c.RotationTime)
	sum.Untracked += c.Untracked
	sum.IngressPeak = max(sum.IngressPeak, c.IngressPeak)
	sum.FlowsPeak = max(sum.FlowsPeak, c.FlowsPeak)
}
