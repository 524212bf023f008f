package pfc

import (
	"math"

	"github.com/sluicefc/sluice"
)

// threshold is a limit on bytes, T = floor((free*num + fixed) / den), by dynamic threshold (fixed 0) or static
// (num 0, den 1). It is never divided out: x > T is x*den > free*num + fixed, which is exact for
// any ratio and takes two multiplications.
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
	return (free*int64(t.num) + t.fixed) / int64(t.den)
}

// account is what an ingress holds in one lossless class, and the limits it is held to: one cache
// line. The rules are those of the ns-3 codes of HPCC and Pyrrha (class SwitchMmu), signed. This type is the
// one place where the question "pause or resume?" is decided.
type account struct {
	bytes    int64 // in reserve and pool
	headroom int64 // in headroom
	peak     int64 // of both
	margin   int64 // least of (T - shared) * den that an arrival left

	limit        threshold // on the bytes beyond the reserve
	reserve      uint32
	maxHeadroom  uint32
	resumeOffset uint32
	paused       bool // the upstream is to be paused
	discard      bool // the watchdog drops what arrives
}

func (a *account) init(c *PortConfig) {
	a.margin = math.MaxInt64
	a.reserve = uint32(c.Reserve)
	a.maxHeadroom = uint32(c.Headroom)
	if given(c.Alpha) {
		a.limit = dynamicThreshold(c.Alpha)
		a.resumeOffset = uint32(c.ResumeOffset)
		return
	}
	a.limit = staticThreshold(max(0, int64(c.XOff-c.Reserve)))
	a.resumeOffset = uint32(c.XOff - c.XOn)
}

// shared returns the bytes this account has taken of the pool.
func (a *account) shared() int64 { return max(0, a.bytes-int64(a.reserve)) }

// admit accounts n bytes that arrive to the reserve and the pool; false, and no change, if they must
// go to the headroom or nowhere.
//
// SwitchMmu drops iff n + headroom exceeds the headroom and n + shared exceeds T. Otherwise
// the bytes go to the reserve while they fit, to the pool while that leaves shared <= T, else to
// the headroom. Beyond that we let nobody take more of the pool than is free, which with alpha <= 1
// cannot happen, and with a static threshold or alpha > 1 would overrun the buffer.
func (a *account) admit(s *Switch, n int64) bool {
	beyond := a.bytes + n - int64(a.reserve)
	take := max(0, min(n, beyond))
	if take > s.free || a.limit.exceededBy(beyond, s.free) || a.headroom+n > int64(a.maxHeadroom) {
		return false
	}
	a.bytes += n
	s.free -= take
	return true
}

// admitToHeadroom is for a packet that admit refused.
func (p *Port) admitToHeadroom(class sluice.Class, n int64) bool {
	s, a, c := p.owner, p.account(class), &p.counters.Class[class]
	beyond := a.bytes + n - int64(a.reserve)
	take := max(0, min(n, beyond))
	spills := take > s.free || a.limit.exceededBy(beyond, s.free)
	if a.headroom+n > int64(a.maxHeadroom) && (spills || a.limit.exceededBy(a.shared()+n, s.free)) {
		c.HeadroomDrops++
		c.HeadroomMissing = max(c.HeadroomMissing, sluice.Bytes(a.headroom+n-int64(a.maxHeadroom)))
		return false
	}
	if !spills {
		a.bytes += n
		s.free -= take
		return true
	}
	a.headroom += n
	c.HeadroomPeak = max(c.HeadroomPeak, sluice.Bytes(a.headroom))
	return true
}

// remove accounts n bytes that depart, from the headroom first; false, and no change, if the
// account does not hold so many.
func (a *account) remove(s *Switch, n int64) bool {
	if a.headroom > 0 {
		fromHeadroom := min(a.headroom, n)
		if n-fromHeadroom > a.bytes {
			return false
		}
		a.headroom -= fromHeadroom
		n -= fromHeadroom
	}
	if n > a.bytes {
		return false
	}
	s.free += min(n, a.shared())
	a.bytes -= n
	return true
}

// over reports whether the upstream must pause: headroom is in use, or shared >= T.
func (a *account) over(free int64) bool {
	margin := free*int64(a.limit.num) + a.limit.fixed - a.shared()*int64(a.limit.den)
	if margin < a.margin {
		a.margin = margin
	}
	if held := a.bytes + a.headroom; held > a.peak {
		a.peak = held
	}
	return margin < int64(a.limit.den) || a.headroom > 0
}

// under reports whether the upstream may resume: no headroom is in use, and nothing of the pool or at
// least the resume offset less than T.
func (a *account) under(free int64) bool {
	if a.headroom != 0 {
		return false
	}
	shared := a.shared()
	return shared == 0 || !a.limit.exceededBy(shared+int64(a.resumeOffset), free)
}

// leastMargin returns T - shared at its least, rounded down.
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
