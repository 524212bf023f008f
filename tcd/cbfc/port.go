package cbfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/drr"
)

// maxCredit is the most blocks that can be announced: half of what the counters count.
const maxCredit = 1 << (counterBits - 1)

// unknown stands for the last limit sent to a peer before the first FCP: no value of 12 bits.
const unknown = 0xffff

// Port is a port of a Switch: an egress with a queue per VL, and the ingress buffers of the same
// number.
type Port struct {
	vls [sluice.Classes]lane // first, so that the number of a VL alone finds its lane

	owner *Switch
	state *state

	id      sluice.PortID
	backlog sluice.ClassSet // queues that are not empty
	blocked sluice.ClassSet // VLs that have no credit for an MTU
	heard   sluice.ClassSet // VLs with a limit from the peer
	changed sluice.ClassSet // VLs whose limit is to be looked at when the port ticks next
	pending sluice.ClassSet // VLs that an FCP is owed for
	turn    uint8           // of the round robin
	down    bool            // the link failed
	_       [29]byte
}

// lane is one VL of a port, in both directions: one cache line.
type lane struct {
	// As an egress.
	bytes  int64  // in the queue
	blocks int32  // in the queue
	credit int32  // blocks that may go
	sent   uint16 // FCTBS
	limit  uint16 // the FCCL heard last

	// As an ingress.
	received uint16 // ABR
	told     uint16 // the FCCL sent last, or unknown
	used     int32  // blocks of the buffer
	size     int32  // of the buffer, in blocks

	enqueued    uint64
	transmitted uint64
	bytesOut    uint64
	_           [8]byte
}

// state is the rest of a port: what few packets touch.
type state struct {
	counters  PortCounters
	ring      drr.Octet
	period    sluice.Time // T_c
	keepAlive sluice.Time
	ticked    sluice.Time                 // an instant of the ticks, past or at now
	tickAt    sluice.Time                 // the next tick, if VLs changed
	keepAt    sluice.Time                 // when every VL is due
	heldSince [sluice.Classes]sluice.Time // Never: since before the first input
}

func (p *Port) init(s *Switch, id sluice.PortID) {
	c, t := &s.config.Ports[id], p.state
	p.owner, p.id = s, id
	t.period, t.keepAlive = c.Period, c.KeepAlive
	phase := sluice.Time(int64(t.period) / int64(len(s.ports)) * int64(id))
	t.ticked, t.tickAt, t.keepAt = phase-t.period, phase, phase+t.keepAlive
	if c.PeerBuffer == 0 {
		t.tickAt = 0
	} else {
		p.heard = s.classes
	}
	p.changed = s.classes
	for i := range p.vls {
		v := &p.vls[i]
		v.told = unknown
		v.size = int32(min(c.Buffer/Block, 1<<30))
		v.limit = uint16(min(c.PeerBuffer/Block, maxCredit))
		if !s.strict {
			t.ring.SetQuantum(i, int64(s.config.Quantum[i]))
		}
		p.renew(sluice.Class(i))
		t.counters.VL[i].Holds, t.heldSince[i] = 0, sluice.Never
	}
	s.timers.Put(int(id), min(t.tickAt, t.keepAt))
}

// Enqueue accounts a packet routed to this egress port: to the queue of its VL, and to the buffer
// that it came in by. If that has no room, the peer sent without credit: the packet is dropped for
// the reason HeadroomExhausted. O(1).
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	if now < s.first && !s.clock.Told() {
		if s.advance(now); !s.woken.Quiet() {
			return s.woken.Answer(p.Enqueue(now, packet))
		}
	}
	s.clock.Advance(now)
	class, n := packet.Class, int64(packet.Size)
	if class >= sluice.Classes || !s.classes.Has(class) || uint64(n-1) >= uint64(s.mtu) {
		return p.refused(packet)
	}
	b, to, free := blocks(n), &p.vls[class], int32(0)
	switch {
	case int(packet.Ingress) < len(s.ports):
		from := &s.ports[packet.Ingress].vls[class]
		from.received = (from.received + uint16(b)) & counterMask
		if free = from.size - from.used; free < b {
			return p.overflowed(packet)
		}
		from.used += b
	case packet.Ingress == sluice.Local:
		s.local[class] += int64(b)
	default:
		return p.refused(packet)
	}
	to.bytes += n
	to.blocks += b
	to.enqueued++
	p.backlog |= 1 << class
	s.buffered += n
	if s.buffered > s.peak {
		s.peak = s.buffered
	}
	if free > maxCredit { // more was free than can be announced: the limit moves
		s.ports[packet.Ingress].touch(class)
		return sluice.AppendToQueue(sluice.QueueID(class)).WithWake(s.woken.Take())
	}
	return sluice.AppendToQueue(sluice.QueueID(class))
}

