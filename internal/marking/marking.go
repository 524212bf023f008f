// Package marking decides which packets of a queue are marked with ECN: the one implementation of
// sluice.Marking, for the machines and the congestion detectors.
package marking

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// RED is a sluice.Marking with the span of its ramp worked out. Make it with New: the zero value is
// not a marking that is off.
type RED struct {
	kMin, kMax int64
	num        int64 // a queue of kMin + x is marked with the probability x*num / span
	span       uint64
}

// New returns the decision of m, which must pass m.Check.
func New(m sluice.Marking) RED {
	if m == (sluice.Marking{}) {
		return RED{kMin: math.MaxInt64, kMax: math.MaxInt64}
	}
	return RED{
		kMin: int64(m.KMin),
		kMax: int64(m.KMax),
		num:  m.PMax.Num,
		span: uint64(m.KMax-m.KMin) * uint64(max(m.PMax.Den, 0)),
	}
}

// Above returns the length, in bytes, that a queue must exceed for any packet to be marked: KMin,
// or the largest int64 if marking is off.
func (r *RED) Above() int64 { return r.kMin }

// Congested reports whether the rule marks a packet that leaves q bytes behind. It draws once from
// random if q is on the ramp, and not otherwise.
func (r *RED) Congested(q int64, random *prng.Source) bool {
	if q <= r.kMin {
		return false
	}
	return q > r.kMax || random.Below(r.span) < uint64((q-r.kMin)*r.num)
}

// Mark returns the code point of a packet that leaves q bytes behind: CE if it is ECN-capable and
// the rule marks it. It draws as Congested does, and not for packets that are not ECN-capable or
// are CE already.
func (r *RED) Mark(ecn sluice.ECN, q int64, random *prng.Source) sluice.ECN {
	if (ecn == sluice.ECT0 || ecn == sluice.ECT1) && r.Congested(q, random) {
		return sluice.CE
	}
	return ecn
}
