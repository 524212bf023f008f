package workload_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

const (
	referenceFlows    = "../papers/general/testdata/pyrrha-ns3/flows.txt"
	referenceTopology = "../papers/general/testdata/pyrrha-ns3/topology.txt"
)

func readReference(t testing.TB) (*topo.Graph, []workload.Flow) {
	t.Helper()
	text, err := os.ReadFile(referenceTopology)
	require.NoError(t, err)
	g, err := topo.Read(bytes.NewReader(text), "reference")
	require.NoError(t, err)
	text, err = os.ReadFile(referenceFlows)
	require.NoError(t, err)
	flows, err := workload.ReadFlows(bytes.NewReader(text), "flows.txt", nil)
	require.NoError(t, err)
	return g, flows
}

func TestReadReferenceFlows(t *testing.T) {
	g, flows := readReference(t)
	require.NoError(t, workload.CheckFlows(g, flows))
	require.Len(t, flows, 6642)
	require.Equal(t, workload.Flow{
		Src: 30, Dst: 0, SrcPort: 10_000, DstPort: 100, Class: 3, Bytes: 49_640,
		Start: 99 * sluice.Nanosecond,
	}, flows[0])
	require.Equal(t, workload.Flow{
		Src: 85, Dst: 55, SrcPort: 10_000, DstPort: 100, Class: 3, Bytes: 1025,
		Start: 929_993 * sluice.Nanosecond,
	}, flows[6641])
	incast, packets := 0, sluice.Bytes(0)
	for _, f := range flows {
		if f.Dst == 0 {
			incast++
			packets += f.Bytes / 1460
		}
	}
	require.Equal(t, 720, incast)
	require.Equal(t, sluice.Bytes(25_368), packets)

	text, err := os.ReadFile(referenceFlows)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, workload.WriteFlows(&out, flows))
	require.Equal(t, string(text), out.String())
}

func TestReadFlowsIsExactToThePicosecond(t *testing.T) {
	flows, err := workload.ReadFlows(strings.NewReader(
		"3\n\n0 1 3 100 1460 2.000000000001\r\n1 0 0 0 1 0\n0 1 7 65535 9223372036854775807 "+
			"9223372.036854775806",
	), "f", nil)
	require.NoError(t, err)
	require.Equal(t, []workload.Flow{
		{
			Src: 0, Dst: 1, SrcPort: 10_000, DstPort: 100, Class: 3, Bytes: 1460, Start: 2*sluice.Second + 1,
		},
		{Src: 1, Dst: 0, SrcPort: 10_000, Bytes: 1},
		{
			Src: 0, Dst: 1, SrcPort: 10_001, DstPort: 65535, Class: 7, Bytes: math.MaxInt64,
			Start: sluice.Never - 1,
		},
	}, flows)
	var out bytes.Buffer
	require.NoError(t, workload.WriteFlows(&out, flows))
	require.Equal(
		t,
		"3\n0 1 3 100 1460 2.000000000001\n1 0 0 0 1 0.000000000\n0 1 7 65535 9223372036854775807 "+
			"9223372.036854775806\n",
		out.String(),
	)
}

func TestReadFlowsErrorsNameTheLine(t *testing.T) {
	for want, text := range map[string]string{
		"f: the file is empty": "",
		"f:2: 2 fields, the first line has 1: the number of flows": "\n1 2\n",
		`f:1: number of flows "-1" is not a whole number`:          "-1\n",
		`f:1: number of flows "16777217" is above 16777216`:        "16777217\n",
		"f:2: the file ends after 1 of 2 flows":                    "2\n0 1 3 100 1 0\n",
		"f:3: more flows than the 1 of the first line":             "1\n0 1 3 100 1 0\n0 1 3 100 1 0\n",
		"f:2: more flows than the 0 of the first line":             "0\n0 1 3 100 1 0\n",
		"f:2: 5 fields, a flow has 6: source, destination, class, destination port, bytes, start in " +
			"seconds": "1\n0 1 3 100 1\n",
		`f:2: source "h0" is not a whole number`: "1\nh0 1 3 100 1 0\n",
		`f:2: destination "4294967296" is above 4294967295`: "1\n0 4294967296 3 " +
			"100 1 0\n",
		`f:2: class "8" is above 7`:                    "1\n0 1 8 100 1 0\n",
		`f:2: destination port "65536" is above 65535`: "1\n0 1 3 65536 1 0\n",
		`f:2: number of bytes "9223372036854775808" is above 9223372036854775807`: "1\n0 1 3 100 " +
			"9223372036854775808 0\n",
		`f:2: field "7" is none of group=, rate=`: "1\n0 1 3 100 1 0 7\n",
		"f:2: rate= stands twice":                 "1\n0 1 3 100 1 0 rate=1Gbps rate=2Gbps\n",
		"f:2: rate is zero":                       "1\n0 1 3 100 1 0 rate=0bps\n",
		`f:2: rate "5" is not a number with a unit (Tbps, Gbps, Mbps, kbps, bps)`: "1\n" +
			"0 1 3 100 1 0 rate=5\n",
		`f:2: group "auto" must be a letter and up to 23 letters, digits, '.', '-' and '_', and none of ` +
			`auto, all, all_flows, overall, network, own`: "1\n0 1 3 100 1 0 group=auto\n",
		`f:3: field "stage=1": schedules have replaced stages, see docs/schedules.md`: "2\n" +
			"0 1 3 100 1 0 rate=1Gbps\n1 0 3 100 1 0 rate=1Gbps stage=1\n",
		"f:2: the flow has no bytes":                                   "1\n0 1 3 100 0 0\n",
		"f:2: the flow goes from host 5 to itself":                     "1\n5 5 3 100 1 0\n",
		`f:2: start "-1" is not a decimal number`:                      "1\n0 1 3 100 1 -1\n",
		`f:2: start "1e-6s" is not a decimal number`:                   "1\n0 1 3 100 1 1e-6s\n",
		`f:2: start "0.0000000000001" has more than 12 decimal places`: "1\n0 1 3 100 1 0.0000000000001\n",
		`f:2: start "9223372.036854775807" is too large`: "1\n0 1 3 100 1 " +
			"9223372.036854775807\n",
		`f:2: start "99999999999" is too large`: "1\n0 1 3 100 1 99999999999\n",
	} {
		flows, err := workload.ReadFlows(strings.NewReader(text), "f", nil)
		require.EqualError(t, err, want, text)
		require.Nil(t, flows)
		var fileError *workload.FileError
		require.ErrorAs(t, err, &fileError)
	}
}

