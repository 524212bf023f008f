package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/golden"
)

// said is what a command line prints.
func said(t *testing.T, line string) string {
	t.Helper()
	code, stdout, stderr := invoke(strings.Fields(line)...)
	require.Equal(t, exitOK, code, stderr)
	return stdout
}

// Every table names what is not the scenario's own, and sets no published number beside it.
func TestTablesNameWhatWasChanged(t *testing.T) {
	own := said(t, "run -fc ofc ofc/fig2")
	require.Contains(t, own, "seed 1\n\nFlow")
	require.Contains(t, own, "The paper's claims and ours")
	require.Contains(t, own, "within 5 %")
	require.Contains(t, said(t, "run -fc pfc pyrrha/host"), "What else was measured")

	changed := said(t, "run -fc ofc -set ofc.alpha=1 -set buffer=16MiB -fail 0:0@1ms-2ms -until 3ms "+
		"-warmup 1us -seed 7 ofc/fig2")
	require.Contains(t, changed, "seed 7\n"+
		"with -set ofc.alpha=1,buffer=16MiB -fail 0:0@1ms-2ms -until 3ms -warmup 1us\n\nFlow")
	require.Contains(t, changed, "What the paper has claims of, for the scenario as it is")
	require.NotContains(t, changed, "within 5 %")
	require.NotContains(t, changed, "published")

	require.Contains(t, said(t, "sweep -seeds 1-3,9 -fc pfc -set hosts=5 -sweep incast.degree=2,3 "+
		"incast"),
		"seeds 1-3, 9\nwith -set hosts=5\n")
	require.Contains(t, said(t, "convergence -cc dctcp -senders 2 -set stagger=1us -until 2ms "+
		"-warmup 1ms"),
		"with -set stagger=1us -until 2ms -warmup 1ms\n")
	require.Contains(t, said(t, "hol -set hosts=5 -fc pfc incast"), "with -set hosts=5\n")
}

// Pictures name it, too.
func TestPicturesNameWhatWasChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	said(t, "run -q -fc pfc -fail 0:0@10us-20us -until 90us -plot run.svg incast")
	said(t, "sweep -q -fc pfc -set hosts=5 -until 90us -plot sweep.svg incast")
	for name, want := range map[string]string{
		"run.svg": "-fail 0:0@10us-20us, -until 90us", "sweep.svg": "with -set hosts=5 -until 90us",
	} {
		picture, err := os.ReadFile(name)
		require.NoError(t, err)
		words := regexp.MustCompile(`<[^>]*>|\s+`).ReplaceAllString(string(picture), " ")
		require.Contains(t, strings.Join(strings.Fields(words), " "), want)
	}
}

// A sweep says what "run" says of flow control that did nothing, also when it is resumed, and of
// how many runs.
func TestSweepSaysWhatRunsSay(t *testing.T) {
	t.Chdir(t.TempDir())
	const line = "sweep -fc pfc,none -seeds 1-2 -set hosts=4,incast.degree=2 -csv p.csv -fct f.csv " +
		"incast"
	want := said(t, line)
	require.Contains(t, want, "\npfc\n  - pfc never paused, in 2 of 2 runs\n")
	require.Equal(t, want, said(t, line))

	files, err := filepath.Glob("f.*")
	require.NoError(t, err)
	require.Equal(t, []string{
		"f.none.seed1.csv", "f.none.seed2.csv", "f.pfc.seed1.csv", "f.pfc.seed2.csv",
	}, files)
	flows := golden.ReadCSV(t, "f.pfc.seed1.csv", 0)
	require.Equal(t, []string{"src", "dst", "bytes", "start_ns", "fct_ns", "ideal_ns"}, flows[0])
	require.NoError(t, os.Remove("f.pfc.seed1.csv"))
	require.Equal(t, want, said(t, line))
	require.Equal(t, flows, golden.ReadCSV(t, "f.pfc.seed1.csv", 0), "made again")
}

// Where p99 stands, the median stands as well.
func TestMedians(t *testing.T) {
	t.Chdir(t.TempDir())
	require.Contains(t, said(t, "run -fc pfc incast"), "mean    p50    p95    p99")
	said(t, "sweep -q -fc pfc -csv p.csv incast")
	points := golden.ReadCSV(t, "p.csv", 0)
	require.Contains(t, points[0], "incast_fct_us_p50_mean")
}

// A second link makes a host forward, and the command says so.
func TestHostsThatForwardAreNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"net.txt":   "3 1 3\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n0 1 25Gbps 1us 0\n",
		"flows.txt": "1\n0 1 3 100 1000 0\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	const note = "hosts that have several links, and so forward packets of others: "
	require.Contains(t, said(t, "run -fc pfc -topology net.txt -flows flows.txt"), note+"2\n")
	require.NotContains(t, said(t, "run -fc pfc incast"), note)
	require.Contains(t, said(t, "run -fc pfc -json - -topology net.txt -flows flows.txt"),
		`"forwarding_hosts": 2`)
}

// Samples are bounded by count, and where they end is said.
func TestSamplesAreBounded(t *testing.T) {
	t.Chdir(t.TempDir())
	require.Contains(t, said(t, "run -fc pfc -every 1ps -plot x.svg -set hosts=3,incast.degree=2 "+
		"incast"),
		"take fewer of them")
}

// The list of scenarios has the time that each takes, where results are kept.
func TestListHasTimes(t *testing.T) {
	t.Chdir("..")
	require.Regexp(t, `pyrrha/host [^/]*; took\s+(under )?[0-9.]+\s+s`, said(t, "list scenarios "+
		"pyrrha/host"))
	t.Chdir(t.TempDir())
	require.NotContains(t, said(t, "list scenarios pyrrha/host"), "took")
}
