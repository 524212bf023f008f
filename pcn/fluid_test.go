package pcn

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

func newFluid(t require.TestingT, c FluidConfig) *Fluid {
	f, err := NewFluid(c)
	require.NoError(t, err)
	return f
}

func ratio(num, den int64) sluice.Ratio { return sluice.Ratio{Num: num, Den: den} }

// relative asserts that got is want within a relative error of a billionth.
func relative(t require.TestingT, want, got float64, message ...any) {
	require.InDelta(t, want, got, math.Abs(want)*1e-9, message...)
}

// TestFluidGolden: four flows at 10 Gb/s, T 500 us, w_min 1/128, from 10, 10, 5 and 5 Gb/s.
func TestFluidGolden(t *testing.T) {
	f := newFluid(t, FluidConfig{
		Capacity: 10 * g, Period: 500 * us, Rates: []sluice.Rate{10 * g, 10 * g, 5 * g, 5 * g},
	})
	f.Step()
	require.Equal(t, 1_250_000.0, f.Queue())
	relative(t, 9.921875e9, f.Total())
	relative(t, 3.307291666666667e9, f.Rate(0))
	for f.Queue() > 0 {
		require.True(t, f.Congested())
		f.Step()
	}
	require.Equal(t, 257, f.Loop(), "ceil(1 + 20/0.078125)")
	p := Parameters{Period: 500 * us, WMin: DefaultWMin(), WMax: DefaultWMax()}
	require.EqualValues(t, 257, p.DrainLoops(30*g, 10*g))
	require.InDelta(t, 9803.8, p.Bounds(4, 10*g).Queue, 0.05)
	for range 10 { // cycles
		for _, want := range []float64{9803.8, 4921.0, 38.1, 0} {
			f.Step()
			require.InDelta(t, want, f.Queue(), 0.05)
		}
	}
}

// TestQueueSwings are values of equation 1, at 10 Gb/s with T 500 us.
func TestQueueSwings(t *testing.T) {
	for _, test := range []struct {
		flows int
		wMin  sluice.Ratio
		want  float64
	}{
		{1, ratio(1, 128), 0}, {2, ratio(1, 128), 38.1}, {4, ratio(1, 128), 9803.8},
		{16, ratio(1, 160), 54711.9}, {1024, ratio(1, 10240), 62377.9},
	} {
		p := Parameters{Period: 500 * us, WMin: test.wMin, WMax: DefaultWMax()}
		require.InDelta(t, test.want, p.Bounds(test.flows, 10*g).Queue, 0.05, "%+v", test)
	}
}

// exact is equations 3 to 7 in fractions.
type exact struct {
	capacity, period, wMin, wMax, queue *big.Rat
	rates, weights                      []*big.Rat
}

func (e *exact) total() *big.Rat {
	sum := new(big.Rat)
	for _, r := range e.rates {
		sum.Add(sum, r)
	}
	return sum
}

func (e *exact) step() {
	one, total := big.NewRat(1, 1), e.total()
	grown := new(big.Rat).Sub(total, e.capacity)
	e.queue.Add(e.queue, grown.Mul(grown, e.period))
	if e.queue.Sign() < 0 {
		e.queue.SetInt64(0)
	}
	for i, r := range e.rates {
		w := e.weights[i]
		rest := new(big.Rat).Sub(one, w)
		if e.queue.Sign() > 0 {
			received := new(big.Rat).Quo(r, total)
			received.Mul(received, e.capacity)
			e.rates[i] = received.Mul(received, new(big.Rat).Sub(one, e.wMin))
			e.weights[i] = e.wMin
			continue
		}
		raised := new(big.Rat).Mul(e.capacity, w)
		e.rates[i] = raised.Add(raised, new(big.Rat).Mul(r, rest))
		heavier := new(big.Rat).Mul(e.wMax, w)
		e.weights[i] = heavier.Add(heavier, new(big.Rat).Mul(w, rest))
	}
}

