package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// A job gives the same flows and results with any number of threads, and its table has a row for
// each protocol.
func TestScheduleOnThreads(t *testing.T) {
	inFolder(t)
	timed := regexp.MustCompile(`"(wall_s|packet_hops_per_s)": [^\n]*`)
	places := []byte("5 0\n0 3\n1 2\n2 1\n3 0 # two\n4 3\n")
	require.NoError(t, os.WriteFile("places.txt", places, 0o644))
	var first string
	for _, threads := range []string{"1", "2", "3"} {
		code, stdout, stderr := invoke("run", "-topology", "net.txt", "-fc", "pfc,bfc",
			"-threads", threads,
			"-schedule", "allreduce-halving,ranks=4,bytes=200KB,place=random,repeat=2,start=3us",
			"-schedule", "alltoall-direct,ranks=6,bytes=5KB,place=file:places.txt",
			"-json", "results.json", "-fct", "fct.csv")
		require.Equal(t, exitOK, code, stderr)
		require.Regexp(t, `(?m)^allreduce-halving\n  pfc +4 +3\.000 .* 2 of 2 `, stdout)
		require.Regexp(t, `(?m)^alltoall-direct\n  pfc +6 +0 .* 1 of 1 .*\n  bfc +6 `, stdout)
		all := ""
		for _, name := range []string{"results.json", "fct.pfc.csv", "fct.bfc.csv"} {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all += timed.ReplaceAllString(string(text), "")
		}
		if first == "" {
			first = all
		}
		require.Equal(t, first, all, "%s threads", threads)
	}
}

// What is wrong with a job is said before anything runs.
func TestScheduleRefuses(t *testing.T) {
	inFolder(t)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	write("bad.goal", "num_ranks 2\nrank 0 {\nsend 5 to 1\n}\n")
	write("pair.goal", "num_ranks 2\nrank 0 {\nsend 5b to 1\n}\nrank 1 {\nrecv 5b from 0\n}\n")
	write("two.txt", "0 1\n")
	write("far.txt", "0 1\n1 4\n")
	for job, want := range map[string]string{
		"none.goal":                         "-schedule none.goal: cannot read: open none.goal",
		"bad.goal":                          `-schedule bad.goal: bad.goal:3: "to" should be b`,
		"pair.goal,place=file:two.txt":      "two.txt: rank 1 has no host: 1 of 2 ranks have one",
		"pair.goal,place=file:far.txt":      "far.txt:2: 4 is no host of net.txt",
		"pair.goal,ranks=2":                 "the ranks of a file are in it",
		"pair.goal,after=2":                 "after",
		"pair.goal,class=8":                 "class",
		"alltoall-direct,ranks=5,bytes=1KB": "5 ranks need 5 hosts, and 4 have no job yet",
		"allreduce-ring,ranks=1,bytes=1KB":  "ranks",
		"allreduce-ring,ranks=4,bytes=3":    "bytes",
		"pair.goal,perhost=2":               "net.txt has no flows",
	} {
		code, _, stderr := invoke("run", "-topology", "net.txt", "-fc", "pfc", "-schedule", job)
		require.Equal(t, exitUsage, code, job)
		require.Contains(t, stderr, want, job)
	}
}

// A schedule that is written is read as the same, in both forms.
func TestScheduleWrites(t *testing.T) {
	inFolder(t)
	written := func(args ...string) string {
		code, stdout, stderr := invoke(append([]string{"schedule"}, args...)...)
		require.Equal(t, exitOK, code, stderr)
		return stdout
	}
	text := written("allreduce-ring,ranks=3,bytes=1KB")
	require.Equal(t, 3*4, strings.Count(text, ": send "))
	written("-binary", "-o", "ring.bin", "allreduce-ring,ranks=3,bytes=1KB")
	require.Equal(t, text, written("ring.bin"))
	code, _, stderr := invoke("schedule")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "alltoall-pairwise")
}

// The job of a scenario is written as GOAL, which sends the same on a network of one's own. No list
// of flows has what its messages wait for.
func TestTheJobOfAScenarioIsWritten(t *testing.T) {
	inFolder(t)
	const set = "n=2,moe.tokens=8,moe.batches=2"
	code, _, stderr := invoke("schedule", "-set", set, "-seed", "2", "-o", "moe.goal", "portfc/fig17")
	require.Equal(t, exitOK, code, stderr)
	sent := map[string]bool{}
	for _, args := range [][]string{
		{"-set", set, "-seed", "2", "portfc/fig17"},
		{"-topology", "net.txt", "-schedule", "moe.goal,class=3",
			"-set", "payload=1000B,header=48B,window=1GB,ack.class=7"},
	} {
		code, stdout, stderr := invoke(append([]string{"run", "-fc", "ideal", "-json", "-"}, args...)...)
		require.Equal(t, exitOK, code, stderr)
		var results []report.Record
		require.NoError(t, json.Unmarshal([]byte(stdout), &results))
		require.Equal(t, results[0].Flows, results[0].Completed)
		sent[fmt.Sprint(results[0].Flows, results[0].FlowBytes)] = true
	}
	require.Len(t, sent, 1)
	code, _, stderr = invoke("flows", "portfc/fig17")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "go run ./bench schedule portfc/fig17")
	code, _, stderr = invoke("schedule", "-seed", "2", "allreduce-ring,ranks=3,bytes=1KB")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-seed is for the job of a scenario")
}

// A sweep has of each job what the JSON of each of its runs has: iterations, their mean, and the
// time from the start to the end, by seed; the tidy rows of each run, the table their means.
func TestSweepOfJobs(t *testing.T) {
	t.Chdir(t.TempDir())
	of := []string{"-fc", "pfc", "-schedule",
		"allreduce-ring,ranks=4,bytes=20KB,repeat=2,start=3us,place=random", "incast"}
	code, table, stderr := invoke(append([]string{
		"sweep", "-seeds", "1-2", "-tidy", "tidy.csv", "-plot", "jobs.svg", "-panel", "job"}, of...)...)
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, table, "\nJobs, us\n")
	require.FileExists(t, "jobs.svg")
	tidy, err := os.ReadFile("tidy.csv")
	require.NoError(t, err)
	for _, seed := range []string{"1", "2"} {
		code, stdout, stderr := invoke(append([]string{"run", "-seed", seed, "-json", "-"}, of...)...)
		require.Equal(t, exitOK, code, stderr)
		var results []report.Record
		require.NoError(t, json.Unmarshal([]byte(stdout), &results))
		j := results[0].Jobs[0]
		require.Len(t, j.IterationsUS, 2)
		head := "pfc," + seed + ",job_allreduce-ring,"
		number := func(x float64) string { return strconv.FormatFloat(run.Round6(x), 'f', -1, 64) }
		require.Contains(t, string(tidy), head+"iterations,2\n")
		require.Contains(t, string(tidy),
			head+"iteration_us,"+number((*j.IterationsUS[0]+*j.IterationsUS[1])/2)+"\n")
		require.Contains(t, string(tidy), head+"us,"+number(*j.EndUS-j.StartUS)+"\n")
		require.Contains(t, string(tidy), head+"exposed_us,"+number(j.SpentUS.Exposed)+"\n")
		require.Contains(t, string(tidy), head+"held_us,"+number(*j.SpentUS.Held)+"\n")
	}
}
