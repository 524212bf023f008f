package main

import (
	"fmt"
	"io"

	"github.com/sluicefc/sluice/internal/lab/sweep"
)

// merge is the command "merge": what a sweep writes, from the files of its slices.
func (c command) merge(o *options) error {
	if len(o.slices) == 0 {
		return usagef("merge needs the files of slices, as sweep -slice writes them")
	}
	path, words, err := sweep.CommandOf(o.slices)
	if err != nil {
		return usageError{err}
	}
	var of options
	err = command{stdout: io.Discard, stderr: io.Discard}.parse(&of, "sweep", words)
	if err != nil {
		return usagef("%s:1: %w", path, err)
	}
	s, err := of.newSweep()
	if err != nil {
		return usagef("%s:1: %w", path, err)
	}
	for _, path := range o.slices {
		if err := s.TakeJournal(path); err != nil {
			return usageError{err}
		}
	}
	if err := s.Complete(); err != nil {
		return usageError{err}
	}
	progress := c.progress(o, s.Strange())
	defer progress.clear()
	if err := s.Verify(progress.begin); err != nil {
		return usageError{err}
	}
	o.fct = of.fct
	return c.writeSweep(o, s)
}

// checkSlice refuses what a slice does not write, and where it cannot write.
func (o *options) checkSlice() error {
	given, err := o.checkSlurm(o.slice.Of > 0)
	switch {
	case err != nil || given == "":
		return err
	case o.csv == "" || o.csv == "-":
		return fmt.Errorf("%s needs -csv FILE.csv: runs are kept in files beside it", given)
	case given != "-slurm" && (o.plot != "" || o.json != "" || o.tidy != ""):
		return fmt.Errorf("%s writes runs alone: leave -plot, -tidy and -json to merge", given)
	}
	return nil
}
