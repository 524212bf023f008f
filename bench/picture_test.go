package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// briefly keeps the runs of brief.
var briefly = struct {
	sync.Mutex
	subjects map[string]*subject
	outcomes map[string][]*outcome
}{subjects: map[string]*subject{}, outcomes: map[string][]*outcome{}}

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
func brief(t *testing.T, name string) (*subject, []*outcome) {
	t.Helper()
	alone(t)
	briefly.Lock()
	defer briefly.Unlock()
	if s := briefly.subjects[name]; s != nil {
		return s, briefly.outcomes[name]
	}
	set, isSlow := slow[name]
	s := prepared(t, everything, name, set)
	if !testing.Short() {
		s.protocols = protocolNames()
	} else if isSlow {
		s.protocols = []string{"pfc"}
	}
	if isSlow {
		s.sampleEvery = min(s.sampleEvery, 5*sluice.Microsecond)
		s.until = s.firstStart() + 2*s.sampleEvery + 10*sluice.Microsecond
	}
	var outcomes []*outcome
	for _, fc := range s.protocols {
		outcomes = append(outcomes, outcomeOf(t, s, fc))
	}
	briefly.subjects[name], briefly.outcomes[name] = s, outcomes
	return s, outcomes
}

// In every picture of every scenario each protocol has a curve with an extent, or is named in a
// sentence; every axis has numbers; and the picture is drawn.
func TestPictureOfEveryScenario(t *testing.T) {
	for i := range everything.scenarios {
		t.Run(everything.scenarios[i].name, func(t *testing.T) {
			s, outcomes := brief(t, everything.scenarios[i].name)
			plain := *s
			plain.probes = nil // whose curves are not of protocols
			f := comparison(&plain, outcomes)
			requireReadable(t, f, s.protocols)
			for _, o := range outcomes {
				if o.result.Deadlock != "" {
					require.Contains(t, strings.Join(f.notes, "\n"), o.fc+": ")
					require.Contains(t, strings.Join(f.notes, "\n"), o.result.Deadlock)
				}
			}
			requireDrawn(t, f)
		})
	}
}

func requireReadable(t *testing.T, f *figure, protocols []string) {
	t.Helper()
	require.NotEmpty(t, f.rows)
	require.Equal(t, protocols, f.legend)
	for _, row := range f.rows {
		for _, p := range row {
			x, y := p.axes()
			if len(p.names) == 0 {
				require.GreaterOrEqual(t, labels(x), 2, "x of %s", p.title)
			}
			require.GreaterOrEqual(t, labels(y), 2, "y of %s", p.title)
			require.NotEmpty(t, p.xLabel)
			require.NotEmpty(t, p.yLabel)
			for _, fc := range protocols {
				require.True(t, p.shows(fc, x, y), "%s in %q", fc, p.title)
			}
		}
	}
}

func labels(s scale) (n int) {
	for _, tick := range s.ticks {
		if tick.label != "" && s.low <= tick.value && tick.value <= s.high {
			n++
		}
	}
	return n
}

// shows reports whether a protocol has a curve of some length inside the axes, or a sentence.
func (p *panel) shows(fc string, x, y scale) bool {
	for i := range p.curves {
		c := &p.curves[i]
		if c.fc != fc || c.published {
			continue
		}
		inside, length := true, 0.0
		for j, point := range c.points {
			inside = inside && x.low <= point.X && point.X <= x.high && y.low < point.Y && point.Y < y.high
			if j > 0 {
				length += math.Abs(point.X-c.points[j-1].X)/(x.high-x.low) +
					math.Abs(point.Y-c.points[j-1].Y)/(y.high-y.low)
			}
		}
		if inside && (length > 0.01 || c.spread != nil) {
			return true
		}
	}
	return strings.Contains(strings.Join(p.notes, "\n"), fc)
}

// requireDrawn renders a figure and checks that its texts and the colours of its protocols are in
// it.
func requireDrawn(t *testing.T, f *figure) {
	t.Helper()
	var svg bytes.Buffer
	require.NoError(t, f.write(&svg, "svg"))
	var texts []string
	decoder := xml.NewDecoder(bytes.NewReader(svg.Bytes()))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if data, ok := token.(xml.CharData); ok {
			texts = append(texts, strings.TrimSpace(string(data)))
		}
	}
	for _, fc := range f.legend {
		require.Contains(t, texts, fc)
	}
	for _, row := range f.rows {
		for _, p := range row {
			require.Contains(t, texts, p.xLabel)
			require.Contains(t, texts, p.yLabel)
			require.Contains(t, strings.Join(strings.Fields(strings.Join(texts, " ")), " "), p.title)
		}
	}
}

// A protocol has one colour and one dash, whatever others are in the picture, and no other protocol
// has both.
func TestLinesBelongToProtocols(t *testing.T) {
	seen := map[string]string{}
	for _, p := range slices.Concat(fabric.Protocols(), fabric.Variants(), fabric.NodeCentric()) {
		style := lineOf(p.Name)
		key := fmt.Sprint(style.color, style.dashes)
		require.Empty(t, seen[key], p.Name)
		seen[key] = p.Name
		require.Equal(t, style, lineOf(p.Name))
	}
}

