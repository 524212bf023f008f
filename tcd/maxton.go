package tcd

import (
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
)

// DefaultEpsilon returns the congestion degree epsilon of the first author's ns-3 code, 1/20.
func DefaultEpsilon() sluice.Ratio { return sluice.Ratio{Num: 1, Den: 20} }

// MaxTonCEE returns max(T_on) of a port at the end of link under PFC, for a congestion degree of
// at least epsilon:
//
//	max(T_on) = ((B1 - B0)/C + tau) * (1 + epsilon)/epsilon
//
// B1 - B0 is the gap between the thresholds X_off and X_on of the device downstream, in bytes; C is
// the link's rate; tau, what it takes a resume or a pause to have an effect, is the link's delay
// and the time of a frame of the given length. Epsilon is by how much the rate into the congested
// queue exceeds the rate at which it drains, relative to the latter. A smaller epsilon makes longer
// times. The ns-3 code has a gap of two frames and epsilon 1/20.
//
// The result is exact, rounded down to a picosecond, which decides as the exact value does. It is
// Never, which New refuses, if the rate is not positive, the delay negative, the gap or the frame
// not 0 to 4 TiB, epsilon not Valid, or the result out of range.
func MaxTonCEE(link sluice.Link, gap, frame sluice.Bytes, epsilon sluice.Ratio) sluice.Time {
	switch {
	case link.Rate <= 0 || link.Delay < 0 || !epsilon.Valid(),
		gap < 0 || gap > sluice.MaxMarking || frame < 0 || frame > sluice.MaxMarking:
		return sluice.Never
	}
	// In units of 1/C: what the delay takes and what the bytes take, both less than 2^126.
	hi, lo := bits.Mul64(uint64(link.Delay), uint64(link.Rate))
	bytesHi, bytesLo := bits.Mul64(uint64(gap+frame), 8*uint64(sluice.Second))
	lo, carry := bits.Add64(lo, bytesLo, 0)
	hi += bytesHi + carry
	return scale(hi, lo, uint64(epsilon.Num+epsilon.Den), uint64(epsilon.Num), uint64(link.Rate))
}

// MaxTonInfiniBand returns max(T_on) of a port under credit-based flow control, whose credits come
// every period T_c:
//
//	T_on = T_c / (1 + epsilon)
//
// The zero epsilon gives the bound of it, T_c, which is what to use unless a degree of congestion
// is sought. The result is rounded down to a picosecond. It is Never, which New refuses, if the
// period is not positive or epsilon neither zero nor Valid.
func MaxTonInfiniBand(period sluice.Time, epsilon sluice.Ratio) sluice.Time {
	switch {
	case period <= 0:
		return sluice.Never
	case epsilon == (sluice.Ratio{}):
		return period
	case !epsilon.Valid():
		return sluice.Never
	}
	return scale(0, uint64(period), uint64(epsilon.Den), uint64(epsilon.Num+epsilon.Den), 1)
}

// scale returns x*num/(den1*den2), rounded down, of x = hi*2^64 + lo; Never if it is out of range.
// x is less than 2^127 and num at most 2^21; den1 and den2 are not 0.
func scale(hi, lo, num, den1, den2 uint64) sluice.Time {
	// Dividing by den2 and then by den1 rounds down as dividing by their product does.
	var words [3]uint64 // of x*num, the highest first
	var high uint64
	high, words[2] = bits.Mul64(lo, num)
	words[0], words[1] = bits.Mul64(hi, num)
	var carry uint64
	words[1], carry = bits.Add64(words[1], high, 0)
	words[0] += carry
	for _, den := range [...]uint64{den2, den1} {
		var rest uint64
		for i := range words {
			words[i], rest = bits.Div64(rest, words[i], den)
		}
	}
	if words[0] != 0 || words[1] != 0 || words[2] > math.MaxInt64 {
		return sluice.Never
	}
	return sluice.Time(words[2])
}
