package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Resume at most two flows of a queue per round-trip time: resumes beyond Config.ResumeLimit wait
// for the next period, first come first served, and are paused as long as they wait.
func TestResumeLimit(t *testing.T) {
	st := pauser(
		t, Config{Signalling: Transitions, ResumeLimit: 2, ResumePeriod: 10 * sluice.Microsecond},
	)
	for q := range sluice.QueueID(7) {
		st.in(1, 7, 0, q)
	}
	st.frames()
	st.now = 3 * sluice.Microsecond
	for range 7 {
		st.out(1)
	}
	require.Equal(t, []string{"resume 0:[0]", "resume 0:[1]"}, st.frames())
	require.Equal(t, uint64(5), st.s.Counters().ResumesDelayed)
	require.True(t, st.s.Port(0).Holding(2))
	require.Zero(t, st.s.Port(0).Counter(2))
	require.ErrorContains(t, st.s.Quiescent(), "holds 5 upstream queues paused")
	require.Equal(t, 13*sluice.Microsecond, st.s.Deadline())

	st.in(1, 7, 0, 3) // paused again, still paused
	require.Empty(t, st.frames())
	st.now = st.s.Deadline()
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, st.s.Expire(st.now))
	require.Equal(t, []string{"resume 0:[2 4]"}, st.frames(), "3 has left the list")
	st.now = st.s.Deadline()
	require.Equal(t, 23*sluice.Microsecond, st.now)
	st.s.Expire(st.now)
	require.Equal(t, []string{"resume 0:[5 6]"}, st.frames())
	require.Equal(t, sluice.Never, st.s.Deadline())
	st.out(1)
	require.Empty(t, st.frames(), "that window is full")
	st.now = st.s.Deadline()
	require.Equal(t, 33*sluice.Microsecond, st.now)
	st.s.Expire(st.now)
	require.Equal(t, []string{"resume 0:[3]"}, st.frames())
	require.NoError(t, st.s.Quiescent())
}

// A waiting queue goes before a new one, even when Expire is late.
func TestResumeLimitIsFair(t *testing.T) {
	st := pauser(
		t, Config{Signalling: Transitions, ResumeLimit: 1, ResumePeriod: 10 * sluice.Microsecond},
	)
	for q := range sluice.QueueID(3) {
		st.in(1, 7, 0, q)
	}
	st.frames()
	st.out(1)
	st.out(1)
	require.Equal(t, []string{"resume 0:[0]"}, st.frames())
	st.now = 12 * sluice.Microsecond
	st.out(1)
	require.Empty(t, st.frames(), "1 has waited longer")
	st.s.Expire(st.now)
	require.Equal(t, []string{"resume 0:[1]"}, st.frames())
	require.Equal(t, 22*sluice.Microsecond, st.s.Deadline())
}

// A window ends with its last instant: a resume a period after the resume that opened it opens the
// next.
func TestResumeWindowEndsWithItsPeriod(t *testing.T) {
	st := pauser(t, Config{
		Signalling: Transitions, ResumeLimit: 1, ResumePeriod: 10 * sluice.Microsecond,
	})
	for q := range sluice.QueueID(2) {
		st.in(1, 7, 0, q)
	}
	st.frames()
	st.out(1)
	require.Equal(t, []string{"resume 0:[0]"}, st.frames())
	st.now += 10 * sluice.Microsecond
	st.out(1)
	require.Equal(t, []string{"resume 0:[1]"}, st.frames())
	require.Zero(t, st.s.Counters().ResumesDelayed)
}
