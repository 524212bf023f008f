package pfc

import "github.com/sluicefc/sluice"

// The rarer ways through Enqueue. They are functions of their own that the common way ends in, so
// that it keeps its values in registers.

// enqueueOther is Enqueue for a packet that is not well-formed or that no ingress accounts, and for
// every packet while the watchdog discards a queue of the port, or where classes change or rules
// are kept.
func (p *Port) enqueueOther(packet *sluice.Packet) sluice.Verdict {
	s, queue := p.owner, packet.Class
	switch {
	case queue >= sluice.Classes:
		return p.refused(sluice.BadClass)
	case packet.Size <= 0:
		return p.dropped(queue, packet, sluice.BadSize)
	case packet.Ingress != sluice.Local && int(packet.Ingress) >= len(s.ports):
		return p.dropped(queue, packet, sluice.BadIngress)
	case p.aside:
		if queue = p.queueFor(packet); p.discard.Has(queue) {
			return p.dropped(queue, packet, sluice.WatchdogDrop)
		}
		if packet.Ingress != sluice.Local {
			return p.enqueueAside(packet, queue)
		}
	}
	n := s.taken(packet)
	s.local[queue] += n
	if p.aside && p.state.rules != nil {
		p.state.rules.local[queue] += n
	}
	p.push(queue, int64(packet.Size), n)
	return sluice.AppendToQueue(sluice.QueueID(queue))
}

// enqueueFull is Enqueue for a packet of n bytes that brings its account to the threshold or closer
// to it than it has ever been, or that finds headroom in use.
func (p *Port) enqueueFull(
	a *account, packet *sluice.Packet, class sluice.Class, n int64,
) sluice.Verdict {
	s := p.owner
	in, free := &s.ports[packet.Ingress], &s.free[a.pool%maxPools]
	if !a.admit(free, *free, n) && !in.admitToHeadroom(a, class, n) {
		return p.dropped(class, packet, sluice.HeadroomExhausted)
	}
	a.count(packet)
	p.push(class, n, n)
	if a.over(*free) && a.flags&pausing == 0 {
		return sluice.AppendToQueue(sluice.QueueID(class)).WithWake(in.pauseUpstream(class))
	}
	return sluice.AppendToQueue(sluice.QueueID(class))
}

// enqueueAside is Enqueue for a packet from an ingress port, to a queue, that is not lossless
// there, takes cells, is discarded, changes its class, has rules to keep, has a trigger of its own,
// or for which the whole buffer may have no room.
func (p *Port) enqueueAside(packet *sluice.Packet, queue sluice.Class) sluice.Verdict {
	s := p.owner
	a := &s.accounts[int(packet.Ingress)*sluice.Classes+int(packet.Class)]
	n, in, group := s.taken(packet), &s.ports[packet.Ingress], packet.Class
	if a.flags&retags != 0 {
		group = in.state.maps.group[packet.Class]
		a = in.account(group)
	}
	if a.flags&mixed != 0 {
		packet.Note = noteLossless
		if a.flags&lossy != 0 {
			packet.Note = noteLossy
		}
	}
	switch {
	case a.flags&discards != 0:
		return in.droppedAtIngress(packet, group)
	case s.buffered+n > s.full && s.accounted()+n > s.full:
		return p.enqueueNowhere(a, packet, group, queue, n)
	case a.flags&retags != 0 && p.refuses(packet, queue, n):
		return p.dropped(queue, packet, sluice.BufferFull)
	case a.flags&lossy != 0:
		return p.enqueueLossy(a, packet, queue, n)
	case a.flags&retags != 0 && in.overLimit(a, n),
		!a.admit(&s.free[a.pool%maxPools], in.room(a), n):
		if a.flags&limited != 0 {
			in.state.counters.Class[group].GroupDrops++
			return p.dropped(queue, packet, sluice.BufferFull)
		}
		if !in.admitToHeadroom(a, group, n) {
			return p.dropped(queue, packet, sluice.HeadroomExhausted)
		}
	}
	if a.flags&watched != 0 {
		a.sharedPeak = max(a.sharedPeak, a.shared())
		s.watchPool(a.pool)
	}
	if a.flags&retags != 0 {
		p.occupy(queue, n)
	}
	a.count(packet)
	p.push(queue, int64(packet.Size), n)
	verdict := sluice.AppendToQueue(sluice.QueueID(queue))
	over := a.over(in.room(a))
	if a.flags&byTrigger != 0 {
		return verdict.WithWake(p.arrived(a, packet, over))
	}
	if over && a.flags&(pausing|limited) == 0 {
		return verdict.WithWake(in.pauseUpstream(group))
	}
	return verdict
}

// enqueueLossy is Enqueue for a packet of n bytes of the buffer, which its ingress does not
// account.
func (p *Port) enqueueLossy(
	a *account, packet *sluice.Packet, queue sluice.Class, n int64,
) sluice.Verdict {
	s, t := p.owner, p.state
	e, free := &p.queues[queue%sluice.Classes], &s.free[s.lossyPool%maxPools]
	t.counters.Outside++
	if beyond := e.lossy + n - t.lossyReserve; beyond > 0 {
		take := min(n, beyond)
		if take > *free || t.lossyLimit.exceededBy(e.bytes+n, *free) {
			return p.dropped(queue, packet, sluice.BufferFull)
		}
		*free -= take
	}
	e.lossy += n
	if a.flags&watched != 0 {
		s.watchPool(s.lossyPool)
	}
	if a.flags&retags != 0 {
		p.occupy(queue, n)
	}
	a.count(packet)
	p.push(queue, int64(packet.Size), n)
	return sluice.AppendToQueue(sluice.QueueID(queue))
}

// enqueueNowhere is Enqueue for a packet for which the whole buffer has no room.
func (p *Port) enqueueNowhere(
	a *account, packet *sluice.Packet, group, queue sluice.Class, n int64,
) sluice.Verdict {
	s := p.owner
	if a.flags&(lossy|limited) != 0 {
		return p.dropped(queue, packet, sluice.BufferFull)
	}
	s.ports[packet.Ingress].missed(group, s.accounted()+n-int64(s.config.Buffer))
	return p.dropped(queue, packet, sluice.HeadroomExhausted)
}

// accounted returns the bytes in all queues that are not local.
func (s *Switch) accounted() int64 {
	n := s.buffered
	for _, local := range s.local {
		n -= local
	}
	return n
}

// admitToHeadroom accounts n bytes to the headroom of a class, whose account is a; false, and only
// counted, if there is no room.
func (p *Port) admitToHeadroom(a *account, class sluice.Class, n int64) bool {
	c := &p.state.counters.Class[class%sluice.Classes]
	if !a.admitToHeadroom(&p.owner.freeHeadroom, n) {
		p.missed(class, max(int64(a.headroom)+n-int64(a.maxHeadroom), n-p.owner.freeHeadroom))
		return false
	}
	c.HeadroomPeak = max(c.HeadroomPeak, sluice.Bytes(a.headroom))
	p.owner.headroomPeak = max(p.owner.headroomPeak, p.owner.headroomPool-p.owner.freeHeadroom)
	return true
}

func (p *Port) missed(class sluice.Class, missing int64) {
	c := &p.state.counters.Class[class]
	c.HeadroomDrops++
	c.HeadroomMissing = max(c.HeadroomMissing, sluice.Bytes(missing))
}

func (s *Switch) taken(packet *sluice.Packet) int64 {
	n := int64(packet.Size)
	if s.cell != 0 {
		n = (n + s.cell - 1) / s.cell * s.cell
	}
	return n
}
