package bfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// lookup returns the entry of a flow's packet that is arriving, and the flags of its note.
func (p *Port) lookup(now sluice.Time, flow uint64, sticky sluice.Time) (index int, flags uint64) {
	c := &p.owner.counters
	if p.table.guests == nil {
		index = p.table.vfid(flow)
		e := &p.table.entries[index]
		if e.size == 0 {
			e.flow = flow
		} else if e.flow != flow {
			c.VFIDCollisions++
		}
		return index, noteFlow
	}
	index, guest, evicted := p.table.find(flow, now, sticky)
	if evicted {
		c.StickyEvictions++
	}
	if !guest {
		return index, noteFlow
	}
	c.VFIDCollisions++
	c.TableOverflows++
	p.table.guests[index]++
	return index, noteFlow | noteGuest
}

// occupy accounts a packet that joins the entry.
func (e *entry) occupy(now sluice.Time) {
	e.used = true
	e.size++
	e.last = now
}

// leave accounts a packet that leaves its entry.
func (p *Port) leave(now sluice.Time, note uint64) {
	index := uint32(note)
	e := &p.table.entries[index]
	e.size--
	e.last = now
	if note&noteGuest != 0 {
		p.table.guests[index]--
	}
}

// holds reports whether packet can be at the head of q: its note says so, and nothing would become
// negative without it.
func (p *Port) holds(q sluice.QueueID, packet *sluice.Packet) bool {
	note := packet.Note
	if int(q) >= len(p.queues) || note&noteValid == 0 || sluice.QueueID(note>>noteQueueShift) != q {
		return false
	}
	held := &p.queues[q]
	if packet.Size <= 0 || held.packets == 0 || !held.gives(packet.Size) {
		return false
	}
	if note&noteFlow == 0 {
		return q == p.owner.controlQueue && int(q) >= p.owner.config.Queues
	}
	index := uint64(uint32(note))
	if index >= uint64(len(p.table.entries)) || p.table.entries[index].size == 0 {
		return false
	}
	if note&noteGuest != 0 && (p.table.guests == nil || p.table.guests[index] == 0) {
		return false
	}
	return note&noteCounted == 0 || p.owner.counted(packet)
}

// gives reports whether a queue can lose a packet of that size: the last takes all, another leaves at
// least a byte for each that stays.
func (q *queue) gives(size int32) bool {
	rest := q.bytes - sluice.Bytes(size)
	if q.packets == 1 {
		return rest == 0
	}
	return rest >= sluice.Bytes(q.packets-1)
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

// held accounts a packet that was taken in.
func (s *Switch) held(size int32) {
	s.counters.Enqueued++
	s.bytes += sluice.Bytes(size)
}

// charge accounts what the scheduler spent on a packet of queue q. A packet of more than 16 quanta is
// charged as 16, which bounds the work of Next.
func (p *Port) charge(q int, size int32) {
	c := &p.owner.config
	if c.Scheduler == PacketRoundRobin {
		p.ring.Charge(q, 1)
		return
	}
	p.ring.Charge(q, min(int64(size), maxQuantaPerPacket*int64(c.Quantum)))
}

// leaveStrict accounts a packet that left the control or the first-packet queue.
func (p *Port) leaveStrict(q sluice.QueueID, empty bool) {
	if !empty {
		return
	}
	if q == p.owner.controlQueue {
		p.strict &^= controlBit
	} else {
		p.strict &^= firstBit
	}
}