// TestFluidAgainstFractions: equations 3 to 7, as they stand, loop by loop.
func TestFluidAgainstFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "N")
		wMin := rapid.Int64Range(1, 64).Draw(t, "wMin/256")
		e := &exact{
			capacity: big.NewRat(int64(40*g), 1), period: big.NewRat(50, 8_000_000),
			wMin: big.NewRat(wMin, 256), wMax: big.NewRat(1, 2), queue: new(big.Rat),
		}
		c := FluidConfig{Capacity: 40 * g, WMin: ratio(wMin, 256)}
		for range n {
			r := rapid.Int64Range(0, 60_000).Draw(t, "Mb/s")
			c.Rates = append(c.Rates, sluice.Rate(r)*sluice.Mbps)
			e.rates = append(e.rates, big.NewRat(r*1_000_000, 1))
			e.weights = append(e.weights, e.wMin)
		}
		f := newFluid(t, c)
		for range 8 { // the fractions grow fast
			f.Step()
			e.step()
			want, _ := e.queue.Float64()
			require.InDelta(t, want, f.Queue(), 1e-3)
			require.Equal(t, e.queue.Sign() > 0, f.Congested())
			for i := range n {
				want, _ := e.rates[i].Float64()
				relative(t, want, f.Rate(i))
				want, _ = e.weights[i].Float64()
				relative(t, want, f.Weight(i))
			}
		}
	})
}

// overloaded draws a model of at least the given number of flows. Their rates together exceed the
// capacity by so little that the queue drains within 2,000 loops.
func overloaded(t *rapid.T, least int) (*Fluid, FluidConfig, Parameters, sluice.Rate) {
	n := rapid.OneOf(
		rapid.IntRange(least, 16), rapid.SampledFrom([]int{least, 3, 4, 64, 256, 1024}),
	).Draw(t, "N")
	wMin := rapid.OneOf(
		rapid.Just(ratio(1, int64(10*n))), rapid.Just(DefaultWMin()), rapid.Just(ratio(1, 4)),
		rapid.Custom(func(t *rapid.T) sluice.Ratio {
			return ratio(rapid.Int64Range(1, 256).Draw(t, "w/1024"), 1024)
		}),
	).Draw(t, "wMin")
	capacity := sluice.Rate(rapid.Int64Range(1, 400).Draw(t, "Gb/s")) * g
	excess := 1 + rapid.Int64Range(0, 2000*1000*wMin.Num/wMin.Den).Draw(t, "excess in C/1000")
	total := capacity + capacity/1000*sluice.Rate(excess)
	c := FluidConfig{
		Capacity: capacity, WMin: wMin, Rates: make([]sluice.Rate, n),
		Period: sluice.Time(rapid.Int64Range(5, 1000).Draw(t, "T")) * us,
	}
	rest := total
	for i := range c.Rates { // random shares; the rest goes to the last
		c.Rates[i] = sluice.Rate(rapid.Int64Range(0, int64(rest)/max(1, int64(n-i)/2)).Draw(t, "rate"))
		if i == n-1 {
			c.Rates[i] = rest
		}
		rest -= c.Rates[i]
	}
	return newFluid(t, c), c, Parameters{Period: c.Period, WMin: wMin, WMax: DefaultWMax()}, total
}

// TestProposition1: the total rate is (1-w_min)C after one control loop, and the queue is empty
// after ceil(1 + (sum R_i(0) - C)/(w_min C)) of them, along equation 8 (section 6.1, proposition
// 1).
func TestProposition1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, c, p, total := overloaded(t, 1)
		capacity, w := float64(c.Capacity), fraction(c.WMin)
		loops := new(big.Rat).SetFrac64(int64(total-c.Capacity), int64(c.Capacity))
		loops.Mul(loops, big.NewRat(c.WMin.Den, c.WMin.Num))
		loops.Add(loops, big.NewRat(1, 1))
		up := new(big.Int).Sub(loops.Denom(), big.NewInt(1)) // rounds the quotient up
		exactly := new(big.Int).Div(up.Add(up, loops.Num()), loops.Denom())
		require.Equal(t, exactly.Int64(), p.DrainLoops(total, c.Capacity))

		perLoop := capacity * float64(c.Period) / float64(sluice.Second) / 8 // bytes
		first := (float64(total) - capacity) / capacity * perLoop
		for k := int64(1); ; k++ {
			f.Step()
			if k == exactly.Int64() {
				require.Zero(t, f.Queue())
				break
			}
			relative(t, (1-w)*capacity, f.Total(), "loop %d", k)
			require.InDelta(t, first-float64(k-1)*w*perLoop, f.Queue(), 1e-6*perLoop, "loop %d", k)
			require.True(t, f.Congested(), "drained in loop %d of %d", k, exactly)
		}
	})
}

