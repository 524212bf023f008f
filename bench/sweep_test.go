package main

import (
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/exp/stats"

	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/draw"
	"github.com/sluicefc/sluice/internal/lab/draw/drawtest"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/report"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/sweep"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// sweepArgs are 30 runs: three values of a parameter and ten seeds.
func sweepArgs(dir string) []string {
	return []string{
		"sweep", "-sweep", "pfc.alpha=1/8,1/4,1/2", "-seeds", "1-10", "-fc", "pfc", "-csv",
		dir + "/points.csv", "-plot", dir + "/points.svg", "incast",
	}
}

// A sweep that was interrupted after 10 of 30 runs, in whatever order they ended and in the midst
// of the next row, goes on to the same bytes as a sweep that was not interrupted.
func TestSweepIsResumed(t *testing.T) {
	t.Chdir(t.TempDir())
	outputs := func(dir string) (files []string) {
		for _, name := range []string{"points.csv", "points.runs.csv", "points.svg"} {
			content, err := os.ReadFile(dir + "/" + name)
			require.NoError(t, err)
			files = append(files, string(content))
		}
		return files
	}
	require.NoError(t, os.Mkdir("whole", 0o777))
	code, table, stderr := invoke(sweepArgs("whole")...)
	require.Equal(t, exitOK, code, stderr)
	whole := outputs("whole")

	lines := strings.SplitAfter(whole[1], "\n")
	require.Len(t, lines, 2+30+1)
	rows := append([]string(nil), lines[2:32]...)
	rand.New(rand.NewSource(1)).Shuffle(len(rows), func(i, j int) {
		rows[i], rows[j] = rows[j], rows[i]
	})
	require.NoError(t, os.Mkdir("resumed", 0o777))
	journal := lines[0] + lines[1] + strings.Join(rows[:10], "") + rows[10][:20]
	require.NoError(t, os.WriteFile("resumed/points.runs.csv", []byte(journal), 0o666))
	code, resumed, stderr := invoke(sweepArgs("resumed")...)
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, whole, outputs("resumed"))
	require.Equal(t, table, resumed)
	require.Contains(t, stderr, "runs: resumed/points.runs.csv")

	// A complete journal is all there is to do: a row that was tampered with stays.
	changed := strings.Replace(whole[1], rows[0], strings.Replace(rows[0], ",0,", ",7,", 1), 1)
	require.NoError(t, os.WriteFile("resumed/points.runs.csv", []byte(changed), 0o666))
	code, _, stderr = invoke(sweepArgs("resumed")...)
	require.Equal(t, exitOK, code, stderr)
	require.NotEqual(t, whole[0], outputs("resumed")[0])

	// Runs of another build of the program count if a run of each flow control comes out the same.
	another := strings.Replace(whole[1], report.Build(), "executable 0123456789abcdef", 1)
	require.NotEqual(t, whole[1], another)
	require.NoError(t, os.WriteFile("resumed/points.runs.csv", []byte(another), 0o666))
	code, _, stderr = invoke(sweepArgs("resumed")...)
	require.Equal(t, exitOK, code, stderr)
	require.Equal(t, whole, outputs("resumed"))
	first := strings.SplitAfterN(another, "\n", 4) // two lines of header, and the first run
	first[2] = strings.Replace(first[2], ",0,", ",7,", 1)
	other := strings.Join(first, "")
	require.NoError(t, os.WriteFile("resumed/points.runs.csv", []byte(other), 0o666))
	code, _, stderr = invoke(sweepArgs("resumed")...)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "resumed/points.runs.csv: its runs are of the program executable "+
		"0123456789abcdef, this is "+report.Build()+": of ")
	require.Regexp(t, `seed \d+ the file has \w+ 7, and this program 0; remove the file`, stderr)
	require.Equal(t, other, outputs("resumed")[1], "and stay")
}

// An interrupted sweep says how to continue it.
func TestInterruptedSweepSaysHowItGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(asCommand, "1")
	p := start(t, os.Args[0],
		"sweep", "-q", "-fc", "pfc", "-seeds", "1-10000", "-csv", "p.csv", "incast")
	for {
		text, _ := os.ReadFile("p.runs.csv")
		if strings.Count(string(text), "\n") > 3 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	require.NoError(t, p.Process.Signal(os.Interrupt))
	<-p.done
	require.Equal(t, exitInterrupted, p.ProcessState.ExitCode())
	require.Contains(t, p.said(), "interrupted: the same command goes on where it was")
}

