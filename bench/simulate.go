package main

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
)

// simulate runs one protocol.
func (s *subject) simulate(
	fc string, memory bool, progress func(delivered, total sluice.Bytes),
) (*outcome, error) {
	if memory {
		resetPeakRSS()
	}
	r := s.fabricRun(fc)
	r.Progress = progress
	observer, file := s.observer()
	r.Observer = observer
	result, err := r.Do()
	if err != nil {
		return nil, fmt.Errorf("%s under %s: %w", s.name, fc, err)
	}
	kept := *result // without what else the result may be a part of
	if last := s.lastStart(); last < s.warmUp {
		kept.Notes = append(slices.Clip(kept.Notes), fmt.Sprintf(
			"no flow is counted: the last starts at %v, within the warm-up of %v", last, s.warmUp,
		))
	}
	o := newOutcome(s, fc, &kept)
	if file != nil {
		o.capture = file.Bytes()
	}
	if memory {
		peak := peakRSS()
		o.peakRSS = &peak
	}
	return o, nil
}

func (s *subject) fabricRun(fc string) fabric.Run {
	return fabric.Run{
		Protocol: fc, Topology: s.graph, Flows: s.flows, Routes: s.routes, Values: s.values, Seed: s.seed,
		Until: s.until, SampleEvery: s.sampleEvery, Failures: s.failures,
	}
}
