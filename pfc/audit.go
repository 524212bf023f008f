package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Audit recomputes the numbered invariants of Switch from the ground up and returns an error that names
// the first one broken, nil if all hold. O(ports). It allocates only to report.
func (s *Switch) Audit() error {
	if err := s.auditBytes(); err != nil {
		return err
	}
	for i := range s.ports {
		if err := s.ports[i].audit(); err != nil {
			return fmt.Errorf("pfc: port %d: %w", i, err)
		}
	}
	return nil
}

// auditBytes checks invariants 1 and 2.
func (s *Switch) auditBytes() error {
	var queued, accounted [sluice.Classes]int64
	var total, taken int64
	for i := range s.ports {
		p := &s.ports[i]
		for c := range sluice.Classes {
			queued[c] += p.queues[c].bytes
			accounted[c] += p.account(sluice.Class(c)).bytes + p.account(sluice.Class(c)).headroom
			taken += p.account(sluice.Class(c)).shared()
		}
	}
	for c := range sluice.Classes {
		total += queued[c]
		if s.lossless>>c&1 == 0 {
			accounted[c] = queued[c] - s.local[c]
			taken += accounted[c]
		}
		if s.local[c] < 0 || queued[c] != accounted[c]+s.local[c] {
			return fmt.Errorf("pfc: invariant 1: class %d: %d bytes queued, %d accounted and %d local",
				c, queued[c], accounted[c], s.local[c])
		}
	}
	if total != s.buffered {
		return fmt.Errorf("pfc: invariant 1: %d bytes queued, %d buffered", total, s.buffered)
	}
	if s.free < 0 || s.free+taken != s.pool {
		return fmt.Errorf("pfc: invariant 2: %d bytes free and %d taken of a pool of %d", s.free, taken, s.pool)
	}
	return nil
}

// audit checks invariants 3 to 7 of one port.
func (p *Port) audit() error {
	var backlog, paused sluice.ClassSet
	due := p.refreshAt
	for i := range sluice.Classes {
		a, bit := p.account(sluice.Class(i)), sluice.ClassSet(1)<<i
		if p.queues[i].bytes > 0 {
			backlog |= bit
		}
		if a.paused {
			paused |= bit
		}
		switch held := p.held&bit != 0; {
		case p.queues[i].bytes < 0 || a.bytes < 0 || a.headroom < 0 || a.headroom > int64(a.maxHeadroom):
			return fmt.Errorf("invariant 3: class %d: queue %d, account %d, headroom %d of %d",
				i, p.queues[i].bytes, a.bytes, a.headroom, a.maxHeadroom)
		case a.paused && a.bytes+a.headroom == 0:
			return fmt.Errorf("invariant 4: class %d is paused and holds nothing", i)
		case held != (p.expiresAt[i] != sluice.Never) && !p.nearTheEnd():
			return fmt.Errorf("invariant 7: class %d: held %t, expires %v", i, held, p.expiresAt[i])
		}
		due = min(due, p.expiresAt[i])
	}
	switch {
	case backlog != p.backlog || paused != p.paused:
		return fmt.Errorf("invariant 3: backlog %v shown as %v, paused %v as %v", backlog, p.backlog, paused, p.paused)
	case p.held&^p.bypass != p.blocked:
		return fmt.Errorf("invariant 3: held %v, bypassed %v, blocked %v", p.held, p.bypass, p.blocked)
	case (p.dirty != 0) != p.owner.dirty.Has(int(p.id)), p.untold() && p.dirty == 0:
		return fmt.Errorf("invariant 5: paused %v, told %v, dirty %v, no frame pending", p.paused, p.told, p.dirty)
	case p.mode != ClassicObey && (p.paused != 0) != (p.refreshAt != sluice.Never) && !p.nearTheEnd():
		return fmt.Errorf("invariant 6: paused %v, refresh at %v", p.paused, p.refreshAt)
	case p.owner.timers.At(int(p.id)) != due:
		return fmt.Errorf("invariant 7: earliest timer %v, set to %v", due, p.owner.timers.At(int(p.id)))
	}
	return nil
}

// nearTheEnd reports whether the longest pause would outlast the range of Time, so that timers saturate at Never.
func (p *Port) nearTheEnd() bool {
	return p.owner.now.Add(p.rate.TimeOfQuanta(DefaultPause)) == sluice.Never
}

// untold reports whether the peer was last told otherwise than things stand.
func (p *Port) untold() bool {
	switch p.mode {
	case PriorityPause:
		return p.paused != p.told
	case ClassicPause:
		return (p.paused != 0) != (p.told != 0)
	}
	return false
}

// Quiescent returns nil when nothing is held back: no packet queued, no upstream paused or told so,
// no class held, no storm; else an error that says what is left.
func (s *Switch) Quiescent() error {
	for i := range s.ports {
		switch p := &s.ports[i]; {
		case p.backlog != 0:
			return fmt.Errorf("pfc: port %d: classes %v hold packets", i, p.backlog)
		case p.paused != 0:
			return fmt.Errorf("pfc: port %d: upstream is paused in classes %v", i, p.paused)
		case p.dirty != 0:
			return fmt.Errorf("pfc: port %d: a frame about classes %v is pending", i, p.dirty)
		case p.held != 0:
			return fmt.Errorf("pfc: port %d: classes %v are held", i, p.held)
		case p.storming != 0:
			return fmt.Errorf("pfc: port %d: classes %v are in a pause storm", i, p.storming)
		}
	}
	if s.free != s.pool || s.buffered != 0 {
		return fmt.Errorf("pfc: %d bytes buffered, %d of a pool of %d free", s.buffered, s.free, s.pool)
	}
	return nil
}
