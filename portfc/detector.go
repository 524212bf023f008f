package portfc

import "github.com/sluicefc/sluice"

// detector watches the bytes of the queues of a class at a port (Algorithms 1 and 2, each detector
// with its own upstreamIsPaused). It pauses when they reach X_off on Enqueue and resumes when they
// are down to X_on on Dequeue; high and low are the one of the two that it waits for, the other out
// of reach.
type detector struct {
	bytes     sluice.Bytes
	high, low sluice.Bytes
	peak      sluice.Bytes // the most that bytes ever was
}

// outOfReach of a detector that falls.
const outOfReach = -1

// limits are the thresholds of a class at a port.
type limits struct{ off, on sluice.Bytes }

// limitsOf returns the thresholds of a class; off is never where it has none. At a switch the IHFQs
// have X_off and X_on, the DDQ its own; at a node nothing is detected but an overfed relay queue.
func (p *Port) limitsOf(class uint8) limits {
	s, c := p.owner, &p.owner.config
	off, on := c.XOff, c.XOn
	switch {
	case class == highClass, class < relayClass && s.node, class == relayClass && !s.node,
		class == relayClass && c.RelayXOff == (sluice.Ratio{}):
		return limits{never, outOfReach}
	case class == relayClass:
		off, on = c.RelayXOff, c.RelayXOn
	case class == 0:
		off, on = c.DirectXOff, c.DirectXOn
	}
	link := c.Ports[p.id].Link
	high := max(threshold(off, link), 1)
	return limits{high, min(threshold(on, link), high)}
}

func (p *Port) initDetectors() {
	for class := range p.detectors {
		p.detectors[class].high = p.limitsOf(uint8(class)).off
		p.detectors[class].low = outOfReach
	}
}

// pauses reports whether the detector of a class pauses.
func (p *Port) pauses(class uint8) bool { return p.over>>class&1 != 0 }

// cross changes the state of a detector and tells all other ports. O(ports).
func (p *Port) cross(class uint8, pauses bool) sluice.Wake {
	s, d, l := p.owner, &p.detectors[class], p.limitsOf(class)
	if pauses {
		d.high, d.low = never, l.on
		p.over |= 1 << class
	} else {
		d.high, d.low = l.off, outOfReach
		p.over &^= 1 << class
	}
	p.counters.crossed(class, pauses)
	s.announce(p.id, p.itemOf(class), pauses)
	return s.woken.Take()
}

// itemOf returns the item that a detector of this port is.
func (p *Port) itemOf(class uint8) int {
	s := p.owner
	if s.node {
		return int(p.id)*s.itemsPerLayer() + s.network.K*s.network.N
	}
	return int(class)*s.network.N + int(p.id)
}
