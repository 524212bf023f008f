package bfc

import "github.com/sluicefc/sluice"

// Dequeue accounts that the head of q was taken, which is packet, with the Note that Enqueue wrote.
// It answers Transmit, with the packet's own code point: the embedder stamps q on the packet as
// UpstreamQueue for the next hop (see [AppendShim]). For a packet that cannot be there it answers
// Drop with sluice.BadQueue, counts it as misuse and changes nothing. The wake names the port that
// the packet came by if that has a frame to send, for an upstream queue is to be resumed. Constant
// time.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	now = s.clock.Advance(now)
	if uint16(q) >= p.data {
		return p.dequeueStrict(now, q, packet)
	}
	note, size := packet.Note, packet.Size
	from, entries, index := &p.queues[q], p.entries, uint(uint32(note))
	if !from.has(size) || index >= uint(len(entries)) || entries[index].size == 0 {
		return p.misuse()
	}
	e := &entries[index]
	counter := 1 // more than 0: nothing is to be resumed
	if tag := tagOf(note, q); tag != 0 {
		if tag != tagCounted {
			return p.misuse()
		}
		if counter = p.uncount(packet); counter < 0 {
			return p.misuse()
		}
	}
	e.last = now
	e.size--
	from.bytes -= size
	from.packets--
	s.room += size
	if from.packets == 0 {
		return p.dequeueLast(int(q), packet, counter == 0)
	}
	p.ring.Charge(int(q), min(int64(size), s.mostCharge))
	if counter == 0 || e.size == 0 && p.ideal {
		return p.left(int(q), packet, counter == 0)
	}
	return sluice.TransmitMarked(packet.ECN)
}

// dequeueStrict is Dequeue of the control queue, or of the first-packet queue, whose packets belong
// to a flow; or of a queue that does not exist.
//
//go:noinline
func (p *Port) dequeueStrict(
	now sluice.Time, q sluice.QueueID, packet *sluice.Packet,
) sluice.Verdict {
	if int(q) >= len(p.queues) || tagOf(packet.Note, q) != 0 || !p.queues[q].has(packet.Size) {
		return p.misuse()
	}
	index, bit := uint(uint32(packet.Note)), uint8(controlBit)
	if q != p.owner.controlQueue {
		bit = firstBit
		if index >= uint(len(p.entries)) || p.entries[index].size == 0 {
			return p.misuse()
		}
	}
	from := &p.queues[q]
	p.owner.room += packet.Size
	from.bytes -= packet.Size
	from.packets--
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

// dequeueLast is the end of Dequeue of the last packet of data queue q, which is taken out of
// service. A resume says that the packet was the last that was counted against its upstream queue.
//
//go:noinline
func (p *Port) dequeueLast(q int, packet *sluice.Packet, resume bool) sluice.Verdict {
	p.ring.ChargeLast(q, min(int64(packet.Size), p.owner.mostCharge))
	paused := p.isPaused(q)
	if !paused {
		p.active--
	}
	if !paused && !p.ideal && p.freed == nil { // what offer does then
		p.free.Add(q)
	} else {
		p.offer(q)
	}
	if resume || p.ideal {
		return p.left(q, packet, resume)
	}
	return sluice.TransmitMarked(packet.ECN)
}

// left is the end of Dequeue of a packet that may be the last of its flow, with Config.Ideal, or
// the last that was counted against its upstream queue, which is then to resume.
//
//go:noinline
func (p *Port) left(q int, packet *sluice.Packet, resume bool) sluice.Verdict {
	if index := int(uint32(packet.Note)); p.ideal && p.entries[index].size == 0 {
		p.rest(index)
	}
	v := sluice.TransmitMarked(packet.ECN)
	if resume {
		s := p.owner
		s.ports[packet.Ingress].release(packet.UpstreamQueue, p.id, sluice.QueueID(q))
		return v.WithWake(s.woken.Take())
	}
	return v
}

// has reports whether a queue can lose a packet of that size: the last takes all, another leaves at
// least a byte for each that stays.
func (q *queue) has(size sluice.Bytes) bool {
	rest, stay := q.bytes-size, sluice.Bytes(q.packets-1)
	return uint64(size-1) < uint64(q.bytes) && rest >= stay && (stay > 0 || rest == 0)
}
