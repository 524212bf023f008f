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

// dynamicThreshold returns the threshold alpha*free; the zero Ratio gives one that is never
// exceeded.
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

// account is what an ingress holds in one class, and the limits it is held to: one cache line, all
// that an ingress adds to what a packet touches. The rules are those of the ns-3 codes of HPCC and
// Pyrrha (class SwitchMmu), signed. This type is the one place where the question "pause or
// resume?" is decided.
type account struct {
	bytes  int64 // in reserve and pool
	peak   int64 // of those and the headroom
	margin int64 // least of (T - shared) * den that an arrival left

	limit        threshold // on the bytes beyond the reserve
	reserve      uint32
	floor        uint32 // at so many bytes it is always under: the reserve, or more
	resumeOffset uint32
	headroom     uint32 // bytes in headroom
	maxHeadroom  uint32
	pool         uint8 // that it shares
	aside        uint8 // why packets go the slow way: flags
	paused       bool  // the upstream is to be paused
}

// Flags of account.aside.
const (
	lossy    = 1 << iota // the class is not lossless here: nothing is accounted
	inCells              // packets take whole cells
	discards             // the watchdog drops what arrives
)

// set takes over the limits of a profile.
func (a *account) set(c *Profile) {
	a.reserve = uint32(c.Reserve)
	a.floor = uint32(max(c.Reserve, c.XOnFloor))
	a.maxHeadroom = uint32(c.Headroom)
	a.pool = uint8(c.Pool)
	if given(c.Alpha) {
		a.limit = dynamicThreshold(c.Alpha)
		a.resumeOffset = uint32(max(0, c.ResumeOffset))
		return
	}
	a.limit = staticThreshold(max(0, int64(c.XOff-c.Reserve)))
	a.resumeOffset = uint32(c.XOff - c.XOn)
}

// shared returns the bytes this account has taken of the pool.
func (a *account) shared() int64 { return max(0, a.bytes-int64(a.reserve)) }

// admit accounts n bytes that arrive to the reserve and the pool; false, and no change, if they
// must go to the headroom or nowhere.
//
// As in SwitchMmu the bytes go to the reserve while they fit, to the pool while that leaves shared
// <= T, else to the headroom, and are dropped where that is full. Beyond that we let nobody take
// more of the pool than is free, which with alpha <= 1 cannot happen, and with a static threshold
// or alpha > 1 would overrun the buffer.
func (a *account) admit(free *int64, n int64) bool {
	if beyond := a.bytes + n - int64(a.reserve); beyond > 0 {
		take := min(n, beyond)
		if take > *free || a.limit.exceededBy(beyond, *free) {
			return false
		}
		*free -= take
	}
	a.bytes += n
	return true
}

// admitToHeadroom accounts n bytes that admit refused to the headroom; false, and no change, if
// they do not fit, or the shared headroom pool has not so many free.
func (a *account) admitToHeadroom(free *int64, n int64) bool {
	if int64(a.headroom)+n > int64(a.maxHeadroom) || n > *free {
		return false
	}
	a.headroom += uint32(n)
	*free -= n
	return true
}

// remove accounts n bytes that depart, from the headroom first; false, and no change, if the
// account does not hold so many.
func (a *account) remove(free, freeHeadroom *int64, n int64) bool {
	if a.headroom > 0 {
		fromHeadroom := min(int64(a.headroom), n)
		if n-fromHeadroom > a.bytes {
			return false
		}
		a.headroom -= uint32(fromHeadroom)
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

// over reports whether the upstream must pause: headroom is in use, or the reserve is full and
// shared >= T.
func (a *account) over(free int64) bool {
	shared := a.bytes - int64(a.reserve)
	margin := max(free, 0)*int64(a.limit.num) + a.limit.fixed - shared*int64(a.limit.den)
	if a.headroom > 0 {
		margin = min(margin, 0)
	}
	if margin < a.margin {
		a.margin = margin
	}
	if held := a.bytes + int64(a.headroom); held > a.peak {
		a.peak = held
	}
	return margin < int64(a.limit.den)
}

// under reports whether the upstream may resume: no headroom is in use, and nothing beyond the
// floor or at least the resume offset less than T.
func (a *account) under(free int64) bool {
	if a.headroom != 0 {
		return false
	}
	return a.bytes <= int64(a.floor) ||
		!a.limit.exceededBy(a.bytes-int64(a.reserve)+int64(a.resumeOffset), free)
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
