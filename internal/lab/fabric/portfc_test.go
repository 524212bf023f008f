package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/portfc"
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
	for _, network := range []topo.NDCConfig{
		{N: 2, K: 1}, {N: 4, K: 1}, {N: 2, K: 2}, {N: 3, K: 2}, {N: 2, K: 3},
	} {
		for range network.K + 1 {
			network.Links = append(
				network.Links, sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond},
			)
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

// "Even a low packet drop rate" is none, also when control frames get lost and Refresh repairs
// that.
func TestPortFCWithLostFrames(t *testing.T) {
	g, seeds := ndc(t, 4), depth.Choose[uint64](5, 5, 100)
	for seed := range seeds {
		r := fabric.Run{
			Protocol: "portfc", Topology: g, Flows: incastOn(16, 30_000), Seed: seed,
			Values: values(t, "buffer=5MB,window=1MB,portfc.xoff=2,portfc.xon=1,portfc.refresh=20us,"+
				"control.loss=1/100,control.duplicate=1/100,control.reorder=1/100"),
		}
		result := do(t, r)
		require.Equal(t, len(r.Flows), result.Completed, "seed %d: %v", seed, result.Notes)
		require.Zero(t, result.Reordered)
		require.Positive(t, result.ControlFrames["pause"])
	}
}

// Every parameter reaches the machines; the DDQ has the thresholds of the IHFQs unless it has its
// own.
func TestParametersOfPortFC(t *testing.T) {
	config := func(set string) (c portfc.Config) {
		do(t, fabric.Run{
			Protocol: "portfc", Topology: ndc(t, 2), Values: values(t, set), Seed: 1,
			Flows: []workload.Flow{{Src: 0, Dst: 3, Class: 3, Bytes: 1}},
			Inspect: func(s *sim.Simulator) error {
				c = kit.Unwrap(s.Machine(0)).(*portfc.Switch).Config()
				return nil
			},
		})
		return c
	}
	ratio := func(num, den int64) sluice.Ratio { return sluice.Ratio{Num: num, Den: den} }
	c := config("portfc.xoff=5,portfc.xon=3")
	require.Equal(t, []sluice.Ratio{ratio(5, 1), ratio(3, 1), ratio(5, 1), ratio(3, 1)},
		[]sluice.Ratio{c.XOff, c.XOn, c.DirectXOff, c.DirectXOn})
	require.Zero(t, c.Expiry)
	c = config("portfc.direct-xoff=7/2,portfc.direct-xon=1/2,portfc.relay=2,portfc.service=turn," +
		"portfc.refresh=20us,portfc.expiry=90us")
	require.Equal(t, []sluice.Ratio{ratio(6, 1), ratio(4, 1), ratio(7, 2), ratio(1, 2), ratio(2, 1)},
		[]sluice.Ratio{c.XOff, c.XOn, c.DirectXOff, c.DirectXOn, c.RelayXOff})
	require.True(t, c.RelayInTurn)
	require.Equal(t, []sluice.Time{20 * sluice.Microsecond, 90 * sluice.Microsecond},
		[]sluice.Time{c.Refresh, c.Expiry})
}

// The relay queue of a node has no bound under the paper's rules: it grows where the layer that
// feeds it is faster, and where it has to take turns. With RelayXOff it stays within
// Config.Headroom.
func TestRelayQueueNeedsAThreshold(t *testing.T) {
	for _, test := range []struct {
		name, set   string
		network     topo.NDCConfig
		least, most sluice.Bytes // of the longest relay queue
	}{
		{"first", "", twoRates(4, 1, 100), 0, 30 * sluice.KB},
		{"in turn", ",portfc.service=turn", twoRates(4, 1, 100), 150 * sluice.KB, sluice.MB},
		{"rail-only", "", twoRates(4, 1, 160), 150 * sluice.KB, sluice.MB},
		// X_off, 2 BDP of 160 Gb/s, 3 packets
		{"rail-only, threshold", ",portfc.relay=2", twoRates(4, 1, 160), 0, 71 * sluice.KB},
		{"k = 2, threshold", ",portfc.relay=2", twoRates(3, 2, 100), 0, 150 * sluice.KB},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, err := topo.NDC(test.network)
			require.NoError(t, err)
			r := fabric.Run{
				Protocol: "portfc", Topology: g, Seed: 1, Values: values(t, "buffer=5MB,window=10MB"+test.set),
			}
			nodes := len(g.Hosts())
			for src := range nodes { // most of them by a node between
				for i := range 4 {
					r.Flows = append(r.Flows, workload.Flow{
						Src: sluice.SwitchID(src), Dst: sluice.SwitchID((src + nodes/2 + i + 1) % nodes), Class: 3,
						Bytes: 300 * sluice.KB,
					})
				}
			}
			workload.AssignPorts(r.Flows)
			result := do(t, r)
			require.Equal(t, len(r.Flows), result.Completed, "%v", result.Notes)
			require.Zero(t, result.Dropped)
			longest := sluice.Bytes(result.Figures["bytes in the relay queue of a node port at once"])
			t.Logf("%d bytes", longest)
			require.LessOrEqual(t, test.least, longest)
			require.LessOrEqual(t, longest, test.most)
		})
	}
}

// twoRates is NDC(n,k) whose layer 0 has a rate of its own, in Gb/s.
func twoRates(n, k int, rate sluice.Rate) topo.NDCConfig {
	c := topo.NDCConfig{N: n, K: k}
	for range k + 1 {
		c.Links = append(c.Links, sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})
	}
	c.Links[0].Rate = rate * sluice.Gbps
	return c
}

// Every peer obeys, so that no detector ever holds more than portfc.Config.Headroom says, with the
// relay queues as full as they were.
func TestPortFCStaysWithinItsBound(t *testing.T) {
	for seed := range uint64(5) {
		var last *sim.Simulator
		do(t, fabric.Run{
			Protocol: "portfc", Topology: ndc(t, 4), Flows: incastOn(16, 300_000), Seed: seed,
			Values:  values(t, "buffer=5MB,window=10MB,portfc.xoff=3,portfc.xon=2"),
			Inspect: func(s *sim.Simulator) error { last = s; return nil },
		})
		machine := func(id int) *portfc.Switch {
			return kit.Unwrap(last.Machine(sluice.SwitchID(id))).(*portfc.Switch)
		}
		relay := portfc.Relay{Link: machine(0).Config().Ports[0].Link}
		for node := range 16 {
			for port := range sluice.PortID(2) {
				relay.Backlog = max(relay.Backlog, machine(node).Port(port).Counters().RelayPeak)
			}
		}
		for id := 16; id < 24; id++ {
			bound, err := machine(id).Config().Headroom(1526, relay)
			require.NoError(t, err)
			for port := range sluice.PortID(4) {
				peaks := machine(id).Port(port).Counters()
				require.LessOrEqual(t, peaks.IHFQPeak, bound.IHFQ)
				require.LessOrEqual(t, peaks.DDQPeak, bound.DDQ)
			}
		}
	}
}
