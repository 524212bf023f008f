package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// The panel has a bar for each span of each rank, by what the rank does.
func TestTimelineHasABarForEachSpan(t *testing.T) {
	o := &run.Outcome{FC: "pfc", Result: &sim.Result{Jobs: []sim.JobResult{twoRanks()}}}
	panels := Timelines([]*run.Outcome{o})
	require.Len(t, panels, 1)
	require.Equal(t, "timeline:pfc", panels[0].Name)
	bars := map[string][]float64{}
	for _, c := range panels[0].Curves {
		for i := 0; i < len(c.Points); i += 2 {
			require.Equal(t, c.Points[i].Y, c.Points[i+1].Y)
			bars[c.FC] = append(bars[c.FC], c.Points[i].Y, c.Points[i].X, c.Points[i+1].X)
		}
	}
	require.Equal(t, map[string][]float64{
		"computing": {0, 10, 50, 0, 60, 75, 1, 10, 30, 1, 80, 90},
		"exposed":   {0, 50, 60, 1, 50, 55, 1, 75, 80},
		"held":      {1, 55, 75},
	}, bars)
	o.Result.Jobs = append(o.Result.Jobs, twoRanks())
	require.Equal(t, "timeline:pfc:ring", Timelines([]*run.Outcome{o})[0].Name)
}

// Of a rank with more spans than can be seen each piece of the time has what the rank does most.
func TestTimelineOfManySpans(t *testing.T) {
	var spans []schedule.Span
	for i := range sluice.Time(4000) { // two of three parts computing, in the second half held
		state := schedule.Computing
		if i >= 2000 {
			state = schedule.Held
		}
		spans = append(spans, schedule.Span{From: 3 * i, To: 3*i + 2, State: state})
	}
	require.Equal(t, []schedule.Span{
		{From: 0, To: 6000, State: schedule.Computing}, {From: 6000, To: 12000, State: schedule.Held},
	}, coarse(spans, 0, 12000))
	for i := range spans { // one of three
		spans[i].To--
	}
	require.Empty(t, coarse(spans, 0, 12000))
}
