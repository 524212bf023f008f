package bfc

import (
	"fmt"
	"math/bits"

	"github.com/sluicefc/sluice"
)

// Audit recomputes the numbered invariants of Switch from what the switch holds, and names the first one
// broken. It cannot see the packets; invariants 3 and 4 it checks in sum. It takes time in proportion to the
// memory of the switch.
func (s *Switch) Audit() error {
	var total sluice.Bytes
	var packets int64
	var counted, active, paused, held int
	for i := range s.ports {
		p := &s.ports[i]
		if err := p.auditQueues(); err != nil {
			return err
		}
		if err := p.auditTable(); err != nil {
			return err
		}
		if err := p.auditUpstream(); err != nil {
			return err
		}
		for _, q := range p.queues {
			total += q.bytes
			packets += q.packets
		}
		for _, n := range p.upstream.counters {
			counted += int(n)
		}
		active += p.active
		paused += ones(p.paused)
		held += p.upstream.heldLen
	}
	c := &s.counters
	switch {
	case total != s.bytes || total < 0:
		return fmt.Errorf("bfc: invariant 1: queues hold %d bytes, the switch counts %d", total, s.bytes)
	case packets != int64(c.Enqueued-c.Dequeued):
		return fmt.Errorf("bfc: invariant 1: queues hold %d packets, %d came and %d left", packets, c.Enqueued, c.Dequeued)
	case int64(counted) > packets:
		return fmt.Errorf("bfc: invariant 4: %d packets are counted, %d are held", counted, packets)
	case held != c.PausesHeld:
		return fmt.Errorf("bfc: invariant 5: %d upstream queues are held, %d are counted", held, c.PausesHeld)
	case active != c.ActiveQueues || paused != c.PausedQueues:
		return fmt.Errorf("bfc: invariant 7: %d queues active and %d paused, counted %d and %d", active, paused, c.ActiveQueues, c.PausedQueues)
	}
	return nil
}

func (p *Port) auditQueues() error {
	active := 0
	for i, q := range p.queues {
		if q.packets < 0 || q.bytes < sluice.Bytes(q.packets) || q.packets == 0 && q.bytes != 0 {
			return fmt.Errorf("bfc: invariant 1: port %d queue %d holds %d packets of %d bytes", p.id, i, q.packets, q.bytes)
		}
		if i >= p.owner.config.Queues {
			continue
		}
		eligible := q.packets > 0 && !p.isPaused(i)
		if eligible {
			active++
		}
		if p.ring.Eligible(i) != eligible {
			return fmt.Errorf("bfc: invariant 7: port %d queue %d: eligible %t, served %t", p.id, i, eligible, !eligible)
		}
		free := q.packets == 0 && (!p.isPaused(i) || p.owner.config.AssignPaused)
		if p.free.Has(i) != free {
			return fmt.Errorf("bfc: invariant 8: port %d queue %d: free %t, assignable %t", p.id, i, free, !free)
		}
	}
	if active != p.active {
		return fmt.Errorf("bfc: invariant 7: port %d: %d queues active, N_active is %d", p.id, active, p.active)
	}
	s := p.owner
	var strict uint32
	if s.config.FirstPacketQueue && p.queues[s.firstQueue].packets > 0 {
		strict |= firstBit
	}
	if int(s.controlQueue) >= s.config.Queues && p.queues[s.controlQueue].packets > 0 {
		strict |= controlBit
	}
	if strict != p.strict {
		return fmt.Errorf("bfc: invariant 7: port %d: strict queues %b served, %b have packets", p.id, p.strict, strict)
	}
	return nil
}

func (p *Port) auditTable() error {
	s := p.owner
	var flows, held int64
	for i := range p.table.entries {
		e := &p.table.entries[i]
		if e.assigned && int(e.queue) >= s.config.Queues {
			return fmt.Errorf("bfc: invariant 3: port %d entry %d has queue %d", p.id, i, e.queue)
		}
		if p.table.guests != nil && p.table.guests[i] > e.size {
			return fmt.Errorf("bfc: invariant 3: port %d entry %d has %d packets, %d of guests", p.id, i, e.size, p.table.guests[i])
		}
		flows += int64(e.size)
	}
	for i, q := range p.queues {
		if i < s.config.Queues || sluice.QueueID(i) != s.controlQueue {
			held += q.packets
		}
	}
	if flows != held {
		return fmt.Errorf("bfc: invariant 3: port %d: entries have %d packets, queues %d", p.id, flows, held)
	}
	return nil
}

func (p *Port) auditUpstream() error {
	s, up := p.owner, &p.upstream
	for q, n := range up.counters {
		held := up.held[q>>6]>>(q&63)&1 != 0
		told := up.told[q>>6]>>(q&63)&1 != 0
		if waits := s.resumes.waits(p.id, sluice.QueueID(q)); held != (n > 0 || waits) || n > 0 && waits {
			return fmt.Errorf("bfc: invariant 5: port %d upstream queue %d: counter %d, resume waits %t, held %t", p.id, q, n, waits, held)
		}
		said := up.changed.Has(q) || up.bitmap || s.config.Signalling != Transitions && s.timers.At(int(p.id)) != sluice.Never
		if held != told && !said || held == told && up.changed.Has(q) {
			return fmt.Errorf("bfc: invariant 6: port %d upstream queue %d: held %t, told %t, frame due %t", p.id, q, held, told, said)
		}
	}
	if ones(up.held) != up.heldLen {
		return fmt.Errorf("bfc: invariant 5: port %d: %d upstream queues held, %d counted", p.id, ones(up.held), up.heldLen)
	}
	if s.dirty.Has(int(p.id)) != p.pending() {
		return fmt.Errorf("bfc: invariant 6: port %d: frame due %t, port listed %t", p.id, p.pending(), !p.pending())
	}
	return nil
}

// waits reports whether the resume of a queue of ingress waits.
func (r *resumeLimiter) waits(ingress sluice.PortID, q sluice.QueueID) bool {
	return r.limit > 0 && r.waiters[int(r.first[ingress])+int(q)].window != none
}

// Quiescent returns nil when no packet is held, no upstream queue is paused or was told so last, and
// downstream pauses none of ours; else an error that says what is left.
func (s *Switch) Quiescent() error {
	if s.bytes != 0 {
		return fmt.Errorf("bfc: %d bytes held", s.bytes)
	}
	for i := range s.ports {
		p := &s.ports[i]
		up := &p.upstream
		switch {
		case up.heldLen > 0:
			return fmt.Errorf("bfc: port %d holds %d upstream queues paused", i, up.heldLen)
		case ones(up.told) > 0:
			return fmt.Errorf("bfc: port %d has not told of %d resumes", i, ones(up.told))
		case ones(p.paused) > 0:
			return fmt.Errorf("bfc: port %d has %d queues that downstream pauses", i, ones(p.paused))
		}
	}
	return nil
}

func ones(words []uint64) int {
	n := 0
	for _, w := range words {
		n += bits.OnesCount64(w)
	}
	return n
}
