package fabric

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/cc"
	"github.com/sluicefc/sluice/internal/params"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/internal/transport"
)

// hosts sets what senders and receivers do.
func (r *Run) hosts(p Protocol, c *sim.Config) error {
	v := r.Values
	kind := transport.Kind(slices.Index(transport.Names[:], v.String("transport")))
	if kind == transport.Lossless && !p.Lossless {
		return fmt.Errorf("transport lossless: %s loses packets, and nothing would send them again", p.Name)
	}
	window := sim.DefaultWindow(c.Topology, c.Payload)
	c.Transport = transport.Configure(kind, v, c.RetransmitAfter, int32((window+c.Payload-1)/c.Payload))
	control := cc.Kind(slices.Index(cc.Names[:], v.String("cc")))
	c.Control = cc.Configure(control, v)
	if v.IsSet("ecn.kmin") {
		c.ECN = sluice.ECT0
	}
	return nil
}

// noteControl says what the congestion control did, or why it did nothing.
func noteControl(v *params.Values, r *sim.Result) {
	name := v.String("cc")
	kind := cc.Kind(slices.Index(cc.Names[:], name))
	if kind == cc.None {
		return
	}
	r.Figure("congestion notices sent", r.Notices)
	r.Figure("times a rate was cut", int64(r.Control.Decreases))
	switch {
	case kind.Signals()&cc.Marks != 0 && !v.IsSet("ecn.kmin"):
		r.Note("%s never acts: no packet is marked (set ecn.kmin)", name)
	case r.Control.Decreases == 0:
		r.Note("%s never cut a rate: %d data packets arrived marked", name, r.Marked)
	}
}
