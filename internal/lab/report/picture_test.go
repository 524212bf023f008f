package report

import (
	"bytes"
	"image/png"
	"strings"
	"sync"
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

// briefly keeps the runs of brief.
var briefly = struct {
	sync.Mutex
	subjects map[string]*run.Subject
	outcomes map[string][]*run.Outcome
}{subjects: map[string]*run.Subject{}, outcomes: map[string][]*run.Outcome{}}

// slow are the scenarios whose beginning has to do, and what makes them smaller still.
var slow = map[string]string{
	"reference": "", "fattree": "", "mix": "duration=20us", "permutation": "", "bfc/incast": "",
	"pyrrha/fig2": "duration=20us", "hosts/convergence": "",
	"pyrrha/cc": "", "pyrrha/cc-fig2": "duration=20us",
	"pyrrha/fig7": "", "pyrrha/legacy": "duration=20us", "pyrrha/fig15": "k=8,duration=5us", "pyrrha/fig14-memcached": "duration=20us",
	"pyrrha/fig14-webserver": "duration=20us", "pyrrha/fig14-websearch": "duration=100us",
	"ofc/fig4": "ofc.rounds=1", "ofc/fig6-edu1": "duration=5us", "ofc/fig6-edu2": "duration=5us",
	"ofc/fig8": "duration=5us", "ofc/fig9": "",
	"tcd/fig3": "", "tcd/fig4": "", "tcd/victim": "", "tcd/epsilon": "", "tcd/isolated": "",
	"tcd/overlapped": "",
	"tcd/covered":    "",
	"pcn/fig2":       "", "pcn/fig5": "", "pcn/fig11": "", "pcn/fluid": "",
	"pcn/fig12": "duration=1ms", "pcn/fig13": "duration=1ms",
	"pcn/fig14-w1": "f.count=100", "pcn/fig14-w2": "f.count=100", "pcn/fig17": "", "pcn/fig18": "",
	"pcn/fig19": "",
	"pcn/fig20": "f.count=100", "pcn/fig21": "duration=1ms",
	"portfc/fig8-websearch": "", "portfc/fig8-hadoop": "duration=100us",
	"portfc/fig8-storage":    "duration=100us",
	"portfc/fig12-websearch": "duration=100us", "portfc/fig12-hadoop": "duration=20us",
	"portfc/fig12-storage": "duration=20us", "portfc/deadlock": "", "portfc/hol": "",
	"portfc/fig15": "sync.bytes=100KB", "portfc/fig17": "moe.tokens=64,moe.batches=2",
	"portfc/fig18": "moe.tokens=16,moe.batches=2", "portfc/fig19": "",
}

// brief runs a scenario under every protocol, or the beginning of it if it is slow. In short tests
// the slow ones run under one protocol, the others under those that they compare. Tests share the
// runs.
func brief(t *testing.T, name string) (*run.Subject, []*run.Outcome) {
	t.Helper()
	runtest.Alone(t)
	briefly.Lock()
	defer briefly.Unlock()
	if s := briefly.subjects[name]; s != nil {
		return s, briefly.outcomes[name]
	}
	set, isSlow := slow[name]
	s := runtest.Prepared(t, papers.All, name, set)
	if !testing.Short() {
		s.Protocols = run.ProtocolNames()
	} else if isSlow {
		s.Protocols = []string{"pfc"}
	}
	if isSlow {
		s.SampleEvery = min(s.SampleEvery, 5*sluice.Microsecond)
		s.Until = s.FirstStart() + 2*s.SampleEvery + 10*sluice.Microsecond
	}
	var outcomes []*run.Outcome
	for _, fc := range s.Protocols {
		outcomes = append(outcomes, runtest.OutcomeOf(t, s, fc))
	}
	briefly.subjects[name], briefly.outcomes[name] = s, outcomes
	return s, outcomes
}

// In every picture of every scenario each protocol has a curve with an extent, or is named in a
// sentence; every axis has numbers; and the picture is drawn.
func TestPictureOfEveryScenario(t *testing.T) {
	for i := range papers.All.Scenarios {
		t.Run(papers.All.Scenarios[i].Name, func(t *testing.T) {
			s, outcomes := brief(t, papers.All.Scenarios[i].Name)
			plain := *s
			plain.Probes = nil // whose curves are not of protocols
			f := Picture(&plain, outcomes)
			drawtest.RequireReadable(t, f, s.Protocols)
			for _, o := range outcomes {
				if o.Result.Deadlock != "" {
					require.Contains(t, strings.Join(f.Notes, "\n"), o.FC+": ")
					require.Contains(t, strings.Join(f.Notes, "\n"), o.Result.Deadlock)
				}
			}
			drawtest.RequireDrawn(t, f)
		})
	}
}

func TestPicture(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	outcomes[1].Result.Deadlock = "deadlock at 5us: 4:0 q3 waits for 5:1 q3 waits for 4:0 q3"
	f := Picture(s, outcomes)
	var first, second bytes.Buffer
	require.NoError(t, f.Write(&first, "svg"))
	require.NoError(t, Picture(s, outcomes).Write(&second, "svg"))
	require.Equal(t, first.String(), second.String(), "pictures of the same results differ")
	for _, want := range []string{
		">small: five flows on a dumbbell<", ">dumbbell 2+2, 5 flows, seed 7, buffer=1MiB<", ">pfc<",
		">none<", ">a table<",
		">none: 3 of 5 flows completed; deadlock at 5us: 4:0 q3 waits for 5:1 q3 waits for 4:0 q3<",
		">incast: 2 flows to host 2<", ">vulnerable: 1 flow to host 3<",
		">background: 2 flows to 2 hosts<",
		">flow completion time, us<", ">share of flows<", ">time since the first flow, us<",
		">longest egress queue of any switch<", ">MB<", ">queues that hold packets and may not send<",
		">goodput of all vulnerable flows<", ">Gb/s<",
	} {
		require.Contains(t, first.String(), want)
	}
	drawtest.RequireDrawn(t, f)
}

// Every protocol's colour is in the bitmap.
func TestPicturePNG(t *testing.T) {
	s, outcomes := runtest.SmallSubject(t)
	var b bytes.Buffer
	require.NoError(t, Picture(s, outcomes).Write(&b, "png"))
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
		{At: 5, MaxPortBytes: 7, PausedQueues: 1, DeliveredBytes: delivered(100)},
		{At: 10, MaxPortBytes: 9, PausedQueues: 3, DeliveredBytes: delivered(200)},
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
	require.NoError(t, f.Write(&svg, "svg"))
	require.Contains(t, svg.String(), "equal: pfc, bfc, ideal")
	drawtest.RequireReadable(t, f, []string{"pfc", "none", "bfc", "ideal"})
}
