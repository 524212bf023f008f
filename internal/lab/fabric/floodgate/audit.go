package floodgate

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Audit recomputes the numbered invariants of Switch and returns an error that names the first one
// broken, nil if all hold. O(ports x destinations). It allocates only to report.
func (s *Switch) Audit() error {
	total := int64(0)
	for d := range s.waiting {
		waiting, flying, grants := int64(0), int64(0), int32(0)
		for i := range s.ports {
			l := &s.ports[i].lanes[d]
			waiting += l.bytes
			if s.ports[i].windowed(d) {
				flying += l.outstanding()
			}
			if l.granted {
				grants++
			}
		}
		if flying != s.flying[d] || grants != s.grants[d] {
			return fmt.Errorf("floodgate: invariant 2: to %v %d bytes without credit, %d grants; "+
				"counted %d, %d", s.hop(d), flying, grants, s.flying[d], s.grants[d])
		}
		if total += waiting; waiting != s.waiting[d] {
			return fmt.Errorf("floodgate: invariant 1: %d bytes in VOQs to %v, counted %d",
				waiting, s.hop(d), s.waiting[d])
		}
	}
	for i := range s.ports {
		p := &s.ports[i]
		total += p.bytes
		if err := p.audit(); err != nil {
			return fmt.Errorf("floodgate: port %d: %w", i, err)
		}
	}
	if total != s.buffered {
		return fmt.Errorf("floodgate: invariant 1: %d bytes queued, %d buffered", total, s.buffered)
	}
	return nil
}

func (p *Port) audit() error {
	s := p.owner
	queued, sum := int64(0), int64(0)
	for d := range p.lanes {
		l := &p.lanes[d]
		queued += int64(l.passed - l.sent)
		if !s.withheld(d) {
			sum += l.owed()
		}
		switch {
		case l.bytes < 0:
			return fmt.Errorf("invariant 1: %d bytes to %v", l.bytes, s.hop(d))
		case p.voqs.Eligible(d) != (l.bytes > 0 && p.Sendable(sluice.QueueID(d))),
			s.grantable(d, p):
			return fmt.Errorf("invariant 2: to %v eligible %v, %d bytes, %d without credit, granted %v",
				s.hop(d), p.voqs.Eligible(d), l.bytes, s.flying[d], l.granted)
		case (l.owed() > 0) != p.credits.Has(d):
			return fmt.Errorf("invariant 3: credit of %d to %v", l.owed(), s.hop(d))
		case (l.sent != l.credited) != p.silent.Has(d):
			return fmt.Errorf("invariant 4: %d sent, %d credited to %v", l.sent, l.credited, s.hop(d))
		}
	}
	timed := s.timers.At(p.creditTimer()) != sluice.Never
	switch {
	case queued != p.bytes:
		return fmt.Errorf("invariant 2: %d bytes passed, %d in the output queue", queued, p.bytes)
	case sum != p.sum, (sum > 0) != (p.due || timed), p.due && timed:
		return fmt.Errorf("invariant 3: credit of %d, counted %d, due %v, timer %v", sum, p.sum, p.due,
			timed)
	case p.silent.Empty() != (s.timers.At(p.synTimer()) == sluice.Never):
		return fmt.Errorf("invariant 4: timer at %v", s.timers.At(p.synTimer()))
	}
	return nil
}

// Quiescent returns nil when no packet is queued, all windows are open and all credit was sent.
func (s *Switch) Quiescent() error {
	if s.buffered != 0 {
		return fmt.Errorf("floodgate: %d bytes queued", s.buffered)
	}
	for i := range s.ports {
		if p := &s.ports[i]; p.sum > 0 || p.Owes() || !p.silent.Empty() {
			return fmt.Errorf("floodgate: port %d owes credit or a frame, or waits for credit", p.id)
		}
	}
	return nil
}
