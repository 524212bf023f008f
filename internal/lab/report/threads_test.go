package report

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// many are numbers of threads that share a run.
var many = []int{2, 3, 8}

// TestThreads: the results of a run are the same bytes with any number of threads. Of scenarios the
// beginning is run, by one thread and by several.
func TestThreads(t *testing.T) {
	each := depth.Choose(16, 16, 1)
	for i := range papers.All.Scenarios {
		if name := papers.All.Scenarios[i].Name; i%each == min(3, each-1) {
			several := many[i%len(many):][:1]
			t.Run(name, func(t *testing.T) { sameForAll(t, several, name, slow[name], 1) })
		}
	}
}

// TestThreadsOfIncast: and so they are of many seeds of an incast under every protocol, on a
// network that has parts.
func TestThreadsOfIncast(t *testing.T) {
	for seed := range uint64(depth.Choose(1, 1, 100)) {
		sameForAll(t, many, "incast", "topology=fat-tree,k=4", seed+1, run.ProtocolNames()...)
	}
}

// sameForAll compares what is written of a run by one thread and by several.
func sameForAll(
	t *testing.T, several []int, name, set string, seed uint64, protocols ...string,
) {
	beginning := depth.Choose[sluice.Time](10, 20, 60) * sluice.Microsecond
	var want string
	for _, threads := range append([]int{1}, several...) {
		s, err := papers.All.Find(name)
		require.NoError(t, err)
		r := run.Request{Seed: seed, Protocols: protocols}
		if set != "" {
			r.Set = []string{set}
		}
		subject, err := papers.All.Prepare(s, r)
		require.NoError(t, err)
		var outcomes []*run.Outcome
		for _, trial := range subject.Trials() {
			trial.Subject.Until = trial.Subject.FirstStart() + beginning
			trial.Subject.SampleEvery = 5 * sluice.Microsecond
			trial.Subject.Threads = threads
			o, err := trial.Subject.Simulate(trial.FC, false, nil)
			require.NoError(t, err)
			o.Result.Wall = 0
			o.FC = trial.Label
			outcomes = append(outcomes, o)
		}
		subject.Threads = 0
		var out bytes.Buffer
		require.NoError(t, WriteJSON(&out, subject, outcomes))
		for _, o := range outcomes {
			fmt.Fprintln(&out, o.FC, o.Result.Events, o.Result.Transport, o.Result.Control)
			require.NoError(t, WriteFlows(&out, o.Result.Flows))
		}
		if want == "" {
			want = out.String()
		}
		require.Equal(t, want, out.String(), "%s, seed %d, %d threads", name, seed, threads)
	}
}
