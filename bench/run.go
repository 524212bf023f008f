package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fabric"
)

const (
	defaultScenario = "reference"
	defaultPicture  = "sluice-bench.svg"
)

// compare is the command without a name: the reference scenario, all protocols, and a picture.
func (c command) compare(args []string) error {
	o := &options{seed: defaultSeed, plot: defaultPicture}
	if err := c.parse(o, args); err != nil {
		return err
	}
	return c.execute(o)
}

// run is the command "run".
func (c command) run(args []string) error {
	o := &options{seed: defaultSeed}
	if err := c.parse(o, args); err != nil {
		return err
	}
	return c.execute(o)
}

// execute runs every protocol and writes what was asked for.
func (c command) execute(o *options) error {
	s, err := o.choose()
	if err != nil {
		return err
	}
	subject, err := s.prepare(o.seed, strings.Join(o.set, ","))
	if err != nil {
		return err
	}
	if o.until != 0 {
		subject.until = sluice.Time(o.until)
	}
	if o.plot == "" && subject.claims == nil {
		subject.sampleEvery = 0
	}
	protocols := o.protocols
	if len(protocols) == 0 {
		protocols = s.defaultProtocols()
	}
	var outcomes []*outcome
	for _, fc := range protocols {
		progress := c.stderr
		if o.quiet {
			progress = io.Discard
		}
		outcome, err := subject.run(fc, progress)
		if err != nil {
			return fmt.Errorf("%s under %s: %w", subject.name, fc, err)
		}
		outcomes = append(outcomes, outcome)
	}
	return c.write(o, subject, outcomes)
}

// choose returns the scenario of the command line.
func (o *options) choose() (*scenario, error) {
	switch {
	case o.topology != "":
		return fileScenario(o.topology, o.flows), nil
	case o.scenario != "":
		return findScenario(o.scenario)
	}
	return findScenario(defaultScenario)
}

func (s *scenario) defaultProtocols() []string {
	if s.protocols != nil {
		return s.protocols
	}
	var all []string
	for _, p := range fabric.Protocols() {
		all = append(all, p.Name)
	}
	return all
}

// run simulates one protocol. Protocols run one after the other, so that none disturbs the wall time of
// another.
func (s *subject) run(fc string, progress io.Writer) (*outcome, error) {
	update, finish := startProgress(progress, s.name+" "+fc)
	defer finish()
	resetPeakRSS()
	r := fabric.Run{
		Protocol: fc, Topology: s.graph, Flows: s.flows, Routes: s.routes, Values: s.values, Seed: s.seed,
		Until: s.until, SampleEvery: s.sampleEvery, Progress: update,
	}
	result, err := r.Do()
	if err != nil {
		return nil, err
	}
	peak := peakRSS()
	kept := *result // without what else the result may be a part of
	return newOutcome(s.name, fc, s.seed, s.groups, &kept, peak), nil
}

// write writes the tables and the files that were asked for.
func (c command) write(o *options, s *subject, outcomes []*outcome) error {
	if !o.quiet && o.json != "-" && o.fct != "-" {
		if err := writeReport(c.stdout, s, outcomes); err != nil {
			return err
		}
	}
	var written []string
	save := func(path, what string, write func(io.Writer) error) error {
		if err := writeFile(path, c.stdout, write); err != nil {
			return err
		}
		if path != "-" {
			written = append(written, what+": "+path)
		}
		return nil
	}
	if o.plot != "" {
		format, err := plotFormat(o.plot)
		if err != nil {
			return usageError{err}
		}
		if err := save(o.plot, "picture", func(w io.Writer) error { return writePlot(w, format, s, outcomes) }); err != nil {
			return err
		}
	}
	if o.json != "" {
		if err := save(o.json, "results", func(w io.Writer) error { return writeJSON(w, outcomes) }); err != nil {
			return err
		}
	}
	if o.fct != "" {
		for _, outcome := range outcomes {
			path := csvPath(o.fct, outcome.fc, len(outcomes))
			if err := save(path, "flows", func(w io.Writer) error { return writeCSV(w, outcome.result.Flows) }); err != nil {
				return err
			}
		}
	}
	if !o.quiet && len(written) > 0 {
		fmt.Fprintf(c.stderr, "\n%s\n", strings.Join(written, "\n"))
	}
	return nil
}
