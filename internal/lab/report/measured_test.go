package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// Labels that are a grid have one side on the axis; labels that fill less than seven tenths of one,
// or of which one has no second part, stay as they are.
func TestGrid(t *testing.T) {
	for _, c := range []struct{ labels, rows, columns []string }{
		{
			[]string{"pfc 4:1", "pfc 6:1", "ofc 4:1", "ofc 6:1"},
			[]string{"pfc", "ofc"}, []string{"4:1", "6:1"},
		},
		{[]string{"pcn, 2", "pcn, 4", "qcn, 2"}, []string{"pcn", "qcn"}, []string{"2", "4"}},
		{
			[]string{"portfc 1MB", "portfc 4MB", "none irn 1MB", "none irn 4MB"},
			[]string{"portfc", "none irn"}, []string{"1MB", "4MB"},
		},
		{
			[]string{"a x / c y", "b / c y", "a x / d", "b / d"},
			[]string{"a x", "b"}, []string{"c y", "d"},
		},
		{labels: []string{"pfc pcn", "pfc qcn", "ideal"}},
		{labels: []string{"a x", "b y", "c z"}},
		{labels: []string{"pfc", "bfc"}},
	} {
		rows, columns, places := grid(c.labels)
		require.Equal(t, c.rows, rows)
		require.Equal(t, c.columns, columns)
		if c.rows != nil {
			require.Len(t, places, len(c.labels))
		}
	}
}

// A measure has a panel with a point per run and what the paper gives; words are a note; of a
// comparison the baselines are on the axis, or the pairs, where several runs are compared.
func TestMeasured(t *testing.T) {
	given := run.Exactly(3)
	bound := run.AtLeast(1)
	less := func(measure, of string, value float64) run.Finding {
		return run.Finding{
			Measure: measure, Unit: "%", Run: of, Baseline: "pfc", Relation: run.Less,
			Measured: run.Number(value),
		}
	}
	findings := []run.Finding{
		{Measure: "mean FCT", Unit: "us", Run: "pfc", Measured: run.Number(4), Published: &given},
		{Measure: "mean FCT", Unit: "us", Run: "pfc", Measured: run.Number(4), Published: &bound},
		{Measure: "mean FCT", Unit: "us", Run: "ofc", Measured: run.Words("never")},
		less("queue", "ofc", -9), less("p99, all", "ofc", 1), less("p99, all", "bfc", 2),
	}
	panels := Measured([]string{"ofc", "pfc"}, findings)
	require.Len(t, panels, 3)
	p := panels[0]
	require.Equal(t, "measured:mean-FCT", p.Name)
	require.True(t, p.Asked)
	require.Equal(t, []string{"ofc", "pfc"}, p.Names, "in the order of the runs")
	require.Equal(t, []string{"ofc: never"}, p.Notes)
	require.Equal(t, []draw.Curve{
		{FC: "pfc", Points: []draw.Point{{X: 1, Y: 3}}, Spread: []float64{0}, Published: true},
		{FC: "pfc", Points: []draw.Point{{X: 1, Y: 4}}, Spread: []float64{0}},
	}, p.Curves, "each once, and no bound")
	require.Equal(t, "measured:queue-ofc-less-than", panels[1].Name)
	_, y := panels[1].Axes()
	require.Less(t, y.Low, -9.0)
	require.Equal(t, "measured:p99-all-less-than", panels[2].Name)
	require.Equal(t, []string{"ofc / pfc", "bfc / pfc"}, panels[2].Names)
}
