package report

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/draw/drawtest"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// columnWide is a picture of a column of a paper.
func columnWide(t *testing.T, panels ...string) draw.Style {
	width, height, err := draw.ParseSize("3.3x2.2in")
	require.NoError(t, err)
	return draw.Style{Panels: panels, Width: width, Height: height, NoTitle: true}
}

// Each kind of panel, as wide as a column.
func TestGoldenPictures(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	s.Probes = &probe.Config{Flows: []int32{0, 3}}
	for i, o := range outcomes {
		o.Subject, o.Result.Seen = s, &probe.Report{}
		for _, flow := range s.Probes.Flows {
			series := &probe.FlowSeries{Flow: flow}
			for k := range sluice.Time(10) {
				series.Time = append(series.Time, (k+1)*sluice.Microsecond)
				series.Set = append(series.Set, sluice.Rate(int(k)+i)*sluice.Gbps)
				series.Received = append(series.Received, sluice.Bytes(1000*(int(flow)+int(k)+i)))
			}
			o.Result.Seen.Flows = append(o.Result.Seen.Flows, series)
		}
	}
	f := Picture(s, outcomes)
	for _, name := range []string{"fct-incast", "fct-vulnerable", "queue", "flows:pfc"} {
		file := filepath.Join(golden.Dir, "picture-"+map[string]string{
			"fct-incast": "cdf", "fct-vulnerable": "one-flow", "queue": "time", "flows:pfc": "rates",
		}[name]+".png")
		drawtest.RequireGolden(t, f, columnWide(t, name), file, *golden.Update)
	}
	outcomes[0].Result.Jobs = []sim.JobResult{twoRanks()}
	drawtest.RequireGolden(t, Picture(s, outcomes[:1]), columnWide(t, "timeline"),
		filepath.Join(golden.Dir, "picture-timeline.png"), *golden.Update)
	s, outcomes = sized(t)
	drawtest.RequireGolden(t, Picture(s, outcomes), columnWide(t, "slowdown-p95"),
		filepath.Join(golden.Dir, "picture-slowdown.png"), *golden.Update)
}

// twoRanks is a job whose rank 1 waits for a message that is held.
func twoRanks() sim.JobResult {
	span := func(from, to sluice.Time, state schedule.State) schedule.Span {
		return schedule.Span{From: from * sluice.Microsecond, To: to * sluice.Microsecond, State: state}
	}
	return sim.JobResult{Name: "ring", Start: 10 * sluice.Microsecond, Timeline: [][]schedule.Span{
		{span(10, 50, schedule.Computing), span(50, 60, schedule.Exposed),
			span(60, 75, schedule.Computing)},
		{span(10, 30, schedule.Computing), span(50, 55, schedule.Exposed), span(55, 75, schedule.Held),
			span(75, 80, schedule.Exposed), span(80, 90, schedule.Computing)},
	}}
}

// sized is 200 flows of growing sizes; the flow of place i has a slowdown of 1 + i, but that every
// tenth flow did not complete.
func sized(t *testing.T) (*run.Subject, []*run.Outcome) {
	s, outcomes := runtest.SmallSubject(t)
	s.Flows, s.Groups, s.Published = nil, nil, nil
	outcomes = outcomes[:1]
	result := outcomes[0].Result
	result.Flows, result.Series = nil, nil
	for i := range 200 {
		f := workload.Flow{Src: 0, Dst: 2, Bytes: sluice.Bytes(100 * (1 + i/4))}
		s.Flows, s.Groups = append(s.Flows, f), append(s.Groups, workload.Background)
		r := sim.FlowResult{Flow: f, FCT: sluice.Time(1+i) * 1000, Ideal: 1000}
		if i%10 == 9 {
			r.FCT = sluice.Never
		}
		result.Flows = append(result.Flows, r)
	}
	outcomes[0].Groups = s.Groups
	return s, outcomes
}
