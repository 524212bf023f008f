package bfc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/drr"
)

// Port is a port of a Switch, with its hooks: as an egress it has queues and a flow table, as an
// ingress it pauses the queues of the device upstream.
type Port struct {
	owner *Switch
	id    sluice.PortID

	queues []queue
	active int        // data queues that take part in ring
	ring   drr.Ring   // data queues
	strict uint32     // non-empty queues served before them, see strictBits
	free   bitset.Set // data queues that may be assigned
	paused []uint64   // data queues that downstream pauses, a bit each
	table  table
	from   []origin // by ingress, Local last

	upstream upstream
}

// queue is what a queue holds.
type queue struct {
	bytes   sluice.Bytes
	packets int64
}

// origin is what an egress port needs to know of the ingress that a packet came by.
type origin struct {
	share    sluice.Bytes // F x HRTT x rate: the pause threshold if one queue is active
	sticky   sluice.Time
	queues   int32 // of the upstream device
	withheld bool  // Config.Withhold lists the pair
}

// Bits of Port.strict: the lower is served first.
const (
	controlBit = 1 << iota
	firstBit
)

func (p *Port) init(s *Switch, id sluice.PortID) {
	c := &s.config
	cost := int64(c.Quantum)
	if c.Scheduler == PacketRoundRobin {
		cost = 1
	}
	*p = Port{
		owner:    s,
		id:       id,
		queues:   make([]queue, s.queues),
		ring:     drr.New(drr.Uniform(c.Queues, cost)),
		free:     bitset.New(c.Queues),
		paused:   make([]uint64, (c.Queues+63)/64),
		table:    newTable(c.VFIDs, c.Ideal, c.Seed),
		from:     make([]origin, len(c.Ports)+1),
		upstream: newUpstream(c, id),
	}
	for q := range c.Queues {
		p.free.Add(q)
	}
	rate := c.Ports[id].Link.Rate
	for i, from := range c.Ports {
		p.from[i] = origin{
			share:  rate.BytesIn(from.HRTT*sluice.Time(c.FactorPercent)) / factorDenominator,
			sticky: c.stickyTime(from.HRTT),
			queues: int32(from.UpstreamQueues),
		}
	}
	p.from[len(c.Ports)] = origin{share: math.MaxInt64, sticky: c.stickyTime(c.Ports[id].HRTT), queues: math.MaxInt32}
	for _, pair := range c.Withhold {
		if pair.Egress == id {
			p.from[pair.Ingress].withheld = true
		}
	}
	if c.IdleBitmaps < 0 && c.Signalling != Transitions {
		s.timers.Put(int(id), c.Period)
	}
}

func (c *Config) stickyTime(roundTrip sluice.Time) sluice.Time {
	switch c.Sticky {
	case 0:
		return stickyRoundTrips * roundTrip
	case NoSticky:
		return 0
	}
	return c.Sticky
}

