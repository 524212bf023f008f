package pfc

import (
	"math"

	"github.com/sluicefc/sluice"
)

// threshold is a limit on bytes, T = floor((free*num + fixed) / den), by dynamic threshold (fixed
// 0) or static (num 0, den 1). It is never divided out: x > T is x*den > free*num + fixed, which is
// exact for any ratio and takes two multiplications.
type threshold struct {
	fixed    int64
	num, den uint32
}

// dynamicThreshold returns alpha*free; of the zero Ratio, a threshold that nothing exceeds.
func dynamicThreshold(alpha sluice.Ratio) threshold {
	if !given(alpha) {
		return staticThreshold(int64(MaxBuffer) * 2)
	}
	return threshold{num: uint32(alpha.Num), den: uint32(alpha.Den)}
}

func staticThreshold(bytes int64) threshold { return threshold{fixed: bytes, den: 1} }

// exceededBy reports whether x > T.
func (t *threshold) exceededBy(x, free int64) bool {
	return x*int64(t.den) > free*int64(t.num)+t.fixed
}

// bytes returns T.
func (t *threshold) bytes(free int64) int64 {
	return max(0, (free*int64(t.num)+t.fixed)/int64(t.den))
}

// account is the bytes of an ingress in one class, and their limits, by the rules of the ns-3 codes
// of HPCC and Pyrrha (class SwitchMmu), signed. It has two cache lines: a packet touches the first,
// and the second while the class is paused or headroom is in use. Only here is decided whether to
// pause or to resume.
type account struct {
	bytes    int64     // in reserve and pool
	peak     int64     // of both and the headroom
	alert    int64     // an arrival that leaves a smaller distance is looked at: see over
	packets  uint64    // received since New
	received uint64    // and their bytes
	limit    threshold // on the bytes beyond the reserve
	reserve  uint32
	pool     uint8 // that it shares
	_        uint8
	flags    uint16

	resumeAt     int64  // held bytes times den at which it is under, without free*num: see low
	floor        uint32 // up to these bytes it is always under: the reserve, or more
	resumeOffset uint32
	margin       int64  // least of (T - shared) * den that an arrival left
	headroom     uint32 // bytes in headroom
	maxHeadroom  uint32
	sharedPeak   int64 // if it is watched
	_            [24]byte
}

// Flags of account.flags. All but pausing send packets the slow way, retags when they leave.
const (
	lossy     = 1 << iota // the class is not lossless here: nothing is accounted
	inCells               // packets take whole cells
	discards              // the watchdog drops what arrives
	spilled               // headroom is in use
	byTrigger             // a trigger of its own decides whether to pause
	pausing               // the upstream is to be paused
	retags                // packets may leave in another class than they came in, or rules be kept
	mixed                 // packets wait that were accounted the other way: see regime.go
	wasLossy              // packets from before the first such change are lossy
	watched               // Config.Watermarks: the shared part and the pools have peaks
	limited               // lossy and held to its profile: see qos.Port.Lossy
)

// set takes over the limits of a profile. A class that is not lossless has nothing of its own.
func (a *account) set(c *Profile) {
	least := a.leastMargin()
	if a.flags&lossy != 0 {
		c = &Profile{Pool: c.Pool}
	}
	a.reserve = uint32(c.Reserve)
	a.floor = uint32(max(c.Reserve, c.XOnFloor))
	a.maxHeadroom = uint32(c.Headroom)
	a.pool = uint8(c.Pool)
	if given(c.Alpha) {
		a.setLimit(dynamicThreshold(c.Alpha), max(0, c.ResumeOffset))
	} else {
		a.setLimit(staticThreshold(max(0, int64(c.XOff-c.Reserve))), c.XOff-c.XOn)
	}
	a.setMargin(least)
}

// setLimit sets the threshold, and how much less makes the upstream resume.
func (a *account) setLimit(limit threshold, offset sluice.Bytes) {
	a.limit, a.resumeOffset = limit, uint32(offset)
	a.resumeAt = limit.fixed + (int64(a.reserve)-int64(a.resumeOffset))*int64(limit.den)
}

