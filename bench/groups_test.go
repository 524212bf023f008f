package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/report"
)

// ownGroups writes a flow list with groups of one's own beside the network of inFolder.
func ownGroups(t *testing.T) {
	inFolder(t)
	require.NoError(t, os.WriteFile("flows.txt", []byte(`4
0 2 3 100 100000 0 group=incast
1 2 3 100 100000 0 group=storage
3 0 3 100 100000 0 group=ml-train
3 1 3 100 100000 0 group=storage
`), 0o644))
}

// Groups with names of one's own have rows in tables, entries in JSON and panels in pictures, in
// the order of their names.
func TestGroupsOfOnesOwn(t *testing.T) {
	ownGroups(t)
	code, table, stderr := invoke("run", "-topology", "net.txt", "-flows", "flows.txt", "-fc", "pfc",
		"-json", "run.json", "-plot", "run.svg")
	require.Equal(t, exitOK, code, stderr)
	incast, ml := strings.Index(table, "\nincast: 1\n"), strings.Index(table, "\nml-train: 1\n")
	storage, all := strings.Index(table, "\nstorage: 2\n"), strings.Index(table, "\nall flows: 4\n")
	require.True(t, 0 < incast && incast < ml && ml < storage && storage < all, table)
	text, err := os.ReadFile("run.json")
	require.NoError(t, err)
	var records []report.Record
	require.NoError(t, json.Unmarshal(text, &records))
	require.Equal(t, 2, records[0].Groups.Own["storage"].Completed)
	require.Positive(t, (*records[0].FCTUS.Own["ml-train"]).Mean)
	picture, err := os.ReadFile("run.svg")
	require.NoError(t, err)
	require.Contains(t, string(picture), "storage: 2 flows to 2 hosts")

	code, again, stderr := invoke("flows", "-topology", "net.txt", "-flows", "flows.txt")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, again, "group=ml-train")
}

// Tidy rows have each run's measures by group, and the measures of the network. Seeds of one list
// of flows give the same where nothing is drawn: that is said, and there is no deviation.
func TestTidy(t *testing.T) {
	ownGroups(t)
	code, table, stderr := invoke("sweep", "-topology", "net.txt", "-flows", "flows.txt", "-fc", "pfc",
		"-sweep", "buffer=1MiB,2MiB", "-seeds", "1-3", "-tidy", "tidy.csv", "-csv", "points.csv")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, table, "every seed gave the same")
	file, err := os.Open("tidy.csv")
	require.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"fc", "buffer", "seed", "group", "measure", "value"}, rows[0])
	found := map[string]string{}
	for _, row := range rows[1:] {
		key := strings.Join(row[:5], " ")
		require.NotContains(t, found, key)
		found[key] = row[5]
	}
	// 12 measures of the network, 8 of each of three groups and of all flows.
	require.Len(t, found, 2*3*(12+4*8))
	require.Equal(t, "4", found["pfc 2MiB 3 network flows"])
	require.Equal(t, "2", found["pfc 1MiB 1 storage completed"])
	require.NotEmpty(t, found["pfc 1MiB 1 ml-train fct_us_p99"])
	require.NotContains(t, found, "pfc 1MiB 1 vulnerable completed")
	points, err := os.ReadFile("points.csv")
	require.NoError(t, err)
	lines := strings.Split(string(points), "\n")
	for i, name := range strings.Split(lines[0], ",") {
		if strings.HasSuffix(name, "_sd") {
			require.Empty(t, strings.Split(lines[1], ",")[i], name)
		}
	}
	// What is random differs between the seeds, and then there is a deviation.
	code, table, stderr = invoke("sweep", "-topology", "net.txt", "-fc", "pfc", "-seeds", "1-3",
		"-set", "load=1/2,duration=10us")
	require.Equal(t, exitOK, code, stderr)
	require.NotContains(t, table, "same")
}

// A sweep goes on where its identity is the same: another order of settings and another name of the
// network's file are no other sweep. What is another is named.
func TestIdentityOfASweep(t *testing.T) {
	ownGroups(t)
	sweep := func(args ...string) (int, string) {
		code, _, stderr := invoke(append([]string{"sweep", "-csv", "p.csv", "-flows", "flows.txt"},
			args...)...)
		return code, stderr
	}
	code, stderr := sweep("-topology", "net.txt", "-fc", "pfc", "-set",
		"buffer=1MiB,payload=1KB", "-until", "1ms")
	require.Equal(t, exitOK, code, stderr)
	text, err := os.ReadFile("net.txt")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("same.txt", append([]byte("# renamed\n"), text...), 0o644))
	code, stderr = sweep("-topology", "same.txt", "-fc", "pfc", "-set", "payload=1KB",
		"-set", " buffer=1MiB", "-until", "1ms")
	require.Equal(t, exitOK, code, stderr)
	require.NoError(t, os.WriteFile("faster.txt",
		[]byte(strings.Replace(string(text), "100Gbps", "200Gbps", 1)), 0o644))
	for want, args := range map[string][]string{
		"they have -set buffer=1MiB,payload=1KB, this has buffer=1MiB": {"-topology", "net.txt", "-set",
			"buffer=1MiB", "-until", "1ms"},
		"they are with -until 1ms, this with nothing": {"-topology", "net.txt", "-set",
			"buffer=1MiB,payload=1KB"},
		"their network has other nodes or links": {"-topology", "faster.txt", "-set",
			"buffer=1MiB,payload=1KB", "-until", "1ms"},
		"they sweep nothing, this sweeps pfc.alpha": {"-topology", "net.txt", "-set",
			"buffer=1MiB,payload=1KB", "-until", "1ms", "-sweep", "pfc.alpha=1/8"},
	} {
		code, stderr := sweep(append(args, "-fc", "pfc")...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, "p.runs.csv:1: the runs there are of another sweep: "+want)
	}
}
