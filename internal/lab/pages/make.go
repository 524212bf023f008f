package pages

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// Config is what is to be made.
type Config struct {
	Library *run.Library
	Dir     string    // of the results, docs/results
	HTML    string    // a folder for pages with pictures; "" for none
	Names   []string  // of papers and scenarios; none: all
	Source  string    // folder of the module's sources, of which the program was made
	Older   bool      // also what was made by older code
	Alone   bool      // no run that a note names, unless Names has it
	Slice   run.Slice // of the entries: each has a file of its own
	Seeds   []uint64
	Jobs    int           // runs at a time
	For     time.Duration // no run begins later; 0: without end, below 0: nothing is run
	Say     func(string)  // what goes on
}

// Make runs what is missing or stale, and, with Older or Names, what older code made, cheapest
// first. It keeps each run as soon as it is done, names what older code made, and writes the pages.
// After an interruption the next call goes on. A seed that was kept stays, or is run anew.
func Make(c Config) error {
	plans, err := c.plan()
	if err != nil {
		return err
	}
	var units []unit
	var older []string
	main := branchMain(c.Source)
	for _, p := range plans {
		p.entry.Commit = onMain(c.Source, main, p.entry.Commit)
		if p.entry.Older = len(p.entry.Runs) > 0 && p.entry.Code != p.code; p.entry.Older {
			older = append(older, p.entry.Name)
		}
		if err := p.entry.save(c.Dir); err != nil {
			return err
		}
		for _, seed := range p.wanted(p.entry, &c) {
			units = append(units, unit{p, seed})
		}
		if p.entry.Stale != "" {
			c.Say(p.entry.Name + " is stale: " + p.entry.Stale)
		}
	}
	if len(older) > 0 {
		c.Say(fmt.Sprintf("%d of %d entries are by older code, and -write -stale runs them anew: %s",
			len(older), len(plans), strings.Join(older, ", ")))
	}
	failed := c.each(units, func(u *unit) error { return u.run(&c) })
	if c.Slice.Of > 0 {
		return failed
	}
	if err := c.prune(); err != nil {
		return err
	}
	if err := Write(c.Library, c.Dir); err != nil {
		return err
	}
	if c.HTML != "" {
		failed = errors.Join(failed, WriteHTML(c.Library, c.Dir, c.HTML))
	}
	return failed
}

// each carries units out, as many at a time as there may be jobs, until the time is over.
func (c *Config) each(units []unit, do func(*unit) error) error {
	begun := time.Now()
	return run.InParallel(len(units), c.Jobs, func(i int) error {
		if c.For > 0 && time.Since(begun) > c.For {
			return nil
		}
		return do(&units[i])
	})
}

// prune removes entries of scenarios and notes that are no more.
func (c *Config) prune() error {
	known := map[string]bool{}
	for _, s := range sources(c.Library) {
		known[path(c.Dir, s.name())] = true
	}
	return filepath.WalkDir(filepath.Join(c.Dir, "data"),
		func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || known[name] {
				return err
			}
			c.Say(name + " belongs to no scenario any more, and is removed")
			return os.Remove(name)
		})
}

// CheckNames refuses a name of no paper, no entry, and no scenario with something to compare with.
func CheckNames(l *run.Library, names []string) error {
	known := map[string]bool{}
	for _, s := range sources(l) {
		known[s.name()], known[s.Name], known[run.PaperOf(s.Name)] = true, true, true
	}
	for _, name := range names {
		if !known[name] {
			return fmt.Errorf("no paper, no scenario with published numbers and no entry is named %q%s",
				name, params.DidYouMean(name, slices.Sorted(maps.Keys(known))))
		}
	}
	return nil
}

type planned struct {
	source
	entry    *Entry
	code     string  // the digest of what would run
	measures bool    // there is something to measure
	place    int     // among what is asked for, in the order of the scenarios
	cost     float64 // seconds of a run, about
	mutex    sync.Mutex
}

// plan prepares what is asked for, cheapest first.
func (c *Config) plan() (plans []*planned, err error) {
	place, source := -1, newCode(c.Source)
	for _, s := range sources(c.Library) {
		named := func(name string) bool { return slices.Contains(c.Names, name) }
		of := named(s.Name) || named(run.PaperOf(s.Name)) || len(c.Names) == 0
		if !named(s.name()) && (!of || c.Alone && s.note != nil) {
			continue
		}
		if place++; c.Slice.Has(place) {
			plans = append(plans, &planned{source: s, place: place})
		}
	}
	err = run.InParallel(len(plans), c.Jobs, func(i int) error {
		p := plans[i]
		subject, err := p.prepare(c.Library, run.DefaultSeed)
		if err != nil {
			return err
		}
		if p.entry, err = load(c.Dir, p.name()); err != nil {
			return err
		}
		if p.cost = p.entry.PerSeed(); len(p.entry.Runs) == 0 {
			p.cost = guess(subject)
		}
		p.entry.renew(p.source, subject)
		p.measures = subject.Claims != nil
		p.code, err = source.of(subject)
		return err
	})
	slices.SortStableFunc(plans, func(a, b *planned) int { return cmp.Compare(a.cost, b.cost) })
	return plans, err
}

// Left returns how many entries are asked for, and a function of a number of slices: how many runs
// each has left, by its number, from what is kept at that time.
func Left(c Config) (entries int, left func(slices int) (map[int]int, error), err error) {
	plans, err := c.plan()
	if err != nil {
		return 0, nil, err
	}
	for _, p := range plans {
		err = errors.Join(err, p.entry.save(c.Dir)) // which says what is stale
	}
	return len(plans), func(slices int) (map[int]int, error) {
		runs := map[int]int{}
		for _, p := range plans {
			e, err := load(c.Dir, p.name())
			if err != nil {
				return nil, err
			}
			if n := len(p.wanted(e, &c)); n > 0 {
				runs[p.place%slices+1] += n
			}
		}
		return runs, nil
	}, err
}

// guess returns about how many seconds a subject takes that was never run: by the bytes of all
// flows, or by what the links of hosts carry until the end if that is less.
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

// wanted returns the seeds that are to run: the missing seeds; if the entry is stale, or if there
// is anything to run and older code made the other runs, all seeds, those that are kept too, as an
// entry is of one code.
func (p *planned) wanted(e *Entry, c *Config) (seeds []uint64) {
	if !p.measures || c.For < 0 {
		return nil
	}
	for _, seed := range slices.Concat(c.Seeds, e.Due) {
		if !e.has(seed) && !slices.Contains(seeds, seed) {
			seeds = append(seeds, seed)
		}
	}
	older := e.Code != p.code && (len(seeds) > 0 || len(c.Names) > 0 || c.Older)
	if e.Stale == "" && !older {
		return seeds
	}
	seeds = slices.Clone(c.Seeds)
	for _, seed := range e.seeds() {
		if !slices.Contains(seeds, seed) {
			seeds = append(seeds, seed)
		}
	}
	return seeds
}
