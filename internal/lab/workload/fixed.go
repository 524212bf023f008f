package workload

import (
	"math"
	"math/bits"

	"github.com/sluicefc/sluice/internal/prng"
)

// The logarithm, exponential and square root of this file are integer arithmetic, because the
// library's differ between platforms in the last bit, and one bit can exchange two flows.

// ln 2, truncated, in units of 2^-57 and of 2^-52.
const (
	ln2In57 = 99893036290645747
	ln2In52 = 3121657384082679
)

// negLog returns -ln(u / 2^64) in units of 2^-57, 0 taken as 1. The error is below 2^-50; the
// largest value is 64 ln 2 = 44.36. It is an exponential deviate of mean 1 when u is uniform.
func negLog(u uint64) uint64 {
	if u == 0 {
		u = 1
	}
	shift := bits.LeadingZeros64(u)
	m := u << shift // m / 2^64 is in [1/2, 1)

	// -ln(m) = 2 atanh(z) with z = (1-m) / (1+m), in (0, 1/3]; z and its powers in units of 2^-64.
	z, _ := bits.Div64(-m>>1, -m<<63, 1<<63+m>>1)
	square, _ := bits.Mul64(z, z)
	sum := uint64(0)
	for power, n := z, uint64(1); power > 0; n += 2 {
		sum += power / n
		power, _ = bits.Mul64(power, square)
	}
	return uint64(shift)*ln2In57 + sum>>6
}

// exp returns e^y as mantissa times 2^exponent, the mantissa being in [1, 2) in units of 2^-63; y
// is in units of 2^-52. The relative error is below 2^-50 times 1 plus the exponent's size.
func exp(y int64) (mantissa uint64, exponent int) {
	n := y / ln2In52
	r := y % ln2In52
	if r < 0 {
		n--
		r += ln2In52
	}
	x := uint64(r) << 12 // in units of 2^-64, below ln 2
	sum := uint64(0)     // e^x - 1
	for term, k := x, uint64(2); term > 0; k++ {
		sum += term
		term, _ = bits.Mul64(term, x)
		term /= k
	}
	return 1<<63 + sum>>1, int(n)
}

// scale returns n times mantissa times 2^exponent, the mantissa in units of 2^-63, rounded down,
// saturating at the largest uint64.
func scale(n, mantissa uint64, exponent int) uint64 {
	hi, lo := bits.Mul64(n, mantissa)
	switch shift := 63 - exponent; {
	case shift >= 128 || hi == 0 && lo == 0:
		return 0
	case shift >= 64:
		return hi >> (shift - 64)
	case shift < 0 || hi>>shift != 0:
		return math.MaxUint64
	default:
		return hi<<(64-shift) | lo>>shift
	}
}

// normal returns a normal deviate of mean 0 and variance 1 in units of 2^-52, by the polar method
// (Marsaglia, Bray: A convenient method for generating normal variables, SIAM Review 6(3), 1964):
// of a uniform point in the unit circle at squared distance s, x sqrt(-2 ln s / s). Its size is
// below 13.4. The error is below 2^-44, or 2^-27 for the deviates below 2^-11 that come from the
// circle's edge.
func normal(random *prng.Source) int64 {
	for {
		x, y := int64(random.Uint64()), int64(random.Uint64()) // in units of 2^-63
		xHi, xLo := square(x)
		yHi, yLo := square(y)
		sLo, carry := bits.Add64(xLo, yLo, 0)
		sHi, _ := bits.Add64(xHi, yHi, carry) // s, in units of 2^-126
		if sHi >= 1<<62 || sHi == 0 && sLo == 0 {
			continue
		}
		shift := bits.LeadingZeros64(sHi)
		if sHi == 0 {
			shift = 64 + bits.LeadingZeros64(sLo)
		}
		xTop, sTop := top(xHi, xLo, shift), top(sHi, sLo, shift)
		ratio := uint64(math.MaxUint64) // x^2 / s, in units of 2^-64
		if xTop < sTop {
			ratio, _ = bits.Div64(xTop, 0, sTop)
		}
		logarithm := negLog(sTop) + uint64(shift-2)*ln2In57 // -ln s; doubled, in units of 2^-56
		size := int64(squareRoot(bits.Mul64(ratio, logarithm)) >> 8)
		if x < 0 {
			return -size
		}
		return size
	}
}

func square(x int64) (hi, lo uint64) {
	size := uint64(x)
	if x < 0 {
		size = -size
	}
	return bits.Mul64(size, size)
}

// top returns the upper half of (hi, lo) shifted left.
func top(hi, lo uint64, shift int) uint64 {
	if shift >= 64 {
		return lo << (shift - 64)
	}
	return hi<<shift | lo>>(64-shift)
}

// squareRoot returns the integer square root of (hi, lo).
func squareRoot(hi, lo uint64) uint64 {
	if hi == 0 && lo == 0 {
		return 0
	}
	length := bits.Len64(lo)
	if hi > 0 {
		length = 64 + bits.Len64(hi)
	}
	x := uint64(math.MaxUint64)
	if half := (length + 1) / 2; half < 64 {
		x = 1 << half
	}
	// Newton's method from above; x never falls below the root.
	for {
		if hi >= x {
			return x // the quotient would be 2^64 or more
		}
		quotient, _ := bits.Div64(hi, lo, x)
		if quotient >= x {
			return x
		}
		x -= (x - quotient + 1) / 2
	}
}