func TestReadFlowsPassesOnReadErrors(t *testing.T) {
	broken := errors.New("disk on strike")
	_, err := workload.ReadFlows(iotest.ErrReader(broken), "f", nil)
	require.ErrorIs(t, err, broken)
	_, err = workload.ReadFlows(
		iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("1\n0"))), "f", nil,
	)
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

// A count is believed only as far as the file goes.
func TestReadFlowsAllocatesForWhatTheFileHolds(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := workload.ReadFlows(strings.NewReader("16777216\n0 1 3 100 1 0\n"), "f", nil)
	runtime.ReadMemStats(&after)
	require.EqualError(t, err, "f:2: the file ends after 1 of 16777216 flows")
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<10))
}

func TestWriteFlowsErrors(t *testing.T) {
	full := errors.New("disk full")
	require.ErrorIs(t, workload.WriteFlows(failingWriter{full}, make([]workload.Flow, 5)), full)
	require.EqualError(t, workload.WriteFlows(&bytes.Buffer{}, []workload.Flow{{}, {Start: -1}}),
		"workload: flow 1 starts at -1ps: the file format has no negative times")
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestCheckFlowsNamesTheFlow(t *testing.T) {
	g, err := topo.ThreeToRs(sluice.Link{Rate: sluice.Gbps})
	require.NoError(t, err)
	good := workload.Flow{Src: 0, Dst: 1, Bytes: 1}
	for want, breakIt := range map[string]func(*workload.Flow){
		"source 6 is not a host of three ToRs":          func(f *workload.Flow) { f.Src = 6 },
		"source 4000000000 is not a host of three ToRs": func(f *workload.Flow) { f.Src = 4_000_000_000 },
		"destination 11 is not a host of three ToRs":    func(f *workload.Flow) { f.Dst = 11 },
		"it goes from host 0 to itself":                 func(f *workload.Flow) { f.Dst = 0 },
		"it has -1 bytes":                               func(f *workload.Flow) { f.Bytes = -1 },
		"class 8 is above 7":                            func(f *workload.Flow) { f.Class = 8 },
		"it starts at -1ps, the range is 0 to 50 days":  func(f *workload.Flow) { f.Start = -1 },
		"it has 2251799813685249 bytes, the most is 2251799813685248": func(f *workload.Flow) {
			f.Bytes = 1<<51 + 1
		},
		"it starts at never, the range is 0 to 50 days": func(f *workload.Flow) {
			f.Start = sluice.Never
		},
	} {
		flows := []workload.Flow{good, good}
		require.NoError(t, workload.CheckFlows(g, flows))
		breakIt(&flows[1])
		require.EqualError(t, workload.CheckFlows(g, flows), "workload: flow 1 (counted from 0): "+want)
	}
}

// Read for a network, a file's flows are checked line by line.
func TestReadFlowsForANetwork(t *testing.T) {
	g, err := topo.ThreeToRs(sluice.Link{Rate: sluice.Gbps})
	require.NoError(t, err)
	flows, err := workload.ReadFlows(
		strings.NewReader("2\n0 1 3 100 1 4.2e-07\n\n1 0 3 100 1 0\n"), "f", g,
	)
	require.NoError(t, err)
	require.Equal(t, 420*sluice.Nanosecond, flows[0].Start)
	_, err = workload.ReadFlows(strings.NewReader("2\n0 1 3 100 1 0\n\n1 6 3 100 1 0\n"), "f", g)
	require.EqualError(t, err, "f:4: destination 6 is not a host of three ToRs")
}

func anyFlows(t *rapid.T) []workload.Flow {
	flows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) workload.Flow {
		f := workload.Flow{
			Src:     sluice.SwitchID(rapid.Uint32Range(0, 3).Draw(t, "src")),
			Dst:     sluice.SwitchID(rapid.Uint32().Draw(t, "dst")),
			DstPort: rapid.Uint16().Draw(t, "port"),
			Class:   sluice.Class(rapid.Uint8Range(0, 7).Draw(t, "class")),
			Bytes:   sluice.Bytes(rapid.Int64Range(1, math.MaxInt64).Draw(t, "bytes")),
			Start:   sluice.Time(rapid.Int64Range(0, math.MaxInt64-1).Draw(t, "start")),
			Group:   workload.Group(rapid.Uint8Range(0, 3).Draw(t, "group")),
			Rate:    sluice.Rate(rapid.Int64Range(0, math.MaxInt64).Draw(t, "rate")),
		}
		if f.Src == f.Dst {
			f.Dst++
		}
		return f
	}), 0, 20).Draw(t, "flows")
	workload.AssignPorts(flows)
	return flows
}

func TestFlowsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flows := anyFlows(t)
		var out bytes.Buffer
		require.NoError(t, workload.WriteFlowsWithOptions(&out, flows))
		back, err := workload.ReadFlows(&out, "f", nil)
		require.NoError(t, err)
		require.Equal(t, len(flows), len(back))
		for i := range flows {
			require.Equal(t, flows[i], back[i])
		}
	})
}

func TestAssignPorts(t *testing.T) {
	flows := make([]workload.Flow, 55_538)
	for i := range flows {
		flows[i] = workload.Flow{Src: 1, Dst: 2}
	}
	flows[1].Dst = 3
	workload.AssignPorts(flows)
	require.Equal(t, uint16(10_000), flows[0].SrcPort)
	require.Equal(t, uint16(10_000), flows[1].SrcPort, "another pair")
	require.Equal(t, uint16(10_001), flows[2].SrcPort)
	require.Equal(t, uint16(65_535), flows[55_536].SrcPort)
	require.Equal(t, uint16(10_000), flows[55_537].SrcPort, "begins again")
}

func TestMergeIsStableAndKeepsFiveTuplesApart(t *testing.T) {
	a := []workload.Flow{{Src: 1, Dst: 2, Bytes: 1, Start: 5}, {Src: 1, Dst: 2, Bytes: 2, Start: 7}}
	b := []workload.Flow{{Src: 1, Dst: 2, Bytes: 3, Start: 5}, {Src: 1, Dst: 2, Bytes: 4, Start: 0}}
	merged := workload.Merge(a, b)
	var order []sluice.Bytes
	var ports []uint16
	for _, f := range merged {
		order = append(order, f.Bytes)
		ports = append(ports, f.SrcPort)
	}
	require.Equal(t, []sluice.Bytes{4, 1, 3, 2}, order)
	require.Equal(t, []uint16{10_000, 10_001, 10_002, 10_003}, ports)
	require.Zero(t, a[0].SrcPort, "the lists are not touched")
}

// FuzzReadFlows: whatever ReadFlows accepts is written and read back alike, and CheckFlows does not
// panic on it.
func FuzzReadFlows(f *testing.F) {
	f.Add([]byte("2\n30 0 3 100 49640 0.000000099\n54 0 3 100 54020 0.000000099\n"))
	f.Add([]byte("1\n\n0 1 7 65535 9223372036854775807 9223372.036854775806\r\n"))
	f.Add([]byte("16777216\n0 1 3 100 1 0\n"))
	f.Add([]byte("0\n"))
	f.Add([]byte("1 # flow\n0 1 3 100 1 0 group=incast rate=2.5Gbps\n"))
	g, err := topo.ThreeToRs(sluice.Link{Rate: sluice.Gbps})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte) {
		flows, err := workload.ReadFlows(bytes.NewReader(text), "fuzz", nil)
		if err != nil {
			require.IsType(t, &workload.FileError{}, err)
			require.Nil(t, flows)
			return
		}
		_ = workload.CheckFlows(g, flows)
		var out bytes.Buffer
		require.NoError(t, workload.WriteFlowsWithOptions(&out, flows))
		back, err := workload.ReadFlows(&out, "fuzz", nil)
		require.NoError(t, err)
		require.Equal(t, flows, back)
	})
}

func BenchmarkReadFlows(b *testing.B) {
	text, err := os.ReadFile(referenceFlows)
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := workload.ReadFlows(bytes.NewReader(text), "f", nil); err != nil {
			b.Fatal(err)
		}
	}
}
