package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/run"
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
