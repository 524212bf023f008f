package pyrrha

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/bitset"
)

// Audit recomputes the invariants of Switch the slow way and names the first one broken, nil if
// none is.
func (s *Switch) Audit() error {
	for i := range s.ports {
		if err := s.ports[i].iq.Audit(); err != nil {
			return fmt.Errorf("pyrrha: port %d: %w", i, err)
		}
	}
	for _, check := range []func() error{
		s.auditBytes, s.auditRoots, s.auditUpstreams, s.auditFrames, s.auditMoves, s.woken.Audit,
	} {
		if err := check(); err != nil {
			return fmt.Errorf("pyrrha: %w", err)
		}
	}
	return nil
}

// auditBytes checks invariant 1.
func (s *Switch) auditBytes() error {
	var sum, up sluice.Bytes
	for i := range s.ports {
		p := &s.ports[i]
		for q := range s.Queues() {
			bytes := p.Backlog(sluice.QueueID(q))
			if bytes < 0 {
				return fmt.Errorf("invariant 1: port %d queue %d holds %d bytes", i, q, bytes)
			}
			sum += bytes
		}
		if p.role == Up {
			up += p.iq.OutputBacklog()
		}
	}
	if sum != s.buffered || up != s.upBytes {
		return fmt.Errorf(
			"invariant 1: queues hold %d bytes and OQs of up-ports %d, the counters say %d and %d",
			sum, up, s.buffered, s.upBytes,
		)
	}
	for r := range s.roots {
		if err := s.auditWaiting(r); err != nil {
			return err
		}
	}
	return nil
}

// auditWaiting checks that the bytes that wait for a root are the same by ingress and by egress,
// and invariant 7.
func (s *Switch) auditWaiting(r int) error {
	k := &s.roots[r]
	var in, out [2]sluice.Bytes // of IQs that are not far, and of those that are
	for i := range len(s.ports) + 1 {
		row := s.row(r, 0) + i
		near, far := s.upstreams[row].bytes, s.detours[row]
		if near < 0 || far < 0 {
			return fmt.Errorf("invariant 1: root %v: %d and %d bytes by ingress %d", k.hop,
				near, far, i)
		}
		in[0] += near
		in[1] += far
	}
	for i := range s.ports {
		p := &s.ports[i]
		assigned, far := p.iq.State(r) != hiq.Unassigned, p.far.Has(r)
		if far != (assigned && p.iq.Level(r) > int(k.level)) || far && !p.detour {
			return fmt.Errorf(
				"invariant 7: root %v, %d hops away, at port %d at level %d: that its IQ is far is %v",
				k.hop, k.level, i, p.iq.Level(r), far,
			)
		}
		if far {
			out[1] += p.iq.Bytes(r)
		} else {
			out[0] += p.iq.Bytes(r)
		}
	}
	if in != out {
		return fmt.Errorf("invariant 1: root %v: %d bytes by ingress, %d by egress", k.hop,
			in, out)
	}
	return nil
}

// auditRoots checks invariants 2 and 4.
func (s *Switch) auditRoots() error {
	known := 0
	for r := range s.roots {
		k := &s.roots[r]
		iqs := int32(0)
		for i := range s.ports {
			p := &s.ports[i]
			assigned := p.iq.State(r) != hiq.Unassigned
			if assigned != k.egress.Has(i) || assigned != p.roots.Has(r) ||
				assigned && !p.filter.has(k.hop.Key()) {
				return fmt.Errorf("invariant 2: root %v at port %d: assigned is %v, the root says otherwise",
					k.hop, i, assigned)
			}
			if assigned {
				iqs++
			}
			if p.iq.State(r) == hiq.Resumed && p.iq.Freeable(r) && !p.waitsForTree(r) {
				return fmt.Errorf("invariant 4: root %v at port %d: a leaf keeps an empty resumed IQ",
					k.hop, i)
			}
			if p.iq.State(r) == hiq.SoftMerging && p.iq.Freeable(r) {
				return fmt.Errorf("invariant 4: root %v at port %d: an empty soft-merging IQ is kept",
					k.hop, i)
			}
			if p.paused.Has(r) && p.iq.State(r) != hiq.Paused {
				return fmt.Errorf("invariant 2: root %v at port %d: its pause may expire, and it is %v",
					k.hop, i, p.iq.State(r))
			}
		}
		if iqs != k.iqs || int(k.tree) != k.listed.Len() {
			return fmt.Errorf("invariant 2: root %v: %d IQs and %d upstreams, the root says %d and %d",
				k.hop, iqs, k.listed.Len(), k.iqs, k.tree)
		}
		if r >= s.remotes {
			continue
		}
		used := k.iqs > 0 || k.tree > 0 || k.frames > 0
		if used == s.unused.Has(r) || used && s.find(k.hop) != r {
			return fmt.Errorf("invariant 2: root %v: used is %v, the table says otherwise",
				k.hop, used)
		}
		if used {
			known++
		}
	}
	if known != s.known {
		return fmt.Errorf("invariant 2: %d roots known, the counter says %d", known, s.known)
	}
	return nil
}

// auditUpstreams checks invariant 3.
func (s *Switch) auditUpstreams() error {
	for r := range s.roots {
		k := &s.roots[r]
		paused := int32(0)
		for i := range s.ports {
			p, u := &s.ports[i], s.upstream(r, sluice.PortID(i))
			listed := u.state != Unlisted
			if listed != k.listed.Has(i) || listed != p.listed.Has(r) {
				return fmt.Errorf("invariant 3: root %v: upstream %d is listed: %v, the sets say otherwise",
					k.hop, i, listed)
			}
			if u.state != PausedUpstream {
				continue
			}
			paused++
			if u.bytes > 0 || r >= s.remotes && (s.ports[r-s.remotes].role == NIC ||
				s.ports[r-s.remotes].iq.OutputBacklog() > 0) {
				continue
			}
			if s.byQueue && s.waits(r) {
				continue
			}
			return fmt.Errorf("invariant 3: root %v: upstream %d is paused, and nothing waits",
				k.hop, i)
		}
		if paused != k.paused || r >= s.remotes && paused != s.ports[r-s.remotes].claims {
			return fmt.Errorf("invariant 3: root %v: %d upstreams paused, the root says %d",
				k.hop, paused, k.paused)
		}
	}
	return nil
}