// Enqueue decides on a packet routed to this egress port: the queue it is to be appended to, or why it is
// dropped. It writes packet.Note. The wake may carry WakeFrames, for the ingress is an upstream queue to be
// paused, and WakeDeadline. Constant time.
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	now = s.input(now)
	if packet.Size <= 0 {
		return s.drop(sluice.BadSize)
	}
	ingress := int(packet.Ingress)
	if ingress >= len(s.ports) {
		if packet.Ingress != sluice.Local {
			return s.drop(sluice.BadIngress)
		}
		ingress = len(s.ports)
	}
	if packet.Class >= sluice.Classes {
		return s.drop(sluice.BadClass)
	}
	if sluice.Bytes(packet.Size) > s.capacity-s.bytes {
		return s.drop(sluice.BufferFull)
	}
	if s.classes>>packet.Class&1 == 0 {
		s.counters.Controls++
		return p.appendStrict(packet, s.controlQueue, controlBit, makeNote(0, s.controlQueue, 0))
	}
	from := &p.from[ingress]
	index, flags := p.lookup(now, packet.Flow, from.sticky)
	e := &p.table.entries[index]
	if s.config.FirstPacketQueue && e.idle(now, from.sticky) {
		s.counters.FirstPackets++
		e.occupy(now)
		e.assigned = false // until a second packet needs a queue
		return p.appendStrict(packet, s.firstQueue, firstBit, makeNote(index, s.firstQueue, flags))
	}
	if !e.assigned || e.idle(now, from.sticky) {
		p.assign(e, index, packet.Flow)
	}
	e.occupy(now)
	backlog := p.append(int(e.queue), packet.Size)

	over := p.over(backlog, from)
	var wake sluice.Wake
	if int32(packet.UpstreamQueue) >= from.queues {
		s.foreign(int32(packet.UpstreamQueue) == from.queues, over)
	} else if over && p.mayPause(e, from) {
		flags |= noteCounted
		wake = s.ports[ingress].raise(packet.UpstreamQueue)
	}
	packet.Note = makeNote(index, e.queue, flags)
	return sluice.AppendTo(e.queue).WithWake(wake)
}

// appendStrict appends a packet to a queue that obeys no pause and pauses nobody.
func (p *Port) appendStrict(packet *sluice.Packet, q sluice.QueueID, bit uint32, note uint64) sluice.Verdict {
	p.strict |= bit
	p.queues[q].add(packet.Size)
	p.owner.held(packet.Size)
	packet.Note = note
	return sluice.AppendTo(q)
}

// append appends a packet to data queue q, and returns what the queue holds then.
func (p *Port) append(q int, size int32) sluice.Bytes {
	p.owner.held(size)
	if p.queues[q].packets == 0 {
		p.filled(q)
	}
	return p.queues[q].add(size)
}

func (q *queue) add(size int32) sluice.Bytes {
	q.packets++
	q.bytes += sluice.Bytes(size)
	return q.bytes
}

// Next returns the queue whose head goes next; false when none may go. Asked twice without an input in
// between it answers the same. Constant time while no packet is larger than Config.Quantum.
func (p *Port) Next(now sluice.Time) (sluice.QueueID, bool) {
	p.owner.clock(now)
	if p.strict != 0 {
		if p.strict&controlBit != 0 {
			return p.owner.controlQueue, true
		}
		return p.owner.firstQueue, true
	}
	q := p.ring.Next()
	if q < 0 {
		return 0, false
	}
	return sluice.QueueID(q), true
}

// Dequeue accounts that the head of q was taken, which is packet, with the Note that Enqueue wrote. It
// answers Transmit, with the packet's own code point: the embedder stamps q on the packet as
// UpstreamQueue for the next hop (see [AppendShim]). For a packet that cannot be there it answers Drop with
// sluice.BadQueue, counts it as misuse and changes nothing. The wake may carry WakeFrames, for the packet's
// upstream queue is to be resumed, and WakeDeadline. Constant time.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	now = s.input(now)
	if !p.holds(q, packet) {
		s.counters.Misuse++
		return s.drop(sluice.BadQueue)
	}
	s.counters.Dequeued++
	s.bytes -= sluice.Bytes(packet.Size)
	left := &p.queues[q]
	left.bytes -= sluice.Bytes(packet.Size)
	left.packets--
	if int(q) >= s.config.Queues {
		p.leaveStrict(q, left.packets == 0)
	} else {
		p.charge(int(q), packet.Size)
		if left.packets == 0 {
			p.emptied(int(q))
		}
	}
	var wake sluice.Wake
	note := packet.Note
	if note&noteFlow != 0 {
		p.leave(now, note)
		if note&noteCounted != 0 {
			wake = s.ports[packet.Ingress].lower(packet.UpstreamQueue, p.id, q)
		}
	}
	return sluice.TransmitMarked(packet.ECN).WithWake(wake)
}
