package bfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/prng"
)

// entry is an egress port's state of a VFID, or with Config.Ideal of a flow. The zero value was
// never used; so a large table costs no memory before it is touched.
type entry struct {
	flow     uint64      // of the packet that came when size was last 0
	last     sluice.Time // of the last departure; with packets here it does not matter
	size     uint32      // packets held
	queue    sluice.QueueID
	assigned bool // queue means something
	used     bool
}

// idle reports whether the entry holds nothing and has held nothing for longer than sticky. An
// entry that was never used is idle.
func (e *entry) idle(now, sticky sluice.Time) bool {
	return e.size == 0 && (!e.used || e.restedOver(now, sticky))
}

// restedOver reports whether more than sticky passed since the entry's last packet left.
func (e *entry) restedOver(now, sticky sluice.Time) bool {
	return uint64(now-e.last) > uint64(sticky)
}

// vfid returns where a flow hashes to in table. The hash is reduced to the size of the table by
// multiplication, which is as even as a remainder and spares the division.
func (p *Port) vfid(flow uint64) int {
	high, _ := bits.Mul64(spread(flow^p.seed), uint64(len(p.table)))
	return int(high)
}

// spread spreads the bits of a hash by the finaliser of XXH64 (Collet, xxHash fast digest
// algorithm, version 0.1.1) without its last step, which leaves the high bits unchanged.
func spread(h uint64) uint64 {
	const (
		prime2 = 0xc2b2ae3d27d4eb4f
		prime3 = 0x165667b19e3779f9
	)
	h = (h ^ h>>33) * prime2
	return (h ^ h>>29) * prime3
}

// joinQueue finds the queue of a packet that is to join e, where e is empty or has no queue, or its
// queue is empty: e's own, which it takes into service, or the first-packet queue. In the latter
// case first is true, and the packet has joined e.
func (p *Port) joinQueue(e *entry, index int, now, sticky sluice.Time) (first bool) {
	owns := p.exact != nil && p.exact.wake(e, index)
	idle := e.idle(now, sticky)
	used := e.used
	e.used = true
	if idle && p.owner.firstPackets {
		p.counters.FirstPackets++
		e.size++
		p.forget(e)
		e.assigned = false // until a second packet needs a queue
		return true
	}
	switch {
	case owns:
		e.assigned = true
	case idle || !e.assigned || p.exact != nil:
		p.assign(e, index, used)
	}
	if p.queues[e.queue].packets > 0 {
		p.counters.QueueCollisions++
	} else {
		p.filled(int(e.queue))
	}
	return false
}

// assign gives an entry a queue; again says that it had one before.
func (p *Port) assign(e *entry, index int, again bool) {
	p.counters.Assignments++
	q := p.pick(index, e.flow)
	if again && int(e.queue) != q {
		p.counters.Reassignments++
	}
	if p.named != nil {
		p.forget(e)
		p.named[q]++
	}
	e.queue = sluice.QueueID(q)
	e.assigned = true
	if p.exact != nil && index < p.exact.known && p.owner.config.Assignment != StaticHash {
		p.own(q, index)
	}
}

// forget ends that an entry names its queue, with Config.AssignForgotten.
func (p *Port) forget(e *entry) {
	if p.named == nil || !e.assigned {
		return
	}
	q := int(e.queue)
	p.named[q]--
	if p.named[q] == 0 && p.queues[q].packets == 0 {
		p.offer(q)
	}
}

func (p *Port) forgotten(q int) bool { return p.named != nil && p.named[q] == 0 }

// pick chooses a queue: a free one if the policy looks for one and there is one, else by
// Config.Overflow.
func (p *Port) pick(index int, flow uint64) int {
	s := p.owner
	if s.config.Assignment == StaticHash || p.exact != nil && index >= p.exact.known {
		return p.hashed(index, flow)
	}
	start := 0
	switch s.config.Assignment {
	case RandomScan:
		start = s.below(int(p.data))
	case LastFreed:
		if q := p.freed.pop(); q >= 0 {
			return q
		}
		start = -1
	}
	if start >= 0 {
		if q := p.free.NextCyclic(start); q >= 0 {
			return q
		}
	}
	if p.exact != nil {
		if q := p.reclaim(); q >= 0 {
			return q
		}
	}
	p.counters.NoFreeQueue++
	if s.config.Overflow == HashQueue {
		return p.hashed(index, flow)
	}
	return s.below(int(p.data))
}

// hashed returns the queue that a VFID hashes to; with Config.Ideal, that the flow hashes to, or
// the entry if it is shared.
func (p *Port) hashed(index int, flow uint64) int {
	if p.owner.config.Index == LowBits {
		return index & (int(p.data) - 1)
	}
	key := uint64(index)
	if p.exact != nil && index < p.exact.known {
		key = flow
	}
	high, _ := bits.Mul64(prng.Mix(key^p.seed), uint64(p.data))
	return int(high)
}

func (s *Switch) below(n int) int { return int(s.random.Below(uint64(n))) }

// Layout of sluice.Packet.Note: index of the entry 0-31, the verdict of Enqueue without its wake
// 32-63, and a flag above what verdicts that append have there.
const (
	noteQueueShift = 32
	noteCounted    = 1 << 49 // the packet was counted against its upstream queue
)

func makeNote(index int, q sluice.QueueID) uint64 {
	return uint64(sluice.AppendToQueue(q))<<noteQueueShift + uint64(uint32(index))
}

// tagOf returns what a note has beside the entry of a packet in queue q: 0, or tagCounted. Any
// other number says that it is no note of such a packet.
func tagOf(note uint64, q sluice.QueueID) uint64 {
	const flags = 63 - 49 // bits above noteCounted mean nothing
	return note<<flags>>(flags+noteQueueShift) - uint64(sluice.AppendToQueue(q))
}

const tagCounted = noteCounted >> noteQueueShift

// freedStack is the stack of queues of LastFreed: the queues that emptied since they were taken
// last, the latest on top. Not all of them are free: a flow may have filled a queue again without
// taking it.
type freedStack struct {
	queues []sluice.QueueID
	on     bitset.Set // queues on the stack
}

// newFreedStack returns the stack of queues that were never used, queue 0 on top.
func newFreedStack(queues int) *freedStack {
	f := &freedStack{queues: make([]sluice.QueueID, 0, queues), on: bitset.New(queues)}
	for q := queues - 1; q >= 0; q-- {
		f.push(q)
	}
	return f
}

func (f *freedStack) push(q int) {
	if !f.on.Has(q) {
		f.on.Add(q)
		f.queues = append(f.queues, sluice.QueueID(q))
	}
}

// pop takes the queue that emptied last, -1 if none is there.
func (f *freedStack) pop() int {
	if len(f.queues) == 0 {
		return -1
	}
	last := len(f.queues) - 1
	q := int(f.queues[last])
	f.queues = f.queues[:last]
	f.on.Remove(q)
	return q
}
