package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// upstream is what a port, as an ingress, knows of the queues of the device at its other end: which it
// holds paused, and what that device was told.
type upstream struct {
	counters []uint32 // by queue: packets held that came from it and were counted
	held     []uint64 // a bit each: paused
	told     []uint64 // a bit each: the last frame that named it said paused
	heldLen  int      // bits set in held

	changed bitset.Set // held is not told, and a Pause or Resume frame is to say so
	bitmap  bool       // a Bitmap is to be sent

	interval sluice.Time // between bitmaps
	quiet    int         // bitmaps scheduled since the last queue was resumed

	sent     uint32 // sequence number of the last frame sent
	received uint32 // sequence number of the newest frame received
	heard    bool   // received means something
}

func newUpstream(c *Config, id sluice.PortID) upstream {
	n := c.Ports[id].UpstreamQueues
	words := (n + 63) / 64
	return upstream{
		counters: make([]uint32, n),
		held:     make([]uint64, words),
		told:     make([]uint64, words),
		changed:  bitset.New(n),
		interval: c.Period,
	}
}

// over reports whether a data queue that holds backlog after an arrival is above the pause threshold
// share/N_active, at least one byte. Multiplying spares the division and, backlog being whole bytes,
// decides exactly as the quotient rounded down does.
func (p *Port) over(backlog sluice.Bytes, from *origin) bool {
	return backlog*sluice.Bytes(max(p.active, 1)) > from.share && backlog > 1
}

// mayPause reports whether a packet over the threshold that has joined e is to be counted against its
// upstream queue.
func (p *Port) mayPause(e *entry, from *origin) bool {
	c := &p.owner.counters
	c.OverThreshold++
	if e.size == 1 && !p.owner.config.CountLonePackets {
		c.Exemptions++
		return false
	}
	if from.withheld {
		c.Withheld++
		return false
	}
	return true
}

// foreign counts a packet from a queue that cannot be paused: the upstream device's first-packet queue,
// which is numbered just after its data queues, or one that it does not have.
func (s *Switch) foreign(first, over bool) {
	switch {
	case !first || !s.config.FirstPacketQueue:
		s.counters.BadUpstreamQueue++
	case over:
		s.counters.OverThreshold++
		s.counters.Unpausable++
	}
}

// pause begins a pause of upstream queue q, whose counter is no longer 0, or undoes a resume that waited.
func (p *Port) pause(q sluice.QueueID) sluice.Wake {
	s, up := p.owner, &p.upstream
	if s.resumes.cancel(p.id, q) {
		return 0
	}
	s.counters.Pauses++
	s.counters.PausesHeld++
	up.heldLen++
	up.held[q>>6] |= 1 << (q & 63)
	return p.announce(q, true)
}

// release resumes upstream queue q, whose counter is 0 since a packet left by queue by of the port
// egress, now or, if Config.ResumeLimit says so, later.
func (p *Port) release(q sluice.QueueID, egress sluice.PortID, by sluice.QueueID) sluice.Wake {
	s := p.owner
	if s.config.ResumeLimit > 0 {
		window := int(egress)*s.config.Queues + int(by)
		if !s.resumes.allow(window, s.config.Queues, s.now) {
			s.counters.ResumesDelayed++
			return s.postpone(window, p.id, q)
		}
	}
	return p.resume(q)
}

// resume ends the pause of upstream queue q.
func (p *Port) resume(q sluice.QueueID) sluice.Wake {
	up := &p.upstream
	p.owner.counters.Resumes++
	p.owner.counters.PausesHeld--
	up.heldLen--
	up.held[q>>6] &^= 1 << (q & 63)
	return p.announce(q, false)
}

// announce schedules the frames that tell of a change of queue q.
func (p *Port) announce(q sluice.QueueID, paused bool) sluice.Wake {
	s, up := p.owner, &p.upstream
	differs := up.told[q>>6]>>(q&63)&1 != 0 != paused
	switch s.config.Signalling {
	case TransitionsAndBitmap, Transitions:
		up.changed.Put(int(q), differs)
	case BitmapResumeAtOnce:
		if !paused && differs {
			up.bitmap = true
		}
	}
	var wake sluice.Wake
	s.dirty.Put(int(p.id), p.pending())
	if p.pending() {
		wake = sluice.WakeFrames
	}
	if s.config.Signalling != Transitions && p.hasten() {
		wake |= sluice.WakeDeadline
	}
	return wake
}

// pending reports whether the port has a frame to send.
func (p *Port) pending() bool { return p.upstream.bitmap || !p.upstream.changed.Empty() }

// hasten sees to it that a bitmap is sent at the next multiple of Config.Period, after what is held
// changed. It reports whether the deadline moved.
func (p *Port) hasten() bool {
	s := p.owner
	p.upstream.interval = s.config.Period
	p.upstream.quiet = 0
	if s.timers.At(int(p.id)) <= s.now.Add(s.config.Period) {
		return false
	}
	return s.timers.Put(int(p.id), s.periodAfter(s.now))
}

// tick makes a bitmap due and schedules the next one.
func (p *Port) tick(now sluice.Time) {
	s, up := p.owner, &p.upstream
	up.bitmap = true
	s.dirty.Add(int(p.id))
	if up.heldLen == 0 && s.config.IdleBitmaps > 0 {
		if up.quiet++; up.quiet >= s.config.IdleBitmaps {
			up.interval = up.interval.Add(up.interval)
		}
	}
	s.timers.Put(int(p.id), s.periodAfter(now).Add(up.interval-s.config.Period))
}

// periodAfter returns the first multiple of Config.Period after t.
func (s *Switch) periodAfter(t sluice.Time) sluice.Time {
	past := t % s.config.Period
	if past < 0 {
		past += s.config.Period
	}
	return t.Add(s.config.Period - past)
}

// fill makes the port's next frame: the Bitmap if one is due, which leaves nothing to be said, else the
// changed queues of one direction, lowest first.
func (p *Port) fill(f *Frame) {
	up := &p.upstream
	up.sent++
	f.Source, f.Sequence = p.owner.config.MAC, up.sent
	if up.bitmap {
		p.fillBitmap(f)
		return
	}
	c := &p.owner.counters
	q := up.changed.Next(0)
	paused := up.held[q>>6]>>(q&63)&1 != 0
	if paused {
		f.Type = Pause
		c.PauseFrames++
	} else {
		f.Type = Resume
		c.ResumeFrames++
	}
	f.Count = 0
	for ; q >= 0 && int(f.Count) < p.owner.config.QueuesPerFrame; q = up.changed.Next(q + 1) {
		if up.held[q>>6]>>(q&63)&1 != 0 != paused {
			continue
		}
		f.Queues[f.Count] = sluice.QueueID(q)
		f.Count++
		up.told[q>>6] ^= 1 << (q & 63)
		up.changed.Remove(q)
	}
}

func (p *Port) fillBitmap(f *Frame) {
	up := &p.upstream
	p.owner.counters.BitmapFrames++
	up.bitmap = false
	f.Type = Bitmap
	f.Count = uint16(len(up.counters))
	copy(f.Bits[:], up.held)
	copy(up.told, up.held)
	for q := up.changed.Next(0); q >= 0; q = up.changed.Next(q + 1) {
		up.changed.Remove(q)
	}
}
