package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/sluicefc/sluice/internal/lab/show"
)

// Range is what a paper gives: a number, a range, a bound, or words.
type Range struct {
	Low, High float64 // equal for a number; infinite where there is no bound
	Words     string  // in place of numbers
}

func Exactly(x float64) Range         { return Range{Low: x, High: x} }
func Between(low, high float64) Range { return Range{Low: low, High: high} }
func AtMost(x float64) Range          { return Range{Low: math.Inf(-1), High: x} }
func AtLeast(x float64) Range         { return Range{Low: x, High: math.Inf(1)} }

// InWords is what a paper says without a number.
func InWords(text string) Range { return Range{math.Inf(-1), math.Inf(1), text} }

// Ranges are what a paper gives, by a name of the run; "" stands for other names.
type Ranges = map[string]Range

// Always is what a paper gives for every run.
func Always(r Range) Ranges { return Ranges{"": r} }

// String returns the range as tables have it.
func (r Range) String() string {
	switch {
	case math.IsInf(r.Low, -1) && math.IsInf(r.High, 1):
		return r.Words
	case math.IsInf(r.Low, -1):
		return "at most " + number(r.High)
	case math.IsInf(r.High, 1):
		return "at least " + number(r.Low)
	case r.Low == r.High:
		return number(r.Low)
	}
	return number(r.Low) + " to " + number(r.High)
}

// MarshalJSON writes a bound that there is not as null.
func (r Range) MarshalJSON() ([]byte, error) {
	finite := func(x float64) any {
		if math.IsInf(x, 0) {
			return nil
		}
		return x
	}
	return json.Marshal(struct {
		Low   any    `json:"low"`
		High  any    `json:"high"`
		Words string `json:"words"`
	}{finite(r.Low), finite(r.High), r.Words})
}

func (r *Range) UnmarshalJSON(text []byte) error {
	type plain Range
	p := plain(InWords("")) // what is null stays
	err := json.Unmarshal(text, &p)
	*r = Range(p)
	return err
}

func number(x float64) string { return fmt.Sprint(x) }

// String returns what was measured as tables have it.
func (m *Measured) String() string {
	switch {
	case m.Words != "":
		return m.Words
	case math.IsNaN(m.Value):
		return "-"
	case m.Spread > 0:
		return show.Significant(m.Value) + " +- " + show.Significant(m.Spread)
	}
	return show.Significant(m.Value)
}

// Verdict says how a finding stands to what the paper gives.
type Verdict string

// Verdicts, by the first of these rules that holds.
const (
	// NoNumber: the paper gives no number, or our words are not its own.
	NoNumber Verdict = ""
	// NotRun: nothing was measured.
	NotRun Verdict = "not run"
	// Near: within 5 % of the number.
	Near Verdict = "within 5 %"
	// InRange: within the range or the bound, or the same words.
	InRange Verdict = "within the published range"
	// SameOrder: where runs are compared, the same run is ahead; values are within a factor of two.
	SameOrder Verdict = "same order"
	// Differs: no other rule holds.
	Differs Verdict = "differs"
)

// Verdict returns how the finding stands to what the paper gives.
func (f *Finding) Verdict() Verdict {
	p, ours := f.Published, f.Measured.Value
	switch {
	case p == nil:
		return NoNumber
	case !f.Measured.Known():
		return NotRun
	case p.Words != "" && p.Words == f.Measured.Words:
		return InRange
	case p.Words != "" || math.IsNaN(ours):
		return NoNumber
	case p.Low == p.High && f.near(p.Low):
		return Near
	case p.Low < p.High && p.Low <= ours && ours <= p.High:
		return InRange
	case f.sameOrder():
		return SameOrder
	}
	return Differs
}

// near reports whether our value is within 5 % of a number. Where the paper says that runs are
// alike, 0 % apart, the bound is 5 % of their values.
func (f *Finding) near(theirs float64) bool {
	bound := 0.05 * math.Abs(theirs)
	if theirs == 0 && (f.Relation == Less || f.Relation == More) {
		bound = 5
	}
	return math.Abs(f.Measured.Value-theirs) <= bound
}

// sameOrder compares with the nearer end of the range.
func (f *Finding) sameOrder() bool {
	ours := f.Measured.Value
	theirs := f.Published.Low
	if ours > f.Published.High || math.IsInf(theirs, -1) {
		theirs = f.Published.High
	}
	switch f.Relation {
	case Less, More:
		return ours*theirs > 0
	case Times, Fold:
		return (ours-1)*(theirs-1) > 0
	}
	ratio := ours / theirs
	return 0.5 <= ratio && ratio <= 2
}

// Missing returns a finding, as not run, for each name for which the paper gives something and no
// finding does.
func Missing(s *Subject, findings []Finding) (missing []Finding) {
	if s.Claims == nil {
		return nil
	}
	claims := s.Claims(s)
	for i := range claims {
		c := &claims[i]
		for _, name := range slices.Sorted(maps.Keys(c.Published)) {
			same := func(f Finding) bool {
				return f.Claim.What == c.What && f.Relation == c.Relation && f.name == name
			}
			if name == "" || slices.ContainsFunc(findings, same) {
				continue
			}
			f := Finding{Claim: c, Run: name, Measured: None(), Published: new(Range)}
			if c.Relation != Alone {
				f.Run, f.Baseline = "", name
			}
			*f.Published = c.Published[name]
			f.What, f.Unit = c.words(f.Baseline)
			missing = append(missing, f)
		}
	}
	return missing
}
