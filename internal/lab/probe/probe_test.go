package probe_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

const us = sluice.Microsecond

// incast is 12 flows from three racks to host 0, on two racks of four hosts and one spine.
func incast(t testing.TB, fc, assignments string) fabric.Run {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 3, HostsPerRack: 4, Spines: 1, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	r := fabric.Run{Protocol: fc, Topology: g, Seed: 3, SampleEvery: 5 * us}
	for host := sluice.SwitchID(4); host < 12; host++ {
		r.Flows = append(r.Flows,
			workload.Flow{Src: host, Dst: 0, Class: 3, Bytes: 200_000, Start: us},
			workload.Flow{Src: host, Dst: host % 4, Class: 3, Bytes: 50_000, Start: 9 * us})
	}
	registry, err := params.NewRegistry(fabric.Definitions())
	require.NoError(t, err)
	r.Values, err = registry.Parse("buffer=1200KB,window=1GiB", assignments)
	require.NoError(t, err)
	return r
}

func do(t testing.TB, r fabric.Run) *sim.Result {
	result, err := r.Do()
	require.NoError(t, err)
	return result
}

// Ports: of the spine, where the incast meets, and of a rack that sends, which the spine pauses.
var congested, uplink = sluice.Hop{Switch: 15, Port: 0}, sluice.Hop{Switch: 13, Port: 4}

// TestWatchingChangesNothing: a run that is watched equals the run without a watch, except what was
// seen, under every protocol, with any detector and control.
func TestWatchingChangesNothing(t *testing.T) {
	for i, p := range fabric.Protocols() {
		if i%depth.Choose(3, 3, 1) != 0 {
			continue
		}
		for _, assignments := range []string{
			"", "detect=tcd,cc=dcqcn", "detect=npecn,cc=dctcp", "cc=hpcc", "cc=qcn",
		} {
			r := incast(t, p.Name, assignments)
			plain := do(t, r)
			r.Observer = probe.New(probe.Config{
				Graph: r.Topology, Ports: []sluice.Hop{congested, uplink}, Class: 3,
				Flows: []int32{0, 1, 2}, Pauses: true, Lengths: true, From: 20 * us,
			})
			watched := do(t, r)
			require.NotNil(t, watched.Seen)
			watched.Seen, watched.Wall, plain.Wall = nil, 0, 0
			require.Equal(t, plain, watched, "%s %s", p.Name, assignments)
		}
	}
}

// TestAgainstLookingEverywhere compares statistics with a count at every port after every event.
func TestAgainstLookingEverywhere(t *testing.T) {
	for _, fc := range []string{"pfc", "none", "pyrrha", "bfc"} {
		r := incast(t, fc, "detect=ecn,ecn.kmin=20KB,ecn.kmax=40KB")
		const from = 30 * us
		config := probe.Config{Graph: r.Topology, From: from, Pauses: true, Class: 3}
		for i := range r.Topology.Nodes[15].Ports {
			config.Ports = append(config.Ports, sluice.Hop{Switch: 15, Port: sluice.PortID(i)})
		}
		r.Observer = probe.New(config)
		ports := len(r.Topology.Nodes[15].Ports)
		area := make([]*big.Int, ports) // of byte-picoseconds
		backlog := make([]sluice.Bytes, ports)
		longest := make([]sluice.Bytes, ports)
		for i := range area {
			area[i] = new(big.Int)
		}
		last := from
		r.Inspect = func(s *sim.Simulator) error {
			if span := s.Now() - last; span > 0 {
				for i := range area {
					product := new(big.Int).Mul(big.NewInt(int64(backlog[i])), big.NewInt(int64(span)))
					area[i].Add(area[i], product)
				}
				last = s.Now()
			}
			clear(backlog)
			s.Buffered(15, func(id sluice.PortID, _ sluice.QueueID, p *sluice.Packet) {
				backlog[id] += p.Size
			})
			if s.Now() >= from {
				for i := range longest {
					longest[i] = max(longest[i], backlog[i])
				}
			}
			return nil
		}
		result := do(t, r)
		seen := result.Seen
		require.Equal(t, from, seen.From)
		require.Equal(t, result.Simulated, seen.To)
		for _, s := range seen.Ports {
			if s.At.Switch != 15 {
				continue
			}
			mean := new(big.Int).Div(area[s.At.Port], big.NewInt(int64(seen.To-seen.From)))
			require.Equal(t, mean.Int64(), int64(s.MeanQueue), "%s %v", fc, s.At)
			// A packet that comes and leaves at one instant was there, unseen between events.
			require.InDelta(t, int64(longest[s.At.Port]), int64(s.LongestQueue), 1526, "%s %v", fc, s.At)
		}
	}
}

