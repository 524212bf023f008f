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
// to the flow, mostly two. The first and the last packet of a flow here also touch the lines
// of its neighbours in two lists.
type Port struct {
	// What every packet touches: a cache line, and one for each class.
	owner       *Switch
	state       *state
	id          sluice.PortID
	shared      bool   // classes take turns
	ready       uint32 // the set of classes that may send
	tag         uint64 // of its packets' notes: see noteTag
	enqueued    uint64
	transmitted uint64
	heads       [sluice.Classes]uint8 // the queues that classes serve
	gates       [sluice.Classes]uint8 // what a packet of a class adds to ready
	classes     [sluice.Classes]egress

	flows   table.Table     // from keys to the first entry of each, counted from 0
	free    int32           // entries that were used before, by next
	fresh   int32           // entries that were ever used
	known   int32           // entries in use
	blocked sluice.ClassSet // classes that may not send: held by downstream, or moving too fast

	// As an ingress: classes that owe the device upstream a frame about all flows, and about some.
	urgent, owed sluice.ClassSet
	_            [6]byte // ten cache lines
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
	p.owner, p.state, p.id, p.tag = s, t, id, noteTag+uint64(id)<<48
	p.flows = table.New(s.config.Flows, s.salts[0]+uint64(id))
	p.shared = s.config.Quantum != 0
	t.refresh.at, t.expires = sluice.Never, sluice.Never
	t.expiry = s.config.expiry(id)
	t.Peer = wire.NewPeer()
	for class := range p.classes {
		p.classes[class].paused = normal + 1
		p.serve(sluice.Class(class), normal)
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
	class, n, from := packet.Class, int64(packet.Size), place(packet.Ingress, packet.Class)
	if class >= sluice.Classes || !packet.Sized() || from >= uint(len(s.accounts)) {
		return p.refused(packet)
	}
	a, k := &s.accounts[from], &p.classes[class]
	in, congestedOff := a.bytes+n, a.congestedOff
	if n > s.room || in > a.limit {
		return p.overfull(packet)
	}
	a.bytes = in
	if in > a.peak {
		a.peak = in
	}
	s.room -= n
	k.bytes[normal] += n
	k.packets[normal]++
	p.ready |= uint32(p.gates[class])
	p.enqueued++
	if !s.classes.Has(class) {
		return p.outside(packet)
	}
	i, _ := p.flows.Find(packet.Flow ^ s.salts[class])
	e := &s.entries[i+1] // of its class, if any, only this flow has the key; entry 0 has no packets
	if e.place != uint16(from) || e.packets <= 0 {
		return p.enter(packet, int32(i+1))
	}
	e.packets++
	packet.Note = p.tag + uint64(i+1)
	if in >= congestedOff {
		return p.appendAndTell(packet)
	}
	return sluice.AppendToQueue(sluice.QueueID(class) * QueuesPerClass)
}

// Next returns the queue whose head goes next: of the classes that have a packet in the queue that
// they serve and are not held, by strict priority or in turn. The head may turn out to be a packet
// of a paused flow, which Dequeue moves. Asked again before an input, it answers the same: the time
// is not looked at. O(1).
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	if p.ready == 0 {
		return 0, false
	}
	class := bits.Len32(p.ready) - 1
	if p.shared {
		class = p.state.ring.Next(&p.state.turn, uint8(p.ready))
	}
	return sluice.QueueID(p.heads[class&7]), true
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
	class, n, from := packet.Class, int64(packet.Size), place(packet.Ingress, packet.Class)
	i := packet.Note - p.tag
	if class >= sluice.Classes || q != sluice.QueueID(p.heads[class]) || n <= 0 ||
		from >= uint(len(s.accounts)) || i >= uint64(len(s.entries)) {
		return p.misused()
	}
	e := &s.entries[i]
	if e.flow != packet.Flow || e.place != uint16(from) || e.packets <= 0 {
		return p.leaveUntracked(packet)
	}
	if e.flags&congested != 0 {
		return p.move(packet)
	}
	a, k := &s.accounts[from], &p.classes[class]
	serving := k.serving
	left, in := k.bytes[serving]-n, a.bytes-n
	if left < 0 || in < 0 {
		return p.misused()
	}
	e.packets--
	k.bytes[serving] = left
	k.packets[serving]--
	a.bytes = in
	s.room += n
	p.transmitted++
	if p.shared {
		p.state.ring.Charge(int(packet.Class), n)
	}
	if e.packets == 0 || left == 0 || a.active && in <= a.on {
		return p.sent(packet)
	}
	return sluice.TransmitMarked(packet.ECN)
}
