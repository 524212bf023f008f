package ofc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// rotate starts a rotation if the paused queue has packets: it is served in the place of the normal
// queue, and the other backup queue becomes the paused queue. The order mark is the tail of the
// queue that is served now. As nothing is appended to that, it is reached when the queue is empty.
func (p *Port) rotate(k *egress, class sluice.Class) {
	if k.bytes[k.paused] == 0 {
		return
	}
	p.state.counters.Rotations++
	p.state.rotating[class] = p.owner.clock.Now()
	backup := k.paused
	k.paused = 3 - backup // the other of queues 1 and 2
	p.serve(class, backup)
}

// emptied is what follows when the queue that a class serves is empty: a rotation ends, resumes
// that were deferred take effect, and with them the next may begin. It wakes the port if another
// queue is served then.
func (p *Port) emptied(class sluice.Class, k *egress) {
	if p.shared {
		p.state.ring.Forfeit(int(class))
	}
	if k.serving == normal {
		p.ready &^= 1 << class
		return
	}
	p.endRotation(class, k)
	p.owner.woken.Port(p.id)
}

// endRotation returns to the normal queue. The backup queues keep their roles.
func (p *Port) endRotation(class sluice.Class, k *egress) {
	t := p.state
	t.counters.RotationTime = t.counters.RotationTime.Add(
		chassis.Span(t.rotating[class], p.owner.clock.Now()),
	)
	p.serve(class, normal)
	resumed := false
	for i := k.chain; i != 0; {
		e := &p.owner.entries[i]
		next, due := e.chain, e.flags&deferred != 0
		e.flags &^= chained | deferred
		if due {
			p.resume(k, i)
			resumed = true
		}
		i = next
	}
	k.chain, k.deferred = 0, 0
	if resumed {
		p.rotate(k, class)
	}
}

// serve has a class serve a queue from now on.
func (p *Port) serve(class sluice.Class, queue uint8) {
	p.classes[class].serving = queue
	p.heads[class] = uint8(class)*QueuesPerClass + queue
	p.settle(class)
}

// settle works out anew whether a class is ready, and whether a packet that comes makes it so.
func (p *Port) settle(class sluice.Class) {
	k, bit := &p.classes[class], uint32(1)<<class
	p.ready &^= bit
	p.gates[class] = 0
	if p.blocked.Has(class) {
		return
	}
	if k.serving == normal {
		p.gates[class] = uint8(bit)
	}
	if k.bytes[k.serving] > 0 {
		p.ready |= bit
	}
}

// sendable returns the queues of a class whose heads may go, as bits.
func (p *Port) sendable(class sluice.Class) uint8 {
	if p.blocked.Has(class) {
		return 0
	}
	return 1 << p.classes[class].serving
}

func (p *Port) block(class sluice.Class) {
	p.blocked &^= 1 << class
	if p.classes[class].held() || p.state.slow.Has(class) {
		p.blocked |= 1 << class
	}
	p.settle(class)
}

// pace accounts that a class moved n bytes. Beyond what Config.Speedup allows, an MTU ahead, the
// class waits, but not while the link is down.
func (p *Port) pace(class sluice.Class, n int64) {
	t, now := p.state, p.owner.clock.Now()
	if t.Down {
		return
	}
	begin := max(t.moving[class], now-p.ahead())
	t.moving[class] = chassis.After(begin, p.lasts(n))
	if t.moving[class] <= now {
		return
	}
	t.slow |= 1 << class
	p.block(class)
	p.reschedule()
}

// ahead is by how much the moves of a class may be ahead of what Config.Speedup allows.
func (p *Port) ahead() sluice.Time {
	if p.owner.config.Speedup == 0 {
		return 0
	}
	return p.lasts(int64(p.owner.config.MTU))
}

func (p *Port) lasts(n int64) sluice.Time {
	c := &p.owner.config
	return min(c.Ports[p.id].Link.Rate.TimeOf(sluice.Bytes(n))/sluice.Time(c.Speedup), maxPeriod)
}
