package portfc

import "github.com/sluicefc/sluice"

// detector watches the bytes of the queues of a class at a port (Algorithms 1 and 2, each detector
// with its own upstreamIsPaused). It pauses when they reach X_off on Enqueue and resumes when they
// are down to X_on on Dequeue. While they are below alert and above low neither is due, and they
// are no new peak: one comparison at each hook.
type detector struct {
	bytes sluice.Bytes
	alert sluice.Bytes // one more than the peak, or X_off if that is less and it does not pause
	low   sluice.Bytes // X_on while it pauses, else out of reach
}

// detectors is how many detectors a port has room for: a power of two.
const detectors = 8

// outOfReach is what the bytes of a detector never fall to.
const outOfReach = -1

// limits are the thresholds of a class at a port.
type limits struct{ off, on sluice.Bytes }

// limitsOf works out the thresholds of a class; off is never where it has none. At a switch the
// IHFQs have X_off and X_on, the DDQ its own; at a node nothing is detected but an overfed relay
// queue.
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
	for class := range uint8(classes) {
		p.limits[class] = p.limitsOf(class)
		p.await(class)
	}
}

// await has a detector wait for a new peak, and X_on if it pauses, X_off if not.
func (p *Port) await(class uint8) {
	d, l := &p.detectors[class], p.limits[class]
	d.alert, d.low = p.peaks[class]+1, outOfReach
	if p.pauses(class) {
		d.low = l.on
	} else {
		d.alert = min(d.alert, l.off)
	}
}

// pauses reports whether the detector of a class pauses.
func (p *Port) pauses(class uint8) bool { return p.over>>class&1 != 0 }

// rise is the end of Enqueue of a packet that takes a detector to a new peak, or to X_off.
func (p *Port) rise(class uint8) {
	d := &p.detectors[class]
	p.peaks[class] = max(p.peaks[class], d.bytes)
	if !p.pauses(class) && d.bytes >= p.limits[class].off {
		p.cross(class, true)
	} else {
		p.await(class)
	}
}

// cross changes the state of a detector and tells all other ports. O(ports).
func (p *Port) cross(class uint8, pauses bool) {
	s := p.owner
	p.over ^= 1 << class
	p.await(class)
	p.counters.crossed(class, pauses)
	s.announce(p.id, p.itemOf(class), pauses)
}

// itemOf returns the item that a detector of this port is.
func (p *Port) itemOf(class uint8) int {
	s := p.owner
	if s.node {
		return int(p.id)*s.itemsPerLayer() + s.network.K*s.network.N
	}
	return int(class)*s.network.N + int(p.id)
}
