package fabric

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

// cbfcSettings are the parameters of credit-based flow control.
type cbfcSettings struct {
	port    cbfc.PortConfig // of every port, without its link
	up      bool
	quantum sluice.Bytes
}

func (c *cbfcSettings) parameters() []params.Field {
	check := func() error {
		port := c.port
		port.Link = anyLink
		_, err := cbfc.New(cbfc.Config{Ports: []cbfc.PortConfig{port}})
		return err
	}
	return params.Checked(&c.port, check,
		params.Bind("cbfc.buffer", &c.port.Buffer, "131072B",
			"ingress buffer of each class of a port, in blocks of 64 bytes; more than the default "+
				"cannot be announced at once").Range("64B", ""),
		params.Bind("cbfc.keepalive", &c.port.KeepAlive, "",
			"longest time between flow control packets of any class; unset: 262,144 byte times of "+
				"the link").Range("1ns", ""),
		params.Bind("cbfc.up", &c.up, "on",
			"links are up at time 0, and credit is there; off: they come up with the first flow "+
				"control packets"),
		params.Bind("cbfc.quantum", &c.quantum, "0",
			"what a class may send in a round of deficit round robin; 0: strict order, the highest "+
				"class first").As("Quantum"),
	)
}

// creditPeriod is T_c, on which tcd.maxton depends too.
func (c *cbfcSettings) creditPeriod() []params.Field {
	return []params.Field{params.Bind("cbfc.period", &c.port.Period, "",
		"time between flow control packets of a class whose limit changes (T_c); unset: 65,536 "+
			"byte times of the link").Range("1ns", "1s").As("Period")}
}

type cbfcFleet struct {
	*plan
	cbfcSettings
	switches []*cbfc.Switch // cards too
}

func buildCBFC(p *plan) (fleet, error) {
	f := &cbfcFleet{plan: p}
	p.fill(f.parameters())
	p.fill(f.creditPeriod())
	return f, nil
}

func (f *cbfcFleet) machine(node sluice.SwitchID) (kit.Machine, error) {
	return kit.WrapNew(kept(&f.switches, cbfc.New, f.config(node)))
}

// config configures a switch or a card: a card consumes what comes, and its buffer is always empty.
func (f *cbfcFleet) config(node sluice.SwitchID) cbfc.Config {
	c := cbfc.Config{Classes: f.classes, MTU: f.mtu()}
	if f.quantum > 0 {
		for class := range c.Quantum {
			c.Quantum[class] = f.quantum
		}
	}
	for _, end := range f.graph.Nodes[node].Ports {
		p := f.port
		if p.Link = end.Link; f.up {
			p.PeerBuffer = p.Buffer
		}
		c.Ports = append(c.Ports, p)
	}
	return c
}

func (f *cbfcFleet) mtu() sluice.Bytes {
	packet := max(f.packet(), f.hosts.AckSize)
	if f.control.Signals&cc.Telemetry != 0 {
		packet += cc.INTBytes
	}
	return packet
}

// report says whether credit ever ran out, and where the buffer is too small for the line rate.
func (f *cbfcFleet) report(r *sim.Result) {
	var holds uint64
	for _, vl := range summed(f.switches).VL {
		holds += vl.Holds
	}
	r.Figure("times a class ran out of credit", int64(holds))
	if holds == 0 {
		r.Note("cbfc never held anything: no class ran out of credit")
	}
	for node := range f.graph.Nodes {
		for _, end := range f.graph.Nodes[node].Ports {
			need, err := cbfc.BufferFor(end.Link, f.port.Period, f.mtu())
			if err != nil {
				r.Note("%v, %v: %v", end.Link.Rate, end.Link.Delay, err)
				return
			}
			if f.port.Buffer < need {
				r.Note("cbfc.buffer=%v is less than the %v that a link of %v, %v needs for its full rate",
					f.port.Buffer, need, end.Link.Rate, end.Link.Delay)
				return
			}
		}
	}
}
