package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice/internal/prng"
)

// sweep is a scenario under protocols with their variants, values of a parameter, and seeds.
type sweep struct {
	options   *options
	scenario  *scenario
	first     *subject // of the first value and seed, for headings
	parameter string   // "" if only seeds change
	labels    []string // of the protocols, with their variants
	values    []string // of the parameter; one "" if there is none
	seeds     []uint64
	runs      []sweepRun // by protocol, then value, then seed
}

// sweepRun is one run: what was asked for, and the metrics once it is done.
type sweepRun struct {
	fc, value string
	seed      uint64
	metrics   []float64 // NaN where no flow completed; nil until done
}

// sweep is the command "sweep".
func (c command) sweep(args []string) error {
	var o options
	if err := c.parse(&o, "sweep", args); err != nil {
		return err
	}
	s, err := o.newSweep()
	if err != nil {
		return usageError{err}
	}
	journal, err := s.openJournal()
	if err != nil {
		return usageError{err}
	}
	err = c.profiled(&o, func() error { return c.runSweep(s, journal) })
	if err = errors.Join(err, journal.close()); err != nil {
		return err
	}
	w := c.writer(&o)
	if o.csv != "-" && o.plot != "-" {
		w.tables(s.writeTables)
	}
	w.file(o.csv, "points", s.writePoints)
	w.file(journal.path, "runs", s.writeRuns)
	w.picture(o.plot, s.figure)
	return w.finish()
}

// newSweep plans the runs and checks every configuration.
func (o *options) newSweep() (*sweep, error) {
	s := &sweep{options: o, seeds: o.seeds, values: []string{""}}
	switch {
	case len(s.seeds) > 0 && o.repeat > 0:
		return nil, errors.New("either -seeds or -repeat")
	case o.repeat > 0:
		s.seeds = derivedSeeds(o.seed, int(o.repeat))
	case len(s.seeds) == 0:
		s.seeds = []uint64{o.seed}
	}
	if o.sweep != "" {
		name, list, found := strings.Cut(o.sweep, "=")
		values, err := splitList(list)
		if !found || err != nil {
			return nil, fmt.Errorf("-sweep %s: must be written NAME=VALUE,VALUE", o.sweep)
		}
		s.parameter, s.values = strings.TrimSpace(name), values
	}
	var err error
	if s.scenario, err = o.choose(); err != nil {
		return nil, err
	}
	for i, value := range s.values {
		if slices.Contains(s.values[:i], value) {
			return nil, fmt.Errorf("-sweep %s: value %s is given twice", o.sweep, value)
		}
		subject, err := s.prepare(value, s.seeds[0])
		if err == nil {
			err = subject.check(int(s.options.jobs))
		}
		if err != nil {
			return nil, err
		}
		if i == 0 {
			s.first = subject
		}
	}
	for _, t := range s.first.trials() {
		s.labels = append(s.labels, t.label)
	}
	for _, fc := range s.labels {
		for _, value := range s.values {
			for _, seed := range s.seeds {
				s.runs = append(s.runs, sweepRun{fc: fc, value: value, seed: seed})
			}
		}
	}
	return s, nil
}

// derivedSeeds returns n different seeds that follow from one.
func derivedSeeds(seed uint64, n int) []uint64 {
	seeds := make([]uint64, n)
	for i := range seeds {
		seeds[i] = prng.Mix(seed + uint64(i)) // a bijection
	}
	return seeds
}

// prepare builds the scenario with a value of the parameter.
func (s *sweep) prepare(value string, seed uint64) (*subject, error) {
	o := *s.options
	if s.parameter != "" {
		o.set = append(slices.Clone(o.set), s.parameter+"="+value)
	}
	return s.scenario.prepare(&o, seed)
}

// runSweep carries out the runs that the journal does not have.
func (c command) runSweep(s *sweep, journal *journal) error {
	left := 0
	for i := range s.runs {
		if s.runs[i].metrics == nil {
			left++
		}
	}
	progress := c.progress(s.options, left)
	defer progress.clear()
	return inParallel(len(s.runs), int(s.options.jobs), func(i int) error {
		run := &s.runs[i]
		if run.metrics != nil {
			return nil
		}
		subject, err := s.prepare(run.value, run.seed)
		if err != nil {
			return err
		}
		update, done := progress.begin(strings.Join(
			[]string{run.fc, run.value, fmt.Sprint("seed ", run.seed)}, " ",
		))
		defer done()
		t := subject.trial(run.fc)
		t.subject.sampleEvery = 0
		outcome, err := t.subject.run(t.fc, false, update)
		if err != nil {
			return err
		}
		run.metrics = measure(outcome)
		return journal.append(run)
	})
}

// metrics are what a sweep measures of a run, and the names of their columns.
var metrics = append([]string{
	"flows", "completed", "deadlocks", "stalls", "dropped_packets", "reordered_packets",
	"marked_packets", "timeouts", "control_frames",
	"max_switch_bytes", "max_port_bytes", "simulated_us",
}, groupMetrics()...)

func groupMetrics() (names []string) {
	for _, g := range reportGroups {
		name := strings.ReplaceAll(groupTitle(g), " ", "_")
		for _, of := range []string{
			"_completed", "_fct_us", "_fct_us_p95", "_fct_us_p99", "_fct_us_p999", "_slowdown",
			"_gbps", // mean of size over completion time
		} {
			names = append(names, name+of)
		}
	}
	return names
}

func measure(o *outcome) []float64 {
	r := o.result
	deadlocks, stalls := 0.0, 0.0
	if r.Deadlock != "" {
		deadlocks = 1
	}
	if r.Stalled {
		stalls = 1
	}
	m := []float64{
		float64(len(r.Flows)), float64(r.Completed), deadlocks, stalls, float64(r.Dropped),
		float64(r.Reordered), float64(r.Marked), float64(r.Timeouts), float64(o.frames()),
		float64(r.MaxSwitchBytes), float64(r.MaxPortBytes), round6(r.Simulated.Microseconds()),
	}
	for _, g := range reportGroups {
		m = append(m, float64(o.completed(g)))
		if fct, slowdown := *o.fct.of(g), *o.slowdown.of(g); fct != nil {
			m = append(m, fct.Mean, fct.P95, fct.P99, fct.P999, slowdown.Mean, round6(flowThroughput(g)(o)))
		} else {
			for range 6 {
				m = append(m, math.NaN())
			}
		}
	}
	return m
}

// settings say what the runs have in common; those of another sweep are not ours.
func (s *sweep) settings() string {
	o := s.options
	digest := xxhash.New()
	fmt.Fprint(digest, s.first.graph, s.first.flows)
	return fmt.Sprintf("# sweep of %s: scenario %s, set %s, until %v, fail %v, incast %v, version "+
		"%s, flows %x",
		s.parameter, s.scenario.name, strings.Join(o.set, ","), &o.until, &o.failures, o.incast,
		version(), digest.Sum64())
}
