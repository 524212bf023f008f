package main

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A scenario's network and flows, written and read again, run as the scenario does with the same
// settings: to the byte.
func TestWrittenFilesRunAsTheScenario(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"topology", "-o", "net.txt", "incast"}, {"flows", "-o", "flows.txt", "-seed", "3", "incast"},
	} {
		code, stdout, stderr := invoke(args...)
		require.Equal(t, exitOK, code, stderr)
		require.Empty(t, stdout)
	}
	code, ours, stderr := invoke("run", "-fc", "pfc", "-seed", "3", "-fct", "-", "incast")
	require.Equal(t, exitOK, code, stderr)
	code, theirs, stderr := invoke(
		"run", "-fc", "pfc", "-seed", "3", "-fct", "-", "-topology", "net.txt", "-flows", "flows.txt",
		"-set", "buffer=2MiB", // which is the scenario's
	)
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, ours, theirs)
}

// Several -sweep make a grid: a column per parameter, the last one changing fastest.
func TestSweepOfAGrid(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{
		"sweep", "-fc", "pfc", "-set", "duration=5us", "-sweep", "hosts=4,5", "-sweep",
		"buffer=1MB,2MB", "-seeds", "1-2", "-csv", "grid.csv", "-plot", "grid.svg", "incast",
	}
	for range 2 { // the second time everything is in the journal
		code, _, stderr := invoke(args...)
		require.Equal(t, exitOK, code, stderr)
	}
	code, points, stderr := invoke(append(args[:len(args)-5], "-csv", "-", "incast")...)
	require.Equal(t, exitOK, code, stderr)
	rows, err := csv.NewReader(strings.NewReader(points)).ReadAll()
	require.NoError(t, err)
	var heads [][]string
	for _, row := range rows {
		heads = append(heads, row[:4])
	}
	require.Equal(t, [][]string{
		{"fc", "hosts", "buffer", "seeds"},
		{"pfc", "4", "1MB", "2"}, {"pfc", "4", "2MB", "2"},
		{"pfc", "5", "1MB", "2"}, {"pfc", "5", "2MB", "2"},
	}, heads)
}
