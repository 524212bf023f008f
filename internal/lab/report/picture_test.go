package report

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/draw/drawtest"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// labels are the names of runs.
func labels(outcomes []*run.Outcome) (names []string) {
	for _, o := range outcomes {
		names = append(names, o.FC)
	}
	return names
}

// TestCumulative: a distribution begins at the least value with no flow, has about as many steps as
// wanted, of the same height, and ends at the greatest value with the share of flows that have one.
func TestCumulative(t *testing.T) {
	require.Equal(t, []draw.Point{{X: 1}, {X: 1, Y: 0.25}, {X: 2, Y: 0.5}, {X: 5, Y: 0.75},
		{X: 5, Y: 0.75}}, cumulative([]float64{5, 1, 2}, 4, 10), "every value is a step")
	values := make([]float64, 100)
	for i := range values {
		values[i] = float64(100 - i)
	}
	want := []draw.Point{{X: 1}}
	for x := 1; x <= 81; x += 20 {
		want = append(want, draw.Point{X: float64(x), Y: float64(x) / 100})
	}
	require.Equal(t, append(want, draw.Point{X: 100, Y: 1}), cumulative(values, 100, 5))
}

// In every picture of every scenario each protocol has a curve with an extent, or is named in a
// sentence; every axis has numbers; and the picture is drawn.
func TestPictureOfEveryScenario(t *testing.T) {
	for _, name := range turns() {
		t.Run(name, func(t *testing.T) {
			s, outcomes := brief(t, name)
			plain := *s
			plain.Probes = nil // whose curves are not of protocols
			f := Picture(&plain, outcomes)
			drawtest.RequireReadable(t, f, labels(outcomes))
			for _, o := range outcomes {
				if o.Result.Deadlock != "" {
					require.Contains(t, strings.Join(f.Notes, "\n"), o.FC+": ")
					require.Contains(t, strings.Join(f.Notes, "\n"), o.Result.Deadlock)
				}
			}
			drawtest.RequireDrawn(t, f)
			with := *s
			with.DrawRates()
			style := draw.Style{Panels: papers.All.Panels[name]}
			require.NoError(t, Skeleton(&with).Check(style), "its figure's panels")
		})
	}
}

// What Skeleton draws without a run has the panels that the run's picture has.
func TestSkeleton(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	names := func(f *draw.Figure) (all []string) {
		for _, row := range f.Rows {
			for _, p := range row {
				all = append(all, p.Name)
			}
		}
		return all
	}
	s.SampleEvery, s.Protocols = sluice.Microsecond, []string{"pfc", "none"}
	require.Equal(t, names(Picture(s, outcomes)), names(Skeleton(s)))
	require.Empty(t, Skeleton(s).Notes)
	require.Error(t, Skeleton(s).Check(draw.Style{Panels: []string{"port-queue"}}))
}

func TestPicture(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	outcomes[1].Result.Deadlock = "deadlock at 5us: 4:0 q3 waits for 5:1 q3 waits for 4:0 q3"
	f := Picture(s, outcomes)
	var first, second bytes.Buffer
	require.NoError(t, f.Write(&first, "svg", draw.Style{}))
	require.NoError(t, Picture(s, outcomes).Write(&second, "svg", draw.Style{}))
	require.Equal(t, first.String(), second.String(), "pictures of the same results differ")
	for _, want := range []string{
		">small: five flows on a dumbbell<", ">dumbbell 2+2, 5 flows, seed 7, buffer=1MiB<", ">pfc<",
		">none<", ">a table<",
		">none: 3 of 5 flows completed; deadlock at 5us: 4:0 q3 waits for 5:1 q3 waits for 4:0 q3<",
		">incast: 2 flows to host 2<", ">vulnerable: 1 flow to host 3<",
		">background: 2 flows to 2 hosts<",
		">flow completion time, us<", ">share of flows<", ">time since the first flow, us<",
		">longest egress queue of any switch<", ">longest queue, MB<",
		">queues that hold packets and may not send<",
		">goodput of all vulnerable flows<", ">goodput, Gb/s<",
	} {
		require.Contains(t, first.String(), want)
	}
	drawtest.RequireDrawn(t, f)
}

// Every protocol's colour is in the bitmap.
func TestPicturePNG(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	var b bytes.Buffer
	require.NoError(t, Picture(s, outcomes).Write(&b, "png", draw.Style{}))
	picture, err := png.Decode(&b)
	require.NoError(t, err)
	colours := map[any]bool{}
	for x := range picture.Bounds().Dx() {
		for y := range picture.Bounds().Dy() {
			r, g, b, _ := picture.At(x, y).RGBA()
			colours[[3]uint32{r >> 8, g >> 8, b >> 8}] = true
		}
	}
	for _, o := range outcomes {
		r, g, b, _ := draw.LineOf(o.FC).Color.RGBA()
		require.True(t, colours[[3]uint32{r >> 8, g >> 8, b >> 8}], "the line of %s is not there", o.FC)
	}
}

