package trigger

import (
	"math"
	"math/bits"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// slowest is the rate that no stage of GFC goes below.
const slowest = 8 * sluice.Kbps

// slowestStage is the last stage that a frame is believed to name.
const slowestStage = 40

// stopped is the stage in which GFC sends nothing; it is what the time field says.
const stopped = 0xffff

// State is a trigger's state of an (ingress, class). Amounts are in bytes.
type State struct {
	Off, Lower, Egress int64 // thresholds: see Variant
	Ahead              sluice.Time
	Stage              sluice.Quanta // of GFC
	sampled            int64         // bytes held then
	sampledAt          sluice.Time
	growth             int64 // in the time that PPFCDerivative looks ahead
}

// Grown returns the growth of the held bytes over the coming interval, if it goes on as before.
func (t *State) Grown(held int64, now sluice.Time) int64 {
	if span := chassis.Span(t.sampledAt, now); span >= t.Ahead {
		high, low := bits.Mul64(uint64(max(0, held-t.sampled)), uint64(t.Ahead))
		growth, _ := bits.Div64(high%uint64(max(span, 1)), low, uint64(max(span, 1)))
		t.growth = int64(growth)
		t.sampled, t.sampledAt = held, now
	}
	return t.growth
}

// StageOf returns the stage of a number of held bytes on a link: k from Off - (Off - Lower) /
// 2^(k-1) on, and from Off on the last, in which nothing is sent if stop.
func (t *State) StageOf(held int64, rate sluice.Rate, stop bool) sluice.Quanta {
	last := lastStage(rate)
	switch {
	case held < t.Lower:
		return 0
	case held >= t.Off && stop:
		return stopped
	case held >= t.Off:
		return last
	}
	return min(sluice.Quanta(bits.Len64(uint64((t.Off-t.Lower)/(t.Off-held)))), last)
}

func lastStage(rate sluice.Rate) sluice.Quanta {
	stage := sluice.Quanta(1)
	for rate>>(stage+1) >= slowest {
		stage++
	}
	return stage
}

// Rebase moves the origin of time.
func (t *State) Rebase(by sluice.Time) { t.sampledAt = chassis.Shift(t.sampledAt, by) }

// Normalize forgets what nothing depends on, if it is not PPFCDerivative's.
func (t *State) Normalize() { t.sampledAt = 0 }

// Pacer is GFC at the device upstream: the rate of the last frame, and when it may send again. The
// zero value is not limited.
type Pacer struct {
	Paced  sluice.ClassSet             // classes that may send at 2^-stage of the rate
	stage  [sluice.Classes]uint8       // of them
	begun  [sluice.Classes]sluice.Time // when the last packet began
	lasted [sluice.Classes]sluice.Time // and how long it took at full rate; zero: none began
}

// Set obeys the time of a frame of GFC: 0 is full rate.
func (g *Pacer) Set(class sluice.Class, time sluice.Quanta) {
	g.Paced &^= 1 << class
	if time > 0 && time != stopped {
		g.Paced |= 1 << class
		g.stage[class] = uint8(min(time, slowestStage))
	}
}

// Next returns when a class may send its next packet.
func (g *Pacer) Next(class sluice.Class) sluice.Time {
	return g.nextAt(class, g.stage[class])
}

func (g *Pacer) nextAt(class sluice.Class, stage uint8) sluice.Time {
	lasted := g.lasted[class]
	switch {
	case lasted == 0:
		return math.MinInt64
	case lasted > sluice.Never>>2>>stage:
		return sluice.Never - 1
	}
	return chassis.After(g.begun[class], lasted<<stage)
}

// Begin notes that a packet begins, which takes so long at full rate.
func (g *Pacer) Begin(class sluice.Class, now, lasts sluice.Time) {
	g.begun[class], g.lasted[class] = now, lasts
}

// Rebase moves the origin of time.
func (g *Pacer) Rebase(by sluice.Time) {
	for class := range g.begun {
		g.begun[class] = chassis.Shift(g.begun[class], by)
	}
}

// Normalize forgets what nothing depends on: when a packet began, if the next one may begin now at
// whatever rate.
func (g *Pacer) Normalize(class sluice.Class, now sluice.Time) {
	if g.nextAt(class, slowestStage) <= now {
		g.begun[class], g.lasted[class] = 0, 0
	}
	if !g.Paced.Has(class) {
		g.stage[class] = 0
	}
}
