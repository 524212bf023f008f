// Package pages makes the pages of results: for every scenario that follows a paper what the paper
// gives beside what came out here, with a verdict, from runs that are kept as JSON files. A page is
// a function of those files, and no number on it is typed.
package pages

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice/internal/lab/run"
)

// Entry is what is kept of a scenario.
type Entry struct {
	Name        string   `json:"name"` // the scenario's name, and what is changed
	Scenario    string   `json:"scenario"`
	Changes     string   `json:"changes"` // what is changed of the scenario, as flags
	Description string   `json:"description"`
	Figure      string   `json:"figure"`
	Command     string   `json:"command"` // that runs it once
	Trials      []string `json:"trials"`  // that are compared
	// Open names what the paper does not give, and the change gives otherwise; "" if it is not that.
	Open string `json:"open"`
	// Setting is a digest of network, traffic and parameters. Stale says what has changed since the
	// runs; "" if nothing has.
	Setting string `json:"setting"`
	Stale   string `json:"stale"`
	// Code is a digest of the sources that the runs may depend on, or the build if there were no
	// sources. Commit is the commit of main that these were, or came after: see commitOfMain. Older
	// says that the code was another when the pages were made last.
	Code   string `json:"code"`
	Build  string `json:"build,omitempty"` // of old entries: the program
	Commit string `json:"commit"`
	Older  bool   `json:"older,omitempty"`
	Runs   []Run  `json:"runs"` // in the order of the seeds
	// Due are seeds that were kept, and are to be run anew by the code of Runs.
	Due []uint64 `json:"due,omitempty"`
	// Remarks are what is to be known beside the claims.
	Remarks []string `json:"remarks"`
	// Unvaried is what the paper does not give and no note has a run of.
	Unvaried   []string    `json:"unvaried,omitempty"`
	Statements []Statement `json:"statements"`
	Rows       []Row       `json:"rows"`

	Tried  []*Entry `json:"-"` // the same scenario with changes
	panels []string // of its picture
	Stands string   `json:"-"` // with a change: the variant that it stands for, "" if none
}

// Run is a seed that was run.
type Run struct {
	Seed      uint64  `json:"seed"`
	Seconds   float64 `json:"seconds"`    // of the simulations
	PeakBytes int64   `json:"peak_bytes"` // of memory; 0 if several ran at once
}

// Row is a cell: something that is measured of a trial, or of a trial beside another.
type Row struct {
	Measure  string        `json:"measure"`
	Unit     string        `json:"unit"` // of the relation where there is one
	Figure   string        `json:"figure"`
	Relation run.Relation  `json:"relation"`
	Of       string        `json:"of"`
	Baseline string        `json:"baseline"`
	Values   map[int64]any `json:"values"` // by seed: a number, or words; none if there is nothing
	Ours     string        `json:"ours"`   // over the seeds
}

// cell identifies what was measured, and of what.
type cell struct {
	Measure, Unit, Of, Baseline string
	Relation                    run.Relation
}

func (r *Row) cell() cell { return cell{r.Measure, r.Unit, r.Of, r.Baseline, r.Relation} }

// measured returns the mean over the seeds and its spread, or words, with how many seeds gave them.
func (r *Row) measured() run.Measured {
	var numbers []float64
	said := map[string]int{}
	for _, seed := range slices.Sorted(maps.Keys(r.Values)) {
		switch v := r.Values[seed].(type) {
		case float64:
			numbers = append(numbers, v)
		case string:
			said[v]++
		}
	}
	m := run.None()
	if len(numbers) > 0 {
		m.Value, m.Spread = stats.MeanAndStdDev(numbers)
		m.Seeds = len(numbers)
	}
	if len(said) == 0 {
		return m
	}
	words := slices.Sorted(maps.Keys(said))
	if len(words) == 1 && len(numbers) == 0 {
		return run.Words(words[0])
	}
	for i, text := range words {
		words[i] = fmt.Sprintf("%s (%d of %d)", text, said[text], len(r.Values))
	}
	if len(numbers) > 0 {
		words = append(words, fmt.Sprintf("%s (%d of %d)", m.String(), len(numbers), len(r.Values)))
	}
	return run.Words(strings.Join(words, "; "))
}

// words says what was measured, as tables have it.
func words(m run.Measured) string { return strings.ReplaceAll(m.String(), "+-", "±") }

func (e *Entry) add(r Run, rows []Row) {
	e.Runs = append(e.Runs, r)
	e.Due = slices.DeleteFunc(e.Due, func(seed uint64) bool { return seed == r.Seed })
	if len(e.Due) == 0 {
		e.Due = nil
	}
	slices.SortFunc(e.Runs, func(a, b Run) int { return int(int64(a.Seed) - int64(b.Seed)) })
	for i := range rows {
		if own := e.row(rows[i].cell()); own != nil {
			maps.Copy(own.Values, rows[i].Values)
		} else {
			e.Rows = append(e.Rows, rows[i])
		}
	}
	e.judge()
}

// row returns the row of a cell; nil if it was not asked for.
func (e *Entry) row(c cell) *Row {
	i := slices.IndexFunc(e.Rows, func(r Row) bool { return r.cell() == c })
	if i < 0 {
		return nil
	}
	return &e.Rows[i]
}

// judge says what came out, by cell and by statement.
func (e *Entry) judge() {
	for i := range e.Rows {
		r := &e.Rows[i]
		r.Ours = words(r.measured())
	}
	for i := range e.Statements {
		e.Statements[i].judge(e)
	}
}

// seeds are those that are kept, and those that were.
func (e *Entry) seeds() (all []uint64) {
	for _, r := range e.Runs {
		all = append(all, r.Seed)
	}
	for _, seed := range e.Due {
		if !slices.Contains(all, seed) {
			all = append(all, seed)
		}
	}
	return all
}

func (e *Entry) has(seed uint64) bool {
	return slices.ContainsFunc(e.Runs, func(r Run) bool { return r.Seed == seed })
}

// Seconds returns the seconds of all runs.
func (e *Entry) Seconds() (sum float64) {
	for _, r := range e.Runs {
		sum += r.Seconds
	}
	return sum
}

// PerSeed returns the mean seconds of a run.
func (e *Entry) PerSeed() float64 { return e.Seconds() / float64(max(len(e.Runs), 1)) }

// Seeds returns the seeds that were run, as "1, 2, 3".
func (e *Entry) Seeds() string {
	var seeds []string
	for _, r := range e.Runs {
		seeds = append(seeds, strconv.FormatUint(r.Seed, 10))
	}
	return strings.Join(seeds, ", ")
}

// Paper is the name of the page that has the entry.
func (e *Entry) Paper() string { return run.PaperOf(e.Scenario) }
