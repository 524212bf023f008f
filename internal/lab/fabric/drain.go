package fabric

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// drains returns the host that cannot take what it receives as fast as its link brings it, if
// parameter drain says so: the first of the network. Its card is congested above K_pause and no
// longer below K_resume. Under protocols that have no such thing nobody is told.
func drains(p *plan, f fleet) ([]sim.Drain, error) {
	if !p.values.IsSet("drain") {
		return nil, nil
	}
	host := p.graph.Hosts()[0]
	if !p.isCard(host) {
		return nil, fmt.Errorf("parameter drain: host %d forwards; only a network card drains", host)
	}
	link := p.graph.Nodes[host].Ports[0].Link
	num, den := p.values.Rational("drain")
	if num <= 0 {
		return nil, fmt.Errorf("parameter drain: must be positive")
	}
	d := sim.Drain{Host: host, Rate: max(link.Rate/sluice.Rate(den)*sluice.Rate(num), 1)}
	if cards, ok := f.(*pyrrhaFleet); ok {
		bdp := link.Rate.BDP(link.RoundTrip())
		pause, resume := ratio(p.values, "pyrrha.pause"), ratio(p.values, "pyrrha.resume")
		d.High = bdp * sluice.Bytes(pause.Num) / sluice.Bytes(pause.Den)
		d.Low = max(bdp*sluice.Bytes(resume.Num)/sluice.Bytes(resume.Den), 1)
		d.Congested = func(now sluice.Time, on bool) { cards.slow.Port(0).Congested(now, on) }
	}
	return []sim.Drain{d}, nil
}