// TestSamplesSumUp: what the samples of a port or flow say is, summed up, what happened in all.
func TestSamplesSumUp(t *testing.T) {
	r := incast(t, "pfc", "detect=tcd,ecn.kmin=20KB,ecn.kmax=40KB")
	r.Observer = probe.New(probe.Config{
		Graph: r.Topology, Ports: []sluice.Hop{congested, uplink}, Class: 3, Flows: []int32{0, 5},
		Pauses: true, Lengths: true,
	})
	result := do(t, r)
	require.Len(t, result.Seen.Series, 2)
	states := map[string]bool{}
	for _, s := range result.Seen.Series {
		total := result.Seen.Ports[0]
		for _, p := range result.Seen.Ports {
			if p.At == s.At {
				total = p
			}
		}
		require.Len(t, s.Backlog, len(result.Series))
		require.Equal(t, total.Sent, sum(s.Sent))
		require.Equal(t, total.Pauses, sum(s.Pauses))
		require.Equal(t, total.CE, sum(s.CE))
		require.Equal(t, total.UE, sum(s.UE))
		for _, state := range s.State {
			states[state] = true
		}
		if s.At == uplink {
			require.Positive(t, total.Pauses)
			require.Positive(t, total.UE)
			require.Positive(t, total.Held)
			require.Less(t, total.Held, result.Simulated)
		} else {
			require.Zero(t, total.Pauses, "rack 0 pauses no neighbour")
			require.Positive(t, total.CE)
			require.Zero(t, total.UE)
		}
	}
	require.True(t, states["/"] && states["0"] && states["1"], states)
	require.EqualValues(t, 200_000, sum(result.Seen.Flows[0].Received))
	require.EqualValues(t, 50_000, sum(result.Seen.Flows[1].Received))
	require.Equal(t, 100*sluice.Gbps, result.Seen.Flows[0].Set[0], "line rate, without a control")
	for _, l := range result.Seen.Lengths {
		require.Equal(t, int64(len(result.Series)), sum(l.Counts))
	}
	require.Len(t, result.Seen.Lengths, 3*5+3, "the ports of switches")
}

func sum[T ~int64](values []T) (total T) {
	for _, v := range values {
		total += v
	}
	return total
}

// TestPausesAlternate: every queue is paused before it is resumed, and in the end none is.
func TestPausesAlternate(t *testing.T) {
	r := incast(t, "pfc", "")
	r.Observer = probe.New(probe.Config{Graph: r.Topology, Pauses: true})
	held := map[sluice.Hop]bool{}
	for _, p := range do(t, r).Seen.Pauses {
		require.NotEqual(t, held[p.At], p.Paused, "all traffic is of one class")
		held[p.At] = p.Paused
	}
	require.NotEmpty(t, held)
	for at, paused := range held {
		require.False(t, paused, at)
	}
}

// TestARunWithinTheWarmUp has nothing to report.
func TestARunWithinTheWarmUp(t *testing.T) {
	r := incast(t, "pfc", "")
	r.Observer = probe.New(probe.Config{Graph: r.Topology, From: sluice.Second})
	for _, p := range do(t, r).Seen.Ports {
		require.Equal(t, probe.PortStatistics{At: p.At}, p)
	}
}

// TestStatesAndMarks: changes of a detector's state follow one another, and the marks of the flows
// of a port add up to the port's marks.
func TestStatesAndMarks(t *testing.T) {
	r := incast(t, "pfc", "detect=tcd,ecn.kmin=20KB,ecn.kmax=40KB,buffer=1200KB,window=1GiB")
	var ports []sluice.Hop
	for id := range r.Topology.Nodes {
		for i := range r.Topology.Nodes[id].Ports {
			ports = append(ports, sluice.Hop{Switch: sluice.SwitchID(id), Port: sluice.PortID(i)})
		}
	}
	r.Observer = probe.New(probe.Config{
		Graph: r.Topology, Ports: ports, Class: 3, States: true, Marks: true,
	})
	seen := do(t, r).Seen
	states := map[sluice.Hop]string{}
	for _, change := range seen.States {
		if states[change.At] == "" {
			states[change.At] = "0"
		}
		require.Equal(t, states[change.At], change.From)
		require.NotEqual(t, change.From, change.To)
		states[change.At] = change.To
	}
	require.NotEmpty(t, states)
	marks, packets := map[sluice.Hop][2]int64{}, map[sluice.Hop]int64{}
	for _, m := range seen.Marks {
		sum := marks[m.At]
		marks[m.At] = [2]int64{sum[0] + m.UE, sum[1] + m.CE}
		packets[m.At] += m.Packets
	}
	for _, p := range seen.Ports {
		require.Equal(t, p.Packets, packets[p.At])
		require.Equal(t, [2]int64{p.UE, p.CE}, marks[p.At])
	}
}
