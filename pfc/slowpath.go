package pfc

import "github.com/sluicefc/sluice"

// The rarer ways through Enqueue and Dequeue. They are functions of their own that the common way
// ends in, so that it keeps its values in registers.

// enqueueOther is Enqueue for a packet that is not well-formed or that no ingress accounts, and for
// every packet while the watchdog discards a queue of the port, or where classes change.
func (p *Port) enqueueOther(packet *sluice.Packet) sluice.Verdict {
	s, class := p.owner, packet.Class
	switch {
	case class >= sluice.Classes:
		return p.refused(sluice.BadClass)
	case packet.Size <= 0:
		return p.dropped(class, packet, sluice.BadSize)
	case packet.Ingress != sluice.Local && int(packet.Ingress) >= len(s.ports):
		return p.dropped(class, packet, sluice.BadIngress)
	case p.aside():
		if class = p.leaving(packet); p.discard.Has(class) {
			return p.dropped(class, packet, sluice.WatchdogDrop)
		}
		if packet.Ingress != sluice.Local {
			return p.enqueueAside(packet, class)
		}
	}
	n := s.taken(packet)
	s.local[class] += n
	p.push(class, int64(packet.Size), n)
	return sluice.AppendTo(sluice.QueueID(class))
}

// enqueueAside is Enqueue for a packet from an ingress port, to the queue of class to, that is not
// lossless there, takes cells, is discarded, changes its class, or brings its account to the
// threshold or closer to it than it has ever been.
func (p *Port) enqueueAside(packet *sluice.Packet, to sluice.Class) sluice.Verdict {
	s, i, n := p.owner, int(packet.Ingress)*sluice.Classes+int(packet.Class), p.owner.taken(packet)
	a := &s.accounts[i]
	if a.flags&mixed != 0 {
		packet.Note = noteLossless
		if a.flags&lossy != 0 {
			packet.Note = noteLossy
		}
	}
	switch {
	case a.flags&discards != 0:
		return s.ports[packet.Ingress].droppedAtIngress(packet)
	case a.flags&capped != 0 && s.accounted()+n > int64(s.config.Buffer):
		return p.enqueueNowhere(a, packet, to, n)
	case a.flags&lossy != 0:
		p.state.counters.Outside++
		return p.enqueueLossy(a, packet, to, n)
	case !a.admit(&s.free[a.pool%maxPools], n) &&
		!s.ports[packet.Ingress].admitToHeadroom(packet.Class, n):
		return p.dropped(to, packet, sluice.HeadroomExhausted)
	}
	if a.flags&watched != 0 {
		a.sharedPeak = max(a.sharedPeak, a.shared())
		s.watchPool(a.pool)
	}
	a.count(packet)
	p.push(to, int64(packet.Size), n)
	verdict := sluice.AppendTo(sluice.QueueID(to))
	over := a.over(s.free[a.pool%maxPools])
	if a.flags&byTrigger != 0 {
		return verdict.WithWake(p.arrived(a, packet, over))
	}
	if over && a.flags&pausing == 0 {
		return verdict.WithWake(s.ports[packet.Ingress].pauseUpstream(packet.Class))
	}
	return verdict
}

// enqueueLossy is Enqueue for a packet of a class that is not lossless at its ingress, which takes
// n bytes of the buffer, to the queue of class to.
func (p *Port) enqueueLossy(
	a *account, packet *sluice.Packet, to sluice.Class, n int64,
) sluice.Verdict {
	s, t, class := p.owner, p.state, to%sluice.Classes
	e, free := &p.queues[class], &s.free[s.lossyPool%maxPools]
	if beyond := e.lossy + n - t.lossyReserve; beyond > 0 {
		take := min(n, beyond)
		if take > *free || t.lossyLimit.exceededBy(e.bytes+n, *free) {
			return p.dropped(class, packet, sluice.BufferFull)
		}
		*free -= take
	}
	e.lossy += n
	if a.flags&watched != 0 {
		s.watchPool(s.lossyPool)
	}
	a.count(packet)
	p.push(class, int64(packet.Size), n)
	return sluice.AppendTo(sluice.QueueID(class))
}

// enqueueNowhere is Enqueue for a packet for which the whole buffer has no room.
func (p *Port) enqueueNowhere(
	a *account, packet *sluice.Packet, to sluice.Class, n int64,
) sluice.Verdict {
	s := p.owner
	if a.flags&lossy != 0 {
		return p.dropped(to, packet, sluice.BufferFull)
	}
	s.ports[packet.Ingress].missed(packet.Class, s.accounted()+n-int64(s.config.Buffer))
	return p.dropped(to, packet, sluice.HeadroomExhausted)
}

