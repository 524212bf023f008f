package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/schedule"
	"github.com/sluicefc/sluice/internal/lab/sim"
)

// inWindow runs jobs whose schedules are read in a window. Messages stand behind the flows of its
// result, as if all were in memory.
func inWindow(t *rapid.T, c sim.Config, window, threads int, jobs ...schedule.Job) *sim.Result {
	c.Threads = threads
	next := len(c.Flows)
	for _, j := range jobs {
		var err error
		j.Schedule, err = j.Schedule.InWindowOf(window)
		require.NoError(t, err)
		j.First = next
		next += j.Messages()
		c.Jobs = append(c.Jobs, j)
	}
	s, err := sim.New(c)
	require.NoError(t, err)
	result, err := s.Run()
	require.NoError(t, err)
	if result.Messages != nil {
		require.Equal(t, next-len(c.Flows), result.Messages.Len())
		result.Messages.Each(func(f *sim.FlowResult) { result.Flows = append(result.Flows, *f) })
		require.NoError(t, result.Messages.Err())
		result.Messages = nil
	}
	result.Wall = 0
	return result
}

// TestAWindowOfOperationsChangesNothing: of jobs beside flows, on any number of threads, that end
// or are cut off, all times of messages and ranks are as in a run with all in memory.
func TestAWindowOfOperationsChangesNothing(t *testing.T) {
	g := fourRacks(t)
	rapid.Check(t, func(t *rapid.T) {
		c, jobs := jobsBesideFlows(t, g)
		c.Until = sluice.Time(rapid.SampledFrom([]int{0, 0, 0, 20, 60}).Draw(t, "until")) *
			sluice.Microsecond
		whole := withJobs(c, jobs...)
		s, err := sim.New(whole)
		require.NoError(t, err)
		want, err := s.Run()
		require.NoError(t, err)
		want.Wall = 0
		for i := range want.Jobs { // what held queues did is not kept of a window
			j := &want.Jobs[i]
			j.Windowed, j.Causes, j.Timeline = true, nil, nil
			j.Spent.Held, j.SpentByLast.Held = 0, 0
			for k := range j.Critical {
				j.Critical[k].Waits = nil
			}
		}
		// Notes name the place of an operation in a file, if it is read in a window.
		stuck := len(want.Notes) > 0
		for _, threads := range []int{1, 2, 7} {
			window := rapid.SampledFrom([]int{1, 2, 64}).Draw(t, "window")
			got := inWindow(t, c, window, threads, jobs...)
			if require.Equal(t, stuck, len(got.Notes) > 0); stuck {
				got.Notes = want.Notes
			}
			require.Equal(t, want, got, "window %d, %d threads", window, threads)
		}
	})
}

// TestMessagesThatAreOverTakeNoMemory: of 20,000 messages, of which few are under way at once, few
// have rows.
func TestMessagesThatAreOverTakeNoMemory(t *testing.T) {
	const n = 10_000
	b := schedule.NewBuilder(2)
	for rank := range 2 {
		var before schedule.Label
		for k := range n {
			send := b.Send(rank, 1-rank, 100, 0)
			if k > 0 {
				b.Requires(rank, send, before)
			}
			before = b.Recv(rank, 1-rank, 100, 0)
		}
	}
	s, err := built(t, b).InWindowOf(64)
	require.NoError(t, err)
	c := config(star(2))
	c.Jobs = []schedule.Job{{Name: "j", Schedule: s, Hosts: []sluice.SwitchID{0, 1}}}
	most := 0
	c.Inspect = func(s *sim.Simulator) error {
		most = max(most, s.RowPages())
		return nil
	}
	result := run(t, c)
	require.Equal(t, 2*n, result.Completed)
	require.LessOrEqual(t, most, 4, "a page for each rank, and pages that wait to be freed")
}
