package fabric_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// railOnly is NDC(4,1) whose layer 0 is the high-bandwidth domain.
func railOnly(t *testing.T) *topo.Graph {
	fast := link
	fast.Rate = 160 * sluice.Gbps
	g, err := topo.NDC(topo.NDCConfig{N: 4, K: 1, Links: []sluice.Link{fast, link}})
	require.NoError(t, err)
	return g
}

// Every node sends flows of 100 KB to a node that differs from it in both digits, one after
// another. Traffic beyond the high-bandwidth domain's capacity, D > p B_H, takes the other domain
// (PortFC, section III-F). As p B_H / T^H sets w, and w D is T^H, w settles at the square root of
// the closed form, min(1, p B_H / D).
func TestATEInTheSimulator(t *testing.T) {
	for _, test := range []struct {
		every sluice.Time // a flow of 100 KB starts at each node
		most  float64     // w of the second half
	}{{20 * sluice.Microsecond, 1}, {5 * sluice.Microsecond, 0.8}} {
		r := fabric.Run{
			Protocol: "portfc", Topology: railOnly(t), Seed: 1, SampleEvery: 10 * sluice.Microsecond,
			Values: values(t, "ate=true,window=1GB,buffer=5MB"),
		}
		const span = 600 * sluice.Microsecond
		for at := sluice.Time(0); at < span; at += test.every {
			for src := range sluice.SwitchID(16) {
				r.Flows = append(r.Flows, workload.Flow{
					Src: src, Dst: 15 - src, Class: 3, Bytes: 100_000, Start: at,
				})
			}
		}
		workload.AssignPorts(r.Flows)
		result := do(t, r)
		require.Equal(t, len(r.Flows), result.Completed)
		require.Zero(t, result.Dropped)
		require.Zero(t, result.Reordered)
		var weight, closed, n float64
		for _, s := range result.Steered {
			if s.At > span/2 && s.At < span {
				weight, closed, n = weight+s.Weight, closed+s.ClosedForm, n+1
			}
		}
		t.Logf("every %v: w %.3f, closed form %.3f", test.every, weight/n, closed/n)
		require.LessOrEqual(t, weight/n, test.most)
		require.InEpsilon(t, math.Sqrt(closed/n), weight/n, 0.15)
		if test.most == 1 {
			require.Equal(t, 1.0, weight/n)
		}
	}
}

// Where no flow had a choice, nothing is drawn; and where it is no NDC(n,1), ATE is refused.
func TestATENeedsAChoice(t *testing.T) {
	r := fabric.Run{
		Protocol: "pfc", Topology: railOnly(t), Seed: 1, SampleEvery: sluice.Microsecond,
		Values: values(t, "ate=true"), Flows: []workload.Flow{{Src: 0, Dst: 1, Bytes: 100_000}},
	}
	result := do(t, r)
	require.Equal(t, 1, result.Completed)
	for _, s := range result.Steered {
		require.Equal(t, [2]float64{1, 1}, [2]float64{s.Weight, s.ClosedForm})
	}
	r.Topology = leafSpine(t)
	require.EqualError(t, r.Check(), "parameter ate: it is about topology=ndc,k=1")
	r.Topology, r.VerifyPaths = railOnly(t), true
	require.ErrorContains(t, r.Check(), "Steering")
}
