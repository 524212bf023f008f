package run

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/capture"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/show"
)

// WatchRequest says what a run shows: ports, flows, samples.
type WatchRequest struct {
	Probes                         []Probed
	Every, WarmUp                  sluice.Time  // 0: the scenario's
	Headers                        []sluice.Hop // ports whose packets the capture has
	Pauses, Lengths, Frames, Ports bool
}

func (w *WatchRequest) any() bool {
	return len(w.Probes) > 0 || w.WarmUp > 0 || w.Pauses || w.Lengths || w.Frames || w.Ports
}

// Probed is a port or a flow whose samples are kept.
type Probed struct {
	At     sluice.Hop
	Flow   int32
	IsFlow bool
}

func (s *Subject) watchFor(w *WatchRequest) error {
	if w.Every != 0 {
		s.SampleEvery = w.Every
	}
	s.WarmUp = w.WarmUp
	if s.WarmUp == 0 {
		s.WarmUp = s.Scenario.WarmUp
	}
	if !w.any() && s.Scenario.Watch == nil {
		return nil
	}
	c := &probe.Config{Graph: s.Graph, Class: s.class()}
	if s.Scenario.Watch != nil {
		s.Scenario.Watch(s, c)
	}
	c.From = s.WarmUp
	c.Pauses = c.Pauses || w.Pauses
	c.Lengths = c.Lengths || w.Lengths
	for _, p := range w.Probes {
		switch {
		case p.IsFlow && int(p.Flow) >= len(s.Flows):
			return fmt.Errorf("-probe flow:%d: %s has %s", p.Flow, s.Name, show.Plural(len(s.Flows), "flow"))
		case p.IsFlow:
			if !slices.Contains(c.Flows, p.Flow) {
				c.Flows = append(c.Flows, p.Flow)
			}
		default:
			if err := s.CheckPort("-probe", p.At); err != nil {
				return err
			}
			if !slices.Contains(c.Ports, p.At) {
				c.Ports = append(c.Ports, p.At)
			}
		}
	}
	for _, at := range w.Headers {
		if err := s.CheckPort("-headers", at); err != nil {
			return err
		}
	}
	if s.Probes, s.captured, s.headers = c, w.Frames, w.Headers; s.captured {
		return s.InMemory("a capture")
	}
	return nil
}

func (s *Subject) CheckPort(flag string, at sluice.Hop) error {
	if int(at.Switch) >= len(s.Graph.Nodes) || int(at.Port) >= len(s.Graph.Nodes[at.Switch].Ports) {
		return fmt.Errorf("%s %v: %s has no such port", flag, at, s.Graph.Name)
	}
	return nil
}

// InMemory refuses what needs a list of all flows where operations are read in a window.
func (s *Subject) InMemory(what string) (err error) {
	s.eachWindowed(func(j *schedule.Job) {
		err = fmt.Errorf("%s needs all messages in memory, and the operations of -schedule %s are read "+
			"in a window: window=0 has them in memory", what, j.Name)
	})
	return err
}

// fewFlows is how many flows have rates that a picture can show.
const fewFlows = 12

// DrawRates has the rates of flows sampled for a picture, if there are few flows and the user asked
// for no samples. Tables and JSON do not have these samples.
func (s *Subject) DrawRates() {
	if s.Probes != nil || s.Count() > fewFlows {
		return
	}
	s.RatesOnly = true
	s.Probes = &probe.Config{Graph: s.Graph, Class: s.class(), Flows: s.AllFlows()}
}

// Sampled reports whether anything uses the samples of a run: the caller if wanted, or the subject.
func (s *Subject) Sampled(wanted bool) bool {
	return wanted || s.Claims != nil ||
		s.Probes != nil && (s.Probes.Lengths || len(s.Probes.Ports)+len(s.Probes.Flows) > 0)
}

// observer returns the observer of one run, and the capture that it fills; nil for none.
func (s *Subject) observer() (*probe.Observer, *capture.File) {
	if s.Probes == nil {
		return nil, nil
	}
	c := *s.Probes
	if !s.captured {
		return probe.New(c), nil
	}
	file := capture.New(s.Graph, s.Flows, s.headers)
	c.Capture = file
	return probe.New(c), file
}

// WatchPorts has ports and flows watched, and all pauses, states and marks kept.
func WatchPorts(c *probe.Config, ports []sluice.Hop, flows ...int32) {
	c.Pauses, c.States, c.Marks = true, true, true
	c.Flows = append(c.Flows, flows...)
	c.Ports = append(c.Ports, ports...)
}
