package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/view"
)

const (
	defaultScenario = "reference"
	defaultPicture  = "sluice-bench.svg"
)

// mainProtocols are what the command without a name compares: protocols with published figures of
// the reference scenario, and their usual baselines. Other forms of protocols take longer.
var mainProtocols = []string{"pfc", "bfc-pyrrha", "ofc", "pyrrha", "ideal"}

// run is the command "run", and the command without a name, which also has a picture.
func (c command) run(o *options) error {
	o.brief = o.brief && len(o.protocols) == 0 && o.scenario == "" && o.topology == "" &&
		o.sonic == nil
	if o.brief {
		o.protocols = mainProtocols
	}
	s, err := o.prepare()
	if err != nil {
		return err
	}
	if err := o.checkPanels(s.Groups); err != nil {
		return err
	}
	if o.plot != "" {
		s.DrawRates()
		if err := o.checkRoom(func() *draw.Figure { return report.Skeleton(s) }); err != nil {
			return err
		}
	}
	if !s.Sampled(o.plot != "" || o.json != "" || o.view != "") {
		s.SampleEvery = 0
	}
	trials := s.Trials()
	for what, wanted := range map[string]string{"-view": o.view, "-slowdown": o.slowdown} {
		if err := s.InMemory(what); err != nil && wanted != "" {
			return usageError{err}
		}
	}
	if o.view != "" {
		for i := range trials {
			if t := &trials[i]; len(t.Subject.Graph.Nodes) != len(s.Graph.Nodes) {
				return usagef("-view shows one network, and the variant %s has another: -set %s shows it",
					t.Label, t.Subject.Chosen())
			}
		}
	}
	outcomes := make([]*run.Outcome, len(trials))
	recorders := make([]*view.Recorder, len(trials))
	threads := o.threads
	if threads == 0 && len(trials) == 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	for i := range trials {
		trials[i].Subject.Threads = threads
	}
	err = c.profiled(o, func() error {
		progress := c.progress(o, len(outcomes))
		defer progress.clear()
		return run.InParallel(len(outcomes), o.jobs, func(i int) (err error) {
			t := &trials[i]
			update, done := progress.begin(t.Label)
			defer done()
			subject := t.Subject
			if o.view != "" {
				recorders[i] = view.NewRecorder(subject.Graph, len(subject.Flows))
				subject = subject.WatchedBy(recorders[i])
			}
			if outcomes[i], err = subject.Simulate(t.FC, o.memory, update); err == nil {
				outcomes[i].FC = t.Label
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	return c.write(o, s, outcomes, recorders)
}

// prepare builds the scenario of the command line and checks it under every protocol. All errors
// are mistakes in what was asked for.
func (o *options) prepare() (*run.Subject, error) {
	s, err := o.build()
	if err == nil {
		err = lean(s).Check(o.jobs)
	}
	if err != nil {
		return nil, usageError{err}
	}
	return s, nil
}

func (o *options) build() (*run.Subject, error) {
	s, err := o.choose()
	if err != nil {
		return nil, err
	}
	return papers.All.Prepare(s, o.request())
}

// lean has the garbage collector come earlier where the network is large: what is simulated lives
// as long as the run, so that it finds little and need not come again.
func lean(s *run.Subject) *run.Subject {
	const percent = 10
	if len(s.Graph.Nodes) >= fabric.Large {
		debug.SetGCPercent(percent)
	}
	return s
}

func (o *options) choose() (*run.Scenario, error) {
	switch {
	case o.topology != "":
		beside := len(o.traffic) > 0 || len(o.schedules) > 0
		return run.FileScenario(o.topology, o.flows, beside), nil
	case o.scenario != "":
		return papers.All.Find(o.scenario)
	}
	return papers.All.Find(defaultScenario)
}

// write writes the tables and the files that were asked for. A file that cannot be written does not
// keep others from being written.
func (c command) write(
	o *options, s *run.Subject, outcomes []*run.Outcome, recorders []*view.Recorder,
) error {
	w := c.writer(o)
	if !slices.Contains(append(o.watch.files(), o.json, o.fct, o.slowdown, o.plot, o.view), "-") {
		w.tables(func(w io.Writer) error { return report.WriteTables(w, s, outcomes) })
	}
	w.file(o.json, "results", func(w io.Writer) error { return report.WriteJSON(w, s, outcomes) })
	for _, outcome := range outcomes {
		path := report.ProtocolPath(o.fct, outcome.FC, len(outcomes))
		w.file(path, "flows", func(w io.Writer) error {
			return report.WriteFlows(w, outcome)
		})
		w.writeWatched(o, outcome, len(outcomes))
	}
	w.file(o.view, "page", func(w io.Writer) error {
		return view.Write(w, s, outcomes, recorders)
	})
	w.file(o.slowdown, "slowdowns", func(w io.Writer) error {
		return report.WriteSlowdowns(w, outcomes)
	})
	w.picture(o, func() *draw.Figure { return report.Picture(s, outcomes) })
	if o.brief {
		w.written = append(w.written, fmt.Sprintf(
			"all %d forms of all protocols: go run ./bench run", len(s.Scenario.DefaultProtocols()),
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
	err := report.WriteFile(path, w.stdout, write)
	w.errs = append(w.errs, err)
	if err == nil && path != "-" {
		w.written = append(w.written, what+": "+path)
	}
}

func (w *writer) picture(o *options, made func() *draw.Figure) {
	if o.plot == "" {
		return
	}
	format, err := draw.PlotFormat(o.plot)
	if err != nil {
		w.errs = append(w.errs, err)
		return
	}
	figure := made()
	w.file(o.plot, "picture", func(out io.Writer) error { return figure.Write(out, format, o.style) })
	for _, note := range figure.LeftOut(o.style) {
		w.written = append(w.written, "no room in the picture for "+note)
	}
}

func (w *writer) finish() error {
	if !w.quiet && len(w.written) > 0 {
		fmt.Fprintf(w.stderr, "\n%s\n", strings.Join(w.written, "\n"))
	}
	return errors.Join(w.errs...)
}

func (w *writer) writeWatched(o *options, one *run.Outcome, protocols int) {
	seen, graph := one.Result.Seen, one.Subject.Graph
	if seen == nil {
		return
	}
	for _, f := range []struct {
		path, what string
		write      func(io.Writer) error
	}{
		{o.watch.samples, "samples", func(w io.Writer) error { return report.WriteSamples(w, seen) }},
		{o.watch.ports, "ports", func(w io.Writer) error { return report.WritePorts(w, graph, seen) }},
		{o.watch.pfc, "pauses", func(w io.Writer) error { return report.WritePauses(w, graph, seen) }},
		{o.watch.qlen, "queue lengths", func(w io.Writer) error { return report.WriteLengths(w, seen) }},
		{o.watch.pcapng, "frames", func(w io.Writer) error {
			_, err := w.Write(one.Capture)
			return err
		}},
	} {
		w.file(report.ProtocolPath(f.path, one.FC, protocols), f.what, f.write)
	}
}
