package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	defaultScenario = "reference"
	defaultPicture  = "sluice-bench.svg"
)

// mainProtocols are what the command without a name compares: whatever has published figures of the
// reference scenario, and what it is compared with most. The other forms take longer than these.
var mainProtocols = list{"pfc", "bfc-pyrrha", "ofc", "pyrrha", "ideal"}

// run is the command "run", and the command without a name, which also has a picture.
func (c command) run(args []string, o options) error {
	if err := c.parse(&o, "run", args); err != nil {
		return err
	}
	o.brief = o.brief && len(o.protocols) == 0 && o.scenario == "" && o.topology == ""
	if o.brief {
		o.protocols = mainProtocols
	}
	s, err := o.prepare()
	if err != nil {
		return err
	}
	if !s.sampled(o.plot != "" || o.json != "") {
		s.sampleEvery = 0
	}
	trials := s.trials()
	outcomes := make([]*outcome, len(trials))
	err = c.profiled(&o, func() error {
		progress := c.progress(&o, len(outcomes))
		defer progress.clear()
		return inParallel(len(outcomes), int(o.jobs), func(i int) (err error) {
			t := &trials[i]
			update, done := progress.begin(t.label)
			defer done()
			if outcomes[i], err = t.subject.simulate(t.fc, o.memory, update); err == nil {
				outcomes[i].fc = t.label
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	return c.write(&o, s, outcomes)
}

// prepare builds the scenario of the command line and checks it under every protocol. All errors
// are those of who asked.
func (o *options) prepare() (*subject, error) {
	s, err := o.choose()
	if err != nil {
		return nil, usageError{err}
	}
	subject, err := everything.prepare(s, o.request())
	if err == nil {
		err = subject.check(int(o.jobs))
	}
	if err != nil {
		return nil, usageError{err}
	}
	return subject, nil
}

// choose returns the scenario of the command line.
func (o *options) choose() (*scenario, error) {
	switch {
	case o.topology != "":
		return fileScenario(o.topology, o.flows), nil
	case o.scenario != "":
		return everything.find(o.scenario)
	}
	return everything.find(defaultScenario)
}

// write writes the tables and the files that were asked for. What cannot be written does not cost
// the others.
func (c command) write(o *options, s *subject, outcomes []*outcome) error {
	w := c.writer(o)
	if !slices.Contains(append(o.watch.files(), o.json, o.fct, o.plot), "-") {
		w.tables(func(w io.Writer) error { return writeReport(w, s, outcomes) })
	}
	w.file(o.json, "results", func(w io.Writer) error { return writeJSON(w, s, outcomes) })
	for _, outcome := range outcomes {
		path := protocolPath(o.fct, outcome.fc, len(outcomes))
		w.file(path, "flows", func(w io.Writer) error { return writeCSV(w, outcome.result.Flows) })
		w.writeWatched(o, s, outcome, len(outcomes))
	}
	w.picture(o.plot, func() *figure { return comparison(s, outcomes) })
	if o.brief {
		w.written = append(w.written, fmt.Sprintf(
			"all %d forms of all protocols: go run ./bench run", len(s.scenario.defaultProtocols()),
		))
	}
	return w.finish()
}

// writer writes tables and files, goes on after an error, and at the end says what was written.
type writer struct {
	command
	quiet   bool
	written []string
	errs    []error
}

func (c command) writer(o *options) *writer { return &writer{command: c, quiet: o.quiet} }

// tables writes to standard output.
func (w *writer) tables(write func(io.Writer) error) {
	if !w.quiet {
		w.errs = append(w.errs, write(w.stdout))
	}
}

// file writes a file; the path "" means none, "-" standard output.
func (w *writer) file(path, what string, write func(io.Writer) error) {
	if path == "" {
		return
	}
	err := writeFile(path, w.stdout, write)
	w.errs = append(w.errs, err)
	if err == nil && path != "-" {
		w.written = append(w.written, what+": "+path)
	}
}

func (w *writer) picture(path string, made func() *figure) {
	if path == "" {
		return
	}
	format, err := plotFormat(path)
	if err != nil {
		w.errs = append(w.errs, err)
		return
	}
	w.file(path, "picture", func(out io.Writer) error { return made().write(out, format) })
}

func (w *writer) finish() error {
	if !w.quiet && len(w.written) > 0 {
		fmt.Fprintf(w.stderr, "\n%s\n", strings.Join(w.written, "\n"))
	}
	return errors.Join(w.errs...)
}
