package main

import (
	"encoding/json"
	"io"

	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/report"
)

// hol is the command "hol": the analysis of head-of-line blocking on the flows of a scenario.
func (c command) hol(args []string) error {
	var o options
	if err := c.parse(&o, "hol", args); err != nil {
		return err
	}
	a, err := o.newAnalysis()
	if err != nil {
		return usageError{err}
	}
	w := c.writer(&o)
	if o.json != "-" {
		w.tables(func(w io.Writer) error { return a.WriteTables(w, o.cases) })
	}
	w.file(o.json, "results", func(w io.Writer) error {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(a.Models)
	})
	return w.finish()
}

func (o *options) newAnalysis() (*report.Blocking, error) {
	scenario, err := o.choose()
	if err != nil {
		return nil, err
	}
	s, err := papers.All.Prepare(scenario, o.request())
	if err != nil {
		return nil, err
	}
	return report.NewBlocking(s, o.congested, len(o.protocols) > 0)
}
