package main

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// "When loop-producing flows generate CBD and cause a deadlock without any mitigation mechanism, the
// network throughput of PFC drops to zero ... PortFC guarantees deadlock-free operation" (PortFC,
// section V-F). Where nodes pause on their own account it takes flows from all four nodes; where they
// "merely forward flow control information", two are enough once a switch is congested (section
// II-C.3).
func TestNodeRing(t *testing.T) {
	stuck := map[string]bool{"pfc four": true, "pfc-forward two": true}
	for _, fc := range []string{"portfc", "pfcstar", "pfc", "pfc-forward"} {
		for _, form := range []string{"four", "two"} {
			o := variantOf(t, "portfc/deadlock", fc, form)
			claims := claimBackground(o.subject, []*outcome{o})
			t.Logf("%s: %s, %s; %s", o.fc, claims[0].ours, claims[1].ours, o.result.Deadlock)
			require.NotEqual(t, "0.0", claims[0].ours)
			if stuck[o.fc] {
				require.Contains(t, o.result.Deadlock, "waits for")
				require.Equal(t, "0.0", claims[1].ours)
			} else {
				require.Empty(t, o.result.Deadlock)
				require.NotEqual(t, "0.0", claims[1].ours)
			}
			if fc != "pfc-forward" {
				require.Zero(t, o.result.Dropped)
			}
		}
	}
}

// "PFC* can relieve part of the deadlocks, but it cannot effectively deal with HoLB issues": its
// background flows share a node's queue with the loop flows. How many those are decides the factor:
// of so many packets of either kind that wait there.
func TestFigure19(t *testing.T) {
	for _, test := range []struct {
		flows  string
		factor float64
	}{{"64", 43}, {"2", 5. / 3}, {"1", 1}} {
		s := prepared(t, "portfc/fig19", "loop.flows="+test.flows)
		portfc, star, pfc := outcomeOf(t, s, "portfc"), outcomeOf(t, s, "pfcstar"), outcomeOf(t, s, "pfc")
		claims := claimFigure19(s, []*outcome{portfc, star, pfc})
		last := claims[len(claims)-1]
		require.Equal(t, "1.9", last.published)
		ours, err := strconv.ParseFloat(last.ours, 64)
		require.NoError(t, err)
		require.InEpsilon(t, test.factor, ours, 0.05, "%s loop flows of each node", test.flows)
		if test.flows == "64" {
			require.Zero(t, pfc.backgroundRate(2*loopsStart, 3*loopsStart))
		}
	}
}

// A node's queue of one port is shared by flows that part at the next switch: the victim is slower
// than with a queue per flow. PortFC is not free of head-of-line blocking there.
func TestNodeVictim(t *testing.T) {
	s := prepared(t, "portfc/hol", "duration=1ms")
	portfc, ideal := outcomeOf(t, s, "portfc"), outcomeOf(t, s, "ideal")
	for _, o := range []*outcome{portfc, ideal} {
		require.Equal(t, len(s.flows), o.result.Completed)
		require.Zero(t, o.result.Dropped)
	}
	victim := 0
	require.Equal(t, "vulnerable", s.groups[victim].String())
	slower := float64(portfc.result.Flows[victim].FCT) / float64(ideal.result.Flows[victim].FCT)
	require.Greater(t, slower, 1.2)
}