func (s *Switch) waits(r int) bool {
	for i := range s.ports {
		if s.ports[i].iq.Bytes(r) > 0 && !s.ports[i].far.Has(r) {
			return true
		}
	}
	return false
}

// auditFrames checks invariant 5.
func (s *Switch) auditFrames() error {
	frames := make([]int, len(s.roots))
	for i := range s.ports {
		p := &s.ports[i]
		owed := 0
		for r := range s.roots {
			u := s.upstream(r, p.id)
			if p.merging.Has(r) {
				owed++
				frames[r]++
				frames[u.into]++
			}
			for _, which := range []*bitset.Set{&p.changed, &p.repeating, &p.leaving} {
				if which.Has(r) {
					owed++
					frames[r]++
				}
			}
			if err := s.auditTold(p, r); err != nil {
				return err
			}
		}
		if owed != int(p.owed) {
			return fmt.Errorf("invariant 5: port %d owes %d frames, the counter says %d", i,
				owed, p.owed)
		}
		if p.peer.Down && owed > 0 {
			return fmt.Errorf("invariant 5: port %d owes %d frames, and its link is down", i, owed)
		}
	}
	for r, n := range frames {
		if n != int(s.roots[r].frames) {
			return fmt.Errorf("invariant 5: %d frames name root %v, the root says %d", n,
				s.roots[r].hop, s.roots[r].frames)
		}
	}
	if !s.touched.Empty() {
		return fmt.Errorf("a hook ended, and a root it touched is not free")
	}
	return nil
}

// auditTold compares the last frame to the upstream at a port about a root with the upstream's
// state.
func (s *Switch) auditTold(p *Port, r int) error {
	u, hop := s.upstream(r, p.id), s.roots[r].hop
	differs := (u.state == PausedUpstream) != (u.told == PausedUpstream) && !p.merging.Has(r)
	switch {
	case differs != p.changed.Has(r):
		return fmt.Errorf("invariant 5: upstream %d of root %v is %v, and its last frame "+
			"says %v; that a frame is owed is %v",
			p.id, hop, u.state, u.told, !differs)
	case u.state == ResumedUpstream && u.told == Unlisted && !p.mergesInto(r):
		return fmt.Errorf(
			"invariant 5: upstream %d is in the tree of root %v, and no frame said so", p.id,
			hop,
		)
	case p.merging.Has(r) && (u.state != Unlisted || u.told == Unlisted || int(u.into) == r):
		return fmt.Errorf("invariant 5: upstream %d is owed MERGE of root %v; its last frame "+
			"says %v, and it is %v",
			p.id, hop, u.told, u.state)
	case u.state == Unlisted && u.told == ResumedUpstream && !p.merging.Has(r):
		return fmt.Errorf("invariant 5: upstream %d is not in the tree of root %v, and its last "+
			"frame says %v", p.id, hop, u.told)
	case p.leaving.Has(r) && p.iq.State(r) != hiq.Unassigned:
		return fmt.Errorf("invariant 5: port %d owes DEALLOC of %v, and has an IQ for it",
			p.id, hop)
	}
	return nil
}

// Quiescent returns nil when nothing is held back: no packet queued, no root known, no upstream in
// a tree, no IQ assigned, no frame pending, no port held. Else an error that says what is left.
func (s *Switch) Quiescent() error {
	if s.buffered != 0 {
		return fmt.Errorf("pyrrha: %d bytes queued", s.buffered)
	}
	for r := range s.roots {
		k := &s.roots[r]
		if k.iqs > 0 || k.tree > 0 {
			return fmt.Errorf("pyrrha: root %v has %d IQs, and %d upstreams of which %d are paused%s",
				k.hop, k.iqs, k.tree, k.paused, s.waiting(k))
		}
	}
	for i := range s.ports {
		if s.ports[i].owed > 0 {
			return fmt.Errorf("pyrrha: port %d owes %d frames", i, s.ports[i].owed)
		}
		if s.ports[i].held {
			return fmt.Errorf("pyrrha: port %d is held", i)
		}
	}
	return nil
}

// waiting names the ports of the upstreams in a root's tree, with their roles: a switch leaves the
// tree by DEALLOC, a host's network card sends none.
func (s *Switch) waiting(k *root) (text string) {
	for i := k.listed.Next(0); i >= 0; i = k.listed.Next(i + 1) {
		text += fmt.Sprintf("; port %d, whose Role is %v, waits for DEALLOC", i, s.ports[i].role)
	}
	return text
}

// auditMoves checks invariant 6.
func (s *Switch) auditMoves() error {
	for i := range s.ports {
		p := &s.ports[i]
		planned := s.timers.At(s.slot(moveTimer, p.id))
		iq := p.iq
		due, opened := iq.Park(s.clock.Now())
		levels, parked := p.iq.Ready()
		if opened && planned <= s.clock.Now() {
			continue // time has passed since, and the timer is not served yet
		}
		if _, should := iq.Ready(); parked != should || planned > due {
			return fmt.Errorf("invariant 6: port %d: of the levels %08b those that wait for time "+
				"are %08b, until %v, and %08b are parked, until %v", i, levels, should, due, parked, planned)
		}
	}
	return nil
}
