package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/show"
)

// TestWatchedFiles: every file of a run that is watched, beside the tables and the JSON, which say
// the same.
func TestWatchedFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	code, tables, errs := invoke("run", "-fc", "pfc,none", "-cc", "dcqcn", "-set",
		"buffer=2MiB,window=1GiB",
		"-probe", "17:0,flow:0", "-every", "2us", "-warmup", "10us", "-samples", path("s.csv"),
		"-ports", path("p.csv"), "-pfc", path("pfc.txt"), "-qlen", path("qlen.txt"),
		"-pcapng", path("x.pcapng"), "-headers", "17:0", "-json", path("r.json"), "-plot", path("r.svg"),
		"-view", path("r.html"),
		"incast")
	require.Zero(t, code, errs)
	require.Contains(t, tables, "Ports from 10us on")
	require.Contains(t, tables, "Flows from 10us on")

	samples := golden.ReadCSV(t, path("s.pfc.csv"), 0)
	ports, flows := 0, 0
	received, sent := 0.0, int64(0)
	for _, row := range samples[1:] {
		at := golden.Number(t, row[0])
		switch row[1] {
		case "17:0":
			ports++
			sent += golden.Number(t, row[8])
		case "flow:0":
			flows++
			if ports > 1 && flows > 1 && at%2000 == 0 {
				received += float64(golden.Number(t, row[8])) * 2e-6 / 8
			}
			require.Empty(t, row[2])
		default:
			t.Fatal(row)
		}
	}
	require.Equal(t, ports, flows)
	require.Greater(t, ports, 50)
	require.Positive(t, sent)
	require.LessOrEqual(t, received, 60_000.0)

	byPort := map[string][]string{}
	for _, row := range golden.ReadCSV(t, path("p.pfc.csv"), 0)[1:] {
		byPort[row[0]] = row
	}
	require.Len(t, byPort, 2*17)
	require.Contains(t, tables, show.Thousands(golden.Number(t, byPort["17:0"][11])), "CE")
	used, err := strconv.ParseFloat(byPort["17:0"][6], 64)
	require.NoError(t, err)
	require.InDelta(t, 0.9, used, 0.1)

	// Columns of pfc.txt: time, node, type, interface, 1 for a pause.
	pauses := map[string]int64{}
	last := int64(0)
	for line := range strings.Lines(golden.Read(t, path("pfc.pfc.txt"))) {
		field := strings.Fields(line)
		require.Len(t, field, 5)
		require.GreaterOrEqual(t, golden.Number(t, field[0]), last)
		last = golden.Number(t, field[0])
		require.Equal(
			t, map[bool]string{true: "1", false: "0"}[field[1] == "17"], field[2], "17 is the switch",
		)
		require.Equal(t, "1", field[3], "hosts are paused, at their only interface")
		pauses[field[4]]++
	}
	require.Positive(t, pauses["1"])
	require.Equal(t, pauses["1"], pauses["0"], "what is paused is resumed")
	require.Empty(t, golden.Read(t, path("pfc.none.txt")), "nothing is paused without PFC")

	lengths := strings.Split(strings.TrimSpace(golden.Read(t, path("qlen.pfc.txt"))), "\n")
	require.True(t, strings.HasPrefix(lengths[0], "time: "))
	require.Len(t, lengths, 1+17)
	sum := int64(0)
	for _, n := range strings.Fields(lengths[1])[2:] {
		sum += golden.Number(t, n)
	}
	require.EqualValues(t, ports, sum, "one for each sample")

	var records []report.Record
	require.NoError(t, json.Unmarshal([]byte(golden.Read(t, path("r.json"))), &records))
	require.Len(t, records[0].Ports, 2*17)
	require.EqualValues(
		t, golden.Number(t, byPort["17:0"][2]), portNamed(records[0].Ports, "17:0").MeanQueueBytes,
	)
	require.Len(t, records[0].Probes.Ports[0].BacklogBytes, ports)
	require.Len(t, records[0].Probes.Flows[0].SetRateBPS, flows)
	require.Less(
		t, records[0].Groups.Overall.Flows, records[0].Flows, "some started within the warm-up",
	)
	require.NotNil(t, records[0].Groups.Overall.CompletionUS)
	require.Equal(t, 10.0, records[0].WarmUpUS)
	require.Contains(t, golden.Read(t, path("r.svg")), "rate of port 17:0")
	require.Contains(t, golden.Read(t, path("r.html")), `id="run1"`, "a page has both")
	info, err := os.Stat(path("x.pfc.pcapng"))
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(10_000))
}

func portNamed(ports []report.PortRecord, name string) report.PortRecord {
	for _, p := range ports {
		if p.At == name {
			return p
		}
	}
	return report.PortRecord{}
}

// A warm-up that no flow starts after leaves tables without a row, and the reason.
func TestWarmUpThatLeavesNoFlow(t *testing.T) {
	code, text, errs := invoke("run", "-fc", "none", "-warmup", "1s", "incast")
	require.Equal(t, exitOK, code, errs)
	require.Contains(
		t, text, "no flow is counted: the last starts at 99.79605us, within the warm-up of 1s",
	)
}

// TestWatchingChangesNoFlow: -fct is the same with everything that can be watched.
func TestWatchingChangesNoFlow(t *testing.T) {
	dir := t.TempDir()
	plain, watched := filepath.Join(dir, "a.csv"), filepath.Join(dir, "b.csv")
	code, _, errs := invoke("run", "-q", "-fc", "pfc", "-fct", plain, "dumbbell")
	require.Zero(t, code, errs)
	code, _, errs = invoke("run", "-q", "-fc", "pfc", "-fct", watched, "-probe", "16:0,flow:3", "-pfc",
		"/dev/null",
		"-qlen", filepath.Join(dir, "q"), "-pcapng", filepath.Join(dir, "x"), "-every", "777ns",
		"dumbbell")
	require.Zero(t, code, errs)
	require.Equal(t, golden.Read(t, plain), golden.Read(t, watched))
}
