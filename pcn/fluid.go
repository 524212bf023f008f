package pcn

import (
	"cmp"
	"fmt"

	"github.com/sluicefc/sluice"
)

// MaxFluidFlows is the largest number of flows of a Fluid.
const MaxFluidFlows = 1 << 20

// FluidConfig configures a Fluid.
type FluidConfig struct {
	// Capacity of the bottleneck, C. Positive, at most MaxLineRate.
	Capacity sluice.Rate
	// Period is T, the time of a control loop. Zero means DefaultPeriod. Less than sluice.Never.
	Period sluice.Time
	// WMin and WMax are as in RPConfig; zero means the paper's.
	WMin, WMax sluice.Ratio
	// Rates at which the flows begin, R_i(0), at least one flow. Not negative, at most
	// MaxLineRate. Their weights begin at WMin.
	Rates []sluice.Rate
}

// Fluid is the fluid model of appendix A: N flows that share one bottleneck, loop by loop, in
// floating point. Make it with NewFluid. Step takes time in proportion to N and allocates nothing.
type Fluid struct {
	capacity   float64 // bit/s
	period     float64 // s
	wMin, wMax float64
	empty      float64 // a queue of fewer bytes is rounding

	loop      int
	queue     float64 // bytes
	congested bool
	rates     []float64 // bit/s
	weights   []float64
}

// NewFluid returns the model at loop 0, its queue empty. The error is a [*sluice.ConfigError].
func NewFluid(c FluidConfig) (*Fluid, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	f := &Fluid{
		capacity: float64(c.Capacity),
		period:   float64(cmp.Or(c.Period, DefaultPeriod)) / float64(sluice.Second),
		wMin:     fraction(cmp.Or(c.WMin, DefaultWMin())),
		wMax:     fraction(cmp.Or(c.WMax, DefaultWMax())),
		rates:    make([]float64, len(c.Rates)),
		weights:  make([]float64, len(c.Rates)),
	}
	f.empty = f.capacity * f.period / 8 * 0x1p-30
	for i, r := range c.Rates {
		f.rates[i] = float64(r)
		f.weights[i] = f.wMin
	}
	return f, nil
}

func (c *FluidConfig) check() error {
	switch {
	case c.Capacity <= 0 || c.Capacity > MaxLineRate:
		return configError("FluidConfig", "Capacity", c.Capacity, capacityRule)
	case len(c.Rates) == 0 || len(c.Rates) > MaxFluidFlows:
		return configError("FluidConfig", "Rates", len(c.Rates), "must be 1 to 2^20 flows")
	}
	for i, r := range c.Rates {
		if r < 0 || r > MaxLineRate {
			return configError("FluidConfig", fmt.Sprintf("Rates[%d]", i), r, "must be 0 to 1000Tb/s")
		}
	}
	if err := checkPeriod("FluidConfig", c.Period); err != nil {
		return err
	}
	return checkWeights("FluidConfig", cmp.Or(c.WMin, DefaultWMin()), cmp.Or(c.WMax, DefaultWMax()))
}

func fraction(r sluice.Ratio) float64 { return float64(r.Num) / float64(r.Den) }

// Step goes on by one control loop, T. Products are rounded before they are added, so that no
// platform fuses the two.
func (f *Fluid) Step() {
	total := f.Total()
	f.queue += float64((total - f.capacity) * f.period / 8) // equation 3
	if f.queue < f.empty {
		f.queue = 0
	}
	f.congested = f.queue > 0 // equation 4
	for i, r := range f.rates {
		w := f.weights[i]
		if f.congested { // equations 5, 6 and 7 with p(k) = 1
			if total > 0 { // with w_min = 1 all rates are 0, and no flow has a share of them
				f.rates[i] = r / total * f.capacity * (1 - f.wMin)
			}
			f.weights[i] = f.wMin
		} else { // and with p(k) = 0
			f.rates[i] = float64(r*(1-w)) + float64(f.capacity*w)
			f.weights[i] = float64(w*(1-w)) + float64(f.wMax*w)
		}
	}
	f.loop++
}

// Loop returns k, the number of steps taken.
func (f *Fluid) Loop() int { return f.loop }

// Flows returns N.
func (f *Fluid) Flows() int { return len(f.rates) }

// Queue returns Q(k) in bytes; 0 if it is less than 2^-30 of C*T, which is rounding.
func (f *Fluid) Queue() float64 { return f.queue }

// Congested returns p(k-1): whether the last step lowered the rates.
func (f *Fluid) Congested() bool { return f.congested }

// Rate returns R_i(k) in bit/s.
func (f *Fluid) Rate(i int) float64 { return f.rates[i] }

// Weight returns w(k) of flow i.
func (f *Fluid) Weight(i int) float64 { return f.weights[i] }

// Total returns the sum of the rates in bit/s, with the error of each addition carried along
// (Neumaier's sum).
func (f *Fluid) Total() float64 {
	sum, lost := 0.0, 0.0
	for _, r := range f.rates {
		next := sum + r
		if sum >= r {
			lost += sum - next + r
		} else {
			lost += r - next + sum
		}
		sum = next
	}
	return sum + lost
}
