package hiq

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

type claim struct {
	bytes   sluice.Bytes // that wait for it
	order   uint32       // level and IQ: its place in the way of a packet; 0 if unassigned
	into    int32        // the root it merges into, noRoot if none
	feeders int32        // roots that merge into it
	state   State
}

const noRoot = -1

// Put adds a packet of size bytes, which must be positive, to the IQ of a root that is not
// unassigned, and returns the IQ.
func (p *Port) Put(root int, size sluice.Bytes) sluice.QueueID {
	c := &p.claims[root]
	c.bytes += size
	q := sluice.QueueID(c.order)
	p.add(q, &p.queues[q], size)
	return q
}

// Take removes the head of IQ q, put there for root. False, and no change, if that IQ cannot hold
// such a packet.
func (p *Port) Take(now sluice.Time, q sluice.QueueID, root int, size sluice.Bytes) bool {
	if int(q) >= len(p.queues) || uint(root) >= uint(len(p.claims)) {
		return false
	}
	c, k := &p.claims[root], &p.queues[q] // an unassigned root has the OQ's number and no bytes
	if sluice.QueueID(c.order) != q || size > c.bytes {
		return false
	}
	if !k.canHold(size) {
		return false
	}
	c.bytes -= size
	k.bytes -= size
	k.packets--
	p.counts.Moved++
	p.advance(now)
	p.pass(k.level, size)
	if k.packets > 0 {
		p.charge(q, k, size)
	} else {
		p.chargeLast(q, k, size)
	}
	return true
}

// Order returns the place of a root's IQ in the way of a packet, which visits the IQs of its roots
// in ascending order, each once. It grows with the level. 0 if the root is unassigned.
func (p *Port) Order(root int) uint32 { return p.claims[root].order }

// Pause says that PAUSE was received. An unassigned root gets an IQ of its level, 1 to
// Config.Levels; key identifies the root among all and chooses the IQ to share if none is left.
// It reports whether the root is paused now.
func (p *Port) Pause(root int, key uint64, level int) bool {
	return p.apply(root, EventPause, key, level)
}

// Adopt says that a MERGE was received which names root as the new root; arguments and answer are
// as of Pause, but the state becomes resumed.
func (p *Port) Adopt(root int, key uint64, level int) bool {
	return p.apply(root, EventAdopt, key, level)
}

// Resume says that RESUME was received, or that the pause expired.
func (p *Port) Resume(root int) bool { return p.apply(root, EventResume, 0, 0) }

// Merge says that a MERGE was received which names root as the old root, and into as the new root,
// negative if there is none. Packets of the old IQ may move on into the IQ of the new root, which
// is not freed before.
func (p *Port) Merge(root, into int) bool {
	if !p.apply(root, EventMerge, 0, 0) {
		return false
	}
	p.detach(root)
	if into >= 0 && into != root && p.claims[into].state != Unassigned {
		p.claims[root].into = int32(into)
		p.claims[into].feeders++
	}
	return true
}

// Freeable reports whether a root is resumed or soft-merging and has no packets, neither in its IQ
// nor in an IQ that merges into it.
func (p *Port) Freeable(root int) bool {
	c := &p.claims[root]
	free := (c.state == Resumed || c.state == SoftMerging) && c.bytes == 0 && c.feeders == 0
	return free && (p.sets == nil || !p.sets.union.Has(root))
}

// Free gives up the IQ of a root that is Freeable. It reports whether it did. into is the root that
// this one merged into, which may be freeable now; negative if there is none.
func (p *Port) Free(root int) (into int, ok bool) {
	if !p.Freeable(root) {
		if p.claims[root].state == Unassigned || p.claims[root].state == Paused {
			p.counts.Refused++
		}
		return noRoot, false
	}
	into = int(p.claims[root].into)
	p.apply(root, EventFree, 0, 0)
	return into, true
}

// State returns the state of a root.
func (p *Port) State(root int) State { return p.claims[root].state }

// Level returns the level of a root, 0 if unassigned.
func (p *Port) Level(root int) int { return int(p.claims[root].order >> 16) }

