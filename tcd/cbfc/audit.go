package cbfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Audit recomputes the numbered invariants of Switch and returns an error that names the first one
// broken, nil if all hold. O(ports). It allocates only to report.
func (s *Switch) Audit() error {
	if err := s.woken.Audit(); err != nil {
		return fmt.Errorf("cbfc: %w", err)
	}
	total := int64(0)
	for class := range sluice.Classes {
		queued, used := int64(0), int64(0)
		for i := range s.ports {
			v := &s.ports[i].vls[class]
			queued += int64(v.blocks)
			used += int64(v.used)
			total += v.bytes
		}
		if s.local[class] < 0 || queued != used+s.local[class] {
			return fmt.Errorf("cbfc: invariant 1: VL %d: %d blocks queued, %d in buffers and %d local",
				class, queued, used, s.local[class])
		}
	}
	if total != s.buffered {
		return fmt.Errorf("cbfc: invariant 1: %d bytes queued, %d buffered", total, s.buffered)
	}
	for i := range s.ports {
		if err := s.ports[i].audit(); err != nil {
			return fmt.Errorf("cbfc: port %d: %w", i, err)
		}
	}
	return nil
}

// audit checks invariants 2 to 5 of one port.
func (p *Port) audit() error {
	s, t := p.owner, p.state
	for i := range p.vls {
		v, class := &p.vls[i], sluice.Class(i)
		credit := int32((v.limit - v.sent) & counterMask)
		if credit > maxCredit || !p.heard.Has(class) {
			credit = 0
		}
		switch {
		case v.bytes < 0 || v.blocks < 0 || v.used < 0 || v.used > v.size ||
			(v.bytes > 0) != (v.blocks > 0):
			return fmt.Errorf("invariant 2: VL %d: %d bytes and %d blocks queued, %d of %d blocks used",
				i, v.bytes, v.blocks, v.used, v.size)
		case (v.bytes > 0) != p.backlog.Has(class):
			return fmt.Errorf("invariant 2: VL %d: %d bytes queued, backlog %v", i, v.bytes, p.backlog)
		case v.credit != credit:
			return fmt.Errorf("invariant 3: VL %d: limit %d, sent %d, credit %d",
				i, v.limit, v.sent, v.credit)
		case p.blocked.Has(class) != (!p.down && v.credit < s.needed):
			return fmt.Errorf("invariant 3: VL %d: credit %d of %d needed, held %v, link down %t",
				i, v.credit, s.needed, p.blocked, p.down)
		case !p.down && s.classes.Has(class) && v.announced() != v.told &&
			!(p.changed | p.pending).Has(class):
			return fmt.Errorf("invariant 4: VL %d: limit %d, told %d", i, v.announced(), v.told)
		}
	}
	switch {
	case p.down && p.pending|p.changed != 0:
		return fmt.Errorf("invariant 4: the link is down, and %v are owed", p.pending|p.changed)
	case p.changed != 0 && t.tickAt == sluice.Never:
		return fmt.Errorf("invariant 4: the limits of %v changed, and no tick will come", p.changed)
	case s.timers.At(int(p.id)) != min(t.tickAt, t.keepAt):
		return fmt.Errorf("invariant 5: ticks at %v and %v, set to %v",
			t.tickAt, t.keepAt, s.timers.At(int(p.id)))
	}
	return nil
}

// Quiescent returns nil when nothing is held back: no packet queued, no VL without credit, and the
// present limits sent to every peer; else an error that names the rest.
func (s *Switch) Quiescent() error {
	for i := range s.ports {
		p := &s.ports[i]
		switch {
		case p.backlog != 0:
			return fmt.Errorf("cbfc: port %d: VLs %v hold packets", i, p.backlog)
		case p.blocked&s.classes != 0:
			return fmt.Errorf("cbfc: port %d: VLs %v have no credit", i, p.blocked&s.classes)
		case p.changed != 0:
			return fmt.Errorf("cbfc: port %d: limits of VLs %v are not announced", i, p.changed)
		}
	}
	if s.buffered != 0 {
		return fmt.Errorf("cbfc: %d bytes buffered", s.buffered)
	}
	return nil
}
