package pfc

import "github.com/sluicefc/sluice"

// The rarer ways through Enqueue and Dequeue. They are functions of their own that the common way ends
// in, so that it keeps its values in registers.

// enqueueOther is Enqueue for a packet that no ingress accounts, or whose queue the watchdog discards.
func (p *Port) enqueueOther(packet *sluice.Packet) sluice.Verdict {
	s, class, n := p.owner, packet.Class, int64(packet.Size)
	switch {
	case packet.Ingress != sluice.Local && int(packet.Ingress) >= len(s.ports):
		return p.refused(sluice.BadIngress)
	case p.discard.Has(class):
		return p.dropped(class, sluice.WatchdogDrop)
	case packet.Ingress == sluice.Local:
		s.local[class] += n
	case n > s.free || p.lossyLimit.exceededBy(p.queues[class].bytes+n, s.free):
		return p.dropped(class, sluice.BufferFull)
	default:
		s.free -= n
	}
	p.push(class, n)
	return sluice.AppendTo(sluice.QueueID(class))
}

// enqueueSpilling is Enqueue for a lossless packet that its account could not simply admit.
func (p *Port) enqueueSpilling(packet *sluice.Packet) sluice.Verdict {
	class, n := packet.Class, int64(packet.Size)
	in := &p.owner.ports[packet.Ingress]
	a := in.account(class)
	if a.discard {
		return p.dropped(class, sluice.WatchdogDrop)
	}
	if !in.admitToHeadroom(class, n) {
		return p.dropped(class, sluice.HeadroomExhausted)
	}
	p.push(class, n)
	if a.over(p.owner.free) && !a.paused {
		return p.appendAndPause(packet)
	}
	return sluice.AppendTo(sluice.QueueID(class))
}

// appendAndPause is the end of Enqueue for a packet that takes its ingress over the threshold.
func (p *Port) appendAndPause(packet *sluice.Packet) sluice.Verdict {
	wake := p.owner.ports[packet.Ingress].pauseUpstream(packet.Class)
	return sluice.AppendTo(sluice.QueueID(packet.Class)).WithWake(wake)
}

// dequeueOther is Dequeue for a packet that no ingress accounts.
func (p *Port) dequeueOther(packet *sluice.Packet) sluice.Verdict {
	s, class, n := p.owner, packet.Class, int64(packet.Size)
	switch {
	case packet.Ingress == sluice.Local && n <= s.local[class]:
		s.local[class] -= n
	case int(packet.Ingress) < len(s.ports) && n <= s.pool-s.free:
		s.free += n
	default:
		return p.misused(sluice.QueueID(class), packet)
	}
	e := &p.queues[class]
	e.bytes -= n
	s.buffered -= n
	if e.bytes == 0 {
		p.backlog &^= 1 << class
	}
	return p.sendOff(packet)
}

// dequeueBusy is the end of Dequeue where there is more to do than to send the packet: its class is
// scheduled by deficit, marked or discarded.
func (p *Port) dequeueBusy(packet *sluice.Packet) sluice.Verdict {
	v := p.sendOff(packet)
	in := &p.owner.ports[packet.Ingress]
	if a := in.account(packet.Class); a.paused && a.under(p.owner.free) {
		return v.WithWake(in.resumeUpstream(packet.Class))
	}
	return v
}

// sendAndResume is the end of Dequeue for a packet that takes its ingress down to X_on.
func (p *Port) sendAndResume(packet *sluice.Packet) sluice.Verdict {
	wake := p.owner.ports[packet.Ingress].resumeUpstream(packet.Class)
	return sluice.TransmitMarked(packet.ECN).WithWake(wake)
}

// sendOff says where a packet goes that has been taken from its queue.
func (p *Port) sendOff(packet *sluice.Packet) sluice.Verdict {
	class, ecn := packet.Class, packet.ECN
	if p.discard.Has(class) {
		p.charge(class, 0)
		return p.dropped(class, sluice.WatchdogDrop)
	}
	p.charge(class, int64(packet.Size))
	e := &p.queues[class&7]
	e.transmitted++
	if e.bytes > e.markAbove {
		ecn = p.mark(class, ecn)
	}
	return sluice.TransmitMarked(ecn)
}

// refuse counts and answers a packet whose class or size is none.
func (p *Port) refuse(packet *sluice.Packet) sluice.Verdict {
	if packet.Class >= sluice.Classes {
		return p.refused(sluice.BadClass)
	}
	return p.refused(sluice.BadSize)
}

// refused counts and answers a packet that is not well-formed.
func (p *Port) refused(reason sluice.Reason) sluice.Verdict {
	p.counters.Dropped[reason]++
	return sluice.DropBecause(reason)
}

// misused counts and answers a Dequeue that does not fit what was enqueued.
func (p *Port) misused(q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	p.counters.Misuse++
	switch {
	case q >= sluice.Classes || sluice.QueueID(packet.Class) != q || p.queues[q].bytes == 0:
		return sluice.DropBecause(sluice.BadClass)
	case packet.Size <= 0 || int64(packet.Size) > p.queues[q].bytes:
		return sluice.DropBecause(sluice.BadSize)
	}
	return sluice.DropBecause(sluice.BadIngress)
}

// dropped counts and answers a packet that is discarded.
func (p *Port) dropped(class sluice.Class, reason sluice.Reason) sluice.Verdict {
	p.counters.Dropped[reason]++
	p.counters.Class[class].Dropped++
	return sluice.DropBecause(reason)
}
