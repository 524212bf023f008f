package bfc

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// Audit recomputes the numbered invariants of Switch from what the switch holds, and names the
// first one broken. It cannot see the packets; invariants 3 and 4 it checks in sum. It takes time
// in proportion to the memory of the switch.
func (s *Switch) Audit() error {
	var total sluice.Bytes
	var packets, counted int64
	for i := range s.ports {
		p := &s.ports[i]
		for _, audit := range [...]func() error{
			p.auditQueues, p.auditService, p.auditTable, p.auditOwners, p.auditUpstream,
		} {
			if err := audit(); err != nil {
				return fmt.Errorf("bfc: port %d: %w", i, err)
			}
		}
		for _, q := range p.queues {
			total += q.bytes
			packets += q.packets
		}
		for _, n := range p.upstream.counters {
			counted += int64(n)
		}
	}
	if err := s.woken.Audit(); err != nil {
		return fmt.Errorf("bfc: %w", err)
	}
	switch {
	case total != s.Buffered() || total < 0:
		return fmt.Errorf("bfc: invariant 1: queues hold %d bytes, the switch counts %d",
			total, s.Buffered())
	case counted > packets:
		return fmt.Errorf("bfc: invariant 4: %d packets are counted, %d are held", counted, packets)
	}
	return nil
}

func (p *Port) auditQueues() error {
	for i, q := range p.queues {
		if q.packets < 0 || q.bytes < sluice.Bytes(q.packets) || q.packets == 0 && q.bytes != 0 {
			return fmt.Errorf("invariant 1: queue %d holds %d packets of %d bytes",
				i, q.packets, q.bytes)
		}
	}
	if n := p.packets(); uint64(n) > p.enqueued {
		return fmt.Errorf("invariant 1: %d packets held, %d came", n, p.enqueued)
	}
	return nil
}

func (p *Port) auditService() error {
	s := p.owner
	active := 0
	for i := range int(p.data) {
		empty := p.queues[i].packets == 0
		eligible := !empty && !p.isPaused(i)
		if eligible {
			active++
		}
		if p.ring.Eligible(i) != eligible {
			return fmt.Errorf("invariant 7: queue %d: eligible %t, served %t",
				i, eligible, !eligible)
		}
		free := empty && (!p.isPaused(i) || s.config.AssignPaused || p.forgotten(i)) &&
			(p.exact == nil || p.exact.owners[i] == none)
		if p.free.Has(i) != free {
			return fmt.Errorf("invariant 8: queue %d: free %t, assignable %t", i, free, !free)
		}
	}
	if active != int(p.active) {
		return fmt.Errorf("invariant 7: %d queues active, N_active is %d", active, p.active)
	}
	if err := p.auditFreed(); err != nil {
		return err
	}
	strict := p.strict & lowestBit
	if s.firstPackets && p.queues[s.firstQueue].packets > 0 {
		strict |= firstBit
	}
	if s.controlQueue > 0 && p.queues[s.controlQueue].packets > 0 {
		strict |= controlBit
	}
	if strict != p.strict {
		return fmt.Errorf("invariant 7: strict queues %b served, %b have packets", p.strict, strict)
	}
	return nil
}

// auditFreed checks the stack of LastFreed: each queue is on it once at most, and every free one
// is.
func (p *Port) auditFreed() error {
	if p.freed == nil {
		return nil
	}
	on := bitset.New(int(p.data))
	for _, q := range p.freed.queues {
		if on.Has(int(q)) || !p.freed.on.Has(int(q)) {
			return fmt.Errorf("invariant 8: queue %d is on the stack twice, or not known to be", q)
		}
		on.Add(int(q))
	}
	for q := range int(p.data) {
		if on.Has(q) != p.freed.on.Has(q) || p.free.Has(q) && !on.Has(q) {
			return fmt.Errorf("invariant 8: queue %d: free %t, on the stack %t", q, p.free.Has(q), on.Has(q))
		}
	}
	return nil
}

