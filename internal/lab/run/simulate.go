package run

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// Simulate runs one protocol.
func (s *Subject) Simulate(
	fc string, memory bool, progress func(delivered, total sluice.Bytes),
) (*Outcome, error) {
	if memory {
		resetPeakRSS()
	}
	r := s.FabricRun(fc)
	r.Progress = progress
	observer, file := s.observer()
	r.Observer = observer
	result, err := r.Do()
	if err != nil {
		return nil, fmt.Errorf("%s under %s: %w", s.Name, fc, err)
	}
	kept := *result // without what else the result may be a part of
	if last := s.lastStart(); last < s.WarmUp {
		kept.Notes = append(slices.Clip(kept.Notes), fmt.Sprintf(
			"no flow is counted: the last starts at %v, within the warm-up of %v", last, s.WarmUp,
		))
	}
	o := NewOutcome(s, fc, &kept)
	if file != nil {
		o.Capture = file.Bytes()
	}
	if memory {
		peak := peakRSS()
		o.PeakRSS = &peak
	}
	return o, nil
}

// WatchedBy returns the subject with what looks at one run of it.
func (s *Subject) WatchedBy(w sim.Watcher) *Subject {
	watched := *s
	watched.watcher = w
	return &watched
}

func (s *Subject) FabricRun(fc string) fabric.Run {
	return fabric.Run{
		Protocol: fc, Topology: s.Graph, Flows: s.Flows, Routes: s.Routes, Values: s.Values, Seed: s.Seed,
		Until: s.Until, SampleEvery: s.SampleEvery, Failures: s.Failures, SONiC: s.SONiC,
		Threads: s.Threads, Watcher: s.watcher,
	}
}
