package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

var cbfcParameters = []params.Definition{
	{Name: "cbfc.buffer", Kind: params.Bytes, Default: "131072B", Min: "64B", Section: "cbfc",
		Doc: "ingress buffer of each class of a port, in blocks of 64 bytes; more than the default " +
			"cannot be announced at once"},
	{Name: "cbfc.period", Kind: params.Time, Default: "", Min: "1ns", Max: "1s", Section: "cbfc",
		Doc: "time between flow control packets of a class whose limit changes (T_c); unset: 65,536 " +
			"byte times of the link"},
	{Name: "cbfc.keepalive", Kind: params.Time, Default: "", Min: "1ns", Max: "1s", Section: "cbfc",
		Doc: "longest time between flow control packets of any class; unset: 262,144 byte times of " +
			"the link"},
	{Name: "cbfc.up", Kind: params.Bool, Default: "on", Section: "cbfc",
		Doc: "links are up at time 0, and credit is there; off: they come up with the first flow " +
			"control packets"},
	{Name: "cbfc.quantum", Kind: params.Bytes, Default: "0", Section: "cbfc",
		Doc: "what a class may send in a round of deficit round robin; 0: strict order, the highest " +
			"class first"},
}

// cbfcFleet is a network of credit-based flow control.
type cbfcFleet struct {
	*plan
	switches []*cbfc.Switch // cards too
}

func buildCBFC(p *plan) fleet { return &cbfcFleet{plan: p} }

func (f *cbfcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	s, err := cbfc.New(f.config(node))
	if err != nil {
		return nil, err
	}
	f.switches = append(f.switches, s)
	return kit.Wrap(s), nil
}

// config is a switch's or a card's: a card consumes what comes, and its buffer is always empty.
func (f *cbfcFleet) config(node sluice.SwitchID) cbfc.Config {
	v := f.values
	c := cbfc.Config{Classes: f.classes, MTU: f.mtu()}
	if quantum := v.Bytes("cbfc.quantum"); quantum > 0 {
		for class := range c.Quantum {
			c.Quantum[class] = quantum
		}
	}
	for _, end := range f.graph.Nodes[node].Ports {
		p := cbfc.PortConfig{
			Link: end.Link, Buffer: v.Bytes("cbfc.buffer"),
			Period: v.Time("cbfc.period"), KeepAlive: v.Time("cbfc.keepalive"),
		}
		if v.Bool("cbfc.up") {
			p.PeerBuffer = p.Buffer
		}
		c.Ports = append(c.Ports, p)
	}
	return c
}

// mtu is the size of the largest packet.
func (f *cbfcFleet) mtu() sluice.Bytes {
	packet := max(f.packet(), f.values.Bytes("ack.size"))
	if f.control.Signals()&cc.Telemetry != 0 {
		packet += cc.INTBytes
	}
	return packet
}

// creditPeriod is T_c of a link.
func (p *plan) creditPeriod(link sluice.Link) sluice.Time {
	if p.values.IsSet("cbfc.period") {
		return p.values.Time("cbfc.period")
	}
	return link.Rate.TimeOf(65_536)
}

// report says whether credit ever ran out, and where the buffer is too small for the line rate.
func (f *cbfcFleet) report(r *sim.Result) {
	var holds uint64
	for _, s := range f.switches {
		counters := s.Counters()
		for i := range counters.VL {
			holds += counters.VL[i].Holds
		}
	}
	r.Figure("times a class ran out of credit", int64(holds))
	if holds == 0 {
		r.Note("cbfc never held anything: no class ran out of credit")
	}
	for node := range f.graph.Nodes {
		for _, end := range f.graph.Nodes[node].Ports {
			need, err := cbfc.BufferFor(end.Link, f.values.Time("cbfc.period"), f.mtu())
			if err != nil {
				r.Note("%v, %v: %v", end.Link.Rate, end.Link.Delay, err)
				return
			}
			if buffer := f.values.Bytes("cbfc.buffer"); buffer < need {
				r.Note("cbfc.buffer=%v is less than the %v that a link of %v, %v needs for its full rate",
					buffer, need, end.Link.Rate, end.Link.Delay)
				return
			}
		}
	}
}
