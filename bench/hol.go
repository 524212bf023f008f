package main

import (
	"encoding/json"
	"io"

	"github.com/sluicefc/sluice/internal/lab/report"
)

// hol is the command "hol": the analysis of head-of-line blocking on the flows of a scenario.
func (c command) hol(o *options) error {
	s, err := o.build()
	if err != nil {
		return usageError{err}
	}
	a, err := report.NewBlocking(s, o.congested, len(o.protocols) > 0)
	if err != nil {
		return usageError{err}
	}
	w := c.writer(o)
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
