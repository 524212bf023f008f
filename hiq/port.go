package hiq

import (
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/drr"
)

// Output is the OQ's number. IQs are numbered from 1.
const Output sluice.QueueID = 0

// Port is the queues of one egress port: their lengths, which of them may move, and the next to
// send. It is not safe for concurrent use.
//
// Invariants, which Audit checks:
//
//  1. A queue's bytes and packets are those put minus those taken; no counter is negative.
//  2. A root's bytes wait for it in its IQ; the bytes of the roots of an IQ add up to
//     the queue's.
//  3. An IQ is held exactly while one of its roots is paused (in a single tier: while a root of
//     its set is paused, or packets elsewhere must go first); it takes part in its
//     level's schedule exactly while it has packets and is not held.
//  4. An IQ without roots is empty and in the pool. No level is left without an IQ to share: the
//     pool keeps one for each level that has none.
//  5. In a single tier, a set waits for a subset only while that has packets from before the
//     youngest root, and the OQ takes turns exactly while an IQ is in use.
//
// A packet that meets no root touches one cache line of a Port. A packet that waits in an IQ
// touches besides: the line of its queue, of its claim, of its level in free, of its level's ring,
// and of its turn there; one line more where other IQs of the level have packets that may move.
type Port struct {
	oq     queue
	ready  uint8 // bit of each level that has an IQ which may move; 0 is the single tier
	parked uint8 // of these, the levels that wait for Park
	now    sluice.Time
	queues []queue // by QueueID; 0 is not used

	free    [MaxLevels + 1]sluice.Time // by level: the instant from which it may move
	rings   [MaxLevels + 1]ring        // by level, of QueueIDs
	byBytes bool                       // rings are charged bytes, not packets
	// picoseconds of a byte at the rate of moves, 16 fractional bits, rounded down; 0 unpaced
	perByte uint64
	burst   sluice.Time // the time of an MTU at that rate

	claims  []claim                   // by root
	members [MaxLevels + 1]bitset.Set // by level: its IQs
	unused  bitset.Set                // IQs of no root
	spare   int                       // members of unused
	levels  int
	sets    *sets // single tier
	counts  Counters
	pace    uint64 // perByte while paced
}

type ring = drr.Sparse[struct{}]

type queue struct {
	bytes   sluice.Bytes
	packets int32
	held    int32 // reasons not to let its packets move
	owners  int32 // roots assigned to it; in a single tier, sets
	level   uint8
}

// Counters counts what happened since New.
type Counters struct {
	Assigned uint64 // IQs assigned to a root or set from the pool
	Shared   uint64 // roots or sets that had to share an IQ
	Freed    uint64 // roots freed
	Refused  uint64 // transitions refused: Figure 6 has none
	Moved    uint64 // packets taken from IQs
	// Overtakes counts packets that left the IQ of a set while others that should have gone first
	// waited: with Config.Unordered, for each of them flows may be out of order.
	Overtakes uint64
	InUse     int // IQs assigned now
	InUsePeak int // most of them at once
}

// New returns the queues of a port, all empty and no root known.
func New(config Config) (*Port, error) {
	c, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &Port{
		queues:  make([]queue, c.IQs+1),
		byBytes: c.Scheduler == DeficitRoundRobin,
		claims:  make([]claim, c.Roots),
		unused:  bitset.New(c.IQs + 1),
		spare:   c.IQs,
		levels:  c.Levels,
		now:     chassis.Earliest,
	}
	for i := range p.claims {
		p.claims[i].into = noRoot
	}
	p.pace, p.burst = pace(c.Rate, c.Speedup, c.MTU)
	p.perByte = p.pace
	quantum := int64(1)
	if p.byBytes {
		quantum = int64(c.MTU)
	}
	if c.SingleTier {
		p.sets = newSets(&c)
		p.spare--
	}
	for level, last := p.tiers(); level <= last; level++ {
		p.rings[level] = drr.NewSparse[struct{}](drr.Uniform(c.IQs+1, quantum))
		p.members[level] = bitset.New(c.IQs + 1)
	}
	p.mayMove()
	for q := 1; q <= p.spare; q++ {
		p.unused.Add(q)
	}
	return p, nil
}

// tiers returns the first and the last level that has a schedule.
func (p *Port) tiers() (first, last int) {
	if p.sets != nil {
		return 0, 0
	}
	return 1, p.levels
}

// pace returns the picoseconds of a byte at speedup times rate, in 1/65,536, rounded down so that
// moves are no slower than the line; and the time of mtu.
func pace(rate sluice.Rate, speedup int, mtu sluice.Bytes) (perByte uint64, burst sluice.Time) {
	const bitPicoseconds = 8 * uint64(sluice.Second)
	perByte = bitPicoseconds << 16 / uint64(rate) / uint64(speedup)
	p := Port{perByte: perByte}
	return perByte, p.lasts(mtu)
}

