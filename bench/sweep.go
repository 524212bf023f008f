package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/sweep"
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
	journal, err := s.OpenJournal(o.csv)
	if err != nil {
		return usageError{err}
	}
	err = c.profiled(&o, func() error {
		progress := c.progress(&o, s.Left())
		defer progress.clear()
		return s.RunLeft(journal, progress.begin)
	})
	if err = errors.Join(err, journal.Close()); err != nil {
		return err
	}
	w := c.writer(&o)
	if o.csv != "-" && o.plot != "-" {
		w.tables(s.WriteTables)
	}
	w.file(o.csv, "points", s.WritePoints)
	w.file(journal.Path, "runs", s.WriteRuns)
	w.picture(o.plot, s.Figure)
	return w.finish()
}

// newSweep plans what the flags ask for.
func (o *options) newSweep() (*sweep.Plan, error) {
	c := sweep.Config{Library: papers.All, Request: o.request(), Seeds: o.seeds, Jobs: int(o.jobs)}
	switch {
	case len(c.Seeds) > 0 && o.repeat > 0:
		return nil, errors.New("either -seeds or -repeat")
	case o.repeat > 0:
		c.Seeds = sweep.DerivedSeeds(o.seed, int(o.repeat))
	case len(c.Seeds) == 0:
		c.Seeds = []uint64{o.seed}
	}
	if o.sweep != "" {
		name, list, found := strings.Cut(o.sweep, "=")
		values, err := splitList(list)
		if !found || err != nil {
			return nil, fmt.Errorf("-sweep %s: must be written NAME=VALUE,VALUE", o.sweep)
		}
		c.Parameter, c.Values = strings.TrimSpace(name), values
	}
	var err error
	if c.Scenario, err = o.choose(); err != nil {
		return nil, err
	}
	return sweep.New(c)
}
