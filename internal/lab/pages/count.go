package pages

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// counts are how many statements have each verdict, in the order of outcomes.
type counts [len(outcomes)]int

// outcomes are the columns of counts. What holds counts apart if it hangs on something that the
// paper does not give.
var outcomes = [...]run.Verdict{
	run.AsStated, hanging, run.Twice, run.Smaller, run.Larger, run.NoEffect, run.Opposite, run.Differs,
	run.NotRun,
}

const hanging run.Verdict = "as stated, but hangs on what is not published"

func (j *judged) outcome() run.Verdict {
	switch {
	case j.Verdict.Holds() && j.Hangs != nil:
		return hanging
	case j.Verdict.Holds():
		return run.AsStated
	case j.Verdict == run.NotPublished: // no measure of ours gives what it states
		return run.NotRun
	}
	return j.Verdict
}

func (c *counts) add(j *judged) { c[slices.Index(outcomes[:], j.outcome())]++ }

func (c counts) All() (n int) {
	for _, k := range c {
		n += k
	}
	return n
}

// Of is how many have an outcome.
func (c counts) Of(outcome run.Verdict) (int, error) {
	i := slices.Index(outcomes[:], outcome)
	if i < 0 {
		return 0, fmt.Errorf("no outcome is %q", outcome)
	}
	return c[i], nil
}

// counting counts the statements for which something is so.
func counting(so func(*judged) bool) func([]*paper) int {
	return func(papers []*paper) (n int) {
		for _, p := range papers {
			for _, j := range p.judged {
				if so(j) {
					n++
				}
			}
		}
		return n
	}
}

var (
	// explained do not hold, but do with another value of something that their paper does not give.
	explained = counting(func(j *judged) bool { return !j.Verdict.Holds() && j.Holds != nil })
	// stood hold, also where a run gives something of that another value.
	stood = counting(func(j *judged) bool { return j.outcome() == run.AsStated && j.Reread })
	// told are opposite by several seeds, single by one.
	told   = counting(func(j *judged) bool { return j.Verdict == run.Opposite && j.Seeds > 1 })
	single = counting(func(j *judged) bool { return j.Verdict == run.Opposite && j.Seeds == 1 })
)

// fewSeeds counts the scenarios that were run with fewer seeds than five.
func fewSeeds(papers []*paper) (n int) {
	for _, p := range papers {
		for _, e := range p.Entries {
			if len(e.Runs) > 0 && len(e.Runs) < 5 {
				n++
			}
		}
	}
	return n
}

// Count counts the statements of a paper.
func (p *paper) Count() (c counts) {
	for _, j := range p.judged {
		c.add(j)
	}
	return c
}

// Counted counts the statements of an entry; one of several scenarios counts with each.
func (p *paper) Counted(e *Entry) (c counts) {
	for i := range e.Statements {
		c.add(p.judged[e.Statements[i].key()])
	}
	return c
}

// kindCount are the counts of statements of a kind.
type kindCount struct {
	Kind    run.Kind
	Numbers counts
}

// byKind counts statements by kind, in all papers.
func byKind(papers []*paper) (all []kindCount) {
	kinds := []run.Kind{
		run.Exact, run.Roughly, run.Interval, run.NoMore, run.NoLess, run.Largest, run.Ordered,
		run.Nothing, run.Verbal, run.Several, "",
	}
	for _, k := range kinds {
		c := kindCount{Kind: k}
		for _, p := range papers {
			for _, j := range p.judged {
				if j.Kind == k {
					c.Numbers.add(j)
				}
			}
		}
		if c.Numbers.All() > 0 {
			all = append(all, c)
		}
	}
	return all
}

func total(papers []*paper) (c counts) {
	for _, p := range papers {
		for i, n := range p.Count() {
			c[i] += n
		}
	}
	return c
}

// covered is how much of what papers leave open has runs.
type covered struct {
	Scenarios int // with claims, and runs of their own
	Open      int // of these, with runs that give something open another value
	Runs      int // of these
	Left      int // that are named, and not kept for the setting of today
	Unvaried  int // scenarios of which something open is named, and no run of it is kept
	Closed    int // scenarios of which nothing is known to be open
}

func coverage(papers []*paper) (c covered) {
	for _, p := range papers {
		for _, e := range p.Entries {
			s := e.Sensitivity()
			if s == nil {
				continue
			}
			c.Scenarios++
			kept := 0
			for _, tried := range e.Tried {
				switch {
				case tried.Open == "":
				case len(tried.Runs) > 0 && tried.Stale != otherSetting:
					kept++
				default:
					c.Left++
				}
			}
			c.Runs += kept
			switch {
			case kept > 0:
				c.Open++
			case s.Closed():
				c.Closed++
			default:
				c.Unvaried++
			}
		}
	}
	return c
}
