package pfc

import "github.com/sluicefc/sluice"

// Enqueue decides on a packet routed to this egress port and accounts it: to the queue of the class
// in which it leaves, or drop. It may pause the class at the packet's ingress, whose port is then
// woken. O(1), O(log ports) if it pauses.
//
// This is the way of nearly all packets: the class of the ingress is lossless and no rule of a
// queue is asked, the shared pool has room, and the account stays far enough from its threshold.
// All other packets go through enqueueRest, which changes the same numbers.
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	s.clock.Advance(now)

	// Classify: an account without flags takes the packet as it is.
	class, n := packet.Class, int64(packet.Size)
	i := int(packet.Ingress)*sluice.Classes + int(class)
	if class >= sluice.Classes || !packet.Sized() || i >= len(p.accounts) {
		return p.enqueueRest(packet)
	}
	a := &p.accounts[i]
	if a.flags&^pausing != 0 || s.buffered+n > s.full {
		return p.enqueueRest(packet)
	}

	// Admit to the account of the ingress.
	beyond, free := a.beyond(n), s.free[a.pool%maxPools]
	if beyond > 0 {
		free -= min(n, beyond)
	}
	if free < 0 || a.distance(beyond, free) < a.alert {
		return p.enqueueRest(packet)
	}
	s.free[a.pool%maxPools] = free
	a.bytes += n
	if a.bytes > a.peak {
		a.peak = a.bytes
	}

	// Append. There is no pause to decide on.
	a.packets++
	a.received += uint64(n)
	p.push(class, n, n)
	return sluice.AppendToQueue(sluice.QueueID(class))
}

// arriving is a packet on its way through enqueueRest.
type arriving struct {
	n       int64        // bytes of the buffer that it takes
	queue   sluice.Class // that it waits in
	in      *Port        // its ingress; nil: it is local
	account *account     // of the ingress, and
	group   sluice.Class // the class that the ingress accounts it to
	ingress bool         // the watchdog discards it on account of its ingress
}

// enqueueRest is Enqueue for every packet that the common way does not take.
func (p *Port) enqueueRest(packet *sluice.Packet) sluice.Verdict {
	var at arriving
	reason := p.classify(packet, &at)
	if reason == sluice.NoReason {
		reason = p.admit(packet, &at)
	}
	if reason != sluice.NoReason {
		return p.refused(packet, &at, reason)
	}
	p.append(packet, &at)
	verdict := sluice.AppendToQueue(sluice.QueueID(at.queue))
	if at.in == nil || at.account.flags&lossy != 0 {
		return verdict // no ingress accounts it
	}
	p.pauseFor(packet, &at)
	return verdict.WithWake(p.owner.woken.Take())
}

// classify works out the queue and the account of a packet, and returns the reason to drop it if it
// is not well-formed, or if the watchdog discards the queue.
func (p *Port) classify(packet *sluice.Packet, at *arriving) sluice.Reason {
	s := p.owner
	at.queue = packet.Class
	switch {
	case packet.Class >= sluice.Classes:
		return sluice.BadClass
	case !packet.Sized():
		return sluice.BadSize
	case packet.Ingress != sluice.Local && int(packet.Ingress) >= len(s.ports):
		return sluice.BadIngress
	case p.aside:
		if at.queue = p.queueFor(packet); p.discard.Has(at.queue) {
			return sluice.WatchdogDrop
		}
	}
	at.n = s.taken(packet)
	if packet.Ingress == sluice.Local {
		return sluice.NoReason
	}
	at.in, at.group = &s.ports[packet.Ingress], packet.Class
	at.account = at.in.account(at.group)
	if at.account.flags&retags != 0 {
		at.group = at.in.state.maps.group[packet.Class]
		at.account = at.in.account(at.group)
	}
	if at.account.flags&mixed != 0 {
		packet.Note = noteLossless
		if at.account.flags&lossy != 0 {
			packet.Note = noteLossy
		}
	}
	return sluice.NoReason
}

// admit accounts a packet to its ingress, or to its queue's share of the lossy pool, and returns
// the reason if it cannot. Limits of the queue come first, because they change nothing.
func (p *Port) admit(packet *sluice.Packet, at *arriving) sluice.Reason {
	s, a := p.owner, at.account
	switch {
	case at.in == nil:
		s.local[at.queue] += at.n
		if p.aside && p.state.rules != nil {
			p.state.rules.local[at.queue] += at.n
		}
		return sluice.NoReason
	case a.flags&discards != 0:
		at.ingress = true
		return sluice.WatchdogDrop
	case s.buffered+at.n > s.full && s.accounted()+at.n > s.full:
		if a.flags&(lossy|limited) != 0 {
			return sluice.BufferFull
		}
		at.in.missed(at.group, s.accounted()+at.n-int64(s.config.Buffer))
		return sluice.HeadroomExhausted
	case a.flags&retags != 0 && p.refuses(packet, at.queue, at.n):
		return sluice.BufferFull
	case a.flags&lossy != 0:
		return p.admitLossy(at)
	}
	return s.admitLossless(at)
}

