package hiq

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Audit recomputes the invariants of Port the slow way and names the first one broken, nil if
// none is.
func (p *Port) Audit() error {
	for q := range p.queues {
		k := p.at(sluice.QueueID(q))
		if k.bytes < sluice.Bytes(k.packets) || k.packets < 0 || k.packets == 0 && k.bytes != 0 {
			return fmt.Errorf("hiq: invariant 1: queue %d has %d packets of %d bytes", q, k.packets, k.bytes)
		}
	}
	owners, held, bytes := p.recount()
	for q := 1; q < len(p.queues); q++ {
		k := &p.queues[q]
		switch {
		case bytes[q] != k.bytes:
			return fmt.Errorf("hiq: invariant 2: queue %d has %d bytes, its roots %d", q, k.bytes, bytes[q])
		case held[q] != k.held || owners[q] != k.owners:
			return fmt.Errorf("hiq: invariant 3: queue %d has %d owners and %d reasons to be held, "+
				"its counters say %d and %d", q, owners[q], held[q], k.owners, k.held)
		}
		for level, last := p.tiers(); level <= last; level++ {
			may := level == int(k.level) && k.packets > 0 && k.held == 0
			if p.rings[level].Eligible(q) != may {
				return fmt.Errorf("hiq: invariant 3: queue %d takes part in level %d: %v, it should: %v", q,
					level, !may, may)
			}
		}
	}
	for level := range p.rings {
		if ready := p.ready>>level&1 != 0; ready == p.rings[level].Empty() {
			return fmt.Errorf("hiq: invariant 3: level %d is ready: %v, its ring says otherwise",
				level, ready)
		}
	}
	if p.sets != nil {
		if err := p.auditOrder(); err != nil {
			return err
		}
	}
	return p.auditPool()
}

func (p *Port) auditPool() error {
	spare := 0
	for q := 1; q < len(p.queues); q++ {
		k := &p.queues[q]
		if p.sets != nil && q == p.sets.spill() {
			continue
		}
		if p.unused.Has(q) != (k.owners == 0) || k.owners > 0 && !p.members[k.level].Has(q) {
			return fmt.Errorf("hiq: invariant 4: queue %d has %d owners, the pool says otherwise",
				q, k.owners)
		}
		if k.owners == 0 {
			spare++
		}
	}
	if spare != p.spare || p.sets == nil && spare < p.bareLevels() {
		return fmt.Errorf("hiq: invariant 4: %d IQs are unused, the counter says %d, and %d levels "+
			"have none", spare, p.spare, p.bareLevels())
	}
	feeders := make([]int32, len(p.claims))
	for i := range p.claims {
		c := &p.claims[i]
		if c.into == noRoot {
			continue
		}
		if c.state != SoftMerging || p.claims[c.into].state == Unassigned {
			return fmt.Errorf("hiq: root %d is %v and merges into root %d, which is %v", i, c.state,
				c.into, p.claims[c.into].state)
		}
		feeders[c.into]++
	}
	for i := range p.claims {
		if feeders[i] != p.claims[i].feeders {
			return fmt.Errorf("hiq: %d roots merge into root %d, its counter says %d", feeders[i],
				i, p.claims[i].feeders)
		}
	}
	return nil
}

// recount derives from roots and sets what each queue's counters should be.
func (p *Port) recount() (owners, held []int32, bytes []sluice.Bytes) {
	owners, held = make([]int32, len(p.queues)), make([]int32, len(p.queues))
	bytes = make([]sluice.Bytes, len(p.queues))
	count := p.recountRoots
	if p.sets != nil {
		count = p.recountSets
	}
	count(owners, held, bytes)
	return owners, held, bytes
}

func (p *Port) recountRoots(owners, held []int32, bytes []sluice.Bytes) {
	for i := range p.claims {
		c := &p.claims[i]
		q := sluice.QueueID(c.order) // the OQ's if unassigned, and that is not compared
		owners[q]++
		bytes[q] += c.bytes
		if c.state == Paused {
			held[q]++
		}
	}
}

func (p *Port) recountSets(owners, held []int32, bytes []sluice.Bytes) {
	s := p.sets
	last := s.spill()
	unexplained := make([]sluice.Bytes, len(p.claims))
	for i := range p.claims {
		unexplained[i] = p.claims[i].bytes
	}
	for q := range s.records {
		r := &s.records[q]
		if !s.unordered {
			held[q] += int32(r.behind)
		}
		if q == last || p.queues[q].packets == 0 {
			continue
		}
		owners[q], bytes[q] = 1, p.queues[q].bytes
		for _, root := range r.roots[:r.size] {
			unexplained[root] -= p.queues[q].bytes
			if p.claims[root].state == Paused {
				held[q]++
			}
		}
	}
	for root := range p.claims {
		bytes[last] += unexplained[root]
		if s.union.Has(root) && p.claims[root].state == Paused {
			held[last]++
		}
	}
	if p.queues[last].packets > 0 {
		owners[last] = 1
	}
}

func (p *Port) auditOrder() error {
	s := p.sets
	unsettled := 0
	behind := make([]int, len(s.records))
	for q := range s.records {
		r, packets := &s.records[q], uint32(p.at(sluice.QueueID(q)).packets)
		if r.enqueued-r.dequeued != packets || r.barrier-r.dequeued > packets {
			return fmt.Errorf("hiq: invariant 5: queue %d has %d packets; %d came, %d left, the barrier "+
				"is at %d",
				q, packets, r.enqueued, r.dequeued, r.barrier)
		}
		if !r.drained() {
			unsettled++
		} else if !r.waiters.Empty() || !r.later.Empty() {
			return fmt.Errorf(
				"hiq: invariant 5: queues wait for queue %d, which has nothing that they need wait for", q,
			)
		}
		for w := range s.records {
			if r.waiters.Has(w) {
				behind[w]++
			}
			if r.later.Has(w) {
				behind[w]++
			}
		}
	}
	if unsettled != s.unsettled {
		return fmt.Errorf("hiq: invariant 5: %d queues have packets from before the youngest root, "+
			"the counter says %d",
			unsettled, s.unsettled)
	}
	for q := range behind {
		if behind[q] != s.records[q].behind {
			return fmt.Errorf("hiq: invariant 5: queue %d waits for %d others, its counter says %d",
				q, behind[q], s.records[q].behind)
		}
	}
	scheduled := p.counts.InUse > 0 && p.oq.packets > 0
	if p.rings[0].Eligible(int(Output)) != scheduled {
		return fmt.Errorf("hiq: invariant 3: the OQ takes turns: %v, it should: %v", !scheduled,
			scheduled)
	}
	return nil
}
