package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Enqueue decides on a packet routed to this egress port: the queue it is to be appended to, or why
// it is dropped. It writes packet.Note. The wake names the port that the packet came by if that has
// a frame to send, for an upstream queue is to be paused. Constant time.
//
// This is the way of nearly all packets: their flow has a queue that holds packets, and keeps it.
// enqueueRest is the longer way, which comes to the same.
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	if !s.clock.Told() {
		return p.enqueueFirst(now, packet)
	}
	now = s.clock.Advance(now)
	ingress, sources := place(packet.Ingress), p.from
	if !packet.Sized() || packet.Size > s.room || ingress >= len(sources) {
		return p.refuse(packet)
	}
	if class := packet.Class; class >= sluice.Classes || uint64(s.classes)>>(class&63)&1 == 0 {
		return p.outside(packet)
	}
	from := &sources[ingress]
	if !packet.Stamped && ingress != place(sluice.Local) {
		p.counters.Incomplete++
	}

	// Find the flow, and its queue.
	table := p.table
	if len(table) == 0 {
		return p.enqueueRest(now, packet, unknown)
	}
	index := p.vfid(packet.Flow)
	e := &table[index]
	q := e.queue
	to := &p.queues[q]
	switch {
	case !e.assigned || to.packets == 0:
		return p.enqueueRest(now, packet, index)
	case e.size > 0:
		if e.flow != packet.Flow {
			p.counters.VFIDCollisions++
		}
	case e.restedOver(now, from.sticky):
		return p.enqueueRest(now, packet, index)
	default:
		e.flow = packet.Flow
		p.counters.QueueCollisions++
	}

	// Append, and count against the upstream queue.
	e.size++
	v := p.add(to, packet, index, q)
	switch {
	case int32(packet.UpstreamQueue) >= from.beyond:
		p.counters.BadUpstreamQueue++
	case p.over(to, from) && p.count(packet, e, from):
		return p.pauseUpstream(packet, v)
	}
	return v
}

// enqueueRest is the end of Enqueue of a packet whose flow may need a queue, or finds its own
// empty, or whose entry lookup finds: index is unknown then.
//
//go:noinline
func (p *Port) enqueueRest(now sluice.Time, packet *sluice.Packet, index int) sluice.Verdict {
	if index == unknown {
		index = p.lookup(packet.Flow)
	}
	from, e := &p.from[place(packet.Ingress)], &p.entries[index]
	if e.size == 0 {
		e.flow = packet.Flow
	} else if e.flow != packet.Flow {
		p.counters.VFIDCollisions++
	}
	if e.size == 0 || !e.assigned || p.queues[e.queue].packets == 0 {
		if p.joinQueue(e, index, now, from.sticky) {
			return p.appendStrict(packet, index, p.owner.firstQueue, firstBit)
		}
	}
	q := e.queue
	to := &p.queues[q]
	e.size++
	v := p.add(to, packet, index, q)
	switch {
	case int32(packet.UpstreamQueue) >= from.beyond:
		p.counters.BadUpstreamQueue++
	case p.over(to, from) && p.count(packet, e, from):
		return p.pauseUpstream(packet, v)
	}
	return v
}

const unknown = -1

// pauseUpstream ends Enqueue of the first packet that was counted against its upstream queue.
//
//go:noinline
func (p *Port) pauseUpstream(packet *sluice.Packet, v sluice.Verdict) sluice.Verdict {
	s := p.owner
	s.ports[packet.Ingress].pause(packet.UpstreamQueue)
	return v.WithWake(s.woken.Take())
}

// enqueueFirst is Enqueue while the switch has seen no time. Never, and the least number, are none:
// the packet then comes at the earliest time, and the switch has still seen none.
//
//go:noinline
func (p *Port) enqueueFirst(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	s.advance(now)
	if s.clock.Told() {
		return s.woken.Answer(p.Enqueue(now, packet))
	}
	untold := s.clock
	v := p.Enqueue(s.clock.Advance(untold.Now()), packet)
	s.clock = untold
	return v
}

// refuse drops a packet for the first reason that applies.
//
//go:noinline
func (p *Port) refuse(packet *sluice.Packet) sluice.Verdict {
	if reason := chassis.Fault(packet, len(p.owner.ports)); reason != sluice.NoReason {
		return p.drop(reason)
	}
	return p.drop(sluice.BufferFull)
}

// outside appends a packet of a class that is not under BFC to the control queue.
//
//go:noinline
func (p *Port) outside(packet *sluice.Packet) sluice.Verdict {
	if packet.Class >= sluice.Classes {
		return p.drop(sluice.BadClass)
	}
	p.counters.Outside++
	return p.appendStrict(packet, 0, p.owner.controlQueue, controlBit)
}

// appendStrict appends a packet to a queue that obeys no pause and pauses no upstream queue.
func (p *Port) appendStrict(
	packet *sluice.Packet, index int, q sluice.QueueID, bit uint8,
) sluice.Verdict {
	p.strict |= bit
	return p.add(&p.queues[q], packet, index, q)
}

// add accounts a packet of a flow table entry to a queue, and writes its note.
func (p *Port) add(to *queue, packet *sluice.Packet, index int, q sluice.QueueID) sluice.Verdict {
	size := packet.Size
	packet.Note = makeNote(index, q)
	p.enqueued++
	p.owner.room -= size
	to.packets++
	to.bytes += size
	return sluice.AppendToQueue(q)
}