// A point has the mean and the deviation of its runs.
func TestSweepMeansAndDeviations(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{
		"sweep", "-q", "-fc", "pfc,pyrrha", "-seeds", "1-3", "-csv", "p.csv", "-plot", "p.png", "-set",
		"hosts=5,incast.degree=8,duration=20us", "incast",
	}
	code, stdout, stderr := invoke(args...)
	require.Equal(t, exitOK, code, stderr)
	require.Empty(t, stdout)
	points, runs := golden.ReadCSV(t, "p.csv", 0), golden.ReadCSV(t, "p.runs.csv", 1)
	require.Len(t, points, 1+2)
	require.Len(t, runs, 1+6)
	column := func(rows [][]string, name string) int {
		for i, title := range rows[0] {
			if title == name {
				return i
			}
		}
		t.Fatalf("no column %s", name)
		return 0
	}
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return x
	}
	var values [3]float64
	for i := range values {
		values[i] = number(runs[4+i][column(runs, "incast_fct_us")])
	}
	mean := (values[0] + values[1] + values[2]) / 3
	variance := 0.0
	for _, v := range values {
		variance += (v - mean) * (v - mean) / 2
	}
	require.Equal(t, "pyrrha", points[2][0])
	require.InDelta(t, mean, number(points[2][column(points, "incast_fct_us_mean")]), 1e-5)
	deviation := number(points[2][column(points, "incast_fct_us_sd")])
	require.InDelta(t, variance, deviation*deviation, 1e-3)

	// More seeds may be added; fewer are another sweep.
	for i := range args {
		if args[i] == "1-3" {
			args[i] = "1-4"
		}
	}
	code, _, stderr = invoke(args...)
	require.Equal(t, exitOK, code, stderr)
	require.Len(t, golden.ReadCSV(t, "p.runs.csv", 1), 1+8)
	for i := range args {
		if args[i] == "1-4" {
			args[i] = "1-2"
		}
	}
	code, _, stderr = invoke(args...)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "p.runs.csv:5: this run of pfc, , seed 3 is not asked for")
}

// A scenario's variants are points of a sweep as they are runs of "run": each with its own
// parameters, unless the user sets one of them; a protocol that has none runs as it is.
func TestSweepOfVariants(t *testing.T) {
	t.Chdir(t.TempDir())
	rows := func(args ...string) (labels []string, of map[string][]string) {
		code, _, stderr := invoke(append([]string{
			"sweep", "-q", "-csv", args[0] + ".csv", "-sweep", "load=0,1/10", "-seeds", "1",
			"-set", "duration=20us", "portfc/fig8-storage",
		}, args[1:]...)...)
		require.Equal(t, exitOK, code, stderr)
		of = map[string][]string{}
		for _, row := range golden.ReadCSV(t, args[0]+".runs.csv", 1)[1:] {
			if row[1] == "1/10" {
				labels = append(labels, row[0])
				of[row[0]] = row
			}
		}
		return labels, of
	}
	labels, all := rows("all")
	require.Equal(t, []string{
		"portfc", "pfcstar", "pfc", "none irn", "none gbn", "ideal", "pfc-forward",
	}, labels)
	labels, irn := rows("irn", "-fc", "none", "-transport", "irn")
	require.Equal(t, []string{"none"}, labels)
	require.Equal(t, all["none irn"][2:], irn["none"][2:])
	require.NotEqual(t, all["none irn"][2:], all["none gbn"][2:])
	labels, one := rows("one", "-fc", "portfc")
	require.Equal(t, []string{"portfc"}, labels)
	require.Equal(t, all["portfc"], one["portfc"])
	labels, _ = rows("two", "-fc", "none")
	require.Equal(t, []string{"irn", "gbn"}, labels)
	labels, _ = rows("other", "-fc", "pyrrha,portfc")
	require.Equal(t, []string{"pyrrha", "portfc"}, labels)

	// The columns have the measures of the flows.
	s := runtest.Prepared(t, papers.All, "portfc/fig8-storage", "duration=20us")
	s.WarmUp = 0
	o := runtest.OutcomeOf(t, s, "portfc")
	column := func(name string) float64 {
		return sweep.Measured(o, name)
	}
	times := slices.Concat(run.CompletionTimes(o, workload.Incast),
		run.CompletionTimes(o, workload.Background))
	slices.Sort(times)
	require.InDelta(t, stats.Quantiles(times, 0.999)[0], column("all_flows_fct_us_p999"), 1e-5)
	require.InDelta(t, run.FlowThroughput(workload.Incast)(o), column("incast_gbps"), 1e-5)
}

// The picture of a sweep has a curve per protocol over the values, and says where nothing
// completed.
func TestSweepPicture(t *testing.T) {
	o := options{
		scenario: "pyrrha/loop", protocols: []string{"pfc", "pyrrha"}, seeds: []uint64{1, 2},
		sweep: []string{"buffer=1MiB,2MiB"},
	}
	o.until = 20_000_000_000
	s, err := o.newSweep()
	require.NoError(t, err)
	require.NoError(t, s.RunLeft(&sweep.Journal{}, (*progress)(nil).begin))
	f := s.Figure()
	drawtest.RequireReadable(t, f, []string{"pfc", "pyrrha"})
	drawtest.RequireDrawn(t, f)
	require.Contains(t, strings.Join(f.Notes, "\n"), "pfc 1MiB: deadlock in 2 of 2 runs")
	require.Contains(t, strings.Join(f.Rows[0][0].Notes, "\n"), "pfc 1MiB: none completed")
}

