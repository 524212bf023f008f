package pfc

import "github.com/sluicefc/sluice"

// shapes reports whether the port has a shaper.
func (r *rules) shapes() bool { return r != nil && r.shaped }

// shape takes a packet that is sent now out of its buckets.
func (p *Port) shape(queue sluice.Class, size sluice.Bytes) sluice.Wake {
	r, now := p.state.rules, p.owner.clock.Now()
	r.shapers[queue].Take(now, size)
	r.shaper.Take(now, size)
	queues := sluice.ClassSet(1) << queue
	if r.shaper.Ready() > now {
		queues = sluice.AllClasses
	}
	p.delay(queues)
	return p.reblock() | p.reschedule()
}

// delay works out which of some queues may not send yet.
func (p *Port) delay(queues sluice.ClassSet) {
	r, t := p.state.rules, p.state
	for rest := queues; rest != 0; rest &= rest - 1 {
		q := lowest(rest)
		t.slow &^= 1 << q
		if t.ready[q] = max(r.shapers[q].Ready(), r.shaper.Ready()); t.ready[q] > p.owner.clock.Now() {
			t.slow |= 1 << q
		}
	}
}

func (s *Switch) rebaseRules(by sluice.Time) {
	for i := range s.ports {
		if r := s.ports[i].state.rules; r != nil {
			r.shaper.Rebase(by)
			for q := range r.shapers {
				r.shapers[q].Rebase(by)
			}
		}
	}
}
