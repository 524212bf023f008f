package general

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// What BFC does on the reference flows depends on the choices of its form more than on anything
// else. Pyrrha's authors' ns-3 was run in four forms: as published, where the lowest queue is
// served first; with queues served in turn; with acknowledgements first, too; and in turn with
// random free queues and a flow table of a twentieth of the size. With the same choices ours lands
// near each: the mean of incast over the seeds 1 to 5 is within 15 % of theirs, the mean of the
// other groups within 35 %, or theirs, which is of one run, within the spread of the seeds. All
// were within 15 % when events of one time came in the order in which they were planned, as in
// ns-3, and one stream of random numbers served the whole network; both depend on how a network is
// cut into parts, and went for that. A paused queue that no entry names is free in all but the last
// form, whose search for a free queue is of another hand: with that rule there, vulnerable and
// background flows take longer.
func TestReferenceUnderFormsOfBFC(t *testing.T) {
	depth.From(t, depth.Thorough, "simulates 6,642 flows twenty times")
	const inTurn = "bfc.scheduler=packet-round-robin"
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
			var s *run.Subject
			for seed := uint64(1); seed <= 5; seed++ {
				s = runtest.Prepared(t, Library, "reference", form.set...)
				s.Seed, s.SampleEvery = seed, 0
				o := runtest.OutcomeOf(t, s, "bfc-pyrrha")
				require.Equal(t, 6642, o.Result.Completed)
				require.Zero(t, o.Result.Dropped)
				require.Zero(t, o.Result.Reordered)
				for i, g := range bfcGroups {
					means[i] = append(means[i], (*o.FCT.Of(g)).Mean)
				}
			}
			tolerance := [3]float64{0.15, 0.35, 0.35}
			for i, g := range bfcGroups {
				theirs, ok := s.Published.Mean(form.published, s.Groups, g)
				require.True(t, ok)
				require.InDelta(t, form.want[i], theirs, 0.01, "the embedded results are not the reference's")
				requireLike(t, theirs, means[i], tolerance[i], g)
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
	depth.From(t, depth.Thorough, "simulates 6,642 flows")
	const joined, met = "times a flow joined a queue with packets of others", "packets that met " +
		"another flow's VFID entry"
	s := reference(t)
	ideal := runtest.OutcomeOf(t, s, "bfc-ideal")
	require.Zero(t, ideal.Result.Figures[joined])
	require.Zero(t, ideal.Result.Figures[met])
	require.Empty(t, ideal.Result.Notes)
	require.Less(t, (*ideal.FCT.Of(workload.Vulnerable)).Mean, 20.0, "as under no incast")
	authors := runtest.OutcomeOf(t, s, "bfc")
	require.Positive(t, authors.Result.Figures[joined])
	require.Positive(t, authors.Result.Figures[met])
}

// With a buffer that is too small BFC loses packets, and senders send them again without a setting
// that asks for it.
func TestBFCWithASmallBufferCompletes(t *testing.T) {
	depth.From(t, depth.Thorough, "simulates 6,642 flows")
	s := runtest.Prepared(t, Library, "reference", "buffer=5MiB")
	s.SampleEvery = 0
	o := runtest.OutcomeOf(t, s, "bfc")
	require.Positive(t, o.Result.Dropped)
	require.Equal(t, 6642, o.Result.Completed)
	require.Contains(t, o.Result.Notes[len(o.Result.Notes)-1], "what was lost was sent again")
}