// Equal curves are named, and each can be seen under the next: they have different widths.
func TestEqualCurves(t *testing.T) {
	s, outcomes := smallSubject(t)
	twin, other := *outcomes[0], *outcomes[0]
	twin.fc, other.fc = "bfc", "ideal"
	f := comparison(s, append(outcomes, &twin, &other))
	p := f.rows[0][0]
	require.Equal(t, [][]string{{"pfc", "bfc", "ideal"}}, p.equal())
	var text string
	for _, line := range p.lines(usableWidth) {
		text += line.text
	}
	require.Contains(t, text, "equal: pfc, bfc, ideal")
	requireReadable(t, f, []string{"pfc", "none", "bfc", "ideal"})
}

func TestPicture(t *testing.T) {
	s, outcomes := smallSubject(t)
	outcomes[1].result.Deadlock = "deadlock at 5us: 4:0 q3 waits for 5:1 q3 waits for 4:0 q3"
	f := comparison(s, outcomes)
	var first, second bytes.Buffer
	require.NoError(t, f.write(&first, "svg"))
	require.NoError(t, comparison(s, outcomes).write(&second, "svg"))
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
	requireDrawn(t, f)
}

// Every protocol's colour is in the bitmap.
func TestPicturePNG(t *testing.T) {
	s, outcomes := smallSubject(t)
	var b bytes.Buffer
	require.NoError(t, comparison(s, outcomes).write(&b, "png"))
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
		r, g, b, _ := lineOf(o.fc).color.RGBA()
		require.True(t, colours[[3]uint32{r >> 8, g >> 8, b >> 8}], "the line of %s is not there", o.fc)
	}
}

// A run without samples has no panels over time. One in which nothing completed says so.
func TestPictureOfLittle(t *testing.T) {
	s, outcomes := smallSubject(t)
	for _, o := range outcomes {
		o.result.Series, o.result.Completed = nil, 0
		for i := range o.result.Flows {
			o.result.Flows[i].FCT = sluice.Never
		}
	}
	s.published = nil
	f := comparison(s, outcomes)
	require.Len(t, f.rows, 1)
	requireReadable(t, f, []string{"pfc", "none"})
	require.Equal(t, []string{"pfc: 0 of 5 flows completed", "none: 0 of 5 flows completed"}, f.notes)
	require.Equal(t, []string{"pfc: 0 of 2 completed", "none: 0 of 2 completed"}, f.rows[0][0].notes)
	requireDrawn(t, f)
}

// The axis of time begins where the first flow does.
func TestTimeBeginsWithTheFirstFlow(t *testing.T) {
	s, outcomes := smallSubject(t)
	for i := range s.flows {
		s.flows[i].Start += 2 * sluice.Second
	}
	for _, o := range outcomes {
		for i := range o.result.Series {
			o.result.Series[i].At += 2 * sluice.Second
		}
	}
	p := comparison(s, outcomes).rows[1][0]
	require.Equal(t, "time since the first flow at 2s, us", p.xLabel)
	x, _ := p.axes()
	require.InDelta(t, 0, x.low, 1e-9)
	require.InDelta(t, 10, x.high, 1e-9)
}

func TestTicks(t *testing.T) {
	texts := func(ticks []tick) (texts []string) {
		for _, tick := range ticks {
			if tick.label != "" {
				texts = append(texts, tick.label)
			}
		}
		return texts
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 3704, "0 1000 2000 3000"}, {0, 1.9, "0 0.5 1 1.5"}, {0, 77, "0 20 40 60"},
		{0, 4, "0 1 2 3 4"},
		{0, 0.001, "0 0.0002 0.0004 0.0006 0.0008 0.001"}, {250, 262, "250 252 254 256 258 260 262"},
		{1800, 2100, "1800 1850 1900 1950 2000 2050 2100"},
	} {
		require.Equal(t, c.want, strings.Join(texts(linearTicks(c.low, c.high)), " "))
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0.5, 20000, "1 10 100 1000 10000"}, {0.02, 30, "0.03 0.1 0.3 1 3 10 30"},
		{2.4, 250, "3 10 30 100"}, {9, 60, "10 20 30 50"},
		{250, 262, "250 252 254 256 258 260 262"},
	} {
		require.Equal(t, c.want, strings.Join(texts(logTicks(c.low, c.high)), " "))
	}
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

// The README shows pictures, which are there and are of the protocols that they say.
func TestPicturesOfTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	shown := regexp.MustCompile(
		`!\[.*\]\(bench/(testdata/pictures/.*\.svg)\)`,
	).FindAllStringSubmatch(string(readme), -1)
	require.NotEmpty(t, shown)
	for _, picture := range shown {
		svg, err := os.ReadFile(picture[1])
		require.NoError(t, err)
		for _, fc := range []string{"pfc", "bfc", "pyrrha"} {
			require.Contains(t, string(svg), ">"+fc+"<", picture[1])
		}
	}
}
