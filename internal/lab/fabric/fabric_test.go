package fabric_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/stretchr/testify/require"
)

var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}

func values(t testing.TB, assignments string) *params.Values {
	registry, err := params.NewRegistry(fabric.Definitions())
	require.NoError(t, err)
	v, err := registry.Parse(assignments)
	require.NoError(t, err)
	return v
}

func do(t testing.TB, r fabric.Run) *sim.Result {
	result, err := r.Do()
	require.NoError(t, err)
	return result
}

// leafSpine is 4 racks of 4 hosts at 100G and 2 spines at 400G.
func leafSpine(t testing.TB) *topo.Graph {
	up := link
	up.Rate = 400 * sluice.Gbps
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 4, HostsPerRack: 4, Spines: 2, HostLink: link, Uplink: up,
	})
	require.NoError(t, err)
	return g
}

// incast sends from every host outside rack 0 to host 0, and a few flows elsewhere.
func incast() []workload.Flow {
	var flows []workload.Flow
	for host := sluice.SwitchID(4); host < 16; host++ {
		for n := range sluice.Bytes(3) {
			flows = append(flows, workload.Flow{Src: host, Dst: 0, Class: 3, Bytes: 50000 + 1000*n})
		}
		flows = append(flows,
			workload.Flow{Src: host, Dst: 1 + host%3, Class: 3, Bytes: 20000, Start: 5 * sluice.Microsecond},
			workload.Flow{
				Src: host, Dst: 4 + (host+5)%12, Class: 3, Bytes: 30000, Start: 2 * sluice.Microsecond,
			})
	}
	return flows
}

// Every protocol: all flows complete, on the ways that hashpath predicts, in order; without loss
// where it promises that; and when all is over nothing is held anywhere.
func TestEveryProtocolCarriesAnIncast(t *testing.T) {
	for _, p := range fabric.Protocols() {
		t.Run(p.Name, func(t *testing.T) {
			r := fabric.Run{
				Protocol: p.Name, Topology: leafSpine(t), Flows: incast(), Values: values(t, "buffer=4MiB"),
				Seed: 7, VerifyPaths: true,
			}
			var last *sim.Simulator
			r.Inspect = func(s *sim.Simulator) error { last = s; return nil }
			result := do(t, r)
			require.Equal(t, len(r.Flows), result.Completed, "notes: %v", result.Notes)
			require.Zero(t, result.Reordered)
			if p.Lossless {
				require.Zero(t, result.Dropped)
			}
			for node := range r.Topology.Nodes {
				m := last.Machine(sluice.SwitchID(node))
				require.NoError(t, m.Audit(), "node %d", node)
				require.Zero(t, m.Buffered(), "node %d", node)
			}
			again := do(t, r)
			result.Wall, again.Wall = 0, 0
			require.Equal(t, result, again, "the same seed gives the same result")
		})
	}
}

func TestUnknownProtocolListsTheKnown(t *testing.T) {
	_, err := fabric.Find("pcf")
	require.ErrorContains(t, err, `flow control "pcf": must be one of none, pfc`)
}

// "Why is my PFC log empty": the report says how far from acting it was.
func TestPFCThatNeverActedSaysHowFarItWas(t *testing.T) {
	r := fabric.Run{
		Protocol: "pfc", Topology: leafSpine(t), Values: values(t, ""), Seed: 1,
		Flows: []workload.Flow{
			{Src: 4, Dst: 0, Class: 3, Bytes: 100000}, {Src: 8, Dst: 0, Class: 3, Bytes: 100000},
		},
	}
	result := do(t, r)
	require.Zero(t, result.ControlFrames["pause"])
	require.Len(t, result.Notes, 1)
	require.Regexp(
		t,
		`^pfc never paused: the nearest to it was ingress \d+:\d+ class 3, \d+ bytes below X_off; `+
			`it held \d+ bytes at most`,
		result.Notes[0],
	)
}

// A loss under a lossless protocol names the port, the counter and the headroom that was missing.
func TestPFCLossNamesTheMissingHeadroom(t *testing.T) {
	r := fabric.Run{
		Protocol: "pfc", Topology: leafSpine(t), Flows: incast(), Seed: 1,
		Values: values(t, "buffer=512KiB,pfc.headroom=1/4,rto=100us"),
	}
	result := do(t, r)
	require.Positive(t, result.Dropped)
	require.NotEmpty(t, result.Notes)
	require.Regexp(
		t,
		`^pfc lost \d+ packets at ingress \d+:\d+ class 3 \(counter HeadroomDrops\): `+
			`\d+ bytes of headroom were missing`,
		result.Notes[0],
	)
}