// accounted returns the bytes in all queues that are not local.
func (s *Switch) accounted() int64 {
	n := s.buffered
	for _, local := range s.local {
		n -= local
	}
	return n
}

// admitToHeadroom accounts n bytes that the account of this ingress did not admit to its headroom;
// false, and nothing but counters changed, if there is no room.
func (p *Port) admitToHeadroom(class sluice.Class, n int64) bool {
	a, c := p.account(class), &p.state.counters.Class[class]
	if !a.admitToHeadroom(&p.owner.freeHeadroom, n) {
		p.missed(class, max(int64(a.headroom)+n-int64(a.maxHeadroom), n-p.owner.freeHeadroom))
		return false
	}
	c.HeadroomPeak = max(c.HeadroomPeak, sluice.Bytes(a.headroom))
	p.owner.headroomPeak = max(p.owner.headroomPeak, p.owner.headroomPool-p.owner.freeHeadroom)
	return true
}

// missed counts a packet of this ingress that so many bytes are missing for.
func (p *Port) missed(class sluice.Class, missing int64) {
	c := &p.state.counters.Class[class]
	c.HeadroomDrops++
	c.HeadroomMissing = max(c.HeadroomMissing, sluice.Bytes(missing))
}

// dequeueOther is Dequeue for a packet whose ingress is no port, from the queue of a class, which
// holds no less than its size.
func (p *Port) dequeueOther(packet *sluice.Packet, class sluice.Class) sluice.Verdict {
	s, n := p.owner, p.owner.taken(packet)
	if packet.Ingress != sluice.Local || n > s.local[class%sluice.Classes] ||
		p.aside() && p.leaving(packet) != class {
		return p.misused(sluice.QueueID(class), packet)
	}
	s.local[class%sluice.Classes] -= n
	return p.pop(packet, class, n)
}

// dequeueRetagged is Dequeue for a packet of another class than its queue's.
func (p *Port) dequeueRetagged(q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	to := sluice.Class(q)
	if q >= sluice.Classes || packet.Class >= sluice.Classes || p.leaving(packet) != to ||
		packet.Size <= 0 || int64(packet.Size) > p.queues[q].bytes {
		return p.misused(q, packet)
	}
	var v sluice.Verdict
	if int(packet.Ingress) >= len(p.owner.ports) {
		v = p.dequeueOther(packet, to)
	} else {
		v = p.dequeueAside(packet, to)
	}
	if v.Action() == sluice.Transmit {
		return v.WithClass(to)
	}
	return v
}

// dequeueAside is Dequeue for a packet from an ingress port, from the queue of a class, which holds
// no less than its size, that is not lossless there, takes cells, or may have changed its class.
func (p *Port) dequeueAside(packet *sluice.Packet, class sluice.Class) sluice.Verdict {
	s, n := p.owner, p.owner.taken(packet)
	a := &s.accounts[int(packet.Ingress)*sluice.Classes+int(packet.Class)]
	if a.flags&retags != 0 && p.leaving(packet) != class {
		return p.misused(sluice.QueueID(class), packet)
	}
	if s.changing {
		s.settle()
	}
	if p.isLossy(a, packet, class) {
		e := &p.queues[class%sluice.Classes]
		if n > e.lossy {
			return p.misused(sluice.QueueID(class), packet)
		}
		s.free[s.lossyPool%maxPools] += min(n, max(0, e.lossy-p.state.lossyReserve))
		e.lossy -= n
		return p.pop(packet, class, n)
	}
	if !a.remove(&s.free[a.pool%maxPools], &s.freeHeadroom, n) {
		return p.misused(sluice.QueueID(class), packet)
	}
	v := p.pop(packet, class, n)
	if a.flags&byTrigger != 0 {
		return s.woken.Answer(v, p.departed(a, packet))
	}
	if a.flags&pausing != 0 && a.under(s.free[a.pool%maxPools]) {
		return v.WithWake(s.ports[packet.Ingress].resumeUpstream(packet.Class))
	}
	return v
}

// pop takes a packet, which took n bytes of the buffer, from the queue of a class and says where it
// goes.
func (p *Port) pop(packet *sluice.Packet, class sluice.Class, n int64) sluice.Verdict {
	s, e := p.owner, &p.queues[class%sluice.Classes]
	e.bytes -= n
	s.buffered -= n
	if e.bytes == 0 {
		p.backlog &^= 1 << (class % sluice.Classes)
	}
	if e.bytes > e.busyAbove {
		return p.sendOff(packet, class)
	}
	e.transmitted++
	e.bytesOut += uint64(packet.Size)
	return sluice.TransmitMarked(packet.ECN)
}

