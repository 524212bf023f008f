package bfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// lookup returns the entry of a flow's packet that is arriving in an exact table, and flags for its note.
func (p *Port) lookup(home int, flow uint64, now, sticky sluice.Time) (index int, flags uint64) {
	c := &p.owner.counters
	index, guest, evicted := p.table.find(home, flow, now, sticky)
	if evicted {
		c.StickyEvictions++
	}
	if !guest {
		return index, 0
	}
	c.TableOverflows++
	p.table.guests[index]++
	return index, noteGuest
}

// meet accounts a packet of a flow that was not the last to find e empty.
func (p *Port) meet(e *entry, flow uint64) {
	if e.size == 0 {
		e.flow = flow
	} else {
		p.owner.counters.VFIDCollisions++
	}
}

// occupy accounts a packet that joins the entry.
func (e *entry) occupy() {
	e.used = true
	e.size++
}

// settle sees to it that a packet that is to join e, empty or without a queue, has a queue to go to: e's
// own, or the first-packet queue, in which case it joins e and first is true.
func (p *Port) settle(e *entry, index int, flow uint64, now, sticky sluice.Time) (first bool) {
	idle := e.idle(now, sticky)
	if idle && p.owner.config.FirstPacketQueue {
		p.owner.counters.FirstPackets++
		e.occupy()
		e.assigned = false // until a second packet needs a queue
		return true
	}
	if idle || !e.assigned {
		p.assign(e, index, flow)
	}
	return false
}

// unflag undoes what the flags of a note stand for, for a packet that leaves by queue q. It returns the pause
// counter of the packet's upstream queue, not 0 if the packet was not counted. If the flags cannot be right it
// changes nothing and ok is false.
func (p *Port) unflag(note uint64, q sluice.QueueID, packet *sluice.Packet) (counter uint32, ok bool) {
	index := uint32(note)
	if note&noteGuest != 0 && (p.table.guests == nil || p.table.guests[index] == 0) {
		return 0, false
	}
	counter = 1
	if note&noteCounted != 0 {
		if int(packet.Ingress) >= len(p.owner.ports) || int(q) >= p.owner.config.Queues {
			return 0, false
		}
		counters := p.from[packet.Ingress].counters
		if int(packet.UpstreamQueue) >= len(counters) || counters[packet.UpstreamQueue] == 0 {
			return 0, false
		}
		counters[packet.UpstreamQueue]--
		counter = counters[packet.UpstreamQueue]
	}
	if note&noteGuest != 0 {
		p.table.guests[index]--
	}
	return counter, true
}

// assign gives an entry a queue.
func (p *Port) assign(e *entry, index int, flow uint64) {
	c := &p.owner.counters
	c.Assignments++
	q := p.pick(index, flow)
	if p.queues[q].packets > 0 {
		c.QueueCollisions++
	}
	if e.assigned && int(e.queue) != q {
		c.Reassignments++
	}
	e.queue = sluice.QueueID(q)
	e.assigned = true
}

// pick chooses a queue: a free one if the policy looks for one and there is one, else by
// Config.Overflow.
func (p *Port) pick(index int, flow uint64) int {
	s := p.owner
	if s.config.Assignment == StaticHash {
		return p.hashed(index, flow)
	}
	start := 0
	if s.config.Assignment == RandomScan {
		start = s.below(s.config.Queues)
	}
	if q := p.free.NextCyclic(start); q >= 0 {
		return q
	}
	s.counters.NoFreeQueue++
	if s.config.Overflow == HashQueue {
		return p.hashed(index, flow)
	}
	return s.below(s.config.Queues)
}

// hashed returns the queue that a VFID hashes to; in an exact table, that the flow hashes to.
func (p *Port) hashed(index int, flow uint64) int {
	key := uint64(index)
	if p.table.guests != nil {
		key = flow
	}
	high, _ := bits.Mul64(prng.Mix(key^p.table.seed), uint64(p.owner.config.Queues))
	return int(high)
}

func (s *Switch) below(n int) int { return int(s.random.Below(uint64(n))) }

// filled takes data queue q, which was empty, into service.
func (p *Port) filled(q int) {
	p.free.Remove(q)
	if !p.isPaused(q) {
		p.ring.SetEligible(q, true)
		p.activate(1)
	}
}

// emptied takes data queue q, which just lost its last packet, out of service.
func (p *Port) emptied(q int) {
	p.ring.Reset(q)
	paused := p.isPaused(q)
	if !paused {
		p.activate(-1)
	}
	p.free.Put(q, !paused || p.owner.config.AssignPaused)
}

// setPaused obeys downstream on data queue q. It reports whether the queue has packets that are
// thereby released.
func (p *Port) setPaused(q int, paused bool) (released bool) {
	if p.isPaused(q) == paused {
		return false
	}
	c := &p.owner.counters
	p.paused[q>>6] ^= 1 << (q & 63)
	step := 1
	if paused {
		c.QueuesPaused++
		c.PausedQueues++
		step = -1
	} else {
		c.QueuesResumed++
		c.PausedQueues--
	}
	if p.queues[q].packets > 0 {
		p.ring.SetEligible(q, !paused)
		p.activate(step)
		return !paused
	}
	if !p.owner.config.AssignPaused {
		p.free.Put(q, !paused)
	}
	return false
}

func (p *Port) isPaused(q int) bool { return p.paused[q>>6]>>(q&63)&1 != 0 }

func (p *Port) activate(step int) {
	p.active += step
	p.owner.counters.ActiveQueues += step
}

// appendStrict appends a packet to a queue that obeys no pause and pauses nobody.
func (p *Port) appendStrict(packet *sluice.Packet, q sluice.QueueID, bit uint32, note uint64) sluice.Verdict {
	p.strict |= bit
	p.add(&p.queues[q], sluice.Bytes(packet.Size))
	packet.Note = note
	return sluice.AppendTo(q)
}

// add accounts a packet appended to q.
func (p *Port) add(q *queue, size sluice.Bytes) {
	p.owner.counters.Enqueued++
	p.owner.bytes += size
	q.packets++
	q.bytes += size
}

// remove accounts a packet taken from q.
func (p *Port) remove(q *queue, size sluice.Bytes) {
	p.owner.counters.Dequeued++
	p.owner.bytes -= size
	q.packets--
	q.bytes -= size
}

// has reports whether a queue can lose a packet of that size: the last takes all, another leaves at
// least a byte for each that stays.
func (q *queue) has(size sluice.Bytes) bool {
	rest, stay := q.bytes-size, sluice.Bytes(q.packets-1)
	return stay >= 0 && rest >= stay && (stay > 0 || rest == 0)
}

// emptiedStrict takes the control or the first-packet queue out of service.
func (p *Port) emptiedStrict(q sluice.QueueID) {
	if q == p.owner.controlQueue {
		p.strict &^= controlBit
	} else {
		p.strict &^= firstBit
	}
}
