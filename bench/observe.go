package main

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/capture"
	"github.com/sluicefc/sluice/internal/lab/probe"
)

// watchRequest is what somebody wants to see of a run.
type watchRequest struct {
	probes                         []probed
	every, warmUp                  sluice.Time  // 0: those of the scenario
	headers                        []sluice.Hop // of which ports the capture has packets
	pauses, lengths, frames, ports bool
}

// any reports whether anything is to be observed.
func (w *watchRequest) any() bool {
	return len(w.probes) > 0 || w.warmUp > 0 || w.pauses || w.lengths || w.frames || w.ports
}

// probed is a port or a flow of which samples are kept.
type probed struct {
	at     sluice.Hop
	flow   int32
	isFlow bool
}

// watchFor sets what is observed of the runs of the subject.
func (s *subject) watchFor(w *watchRequest) error {
	if w.every != 0 {
		s.sampleEvery = w.every
	}
	s.warmUp = w.warmUp
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
	c.Pauses = c.Pauses || w.pauses
	c.Lengths = c.Lengths || w.lengths
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
	s.probes, s.captured, s.headers = c, w.frames, w.headers
	return nil
}

func (s *subject) checkPort(flag string, at sluice.Hop) error {
	if int(at.Switch) >= len(s.graph.Nodes) || int(at.Port) >= len(s.graph.Nodes[at.Switch].Ports) {
		return fmt.Errorf("%s %v: %s has no such port", flag, at, s.graph.Name)
	}
	return nil
}

// sampled reports whether the samples of a run are used for anything, other than what wants them.
func (s *subject) sampled(wanted bool) bool {
	return wanted || s.claims != nil ||
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
