package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// Dequeue accounts the departure of the packet at the head of queue q, which Next answered: to the
// wire, marked if the queue it leaves is long, or discarded by the watchdog. It may resume the
// class at the packet's ingress, whose port is then woken. O(1), O(log ports) if it resumes.
//
// If the packet leaves in another class than it came in, see Config.Retag, the verdict says so. One
// that cannot be the head of q (wrong class, size or ingress, empty queue) is counted
// as misuse and answered with a drop; nothing else changes.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	s.clock.Advance(now)
	class, n := packet.Class, int64(packet.Size)
	if class >= sluice.Classes || sluice.QueueID(class) != q {
		return p.dequeueElsewhere(q, packet)
	}
	e := &p.queues[class]
	if uint64(n-1) >= uint64(e.bytes) { // no size, or more than there is
		return p.misused(q, packet)
	}
	i := int(packet.Ingress)*sluice.Classes + int(class)
	if i >= len(s.accounts) {
		return p.dequeueOther(packet, class)
	}
	a := &s.accounts[i]
	flags := a.flags
	if flags&^(pausing|discards) != 0 {
		switch flags &^ pausing {
		case spilled:
			return p.dequeueSpilled(a, packet, class, n)
		case lossy:
			return p.dequeueLossy(a, packet, class, n)
		}
		return p.dequeueAside(packet, class)
	}
	held := a.bytes
	if n > held {
		return p.misused(q, packet)
	}
	if shared := held - int64(a.reserve); shared > 0 {
		s.free[a.pool%maxPools] += min(n, shared)
	}
	held -= n
	a.bytes = held
	s.buffered -= n
	left := e.bytes - n
	e.bytes = left
	if left == 0 {
		p.backlog &^= 1 << class
	}
	if left > e.busyAbove {
		return p.dequeueBusy(packet)
	}
	e.transmitted++
	e.bytesOut += uint64(n)
	if flags&pausing != 0 && a.low(held, s.free[a.pool%maxPools]) {
		return p.sendAndResume(packet)
	}
	return sluice.TransmitMarked(packet.ECN)
}

// dequeueOther is Dequeue for a packet from no port, of a queue that holds no less than its size.
func (p *Port) dequeueOther(packet *sluice.Packet, queue sluice.Class) sluice.Verdict {
	s, n := p.owner, p.owner.taken(packet)
	if packet.Ingress != sluice.Local || n > s.local[queue%sluice.Classes] ||
		p.aside && !p.takesLocal(packet, queue, n) {
		return p.misused(sluice.QueueID(queue), packet)
	}
	s.local[queue%sluice.Classes] -= n
	v := p.pop(packet, queue, n)
	if p.aside {
		v = p.relabelled(v, packet)
	}
	return v.WithWake(s.woken.Take())
}

// takesLocal takes n bytes of a packet from no port out of its queue; false if it cannot be there.
func (p *Port) takesLocal(packet *sluice.Packet, queue sluice.Class, n int64) bool {
	if p.queueFor(packet) != queue {
		return false
	}
	if r := p.state.rules; r != nil {
		if n > r.local[queue] {
			return false
		}
		r.local[queue] -= n
	}
	return true
}

func (p *Port) relabelled(v sluice.Verdict, packet *sluice.Packet) sluice.Verdict {
	if to := p.leaving(packet); to != packet.Class && v.Action() == sluice.Transmit {
		return v.WithClass(to)
	}
	return v
}

func (p *Port) dequeueElsewhere(q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	queue := sluice.Class(q)
	if q >= sluice.Classes || p.queueFor(packet) != queue ||
		packet.Size <= 0 || int64(packet.Size) > p.queues[q].bytes {
		return p.misused(q, packet)
	}
	if int(packet.Ingress) >= len(p.owner.ports) {
		return p.dequeueOther(packet, queue)
	}
	return p.dequeueAside(packet, queue)
}

// dequeueAside is Dequeue for a packet from an ingress port, from a queue that holds no less than
// its size, that is not lossless there, takes cells, may have changed its class, or has rules to
// keep.
func (p *Port) dequeueAside(packet *sluice.Packet, queue sluice.Class) sluice.Verdict {
	s := p.owner
	a := &s.accounts[int(packet.Ingress)*sluice.Classes+int(packet.Class)]
	n, in, group := s.taken(packet), &s.ports[packet.Ingress], packet.Class
	if a.flags&retags != 0 {
		group = in.state.maps.group[packet.Class]
		a = in.account(group)
		if p.queueFor(packet) != queue || !p.holds(queue, n) {
			return p.misused(sluice.QueueID(queue), packet)
		}
	}
	if s.changing {
		s.continueChange()
	}
	if p.isLossy(a, packet, queue) {
		return p.dequeueLossy(a, packet, queue, n)
	}
	if !a.remove(&s.free[a.pool%maxPools], &s.freeHeadroom, n) {
		return p.misused(sluice.QueueID(queue), packet)
	}
	v := p.popFrom(a, packet, queue, n)
	if a.flags&byTrigger != 0 {
		p.departed(a, packet)
	} else if a.flags&pausing != 0 && a.under(in.room(a)) {
		in.resumeUpstream(group)
	}
	return v.WithWake(s.woken.Take())
}

