package view_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/view"
)

// subject is the ring in which PFC deadlocks, up to 200 us.
func subject(t *testing.T, threads int) *run.Subject {
	scenario, err := papers.All.Find("pyrrha/loop")
	require.NoError(t, err)
	s, err := papers.All.Prepare(scenario, run.Request{
		Seed: 1, Protocols: []string{"pfc", "pyrrha"}, Until: 200 * sluice.Microsecond,
	})
	require.NoError(t, err)
	s.Threads = threads
	return s
}

// page returns the page of a subject.
func page(t *testing.T, s *run.Subject) []byte {
	var outcomes []*run.Outcome
	var recorders []*view.Recorder
	for _, trial := range s.Trials() {
		r := view.NewRecorder(s.Graph, len(s.Flows))
		o, err := trial.Subject.WatchedBy(r).Simulate(trial.FC, false, nil)
		require.NoError(t, err)
		outcomes, recorders = append(outcomes, o), append(recorders, r)
	}
	var b bytes.Buffer
	require.NoError(t, view.Write(&b, s, outcomes, recorders))
	return b.Bytes()
}

// TestSameBytes: a page is the same bytes in every run, on any number of threads.
func TestSameBytes(t *testing.T) {
	once := page(t, subject(t, 1))
	require.True(t, bytes.Equal(once, page(t, subject(t, 4))))
	require.Contains(t, string(once), `id="run1"`)
}

// TestWatchingChangesNothing: a run that is recorded is the run that is not.
func TestWatchingChangesNothing(t *testing.T) {
	s := subject(t, 1)
	for _, fc := range s.Protocols {
		plain, err := s.Simulate(fc, false, nil)
		require.NoError(t, err)
		recorder := view.NewRecorder(s.Graph, len(s.Flows))
		watched, err := s.WatchedBy(recorder).Simulate(fc, false, nil)
		require.NoError(t, err)
		plain.Result.Wall, watched.Result.Wall = 0, 0
		require.Equal(t, plain.Result, watched.Result)
	}
}
