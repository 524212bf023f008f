package ofc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/table"
	"github.com/sluicefc/sluice/internal/wire"
)

// Port is a port of a Switch, with its hooks. As an egress it has three queues for each class and
// knows the flows in them. As an ingress it tells the device upstream which flows to pause.
//
// A packet touches, at Enqueue and Dequeue together, besides the Switch: one cache line of the
// Port, one of its class, one of its account, one of its flow, and at Enqueue the lines that lead
// to the flow, mostly one. The first and the last packet of a flow here also touch the lines
// of its neighbours in two lists.
type Port struct {
	// What every packet touches.
	owner       *Switch
	state       *state
	id          sluice.PortID
	ready       sluice.ClassSet // classes whose served queue has packets
	blocked     sluice.ClassSet // classes that may not send: held by downstream, or moving too fast
	shared      bool            // classes take turns
	enqueued    uint64
	transmitted uint64
	free        int32 // entries that were used before, by next
	fresh       int32 // entries that were ever used
	known       int32 // entries in use

	// As an ingress: classes that owe the device upstream a frame about all flows, and about some.
	urgent, owed sluice.ClassSet

	classes [sluice.Classes]egress
	flows   table.Table
}

// normal is the number of the normal queue among the queues of its class.
const normal = 0

// egress is a class of a port as an egress: one cache line. Queues are numbered within the class.
type egress struct {
	bytes   [QueuesPerClass]int64
	packets [QueuesPerClass]int32
	serving uint8 // normal, or in a rotation what was the paused queue
	paused  uint8 // the backup queue that takes paused packets
	all     bool  // downstream holds the class
	spilled bool  // downstream paused a flow that there was no room for: the class is held as well

	congested        int32 // entries in congested_flow_tab, those with a deferred resume included
	deferred         int32 // entries with a deferred resume
	present          int32 // entries with packets
	presentCongested int32 // entries with packets that are in congested_flow_tab
	chain            int32 // entries whose resume was deferred in this rotation
	untracked        int32 // packets of flows that there was no room for
}

// state is the rest of a port: what few packets touch.
type state struct {
	counters PortCounters
	rotating [sluice.Classes]sluice.Time // since when
	moving   [sluice.Classes]sluice.Time // until when the moves made so far take
	slow     sluice.ClassSet             // classes that wait for that
	ring     drr.Octet
	turn     uint8

	wire.Peer
	refresh refresher
	gather  [sluice.Classes]gathering

	expiry  sluice.Time                 // how long a pause holds without a repetition; 0: for ever
	expires sluice.Time                 // when a pause may have to end; Never: there is none
	said    [sluice.Classes]sluice.Time // when downstream last said what it pauses
}

func (k *egress) held() bool { return k.all || k.spilled }

// init sets what stays as it is.
func (p *Port) init(s *Switch, id sluice.PortID, t *state) {
	p.owner, p.state, p.id = s, t, id
	p.flows = table.New(s.config.Flows, s.salts[0]+uint64(id))
	p.shared = s.config.Quantum != 0
	t.refresh.at, t.expires = sluice.Never, sluice.Never
	t.expiry = s.config.expiry(id)
	t.Peer = wire.NewPeer()
	for class := range p.classes {
		p.classes[class].paused = normal + 1
		t.moving[class] = s.clock.Now()
		if p.shared {
			t.ring.SetQuantum(class, int64(s.config.Quantum))
		}
	}
}

// Enqueue accounts a packet routed to this egress port and appends it to the normal queue of its
// class, or drops it. If its ingress is over a threshold then, the device upstream is to pause the
// flows of this queue that came by that ingress, or all of the class, and the ingress's port is
// woken (Algorithm 1). O(1), O(log ports) the first time that a port pauses with Config.Refresh.
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	s.clock.Advance(now)
	class, n, row := packet.Class, int64(packet.Size), s.row(packet.Ingress)
	if class >= sluice.Classes || !packet.Sized() || row == noRow {
		return p.refused(packet)
	}
	a, k := s.account(row, class), &p.classes[class]
	in := a.bytes + n
	if n > s.room || in > a.limit {
		return p.overfull(packet, n)
	}
	a.bytes = in
	if in > a.peak {
		a.peak = in
	}
	s.room -= n
	k.bytes[normal] += n
	k.packets[normal]++
	if k.serving == normal {
		p.ready |= 1 << class
	}
	p.enqueued++
	packet.Note = noteTag
	if s.classes>>class&1 != 0 {
		return p.enter(a, k, packet, row)
	}
	p.state.counters.Outside++
	return sluice.AppendToQueue(sluice.QueueID(class) * QueuesPerClass) // no threshold is for it
}