// Three flows, each two links clockwise round a ring of three switches (Pyrrha, Figure 13): PFC's
// pauses close the circle, a queue for each flow does not.
func ringRun(t testing.TB, protocol, set string) fabric.Run {
	g, err := topo.Ring(topo.RingConfig{
		Switches: 3, HostsPerSwitch: 2, HostLink: link, RingLink: link,
	})
	require.NoError(t, err)
	r := fabric.Run{
		Protocol: protocol, Topology: g, Values: values(t, "window=1GB,buffer=2MiB"+set), Seed: 1,
	}
	for i := range sluice.SwitchID(3) {
		here, next, after := 6+i, 6+(i+1)%3, (i+2)%3
		host := 2 * after // the first host of the switch after the next
		clockwise, ok := g.PortTo(here, next)
		require.True(t, ok)
		r.Routes = append(r.Routes, fabric.Route{At: here, Host: host, Ports: []sluice.PortID{clockwise}})
		for source := range sluice.SwitchID(2) {
			r.Flows = append(
				r.Flows, workload.Flow{Src: 2*i + source, Dst: host, Class: 3, Bytes: 10 * sluice.MB},
			)
		}
	}
	return r
}

func TestPFCDeadlocksOnTheRingAndTheCircleIsNamed(t *testing.T) {
	result := do(t, ringRun(t, "pfc", ""))
	require.Less(t, result.Completed, 6)
	require.Regexp(t, `^deadlock at .*: (\d+:\d+ q3 waits for ){3}\d+:\d+ q3$`, result.Deadlock)
	require.Contains(t, result.Notes, result.Deadlock)
}

func TestCollisionFreeBFCDoesNotDeadlockOnTheRing(t *testing.T) {
	result := do(t, ringRun(t, "bfc-ideal", ""))
	require.Equal(t, 6, result.Completed, "notes: %v", result.Notes)
	require.Empty(t, result.Deadlock)
}

// The yardstick has nothing to say: there is no mechanism that could have acted.
func TestIdealHasNoNotes(t *testing.T) {
	result := do(t, fabric.Run{
		Protocol: "ideal", Topology: leafSpine(t), Flows: incast(), Values: values(t, ""), Seed: 1,
	})
	require.Empty(t, result.Notes)
	require.Empty(t, result.Figures)
	require.Empty(t, result.ControlFrames)
}

// "Why is my log empty", of the other protocols.
func TestMechanismsThatNeverActedSaySo(t *testing.T) {
	for protocol, says := range map[string]string{
		"bfc": "bfc never paused: no queue was over its threshold",
		"pyrrha": "pyrrha never paused: no output queue grew past K_pause, 2 one-hop " +
			"bandwidth-delay products",
		"pyrrha+pfc": "pfc never paused: the nearest to it was ingress ",
	} {
		result := do(t, fabric.Run{
			Protocol: protocol, Topology: leafSpine(t), Values: values(t, ""), Seed: 1,
			Flows: []workload.Flow{{Src: 4, Dst: 0, Class: 3, Bytes: 1000}},
		})
		require.Contains(t, result.Notes[0], says)
	}
}

// When isolation queues run out, roots share them, and the report counts how often.
func TestPyrrhaSaysThatQueuesRanOut(t *testing.T) {
	flows := incast()
	for host := sluice.SwitchID(4); host < 16; host++ {
		for dst := sluice.SwitchID(1); dst < 4; dst++ {
			flows = append(flows, workload.Flow{Src: host, Dst: dst, Class: 3, Bytes: 100000})
		}
	}
	r := fabric.Run{
		Protocol: "pyrrha-single", Topology: leafSpine(t), Flows: flows,
		Values: values(t, "buffer=8MiB,pyrrha.iqs=2"), Seed: 1,
	}
	result := do(t, r)
	require.Equal(t, len(flows), result.Completed)
	require.Regexp(
		t, `^pyrrha ran out of isolation queues \d+ times: roots shared one$`,
		result.Notes[len(result.Notes)-1],
	)
}
