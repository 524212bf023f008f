package floodgate

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Receive obeys a frame that came in at this port: credit from the device downstream of it, or a
// SYN from the one upstream. The wake carries the port if a VOQ may move. O(destinations listed).
//
// A frame that is not newer than an earlier frame, that comes while the link is down, or that was
// sent before the link came up, is counted and not obeyed. An edge port obeys no frame.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s := p.owner
	now = s.clock.Advance(now)
	p.counters.FramesReceived++
	switch {
	case !p.Obeys(now, f.Sequence):
		p.counters.Stale++
		return 0
	case p.edge:
		p.counters.Ignored++
		return 0
	case f.Type != Credit && f.Type != SYN:
		p.counters.Malformed++
		return 0
	}
	for i := range f.Listed() {
		if e := &f.Entries[i]; f.Type == Credit {
			p.take(e)
		} else {
			p.answer(e)
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

// take gives credit back to a window. More than was sent, or less than was credited, cannot be.
func (p *Port) take(e *Entry) {
	s := p.owner
	d, ok := s.directory.Find(e.Destination.Key())
	if !ok {
		p.counters.Ignored++
		return
	}
	l := &p.lanes[d]
	if e.Credited-l.credited > l.sent-l.credited {
		p.counters.Ignored++
		return
	}
	s.flying[d] -= int64(e.Credited - l.credited)
	l.credited = e.Credited
	p.unheard.Remove(d)
	p.asks.Remove(d)
	if l.credited == l.sent {
		p.silent.Remove(d)
		if p.silent.Empty() {
			s.setTimer(p.synTimer(), sluice.Never)
		}
	}
	s.grant(d)
}

// answer takes over how much the upstream has sent, and how much credit it has heard of. Bytes that
// it sent before the SYN, and that did not come in, are lost.
func (p *Port) answer(e *Entry) {
	s := p.owner
	d := s.place(e.Destination.Key())
	if d == 0 {
		p.echo, p.echoed = true, Entry{Destination: e.Destination, Credited: e.Sent}
		s.woken.Port(p.id)
		return
	}
	l := &p.lanes[d]
	before := l.owed()
	if l.received != e.Sent {
		p.counters.Corrections++
	}
	l.received, l.told = e.Sent, e.Credited
	p.note(d, before)
}

// ask owes a SYN for each destination without credit since the timer ran out last.
func (p *Port) ask(now sluice.Time) {
	for d := p.silent.Next(0); d >= 0; d = p.silent.Next(d + 1) {
		if p.unheard.Has(d) {
			p.asks.Add(d)
			p.owner.woken.Port(p.id)
		}
		p.unheard.Add(d)
	}
	if !p.silent.Empty() {
		p.owner.setTimer(p.synTimer(), chassis.After(now, p.owner.config.Timeout))
	}
}

// LinkDown says that the link of this port failed. No VOQ of it is held from now on, so that what
// waits here can be taken out, and no frame is sent or obeyed until LinkUp. O(destinations).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	p.owner.clock.Advance(now)
	p.forget()
	p.Down = true
	p.begin()
	return p.owner.woken.Take()
}

// LinkUp says that the link of this port is there again, or that the device at its other end
// started anew: all counts begin at 0, and windows lack only the bytes that the output queue holds.
// Both ends must call it. Frames that were on the link meanwhile are not obeyed: see wire.Past.
// O(destinations).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s := p.owner
	now = s.clock.Advance(now)
	p.forget()
	p.Up(now, s.config.Ports[p.id].Link, longestFrame)
	p.begin()
	return s.woken.Take()
}

// forget takes what this port has passed on out of the windows, and ends what it owes.
func (p *Port) forget() {
	s := p.owner
	p.credit(-p.sum)
	s.setTimer(p.synTimer(), sluice.Never)
	p.due, p.echo = false, false
	p.credits.Clear()
	p.silent.Clear()
	p.unheard.Clear()
	p.asks.Clear()
	for d := range p.lanes {
		p.release(d)
		if p.windowed(d) {
			s.flying[d] -= p.lanes[d].outstanding()
		}
	}
}

func (p *Port) begin() {
	s := p.owner
	for d := range p.lanes {
		l := &p.lanes[d]
		l.passed -= l.sent
		l.sent, l.credited, l.received, l.told = 0, 0, 0, -l.held
		if p.windowed(d) {
			s.flying[d] += l.outstanding()
		}
		s.grant(d)
		p.updateEligible(d)
	}
	s.woken.Port(p.id)
}
