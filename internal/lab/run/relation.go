package run

import "math"

// Relation is how the values of a run and of a baseline are compared.
type Relation int

const (
	// Alone is the value of the run.
	Alone Relation = iota
	// Less is by how many per cent the run's value is less than the baseline's.
	Less
	// More is by how many per cent the run's value is more than the baseline's.
	More
	// Times is the run's value over the baseline's.
	Times
	// Fold is the baseline's value over the run's.
	Fold
)

// between returns the relation between a run's value and a baseline's; not a number if a share of
// nothing is asked for.
func (r Relation) between(value, baseline float64) float64 {
	if r == Fold {
		value, baseline = baseline, value
	}
	ratio := value / baseline
	if baseline == 0 {
		ratio = math.NaN()
	}
	switch r {
	case Less:
		return 100 * (1 - ratio)
	case More:
		return 100 * (ratio - 1)
	case Times, Fold:
		return ratio
	}
	return value
}

// effect returns how far a relation is from the relation of equal values: per cent, or how many
// times more than once; with a sign that says on which side. It is 0 for equal values alone.
func (r Relation) effect(x float64) float64 {
	switch {
	case r == Less || r == More:
		return x
	case x >= 1:
		return x - 1
	case x > 0:
		return 1 - 1/x
	}
	return math.Inf(-1)
}

// percent returns by how many per cent of one value the other differs.
func (r Relation) percent(x float64) float64 {
	if r == Less || r == More {
		return x
	}
	return 100 * (x - 1)
}

// Phrase says what the relation is, of a name that stands elsewhere; "" for the value alone.
func (r Relation) Phrase() string {
	return [...]string{
		"", "less than", "more than", "times the value under", "by how many times larger under",
	}[r]
}

func (r Relation) words(what, unit, baseline string) (string, string) {
	switch r {
	case Less:
		return what + ", less than " + baseline, "%"
	case More:
		return what + ", more than " + baseline, "%"
	case Times:
		return what + ", times " + baseline + "'s", ""
	case Fold:
		return what + ", " + baseline + "'s over it", ""
	}
	return what, unit
}