// TestProposition2: every rate tends to C/N, from any initial rates and with any parameters
// (section 6.1, proposition 2): by equation 13 the distance of a share from 1/N shrinks by a in a
// cycle, and a cycle is N loops where (N-2+w_min) > 0: one increase and N-1 decreases.
func TestProposition2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, c, p, _ := overloaded(t, 2)
		n := f.Flows()
		f.Step()
		for f.Congested() {
			f.Step()
		}
		factor := p.Bounds(n, c.Capacity).Factor
		distance := func(i int) float64 { return f.Rate(i)/f.Total() - 1/float64(n) }
		for range max(2, 2000/n) {
			before := []float64{distance(0), distance(n / 2), distance(n - 1)}
			for loop := range n { // from an increase to the next one
				f.Step()
				require.Equal(t, loop < n-1, f.Congested(), "loop %d of a cycle of %d", loop, n)
			}
			for i, flow := range []int{0, n / 2, n - 1} {
				require.InDelta(t, factor*before[i], distance(flow), 1e-9)
			}
		}
	})
}

// TestFairInTheEnd: the shares of four flows come to 1/N from anywhere; b/(1-a) = 1/N.
func TestFairInTheEnd(t *testing.T) {
	p := Parameters{Period: 500 * us, WMin: DefaultWMin(), WMax: DefaultWMax()}
	factor := p.Bounds(4, 10*g).Factor
	require.InDelta(t, .969232618, factor, 5e-10)
	w := fraction(p.WMin)
	b := w / ((1-w)*(1-w) + 4*w)
	require.InDelta(t, .007691845, b, 5e-10)
	relative(t, 0.25, b/(1-factor))
	f := newFluid(
		t, FluidConfig{Capacity: 10 * g, Period: p.Period, Rates: []sluice.Rate{10 * g, 1, 0, g}},
	)
	for range 4000 {
		f.Step()
	}
	for i := range 4 {
		relative(t, f.Total()/4, f.Rate(i))
	}
}

// TestProposition3: the queue swings by at most (N-2+w_min)w_min C T (equation 1), and a receiving
// rate by an amount that tends to w_min C (equation 2; section 6.1, proposition 3). The model's
// rates swing by w_min*C*(1-w_min)/N less.
func TestProposition3(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, c, p, _ := overloaded(t, 2)
		n := len(c.Rates)
		for i := range c.Rates {
			c.Rates[i] = c.Capacity/sluice.Rate(n) + c.Capacity/1000/sluice.Rate(n) // fair
		}
		f := newFluid(t, c)
		f.Step()
		for f.Congested() {
			f.Step()
		}
		b := p.Bounds(n, c.Capacity)
		queue, low, high := 0.0, math.Inf(1), 0.0
		for range 3 * n {
			f.Step()
			queue = max(queue, f.Queue())
			low, high = min(low, f.Rate(0)), max(high, f.Rate(0))
		}
		relative(t, b.Queue, queue)
		require.LessOrEqual(t, high-low, b.Rate*(1+1e-9))
		require.InDelta(t, b.SteadyRate, high-low, 1e-6*b.Rate)
	})
}

// TestSteadyRates: four flows with w_min 0.025 at 10 Gb/s swing between 2,437.5 and 2,626.5625
// Mb/s.
func TestSteadyRates(t *testing.T) {
	p, b, err := Advice(4, 10*g, 500*us)
	require.NoError(t, err)
	require.Equal(t, Parameters{Period: 500 * us, WMin: ratio(1, 40), WMax: ratio(1, 2)}, p)
	relative(t, 189.0625e6, b.SteadyRate)
	f := newFluid(t, FluidConfig{
		Capacity: 10 * g, Period: p.Period, WMin: p.WMin, WMax: p.WMax,
		Rates: []sluice.Rate{10 * g, 10 * g, 5 * g, 5 * g},
	})
	for range 2000 {
		f.Step()
	}
	low, high := math.Inf(1), 0.0
	for range 4 {
		f.Step()
		low, high = min(low, f.Rate(2)), max(high, f.Rate(2))
	}
	relative(t, 2437.5e6, low)
	relative(t, 2626.5625e6, high)
}

