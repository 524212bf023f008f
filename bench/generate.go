package main

import (
	"bytes"
	"cmp"
	"io"
	"slices"
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
		return workload.WriteFlowsWithOptions(w, ofUsualClass(s.Flows))
	})
}

// usualClass is the class of the flows of most lists, other simulators' among them.
const usualClass = 3

// ofUsualClass returns the flows with the usual class, if all have the class 0 of what is generated
// here: a list to which flows are added then has one class. No result depends on which it is.
func ofUsualClass(flows []workload.Flow) []workload.Flow {
	if slices.ContainsFunc(flows, func(f workload.Flow) bool { return f.Class != 0 }) {
		return flows
	}
	flows = slices.Clone(flows)
	for i := range flows {
		flows[i].Class = usualClass
	}
	return flows
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
