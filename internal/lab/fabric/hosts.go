package fabric

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/transport"
)

// hosts sets what senders and receivers do.
func (r *Run) hosts(p Protocol, c *sim.Config) error {
	v := r.Values
	kind := transport.Kind(slices.Index(transport.Names[:], v.String("transport")))
	if kind == transport.Lossless && !p.Lossless {
		return fmt.Errorf(
			"transport lossless: %s loses packets, and nothing would send them again", p.Name,
		)
	}
	if kind == transport.Lossless && c.Answers.Loss > 0 {
		return fmt.Errorf(
			"transport lossless: answer.loss loses acknowledgements, and no timer would notice",
		)
	}
	window := sim.DefaultWindow(c.Topology, c.Payload)
	c.Transport = transport.Configure(
		kind, v, c.RetransmitAfter, int32((window+c.Payload-1)/c.Payload),
	)
	control := r.control()
	c.Control = cc.Configure(control, v)
	c.ControlByQueue = v.String("cc.queue") == "packet"
	c.PaceOnWire = v.String("cc.pace") == "wire"
	if r.variableWindow(control) {
		c.Control.Window, c.Control.VariableWindow = window, true
		if c.Window > 0 {
			c.Control.Window = min(window, c.Window)
		}
	}
	c.ECN = codePoint(r.detector(), control)
	return nil
}

// variableWindow reports whether the window shrinks with the rate.
func (r *Run) variableWindow(control cc.Kind) bool {
	if r.Values.IsSet("window.variable") {
		return r.Values.Bool("window.variable")
	}
	return control == cc.HPCC || control == cc.DCTCP
}

// control returns the congestion control of the run's parameters.
func (r *Run) control() cc.Kind {
	return cc.Kind(slices.Index(cc.Names[:], r.Values.String("cc")))
}

// noteControl says what the congestion control did, or why it did nothing.
func (r *Run) noteControl(result *sim.Result) {
	kind := r.control()
	name := cc.Names[kind]
	if kind == cc.None {
		return
	}
	result.Figure("congestion notices sent", result.Notices)
	result.Figure("times a rate was cut", int64(result.Control.Decreases))
	switch {
	case kind.Signals()&cc.Marks != 0 && r.detector() == detectNone:
		result.Note("%s never acts: no packet is marked (detect=none)", name)
	case result.Control.Decreases == 0:
		result.Note("%s never cut a rate: %d data packets arrived marked", name, result.Marked)
	}
}