// A run without samples has no panels over time. One in which nothing completed says so.
func TestPictureOfLittle(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	for _, o := range outcomes {
		o.Result.Series, o.Result.Completed = nil, 0
		for i := range o.Result.Flows {
			o.Result.Flows[i].FCT = sluice.Never
		}
	}
	s.Published = nil
	f := Picture(s, outcomes)
	require.Len(t, f.Rows, 1)
	drawtest.RequireReadable(t, f, []string{"pfc", "none"})
	require.Equal(t, []string{"pfc: 0 of 5 flows completed", "none: 0 of 5 flows completed"}, f.Notes)
	require.Equal(t, []string{"pfc: 0 of 2 completed", "none: 0 of 2 completed"}, f.Rows[0][0].Notes)
	drawtest.RequireDrawn(t, f)
}

// What is the same of four protocols and more is said once.
func TestNotesOfMany(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	var many []*run.Outcome
	for _, fc := range []string{"pfc", "bfc", "ofc", "pyrrha"} {
		o := *outcomes[0]
		result := *o.Result
		o.FC, result.Completed, o.Result = fc, 3, &result
		many = append(many, &o)
	}
	require.Equal(t, []string{"pfc; bfc; ofc; pyrrha: 3 of 5 flows completed"}, Picture(s, many).Notes)
	require.Len(t, Picture(s, many[:3]).Notes, 3)
}

// The axis of time begins where the first flow does.
func TestTimeBeginsWithTheFirstFlow(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	for i := range s.Flows {
		s.Flows[i].Start += 2 * sluice.Second
	}
	for _, o := range outcomes {
		for i := range o.Result.Series {
			o.Result.Series[i].At += 2 * sluice.Second
		}
	}
	p := Picture(s, outcomes).Rows[1][0]
	require.Equal(t, "time since the first flow at 2s, us", p.XLabel)
	x, _ := p.Axes()
	require.InDelta(t, 0, x.Low, 1e-9)
	require.InDelta(t, 10, x.High, 1e-9)
}

// Samples join to spans; a maximum stays, sums add up; what is left over joins the last span.
func TestBinSeries(t *testing.T) {
	delivered := func(n sluice.Bytes) (d [4]sluice.Bytes) {
		d[workload.Vulnerable] = n
		return d
	}
	series := []sim.Sample{
		{At: 5, MaxPortBytes: 7, PausedQueues: 3, DeliveredBytes: delivered(100)},
		{At: 10, MaxPortBytes: 9, PausedQueues: 1, DeliveredBytes: delivered(200)},
		{At: 15, MaxPortBytes: 2, DeliveredBytes: delivered(400)},
		{At: 20, MaxPortBytes: 3, PausedQueues: 1, DeliveredBytes: delivered(10)},
		{At: 24, MaxPortBytes: 1, PausedQueues: 2, DeliveredBytes: delivered(1)},
	}
	require.Equal(t, binned{
		{from: 0, to: 10, longest: 9, paused: 3, delivered: 300},
		{from: 10, to: 24, longest: 3, paused: 2, delivered: 411},
	}, binSeries(series, 0, 10, workload.Vulnerable))
	// 300 bytes in 10 ns are 240 Gb/s.
	b := bin{from: 0, to: 10 * sluice.Nanosecond, delivered: 300}
	require.InDelta(t, 240, b.goodput(), 1e-9)
}

// Equal curves are named.
func TestEqualCurves(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	twin, other := *outcomes[0], *outcomes[0]
	twin.FC, other.FC = "bfc", "ideal"
	f := Picture(s, append(outcomes, &twin, &other))
	var svg bytes.Buffer
	require.NoError(t, f.Write(&svg, "svg", draw.Style{}))
	require.Contains(t, svg.String(), "equal: pfc, bfc, ideal")
	drawtest.RequireReadable(t, f, []string{"pfc", "none", "bfc", "ideal"})
}

// The panel of weights shows the protocols whose sources choose, and names the others. There is no
// panel if none chooses.
func TestWeights(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	require.Empty(t, Weights(s, outcomes))
	outcomes[0].Result.Steered = []sim.SteeringSample{{At: s.FirstStart(), Weight: .5, ClosedForm: .4}}
	panels := Weights(s, outcomes)
	require.Len(t, panels, 1)
	require.Len(t, panels[0].Curves, 2, "ours, and the closed form")
	require.Equal(t, .5, panels[0].Curves[0].Points[0].Y)
	require.Equal(t, .4, panels[0].Curves[1].Points[0].Y)
	require.Equal(t, []string{outcomes[1].FC + ": does not choose"}, panels[0].Notes)
}
