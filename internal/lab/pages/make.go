package pages

import (
	"cmp"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// Config is what is to be made.
type Config struct {
	Library *run.Library
	Dir     string   // of the results, docs/results
	Names   []string // of papers and scenarios; none: all
	Seeds   []uint64
	Jobs    int           // runs at a time
	For     time.Duration // no run begins later; 0: without end, below 0: nothing is run
	Say     func(string)  // what goes on
}

// Make runs what is missing or stale, cheapest first, or, if it is named, what another build made;
// keeps each run as soon as it is done; and writes the pages. What is interrupted goes on at the
// next call.
func Make(c Config) error {
	plans, err := c.plan()
	if err != nil {
		return err
	}
	var units []unit
	for _, p := range plans {
		if err := p.entry.save(c.Dir); err != nil {
			return err
		}
		for _, seed := range p.wanted(&c) {
			units = append(units, unit{p, seed})
		}
		if p.entry.Stale != "" {
			c.Say(p.entry.Scenario + " is stale: " + p.entry.Stale)
		}
	}
	begun := time.Now()
	failed := run.InParallel(len(units), c.Jobs, func(i int) error {
		if c.For > 0 && time.Since(begun) > c.For {
			return nil
		}
		return units[i].run(&c)
	})
	if err := Write(c.Library, c.Dir); err != nil {
		return err
	}
	return failed
}

// CheckNames refuses a name that is neither a paper's nor that of a scenario with something to
// compare with.
func CheckNames(l *run.Library, names []string) error {
	known := map[string]bool{}
	for i := range l.Scenarios {
		if s := &l.Scenarios[i]; included(s) {
			known[s.Name], known[paperOf(s.Name)] = true, true
		}
	}
	for _, name := range names {
		if !known[name] {
			return fmt.Errorf("no paper and no scenario with published numbers is named %q%s", name,
				params.DidYouMean(name, slices.Sorted(maps.Keys(known))))
		}
	}
	return nil
}

// planned is an entry that is asked for.
type planned struct {
	scenario *run.Scenario
	entry    *Entry
	cost     float64 // seconds of a run, about
	mutex    sync.Mutex
}

// plan prepares what is asked for, cheapest first.
func (c *Config) plan() (plans []*planned, err error) {
	for i := range c.Library.Scenarios {
		s := &c.Library.Scenarios[i]
		if !included(s) || len(c.Names) > 0 &&
			!slices.Contains(c.Names, s.Name) && !slices.Contains(c.Names, paperOf(s.Name)) {
			continue
		}
		plans = append(plans, &planned{scenario: s})
	}
	err = run.InParallel(len(plans), c.Jobs, func(i int) error {
		p := plans[i]
		subject, err := prepare(c.Library, p.scenario, run.DefaultSeed)
		if err != nil {
			return err
		}
		if p.entry, err = load(c.Dir, p.scenario.Name); err != nil {
			return err
		}
		if p.cost = p.entry.PerSeed(); len(p.entry.Runs) == 0 {
			p.cost = guess(subject)
		}
		p.entry.renew(subject)
		return nil
	})
	slices.SortStableFunc(plans, func(a, b *planned) int { return cmp.Compare(a.cost, b.cost) })
	return plans, err
}

// guess returns about how many seconds a subject takes that was never run: those for what all flows
// bring, or, if they never end, for what the links of hosts carry until the end.
func guess(s *run.Subject) (seconds float64) {
	const perSecond = 200e6 // bytes of flows that the simulator brings to where they go
	for _, t := range s.Trials() {
		bytes := float64(t.Subject.FlowBytes())
		if until := t.Subject.Until; until != 0 {
			var rates float64
			for _, host := range t.Subject.Graph.Hosts() {
				rates += float64(t.Subject.Graph.Nodes[host].Ports[0].Link.Rate)
			}
			bytes = min(bytes, rates/8*until.Microseconds()/1e6)
		}
		seconds += bytes / perSecond
	}
	return seconds
}

// wanted are the seeds to run: those that are missing; all if what there is is stale, or if there
// is anything to run and another build made the others, for an entry is of one program.
func (p *planned) wanted(c *Config) (seeds []uint64) {
	if p.entry.Claims == "" || c.For < 0 {
		return nil
	}
	for _, seed := range c.Seeds {
		if !p.entry.has(seed) {
			seeds = append(seeds, seed)
		}
	}
	other := p.entry.Build != report.Build() && (len(seeds) > 0 || len(c.Names) > 0)
	if p.entry.Stale != "" || other {
		return c.Seeds
	}
	return seeds
}

// unit is a seed of an entry.
type unit struct {
	*planned
	seed uint64
}

// run runs all trials of a seed, and keeps what was found.
func (u *unit) run(c *Config) error {
	if c.Jobs == 1 {
		debug.FreeOSMemory() // so that the peak is this run's
	}
	r, rows, err := measure(c.Library, u.scenario, u.seed, c.Jobs == 1)
	if err != nil {
		return err
	}
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if build := report.Build(); u.entry.Build != build || u.entry.Stale != "" {
		subject, err := prepare(c.Library, u.scenario, run.DefaultSeed)
		if err != nil {
			return err
		}
		*u.entry = *newEntry(subject)
		u.entry.Rows, u.entry.Build = nil, build
	}
	u.entry.add(r, rows)
	c.Say(fmt.Sprintf("%s, seed %d: %.1f s", u.scenario.Name, u.seed, r.Seconds))
	return u.entry.save(c.Dir)
}

// measure runs all trials of a scenario with a seed.
func measure(l *run.Library, s *run.Scenario, seed uint64, memory bool) (Run, []Row, error) {
	r := Run{Seed: seed}
	subject, err := prepare(l, s, seed)
	if err != nil {
		return r, nil, err
	}
	var outcomes []*run.Outcome
	for _, t := range subject.Trials() {
		o, err := t.Subject.Simulate(t.FC, memory, nil)
		if err != nil {
			return r, nil, fmt.Errorf("seed %d: %w", seed, err)
		}
		o.FC = t.Label
		outcomes = append(outcomes, o)
		r.Seconds += o.Result.Wall.Seconds()
		if o.PeakRSS != nil {
			r.PeakBytes = max(r.PeakBytes, *o.PeakRSS)
		}
	}
	findings := run.Findings(subject, outcomes)
	findings = append(findings, run.Missing(subject, findings)...)
	r.Seconds = float64(int(r.Seconds*1000)) / 1000
	return r, makeRows(subject, findings, seed), nil
}
