package run

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/sluicefc/sluice/internal/lab/show"
)

// Kind is how a paper states something.
type Kind string

const (
	Exact    Kind = "exact"    // a number
	Roughly  Kind = "about"    // a number that the paper calls rough
	NoMore   Kind = "at most"  // a bound of every cell
	NoLess   Kind = "at least" // a bound of every cell
	Largest  Kind = "up to"    // the largest effect among several cells
	Interval Kind = "range"
	Ordered  Kind = "order" // of runs, or along a parameter
	Nothing  Kind = "none"  // a 0, or no difference
	Verbal   Kind = "words"
	Several  Kind = "several kinds"
)

// Range is what a paper gives: a number, a range, a bound, or words.
type Range struct {
	Low, High float64 // equal for a number; infinite where there is no bound
	Words     string  // in place of numbers
	Kind      Kind
}

func Exactly(x float64) Range { return Range{Low: x, High: x, Kind: Exact} }
func About(x float64) Range   { return Range{Low: x, High: x, Kind: Roughly} }

// UpTo is the largest effect of the cells for which the paper gives it: of a relation how far from
// equal values, on the side of x; else the largest value.
func UpTo(x float64) Range { return Range{Low: x, High: x, Kind: Largest} }

func Between(low, high float64) Range { return Range{Low: low, High: high, Kind: Interval} }
func AtMost(x float64) Range          { return Range{Low: math.Inf(-1), High: x, Kind: NoMore} }
func AtLeast(x float64) Range         { return Range{Low: x, High: math.Inf(1), Kind: NoLess} }

// InWords is what a paper says without a number.
func InWords(text string) Range { return Range{math.Inf(-1), math.Inf(1), text, Verbal} }

// Ranges are what a paper gives, by a name of the run; "" stands for other names.
type Ranges = map[string]Range

// Always is what a paper gives for every run.
func Always(r Range) Ranges { return Ranges{"": r} }

// String returns the range as tables have it.
func (r Range) String() string {
	switch r.Kind {
	case Verbal:
		return r.Words
	case NoMore:
		return "at most " + number(r.High)
	case NoLess:
		return "at least " + number(r.Low)
	case Roughly, Largest:
		return string(r.Kind) + " " + number(r.Low)
	}
	if r.Low == r.High {
		return number(r.Low)
	}
	return number(r.Low) + " to " + number(r.High)
}

// rangeRecord is a range as JSON has it: a missing bound is null.
type rangeRecord struct {
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Words string   `json:"words"`
	Kind  Kind     `json:"kind"`
}

func (r Range) MarshalJSON() ([]byte, error) {
	finite := func(x float64) *float64 {
		if math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	return json.Marshal(rangeRecord{finite(r.Low), finite(r.High), r.Words, r.Kind})
}

func (r *Range) UnmarshalJSON(text []byte) error {
	var record rangeRecord
	err := json.Unmarshal(text, &record)
	*r = InWords(record.Words)
	r.Kind = record.Kind
	if record.Low != nil {
		r.Low = *record.Low
	}
	if record.High != nil {
		r.High = *record.High
	}
	return err
}

// number has six digits that count, as a third of a rate needs no more.
func number(x float64) string {
	if x == math.Trunc(x) || math.Abs(x) >= 1e6 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

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
