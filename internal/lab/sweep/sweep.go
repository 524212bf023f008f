// Package sweep runs a scenario over values of a parameter and seeds, with a journal from which an
// interrupted sweep goes on.
package sweep

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// Plan is a scenario under protocols with their variants, values of a parameter, and seeds.
type Plan struct {
	Config
	first    *run.Subject // of the first value and seed, for headings
	networks bool         // networks of the values differ
	groups   []workload.Group
	jobs     []string  // of every run, by name
	metrics  []string  // of each run
	flows    string    // digest of them
	fixed    bool      // every seed has the same flows
	same     *bool     // see repeated; nil before
	values   []string  // of the grid, every value of each axis joined by valueSeparator
	labels   []string  // of the protocols, with their variants
	runs     []Run     // by protocol, then value, then seed
	strange  []strange // programs whose runs were taken
}

// Run is one run: what was asked for, and the metrics once it is done.
type Run struct {
	fc, value string
	seed      uint64
	metrics   []float64 // NaN where no flow completed; nil until done
	notes     string    // of the outcome, a line each
}

func (r *Run) label() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s seed %d", r.fc, r.value, r.seed)), " ")
}

type Config struct {
	Library  *run.Library
	Scenario *run.Scenario
	Request  run.Request // of every run, except the seed and the value
	Axes     []Axis      // the grid's; none if only seeds change
	Seeds    []uint64
	Jobs     int
	Flows    string // file of the flows, from which each run's is named; "" for none
	Slice    run.Slice
	Command  []string // that plans the same sweep
}

// Axis is a parameter and its values, as they are written.
type Axis struct {
	Parameter string
	Values    []string
}

func New(c Config) (*Plan, error) {
	s := &Plan{Config: c}
	if err := s.makeGrid(); err != nil {
		return nil, err
	}
	seen := make([]map[string]*params.Values, len(s.Axes)) // by axis and value
	for i, value := range s.values {
		subject, err := s.prepare(value, s.Seeds[0])
		if err == nil {
			err = s.checkDifferent(seen, value, subject.Values)
		}
		if err == nil {
			err = subject.Check(s.Jobs)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.first = subject
			s.first.Changes = s.Request.Changes()
			s.groups = run.ReportGroups(subject.Groups)
			for i := range subject.Jobs {
				s.jobs = append(s.jobs, subject.Jobs[i].Name)
			}
			s.metrics = metricsOf(s.groups, s.jobs)
		}
		if i == 0 {
			err = s.readSeeds(value)
		} else {
			err = s.sameGroups(subject)
		}
		if err != nil {
			return nil, err
		}
		if len(subject.Graph.Nodes) != len(s.first.Graph.Nodes) {
			s.networks = true
		}
	}
	for _, t := range s.first.Trials() {
		s.labels = append(s.labels, t.Label)
	}
	for _, fc := range s.labels {
		for _, value := range s.values {
			for _, seed := range s.Seeds {
				s.runs = append(s.runs, Run{fc: fc, value: value, seed: seed})
			}
		}
	}
	return s, nil
}

// DerivedSeeds returns n different seeds that follow from one.
func DerivedSeeds(seed uint64, n int) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = prng.Mix(seed + uint64(i)) // a bijection
	}
	return seeds
}

// valueSeparator stands between the values of the axes; no value has it.
const valueSeparator = " "

// makeGrid joins the values of the axes, the values of the last axis changing fastest.
func (s *Plan) makeGrid() error {
	s.values = []string{""}
	for i, axis := range s.Axes {
		if slices.ContainsFunc(s.Axes[:i], func(a Axis) bool { return a.Parameter == axis.Parameter }) {
			return fmt.Errorf("-sweep %s: the parameter is swept twice", axis.Parameter)
		}
		var joined []string
		for _, before := range s.values {
			for j, value := range axis.Values {
				switch {
				case slices.Contains(axis.Values[:j], value):
					return fmt.Errorf("-sweep %s=%s: value %s is given twice",
						axis.Parameter, strings.Join(axis.Values, ","), value)
				case strings.Contains(value, valueSeparator):
					return fmt.Errorf("-sweep %s: value %q has a blank", axis.Parameter, value)
				case i > 0:
					value = before + valueSeparator + value
				}
				joined = append(joined, value)
			}
		}
		s.values = joined
	}
	return nil
}

