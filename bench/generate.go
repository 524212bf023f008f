package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
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

// schedule writes a schedule as GOAL: of a file, a collective operation, or the job of a scenario.
func (c command) schedule(o *options) error {
	if o.scenario == "" {
		return usagef("schedule writes a file of GOAL or one of %s again: which?",
			strings.Join(run.CollectiveNames(), ", "))
	}
	s, err := o.readSchedule()
	if err != nil {
		return usageError{err}
	}
	w := c.writer(o)
	w.file(cmp.Or(o.output, "-"), "schedule", func(out io.Writer) error {
		if o.binary {
			return s.WriteBinary(out)
		}
		return s.WriteText(out)
	})
	return w.finish()
}

func (o *options) readSchedule() (*schedule.Schedule, error) {
	if own, err := papers.All.Find(o.scenario); err == nil && own.Jobs != nil {
		s, err := o.build()
		if err != nil {
			return nil, err
		}
		return s.Jobs[0].Schedule, nil
	}
	for _, name := range []string{"set", "seed"} {
		if o.given[name] {
			return nil, fmt.Errorf("-%s is for the job of a scenario, and no scenario with a job is named %q",
				name, o.scenario)
		}
	}
	return run.MakeSchedule(o.scenario)
}

func (c command) generated(
	o *options, what string, write func(*run.Subject, io.Writer) error,
) error {
	s, err := o.build()
	if err != nil {
		return usageError{err}
	}
	if what == "flows" && len(s.Jobs) > 0 {
		return usagef("messages of a job start when others have arrived, which no list of flows says: "+
			"go run ./bench schedule %s", s.Name)
	}
	w := c.writer(o)
	w.file(cmp.Or(o.output, "-"), what, func(out io.Writer) error { return write(s, out) })
	return w.finish()
}