// Numbers are where they belong on the axis, with their intervals; an axis is logarithmic if its
// ends are far apart.
func TestSweepPictureIsToScale(t *testing.T) {
	o := options{
		scenario: "incast", protocols: []string{"pfc", "pyrrha"}, seeds: []uint64{1, 2, 3},
		sweep: []string{"buffer=2MiB,8MiB,64MiB"},
	}
	s, err := o.newSweep()
	require.NoError(t, err)
	require.NoError(t, s.RunLeft(&sweep.Journal{}, (*progress)(nil).begin))
	f := s.Figure()
	p := f.Rows[0][0]
	require.True(t, p.LogX)
	require.Equal(t, []draw.Mark{{Value: 2 << 20, Label: "2MiB"}, {Value: 8 << 20, Label: "8MiB"},
		{Value: 64 << 20, Label: "64MiB"}}, p.Marks)
	width, height, err := draw.ParseSize("3.3x2.2in")
	require.NoError(t, err)
	style := draw.Style{Panels: []string{p.Name}, Width: width, Height: height, NoTitle: true}
	drawtest.RequireGolden(t, f, style, filepath.Join(golden.Dir, "sweep.png"), *golden.Update)
}

// Of two parameters the last is on the axis. The other is colours under one protocol, and panels
// under several. No curve joins values of different parameters.
func TestSweepPictureOfTwoParameters(t *testing.T) {
	for protocols, want := range map[string]struct{ panels, legend []string }{
		"pfc": {[]string{"fct-incast"}, []string{"buffer=2MiB", "buffer=8MiB"}},
		"pfc,pyrrha": {
			[]string{"fct-incast:2MiB", "fct-incast:8MiB"}, []string{"pfc", "pyrrha"},
		},
	} {
		o := options{
			scenario: "incast", protocols: strings.Split(protocols, ","), seeds: []uint64{1},
			sweep: []string{"buffer=2MiB,8MiB", "incast.degree=4,8,16"},
		}
		s, err := o.newSweep()
		require.NoError(t, err)
		for _, f := range []*draw.Figure{s.Skeleton(), s.Figure()} {
			require.Equal(t, want.legend, f.Legend)
			var names []string
			for _, p := range f.Rows[0] {
				if strings.HasPrefix(p.Name, "fct-incast") {
					names = append(names, p.Name)
				}
				require.Equal(t, "incast.degree", p.XLabel)
				require.Len(t, p.Marks, 3)
			}
			require.Equal(t, want.panels, names)
		}
		require.NoError(t, s.RunLeft(&sweep.Journal{}, (*progress)(nil).begin))
		f := s.Figure()
		for _, p := range f.Rows[0] {
			require.Len(t, p.Curves, 2)
			for _, c := range p.Curves {
				require.Len(t, c.Points, 3)
			}
		}
		drawtest.RequireDrawn(t, f)
	}
}

// A size without room, and a panel that the picture has not, are refused before the first run.
func TestPicturesAreRefusedFirst(t *testing.T) {
	for _, words := range [][]string{
		{"run", "-size", "30x20mm", "incast"}, {"run", "-panel", "w", "pyrrha/fig15"},
		{"sweep", "-sweep", "buffer=2MiB,8MiB", "-size", "30x20mm", "incast"},
		{"run", "-panel", "measured:nothing", "incast"},
	} {
		name := filepath.Join(t.TempDir(), "a.svg")
		code, _, stderr := invoke(append(words, "-plot", name)...)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, "picture")
	}
}

// TestRepetitions: seeds follow from one, are different, and the table counts.
func TestRepetitions(t *testing.T) {
	seen := map[uint64]bool{}
	for _, seed := range sweep.DerivedSeeds(1, 1000) {
		require.False(t, seen[seed])
		seen[seed] = true
	}
	require.Equal(
		t, sweep.DerivedSeeds(1, 1000)[:5], sweep.DerivedSeeds(1, 5), "more repetitions add to the fewer",
	)
	code, stdout, stderr := invoke(
		"sweep", "-fc", "pfc,pyrrha", "-repeat", "4", "-until", "1ms", "pyrrha/ring",
	)
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "4 seeds")
	require.Contains(t, stdout, "0.510-1.000", "a deadlock in 4 of 4 runs under pfc")
	require.Contains(t, stdout, "0.000-0.490", "in none of 4 under pyrrha")
	code, _, stderr = invoke("sweep", "-repeat", "4", "-seeds", "1-4", "incast")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "either -seeds or -repeat")
}
