package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/capture"
	"github.com/sluicefc/sluice/internal/lab/probe"
)

// watchOptions are the flags of what is observed in a run.
type watchOptions struct {
	probes        probeList
	every, warmUp instant
	headers       hopList // of which ports the capture has packets

	samples, ports, pfc, qlen, pcapng string // files
}

func (w *watchOptions) register(f *flag.FlagSet) {
	f.Var(&w.probes, "probe", "")
	f.Var(&w.every, "every", "")
	f.Var(&w.warmUp, "warmup", "")
	f.StringVar(&w.samples, "samples", "", "")
	f.StringVar(&w.ports, "ports", "", "")
	f.StringVar(&w.pfc, "pfc", "", "")
	f.StringVar(&w.qlen, "qlen", "", "")
	f.StringVar(&w.pcapng, "pcapng", "", "")
	f.Var(&w.headers, "headers", "")
}

// files are the output files, in the order of the help.
func (w *watchOptions) files() []string {
	return []string{w.samples, w.ports, w.pfc, w.qlen, w.pcapng}
}

// any reports whether anything is to be observed.
func (w *watchOptions) any() bool {
	return len(w.probes) > 0 || w.warmUp > 0 || slices.ContainsFunc(w.files(), func(path string) bool {
		return path != ""
	})
}

func (w *watchOptions) check() error {
	switch {
	case w.samples != "" && len(w.probes) == 0:
		return usagef("-samples needs -probe")
	case len(w.headers) > 0 && w.pcapng == "":
		return usagef("-headers needs -pcapng")
	}
	return nil
}

// probed is a port or a flow of which samples are kept.
type probed struct {
	at     sluice.Hop
	flow   int32
	isFlow bool
}

// probeList is a flag of ports and flows: "160:3,flow:12".
type probeList []probed

func (l *probeList) String() string { return fmt.Sprint(*l) }

func (l *probeList) Set(s string) error {
	items, err := splitList(s)
	for _, item := range items {
		number, isFlow := strings.CutPrefix(item, "flow:")
		if !isFlow {
			var ports hopList
			if err := ports.Set(item); err != nil {
				return errors.New(err.Error() + ", or flow:NUMBER")
			}
			*l = append(*l, probed{at: ports[0]})
			continue
		}
		n, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			return fmt.Errorf("%q is no flow: write flow:NUMBER, from flow:0 on", item)
		}
		*l = append(*l, probed{flow: int32(n), isFlow: true})
	}
	return err
}

// watchFor sets what is observed of the runs of the subject.
func (s *subject) watchFor(o *options) error {
	w := &o.watch
	if w.every != 0 {
		s.sampleEvery = sluice.Time(w.every)
	}
	s.warmUp = sluice.Time(w.warmUp)
	if s.warmUp == 0 {
		s.warmUp = s.scenario.warmUp
	}
	if !w.any() && s.scenario.watch == nil {
		return nil
	}
	c := &probe.Config{Graph: s.graph, Class: s.flows[0].Class}
	if s.scenario.watch != nil {
		s.scenario.watch(s, c)
	}
	c.From = s.warmUp
	c.Pauses = c.Pauses || w.pfc != ""
	c.Lengths = c.Lengths || w.qlen != ""
	for _, p := range w.probes {
		switch {
		case p.isFlow && int(p.flow) >= len(s.flows):
			return fmt.Errorf("-probe flow:%d: %s has %s", p.flow, s.name, plural(len(s.flows), "flow"))
		case p.isFlow:
			if !slices.Contains(c.Flows, p.flow) {
				c.Flows = append(c.Flows, p.flow)
			}
		default:
			if err := s.checkPort("-probe", p.at); err != nil {
				return err
			}
			if !slices.Contains(c.Ports, p.at) {
				c.Ports = append(c.Ports, p.at)
			}
		}
	}
	for _, at := range w.headers {
		if err := s.checkPort("-headers", at); err != nil {
			return err
		}
	}
	s.probes, s.captured, s.headers = c, w.pcapng != "", w.headers
	return nil
}

func (s *subject) checkPort(flag string, at sluice.Hop) error {
	if int(at.Switch) >= len(s.graph.Nodes) || int(at.Port) >= len(s.graph.Nodes[at.Switch].Ports) {
		return fmt.Errorf("%s %v: %s has no such port", flag, at, s.graph.Name)
	}
	return nil
}

// sampled reports whether the samples of a run are used for anything.
func (s *subject) sampled(o *options) bool {
	return o.plot != "" || o.json != "" || s.claims != nil ||
		s.probes != nil && (s.probes.Lengths || len(s.probes.Ports)+len(s.probes.Flows) > 0)
}

// observer returns the observer of one run, and the capture that it fills; nil for none.
func (s *subject) observer() (*probe.Observer, *capture.File) {
	if s.probes == nil {
		return nil, nil
	}
	c := *s.probes
	if !s.captured {
		return probe.New(c), nil
	}
	file := capture.New(s.graph, s.flows, s.headers)
	c.Capture = file
	return probe.New(c), file
}