// Next returns the queue whose head goes next: of the VLs that hold packets and have credit for an
// MTU, in strict order or by deficit round robin. Asked again before an input, it answers the
// same. O(1).
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	eligible := p.backlog &^ p.blocked
	switch {
	case eligible == 0:
		return 0, false
	case p.owner.strict:
		return sluice.QueueID(bits.Len8(uint8(eligible)) - 1), true
	}
	return sluice.QueueID(p.state.ring.Next(&p.turn, uint8(eligible))), true
}

// Dequeue accounts the departure of the packet at the head of queue q, which Next answered: it
// takes credit, which may hold the VL, and leaves room in the buffer that it came in by. O(1),
// O(log ports) when that is the first since the last FCP.
//
// A packet that cannot be the head of q, or of a VL without credit for it, is counted as misuse
// and answered with a drop; nothing else changes.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	s.clock.Advance(now)
	class, n := packet.Class, int64(packet.Size)
	if class >= sluice.Classes || sluice.QueueID(class) != q {
		return p.misused(q, packet)
	}
	b, v := blocks(n), &p.vls[class]
	if uint64(n-1) >= uint64(v.bytes) || b > v.blocks || (n == v.bytes) != (b == v.blocks) ||
		b > v.credit && !p.down {
		return p.misused(q, packet)
	}
	verdict := sluice.TransmitMarked(packet.ECN)
	switch {
	case int(packet.Ingress) < len(s.ports):
		in := &s.ports[packet.Ingress]
		from := &in.vls[class]
		if from.used < b {
			return p.misused(sluice.QueueID(class), packet)
		}
		from.used -= b
		if !in.changed.Has(class) && !in.pending.Has(class) {
			in.touch(class)
			verdict = verdict.WithWake(s.woken.Take())
		}
	case packet.Ingress == sluice.Local && s.local[class] >= int64(b):
		s.local[class] -= int64(b)
	default:
		return p.misused(sluice.QueueID(class), packet)
	}
	v.bytes -= n
	v.blocks -= b
	v.transmitted++
	v.bytesOut += uint64(n)
	s.buffered -= n
	if v.bytes == 0 {
		p.backlog &^= 1 << class
	}
	if !p.down {
		v.sent = (v.sent + uint16(b)) & counterMask
		if v.credit -= b; v.credit < s.needed {
			p.exhausted(class)
		}
	}
	if !s.strict {
		p.charge(class, n)
	}
	return verdict
}

// charge accounts n bytes sent of a VL. A VL whose queue is empty forfeits the rest of its quantum.
func (p *Port) charge(class sluice.Class, n int64) {
	p.state.ring.Charge(int(class), n)
	if p.vls[class%sluice.Classes].bytes == 0 {
		p.state.ring.Forfeit(int(class))
	}
}

// Consume reports that a packet came in by this port and goes no further: it was delivered, or
// discarded before any Enqueue. ABR counts it; it takes no room. A packet of a size that none may
// have, or of a VL that is not in use, is counted as misuse. O(1).
func (p *Port) Consume(now sluice.Time, packet *sluice.Packet) sluice.Wake {
	s := p.owner
	s.advance(now)
	class, n := packet.Class, int64(packet.Size)
	if !s.classes.Has(class) || n <= 0 || n > s.mtu {
		p.state.counters.Misuse++
		return s.woken.Take()
	}
	v := &p.vls[class]
	v.received = (v.received + uint16(blocks(n))) & counterMask
	p.state.counters.VL[class].Consumed++
	p.touch(class)
	return s.woken.Take()
}

func (p *Port) refused(packet *sluice.Packet) sluice.Verdict {
	s, reason := p.owner, sluice.BadSize
	switch {
	case !s.classes.Has(packet.Class):
		reason = sluice.BadClass
	case packet.Size > 0 && int64(packet.Size) <= s.mtu:
		reason = sluice.BadIngress
	}
	p.state.counters.Dropped[reason]++
	return sluice.DropBecause(reason)
}

// overflowed drops a packet that its ingress has no room for, which counts as received.
func (p *Port) overflowed(packet *sluice.Packet) sluice.Verdict {
	in := &p.owner.ports[packet.Ingress]
	in.state.counters.VL[packet.Class].Overflows++
	p.state.counters.Dropped[sluice.HeadroomExhausted]++
	in.touch(packet.Class)
	return sluice.DropBecause(sluice.HeadroomExhausted).WithWake(p.owner.woken.Take())
}

func (p *Port) misused(q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	p.state.counters.Misuse++
	switch {
	case q >= sluice.Classes:
		return sluice.DropBecause(sluice.BadQueue)
	case sluice.QueueID(packet.Class) != q || p.vls[q].bytes == 0:
		return sluice.DropBecause(sluice.BadClass)
	case packet.Size <= 0 || int64(packet.Size) > p.vls[q].bytes:
		return sluice.DropBecause(sluice.BadSize)
	case !p.down && blocks(int64(packet.Size)) > p.vls[q].credit:
		return sluice.DropBecause(sluice.BadQueue)
	}
	return sluice.DropBecause(sluice.BadIngress)
}