// TestRiseFromIdle: the total rate exceeds the capacity after fewer than 10 loops of increases
// (appendix A.2.1). It holds from 0 for three flows and more; two take 10, and one never exceeds
// the capacity.
func TestRiseFromIdle(t *testing.T) {
	for flows, want := range map[int]int{2: 10, 3: 9, 4: 9} {
		f := newFluid(t, FluidConfig{Capacity: 10 * g, Rates: make([]sluice.Rate, flows)})
		for f.Total() <= 10e9 {
			f.Step()
		}
		if flows == 4 {
			require.LessOrEqual(t, f.Loop(), want)
		} else {
			require.Equal(t, want, f.Loop(), "%d flows", flows)
		}
	}
	f := newFluid(t, FluidConfig{Capacity: 10 * g, Rates: make([]sluice.Rate, 1)})
	for range 1000 {
		f.Step()
		require.False(t, f.Congested())
	}
	p := Parameters{}
	require.Zero(t, p.Bounds(1, 10*g).Queue, "so its queue does not swing,")
	require.Zero(t, p.Bounds(1, 10*g).SteadyRate, "nor does its rate")
	relative(t, 10e9, f.Total())
}

// TestWholeDiscount: with w_min = 1 a congested sender sends nothing. The queue drains at C, and no
// flow has a share of a sum of 0.
func TestWholeDiscount(t *testing.T) {
	f := newFluid(t, FluidConfig{
		Capacity: 10 * g, Period: 500 * us, WMin: ratio(1, 1), WMax: ratio(1, 1),
		Rates: []sluice.Rate{20 * g, 15 * g},
	})
	for _, want := range []struct{ queue, total float64 }{
		{1_562_500, 0}, {937_500, 0}, {312_500, 0}, {0, 20e9}, {625_000, 0},
	} {
		f.Step()
		relative(t, want.queue, f.Queue())
		relative(t, want.total, f.Total())
	}
	require.EqualValues(t, 4, Parameters{WMin: ratio(1, 1)}.DrainLoops(35*g, 10*g))
}

// TestFluidRounding: what floating point loses is neither a queue nor a share. Flows at exactly the
// capacity build no queue: one of less than 2^-30 of C*T is rounding. The sum of the rates is the
// same in any order.
func TestFluidRounding(t *testing.T) {
	for capacity, congested := range map[sluice.Rate]bool{1 << 30: true, 1<<30 + 1: false} {
		f := newFluid(t, FluidConfig{Capacity: capacity, Rates: []sluice.Rate{capacity + 1}})
		f.Step()
		require.Equal(t, congested, f.Congested(), "1 bit/s more than %d", capacity)
	}
	for _, rates := range [][]float64{{0x1p53, 1, 1}, {1, 0x1p53, 1}, {1, 1, 0x1p53}} {
		f := Fluid{rates: rates}
		require.Equal(t, 0x1p53+2, f.Total(), "%v", rates)
	}
}

// TestFluidBits: the same bits on every platform, also where the compiler could fuse products and
// sums.
func TestFluidBits(t *testing.T) {
	f := newFluid(t, FluidConfig{
		Capacity: 10 * g, WMin: ratio(1, 30), Rates: []sluice.Rate{9 * g, 8 * g, g, 0, 7},
	})
	var sum uint64
	for range 1000 {
		f.Step()
		sum = sum*31 + math.Float64bits(f.Queue())
		for i := range f.Flows() {
			sum = sum*31 + math.Float64bits(f.Rate(i)) + math.Float64bits(f.Weight(i))
		}
	}
	require.Equal(t, uint64(0x704798ee7eb682b4), sum)
}
