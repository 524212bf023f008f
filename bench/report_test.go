package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

var update = flag.Bool(
	"update", false, "rewrite the golden files; commit them only if you understand what changed them",
)

// goldenDir is absolute, as some tests change the working directory.
var goldenDir = func() string {
	dir, err := filepath.Abs(filepath.Join("testdata", "golden"))
	if err != nil {
		panic(err)
	}
	return dir
}()

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(goldenDir, name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run go test ./bench -update")
	require.Equal(t, string(want), got)
}

// smallSubject is five flows on a dumbbell: two into host 2, one to its neighbour 3, two back. One
// result has everything a report must show: a loss, a flow that did not complete, notes.
func smallSubject(t *testing.T) (*subject, []*outcome) {
	t.Helper()
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	graph, err := topo.Dumbbell(topo.DumbbellConfig{
		Left: 2, Right: 2, HostLink: link, Bottleneck: link,
	})
	require.NoError(t, err)
	flows := []workload.Flow{
		{Src: 0, Dst: 2, Bytes: 10_000},
		{Src: 1, Dst: 2, Bytes: 20_000, Start: 100 * sluice.Nanosecond},
		{Src: 1, Dst: 3, Bytes: 1_000},
		{Src: 2, Dst: 0, Bytes: 1_460},
		{Src: 3, Dst: 1, Bytes: 1_460, Start: sluice.Microsecond},
	}
	parameters, err := everything.registry()
	require.NoError(t, err)
	values, err := parameters.Parse("buffer=1MiB")
	require.NoError(t, err)
	s := &subject{
		scenario: &scenario{name: "small", doc: "five flows on a dumbbell"}, seed: 7, values: values,
		graph: graph, flows: flows, groups: sim.Groups(graph, flows),
		published: &published{source: "a table", fct: map[string][]float64{"pfc": {5, 7, 3, 2, 2}}},
	}
	times := func(microseconds ...float64) []sim.FlowResult {
		results := make([]sim.FlowResult, len(flows))
		for i, us := range microseconds {
			results[i] = sim.FlowResult{
				Flow: flows[i], FCT: sluice.Time(us * 1e6), Ideal: 2 * sluice.Microsecond,
			}
			if us == 0 {
				results[i].FCT = sluice.Never
			}
		}
		return results
	}
	series := func(scale sluice.Bytes) (samples []sim.Sample) {
		for i := range sluice.Time(10) {
			samples = append(samples, sim.Sample{
				At: (i + 1) * sluice.Microsecond, MaxPortBytes: scale * sluice.Bytes(i),
				TotalBytes:   2 * scale * sluice.Bytes(i),
				PausedQueues: int(i % 3), DeliveredBytes: [4]sluice.Bytes{0, 2000, 100, 300},
			})
		}
		return samples
	}
	pfc := &sim.Result{
		Flows: times(6, 8, 3, 2.5, 2.5), Completed: 5, PacketHops: 123_456, Events: 234_567,
		Simulated: 9 * sluice.Microsecond,
		Wall:      50 * time.Millisecond, MaxSwitchBytes: 31_000, MaxPortBytes: 30_000,
		Series:        series(3000),
		ControlFrames: map[string]int64{"resume": 4, "pause": 1005},
		Notes: []string{
			"pfc: port 5:1 was paused for most of the run, and this sentence is made long enough to be " +
				"broken into two lines of the report",
		},
	}
	none := &sim.Result{
		Flows: times(0, 9.25, 3, 2.5, 0), Completed: 3, Dropped: 1234, Reordered: 2, PacketHops: 3456,
		Events: 4567, Simulated: 10 * sluice.Millisecond,
		Wall: 5 * time.Millisecond, MaxSwitchBytes: 21_000, MaxPortBytes: 20_000, Series: series(2000),
		Drops: []sim.DropRecord{
			{
				At: sluice.Hop{Switch: 4, Port: 2}, Reason: sluice.BufferFull, Packets: 34,
				First: 3 * sluice.Microsecond,
			},
			{
				At: sluice.Hop{Switch: 5, Port: 0}, Reason: sluice.BufferFull, Packets: 1100,
				First: 2500 * sluice.Nanosecond,
			},
			{
				At: sluice.Hop{Switch: 5, Port: 1}, Reason: sluice.BufferFull, Packets: 60,
				First: 4 * sluice.Microsecond,
			},
			{
				At: sluice.Hop{Switch: 5, Port: 2}, Reason: sluice.BufferFull, Packets: 40,
				First: 4 * sluice.Microsecond,
			},
		},
	}
	outcomes := []*outcome{newOutcome(s, "pfc", pfc), newOutcome(s, "none", none)}
	for i, peak := range []int64{20_000_000, 21_000_000} {
		outcomes[i].peakRSS = &peak
	}
	return s, outcomes
}

func TestReport(t *testing.T) {
	s, outcomes := smallSubject(t)
	var b bytes.Buffer
	require.NoError(t, writeReport(&b, s, outcomes))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), reportWidth, line)
	}
	golden(t, "report.txt", b.String())
}

