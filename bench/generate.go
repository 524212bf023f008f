package main

import (
	"cmp"
	"io"

	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// generate is the commands "topology" and "flows": what a scenario runs, as a file that -topology
// or -flows reads.
func (c command) generate(what string, args []string) error {
	var o options
	if err := c.parse(&o, what, args); err != nil {
		return err
	}
	scenario, err := o.choose()
	if err != nil {
		return usageError{err}
	}
	s, err := papers.All.Prepare(scenario, o.request())
	if err != nil {
		return usageError{err}
	}
	w := c.writer(&o)
	write := s.Graph.WriteHPCC
	if what == "flows" {
		write = func(out io.Writer) error { return workload.WriteFlowsWithOptions(out, s.Flows) }
	}
	w.file(cmp.Or(o.output, "-"), what, write)
	return w.finish()
}
