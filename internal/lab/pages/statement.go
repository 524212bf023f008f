package pages

import "github.com/sluicefc/sluice/internal/lab/run"

// Statement is a claim of a paper on a scenario.
type Statement struct {
	Statement string        `json:"statement"`
	Place     string        `json:"place"`
	Source    run.Source    `json:"source"`
	Name      string        `json:"name"`
	Note      string        `json:"note"`
	Judged    run.Judgement `json:"judged"` // on this scenario alone
	Parts     []Part        `json:"parts"`
}

// Part is a cell of which the paper gives something, or a place of an order.
type Part struct {
	Measure   string       `json:"measure"`
	Unit      string       `json:"unit"`
	Of        string       `json:"of"`
	Baseline  string       `json:"baseline"`
	Relation  run.Relation `json:"relation"`
	Published *run.Range   `json:"published"` // null in an order
	Series    string       `json:"series"`    // of an order
	Rank      int          `json:"rank"`      // in its series, from 1
	Verdict   run.Verdict  `json:"verdict"`   // of the cell; empty in an order
}

func (p *Part) cell() cell { return cell{p.Measure, p.Unit, p.Of, p.Baseline, p.Relation} }

// key identifies a statement within a paper.
func (s *Statement) key() [2]string { return [2]string{s.Statement, s.Place} }

// statements returns what the paper states of a subject, before anything is run.
func statements(s *run.Subject) []Statement {
	all := []Statement{}
	if s.Claims == nil {
		return all
	}
	expected := run.Expected(s)
	expected = append(expected, run.Missing(s, expected)...)
	for i, c := range s.Claims(s) {
		if c.Statement == "" {
			continue
		}
		own := Statement{
			Statement: c.Statement, Place: c.Place, Source: c.Source, Name: c.Name, Note: c.Note,
			Parts: []Part{},
		}
		for _, f := range expected {
			if f.Index != i || !f.Part() {
				continue
			}
			own.Parts = append(own.Parts, Part{
				Measure: f.Measure, Unit: f.Unit, Of: f.Run, Baseline: f.Baseline, Relation: f.Relation,
				Published: f.Published, Series: f.Series, Rank: f.Rank,
			})
		}
		all = append(all, own)
	}
	return all
}

func (s *Statement) judge(e *Entry) {
	findings := e.findings(s)
	for i := range findings {
		if s.Parts[i].Rank == 0 {
			s.Parts[i].Verdict = findings[i].Verdict()
		}
	}
	s.Judged = run.Judge(findings)
}

// findings are the parts of a statement with what was measured. Runs of another network, traffic or
// parameters than the scenario's say nothing about it.
func (e *Entry) findings(s *Statement) []run.Finding {
	if e.Stale == otherSetting {
		return s.with(e, func(cell) run.Measured { return run.None() })
	}
	return s.with(e, e.measured)
}

// with are the parts with statements about their cells.
func (s *Statement) with(e *Entry, measured func(cell) run.Measured) []run.Finding {
	findings := make([]run.Finding, len(s.Parts))
	for i := range s.Parts {
		p := &s.Parts[i]
		findings[i] = run.Finding{
			Measure: p.Measure, Unit: p.Unit, Relation: p.Relation, Run: p.Of, Baseline: p.Baseline,
			Published: p.Published, Series: e.Scenario + " " + p.Series, Rank: p.Rank,
			Measured: measured(p.cell()),
		}
	}
	return findings
}

// nothing is what runs gave where they gave nothing to measure.
const nothing = "nothing to measure"

// measured is what runs gave for a cell: nothing is known of a cell that was not asked for.
func (e *Entry) measured(c cell) run.Measured {
	r := e.row(c)
	switch {
	case r == nil || len(e.Runs) == 0:
		return run.None()
	case len(r.Values) == 0:
		return run.Words(nothing)
	}
	return r.measured()
}

// measuredWith is what a seed alone gave for a cell.
func (e *Entry) measuredWith(seed uint64, c cell) run.Measured {
	r := e.row(c)
	if r == nil {
		return run.None()
	}
	switch v := r.Values[int64(seed)].(type) {
	case float64:
		return run.Number(v)
	case string:
		return run.Words(v)
	}
	return run.Words(nothing)
}