// admitLossless accounts a packet to reserve, pool or headroom of its ingress.
func (s *Switch) admitLossless(at *arriving) sluice.Reason {
	in, a := at.in, at.account
	if a.flags&retags != 0 && in.overLimit(a, at.n) ||
		!a.admit(&s.free[a.pool%maxPools], in.room(a), at.n) {
		if a.flags&limited != 0 {
			in.state.counters.Class[at.group].GroupDrops++
			return sluice.BufferFull
		}
		if !in.admitToHeadroom(a, at.group, at.n) {
			return sluice.HeadroomExhausted
		}
	}
	if a.flags&watched != 0 {
		a.sharedPeak = max(a.sharedPeak, a.shared())
		s.watchPool(a.pool)
	}
	return sluice.NoReason
}

// admitLossy accounts a packet that no ingress accounts to its queue.
func (p *Port) admitLossy(at *arriving) sluice.Reason {
	s, t := p.owner, p.state
	e, free := &p.queues[at.queue%sluice.Classes], &s.free[s.lossyPool%maxPools]
	t.counters.Outside++
	if beyond := e.lossy + at.n - t.lossyReserve; beyond > 0 {
		take := min(at.n, beyond)
		if take > *free || t.lossyLimit.exceededBy(e.bytes+at.n, *free) {
			return sluice.BufferFull
		}
		*free -= take
	}
	e.lossy += at.n
	if at.account.flags&watched != 0 {
		s.watchPool(s.lossyPool)
	}
	return sluice.NoReason
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

// append accounts a packet that was admitted to its queue, and counts it at its ingress.
func (p *Port) append(packet *sluice.Packet, at *arriving) {
	if at.in != nil {
		if at.account.flags&retags != 0 {
			p.occupy(at.queue, at.n)
		}
		at.account.count(packet)
	}
	p.push(at.queue, int64(packet.Size), at.n)
}

// pauseFor pauses the upstream of a packet that was appended, if its account is over the threshold.
func (p *Port) pauseFor(packet *sluice.Packet, at *arriving) {
	a := at.account
	over := a.over(at.in.room(a))
	if a.flags&byTrigger != 0 {
		p.arrived(a, packet, over)
	} else if over && a.flags&(pausing|limited) == 0 {
		at.in.pauseUpstream(at.group)
	}
}

// refused counts a packet that Enqueue drops: at the egress, or at the ingress that the watchdog
// discards it for.
func (p *Port) refused(
	packet *sluice.Packet, at *arriving, reason sluice.Reason,
) sluice.Verdict {
	switch {
	case reason == sluice.BadClass: // there is no queue to count it at
		p.state.counters.Dropped[reason]++
	case at.ingress:
		at.in.drop(at.group, packet, reason)
		at.in.state.watch[at.in.state.maps.queueOf[at.group]].rxDrop++
	default:
		p.drop(at.queue, packet, reason)
		if reason == sluice.WatchdogDrop {
			p.state.watch[at.queue].txDrop++
		}
	}
	return sluice.DropBecause(reason)
}

// drop counts a packet that is discarded.
func (p *Port) drop(class sluice.Class, packet *sluice.Packet, reason sluice.Reason) {
	t := p.state
	c := &t.counters.Class[class%sluice.Classes]
	t.counters.Dropped[reason]++
	c.Dropped[reason]++
	if packet.Sized() {
		c.DroppedBytes += packet.Size
	}
}

// missed counts a drop, and the bytes of headroom that were missing.
func (p *Port) missed(class sluice.Class, missing int64) {
	c := &p.state.counters.Class[class]
	c.HeadroomDrops++
	p.owner.troubled = true
	c.HeadroomMissing = max(c.HeadroomMissing, sluice.Bytes(missing))
}

// push accounts a packet, which takes n bytes of the buffer, to the queue of its class.
func (p *Port) push(class sluice.Class, size, n int64) {
	s, e := p.owner, &p.queues[class]
	p.backlog |= 1 << class
	e.enqueued++
	e.bytesIn += uint64(size)
	e.bytes += n
	if e.bytes > e.peak {
		e.peak = e.bytes
	}
	s.buffered += n
	if s.buffered > s.peak {
		s.peak = s.buffered
	}
}

// accounted returns the bytes in all queues that are not local.
func (s *Switch) accounted() int64 {
	n := s.buffered
	for _, local := range s.local {
		n -= local
	}
	return n
}

// taken returns the bytes of the buffer that a packet takes.
func (s *Switch) taken(packet *sluice.Packet) int64 {
	n := int64(packet.Size)
	if s.cell != 0 {
		n = (n + s.cell - 1) / s.cell * s.cell
	}
	return n
}