// appendAndTell is the end of Enqueue for a packet whose ingress holds X^c_OFF or more.
//
//go:noinline
func (p *Port) appendAndTell(a *account, k *egress, packet *sluice.Packet) sluice.Verdict {
	v := sluice.AppendToQueue(sluice.QueueID(packet.Class) * QueuesPerClass)
	p.over(a, k, packet)
	return v.WithWake(p.owner.woken.Take())
}

// Next returns the queue whose head goes next: of the classes that have a packet in the queue that
// they serve and are not held, by strict priority or in turn. The head may turn out to be a packet
// of a paused flow, which Dequeue moves. Asked again before an input, it answers the same: the time
// is not looked at. O(1).
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	eligible := p.ready &^ p.blocked
	if eligible == 0 {
		return 0, false
	}
	class := bits.Len8(uint8(eligible)) - 1
	if p.shared {
		class = p.state.ring.Next(&p.state.turn, uint8(eligible))
	}
	return sluice.QueueID(class*QueuesPerClass + int(p.classes[class&7].serving)), true
}

// Dequeue accounts that the packet at the head of queue q, which Next answered, was taken. If its
// flow is paused it moves to the paused queue: the verdict is Append. Else it is sent; then its
// ingress may have come down to X_ON, all that was paused upstream is to be resumed, and the
// ingress's port is woken. A packet that cannot be the head of q is counted as misuse and answered
// with a drop; nothing else changes. O(1), and for the packet that ends a rotation O(flows whose
// resume was deferred).
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	s.clock.Advance(now)
	class, n, row := packet.Class, int64(packet.Size), s.row(packet.Ingress)
	if class >= sluice.Classes || n <= 0 || row == noRow || packet.Note&^noteEntry != noteTag {
		return p.misused()
	}
	a, k := s.account(row, class), &p.classes[class]
	if uint(q) != uint(class)*QueuesPerClass+uint(k.serving) || n > k.bytes[k.serving] || n > a.bytes {
		return p.misused()
	}
	i := packet.Note & noteEntry
	if i == 0 || i >= uint64(len(s.entries)) {
		return p.dequeueUntracked(a, k, packet)
	}
	e := &s.entries[i]
	if e.flow != packet.Flow || e.ingress != uint16(row) || e.class != uint8(class) || e.packets <= 0 {
		return p.misused()
	}
	if e.flags&congested != 0 {
		return p.move(k, packet)
	}
	if e.packets--; e.packets == 0 {
		p.left(k, int32(i), e)
	}
	return p.send(a, k, packet)
}

// send accounts that a packet leaves by the wire.
func (p *Port) send(a *account, k *egress, packet *sluice.Packet) sluice.Verdict {
	n := int64(packet.Size)
	p.owner.room += n
	a.bytes -= n
	p.transmitted++
	if p.shared {
		p.state.ring.Charge(int(packet.Class), n)
	}
	v := sluice.TransmitMarked(packet.ECN)
	if k.take(n) {
		p.emptied(packet.Class, k)
	}
	if a.bytes <= a.on && a.active {
		p.owner.ports[packet.Ingress].resumeUpstream(packet.Class)
	}
	return p.owner.woken.Answer(v)
}

// move takes a packet of a paused flow to the paused queue (Algorithm 3, line 14).
func (p *Port) move(k *egress, packet *sluice.Packet) sluice.Verdict {
	n, to := int64(packet.Size), k.paused
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

// take takes a packet of n bytes from the queue that the class serves, and reports whether that is
// empty now.
func (k *egress) take(n int64) bool {
	serving := k.serving
	left := k.bytes[serving] - n
	k.bytes[serving] = left
	k.packets[serving]--
	return left == 0
}
