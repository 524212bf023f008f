package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/prng"
)

// betweenRacks sends flows from every host to hosts of other racks, on a network whose uplinks are
// as fast as its hosts.
func betweenRacks(t *testing.T, protocol, set string, each int, bytes sluice.Bytes) fabric.Run {
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 4, HostsPerRack: 4, Spines: 4, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	var flows []workload.Flow
	for host := range sluice.SwitchID(16) {
		for n := range each {
			dst := (host + 4 + sluice.SwitchID(n)) % 16
			flows = append(flows, workload.Flow{Src: host, Dst: dst, Class: 3, DstPort: 100, Bytes: bytes})
		}
	}
	workload.AssignPorts(flows)
	return fabric.Run{
		Protocol: protocol, Topology: g, Flows: flows, Values: values(t, set), Seed: 3,
		VerifyPaths: true,
	}
}

// A switch computes a packet's onward path from its IP tuple, its flow label, and the hash
// functions and seeds of the switches downstream (Pyrrha, section IV-B): while senders change the
// labels of flows 10,000 times with packets under way, every switch sends every packet, by the
// label that it carries, along the path that it left its host with.
func TestPathsAreExactWhileLabelsChange(t *testing.T) {
	r := betweenRacks(t, "pyrrha", "lb=plb,plb.rounds=1,plb.share=0,ecn.kmin=1KB,ecn.kmax=2KB,"+
		"ecn.pmax=1,resequence=1ms,window=6KB,pyrrha.pause=1/2,pyrrha.resume=1/4", 10, 400*sluice.KB)
	result := do(t, r)
	require.Equal(t, len(r.Flows), result.Completed)
	require.GreaterOrEqual(t, result.Relabelled, int64(10_000))
	require.Positive(t, result.ControlFrames["pause"])
	require.Positive(t, result.Reordered, "packets of two labels took two ways")
}

// After a number of congested rounds in a row PLB draws a label, also with packets in flight: where
// flows share a port and every packet is marked, twice as many rounds are half as many labels. With
// nothing in flight fewer rounds do: a window of one packet leaves nothing in flight.
func TestPLBCountsRounds(t *testing.T) {
	labels := func(each int, bytes sluice.Bytes, set string) int64 {
		r := betweenRacks(t, "pfc", "lb=plb,ecn.kmin=1KB,ecn.kmax=2KB,ecn.pmax=1,"+set, each, bytes)
		r.Flows = r.Flows[4*each:]
		for i := range r.Flows {
			r.Flows[i].Dst = 0
		}
		return do(t, r).Relabelled
	}
	const open = "window=15KB,plb.idle-rounds=20"
	six := labels(1, sluice.MB, open+",plb.rounds=6")
	twelve := labels(1, sluice.MB, open+",plb.rounds=12")
	require.Greater(t, twelve, int64(20))
	require.InEpsilon(t, 2.0, float64(six)/float64(twelve), 0.2)
	require.Zero(t, labels(1, sluice.MB, "detect=none,"+open))

	const lone = "window=1B,plb.rounds=1000,plb.idle-rounds="
	require.Positive(t, labels(6, 60*sluice.KB, lone+"3"))
	require.Zero(t, labels(6, 60*sluice.KB, lone+"1000"))
}

// A timeout suspends PLB for a random time of one to two of its periods: until then only timeouts
// draw labels.
func TestPLBIsSuspendedByTimeouts(t *testing.T) {
	set := "lb=plb,resequence=1ms,loss=1/200,rto=50us,ecn.kmin=1KB,ecn.kmax=2KB,ecn.pmax=1," +
		"plb.rounds=2,plb.idle-rounds=2"
	long := do(t, betweenRacks(t, "pfc", set, 4, 400*sluice.KB))
	short := do(t, betweenRacks(t, "pfc", set+",plb.suspend=0", 4, 400*sluice.KB))
	require.Positive(t, long.Timeouts)
	require.GreaterOrEqual(t, long.Relabelled, long.Timeouts)
	require.Greater(t, short.Relabelled-short.Timeouts, 2*(long.Relabelled-long.Timeouts))
}

// A packet's path under DRILL has only certain hops: the packet takes the hops that a switch was
// certain about (VerifyPaths), and they are enough for the incast to wait in its senders' cards, in
// queues of its own. Where the way within the network is a choice of two switches one after the
// other, the last hop still is certain.
func TestIncastIsIsolatedUnderDRILL(t *testing.T) {
	fat, err := topo.FatTree(topo.FatTreeConfig{K: 4, Link: link})
	require.NoError(t, err)
	for _, lb := range []string{"drill", "spray"} {
		for _, g := range []*topo.Graph{leafSpine(t), fat} {
			isolated := false
			r := fabric.Run{
				Protocol: "pyrrha", Topology: g, Flows: incast(), Seed: 5, VerifyPaths: true,
				Values: values(t, "buffer=4MiB,resequence=1ms,pyrrha.pause=1/2,pyrrha.resume=1/4,lb="+lb),
				Inspect: func(s *sim.Simulator) error {
					for host := sluice.SwitchID(4); host < 16 && !isolated; host++ {
						s.Buffered(host, func(_ sluice.PortID, q sluice.QueueID, p *sluice.Packet) {
							isolated = isolated || q != 0 && p.Path.Len() == 2
						})
					}
					return nil
				},
			}
			result := do(t, r)
			require.Equal(t, len(r.Flows), result.Completed, "%s on %s", lb, g.Name)
			require.True(t, isolated, "%s on %s", lb, g.Name)
			require.Positive(t, result.Reordered)
			require.Zero(t, result.Dropped)
		}
	}
}

