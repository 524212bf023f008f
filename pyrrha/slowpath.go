package pyrrha

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/chassis"
)

// The hooks end with what is here, if they come to it at all. It looks up again what it needs: so a
// packet that goes through the OQ alone has its values in registers.

// enqueueOther is Enqueue of a packet that is refused, is of a class that is not under Pyrrha, has
// no path, or comes to a single tier.
//
//go:noinline
func (p *Port) enqueueOther(now sluice.Time, pkt *sluice.Packet) sluice.Verdict {
	s := p.owner
	size := pkt.Size
	if p.fault(pkt) != sluice.NoReason {
		s.clock.Overlook(now)
		return p.refuse(pkt)
	}
	s.clock.Advance(now)
	if s.buffered+size > s.limit {
		return p.refuse(pkt)
	}
	s.buffered += size
	p.enqueued++
	if !s.classes.Has(pkt.Class) {
		p.counts.Outside++
		return sluice.AppendToQueue(p.others.put(pkt.Class, size))
	}
	if pkt.Path.Len() == 0 {
		p.counts.Incomplete++
	}
	if p.isolated > 0 {
		return p.placeInSet(pkt) // of a path that is empty the empty set, in hierarchical queues too
	}
	return p.placeInOutput(pkt)
}

func (p *Port) fault(pkt *sluice.Packet) sluice.Reason {
	if reason := chassis.Fault(pkt, len(p.owner.ports)); reason != sluice.NoReason {
		return reason
	}
	if pkt.Path.Len() > 0 && pkt.Path.At(0) != (sluice.Hop{Switch: p.owner.id, Port: p.id}) {
		return sluice.BadPath
	}
	return sluice.NoReason
}

//go:noinline
func (p *Port) refuse(pkt *sluice.Packet) sluice.Verdict {
	reason := p.fault(pkt)
	if reason == sluice.NoReason {
		reason = sluice.BufferFull
	}
	p.counts.Dropped[reason]++
	return sluice.DropBecause(reason)
}

// nextOther is Next while packets of other classes wait, the port is held or its link is down.
//
//go:noinline
func (p *Port) nextOther() (sluice.QueueID, bool) {
	if q, ok := p.others.above(); ok {
		return q, true
	}
	if p.peer.Down && !p.held && p.iq.OutputBacklog() > 0 {
		return hiq.Output, true // before more moves there: discarded packets must pause no upstream
	}
	if !p.held {
		if q, ok := p.iq.Next(p.owner.clock.Now()); ok {
			return q, true
		}
	}
	return p.others.below()
}

// sendOther is Dequeue of a class queue, or of any queue in a single tier.
//
//go:noinline
func (p *Port) sendOther(
	now sluice.Time, q sluice.QueueID, pkt *sluice.Packet,
) sluice.Verdict {
	s := p.owner
	size := pkt.Size
	switch {
	case q == hiq.Output:
		if !p.iq.TakeOutput(size) {
			return p.misuse(now)
		}
		s.clock.Advance(now)
		p.leftOutput(size)
	case int(q) < p.iq.Queues():
		if !p.sendFromSet(now, q, pkt, size) {
			return p.misuse(now)
		}
	case !p.others.take(q, size):
		return p.misuse(now)
	default:
		s.clock.Advance(now)
	}
	if p.iq.Opened() {
		s.woken.Port(p.id)
	}
	s.buffered -= size
	p.sent++
	return s.answer(sluice.TransmitMarked(pkt.ECN))
}

// sentOutput ends Dequeue of the OQ where more changes than its length.
//
//go:noinline
func (p *Port) sentOutput(pkt *sluice.Packet) sluice.Verdict {
	p.leftOutput(pkt.Size)
	return p.owner.answer(sluice.TransmitMarked(pkt.ECN))
}

//go:noinline
func (p *Port) misuse(now sluice.Time) sluice.Verdict {
	p.owner.clock.Overlook(now)
	p.counts.Misuse++
	p.counts.Dropped[sluice.BadQueue]++
	return sluice.DropBecause(sluice.BadQueue)
}
