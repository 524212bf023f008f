package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

func drainParameter(into *sluice.Ratio) []params.Field {
	return params.In("pyrrha", params.Bind("drain", into, "",
		"share of its link's rate at which the first host takes what it receives; pyrrha's card "+
			"then is a congestion root (section IV-D); unset: all hosts take all at once").
		Range(">0", "1"))
}

// drains returns the host that cannot take what it receives as fast as its link brings it, if
// parameter drain says so: the first of the network. Its card is congested above K_pause and no
// longer below K_resume. Under protocols that have no such thing nobody is told.
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