// lasts returns how long n bytes take at the rate of moves, at most a quarter of Never.
func (p *Port) lasts(n sluice.Bytes) sluice.Time {
	hi, lo := bits.Mul64(uint64(n), p.perByte)
	if hi >= 1<<13 {
		return sluice.Never / 4
	}
	return sluice.Time(hi<<48 | lo>>16)
}

// PutOutput adds a packet of size bytes, which must be positive, to the OQ.
func (p *Port) PutOutput(size sluice.Bytes) {
	p.oq.bytes += size
	p.oq.packets++
	if p.sets != nil {
		p.enteredOutput()
	}
}

// TakeOutput removes the head of the OQ: it goes to the wire. False, and no change, if the OQ
// cannot hold such a packet.
func (p *Port) TakeOutput(size sluice.Bytes) bool {
	ok := p.LeaveOutput(size)
	if ok && p.sets != nil {
		p.leftOutput(size)
	}
	return ok
}

// LeaveOutput is TakeOutput of hierarchical queues, apart so that a hook has it inlined.
func (p *Port) LeaveOutput(size sluice.Bytes) bool {
	if !p.oq.canHold(size) {
		return false
	}
	p.oq.bytes -= size
	p.oq.packets--
	return true
}

// Next returns the queue whose head goes next: an IQ's, to be moved, or the OQ's, to be sent;
// false if none may go now. Asked again before anything changed it answers the same.
func (p *Port) Next(now sluice.Time) (sluice.QueueID, bool) {
	p.advance(now)
	for ready := p.ready &^ p.parked; ready != 0; {
		level := bits.Len8(ready) - 1
		if p.free[level] <= p.now {
			r := &p.rings[level&MaxLevels]
			if r.Crowded() {
				return sluice.QueueID(r.NextOfCrowd()), true
			}
			q, _ := r.Alone()
			return sluice.QueueID(q), true
		}
		ready &^= 1 << level
	}
	return Output, p.oq.packets > 0
}

// advance moves the time on: to what most clocks show without a call.
func (p *Port) advance(now sluice.Time) {
	switch {
	case now <= p.now:
	case uint64(now) <= uint64(chassis.Latest): // and not before 0
		p.now = now
	default:
		p.now = chassis.Later(p.now, now)
	}
}

// MayMove reports whether a packet may move, apart from the pace of its level. If not, Next returns
// the OQ or no queue.
func (p *Port) MayMove() bool { return p.ready != 0 }

// Waits reports whether Park may have something to do: levels are parked, or the OQ is empty and
// the farthest level with a packet that may move has moved its share.
func (p *Port) Waits() bool {
	return p.parked != 0 || p.ready != 0 && p.oq.packets == 0 && p.free[p.farthest()] > p.now
}

// farthest returns the farthest level with a packet that may move; at least one level has one.
func (p *Port) farthest() int { return (bits.Len8(p.ready) - 1) & MaxLevels }

// Ready returns what Waits and Park look at besides the OQ and the time, a bit for each level: the
// levels with a packet that may move, and the levels that are parked.
func (p *Port) Ready() (levels, parked uint8) { return p.ready, p.parked }

// Park is for an owner whose transmitter may be idle: call it after whatever changed the port,
// with the time of the call. If Next has no answer only because every level with packets that may
// move has moved its share, these levels are parked: Next passes them by, and their queues are
// not Sendable, until Park is called again. due is when it should be, Never if nothing waits for
// time alone. opened says that a level is parked no longer: Next may have an answer.
func (p *Port) Park(now sluice.Time) (due sluice.Time, opened bool) {
	due = sluice.Never
	before := p.parked
	p.parked = 0
	if p.oq.packets == 0 {
		for ready := p.ready; ready != 0; ready &= ready - 1 {
			due = min(due, p.free[bits.TrailingZeros8(ready)])
		}
		if due <= chassis.Later(p.now, now) {
			due = sluice.Never
		} else {
			p.parked = p.ready
		}
	}
	return due, before&^p.parked != 0
}

// SetPaced ends and begins that moves wait for the line. Without pace, as while the link is down, a
// level moves whatever nothing holds as fast as Next is asked, so that an owner can empty the
// queues in one go. Call Park after it.
func (p *Port) SetPaced(on bool) {
	p.perByte = p.pace
	if !on {
		p.perByte = 0
		p.mayMove()
	}
}

