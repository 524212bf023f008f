package main

import (
	"bytes"
	"cmp"
	"io"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// topology and flows write what a scenario runs, as a file that -topology or -flows reads.

func (c command) topology(o *options) error {
	return c.generated(o, "topology", func(s *run.Subject, w io.Writer) error {
		return s.Graph.WriteHPCC(w)
	})
}

func (c command) flows(o *options) error {
	return c.generated(o, "flows", func(s *run.Subject, w io.Writer) error {
		return workload.WriteFlowsWithOptions(w, s.Flows)
	})
}

// schedule writes a schedule as GOAL, from a file or as a collective operation.
func (c command) schedule(o *options) error {
	if o.scenario == "" {
		return usagef("schedule writes a file of GOAL or one of %s again: which?",
			strings.Join(run.CollectiveNames(), ", "))
	}
	var text bytes.Buffer
	if err := run.WriteSchedule(&text, o.scenario, o.binary); err != nil {
		return usageError{err}
	}
	w := c.writer(o)
	w.file(cmp.Or(o.output, "-"), "schedule", func(out io.Writer) error {
		_, err := text.WriteTo(out)
		return err
	})
	return w.finish()
}

func (c command) generated(
	o *options, what string, write func(*run.Subject, io.Writer) error,
) error {
	s, err := o.build()
	if err != nil {
		return usageError{err}
	}
	w := c.writer(o)
	w.file(cmp.Or(o.output, "-"), what, func(out io.Writer) error { return write(s, out) })
	return w.finish()
}
