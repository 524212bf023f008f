package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fabric"
	"github.com/sluicefc/sluice/internal/topo"
	"github.com/sluicefc/sluice/internal/workload"
)

// incastOn is flows of all nodes to node 0, and from each node to the next two.
func incastOn(nodes int, size sluice.Bytes) (flows []workload.Flow) {
	for host := 1; host < nodes; host++ {
		src := sluice.SwitchID(host)
		flows = append(flows, workload.Flow{Src: src, Dst: 0, Class: 3, Bytes: size})
		for next := 1; next <= 2; next++ {
			dst := sluice.SwitchID((host + next) % nodes)
			flows = append(flows, workload.Flow{Src: src, Dst: dst, Class: 3, Bytes: size / 2})
		}
	}
	return flows
}

// PortFC on NDC(n,k): "free from retransmission" (abstract), in order, and nothing is held at the
// end; whatever the order of digits is that a flow's hash chooses.
func TestPortFCCarriesAnIncast(t *testing.T) {
	for _, network := range []topo.NDCConfig{{N: 2, K: 1}, {N: 4, K: 1}, {N: 2, K: 2}, {N: 3, K: 2}, {N: 2, K: 3}} {
		for range network.K + 1 {
			network.Links = append(network.Links, sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})
		}
		g, err := topo.NDC(network)
		require.NoError(t, err)
		t.Run(g.Name, func(t *testing.T) {
			p, err := fabric.Find("portfc")
			require.NoError(t, err)
			for seed := range uint64(3) {
				r := fabric.Run{
					Protocol: "portfc", Topology: g, Flows: incastOn(len(g.Hosts()), 100_000),
					Values: values(t, "buffer=5MB,window=1MB"), Seed: seed, VerifyPaths: true,
				}
				result := carries(t, r, p)
				if network.N > 2 { // else a switch port is fed by one other, no faster
					require.Positive(t, result.ControlFrames["pause"])
				}
				require.Equal(t, result.ControlFrames["pause"], result.ControlFrames["resume"])
			}
		})
	}
}

// Another network is refused, by its name.
func TestPortFCNeedsAnNDC(t *testing.T) {
	r := fabric.Run{Protocol: "portfc", Topology: leafSpine(t), Values: values(t, ""), Seed: 1,
		Flows: []workload.Flow{{Src: 1, Dst: 0, Bytes: 1}}}
	require.ErrorContains(t, r.Check(), "portfc runs on NDC(n,k) only, topology=ndc")
}

// "Even a low packet drop rate" is none, also when control frames get lost and Refresh repairs that.
func TestPortFCWithLostFrames(t *testing.T) {
	g := ndc(t, 4)
	r := fabric.Run{
		Protocol: "portfc", Topology: g, Flows: incastOn(16, 100_000), Seed: 1,
		Values: values(t, "buffer=5MB,window=1MB,portfc.refresh=20us,control.loss=1/100,control.duplicate=1/100,control.reorder=1/100"),
	}
	result := do(t, r)
	require.Equal(t, len(r.Flows), result.Completed, "%v", result.Notes)
	require.Zero(t, result.Reordered)
}
