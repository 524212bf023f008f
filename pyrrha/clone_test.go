package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Pasts that change no answer make one state: how many frames came, in which order IQs were given
// up, and when a pause that is over was heard. When a pause that goes on was heard last says
// when it expires, and changes the state.
func TestPastsThatMakeOneState(t *testing.T) {
	const us = sluice.Microsecond
	a, b, c := at(20, 1), at(30, 1), at(40, 1)
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
	endIn := func(order ...sluice.Hop) func(l *lab) {
		return func(l *lab) {
			l.pause(0, b, 1)
			l.pause(0, c, 1)
			for _, root := range order {
				l.resume(0, root)
			}
		}
	}
	for _, over := range []bool{false, true} {
		want := string(state(endIn(b, c), 1, 5*us, over))
		require.True(t, want == string(state(endIn(b, c), 3, 5*us, over)), "how many frames came")
		require.True(t, want == string(state(endIn(c, b), 1, 5*us, over)), "which IQ was given up last")
		same := want == string(state(endIn(b, c), 1, 6*us, over))
		require.Equal(t, over, same, "when b was paused")
	}
}
