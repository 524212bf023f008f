package bfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// Receive obeys a frame that came in at this port from the device downstream of it: its queues
// pause and resume. The wake carries the port if a queue was resumed. Constant time for a Pause or
// Resume, O(queues/64 + changes) for a Bitmap.
//
// A frame that is not newer than an earlier one is counted and not obeyed, and so is a frame that
// comes while the link is down, or was sent before the link came up. A queue that does not exist is
// counted and passed over. A queue that a Bitmap does not cover is not paused.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s, c, up := p.owner, &p.counters, &p.upstream
	s.advance(now)
	now = s.clock.Now()
	c.FramesReceived++
	if !up.Obeys(now, f.Sequence) {
		c.Stale++
		return s.woken.Take()
	}
	released, malformed := false, false
	switch f.Type {
	case Pause:
		c.PausesReceived++
		p.hold(now)
		released, malformed = p.obeyList(f, true)
	case Resume:
		c.ResumesReceived++
		released, malformed = p.obeyList(f, false)
	case Bitmap:
		c.BitmapsReceived++
		released, malformed = p.obeyBitmap(f)
		if p.anyPaused() {
			p.hold(now)
		}
	default:
		malformed = true
	}
	if malformed {
		c.Malformed++
	}
	if released {
		s.woken.Port(p.id)
	}
	return s.woken.Take()
}

// ReceiveWire is Receive of a frame as it came in on the wire, without its check sequence. For
// bytes that are no frame it counts Malformed, changes nothing else and returns a
// *sluice.FrameError.
func (p *Port) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	f := &p.owner.incoming
	if err := f.Parse(frame); err != nil {
		p.owner.clock.Overlook(now)
		p.counters.Malformed++
		return 0, err
	}
	return p.Receive(now, f), nil
}

// LinkDown reports that the link of this port failed. No queue of it is paused from now on, so that
// the packets here can be taken out, and no frame is sent or obeyed until LinkUp. O(queues).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	s, up := p.owner, &p.upstream
	s.advance(now)
	up.Down = true
	up.bitmap = false
	up.forget()
	p.runAll()
	s.setTimer(int(p.id), sluice.Never)
	p.startExpiry(sluice.Never)
	return s.woken.Take()
}

// LinkUp reports that the link of this port is there again, or that the device at its other end
// started anew. It voids all that came from the device before, sequence number included, and the
// next Bitmap reports all held queues again. The embedder of that device calls it too. Frames that
// were on the link meanwhile are not obeyed: with LinkUp the numbers of a port's frames jump by
// 65,536, and for as long as a frame can be under way frames near the last one received are stale;
// if none was received all are. So where a device restarts, call LinkDown when it goes away, and
// LinkUp no sooner than the link's delay after that. O(queues).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s, up := p.owner, &p.upstream
	s.advance(now)
	now = s.clock.Now()
	p.runAll()
	up.Up(now, s.config.Ports[p.id].Link, longestFrame)
	up.forget()
	up.bitmap = s.bitmaps || !up.differs.Empty()
	if s.bitmaps {
		p.refreshSoon()
	}
	if p.pending() {
		s.woken.Port(p.id)
	}
	return s.woken.Take()
}

// forget voids the frames that the device upstream got: it takes no queue for paused.
func (u *upstream) forget() {
	for q := range u.counters {
		u.differs.Put(q, u.held.Has(q))
	}
}

func (p *Port) runAll() {
	for q := range int(p.data) {
		if p.setPaused(q, false) {
			p.owner.woken.Port(p.id)
		}
	}
}

// obeyList obeys a Pause or Resume. It reports whether a queue was resumed, and whether the frame
// names a queue that does not exist.
func (p *Port) obeyList(f *Frame, paused bool) (released, malformed bool) {
	for _, q := range f.Listed() {
		if uint16(q) >= p.data {
			malformed = true
		} else if p.setPaused(int(q), paused) {
			released = true
		}
	}
	return released, malformed
}

// obeyBitmap obeys a Bitmap. It reports whether a queue was resumed, and whether the frame pauses a
// queue that does not exist.
func (p *Port) obeyBitmap(f *Frame) (released, malformed bool) {
	covered := f.Covered()
	for w := range f.Bits {
		if w >= len(p.paused) && w*64 >= covered {
			break
		}
		said := f.Bits[w] & wordBelow(covered-w*64)
		known := wordBelow(int(p.data) - w*64)
		malformed = malformed || said&^known != 0
		if known == 0 {
			continue
		}
		for differ := said&known ^ p.paused[w]; differ != 0; differ &= differ - 1 {
			bit := bits.TrailingZeros64(differ)
			if p.setPaused(w*64+bit, said>>bit&1 != 0) {
				released = true
			}
		}
	}
	return released, malformed
}

// wordBelow returns a word whose lowest n bits are set: none if n is negative, all from 64 on.
func wordBelow(n int) uint64 {
	if n <= 0 {
		return 0
	}
	return 1<<min(uint(n), 64) - 1
}
