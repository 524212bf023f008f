package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

func (p *Port) add(q *queue, size sluice.Bytes) {
	p.enqueued++
	p.owner.room -= size
	q.packets++
	q.bytes += size
}

func (p *Port) remove(q *queue, size sluice.Bytes) {
	p.owner.room += size
	q.packets--
	q.bytes -= size
}

// has reports whether a queue can lose a packet of that size: the last takes all, another leaves at
// least a byte for each that stays.
func (q *queue) has(size sluice.Bytes) bool {
	rest, stay := q.bytes-size, sluice.Bytes(q.packets-1)
	return stay >= 0 && rest >= stay && (stay > 0 || rest == 0)
}

// filled takes data queue q, which was empty, into service.
func (p *Port) filled(q int) {
	p.free.Remove(q)
	if p.exact != nil && p.exact.owners[q] != none {
		p.exact.offer(q, false)
	}
	if !p.isPaused(q) {
		p.ring.SetEligible(q, true)
		p.active++
	}
}

// emptied takes data queue q, which just lost its last packet, out of service, and charges for it.
func (p *Port) emptied(q int, charge int64) {
	p.ring.ChargeLast(q, charge)
	if !p.isPaused(q) {
		p.active--
		if p.exact == nil && p.freed == nil { // what offer does then
			p.free.Add(q)
			return
		}
	}
	p.offer(q)
}

// offer makes data queue q free if it may be assigned. It is called when the queue becomes empty,
// and when an empty queue is paused, resumed, forgotten or given up by its owner.
func (p *Port) offer(q int) {
	open := !p.isPaused(q) || p.owner.config.AssignPaused || p.forgotten(q)
	if p.exact != nil && p.exact.owners[q] != none {
		p.exact.offer(q, open && p.entries[p.exact.owners[q]].size == 0)
		return
	}
	p.free.Put(q, open)
	if p.freed != nil {
		p.freed.push(q)
	}
}

// setPaused obeys downstream on data queue q. It reports whether the queue was paused and is not
// any more.
func (p *Port) setPaused(q int, paused bool) (released bool) {
	if p.isPaused(q) == paused {
		return false
	}
	p.paused[q>>6] ^= 1 << (q & 63)
	step := int32(1)
	if paused {
		p.counters.QueuesPaused++
		step = -1
	} else {
		p.counters.QueuesResumed++
	}
	if p.queues[q].packets > 0 {
		p.ring.SetEligible(q, !paused)
		p.active += step
	} else {
		p.offer(q)
	}
	return !paused
}

func (p *Port) anyPaused() bool {
	for _, word := range p.paused {
		if word != 0 {
			return true
		}
	}
	return false
}

func (p *Port) isPaused(q int) bool { return p.paused[q>>6]>>(q&63)&1 != 0 }

// outside appends a packet of a class that is not under BFC to the control queue.
func (p *Port) outside(packet *sluice.Packet) sluice.Verdict {
	if packet.Class >= sluice.Classes {
		return p.drop(sluice.BadClass)
	}
	s := p.owner
	p.counters.Outside++
	return p.appendStrict(packet, s.controlQueue, controlBit, makeNote(0, s.controlQueue))
}

// appendStrict appends a packet to a queue that obeys no pause and pauses no upstream queue.
func (p *Port) appendStrict(
	packet *sluice.Packet, q sluice.QueueID, bit uint8, note uint64,
) sluice.Verdict {
	p.strict |= bit
	p.add(&p.queues[q], packet.Size)
	packet.Note = note
	return sluice.AppendToQueue(q)
}

// dequeueStrict is Dequeue of the control queue, or of the first-packet queue, whose packets belong
// to a flow.
func (p *Port) dequeueStrict(
	now sluice.Time, q sluice.QueueID, packet *sluice.Packet,
) sluice.Verdict {
	index, bit := uint(uint32(packet.Note)), uint8(controlBit)
	if packet.Note&noteCounted != 0 {
		return p.misuse()
	}
	if q != p.owner.controlQueue {
		bit = firstBit
		if index >= uint(len(p.entries)) || p.entries[index].size == 0 {
			return p.misuse()
		}
	}
	from := &p.queues[q]
	p.remove(from, packet.Size)
	if from.packets == 0 {
		p.strict &^= bit
	}
	if bit == firstBit {
		e := &p.entries[index]
		e.size--
		e.last = now
		if e.size == 0 && p.exact != nil {
			p.rest(int(index))
		}
	}
	return sluice.TransmitMarked(packet.ECN)
}

// nextStrict is Next where something else than ring decides.
func (p *Port) nextStrict() (sluice.QueueID, bool) {
	switch {
	case p.strict&controlBit != 0:
		return p.owner.controlQueue, true
	case p.strict&firstBit != 0:
		return p.owner.firstQueue, true
	}
	q := p.ring.Lowest()
	return sluice.QueueID(max(q, 0)), q >= 0
}

// refuse drops a packet for the first reason that applies.
func (p *Port) refuse(packet *sluice.Packet) sluice.Verdict {
	if reason := chassis.Fault(packet, len(p.owner.ports)); reason != sluice.NoReason {
		return p.drop(reason)
	}
	return p.drop(sluice.BufferFull)
}

func (p *Port) misuse() sluice.Verdict {
	p.counters.Misuse++
	return p.drop(sluice.BadQueue)
}

func (p *Port) drop(r sluice.Reason) sluice.Verdict {
	p.counters.Dropped[r]++
	return sluice.DropBecause(r)
}
