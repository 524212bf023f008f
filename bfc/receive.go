package bfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/wire"
)

// restartDistance is how far behind the newest frame a sequence number must be to be that of a peer
// which started anew. Duplicates of a link are much nearer.
const restartDistance = 1 << 16

// Receive obeys a frame that came in at this port from the device downstream of it: its queues pause
// and resume. The wake carries the port if queues with packets were released. Constant time for a Pause
// or Resume, O(queues/64 + changes) for a Bitmap.
//
// A frame that is not newer than one before it is counted and not obeyed. A queue that does not exist is
// counted and passed over. A queue that a Bitmap does not cover is not paused.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s := p.owner
	s.input(now)
	if !p.upstream.fresh(f.Sequence) {
		s.counters.StaleFrames++
		return 0
	}
	released := false
	switch f.Type {
	case Pause:
		s.counters.PausesReceived++
		released = p.obeyList(f, true)
	case Resume:
		s.counters.ResumesReceived++
		released = p.obeyList(f, false)
	case Bitmap:
		s.counters.BitmapsReceived++
		released = p.obeyBitmap(f)
	default:
		s.counters.BadFrames++
	}
	if released {
		return sluice.WakePort(p.id)
	}
	return 0
}

// LinkUp says that the link of this port came up, perhaps with a device at its other end that has started
// anew: what was heard from it before is void, sequence number included, and what is held is told again. The
// embedder of that device calls it too. The wake may carry all that other hooks' wakes do. O(queues).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s, up := p.owner, &p.upstream
	s.input(now)
	var wake sluice.Wake
	for q := range s.config.Queues {
		if p.setPaused(q, false) {
			wake = sluice.WakePort(p.id)
		}
	}
	up.heard = false
	clear(up.told)
	up.bitmap = s.config.Signalling != Transitions
	for q := range up.counters {
		up.changed.Put(q, !up.bitmap && up.held[q>>6]>>(q&63)&1 != 0)
	}
	if up.bitmap && p.hasten() {
		wake |= sluice.WakeDeadline
	}
	s.dirty.Put(int(p.id), p.pending())
	if p.pending() {
		wake |= sluice.WakeFrames
	}
	return wake
}

// fresh reports whether a sequence number is to be obeyed, and if so is the newest from then on.
func (u *upstream) fresh(sequence uint32) bool {
	if u.heard && !wire.Newer(sequence, u.received) && u.received-sequence <= restartDistance {
		return false
	}
	u.heard, u.received = true, sequence
	return true
}

func (p *Port) obeyList(f *Frame, paused bool) (released bool) {
	bad := false
	for _, q := range f.Listed() {
		if int(q) >= p.owner.config.Queues {
			bad = true
		} else if p.setPaused(int(q), paused) {
			released = true
		}
	}
	if bad {
		p.owner.counters.BadFrames++
	}
	return released
}

func (p *Port) obeyBitmap(f *Frame) (released bool) {
	covered := f.Covered()
	bad := false
	for w := range f.Bits {
		if w >= len(p.paused) && w*64 >= covered {
			break
		}
		said := f.Bits[w] & wordBelow(covered-w*64)
		known := wordBelow(p.owner.config.Queues - w*64)
		bad = bad || said&^known != 0
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
	if bad {
		p.owner.counters.BadFrames++
	}
	return released
}

// wordBelow returns a word whose lowest n bits are set: none if n is negative, all from 64 on.
func wordBelow(n int) uint64 {
	if n <= 0 {
		return 0
	}
	return 1<<min(uint(n), 64) - 1
}