func (p *Port) auditTable() error {
	var flows int64
	named := make([]uint32, p.data)
	for i := range p.entries {
		e := &p.entries[i]
		if e.assigned && uint16(e.queue) >= p.data {
			return fmt.Errorf("invariant 3: entry %d has queue %d", i, e.queue)
		}
		if e.assigned {
			named[e.queue]++
		}
		flows += int64(e.size)
	}
	if p.named != nil && !slices.Equal(named, p.named) {
		return fmt.Errorf("invariant 8: entries name queues %d times, counted %d", named, p.named)
	}
	held := p.packets()
	if control := p.owner.controlQueue; control > 0 {
		held -= p.queues[control].packets
	}
	if flows != held {
		return fmt.Errorf("invariant 3: entries have %d packets, queues %d", flows, held)
	}
	return nil
}

// auditOwners checks what Config.Ideal adds: every entry is unused, found by its flow, or shared;
// an owned queue is its owner's; the lists have the entries that may be given away, once each.
func (p *Port) auditOwners() error {
	x := p.exact
	if x == nil {
		return nil
	}
	if x.flows.Len()+len(x.unused) != x.known {
		return fmt.Errorf("invariant 3: %d entries of flows, %d unused, of %d",
			x.flows.Len(), len(x.unused), x.known)
	}
	for q, owner := range x.owners {
		if owner != none && int(p.entries[owner].queue) != q {
			return fmt.Errorf("invariant 8: queue %d is owned by entry %d of queue %d",
				q, owner, p.entries[owner].queue)
		}
	}
	listed := x.length(&x.owning) + x.length(&x.others)
	for i := range x.known {
		e := &p.entries[i]
		index, known := x.flows.Find(e.flow)
		known = known && index == i
		q := int(e.queue)
		owns := x.owners[q] == int32(i)
		rests := known && e.size == 0 &&
			(!owns || p.queues[q].packets == 0 && (!p.isPaused(q) || p.owner.config.AssignPaused))
		if x.links[i].in != rests || (owns || e.size > 0) && !known {
			return fmt.Errorf("invariant 3: entry %d: known %t, owns %t, rests %t, listed %t",
				i, known, owns, rests, !rests)
		}
		if rests {
			listed--
		}
	}
	if listed != 0 {
		return fmt.Errorf("invariant 3: %d entries too many are listed", listed)
	}
	return nil
}

func (x *exact) length(l *restList) (n int) {
	for i := l.head; i != none && n <= x.known; i = x.links[i].next {
		n++
	}
	return n
}

func (p *Port) auditUpstream() error {
	s, up := p.owner, &p.upstream
	for q, n := range up.counters {
		held := up.held.Has(q)
		waits := s.resumes.waits(p.id, sluice.QueueID(q))
		if held != (n > 0 || waits) || n > 0 && waits {
			return fmt.Errorf("invariant 5: upstream queue %d: counter %d, waits %t, held %t",
				q, n, waits, held)
		}
		said := up.bitmap || s.listed || s.timers.At(int(p.id)) != sluice.Never
		if up.differs.Has(q) && !said && !up.Down {
			return fmt.Errorf("invariant 6: upstream queue %d: held %t, told %t, no frame due",
				q, held, !held)
		}
	}
	if up.held.Len() != int(up.heldLen) {
		return fmt.Errorf("invariant 5: %d upstream queues held, %d counted",
			up.held.Len(), up.heldLen)
	}
	return nil
}

func (r *resumeLimiter) waits(ingress sluice.PortID, q sluice.QueueID) bool {
	return r.limit > 0 && r.waiters[int(r.first[ingress])+int(q)].window != none
}

// Quiescent returns nil when no packet is held, no upstream queue is paused, no Pause is the last
// frame about one, and downstream pauses none of ours; else an error that names the rest.
func (s *Switch) Quiescent() error {
	if n := s.Buffered(); n != 0 {
		return fmt.Errorf("bfc: %d bytes held", n)
	}
	for i := range s.ports {
		p := &s.ports[i]
		up := &p.upstream
		switch {
		case up.heldLen > 0:
			return fmt.Errorf("bfc: port %d holds %d upstream queues paused", i, up.heldLen)
		case !up.differs.Empty():
			return fmt.Errorf("bfc: port %d has not announced %d resumes", i, up.differs.Len())
		case ones(p.paused) > 0:
			return fmt.Errorf("bfc: port %d has %d queues that downstream pauses",
				i, ones(p.paused))
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