// The longest protocol name and the largest figures still fit the width.
func TestReportIsNotTooWide(t *testing.T) {
	s, outcomes := smallSubject(t)
	o := outcomes[1]
	o.fc = "pyrrha-single"
	s.published.fct[o.fc] = s.published.fct["pfc"]
	o.result.Dropped, o.result.Reordered = 12_345_678, 1_234_567
	o.result.Simulated = 1234 * sluice.Millisecond
	o.result.ControlFrames = map[string]int64{"pause": 12_345_678}
	var b bytes.Buffer
	require.NoError(t, writeReport(&b, s, outcomes))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, len(strings.TrimRight(line, "\n")), reportWidth, line)
	}
}

func TestCSV(t *testing.T) {
	_, outcomes := smallSubject(t)
	var b bytes.Buffer
	require.NoError(t, writeCSV(&b, outcomes[1].result.Flows))
	require.Equal(t, `src,dst,bytes,start_ns,fct_ns,ideal_ns
0,2,10000,0,,2000
1,2,20000,100,9250,2000
1,3,1000,0,3000,2000
2,0,1460,0,2500,2000
3,1,1460,1000,,2000
`, b.String())
}

func TestCSVPath(t *testing.T) {
	require.Equal(t, "out/f.csv", protocolPath("out/f.csv", "pfc", 1))
	require.Equal(t, "out/f.pyrrha+pfc.csv", protocolPath("out/f.csv", "pyrrha+pfc", 2))
	require.Equal(t, "flows.pfc", protocolPath("flows", "pfc", 2))
	require.Empty(t, protocolPath("", "pfc", 2))
}

func TestSummary(t *testing.T) {
	require.Nil(t, summarise(nil))
	var values []float64
	for i := 101; i >= 1; i-- {
		values = append(values, float64(i))
	}
	// Of 1, 2, ..., 101 the p-th percentile is p+1; between values it is interpolated.
	require.Equal(t, &summary{Mean: 51, P50: 51, P95: 96, P99: 100, P999: 100.9, Max: 101}, summarise(values))
	require.Equal(
		t, &summary{Mean: 1.5, P50: 1.5, P95: 1.95, P99: 1.99, P999: 1.999, Max: 2}, summarise([]float64{2, 1}),
	)
	require.Equal(t, &summary{Mean: 3, P50: 3, P95: 3, P99: 3, P999: 3, Max: 3}, summarise([]float64{3}))
}

func TestSignificant(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.8231: "0.823", 3.9128: "3.913", 43.985: "43.98", 155.82: "155.8", 2530.5: "2530",
		12345.6: "12346", 9.99996: "10.00", 0.0004: "0.000", 99.996: "100.0",
	} {
		require.Equal(t, want, significant(x), x)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{
		0: "0", 999: "999", 1000: "1,000", 6642: "6,642", 123456: "123,456", 1234567: "1,234,567",
	} {
		require.Equal(t, want, thousands(n))
	}
}

func TestPlotFormat(t *testing.T) {
	for path, want := range map[string]string{"a.svg": "svg", "b/c.PNG": "png"} {
		got, err := plotFormat(path)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := plotFormat("a.pdf")
	require.ErrorContains(t, err, "must be named .svg or .png")
}

func TestReadPublished(t *testing.T) {
	s, _ := smallSubject(t)
	const header = "src,dst,bytes,start_ns,ideal_us,fct_pfc_us,fct_pyrrha_us\n"
	const good = header + "0,2,10000,0,1,5.5,4.5\n1,2,20000,100,1,7,6\n1,3,1000,0,1,3,2\n2,0,1460,0,1,2,2\n3,1,1460,1000,1,2,2\n"
	p, err := readPublished(strings.NewReader(good), "x", s.flows)
	require.NoError(t, err)
	require.Equal(t, []float64{5.5, 7}, p.times("pfc", s.groups, workload.Incast))
	mean, ok := p.mean("pyrrha", s.groups, workload.GroupAuto)
	require.True(t, ok)
	require.InDelta(t, 3.3, mean, 1e-9)
	_, ok = p.mean("none", s.groups, workload.GroupAuto)
	require.False(t, ok)

	for _, c := range []struct{ text, want string }{
		{"", "EOF"},
		{"src,dst,bytes\n", "no column start_ns"},
		{
			strings.Replace(good, "1,2,20000", "1,2,20001", 1),
			`line 3: bytes is "20001", that of flow 1 is 20000`,
		},
		{strings.Replace(good, "5.5", "-", 1), `line 2: fct_pfc_us "-" is not a positive number`},
		{good + "3,1,1460,1000,1,2,2\n", "line 7: more rows than the 5 flows"},
		{good[:len(good)-len("3,1,1460,1000,1,2,2\n")], "4 rows for 5 flows"},
		{good + "3,1\n", "wrong number of fields"},
	} {
		_, err := readPublished(strings.NewReader(c.text), "x", s.flows)
		require.ErrorContains(t, err, c.want)
	}
}
