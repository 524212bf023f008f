package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/lab/workload"
)

// What BFC does on the reference flows depends on the choices of its form more than on anything
// else. Pyrrha's authors' ns-3 was run in four forms: as published, where the lowest queue is
// served first; with queues served in turn; with acknowledgements first, too; and in turn with
// random free queues and a flow table of a twentieth of the size. With the same choices ours lands
// on each: the mean of a group over the seeds 1 to 5 is within 15 % of theirs, or theirs, which is
// of one run, within the spread of the seeds. A paused queue that no entry names is free in all but
// the last form, whose search for a free queue is of another hand: with that rule there, vulnerable
// and background flows take 16 and 23 % longer than theirs.
func TestReferenceUnderFormsOfBFC(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 6,642 flows twenty times")
	}
	const inTurn = "bfc.scheduler=packets"
	for _, form := range []struct {
		name, published string
		set             []string
		want            [3]float64 // by group: incast, vulnerable, background
	}{
		{"as published", "bfc-pyrrha", nil, [3]float64{1924.1, 116.41, 29.35}},
		{"in turn", "bfc-pyrrha-in-turn", []string{inTurn}, [3]float64{2138.47, 385.93, 75.35}},
		{
			"acknowledgements first", "bfc-pyrrha-acks-first", []string{inTurn, "bfc.acks=control"},
			[3]float64{2173.4, 298.72, 29.13},
		},
		{
			"random queues", "bfc-pyrrha-random",
			[]string{inTurn, "bfc.assignment=random", "bfc.vfids=3200", "bfc.paused=kept"},
			[3]float64{2225.93, 1273.44, 497.12},
		},
	} {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			var means [3][]float64
			var s *subject
			for seed := uint64(1); seed <= 5; seed++ {
				s = prepared(t, generalLibrary, "reference", form.set...)
				s.seed, s.sampleEvery = seed, 0
				o := outcomeOf(t, s, "bfc-pyrrha")
				require.Equal(t, 6642, o.result.Completed)
				require.Zero(t, o.result.Dropped)
				require.Zero(t, o.result.Reordered)
				for i, g := range bfcGroups {
					means[i] = append(means[i], (*o.fct.of(g)).Mean)
				}
			}
			for i, g := range bfcGroups {
				theirs, ok := s.published.mean(form.published, s.groups, g)
				require.True(t, ok)
				require.InDelta(t, form.want[i], theirs, 0.01, "the embedded results are not the reference's")
				requireLike(t, theirs, means[i], 0.15, g)
			}
		})
	}
}

var bfcGroups = [3]workload.Group{workload.Incast, workload.Vulnerable, workload.Background}

// requireLike requires that the mean of ours is like theirs, or theirs within the spread of ours.
func requireLike(
	t *testing.T, theirs float64, ours []float64, tolerance float64, g workload.Group,
) {
	t.Helper()
	mean, least, most := 0.0, ours[0], ours[0]
	for _, m := range ours {
		mean += m / float64(len(ours))
		least, most = min(least, m), max(most, m)
	}
	t.Logf("%v: theirs %.1f, ours %.1f, from %.1f to %.1f", g, theirs, mean, least, most)
	if theirs < least || theirs > most {
		require.InEpsilon(t, theirs, mean, tolerance, "%v", g)
	}
}

// The ideal form has a queue for every flow, and no two flows ever share one; the others do, and
// say how often.
func TestIdealBFCHasNoCollisions(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 6,642 flows")
	}
	const joined, met = "times a flow joined a queue with packets of others", "packets that met " +
		"another flow's VFID entry"
	s := reference(t)
	ideal := outcomeOf(t, s, "bfc-ideal")
	require.Zero(t, ideal.result.Figures[joined])
	require.Zero(t, ideal.result.Figures[met])
	require.Empty(t, ideal.result.Notes)
	require.Less(t, (*ideal.fct.of(workload.Vulnerable)).Mean, 20.0, "as under no incast")
	authors := outcomeOf(t, s, "bfc")
	require.Positive(t, authors.result.Figures[joined])
	require.Positive(t, authors.result.Figures[met])
}

// With a buffer that is too small BFC loses packets, and senders send them again without being
// told to.
func TestBFCWithASmallBufferCompletes(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates 6,642 flows")
	}
	s := prepared(t, generalLibrary, "reference", "buffer=5MiB")
	s.sampleEvery = 0
	o := outcomeOf(t, s, "bfc")
	require.Positive(t, o.result.Dropped)
	require.Equal(t, 6642, o.result.Completed)
	require.Contains(t, o.result.Notes[len(o.result.Notes)-1], "what was lost was sent again")
}
