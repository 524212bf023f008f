package portfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Audit recomputes the numbered invariants of Switch from what the switch holds, and names the
// first one broken. It takes time in proportion to the memory of the switch.
func (s *Switch) Audit() error {
	var total sluice.Bytes
	for i := range s.ports {
		p := &s.ports[i]
		for _, audit := range [...]func() error{p.auditQueues, p.auditDetectors, p.auditOutbox} {
			if err := audit(); err != nil {
				return fmt.Errorf("portfc: port %d: %w", i, err)
			}
		}
		for q := range s.queues {
			total += p.queue(q).bytes
		}
	}
	if total != s.Buffered() {
		return fmt.Errorf("portfc: invariant 1: queues hold %d bytes, the switch counts %d",
			total, s.Buffered())
	}
	return nil
}

func (p *Port) auditQueues() error {
	strict := uint8(0)
	for i := range p.owner.queues {
		q := p.queue(i)
		if !fits(q.bytes, q.packets) {
			return fmt.Errorf("invariant 1: queue %d holds %d packets of %d bytes",
				i, q.packets, q.bytes)
		}
		if q.holds != 0 && (q.class >= relayClass || q.class == 0 && !p.owner.node) {
			return fmt.Errorf("invariant 5: queue %d of class %d is held", i, q.class)
		}
		if q.strict == 0 {
			if eligible := q.packets > 0 && q.holds == 0; p.ring.Eligible(i) != eligible {
				return fmt.Errorf("invariant 7: queue %d: eligible %t, served %t",
					i, eligible, !eligible)
			}
		} else if q.packets > 0 {
			strict |= q.strict
		}
	}
	if strict != p.strict {
		return fmt.Errorf("invariant 7: strict queues %b served, %b have packets", p.strict, strict)
	}
	if n := p.packets(); uint64(n) > p.enqueued {
		return fmt.Errorf("invariant 1: %d packets held, %d came", n, p.enqueued)
	}
	return nil
}

func (p *Port) auditDetectors() error {
	var sums [classes]sluice.Bytes
	for i := range p.owner.queues {
		q := p.queue(i)
		sums[q.class] += q.bytes
	}
	for class, d := range p.detectors[:classes] {
		l, peak := p.limitsOf(uint8(class)), p.peaks[class]
		alert, low := min(peak+1, l.off), sluice.Bytes(outOfReach)
		fits := d.bytes < l.off || d.bytes <= l.on
		if p.pauses(uint8(class)) {
			alert, low = peak+1, l.on
			fits = d.bytes > l.on || d.bytes >= l.off
		}
		switch {
		case sums[class] != d.bytes || peak < d.bytes:
			return fmt.Errorf("invariant 3: class %d holds %d bytes, its detector counts %d, peak %d",
				class, sums[class], d.bytes, peak)
		case !fits || d.alert != alert || d.low != low:
			return fmt.Errorf("invariant 4: class %d: pauses %t with %d bytes, limits %d and %d",
				class, p.pauses(uint8(class)), d.bytes, l.on, l.off)
		}
	}
	return nil
}

func (p *Port) auditOutbox() error {
	s, paused := p.owner, 0
	for item := range s.items() {
		wanted := s.wanted(p, item)
		if wanted {
			paused++
		}
		if p.out.repeats.Has(item) && (!wanted || p.out.differs.Has(item)) {
			return fmt.Errorf("invariant 6: item %d is repeated, and no announced pause", item)
		}
	}
	if paused != int(p.out.paused) {
		return fmt.Errorf("invariant 6: the peer is to pause for %d items, %d counted",
			paused, p.out.paused)
	}
	return nil
}

// Quiescent returns nil when no packet is held, no detector pauses, no pause is announced, and the
// peers hold no queue; else an error that names the rest.
func (s *Switch) Quiescent() error {
	if n := s.Buffered(); n != 0 {
		return fmt.Errorf("portfc: %d bytes held", n)
	}
	for i := range s.ports {
		p := &s.ports[i]
		switch {
		case p.over != 0:
			return fmt.Errorf("portfc: port %d pauses its upstream", i)
		case p.Owes():
			return fmt.Errorf("portfc: port %d has not announced %d changes", i, p.out.differs.Len())
		case p.heldQueues() > 0:
			return fmt.Errorf("portfc: port %d has %d queues that its peer holds", i, p.heldQueues())
		}
	}
	return nil
}

// heldQueues counts the queues that the peer holds.
func (p *Port) heldQueues() (n int) {
	for q := range p.owner.queues {
		if p.queue(q).holds != 0 {
			n++
		}
	}
	return n
}
