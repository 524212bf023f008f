package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/transport"
)

// repair sets how hosts repair losses and control their rates.
func (p *plan) repair() error {
	c := p.hosts
	if c.Transport.Kind == transport.Lossless && !p.protocol.Lossless {
		return fmt.Errorf(
			"transport lossless: %s loses packets, and nothing would send them again", p.protocol.Name,
		)
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
	c.Control = cc.Config{Kind: p.control, Values: p.values}
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
