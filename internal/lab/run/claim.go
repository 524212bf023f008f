package run

import (
	"math"
	"slices"
	"strings"
)

// Claim is something that a paper says of runs of a scenario, and how it is measured here. It holds
// for every run that Of names; with a relation, for every pair of such a run and a baseline.
type Claim struct {
	What   string // "mean FCT of incast flows"
	Unit   string // of Value, "us"; "" for counts and shares. A relation has its own.
	Source string // within the paper, "Table I"; "" for the scenario's figure

	// Of names runs, by a name of Outcome.Names; nil means all.
	Of []string
	// Relation compares with each run that Against names; nil means all runs but Of.
	Relation Relation
	Against  []string
	// Alike has what a run and a baseline must have in common; nil if nothing.
	Alike func(*Outcome) string

	// Value measures a run. A relation is between the values of two runs.
	Value Measure

	// Published is what the paper gives, by a name of the run, or of the baseline where there is a
	// relation; "" stands for other names.
	Published Ranges

	Note string // what was tried where our value differs
}

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

func (c *Claim) words(baseline string) (what, unit string) {
	switch c.Relation {
	case Less:
		return c.What + ", less than " + baseline, "%"
	case More:
		return c.What + ", more than " + baseline, "%"
	case Times:
		return c.What + ", times that of " + baseline, ""
	case Fold:
		return c.What + ", that of " + baseline + " over it", ""
	}
	return c.What, c.Unit
}

// Measured is what a run gave: a number, or words where no number says it.
type Measured struct {
	Value  float64 // not a number where there is none
	Spread float64 // standard deviation of the values whose mean is Value; 0 if unknown
	Words  string
}

func Number(x float64) Measured { return Measured{Value: x} }

// Positive is a number that a run gave; nothing if it is 0.
func Positive(x float64) Measured {
	if x == 0 {
		return Measured{Value: math.NaN()}
	}
	return Number(x)
}

func Words(text string) Measured { return Measured{Value: math.NaN(), Words: text} }

// None is what a run gave where nothing can be measured.
func None() Measured { return Words("") }

// Known reports whether there is anything.
func (m *Measured) Known() bool { return !math.IsNaN(m.Value) || m.Words != "" }

type Finding struct {
	*Claim
	What, Unit    string // with the baseline
	Run, Baseline string // labels; no baseline without a relation
	Measured      Measured
	Published     *Range // nil if the paper gives nothing
	name          string // key of Published
}

// Findings measures the claims of a subject on runs. What cannot be measured is left out, unless
// the paper gives it.
func Findings(s *Subject, outcomes []*Outcome) (findings []Finding) {
	if s.Claims == nil {
		return nil
	}
	claims := s.Claims(s)
	for i := range claims {
		findings = append(findings, claims[i].findings(outcomes)...)
	}
	return findings
}

func (c *Claim) findings(outcomes []*Outcome) (findings []Finding) {
	add := func(f Finding) {
		if f.Measured.Known() || f.Published != nil {
			findings = append(findings, f)
		}
	}
	for _, o := range outcomes {
		if c.Of != nil && !o.named(c.Of) {
			continue
		}
		if c.Relation == Alone {
			f := Finding{Claim: c, Run: o.FC, Measured: c.Value(o)}
			f.name, f.Published = c.published(o)
			f.What, f.Unit = c.words("")
			add(f)
			continue
		}
		for _, b := range outcomes {
			if !c.compares(o, b) {
				continue
			}
			f := Finding{Claim: c, Run: o.FC, Baseline: b.FC}
			f.name, f.Published = c.published(b)
			f.What, f.Unit = c.words(b.FC)
			f.Measured = Number(c.Relation.between(c.Value(o).Value, c.Value(b).Value))
			add(f)
		}
	}
	return findings
}

func (c *Claim) compares(o, b *Outcome) bool {
	if b == o || c.Alike != nil && c.Alike(o) != c.Alike(b) {
		return false
	}
	if c.Against == nil {
		return !b.named(c.Of)
	}
	return b.named(c.Against)
}

// published returns what the paper gives for a run, or for comparisons with it, and by which name.
func (c *Claim) published(o *Outcome) (name string, r *Range) {
	for _, name := range append(o.Names(), "") {
		if r, ok := c.Published[name]; ok {
			return name, &r
		}
	}
	return "", nil
}

// Names returns the names by which claims know a run: its label, its flow control, the name of its
// variant, its congestion control if it has one.
func (o *Outcome) Names() []string {
	names := []string{o.FC, o.Run, strings.TrimPrefix(o.FC, o.Run+" ")}
	if control := o.Subject.Values.String("cc"); control != "none" {
		names = append(names, control)
	}
	return names
}

func (o *Outcome) named(names []string) bool {
	return slices.ContainsFunc(o.Names(), func(name string) bool {
		return slices.Contains(names, name)
	})
}
