package main

import (
	"errors"
	"fmt"
	"strings"
)

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
	journal, err := s.openJournal(o.csv)
	if err != nil {
		return usageError{err}
	}
	err = c.profiled(&o, func() error {
		progress := c.progress(&o, s.left())
		defer progress.clear()
		return s.runLeft(journal, progress.begin)
	})
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

// newSweep plans what the flags ask for.
func (o *options) newSweep() (*sweep, error) {
	c := sweepConfig{library: everything, request: o.request(), seeds: o.seeds, jobs: int(o.jobs)}
	switch {
	case len(c.seeds) > 0 && o.repeat > 0:
		return nil, errors.New("either -seeds or -repeat")
	case o.repeat > 0:
		c.seeds = derivedSeeds(o.seed, int(o.repeat))
	case len(c.seeds) == 0:
		c.seeds = []uint64{o.seed}
	}
	if o.sweep != "" {
		name, list, found := strings.Cut(o.sweep, "=")
		values, err := splitList(list)
		if !found || err != nil {
			return nil, fmt.Errorf("-sweep %s: must be written NAME=VALUE,VALUE", o.sweep)
		}
		c.parameter, c.values = strings.TrimSpace(name), values
	}
	var err error
	if c.scenario, err = o.choose(); err != nil {
		return nil, err
	}
	return newSweep(c)
}
