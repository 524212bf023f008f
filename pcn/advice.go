package pcn

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
)

// MaxAdviceFlows is the largest number of flows of Advice: a tenth of it inverted is still a Valid
// ratio.
const MaxAdviceFlows = sluice.MaxRatio / 10

// Parameters of PCN: what NPConfig and RPConfig take. Zero ones mean the paper's, as there.
type Parameters struct {
	Period     sluice.Time // T
	WMin, WMax sluice.Ratio
}

// Bounds say how far a bottleneck's queue and rates swing in the steady state, by the fluid model
// of appendix A. Packets swing farther: a window in which the queue empties half-way does not have
// 95 % of its packets marked.
type Bounds struct {
	// Queue is the largest queue in bytes, (N-2+w_min)*w_min*C*T (equation 1); 0 if that is negative.
	Queue float64
	// Rate is by how much a flow's rate swings at most, w_min*C in bit/s (equation 2).
	Rate float64
	// SteadyRate is what the rate swings by in the end, w_min*C*(1 - (1-w_min)/N). Appendix A.2.3
	// has w_min*C. It is 0 for one flow, whose rate tends to C.
	SteadyRate float64
	// Total is N*w_min*C, by which section 6.2 bounds the swing of all rates together.
	Total float64
	// Factor is a of appendix A.2.2, (1-w_min)^2 / ((1-w_min)^2 + N*w_min): by it a flow's
	// distance from its fair share shrinks in a cycle of N loops.
	Factor float64
}

// Advice returns the parameters that section 6.2 recommends for that many flows, at most, at a
// bottleneck of the given capacity, in a network whose longest round-trip time is rtt, and the
// bounds that they give: T = rtt, w_min = 0.1/N, w_max = 1/2. The error is a [*sluice.ConfigError].
func Advice(flows int, capacity sluice.Rate, rtt sluice.Time) (Parameters, Bounds, error) {
	switch {
	case flows < 1 || flows > MaxAdviceFlows:
		return Parameters{}, Bounds{}, configError("", "Flows", flows, "must be 1 to 104857")
	case capacity <= 0 || capacity > MaxLineRate:
		return Parameters{}, Bounds{}, configError("", "Capacity", capacity, capacityRule)
	case rtt <= 0 || rtt == sluice.Never:
		return Parameters{}, Bounds{}, configError("", "RTT", rtt, "must be positive and less than never")
	}
	tenth := sluice.Ratio{Num: 1, Den: 10 * int64(flows)}
	p := Parameters{Period: rtt, WMin: tenth, WMax: DefaultWMax()}
	return p, p.Bounds(flows, capacity), nil
}

// Bounds returns the bounds of any parameters, for that many flows at a bottleneck of the given
// capacity.
func (p Parameters) Bounds(flows int, capacity sluice.Rate) Bounds {
	n, c, w := float64(flows), float64(capacity), fraction(p.wMin())
	t := float64(cmp.Or(p.Period, DefaultPeriod)) / float64(sluice.Second)
	kept := (1 - w) * (1 - w)
	b := Bounds{Rate: w * c, Total: n * w * c, Factor: kept / (kept + float64(n*w))}
	if flows > 1 {
		b.Queue = (n - 2 + w) * w * c * t / 8
		b.SteadyRate = w * c * (1 - (1-w)/n)
	}
	return b
}

// DrainLoops returns after how many control loops the queue is empty at a bottleneck of the given
// capacity, if flows of the given total rate begin to build it up: ceil(1 + (total - C)/(w_min*C)),
// exactly (appendix A.2.1, equation 8). It is 0 if the total does not exceed the capacity. It
// saturates at the largest int64, which is also the result for a queue that never drains: the
// capacity or w_min is not positive.
func (p Parameters) DrainLoops(total, capacity sluice.Rate) int64 {
	wMin := p.wMin()
	switch {
	case total <= capacity:
		return 0
	case capacity <= 0 || wMin.Num <= 0 || wMin.Den <= 0:
		return math.MaxInt64
	}
	hi, lo := bits.Mul64(uint64(total-capacity), uint64(wMin.Den))
	if hi >= uint64(capacity) {
		return math.MaxInt64
	}
	// Dividing twice, each time rounding up, rounds up as dividing by the product does.
	quotient, rest := bits.Div64(hi, lo, uint64(capacity))
	if rest != 0 && quotient < math.MaxUint64 {
		quotient++
	}
	num := uint64(wMin.Num)
	loops := quotient / num
	if quotient%num != 0 {
		loops++
	}
	return int64(1 + min(loops, math.MaxInt64-1))
}

func (p Parameters) wMin() sluice.Ratio { return cmp.Or(p.WMin, DefaultWMin()) }
