package run

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Measured is what a run gave: a number, or words where no number says it.
type Measured struct {
	Value  float64 // not a number where there is none
	Spread float64 // standard deviation of the values whose mean is Value; 0 if unknown
	Seeds  int     // how many values Value is the mean of; 0 for one
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

// Confidence is half of the interval in which the mean is with a confidence of 95 %; 0 if unknown.
func (m *Measured) Confidence() float64 {
	if m.Seeds < 2 {
		return 0
	}
	return Student(m.Spread, m.Seeds)
}

// Finding is a cell: what was measured of a run, or of a run and a baseline, and what the paper
// gives there.
type Finding struct {
	Claim         *Claim
	Index         int    // of the claim, among the subject's
	Measure       string // What of the measurement
	Figure        string
	What, Unit    string // with the baseline
	Relation      Relation
	Run, Baseline string // labels; no baseline without a relation
	Measured      Measured
	Published     *Range // nil if the paper gives nothing
	// Where the claim is an order: findings of one Series are to grow with Rank, from 1; 0: not part.
	Series string
	Rank   int
	name   string // key of Published, or of Rising
}

// Findings measures the claims of a subject on runs. What cannot be measured is left out, unless
// the paper gives it. What several claims measure is there once for each of which it is a part.
func Findings(s *Subject, outcomes []*Outcome) (findings []Finding) {
	if s.Claims == nil {
		return nil
	}
	for _, f := range findingsOf(s, outcomes, (*Measurement).measure) {
		if f.Measured.Known() || f.Part() {
			findings = append(findings, f)
		}
	}
	return findings
}

// Expected returns the findings that runs of all trials may give, before anything is run.
func Expected(s *Subject) []Finding {
	if s.Claims == nil {
		return nil
	}
	var outcomes []*Outcome
	for _, t := range s.Trials() {
		outcomes = append(outcomes, &Outcome{Subject: t.Subject, Run: t.FC, FC: t.Label})
	}
	return findingsOf(s, outcomes, func(*Measurement, *Outcome, *Outcome) Measured { return None() })
}

// measuring gives the value of a run beside a baseline, which is nil where there is no relation.
type measuring func(m *Measurement, o, baseline *Outcome) Measured

func (m *Measurement) measure(o, baseline *Outcome) Measured {
	if baseline == nil {
		return m.Value(o)
	}
	return Number(m.Relation.between(m.Value(o).Value, m.Value(baseline).Value))
}

func findingsOf(s *Subject, outcomes []*Outcome, measure measuring) (findings []Finding) {
	claims := s.Claims(s)
	for i := range claims {
		for k := range claims[i].Measures {
			findings = append(findings, claims[i].findings(i, k, outcomes, measure)...)
		}
	}
	return onlyOnce(findings)
}

// onlyOnce leaves out findings that are no part of a statement and are there otherwise.
func onlyOnce(findings []Finding) (kept []Finding) {
	for i := range findings {
		f := &findings[i]
		again := func(o Finding) bool { return o.Cell() == f.Cell() }
		if f.Part() || !slices.ContainsFunc(kept, again) &&
			!slices.ContainsFunc(findings[i+1:], func(o Finding) bool { return o.Part() && again(o) }) {
			kept = append(kept, *f)
		}
	}
	return kept
}

// Part reports whether the finding is a part of what the paper states.
func (f *Finding) Part() bool { return f.Published != nil || f.Rank > 0 }

// Line is what a finding is one cell of, and the name of its column there: of a measure the run, of
// a comparison the baseline.
func (f *Finding) Line() (line, column string) {
	line = f.Measure
	if f.Relation != Alone {
		line, column = f.Measure+": "+f.Run+", "+f.Relation.Phrase(), f.Baseline
	} else {
		column = f.Run
	}
	return line, column
}

// Cell identifies what was measured of which runs.
func (f *Finding) Cell() string {
	return fmt.Sprintf("%s|%d|%s|%s|%s", f.Measure, f.Relation, f.Unit, f.Run, f.Baseline)
}

func (c *Claim) findings(
	index, measure int, outcomes []*Outcome, value measuring,
) (findings []Finding) {
	m := &c.Measures[measure]
	add := func(o, baseline *Outcome) {
		f := c.cell(measure, o, baseline)
		f.Index, f.Measured = index, value(m, o, baseline)
		findings = append(findings, f)
	}
	for _, o := range outcomes {
		if m.Of != nil && !o.named(m.Of) {
			continue
		}
		if m.Relation == Alone {
			add(o, nil)
			continue
		}
		for _, b := range outcomes {
			if m.compares(o, b) {
				add(o, b)
			}
		}
	}
	return findings
}

// cell is a finding of which nothing is measured yet.
func (c *Claim) cell(measure int, o, baseline *Outcome) Finding {
	m := &c.Measures[measure]
	f := Finding{
		Claim: c, Measure: m.What, Figure: m.Figure, Relation: m.Relation, Run: o.FC,
	}
	named, like := o, ""
	if baseline != nil {
		f.Baseline, named, like = baseline.FC, baseline, o.FC
	}
	if m.Alike != nil {
		like += m.Alike(o)
	}
	f.What, f.Unit = m.Relation.words(m.What, m.Unit, f.Baseline)
	f.name, f.Published = m.published(named)
	rank := slices.IndexFunc(c.Rising, func(name string) bool { return named.named([]string{name}) })
	switch {
	case rank >= 0:
		f.name, f.Series, f.Rank = c.Rising[rank], m.What+" "+like, rank+1
	case c.Across:
		f.Series, f.Rank = f.Run+" "+f.Baseline, measure+1
	}
	return f
}

func (m *Measurement) compares(o, b *Outcome) bool {
	if b == o || m.Alike != nil && m.Alike(o) != m.Alike(b) {
		return false
	}
	if m.Against == nil {
		return !b.named(m.Of)
	}
	return b.named(m.Against)
}

// published returns what the paper gives for a run, or for comparisons with it, and by which name.
func (m *Measurement) published(o *Outcome) (name string, r *Range) {
	for _, name := range append(o.Names(), "") {
		if r, ok := m.Published[name]; ok {
			return name, &r
		}
	}
	return "", nil
}

// Missing returns a finding, as not run, for each name for which the paper gives something and no
// finding does.
func Missing(s *Subject, findings []Finding) (missing []Finding) {
	if s.Claims == nil {
		return nil
	}
	claims := s.Claims(s)
	for i := range claims {
		for k := range claims[i].Measures {
			missing = append(missing, claims[i].missing(i, k, findings)...)
		}
	}
	return missing
}

func (c *Claim) missing(index, measure int, findings []Finding) (missing []Finding) {
	m := &c.Measures[measure]
	names := append(slices.Sorted(maps.Keys(m.Published)), c.Rising...)
	for i, name := range names {
		found := func(f Finding) bool {
			return f.Index == index && f.Measure == m.What && f.Relation == m.Relation && f.name == name
		}
		if name == "" || slices.Contains(names[:i], name) || slices.ContainsFunc(findings, found) {
			continue
		}
		f := Finding{
			Claim: c, Index: index, Measure: m.What, Figure: m.Figure, Relation: m.Relation, Run: name,
			Measured: None(), name: name,
		}
		if m.Relation != Alone {
			f.Run, f.Baseline = strings.Join(m.Of, ", "), name
		}
		if p, ok := m.Published[name]; ok {
			f.Published = &p
		} else {
			f.Series, f.Rank = m.What, slices.Index(c.Rising, name)+1
		}
		f.What, f.Unit = m.Relation.words(m.What, m.Unit, f.Baseline)
		missing = append(missing, f)
	}
	return missing
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
