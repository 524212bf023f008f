package pcn

import (
	"cmp"
	"math/bits"

	"github.com/sluicefc/sluice"
)

// DefaultMinRate is the least rate of a ReactionPoint unless given: the unit of the rate in a CNP.
const DefaultMinRate = sluice.Mbps

// MaxLineRate is the largest line rate of a ReactionPoint.
const MaxLineRate = 1000 * sluice.Tbps

// Rules of several configurations.
const (
	capacityRule = "must be positive and at most 1000Tb/s"
	shareRule    = "must be above 0 and at most 1, both terms at most 2^20"
)

// one is the weight 1 in Q32.
const one = 1 << 32

// RPConfig configures a ReactionPoint. The zero weights and the zero MinRate mean the paper's and
// DefaultMinRate.
type RPConfig struct {
	// LineRate of the sender's link, C, at which flows start. Positive, at most MaxLineRate.
	LineRate sluice.Rate
	// MinRate is the least rate. Zero means DefaultMinRate, or LineRate if that is less. From 1
	// b/s to LineRate.
	MinRate sluice.Rate
	// WMin is the discount of a decrease and the weight of the first increase after it. Zero means
	// 1/128. Section 6.2 recommends 0.1/N for N flows at the bottleneck. Above 0 and at most WMax.
	WMin sluice.Ratio
	// WMax is the weight that increases tend to. Zero means 1/2. Above 0 and at most 1.
	WMax sluice.Ratio
}

// ReactionPoint is the sender of one flow (section 5.3, Algorithm 1). Make it with
// NewReactionPoint.
type ReactionPoint struct {
	rate, line, least sluice.Rate
	w, wMin, wMax     uint64 // in units of 2^-32
	ignored           uint64
}

// NewReactionPoint returns the reaction point of a flow that begins: at line rate, its weight
// w_min (lines 1 and 2). The error is a [*sluice.ConfigError].
func NewReactionPoint(c RPConfig) (ReactionPoint, error) {
	c.WMin, c.WMax = cmp.Or(c.WMin, DefaultWMin()), cmp.Or(c.WMax, DefaultWMax())
	c.MinRate = cmp.Or(c.MinRate, min(DefaultMinRate, c.LineRate))
	switch {
	case c.LineRate <= 0 || c.LineRate > MaxLineRate:
		return ReactionPoint{}, configError("RPConfig", "LineRate", c.LineRate, capacityRule)
	case c.MinRate < 0 || c.MinRate > c.LineRate:
		return ReactionPoint{}, configError("RPConfig", "MinRate", c.MinRate, "must be 1b/s to LineRate")
	}
	if err := checkWeights("RPConfig", c.WMin, c.WMax); err != nil {
		return ReactionPoint{}, err
	}
	wMin := weight(c.WMin)
	return ReactionPoint{
		rate: c.LineRate, line: c.LineRate, least: c.MinRate,
		w: wMin, wMin: wMin, wMax: weight(c.WMax),
	}, nil
}

func checkWeights(of string, wMin, wMax sluice.Ratio) error {
	switch {
	case !wMax.Valid() || wMax.Num > wMax.Den:
		return configError(of, "WMax", wMax, shareRule)
	case !wMin.Valid() || wMin.Num*wMax.Den > wMax.Num*wMin.Den:
		return configError(of, "WMin", wMin, "must be above 0 and at most WMax, both terms at most 2^20")
	}
	return nil
}

// DefaultWMin returns the w_min of section 5.3, 1/128.
func DefaultWMin() sluice.Ratio { return sluice.Ratio{Num: 1, Den: 128} }

// DefaultWMax returns the w_max of section 6.2, 1/2.
func DefaultWMax() sluice.Ratio { return sluice.Ratio{Num: 1, Den: 2} }

func weight(r sluice.Ratio) uint64 { return uint64(r.Num) << 32 / uint64(r.Den) }

// Receive adjusts the rate to a CNP of the flow (lines 4 to 11). One that says congested but no
// rate is counted and ignored.
func (r *ReactionPoint) Receive(c *CNP) {
	switch {
	case !c.Congested:
		r.rate += sluice.Rate(times(uint64(r.line-r.rate), r.w))
		r.w += times(r.wMax-r.w, r.w)
	case c.RecRate == 0:
		r.ignored++
	default:
		discounted := times(uint64(c.RecRate)*uint64(sluice.Mbps), one-r.wMin)
		r.rate = max(min(r.rate, sluice.Rate(discounted)), r.least)
		r.w = r.wMin
	}
}

// times returns x*w, rounded down, of w in Q32 and at most 1.
func times(x, w uint64) uint64 {
	hi, lo := bits.Mul64(x, w)
	return hi<<32 | lo>>32
}

// Rate returns the rate at which the flow is to send, from MinRate to LineRate.
func (r *ReactionPoint) Rate() sluice.Rate { return r.rate }

// Weight returns w in units of 2^-32.
func (r *ReactionPoint) Weight() uint64 { return r.w }

// Ignored counts the CNPs that had no rate.
func (r *ReactionPoint) Ignored() uint64 { return r.ignored }
