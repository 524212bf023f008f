package bfc

import "github.com/sluicefc/sluice"

// filled takes data queue q, which was empty, into service.
func (p *Port) filled(q int) {
	p.free.Remove(q)
	if p.exact != nil && p.exact.owners[q] != none {
		p.exact.offer(q, false)
	}
	if !p.isPaused(q) {
		p.ring.SetEligible(q, true)
		p.active++
	}
}

// offer makes data queue q free if it may be assigned. It is called when the queue becomes empty,
// and when an empty queue is paused, resumed, forgotten or given up by its owner.
func (p *Port) offer(q int) {
	open := !p.isPaused(q) || p.owner.config.AssignPaused || p.forgotten(q)
	if p.exact != nil && p.exact.owners[q] != none {
		p.exact.offer(q, open && p.entries[p.exact.owners[q]].size == 0)
		return
	}
	p.free.Put(q, open)
	if p.freed != nil {
		p.freed.push(q)
	}
}

// setPaused obeys downstream on data queue q. It reports whether the queue was paused and is not
// any more.
func (p *Port) setPaused(q int, paused bool) (released bool) {
	if p.isPaused(q) == paused {
		return false
	}
	p.paused[q>>6] ^= 1 << (q & 63)
	step := int32(1)
	if paused {
		p.counters.QueuesPaused++
		step = -1
	} else {
		p.counters.QueuesResumed++
	}
	if p.queues[q].packets > 0 {
		p.ring.SetEligible(q, !paused)
		p.active += step
	} else {
		p.offer(q)
	}
	return !paused
}

func (p *Port) anyPaused() bool {
	for _, word := range p.paused {
		if word != 0 {
			return true
		}
	}
	return false
}

func (p *Port) isPaused(q int) bool { return p.paused[q>>6]>>(q&63)&1 != 0 }

// nextStrict is Next where something else than ring decides.
//
//go:noinline
func (p *Port) nextStrict() (sluice.QueueID, bool) {
	switch {
	case p.strict&controlBit != 0:
		return p.owner.controlQueue, true
	case p.strict&firstBit != 0:
		return p.owner.firstQueue, true
	}
	q := p.ring.Lowest()
	return sluice.QueueID(max(q, 0)), q >= 0
}

func (p *Port) misuse() sluice.Verdict {
	p.counters.Misuse++
	return p.drop(sluice.BadQueue)
}

func (p *Port) drop(r sluice.Reason) sluice.Verdict {
	p.counters.Dropped[r]++
	return sluice.DropBecause(r)
}