// checkDifferent refuses a value that is one seen before, written in another way.
func (s *Plan) checkDifferent(
	seen []map[string]*params.Values, value string, now *params.Values,
) error {
	for i, one := range s.cellsOf(value) {
		if seen[i] == nil {
			seen[i] = map[string]*params.Values{}
		}
		name := s.Axes[i].Parameter
		for _, other := range slices.Sorted(maps.Keys(seen[i])) {
			if other != one && now.Same(seen[i][other], name) {
				return fmt.Errorf("-sweep %s=%s: %s and %s are the same value", name,
					strings.Join(s.Axes[i].Values, ","), other, one)
			}
		}
		seen[i][one] = now
	}
	return nil
}

func (s *Plan) prepare(value string, seed uint64) (*run.Subject, error) {
	r := s.Request
	r.Seed = seed
	r.Set = slices.Clone(r.Set)
	for i, one := range s.cellsOf(value) {
		r.Set = append(r.Set, s.Axes[i].Parameter+"="+one)
	}
	return s.Library.Prepare(s.Scenario, r)
}

func (s *Plan) Runs() int { return len(s.runs) }

// Left returns how many runs of the slice the journals did not have.
func (s *Plan) Left() (n int) {
	for i := range s.runs {
		if s.left(i) {
			n++
		}
	}
	return n
}

func (s *Plan) left(i int) bool { return s.runs[i].metrics == nil && s.Slice.Has(i) }

// RunLeft carries out the runs of the slice that the journals do not have. RunLeft calls begin with
// each run, and begin returns functions to call as it goes on, and at its end.
func (s *Plan) RunLeft(
	journal *Journal, begin func(label string) (func(delivered, total sluice.Bytes), func()),
) error {
	return run.InParallel(len(s.runs), s.Jobs, func(i int) error {
		run := &s.runs[i]
		if !s.left(i) {
			return nil
		}
		update, done := begin(run.label())
		defer done()
		outcome, err := s.carryOut(run, update)
		if err != nil {
			return err
		}
		if file := s.flowsOf(run); file != "" {
			err := report.WriteFile(file, nil, func(w io.Writer) error {
				return report.WriteFlows(w, outcome)
			})
			if err != nil {
				return err
			}
		}
		return journal.append(run)
	})
}

// carryOut carries out a run, and measures it.
func (s *Plan) carryOut(
	r *Run, update func(delivered, total sluice.Bytes),
) (*run.Outcome, error) {
	subject, err := s.prepare(r.value, r.seed)
	if err != nil {
		return nil, err
	}
	t := subject.Trial(r.fc)
	t.Subject.SampleEvery = 0
	outcome, err := t.Subject.Simulate(t.FC, false, update)
	if err == nil {
		r.metrics, r.notes = Measure(outcome, s.groups), strings.Join(outcome.Result.Notes, "\n")
	}
	return outcome, err
}

// flowsOf is the file of a run's flows, "" for none: FILE.<fc>.<values>.seed<seed>.csv for
// FILE.csv.
func (s *Plan) flowsOf(r *Run) string {
	if s.Flows == "" {
		return ""
	}
	name := strings.Join(append([]string{r.fc}, s.cellsOf(r.value)...), ".")
	return report.ProtocolPath(s.Flows, fmt.Sprintf("%s.seed%d", name, r.seed), 0)
}

func (s *Plan) parameters() (names []string) {
	for _, axis := range s.Axes {
		names = append(names, axis.Parameter)
	}
	return names
}

func (s *Plan) cellsOf(value string) []string {
	if len(s.Axes) == 0 {
		return nil
	}
	return strings.Split(value, valueSeparator)
}
