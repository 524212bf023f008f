package pyrrha

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Pasts that change no answer make one state: how many frames came, in which order IQs were given
// up, which root was forgotten and how far it was, and when a pause that is over was heard. When a
// pause that goes on was heard last says when it expires, and changes the state.
func TestPastsThatMakeOneState(t *testing.T) {
	const us = sluice.Microsecond
	a, b, c, d := at(20, 1), at(30, 1), at(40, 1), at(50, 1)
	state := func(roots func(l *lab), again int, heard sluice.Time, over bool) []byte {
		l := newLab(t, Config{Ports: ports(Down, Down), Expiry: 50 * us})
		for range again {
			l.pause(0, a, 1)
		}
		roots(l)
		l.now = heard
		l.pause(0, b, 1)
		l.enqueue(0, 1, b)
		if over {
			l.resume(0, b)
		}
		require.NoError(t, l.s.Audit())
		return l.s.appendState(nil, 10*us)
	}
	endIn := func(distance int, order ...sluice.Hop) func(l *lab) {
		return func(l *lab) {
			for _, root := range []sluice.Hop{b, c, d} {
				if slices.Contains(order, root) {
					l.pause(0, root, distance)
				}
			}
			for _, root := range order {
				l.resume(0, root)
			}
		}
	}
	for _, over := range []bool{false, true} {
		want := string(state(endIn(1, b, c), 1, 5*us, over))
		require.True(t, want == string(state(endIn(1, b, c), 3, 5*us, over)), "how many frames came")
		require.True(t, want == string(state(endIn(1, c, b), 1, 5*us, over)), "which IQ went last")
		require.True(t, want == string(state(endIn(2, b, d), 1, 5*us, over)), "which root, and where")
		same := want == string(state(endIn(1, b, c), 1, 6*us, over))
		require.Equal(t, over, same, "when b was paused")
	}
}

// A root that is forgotten leaves nothing in its place of the table, neither its port nor how far
// it was: an answer to a frame may take that place next, and knows no distance.
func TestAForgottenRootLeavesNothing(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	l.pause(0, at(20, 1), 2)
	require.EqualValues(t, 2, l.s.roots[0].level)
	l.resume(0, at(20, 1))
	require.True(t, l.s.unused.Has(0))
	require.Zero(t, l.s.roots[0].hop)
	require.Zero(t, l.s.roots[0].level)
}
