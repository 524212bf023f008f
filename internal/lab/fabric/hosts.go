package fabric

import (
	"fmt"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// repair sets how hosts repair losses and control their rates.
func (p *plan) repair() error {
	c := p.hosts
	if c.Transport.Kind == transport.Lossless && !p.protocol.Lossless {
		return fmt.Errorf("transport lossless: %s loses packets, and nothing would send them again",
			p.protocol.Name)
	}
	if c.Transport.Kind == transport.Lossless && c.Answers.Loss > 0 {
		return fmt.Errorf(
			"transport lossless: answer.loss loses acknowledgements, and no timer would notice",
		)
	}
	window := sim.DefaultWindow(p.graph, c.Payload)
	switch c.Transport.Kind {
	case transport.GoBackN:
		c.Transport.Timeout = c.RetransmitAfter
	case transport.IRN:
		c.Transport.Cap = int32(max(1, min((window+c.Payload-1)/c.Payload, transport.MaxCap)))
	}
	p.fill(c.Transport.Parameters(false))
	c.Control.Kind, c.Control.Values = p.control, p.values
	variable := p.control.Windowed
	if p.variable != nil {
		variable = *p.variable
	}
	if variable {
		c.Control.Window, c.Control.VariableWindow = window, true
		if c.Window > 0 {
			c.Control.Window = min(window, c.Window)
		}
	}
	c.ECN = codePoint(p.detect, p.control)
	return nil
}

// noteControl says what the congestion control did, or why it did nothing.
func (p *plan) noteControl(result *sim.Result) {
	if p.control == cc.None {
		return
	}
	result.Figure("congestion notices sent", result.Notices)
	result.Figure("times a rate was cut", int64(result.Control.Decreases))
	switch {
	case p.control.Signals&cc.Marks != 0 && p.detect == detectNone:
		result.Note("%s never acts: no packet is marked (detect=none)", p.control)
	case result.Control.Decreases == 0:
		result.Note("%s never cut a rate: %d data packets arrived marked", p.control, result.Marked)
	}
}

type classes struct {
	data sluice.ClassSet
	// acks and notices are the classes of acknowledgements and of congestion notices; sluice.Classes
	// stands for the class of the data.
	acks, notices sluice.Class
}

// classes chooses the classes of acknowledgements and notices. Notices of congestion, which nothing
// should hold up, have a class that no data has, if such a class is left; acknowledgements have the
// class of the data, unless the protocol wants them apart.
func (n *network) classes(flows []workload.Flow, p Protocol, control *cc.Kind) classes {
	c := classes{acks: sluice.Classes}
	for i := range flows {
		c.data |= sluice.MakeClassSet(flows[i].Class)
	}
	free := sluice.Class(sluice.Classes)
	if c.data != sluice.AllClasses {
		free = sluice.Class(bits.Len8(^uint8(c.data)) - 1)
	}
	switch {
	case n.ackClass != nil:
		c.acks = *n.ackClass
	case p.acksApart:
		c.acks = free
	}
	switch {
	case n.noticeClass != nil:
		c.notices = *n.noticeClass
	case control == cc.None || n.ackClass != nil || free == sluice.Classes:
		c.notices = c.acks
	default:
		c.notices = free
	}
	return c
}

func (c *classes) all() sluice.ClassSet { return c.data | c.back() }

// apart returns the classes of acknowledgements and notices that no data has.
func (c *classes) apart() sluice.ClassSet { return c.back() &^ c.data }

// back returns the classes of acknowledgements and notices, without sluice.Classes.
func (c *classes) back() sluice.ClassSet {
	return sluice.MakeClassSet(c.acks) | sluice.MakeClassSet(c.notices)
}

func drainParameter(into *sluice.Ratio) []params.Field {
	return params.In("pyrrha", params.Bind("drain", into, "",
		"share of its link's rate at which the first host takes what it receives; pyrrha's card "+
			"then is a congestion root (section IV-D); unset: all hosts take all at once").
		Range(">0", "1"))
}

// drains returns the host that cannot take packets as fast as its link brings them, if parameter
// drain says so: the first of the network. Its card is congested above K_pause and no longer below
// K_resume. Protocols without congestion roots have no frame for it.
func drains(p *plan, f fleet) ([]sim.Drain, error) {
	var drain sluice.Ratio
	if p.values.Fill(drainParameter(&drain)); drain.Den == 0 {
		return nil, nil
	}
	host := p.graph.Hosts()[0]
	if !p.isCard(host) {
		return nil, fmt.Errorf("parameter drain: host %d forwards; only a network card drains", host)
	}
	link := p.graph.Nodes[host].Ports[0].Link
	d := sim.Drain{
		Host: host, Rate: max(link.Rate/sluice.Rate(drain.Den)*sluice.Rate(drain.Num), 1),
	}
	if cards, ok := f.(*pyrrhaFleet); ok {
		bdp := link.Rate.BDP(link.RoundTrip())
		pause, resume := cards.config.Pause, cards.config.Resume
		d.High = bdp * sluice.Bytes(pause.Num) / sluice.Bytes(pause.Den)
		d.Low = max(bdp*sluice.Bytes(resume.Num)/sluice.Bytes(resume.Den), 1)
		d.Congested = func(now sluice.Time, on bool) { cards.slow.Port(0).Congested(now, on) }
	}
	return []sim.Drain{d}, nil
}