// mayMove lets every level move from now on. The single tier always may: nothing passes its level.
func (p *Port) mayMove() {
	for level := range p.free {
		p.free[level] = math.MinInt64
	}
}

// Rebase moves the origin of time: every time given to the port from now on is less by so much.
func (p *Port) Rebase(by sluice.Time) {
	p.now = chassis.Shift(p.now, by)
	chassis.ShiftAll(by, p.free[:])
}

// Sendable reports whether Next may answer queue q as soon as it has a packet and its turn comes:
// it is not held, and its level is not parked.
func (p *Port) Sendable(q sluice.QueueID) bool {
	if q == Output || int(q) >= len(p.queues) {
		return q == Output
	}
	k := &p.queues[q]
	return k.owners > 0 && k.held == 0 && p.parked>>k.level&1 == 0
}

// Paused reports whether an IQ is held because a root of it is paused; false for the OQ and an IQ
// that has no root. Beside pauses, Sendable knows levels that are parked, and in a single tier the
// order of flows.
func (p *Port) Paused(q sluice.QueueID) bool {
	return int(q) < len(p.queues) && p.queues[q].held > p.behind(q)
}

// OutputBacklog returns the bytes in the OQ.
func (p *Port) OutputBacklog() sluice.Bytes { return p.oq.bytes }

// Backlog returns the bytes in queue q, 0 if there is no such queue.
func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes { return p.at(q).bytes }

// Packets returns the number of packets in queue q, 0 if there is no such queue.
func (p *Port) Packets(q sluice.QueueID) int { return int(p.at(q).packets) }

// at returns queue q, an empty one if there is no such queue.
func (p *Port) at(q sluice.QueueID) *queue {
	switch {
	case q == Output:
		return &p.oq
	case int(q) >= len(p.queues):
		return &p.queues[Output] // not used
	}
	return &p.queues[q]
}

// Queues returns how many queues the port has, the OQ and all IQs.
func (p *Port) Queues() int { return len(p.queues) }

// InUse returns how many IQs are assigned.
func (p *Port) InUse() int { return p.counts.InUse }

// Counters returns a copy of the counters.
func (p *Port) Counters() Counters { return p.counts }

// canHold reports whether a packet of size bytes can be one of the queue's.
func (k *queue) canHold(size sluice.Bytes) bool {
	if size == k.bytes {
		return k.packets == 1
	}
	return size > 0 && size < k.bytes && k.packets != 1
}

func (p *Port) add(q sluice.QueueID, k *queue, size sluice.Bytes) {
	k.bytes += size
	k.packets++
	if k.packets == 1 && k.held == 0 {
		p.schedule(q, k)
	}
}

// pass accounts a packet that a level moves on. However often that is, free stays before Never.
func (p *Port) pass(level uint8, size sluice.Bytes) {
	span := p.lasts(size)
	free := &p.free[level&MaxLevels]
	*free = min(max(*free, p.now-p.burst), sluice.Never-1-span) + span
}

// charge accounts the turn of a queue that gave a packet which was not its last.
func (p *Port) charge(q sluice.QueueID, k *queue, size sluice.Bytes) {
	p.rings[k.level&MaxLevels].Slots()[q].Charge(p.cost(size))
}

// chargeLast is charge for the last packet: the queue is out of the schedule of its level.
//
//go:noinline
func (p *Port) chargeLast(q sluice.QueueID, k *queue, size sluice.Bytes) {
	level := k.level & MaxLevels
	r := &p.rings[level]
	r.Slots()[q].ChargeLast(p.cost(size))
	r.Leave(int(q))
	if r.Empty() {
		p.ready &^= 1 << level
	}
}

// cost returns the charge of a packet to its queue.
func (p *Port) cost(size sluice.Bytes) int64 {
	if p.byBytes {
		return int64(size)
	}
	return 1
}

func (p *Port) hold(q sluice.QueueID) {
	k := &p.queues[q]
	k.held++
	if k.held == 1 && k.packets > 0 {
		p.withdraw(q, k)
	}
}

func (p *Port) release(q sluice.QueueID) {
	k := &p.queues[q]
	k.held--
	if k.held == 0 && k.packets > 0 {
		p.schedule(q, k)
	}
}

// withdraw takes a queue out of the schedule of its level, schedule puts it in.
func (p *Port) withdraw(q sluice.QueueID, k *queue) {
	level := k.level & MaxLevels
	r := &p.rings[level]
	r.Leave(int(q))
	if r.Empty() {
		p.ready &^= 1 << level
	}
}

func (p *Port) schedule(q sluice.QueueID, k *queue) {
	level := k.level & MaxLevels
	p.rings[level].Join(int(q))
	p.ready |= 1 << level
}
