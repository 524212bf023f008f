package pfc

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// Audit recomputes the numbered invariants of Switch from the ground up and returns an error that
// names the first one broken, nil if all hold. O(ports). It allocates only to report.
func (s *Switch) Audit() error {
	if err := s.auditBytes(); err != nil {
		return err
	}
	if err := s.woken.Audit(); err != nil {
		return fmt.Errorf("pfc: %w", err)
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
	var taken [maxPools]int64
	var total, inAccounts, local, inHeadroom int64
	for i := range s.ports {
		p := &s.ports[i]
		for c := range sluice.Classes {
			a, q := p.account(sluice.Class(c)), &p.queues[c]
			queued[c] += q.bytes
			accounted[c] += a.bytes + int64(a.headroom) + q.lossy
			taken[a.pool] += a.shared()
			taken[s.lossyPool] += max(0, q.lossy-p.state.lossyReserve)
			inHeadroom += int64(a.headroom)
		}
	}
	for c := range sluice.Classes {
		total += queued[c]
		local += s.local[c]
		inAccounts += accounted[c]
		if s.local[c] < 0 || s.flags&retags == 0 && queued[c] != accounted[c]+s.local[c] {
			return fmt.Errorf("pfc: invariant 1: class %d: %d bytes queued, %d accounted and %d local",
				c, queued[c], accounted[c], s.local[c])
		}
	}
	if total != s.buffered || total != inAccounts+local {
		return fmt.Errorf("pfc: invariant 1: %d bytes queued, %d buffered, %d accounted and %d local",
			total, s.buffered, inAccounts, local)
	}
	for i := range s.pool {
		if s.free[i] < s.overdrawn[i] || s.free[i]+taken[i] != s.pool[i] {
			return fmt.Errorf("pfc: invariant 2: %d bytes free and %d taken of pool %d of %d",
				s.free[i], taken[i], i, s.pool[i])
		}
	}
	if s.freeHeadroom < s.overdrawnHeadroom || s.freeHeadroom+inHeadroom != s.headroomPool {
		return fmt.Errorf("pfc: invariant 2: %d bytes free and %d taken of a headroom pool of %d",
			s.freeHeadroom, inHeadroom, s.headroomPool)
	}
	return s.auditEgress()
}

// audit checks invariants 3 to 7 of one port.
func (p *Port) audit() error {
	t := p.state
	var backlog, paused sluice.ClassSet
	due := t.refreshAt
	for i := range sluice.Classes {
		a, q, bit := p.account(sluice.Class(i)), &p.queues[i], sluice.ClassSet(1)<<i
		if q.bytes > 0 {
			backlog |= bit
		}
		if a.flags&pausing != 0 {
			paused |= bit
		}
		switch held := t.held&bit != 0; {
		case q.bytes < 0 || q.lossy < 0 || a.bytes < 0,
			int64(a.headroom) > int64(a.maxHeadroom)+t.excess[i]:
			return fmt.Errorf(
				"invariant 3: class %d: queue %d, of it lossy %d, account %d, headroom %d of %d",
				i, q.bytes, q.lossy, a.bytes, a.headroom, a.maxHeadroom)
		case a.flags&pausing != 0 && a.held() == 0 &&
			(p.owner.variant.kind != trigger.GPFC || p.ingressSum() == 0):
			return fmt.Errorf("invariant 4: class %d is paused and holds nothing", i)
		case (a.headroom > 0) != (a.flags&spilled != 0):
			return fmt.Errorf("invariant 3: class %d: headroom %d, flags %b", i, a.headroom, a.flags)
		case held != (t.expiresAt[i] != sluice.Never) && !p.endless():
			return fmt.Errorf("invariant 7: class %d: held %t, expires %v", i, held, t.expiresAt[i])
		}
		due = min(due, t.expiresAt[i])
		if t.slow&bit != 0 {
			due = min(due, t.ready[i])
		}
	}
	switch {
	case backlog != p.backlog || paused != p.paused:
		return fmt.Errorf("invariant 3: backlog %v shown as %v, paused %v as %v",
			backlog, p.backlog, paused, p.paused)
	case t.blocks() != p.blocked:
		return fmt.Errorf("invariant 3: held %v, bypassed %v, blocked %v", t.held, t.bypass, p.blocked)
	case p.open != 0 && !p.plain || p.plain && p.open != sluice.AllClasses&^p.blocked:
		return fmt.Errorf("invariant 3: blocked %v, open %v, plain %t", p.blocked, p.open, p.plain)
	case p.down && (p.pending|t.told|t.held != 0 || t.refreshAt != sluice.Never):
		return fmt.Errorf("invariant 5: the link is down, told %v, pending %v, held %v",
			t.told, p.pending, t.held)
	case !p.down && p.untold() && p.pending == 0:
		return fmt.Errorf("invariant 5: paused %v, told %v, no frame pending", p.wanted(), t.told)
	case !p.down && (p.wanted() != 0) != (t.refreshAt != sluice.Never):
		return fmt.Errorf("invariant 6: paused %v, refresh at %v", p.wanted(), t.refreshAt)
	case p.owner.timers.At(int(p.id)) != due:
		return fmt.Errorf("invariant 7: earliest timer %v, set to %v", due, p.owner.timers.At(int(p.id)))
	}
	return nil
}

// endless reports whether the longest pause lasts longer than any Time, at so low a rate.
func (p *Port) endless() bool { return p.state.rate.TimeOfQuanta(DefaultPause) == sluice.Never }

// untold reports whether the last frame to the peer differs from the present state.
func (p *Port) untold() bool {
	if p.state.mode == ClassicPause {
		return (p.wanted() != 0) != (p.state.told != 0)
	}
	return p.wanted() != p.state.told
}

// Quiescent returns nil when nothing is held back: no packet queued, no upstream paused by state or
// last frame, no class held, no storm; else an error that names the rest.
func (s *Switch) Quiescent() error {
	for i := range s.ports {
		switch p := &s.ports[i]; {
		case p.backlog != 0:
			return fmt.Errorf("pfc: port %d: classes %v hold packets", i, p.backlog)
		case p.paused != 0:
			return fmt.Errorf("pfc: port %d: upstream is paused in classes %v", i, p.paused)
		case p.pending != 0:
			return fmt.Errorf("pfc: port %d: a frame about classes %v is pending", i, p.pending)
		case p.state.held != 0:
			return fmt.Errorf("pfc: port %d: classes %v are held", i, p.state.held)
		case p.state.storming != 0:
			return fmt.Errorf("pfc: port %d: classes %v are in a pause storm", i, p.state.storming)
		}
	}
	if s.free != s.pool || s.buffered != 0 {
		return fmt.Errorf("pfc: %d bytes buffered, %d of pools of %d free", s.buffered, s.free, s.pool)
	}
	return nil
}