// What reordering costs: go-back-N sends again what came early, IRN what it takes for lost, and a
// receiver that puts packets in order sends nothing again; if packets are lost it gives up waiting
// for them.
func TestReorderingAndItsRepair(t *testing.T) {
	run := func(set string) *sim.Result {
		r := betweenRacks(t, "pyrrha", "lb=drill,"+set, 6, 100*sluice.KB)
		result := do(t, r)
		require.Equal(t, len(r.Flows), result.Completed, set)
		require.Positive(t, result.Reordered)
		return result
	}
	gbn, irn, ordered := run("transport=gbn"), run("transport=irn"), run("resequence=1ms")
	require.Positive(t, irn.Transport.Resent)
	require.Greater(t, gbn.Transport.Resent, irn.Transport.Resent)
	require.Zero(t, ordered.Transport.Resent)
	require.Zero(t, ordered.GivenUp)
	require.Positive(t, ordered.Resequenced)

	lossy := run("resequence=20us,loss=1/500")
	require.Positive(t, lossy.GivenUp)
	few := run("resequence=1ms,resequence.packets=1")
	require.Positive(t, few.GivenUp)
	require.Equal(t, 2, few.MaxResequence)
}

// DRILL keeps queues shorter than a random way for every packet does.
func TestDRILLBalancesByQueues(t *testing.T) {
	longest := func(lb string) sluice.Bytes {
		r := betweenRacks(t, "ideal", "resequence=10ms,lb="+lb, 1, 2*sluice.MB)
		return do(t, r).MaxPortBytes
	}
	require.Less(t, 2*longest("drill"), longest("spray"))
}

// Links that fail and are repaired amid an incast are avoided by every choice: all flows complete,
// and nothing stays held.
func TestFailuresUnderBalancing(t *testing.T) {
	for _, lb := range []string{"spray", "drill", "plb"} {
		for seed := range uint64(4) {
			random := prng.New(prng.Mix(seed))
			r := fabric.Run{
				Protocol: []string{"pyrrha", "pfc"}[seed%2], Topology: leafSpine(t), Flows: incast(),
				Seed: seed, Until: 100 * sluice.Millisecond, RunOn: sluice.Millisecond,
				Values: values(t, "buffer=4MiB,rto=200us,resequence=50us,lb="+lb),
			}
			r.Failures = failures(&random, &r, 10)
			var s *sim.Simulator
			r.Inspect = func(running *sim.Simulator) error { s = running; return nil }
			result := do(t, r)
			require.Equal(t, len(r.Flows), result.Completed, "%s, seed %d: %v", lb, seed, result.Notes)
			for node := range r.Topology.Nodes {
				require.NoError(t, s.Machine(sluice.SwitchID(node)).Quiescent(), "%s, seed %d", lb, seed)
			}
		}
	}
}

// What goes with nothing else is refused, with the parameter and its rule.
func TestBalanceIsChecked(t *testing.T) {
	for set, message := range map[string]string{
		"lb=plb,plb.rounds=0": "plb.rounds",
		"lb=drill,drill.d=17": "drill.d",
		"lb=best":             "lb",
	} {
		registry, err := params.NewRegistry(fabric.Definitions())
		require.NoError(t, err)
		v, err := registry.Parse(set)
		if err == nil {
			r := fabric.Run{Protocol: "pfc", Topology: leafSpine(t), Flows: incast(), Values: v}
			err = r.Check()
		}
		require.ErrorContains(t, err, message, set)
	}
	r := betweenRacks(t, "pfc", "lb=drill", 1, sluice.KB)
	_, err := r.Embedding()
	require.ErrorContains(t, err, "lb drill")
	g, err := topo.NDC(topo.NDCConfig{N: 4, K: 1, Links: []sluice.Link{link, link}})
	require.NoError(t, err)
	n := fabric.Run{Protocol: "portfc", Topology: g, Values: values(t, "lb=spray"),
		Flows: []workload.Flow{{Src: 0, Dst: 1, Class: 3, Bytes: 1}}}
	require.ErrorContains(t, n.Check(), "portfc must know the next hops")

	quiet := betweenRacks(t, "pfc", "lb=plb,detect=none", 1, sluice.KB)
	require.Contains(t, do(t, quiet).Notes, "plb never acts: no packet is marked (detect=none)")
}
