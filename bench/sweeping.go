package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// sweep is a scenario under protocols with their variants, values of a parameter, and seeds.
type sweep struct {
	sweepConfig
	first  *subject   // of the first value and seed, for headings
	labels []string   // of the protocols, with their variants
	runs   []sweepRun // by protocol, then value, then seed
}

// sweepRun is one run: what was asked for, and the metrics once it is done.
type sweepRun struct {
	fc, value string
	seed      uint64
	metrics   []float64 // NaN where no flow completed; nil until done
}

// sweepConfig says what a sweep is of.
type sweepConfig struct {
	library   *library
	scenario  *scenario
	request   request // of every run but for the seed and the value
	parameter string  // "" if only seeds change
	values    []string
	seeds     []uint64
	jobs      int
}

// newSweep plans the runs and checks every configuration.
func newSweep(c sweepConfig) (*sweep, error) {
	s := &sweep{sweepConfig: c}
	if s.parameter == "" {
		s.values = []string{""}
	}
	for i, value := range s.values {
		if slices.Contains(s.values[:i], value) {
			return nil, fmt.Errorf("-sweep %s=%s: value %s is given twice",
				s.parameter, strings.Join(s.values, ","), value)
		}
		subject, err := s.prepare(value, s.seeds[0])
		if err == nil {
			err = subject.check(s.jobs)
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
	r := s.request
	r.seed = seed
	if s.parameter != "" {
		r.set = append(slices.Clone(r.set), s.parameter+"="+value)
	}
	return s.library.prepare(s.scenario, r)
}

// left is how many runs the journal did not have.
func (s *sweep) left() (n int) {
	for i := range s.runs {
		if s.runs[i].metrics == nil {
			n++
		}
	}
	return n
}

// runLeft carries out the runs that the journal does not have. begin is told of each, and returns
// what is called as it goes on, and at its end.
func (s *sweep) runLeft(
	journal *journal, begin func(label string) (func(delivered, total sluice.Bytes), func()),
) error {
	return inParallel(len(s.runs), s.jobs, func(i int) error {
		run := &s.runs[i]
		if run.metrics != nil {
			return nil
		}
		subject, err := s.prepare(run.value, run.seed)
		if err != nil {
			return err
		}
		update, done := begin(strings.Join(
			[]string{run.fc, run.value, fmt.Sprint("seed ", run.seed)}, " ",
		))
		defer done()
		t := subject.trial(run.fc)
		t.subject.sampleEvery = 0
		outcome, err := t.subject.simulate(t.fc, false, update)
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
	r := &s.request
	digest := xxhash.New()
	fmt.Fprint(digest, s.first.graph, s.first.flows)
	until := ""
	if r.until != 0 {
		until = r.until.String()
	}
	return fmt.Sprintf("# sweep of %s: scenario %s, set %s, until %s, fail %s, incast %v, version "+
		"%s, flows %x",
		s.parameter, s.scenario.name, strings.Join(r.set, ","), until,
		strings.Join(r.failures.words(), ","), r.incast, version(), digest.Sum64())
}
