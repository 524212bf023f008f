package voq

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/wire"
)

// Port is a port of a Switch: an egress with its queues, and the frames to the device upstream.
type Port struct {
	owner *Switch
	id    sluice.PortID

	// As an egress.
	bytes   []int64 // by queue
	ring    drr.Ring
	paused  bitset.Set // destinations that the peer has paused
	guests  int64      // pauses by the peer of destinations that found no queue
	stopped bool       // the peer has paused the rest, which holds all queues
	active  int        // queues that have packets

	// As an ingress.
	pauseAt, resumeAt int64
	rest              int64      // bytes of the rest that came in by this port
	owes              bitset.Set // destinations that the peer is owed a frame about

	wire.Peer
	counters PortCounters
}

// Enqueue accounts a packet routed to this egress port: to the queue of its destination. If the
// switch holds more than K_pause for it, the port that the packet came in by owes a PAUSE. A packet
// without a Path belongs to the rest, and is counted as Incomplete. O(1).
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	s.clock.Advance(now)
	n := int64(packet.Size)
	if reason := p.refusal(packet); reason != sluice.NoReason {
		p.counters.Dropped[reason]++
		return sluice.DropBecause(reason)
	}
	i := 0
	if key, ok := destination(packet); ok {
		i = s.place(key)
	} else {
		p.counters.Incomplete++
	}
	d := &s.slots[i]
	if p.bytes[i] == 0 {
		p.active++
		p.counters.QueuesPeak = max(p.counters.QueuesPeak, p.active)
	}
	p.bytes[i] += n
	d.bytes += n
	s.buffered += n
	p.counters.Enqueued++
	p.updateEligible(i)
	held := d.bytes
	if i == 0 {
		held = p.admitStranger(packet)
	}
	if in := s.ports.At(packet.Ingress); in != nil && held > in.pauseAt && !in.Down &&
		!d.want.Has(int(in.id)) {
		s.ask(i, in.id, true)
	}
	return sluice.AppendToQueue(sluice.QueueID(i)).WithWake(s.woken.Take())
}

// admitStranger accounts a packet of the rest, and returns what is compared with K_pause: what came
// in by its ingress. The rest goes all ways, also back, so that two switches that held each other
// for what both hold of it would wait for ever.
func (p *Port) admitStranger(packet *sluice.Packet) int64 {
	p.counters.Unqueued++
	p.owner.strangers++
	in := p.owner.ports.At(packet.Ingress)
	if in == nil {
		return 0
	}
	in.rest += int64(packet.Size)
	return in.rest
}

func (p *Port) refusal(packet *sluice.Packet) sluice.Reason {
	s := p.owner
	reason := chassis.Fault(packet, len(s.ports))
	full := s.config.Buffer > 0 && s.buffered+int64(packet.Size) > int64(s.config.Buffer)
	if reason == sluice.NoReason && full {
		return sluice.BufferFull
	}
	return reason
}

// Next returns the queue whose head goes next: queues that have packets and are not held go in turn
// by bytes. Asked again before an input, it answers the same. O(1).
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	if p.stopped {
		return 0, false
	}
	q := p.ring.Next()
	return sluice.QueueID(max(q, 0)), q >= 0
}

// Dequeue accounts the departure of the packet at the head of queue q, which Next answered. When no
// more than K_resume are left for the destination, it resumes the destination at all upstreams that
// it paused: O(paused ports), else O(1). A packet that cannot be the head of q is counted as
// misuse.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s, i, n := p.owner, int(q), int64(packet.Size)
	s.clock.Advance(now)
	if i >= len(p.bytes) || !p.Sendable(q) || n <= 0 || n > p.bytes[i] ||
		i == 0 && !p.dismissStranger(packet) {
		p.counters.Misuse++
		return sluice.DropBecause(sluice.BadQueue)
	}
	d := &s.slots[i]
	p.bytes[i] -= n
	d.bytes -= n
	s.buffered -= n
	p.counters.Transmitted++
	if p.bytes[i] == 0 {
		p.active--
		p.ring.ChargeLast(i, n)
	} else {
		p.ring.Charge(i, n)
	}
	for in := d.want.Next(0); in >= 0 && i > 0; in = d.want.Next(in + 1) {
		if d.bytes <= s.ports[in].resumeAt {
			s.ask(i, sluice.PortID(in), false)
		}
	}
	s.release(i)
	return sluice.TransmitMarked(packet.ECN).WithWake(s.woken.Take())
}

// dismissStranger ends what admitStranger did; false if it did not.
func (p *Port) dismissStranger(packet *sluice.Packet) bool {
	s := p.owner
	if in := s.ports.At(packet.Ingress); in != nil {
		if in.rest < int64(packet.Size) {
			return false
		}
		in.rest -= int64(packet.Size)
		if s.slots[0].want.Has(int(in.id)) && in.rest <= in.resumeAt {
			s.ask(0, in.id, false)
		}
	}
	s.strangers--
	return true
}

// PollFrame builds the next frame that this port owes its peer, from the state as it is now: about
// the lowest queue that is owed a frame, and about others that are owed the same frame. False, and
// f unchanged, when no frame is owed. O(queues owed).
func (p *Port) PollFrame(_ sluice.Time, f *Frame) bool {
	s, i := p.owner, p.owes.Next(0)
	if i < 0 {
		return false
	}
	hold := s.slots[i].want.Has(int(p.id))
	p.Sent++
	p.counters.FramesSent++
	*f = Frame{Type: Resume, Source: s.config.MAC, Sequence: p.Sent}
	if hold {
		f.Type = Pause
	}
	for ; i >= 0 && f.Count < MaxListed; i = p.owes.Next(i + 1) {
		d := &s.slots[i]
		if d.want.Has(int(p.id)) != hold {
			continue
		}
		f.Destinations[f.Count] = d.hop()
		f.Count++
		p.owes.Remove(i)
		d.told.Put(int(p.id), hold)
		s.release(i)
	}
	if hold {
		p.counters.Pauses += uint64(f.Count)
	} else {
		p.counters.Resumes += uint64(f.Count)
	}
	return true
}

func (p *Port) Owes() bool { return !p.owes.Empty() }

func (p *Port) updateEligible(i int) { p.ring.SetEligible(i, p.bytes[i] > 0 && !p.heldFor(i)) }

func (p *Port) heldFor(i int) bool { return p.paused.Has(i) || i == 0 && p.guests > 0 }
