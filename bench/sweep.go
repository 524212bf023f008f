package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/sweep"
)

func (c command) sweep(o *options) error {
	if err := o.checkSlice(); err != nil {
		return usageError{err}
	}
	s, err := o.newSweep()
	if err != nil {
		return usageError{err}
	}
	if o.plot != "" {
		if err := o.checkRoom(s.Skeleton); err != nil {
			return err
		}
	}
	if o.slurm.script != "" {
		return c.onSlurm(o, o.slicedSweep(s))
	}
	journal, err := s.OpenJournal(o.csv)
	if err != nil {
		return usageError{err}
	}
	defer c.onInterrupt(o)()
	err = c.profiled(o, func() error {
		if o.slurm.submit {
			return c.onSlurm(o, o.slicedSweep(s))
		}
		progress := c.progress(o, s.Strange()+s.Left())
		defer progress.clear()
		if err := s.Verify(progress.begin); err != nil {
			return usageError{err}
		}
		return s.RunLeft(journal, progress.begin)
	})
	switch err = errors.Join(err, journal.Close()); {
	case err != nil:
		return err
	case o.slice.Of > 0:
		w := c.writer(o)
		w.written = []string{"runs: " + journal.Path}
		return w.finish()
	}
	if err := c.writeSweep(o, s); err != nil || journal.Path == "" {
		return err
	}
	return sweep.RemoveSlices(o.csv)
}

func (o *options) slicedSweep(s *sweep.Plan) *sliced {
	base := strings.TrimSuffix(o.csv, ".csv")
	return &sliced{
		words: append([]string{"sweep", "-csv=" + o.csv}, o.sliceWords()...),
		base:  base, parts: s.Runs(), id: s.Digest,
		left: func(slices int) (map[int]int, error) {
			err := s.TakeSlices(o.csv)
			return s.LeftOf(slices), err
		},
	}
}

func (c command) writeSweep(o *options, s *sweep.Plan) error {
	w := c.writer(o)
	if !slices.Contains([]string{o.csv, o.tidy, o.json, o.plot}, "-") {
		w.tables(s.WriteTables)
	}
	if o.fct != "" && !o.quiet {
		w.written = append(w.written, "flows: "+report.ProtocolPath(o.fct, "*", 0))
	}
	w.file(o.csv, "points", s.WritePoints)
	w.file(sweep.JournalOf(o.csv), "runs", s.WriteRuns)
	w.file(o.tidy, "tidy rows", s.WriteTidy)
	w.file(o.json, "points", s.WriteJSON)
	w.picture(o, s.Figure)
	return w.finish()
}

// onInterrupt says, when the user interrupts the process, how the sweep goes on, and ends it: each
// run that is done is in the journal. It returns a function that ends the watch for interrupts.
func (c command) onInterrupt(o *options) (end func()) {
	if !c.alone {
		return func() {}
	}
	text := "the same command goes on where it was"
	switch {
	case o.slurm.submit:
		text = "the tasks go on; the same command looks after them again"
	case o.csv == "" || o.csv == "-":
		text = "nothing is kept; with -csv FILE.csv the same command goes on where it was"
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		if _, interrupted := <-interrupts; interrupted {
			fmt.Fprintln(c.stderr, "\ninterrupted: "+text)
			os.Exit(exitInterrupted)
		}
	}()
	return func() { signal.Stop(interrupts); close(interrupts) }
}

func (o *options) newSweep() (*sweep.Plan, error) {
	c := sweep.Config{Library: papers.All, Request: o.request(), Seeds: o.seeds, Jobs: o.jobs}
	c.Flows, c.Slice, c.Command = o.fct, o.slice, o.sliceWords()
	switch {
	case o.fct == "-":
		return nil, errors.New("-fct needs a file: each run of a sweep has its own")
	case len(c.Seeds) > 0 && o.repeat > 0:
		return nil, errors.New("either -seeds or -repeat")
	case len(c.Seeds) > 0 && o.given["seed"]:
		return nil, errors.New("either -seeds or -seed")
	case o.repeat > maxSeeds:
		return nil, fmt.Errorf("-repeat %d: more than %d seeds", o.repeat, maxSeeds)
	case o.repeat > 0:
		c.Seeds = sweep.DerivedSeeds(o.seed, o.repeat)
	case len(c.Seeds) == 0:
		c.Seeds = []uint64{o.seed}
	}
	for _, text := range o.sweep {
		name, list, found := strings.Cut(text, "=")
		values, err := splitList(list)
		if !found || err != nil {
			return nil, fmt.Errorf("-sweep %s: must be written NAME=VALUE,VALUE", text)
		}
		c.Axes = append(c.Axes, sweep.Axis{Parameter: strings.TrimSpace(name), Values: values})
	}
	var err error
	if c.Scenario, err = o.choose(); err != nil {
		return nil, err
	}
	s, err := sweep.New(c)
	if err == nil {
		err = o.checkPanels(s.Groups())
	}
	return s, err
}
