package voq

import (
	"github.com/sluicefc/sluice"
)

// Receive obeys a frame that came in at this port from the device downstream of it. The wake
// carries the port if a queue was resumed. O(1).
//
// A frame that is not newer than an earlier frame, that comes while the link is down, or that was
// sent before the link came up, is counted and not obeyed.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s := p.owner
	now = s.clock.Advance(now)
	p.counters.FramesReceived++
	if !p.Obeys(now, f.Sequence) {
		p.counters.Stale++
		return 0
	}
	if f.Type != Pause && f.Type != Resume {
		p.counters.Malformed++
		return 0
	}
	for _, hop := range f.Listed() {
		switch {
		case hop == Rest:
			p.stop(f.Type == Pause)
		case f.Type == Pause:
			p.pause(hop.Key())
		default:
			p.resume(hop.Key())
		}
	}
	return s.woken.Take()
}

func (p *Port) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	f := &p.owner.incoming
	if err := f.Parse(frame); err != nil {
		p.owner.clock.Overlook(now)
		p.counters.Malformed++
		return 0, err
	}
	return p.Receive(now, f), nil
}

func (p *Port) stop(hold bool) {
	if p.stopped && !hold {
		p.owner.woken.Port(p.id)
	}
	p.stopped = hold
}

func (p *Port) pause(key uint64) {
	s := p.owner
	i := s.place(key)
	switch {
	case i == 0:
		p.guests++
		s.strangers++
		p.counters.UnqueuedPauses++
	case p.paused.Has(i):
		return
	default:
		p.paused.Add(i)
		s.slots[i].paused++
	}
	p.updateEligible(i)
}

func (p *Port) resume(key uint64) {
	s := p.owner
	i, known := s.directory.Find(key)
	switch {
	case known && p.paused.Has(i):
		p.paused.Remove(i)
		s.slots[i].paused--
		s.release(i)
	case p.guests > 0:
		i = 0
		p.guests--
		s.strangers--
	default:
		return
	}
	p.updateEligible(i)
	if p.Sendable(sluice.QueueID(i)) {
		s.woken.Port(p.id)
	}
}

// LinkDown says that the link of this port failed. No queue of it is held from now on, so that what
// waits here can be taken out, and no frame is sent or obeyed until LinkUp. O(queues).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.Down = true
	p.forget()
	return p.owner.woken.Take()
}

// LinkUp says that the link of this port is there again, or that the device at its other end
// started anew: frames of both directions are void. The next packet that comes in pauses the device
// again. Frames that were on the link meanwhile are not obeyed: see wire.Past. O(queues).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s := p.owner
	now = s.clock.Advance(now)
	p.forget()
	p.Up(now, s.config.Ports[p.id].Link, longestFrame)
	return s.woken.Take()
}

// forget ends the pauses by the peer and of the peer.
func (p *Port) forget() {
	s := p.owner
	if p.stopped || p.guests > 0 || !p.paused.Empty() {
		s.woken.Port(p.id)
	}
	s.strangers -= p.guests
	p.stopped, p.guests = false, 0
	p.owes.Clear()
	p.updateEligible(0)
	for i := range s.slots {
		d := &s.slots[i]
		held, asked := p.paused.Has(i), d.want.Has(int(p.id)) || d.told.Has(int(p.id))
		if held {
			p.paused.Remove(i)
			d.paused--
			p.updateEligible(i)
		}
		if asked {
			d.want.Remove(int(p.id))
			d.told.Remove(int(p.id))
		}
		if held || asked {
			s.release(i)
		}
	}
}

// WaitsFor reports whether queue q, which is held, waits for a packet of the next device: a packet
// for the same destination, and any packet of the rest where the rest was paused.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, in sluice.QueueID, _ bool) bool {
	key, _ := destination(packet)
	if int(q) >= len(p.owner.slots) {
		return false
	}
	return p.stopped && in == 0 || p.heldFor(int(q)) && (q == 0 || p.owner.slots[q].key == key)
}