// dequeueBusy is the end of Dequeue where there is more to do than to send the packet: its class is
// scheduled by deficit, marked or discarded.
func (p *Port) dequeueBusy(packet *sluice.Packet) sluice.Verdict {
	v := p.sendOff(packet, packet.Class)
	in := &p.owner.ports[packet.Ingress]
	if a := in.account(packet.Class); a.flags&pausing != 0 && a.under(p.owner.free[a.pool%maxPools]) {
		return v.WithWake(in.resumeUpstream(packet.Class))
	}
	return v
}

// sendAndResume is the end of Dequeue for a packet that takes its ingress down to X_on.
func (p *Port) sendAndResume(packet *sluice.Packet) sluice.Verdict {
	wake := p.owner.ports[packet.Ingress].resumeUpstream(packet.Class)
	return sluice.TransmitMarked(packet.ECN).WithWake(wake)
}

// sendOff says where a packet goes that has been taken from the queue of a class.
func (p *Port) sendOff(packet *sluice.Packet, class sluice.Class) sluice.Verdict {
	ecn := packet.ECN
	switch {
	case p.down:
		p.charge(class, 0)
		p.state.gone[class%sluice.Classes]++
		return p.dropped(class, packet, sluice.LinkDown)
	case p.discard.Has(class):
		p.charge(class, 0)
		p.state.gone[class%sluice.Classes]++
		return p.dropped(class, packet, sluice.WatchdogDrop)
	}
	p.charge(class, int64(packet.Size))
	e := &p.queues[class%sluice.Classes]
	e.transmitted++
	e.bytesOut += uint64(packet.Size)
	if e.bytes > p.state.marking[class%sluice.Classes].Above() {
		ecn = p.mark(class, packet)
	}
	v := sluice.TransmitMarked(ecn)
	if p.owner.variant.kind == GFC {
		v = v.WithWake(p.pace(class, int64(packet.Size)))
	}
	return v
}

// mark returns the code point of a packet that leaves behind more than KMin bytes.
func (p *Port) mark(class sluice.Class, packet *sluice.Packet) sluice.ECN {
	t, c := p.state, &p.state.counters.Class[class]
	marked := t.marking[class].Mark(packet.ECN, p.queues[class].bytes, &t.random)
	if marked != packet.ECN {
		c.Marked++
		c.MarkedBytes += sluice.Bytes(packet.Size)
	}
	return marked
}

// taken returns what a packet takes of the buffer.
func (s *Switch) taken(packet *sluice.Packet) int64 {
	n := int64(packet.Size)
	if s.cell != 0 {
		n = (n + s.cell - 1) / s.cell * s.cell
	}
	return n
}

// refused counts and answers a packet that is not well-formed.
func (p *Port) refused(reason sluice.Reason) sluice.Verdict {
	p.state.counters.Dropped[reason]++
	return sluice.DropBecause(reason)
}

// misused counts and answers a Dequeue that does not fit what was enqueued.
func (p *Port) misused(q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	p.state.counters.Misuse++
	switch {
	case q >= sluice.Classes:
		return sluice.DropBecause(sluice.BadQueue)
	case sluice.QueueID(p.leaving(packet)) != q || p.queues[q].bytes == 0:
		return sluice.DropBecause(sluice.BadClass)
	case packet.Size <= 0 || p.owner.taken(packet) > p.queues[q].bytes:
		return sluice.DropBecause(sluice.BadSize)
	}
	return sluice.DropBecause(sluice.BadIngress)
}

// dropped counts and answers a packet that is discarded at this egress.
func (p *Port) dropped(
	class sluice.Class, packet *sluice.Packet, reason sluice.Reason,
) sluice.Verdict {
	t := p.state
	c := &t.counters.Class[class]
	t.counters.Dropped[reason]++
	c.Dropped[reason]++
	c.DroppedBytes += sluice.Bytes(max(0, packet.Size))
	if reason == sluice.WatchdogDrop {
		t.watch[class].txDrop++
	}
	return sluice.DropBecause(reason)
}

// droppedAtIngress counts and answers a packet that the watchdog discards because it came in by
// this port.
func (p *Port) droppedAtIngress(packet *sluice.Packet) sluice.Verdict {
	t, c := p.state, &p.state.counters.Class[packet.Class]
	t.counters.Dropped[sluice.WatchdogDrop]++
	c.Dropped[sluice.WatchdogDrop]++
	c.DroppedBytes += sluice.Bytes(packet.Size)
	t.watch[packet.Class].rxDrop++
	return sluice.DropBecause(sluice.WatchdogDrop)
}
