package main

import (
	"cmp"
	"io"

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