// Queue returns the IQ of a root, Output if it has none; in a single tier always Output.
func (p *Port) Queue(root int) sluice.QueueID { return sluice.QueueID(p.claims[root].order) }

// Bytes returns how much waits for a root.
func (p *Port) Bytes(root int) sluice.Bytes { return p.claims[root].bytes }

// Into returns the root that a soft-merging one merges into, negative if there is none.
func (p *Port) Into(root int) int { return int(p.claims[root].into) }

// apply is Figure 6 with what each transition does.
func (p *Port) apply(root int, e Event, key uint64, level int) bool {
	c := &p.claims[root]
	next, ok := c.state.After(e)
	if !ok {
		p.counts.Refused++
		return false
	}
	if c.state == Unassigned && !p.assign(c, key, level) {
		return false
	}
	before := c.state
	c.state = next
	switch {
	case before != Paused && next == Paused:
		p.holdRoot(root)
	case before == Paused && next != Paused:
		p.releaseRoot(root)
	}
	if next != SoftMerging {
		p.detach(root)
	}
	if next == Unassigned {
		p.unassign(c)
	}
	return true
}

func (p *Port) detach(root int) {
	if c := &p.claims[root]; c.into != noRoot {
		p.claims[c.into].feeders--
		c.into = noRoot
	}
}

// holdRoot holds the IQ of a root, or of all sets that have it; releaseRoot undoes it.
func (p *Port) holdRoot(root int) {
	if p.sets != nil {
		p.eachSet(root, (*Port).hold)
		return
	}
	p.hold(sluice.QueueID(p.claims[root].order))
}

func (p *Port) releaseRoot(root int) {
	if p.sets != nil {
		p.eachSet(root, (*Port).release)
		return
	}
	p.release(sluice.QueueID(p.claims[root].order))
}

// eachSet calls do for the IQs of the sets that have a root.
func (p *Port) eachSet(root int, do func(*Port, sluice.QueueID)) {
	s := p.sets
	for record := s.byRoot[root].Next(0); record >= 0; record = s.byRoot[root].Next(record + 1) {
		do(p, sluice.QueueID(record))
	}
	if s.union.Has(root) {
		do(p, sluice.QueueID(s.spill()))
	}
}

func (p *Port) assign(c *claim, key uint64, level int) bool {
	if level < 1 || level > p.levels {
		p.counts.Refused++
		return false
	}
	if p.sets != nil {
		c.order = uint32(level) << 16
		p.appeared()
		return true
	}
	var q int
	if own := &p.members[level]; !own.Empty() && p.spare <= p.bareLevels() {
		q = own.NextCyclic(1 + int(prng.Mix(key)%uint64(len(p.queues)-1)))
		p.counts.Shared++
	} else {
		q = p.unused.Next(1)
		p.take(q, level)
	}
	p.queues[q].owners++
	c.order = uint32(level)<<16 | uint32(q)
	return true
}

func (p *Port) unassign(c *claim) {
	p.counts.Freed++
	q := sluice.QueueID(c.order)
	c.order = 0
	if q == Output {
		return
	}
	k := &p.queues[q]
	k.owners--
	if k.owners == 0 {
		p.giveBack(int(q))
	}
}

func (p *Port) take(q, level int) {
	p.unused.Remove(q)
	p.spare--
	p.members[level].Add(q)
	p.queues[q].level = uint8(level)
	p.counts.Assigned++
	p.countUse(1)
}

func (p *Port) countUse(by int) {
	p.counts.InUse += by
	p.counts.InUsePeak = max(p.counts.InUsePeak, p.counts.InUse)
}

func (p *Port) giveBack(q int) {
	p.members[p.queues[q].level].Remove(q)
	p.unused.Add(q)
	p.spare++
	p.countUse(-1)
}

func (p *Port) bareLevels() (n int) {
	for level := 1; level <= p.levels; level++ {
		if p.members[level].Empty() {
			n++
		}
	}
	return n
}
