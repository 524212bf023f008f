package run

import "math"

// Verdict says how what was measured stands to what the paper states.
type Verdict string

// The statement holds: a word for each kind.
const (
	// Near: within 5 % of a number.
	Near Verdict = "within 5 %"
	// Around: within 10 % of a number that the paper calls rough.
	Around Verdict = "within 10 %"
	// InRange: within the range.
	InRange Verdict = "within the range"
	// InBound: on the published side of the bound.
	InBound Verdict = "within the bound"
	// InOrder: the runs are in the published order.
	InOrder Verdict = "in order"
	// SameNone: a published 0 is 0; runs that are published as alike are within 5 % of one another.
	SameNone Verdict = "none, as stated"
	// SameWords: the same words.
	SameWords Verdict = "same words"
	// AsStated: each cell of a statement of several kinds holds.
	AsStated Verdict = "as stated"
)

// It does not hold.
const (
	// Twice: a value within a factor of two; of a comparison, the same run is ahead, and the effect is
	// between half of the published and twice that.
	Twice Verdict = "within twice"
	// Smaller: the same run is ahead, by less than half of the published effect.
	Smaller Verdict = "smaller effect"
	// Larger: the same run is ahead, by more than twice the published effect.
	Larger Verdict = "larger effect"
	// NoEffect: the runs are within 2 % of one another, or the seeds do not tell them apart.
	NoEffect Verdict = "no effect"
	// Opposite: the other run is ahead.
	Opposite Verdict = "opposite"
	// Differs: a value off by more than twice, other words, some runs out of their order, or anything
	// where the paper has nothing.
	Differs Verdict = "differs"
)

// It cannot be judged.
const (
	// NotRun: nothing was measured.
	NotRun Verdict = "not run"
	// NotPublished: the paper gives nothing there.
	NotPublished Verdict = "not published"
)

// Holds reports whether the statement holds as it was made.
func (v Verdict) Holds() bool {
	switch v {
	case Near, Around, InRange, InBound, InOrder, SameNone, SameWords, AsStated:
		return true
	}
	return false
}

// severity orders verdicts from those that contradict a paper most.
var severity = []Verdict{
	Opposite, Differs, NoEffect, Smaller, Larger, Twice, Near, Around, InRange, InBound, InOrder,
	SameNone, SameWords,
}

// Kind is the kind of what the paper gives for the cell.
func (f *Finding) Kind() Kind {
	switch p := f.Published; {
	case f.Rank > 0:
		return Ordered
	case p == nil:
		return ""
	case p.Low != p.High || p.Kind == Largest:
		return p.Kind
	case p.Low == 0 && f.Relation <= More, f.Relation > More && p.Low == 1:
		return Nothing
	}
	return f.Published.Kind
}

// Verdict returns how the cell stands to what the paper gives for it. A cell of an order has none.
func (f *Finding) Verdict() Verdict {
	p, ours := f.Published, f.Measured.Value
	switch {
	case p == nil:
		return NotPublished
	case !f.Measured.Known():
		return NotRun
	case p.Words != "" && p.Words == f.Measured.Words:
		return SameWords
	case p.Words != "" && f.Measured.Words == "":
		return NotPublished // no number to compare ours with
	case p.Words != "" || math.IsNaN(ours):
		return Differs
	}
	if v := f.holds(); v != "" {
		return v
	}
	if f.Relation == Alone {
		return f.ofValue()
	}
	return f.ofEffect()
}

// holds returns the word for a statement that holds, "" if it does not.
func (f *Finding) holds() Verdict {
	p, ours := f.Published, f.Measured.Value
	within := func(percent float64) bool {
		return math.Abs(ours-p.Low) <= percent/100*math.Abs(p.Low)
	}
	switch kind := f.Kind(); {
	case kind == Nothing && f.Relation == Alone && ours == 0,
		kind == Nothing && f.Relation != Alone && math.Abs(f.Relation.percent(ours)) <= 5:
		return SameNone
	case (kind == Exact || kind == Largest) && within(5):
		return Near
	case kind == Roughly && within(10):
		return Around
	case kind == Interval && p.Low <= ours && ours <= p.High:
		return InRange
	case kind == NoMore && ours <= p.High, kind == NoLess && ours >= p.Low:
		return InBound
	}
	return ""
}

// nearest is the number of the paper that ours is to be compared with where it does not hold.
func (f *Finding) nearest() float64 {
	if p := f.Published; f.Measured.Value > p.High || math.IsInf(p.Low, -1) {
		return p.High
	}
	return f.Published.Low
}

func (f *Finding) ofValue() Verdict {
	if ratio := f.Measured.Value / f.nearest(); 0.5 <= ratio && ratio <= 2 {
		return Twice
	}
	return Differs
}

func (f *Finding) ofEffect() Verdict {
	ours, theirs := f.Relation.effect(f.Measured.Value), f.Relation.effect(f.nearest())
	ratio := ours / theirs
	switch {
	case f.Kind() == Nothing:
		return Differs
	case theirs != 0 && 0.5 <= ratio && ratio <= 2:
		return Twice
	case f.alike():
		return NoEffect
	case ratio < 0 || theirs == 0:
		return Opposite
	case ratio < 1:
		return Smaller
	}
	return Larger
}

// alike reports whether a run and its baseline are within 2 % of one another, or the seeds do not
// separate them.
func (f *Finding) alike() bool {
	x := f.Relation.percent(f.Measured.Value)
	return math.Abs(x) <= 2 || math.Abs(x) <= math.Abs(f.interval())
}

// interval is half of the measured value's interval, in per cent.
func (f *Finding) interval() float64 {
	half := f.Measured.Confidence()
	if f.Relation == Times || f.Relation == Fold {
		half *= 100
	}
	return half
}
