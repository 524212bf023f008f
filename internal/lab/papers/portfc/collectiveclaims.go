package portfc

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// sizes are what nodes push in Figure 15, which does not say its sizes; Figure 16 has 8 MB.
var sizes = []string{"1MB", "4MB", "8MB", "32MB"}

// bySize are PortFC, PFC* and IRN with each size, and what else is compared with Figure 16's size.
func bySize() (all []run.Variant) {
	for _, size := range sizes {
		set := "sync.bytes=" + size
		all = append(all, run.Variant{Name: size, Set: set, FC: "portfc"},
			run.Variant{Name: size, Set: set, FC: "pfcstar"},
			run.Variant{Name: "irn " + size, Set: set + ",transport=irn", FC: "none"})
		if size == "8MB" {
			all = append(all, run.Variant{Name: "gbn " + size, FC: "none",
				Set: set + ",transport=gbn,rto=10ms"},
				run.Variant{Name: size, Set: set + "," + bound.Set, FC: bound.FC})
		}
	}
	return all
}

// syncBytes is what a run of Figure 15 has in common with others of its size.
func syncBytes(o *run.Outcome) string { return fmt.Sprint(o.Subject.Values.Bytes("sync.bytes")) }

// irnOf and starOf are IRN and PFC* with each size.
func irnOf() (names []string) {
	for _, size := range sizes {
		names = append(names, "none irn "+size)
	}
	return names
}

func starOf() (names []string) {
	for _, size := range sizes {
		names = append(names, "pfcstar "+size)
	}
	return names
}

// claimFigure15 is section V-D: Figures 15 and 16.
func claimFigure15(*run.Subject) []run.Claim {
	first, second := half("first stage", firstHalf), half("second stage", secondHalf)
	mean := fct("mean FCT of the first stage", workload.Incast, 0)
	tail := fct("p99 FCT of the first stage", workload.Incast, 0.99)
	both := slices.Concat(irnOf(), starOf())
	alike := func(c compared, others []string, published run.Ranges) run.Measurement {
		m := c.with(portfcOnly, others, published)
		m.Alike = syncBytes
		return m
	}
	const figure15, figure16 = "section V-D, paragraph 3; Figure 15(a)",
		"section V-D, paragraph 4; Figure 16"
	others := []string{"none irn 8MB", "pfcstar 8MB"}
	alone := func(c compared) run.Measurement {
		return run.Measurement{What: c.what, Unit: "us", Value: run.AboveZero(c.of)}
	}
	return []run.Claim{
		{Statement: "PortFC's first stage is the shortest with each size", Place: figure15,
			Source: run.Given, Measures: []run.Measurement{alike(first, both, shorter)}},
		{Statement: "PortFC's first stage is up to 12.6 % shorter than IRN's", Place: figure15,
			Source:   run.Given,
			Measures: []run.Measurement{alike(first, irnOf(), run.Always(run.UpTo(-12.6)))}},
		{Statement: "PortFC's first stage is up to 79.2 % shorter than PFC*'s", Place: figure15,
			Source:   run.Given,
			Measures: []run.Measurement{alike(first, starOf(), run.Always(run.UpTo(-79.2)))}},
		{Statement: "PortFC, PFC* and IRN broadcast equally fast",
			Place: "section V-D, paragraph 2; Figure 15(b)", Source: run.Given,
			Measures: []run.Measurement{alike(second, both, run.Always(run.Exactly(0)))}},
		{Statement: "With 8 MB PortFC has the least mean and tail of completion times", Place: figure16,
			Source: run.Given, Measures: []run.Measurement{
				alike(mean, others, shorter), alike(tail, others, shorter)}},
		lossless(),
		run.Beside(alone(first), alone(second), packetsLost,
			alike(first, []string{"ideal", "none gbn 8MB"}, nil)),
	}
}

// claimExperts is section V-E: Figures 17 and 18. PortFC has its traffic engineering there.
func claimExperts(s *run.Subject) []run.Claim {
	ate, irn := []string{"portfc ate"}, []string{"none irn"}
	gbps := throughput("throughput, size over FCT", workload.GroupAuto)
	better := []run.Measurement{meanFCT.with(ate, irn, shorter), p99FCT.with(ate, irn, shorter),
		gbps.with(ate, irn, more)}
	claims := []run.Claim{{
		Statement: "On NDC(8,1) PortFC still has lower completion times and more throughput",
		Place:     "section V-E, paragraph 5; Figure 18", Source: run.Given, Name: "fig18",
		Measures: better,
	}}
	if s.Name == "portfc/fig17" {
		claims = []run.Claim{
			{Statement: "PortFC has the most throughput, and a lower mean and tail of completion times " +
				"than IRN", Place: "section V-E, paragraph 5; Figure 17", Source: run.Given, Name: "fig17",
				Measures: append(better, gbps.with(ate, []string{"pfcstar"}, more))},
			{Statement: "PortFC's 99th percentile is up to 79 % below IRN's",
				Place: "section V-E, paragraph 5; Figure 17", Source: run.Given, Name: "fig17-p99",
				Measures: []run.Measurement{p99FCT.with(ate, irn, run.Always(run.UpTo(-79)))}},
		}
	}
	times := []compared{
		meanFCT, p99FCT, half("dispatch", firstHalf), half("combine", secondHalf),
	}
	return append(claims, lossless(), run.Beside(slices.Concat(
		each(times, portfcOnly, []string{"pfcstar", "none irn", "none irn ate", "ideal"}, nil),
		each(times, ate, []string{"portfc hash"}, nil),
		weights(),
	)...))
}

// weights are w^H at five instants, and the closed form.
func weights() (all []run.Measurement) {
	for i := range 5 {
		at := fmt.Sprintf("at %d tenths of the run", 2*i+1)
		all = append(all,
			run.Measurement{What: "mean w " + at,
				Value: steered(i, func(s *sim.SteeringSample) float64 { return s.Weight })},
			run.Measurement{What: "mean w by the closed form " + at,
				Value: steered(i, func(s *sim.SteeringSample) float64 { return s.ClosedForm })})
	}
	return all
}
