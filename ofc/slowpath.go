package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// The rarer ways through the hooks are functions of their own that are not inlined, and that end
// the hook, so that the common way keeps its values in registers. They look up again what it had.

// A packet's note is this tag and, added, its egress from bit 48 on, and the entry of its flow: 0
// if there was no room for one or the class is not under OFC.
const noteTag uint64 = 0x0fc << 40

// refused answers a packet that is not well-formed.
//
//go:noinline
func (p *Port) refused(packet *sluice.Packet) sluice.Verdict {
	return p.dropped(chassis.Fault(packet, len(p.owner.ports)))
}

// overfull answers a packet that there is no room for.
//
//go:noinline
func (p *Port) overfull(packet *sluice.Packet) sluice.Verdict {
	if int64(packet.Size) > p.owner.room {
		return p.dropped(sluice.BufferFull)
	}
	p.owner.ports[packet.Ingress].state.counters.HeadroomDrops++
	return p.dropped(sluice.HeadroomExhausted)
}

func (p *Port) dropped(reason sluice.Reason) sluice.Verdict {
	p.state.counters.Dropped[reason]++
	return sluice.DropBecause(reason)
}

// misused counts and answers a Dequeue that does not fit what was enqueued.
//
//go:noinline
func (p *Port) misused() sluice.Verdict {
	p.state.counters.Misuse++
	return sluice.DropBecause(sluice.BadQueue)
}

// outside ends Enqueue of a packet whose class is not under OFC: no threshold is for it.
//
//go:noinline
func (p *Port) outside(packet *sluice.Packet) sluice.Verdict {
	packet.Note = p.tag
	p.state.counters.Outside++
	return sluice.AppendToQueue(sluice.QueueID(packet.Class) * QueuesPerClass)
}

// enter ends Enqueue of any other packet, given the first entry of its key or 0: it counts the
// packet to the entry of its flow, which it makes if need be.
//
//go:noinline
func (p *Port) enter(packet *sluice.Packet, i int32) sluice.Verdict {
	s := p.owner
	if i == 0 || s.entries[i].place != uint16(place(packet.Ingress, packet.Class)) {
		i = p.enterSibling(i, packet)
	}
	a, k := p.sides(packet)
	e := &s.entries[i]
	if i == 0 {
		p.untracked(k, a)
	} else if e.packets++; e.packets == 1 {
		p.arrived(k, i, e)
	}
	packet.Note = p.tag + uint64(i)
	if a.bytes >= a.congestedOff {
		return p.appendAndTell(packet)
	}
	return sluice.AppendToQueue(sluice.QueueID(packet.Class) * QueuesPerClass)
}

// untracked accounts a packet whose flow there is no room for: while such packets wait, their
// ingress can pause only the whole class.
//
//go:noinline
func (p *Port) untracked(k *egress, a *account) {
	k.untracked++
	a.untracked++
	p.state.counters.Untracked++
}

// appendAndTell is the end of Enqueue for a packet whose ingress holds X^c_OFF or more.
//
//go:noinline
func (p *Port) appendAndTell(packet *sluice.Packet) sluice.Verdict {
	a, k := p.sides(packet)
	v := sluice.AppendToQueue(sluice.QueueID(packet.Class) * QueuesPerClass)
	p.over(a, k, packet)
	return v.WithWake(p.owner.woken.Take())
}

// leaveUntracked ends Dequeue of a packet that no entry counts. Its flow may be known by now.
//
//go:noinline
func (p *Port) leaveUntracked(packet *sluice.Packet) sluice.Verdict {
	a, k := p.sides(packet)
	switch {
	case packet.Note != p.tag || k.lacks(a, int64(packet.Size)):
		return p.misused()
	case !p.owner.classes.Has(packet.Class):
		return p.send(a, k, packet)
	case k.untracked == 0 || a.untracked == 0:
		return p.misused()
	case p.pauses(packet.Flow, packet.Class):
		return p.move(packet)
	}
	k.untracked--
	a.untracked--
	return p.send(a, k, packet)
}

func (p *Port) pauses(flow uint64, class sluice.Class) bool {
	for i := p.find(flow, class); i != 0; i = p.owner.entries[i].sibling {
		if e := &p.owner.entries[i]; e.is(flow, class) && e.flags&congested != 0 {
			return true
		}
	}
	return false
}

// send accounts that a packet leaves by the wire.
func (p *Port) send(a *account, k *egress, packet *sluice.Packet) sluice.Verdict {
	n := int64(packet.Size)
	k.take(n)
	a.bytes -= n
	p.owner.room += n
	p.transmitted++
	if p.shared {
		p.state.ring.Charge(int(packet.Class), n)
	}
	return p.sent(packet)
}

// sent ends Dequeue of a packet that leaves by the wire, and does what follows from that.
//
//go:noinline
func (p *Port) sent(packet *sluice.Packet) sluice.Verdict {
	s, class := p.owner, packet.Class
	a, k := p.sides(packet)
	if i := packet.Note - p.tag; i != 0 && s.entries[i].packets == 0 {
		p.left(k, int32(i), &s.entries[i])
	}
	if k.bytes[k.serving] == 0 {
		p.emptied(class, k)
	}
	if a.active && a.bytes <= a.on {
		s.ports[packet.Ingress].resumeUpstream(class)
	}
	return s.woken.Answer(sluice.TransmitMarked(packet.ECN))
}

// move takes a packet of a paused flow to the paused queue (Algorithm 3, line 14).
//
//go:noinline
func (p *Port) move(packet *sluice.Packet) sluice.Verdict {
	a, k := p.sides(packet)
	n, to := int64(packet.Size), k.paused
	if k.lacks(a, n) {
		return p.misused()
	}
	k.bytes[to] += n
	k.packets[to]++
	p.state.counters.Moved++
	v := sluice.AppendToQueue(sluice.QueueID(packet.Class)*QueuesPerClass + sluice.QueueID(to))
	if k.take(n) {
		p.emptied(packet.Class, k)
	}
	if p.owner.config.Speedup > 0 {
		p.pace(packet.Class, n)
	}
	return v.WithWake(p.owner.woken.Take())
}

// sides returns where a packet is accounted: by its ingress, and at this egress.
func (p *Port) sides(packet *sluice.Packet) (*account, *egress) {
	return p.owner.account(packet.Ingress, packet.Class), &p.classes[packet.Class]
}

// take takes a packet of n bytes from the queue that the class serves, and reports whether that is
// empty now.
func (k *egress) take(n int64) bool {
	serving := k.serving
	left := k.bytes[serving] - n
	k.bytes[serving] = left
	k.packets[serving]--
	return left == 0
}

// lacks reports whether the queue that the class serves, or the ingress of an account, holds less
// than n bytes: then no packet of that size is at the head.
func (k *egress) lacks(a *account, n int64) bool { return n > k.bytes[k.serving] || n > a.bytes }