// dequeueSpilled is the end of Dequeue for a packet of n bytes whose ingress has headroom in use,
// so that it is paused.
func (p *Port) dequeueSpilled(
	a *account, packet *sluice.Packet, class sluice.Class, n int64,
) sluice.Verdict {
	s := p.owner
	free := &s.free[a.pool%maxPools]
	if !a.remove(free, &s.freeHeadroom, n) {
		return p.misused(sluice.QueueID(class), packet)
	}
	v := p.pop(packet, class, n)
	if a.under(*free) {
		s.ports[packet.Ingress].resumeUpstream(class)
	}
	return v.WithWake(s.woken.Take())
}

// dequeueLossy is the end of Dequeue for a packet that was taken in as lossy.
func (p *Port) dequeueLossy(
	a *account, packet *sluice.Packet, queue sluice.Class, n int64,
) sluice.Verdict {
	s, e := p.owner, &p.queues[queue%sluice.Classes]
	if n > e.lossy {
		return p.misused(sluice.QueueID(queue), packet)
	}
	s.free[s.lossyPool%maxPools] += min(n, max(0, e.lossy-p.state.lossyReserve))
	e.lossy -= n
	return p.popFrom(a, packet, queue, n).WithWake(s.woken.Take())
}

func (p *Port) popFrom(
	a *account, packet *sluice.Packet, queue sluice.Class, n int64,
) sluice.Verdict {
	if a.flags&retags == 0 {
		return p.pop(packet, queue, n)
	}
	p.occupy(queue, -n)
	return p.relabelled(p.pop(packet, queue, n), packet)
}

// pop takes a packet, which took n bytes of the buffer, from a queue and says where it goes.
func (p *Port) pop(packet *sluice.Packet, queue sluice.Class, n int64) sluice.Verdict {
	s, e := p.owner, &p.queues[queue%sluice.Classes]
	e.bytes -= n
	s.buffered -= n
	if e.bytes == 0 {
		p.backlog &^= 1 << (queue % sluice.Classes)
	}
	if e.bytes > e.busyAbove {
		return p.sendOff(packet, queue)
	}
	e.transmitted++
	e.bytesOut += uint64(packet.Size)
	return sluice.TransmitMarked(packet.ECN)
}

// dequeueBusy is the end of Dequeue where a class is scheduled by deficit, marked or discarded.
func (p *Port) dequeueBusy(packet *sluice.Packet) sluice.Verdict {
	v := p.sendOff(packet, packet.Class)
	in := &p.owner.ports[packet.Ingress]
	if a := in.account(packet.Class); a.flags&pausing != 0 && a.under(p.owner.free[a.pool%maxPools]) {
		in.resumeUpstream(packet.Class)
	}
	return v.WithWake(p.owner.woken.Take())
}

// sendAndResume is the end of Dequeue for a packet that takes its ingress down to X_on.
func (p *Port) sendAndResume(packet *sluice.Packet) sluice.Verdict {
	p.owner.ports[packet.Ingress].resumeUpstream(packet.Class)
	return sluice.TransmitMarked(packet.ECN).WithWake(p.owner.woken.Take())
}

// sendOff says where a packet goes that has been taken from the queue of a class.
func (p *Port) sendOff(packet *sluice.Packet, class sluice.Class) sluice.Verdict {
	if p.down || p.discard.Has(class) {
		return p.discarded(packet, class)
	}
	ecn := packet.ECN
	p.charge(class, int64(packet.Size))
	e := &p.queues[class%sluice.Classes]
	e.transmitted++
	e.bytesOut += uint64(packet.Size)
	if e.bytes > p.marksAbove(class) {
		ecn = p.mark(class, packet)
	}
	v := sluice.TransmitMarked(ecn)
	switch {
	case p.owner.variant.kind == trigger.GFC:
		p.pace(class, int64(packet.Size))
	case p.state.rules.shapes():
		p.shape(class, packet.Size)
	}
	return v
}

// discarded counts a packet that leaves its queue for nowhere, because the link is down or the
// watchdog discards the queue.
func (p *Port) discarded(packet *sluice.Packet, class sluice.Class) sluice.Verdict {
	p.charge(class, 0)
	p.state.gone[class%sluice.Classes]++
	reason := sluice.LinkDown
	if !p.down {
		reason = sluice.WatchdogDrop
		p.state.watch[class].txDrop++
	}
	p.drop(class, packet, reason)
	return sluice.DropBecause(reason)
}

// mark returns the code point of a packet that leaves behind more than marksAbove.
func (p *Port) mark(class sluice.Class, packet *sluice.Packet) sluice.ECN {
	t, c := p.state, &p.state.counters.Class[class]
	var marked sluice.ECN
	if t.rules != nil && t.rules.wred.Has(class) {
		marked = t.rules.droppers[class].Mark(p.color(packet), packet.ECN, p.queues[class].bytes)
	} else {
		marked = t.marks[class].Mark(packet.ECN, p.queues[class].bytes, &t.random)
	}
	if marked != packet.ECN {
		c.Marked++
		c.MarkedBytes += packet.Size
	}
	return marked
}

func (p *Port) misused(q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	p.state.counters.Misuse++
	switch {
	case q >= sluice.Classes:
		return sluice.DropBecause(sluice.BadQueue)
	case sluice.QueueID(p.queueFor(packet)) != q || p.queues[q].bytes == 0:
		return sluice.DropBecause(sluice.BadClass)
	case packet.Size <= 0 || p.owner.taken(packet) > p.queues[q].bytes:
		return sluice.DropBecause(sluice.BadSize)
	}
	return sluice.DropBecause(sluice.BadIngress)
}
