package bfc

import (
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/prng"
)

// Port is a port of a Switch, with its hooks: as an egress it has queues and a flow table, as an
// ingress it pauses the queues of the device upstream.
type Port struct {
	owner *Switch
	id    sluice.PortID

	queues []queue
	active int        // data queues that take part in ring
	strict uint32     // non-empty queues served before them, controlBit and firstBit
	ring   drr.Ring   // data queues
	from   []origin   // by ingress, Local last
	table  table      // of flows
	free   bitset.Set // data queues that may be assigned
	paused []uint64   // data queues that downstream pauses, a bit each

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
	counters []uint32 // the ingress's pause counters
	queues   int32    // of the upstream device
	withheld bool     // Config.Withhold lists the pair
}

// Bits of Port.strict: the lower is served first.
const (
	controlBit = 1 << iota
	firstBit
)

// init makes a port of which only upstream is made, as are those of all others.
func (p *Port) init(s *Switch, id sluice.PortID) {
	c := &s.config
	quantum := int64(c.Quantum)
	if c.Scheduler == PacketRoundRobin {
		quantum = 1
	}
	*p = Port{
		owner:    s,
		id:       id,
		queues:   make([]queue, s.queues),
		ring:     drr.New(drr.Uniform(c.Queues, quantum)),
		free:     bitset.New(c.Queues),
		paused:   make([]uint64, (c.Queues+63)/64),
		table:    newTable(c.VFIDs, c.Ideal, prng.Mix(c.Seed)),
		from:     make([]origin, len(c.Ports)+1),
		upstream: p.upstream,
	}
	for q := range c.Queues {
		p.free.Add(q)
	}
	rate := c.Ports[id].Link.Rate
	for i, from := range c.Ports {
		p.from[i] = origin{
			share:    c.share(rate, from.HRTT),
			sticky:   c.stickyTime(from.HRTT),
			counters: s.ports[i].upstream.counters,
			queues:   int32(from.UpstreamQueues),
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

// share returns F x HRTT x rate in whole bytes, rounded down once, saturating. HRTT is below 2^41 and the terms of F are at
// most 2^20, so that neither product of 64 bits overflows.
func (c *Config) share(rate sluice.Rate, roundTrip sluice.Time) sluice.Bytes {
	high, low := bits.Mul64(uint64(roundTrip)*uint64(c.Factor.Num), uint64(rate))
	divisor := 8 * uint64(sluice.Second) * uint64(c.Factor.Den)
	if high >= divisor {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(high, low, divisor)
	return sluice.Bytes(min(quotient, math.MaxInt64))
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
// dropped. It writes packet.Note. The wake may carry WakeFrames, for an upstream queue is to be
// paused, and WakeDeadline. Constant time.
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	now = s.input(now)
	size := sluice.Bytes(packet.Size)
	ingress := min(int(packet.Ingress), len(s.ports)) // Local's place in p.from
	if size <= 0 || ingress == len(s.ports) && packet.Ingress != sluice.Local || packet.Class >= sluice.Classes || size > s.capacity-s.bytes {
		return s.refuse(packet)
	}
	if !s.classes.Has(packet.Class) {
		s.counters.Controls++
		return p.appendStrict(packet, s.controlQueue, controlBit, makeNote(0, s.controlQueue))
	}
	from := &p.from[ingress]
	index, flags := p.table.vfid(packet.Flow), uint64(0)
	if p.table.guests != nil {
		index, flags = p.lookup(index, packet.Flow, now, from.sticky)
	}
	e := &p.table.entries[index]
	if e.flow != packet.Flow {
		p.meet(e, packet.Flow)
	}
	if e.size == 0 || !e.assigned {
		if p.settle(e, index, packet.Flow, now, from.sticky) {
			return p.appendStrict(packet, s.firstQueue, firstBit, makeNote(index, s.firstQueue)|flags)
		}
	}
	e.occupy()
	q := e.queue
	to := &p.queues[q]
	if to.packets == 0 {
		p.filled(int(q))
	}
	p.add(to, size)

	over := p.over(to.bytes, from)
	var wake sluice.Wake
	if int32(packet.UpstreamQueue) >= from.queues {
		s.foreign(int32(packet.UpstreamQueue) == from.queues, over)
	} else if over && p.mayPause(e, from) {
		flags |= noteCounted
		from.counters[packet.UpstreamQueue]++
		if from.counters[packet.UpstreamQueue] == 1 {
			wake = s.ports[ingress].pause(packet.UpstreamQueue)
		}
	}
	packet.Note = makeNote(index, q) | flags
	v := sluice.AppendTo(q)
	if wake != 0 {
		v = v.WithWake(wake)
	}
	return v
}

// Next returns the queue whose head goes next; false when none may go. Asked twice without an input in
// between it answers the same. Constant time while no packet is larger than Config.Quantum.
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	if p.strict != 0 {
		if p.strict&controlBit != 0 {
			return p.owner.controlQueue, true
		}
		return p.owner.firstQueue, true
	}
	q := p.ring.Next()
	return sluice.QueueID(max(q, 0)), q >= 0
}

// Dequeue accounts that the head of q was taken, which is packet, with the Note that Enqueue wrote. It
// answers Transmit, with the packet's own code point: the embedder stamps q on the packet as
// UpstreamQueue for the next hop (see [AppendShim]). For a packet that cannot be there it answers Drop with
// sluice.BadQueue, counts it as misuse and changes nothing. The wake may carry WakeFrames, for the packet's
// upstream queue is to be resumed, and WakeDeadline. Constant time.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	now = s.input(now)
	note := packet.Note
	if int(q) >= len(p.queues) || !isNote(note, q) {
		return s.misuse()
	}
	from, size := &p.queues[q], sluice.Bytes(packet.Size)
	if size <= 0 || !from.has(size) {
		return s.misuse()
	}
	var wake sluice.Wake
	if int(q) < s.config.Queues || q != s.controlQueue {
		index := uint(uint32(note))
		if index >= uint(len(p.table.entries)) || p.table.entries[index].size == 0 {
			return s.misuse()
		}
		if note&(noteCounted|noteGuest) != 0 {
			counter, ok := p.unflag(note, q, packet)
			if !ok {
				return s.misuse()
			}
			if counter == 0 {
				wake = s.ports[packet.Ingress].release(packet.UpstreamQueue, p.id, q)
			}
		}
		e := &p.table.entries[index]
		e.size--
		e.last = now
	}
	p.remove(from, size)
	if int(q) < s.config.Queues {
		p.ring.Charge(int(q), min(int64(size), s.mostCharge))
		if from.packets == 0 {
			p.emptied(int(q))
		}
	} else if from.packets == 0 {
		p.emptiedStrict(q)
	}
	v := sluice.TransmitMarked(packet.ECN)
	if wake != 0 {
		v = v.WithWake(wake)
	}
	return v
}

// Backlog returns the bytes held in queue q; 0 for a queue that does not exist.
func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes {
	if int(q) >= len(p.queues) {
		return 0
	}
	return p.queues[q].bytes
}

// Sendable reports whether downstream does not pause queue q. The control queue and the first-packet
// queue always are sendable; a queue that does not exist is not.
func (p *Port) Sendable(q sluice.QueueID) bool {
	if int(q) >= p.owner.config.Queues {
		return int(q) < len(p.queues)
	}
	return !p.isPaused(int(q))
}

// Active returns N_active: how many data queues have packets and are not paused.
func (p *Port) Active() int { return p.active }

// Holding reports whether upstream queue q of the device at the other end is held paused by this port;
// false for a queue that it does not have.
func (p *Port) Holding(q sluice.QueueID) bool {
	up := &p.upstream
	return int(q) < len(up.counters) && up.held[q>>6]>>(q&63)&1 != 0
}

// Counter returns the pause counter of upstream queue q: how many packets that came from it and were
// counted are held; 0 for a queue that the device upstream does not have.
func (p *Port) Counter(q sluice.QueueID) int {
	if int(q) >= len(p.upstream.counters) {
		return 0
	}
	return int(p.upstream.counters[q])
}