// setMargin sets the least margin so far in bytes, MaxBuffer for none.
func (a *account) setMargin(least sluice.Bytes) {
	a.margin, a.alert = math.MaxInt64, math.MaxInt64
	if least != MaxBuffer {
		a.margin = int64(least) * int64(a.limit.den)
		a.alert = max(a.margin, int64(a.limit.den))
	}
}

func (a *account) shared() int64 { return max(0, a.bytes-int64(a.reserve)) }

// admit accounts n bytes that arrive to the reserve and the pool; false, and no change, if they
// must go to the headroom or nowhere: if they would leave shared > T of room, as in SwitchMmu, or
// exceed the free bytes of the pool. The latter cannot be with alpha <= 1; a static threshold or
// alpha > 1 would overrun the buffer.
func (a *account) admit(free *int64, room, n int64) bool {
	if beyond := a.beyond(n); beyond > 0 {
		take := min(n, beyond)
		if take > *free || a.limit.exceededBy(beyond, room) {
			return false
		}
		*free -= take
	}
	a.bytes += n
	return true
}

// beyond returns by how much n more bytes would exceed the reserve.
func (a *account) beyond(n int64) int64 { return a.bytes + n - int64(a.reserve) }

// admitToHeadroom accounts n bytes that admit refused to the headroom; false if they do not fit.
func (a *account) admitToHeadroom(free *int64, n int64) bool {
	if int64(a.headroom)+n > int64(a.maxHeadroom) || n > *free {
		return false
	}
	a.headroom += uint32(n)
	a.flags |= spilled
	*free -= n
	return true
}

// remove accounts n bytes that depart, from the headroom first; false if it holds fewer.
func (a *account) remove(free, freeHeadroom *int64, n int64) bool {
	if a.headroom > 0 {
		fromHeadroom := min(int64(a.headroom), n)
		if n-fromHeadroom > a.bytes {
			return false
		}
		if a.headroom -= uint32(fromHeadroom); a.headroom == 0 {
			a.flags &^= spilled
		}
		*freeHeadroom += fromHeadroom
		n -= fromHeadroom
	}
	if n > a.bytes {
		return false
	}
	*free += min(n, a.shared())
	a.bytes -= n
	return true
}

// distance returns (T - shared) * den, where shared is below 0 while the reserve is not full.
func (a *account) distance(shared, free int64) int64 {
	return free*int64(a.limit.num) + a.limit.fixed - shared*int64(a.limit.den)
}

// over reports, after an arrival, whether the upstream must pause: headroom is in use, or the
// reserve is full and shared >= T. Where the distance is then at least alert and no headroom in
// use, neither admit nor over need be asked: both would let the packet pass, without a new least
// margin.
func (a *account) over(free int64) bool {
	margin := a.distance(a.bytes-int64(a.reserve), max(free, 0))
	if a.headroom > 0 {
		margin = min(margin, 0)
	}
	if margin < a.margin {
		a.margin = margin
		a.alert = max(margin, int64(a.limit.den))
	}
	if held := a.bytes + int64(a.headroom); held > a.peak {
		a.peak = held
	}
	return margin < int64(a.limit.den)
}

// under reports whether the upstream may resume: no headroom is in use, and nothing beyond the
// floor or at least the resume offset less than T.
func (a *account) under(free int64) bool { return a.headroom == 0 && a.low(a.bytes, free) }

// low is under for a number of held bytes while no headroom is in use: held is no more than the
// floor, or held - reserve + resumeOffset <= T.
func (a *account) low(held, free int64) bool {
	return held <= int64(a.floor) ||
		held*int64(a.limit.den) <= free*int64(a.limit.num)+a.resumeAt
}

func (a *account) count(packet *sluice.Packet) {
	a.packets++
	a.received += uint64(packet.Size)
}

// leastMargin returns the least distance to a pause, rounded down.
func (a *account) leastMargin() sluice.Bytes {
	if a.margin == math.MaxInt64 {
		return MaxBuffer
	}
	whole, den := a.margin/int64(a.limit.den), int64(a.limit.den)
	if whole*den > a.margin {
		whole--
	}
	return sluice.Bytes(whole)
}
