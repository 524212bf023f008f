package fabric_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/stretchr/testify/require"
)

// line is three hosts in a row: the one in the middle forwards, over a link that is the slower of
// its two.
func line() *topo.Graph {
	g := &topo.Graph{Name: "line", HostsForward: true, Nodes: make([]topo.Node, 3)}
	slow := link
	slow.Rate = 25 * sluice.Gbps
	g.Connect(0, 1, link)
	g.Connect(1, 2, slow)
	return g
}

// ndc is NDC(n,1) with links of 100 Gb/s.
func ndc(t testing.TB, n int) *topo.Graph {
	g, err := topo.NDC(topo.NDCConfig{N: n, K: 1, Links: []sluice.Link{link, link}})
	require.NoError(t, err)
	return g
}

// A host that forwards carries traffic under every protocol, beside its own: without loss where
// that is promised, on the ways that hashpath predicts, and in order.
func TestHostsForward(t *testing.T) {
	flows := []workload.Flow{
		{Src: 0, Dst: 2, Class: 3, Bytes: 1_000_000}, {Src: 0, Dst: 2, Class: 3, Bytes: 400_000},
		{Src: 2, Dst: 0, Class: 3, Bytes: 300_000}, {Src: 1, Dst: 2, Class: 3, Bytes: 300_000},
		{Src: 0, Dst: 1, Class: 3, Bytes: 300_000}, {Src: 2, Dst: 1, Class: 3, Bytes: 1},
	}
	for _, p := range fabric.Protocols() {
		t.Run(p.Name, func(t *testing.T) {
			r := fabric.Run{
				Protocol: p.Name, Topology: line(), Flows: flows, Seed: 3, VerifyPaths: true,
				Values: values(t, "window=400KB,host.buffer=1MiB,rto=500us"),
			}
			result := carries(t, r, p)
			require.Greater(t, result.MaxRelayBytes, 15*sluice.KB, "the middle host is the bottleneck")
			require.Zero(t, result.MaxSwitchBytes, "there is no switch")
			switch p.Name {
			case "pfc", "bfc", "pyrrha":
				require.NotEmpty(t, result.ControlFrames, "it had to act")
			}
		})
	}
}

// carries runs flows to their end and checks what every protocol promises.
func carries(t *testing.T, r fabric.Run, p fabric.Protocol) *sim.Result {
	var last *sim.Simulator
	r.Inspect = func(s *sim.Simulator) error { last = s; return nil }
	result := do(t, r)
	require.Equal(t, len(r.Flows), result.Completed, "notes: %v", result.Notes)
	require.Zero(t, result.Reordered)
	if p.Lossless {
		require.Zero(t, result.Dropped, "%v", result.Drops)
	}
	for node := range r.Topology.Nodes {
		m := last.Machine(sluice.SwitchID(node))
		require.NoError(t, m.Audit(), "node %d", node)
		require.Zero(t, m.Buffered(), "node %d", node)
	}
	return result
}

// All other nodes of NDC(4,1) send to node 0, most through another node.
func TestIncastThroughHosts(t *testing.T) {
	var flows []workload.Flow
	for host := sluice.SwitchID(1); host < 16; host++ {
		flows = append(flows, workload.Flow{Src: host, Dst: 0, Class: 3, Bytes: 100_000})
	}
	for _, p := range fabric.Protocols() {
		t.Run(p.Name, func(t *testing.T) {
			r := fabric.Run{
				Protocol: p.Name, Topology: ndc(t, 4), Flows: flows, Seed: 5, VerifyPaths: true,
				Values: values(t, "buffer=4MiB"),
			}
			result := carries(t, r, p)
			require.Positive(t, result.MaxRelayBytes)
		})
	}
}

// Flows that go two nodes on, round the ring of NDC(2,1), as in Figure 5 of the PortFC paper: the
// pauses of switches and hosts close a circle, and the search for it enters hosts.
func TestDeadlockThroughHosts(t *testing.T) {
	ring := []sluice.SwitchID{0, 1, 3, 2}
	r := fabric.Run{
		Protocol: "pfc", Topology: ndc(t, 2), Seed: 1, Until: 20 * sluice.Millisecond,
		Values: values(t, "window=1GB,buffer=2MiB,host.buffer=2MiB,pfc.alpha=1/256"),
	}
	for i, src := range ring {
		dst := ring[(i+2)%4]
		first := sluice.PortID(i % 2) // the layer in which a node and the next differ
		r.Routes = append(r.Routes, fabric.Route{At: src, Host: dst, Ports: []sluice.PortID{first}})
		for range 16 { // a flow has one packet in its card: that many take their share of it
			r.Flows = append(r.Flows, workload.Flow{Src: src, Dst: dst, Class: 3, Bytes: 200 * sluice.KB})
		}
	}
	result := do(t, r)
	require.Less(t, result.Completed, len(r.Flows))
	require.Regexp(t, `^deadlock at .*\b[0-3]:\d q3 waits for [4-7]:\d q3`, result.Deadlock)

	for _, r.Protocol = range []string{"ideal", "pfcstar"} {
		require.Equal(t, len(r.Flows), do(t, r).Completed, r.Protocol)
	}
}

// PortFC's Figure 5: two four-hop flows, flow control at the switches, nodes that only forward it.
// The flows close a circle through the nodes that they end at, which need not be full. Where nodes
// pause on their own account, as PFC has it, the two do not meet.
func TestDeadlockOfForwardedPauses(t *testing.T) {
	r := figure5(t, 400*sluice.KB)
	r.Protocol = "pfc-forward"
	result := do(t, r)
	require.Less(t, result.Completed, len(r.Flows))
	require.NotEmpty(t, result.Deadlock)
	t.Log(result.Deadlock)
	r.Protocol = "pfc"
	require.Equal(t, len(r.Flows), do(t, r).Completed)
}

// The same where node 4 has sent all that it had before the circle closes: its queue towards switch
// 10 is held and empty, and the pause that it passes on holds switch 13. The circle is named
// through that queue.
func TestDeadlockBehindAnEmptyQueue(t *testing.T) {
	r := figure5(t, 40*sluice.KB)
	r.Protocol = "pfc-forward"
	var last *sim.Simulator
	r.Inspect = func(s *sim.Simulator) error { last = s; return nil }
	result := do(t, r)
	require.Less(t, result.Completed, len(r.Flows))
	require.Zero(t, last.Machine(4).Buffered())
	require.False(t, last.Machine(4).Sendable(0, 3))
	require.Regexp(t, `13:1 q3 waits for 4:0 q3 waits for 10:0 q3`, result.Deadlock)
}

// figure5 is flows of nodes 0 and 4 to each other, and a flow that congests the switch before node
// 4: one of two ports is never congested.
func figure5(t *testing.T, back sluice.Bytes) fabric.Run {
	r := fabric.Run{
		Topology: ndc(t, 3), Seed: 1, Until: 20 * sluice.Millisecond,
		Values: values(
			t, "window=1GB,buffer=5MiB,host.buffer=5MiB,pfc.xoff=75KB,pfc.resume=25KB,ack.class=7",
		),
		Routes: []fabric.Route{
			{At: 0, Host: 4, Ports: []sluice.PortID{0}}, {At: 4, Host: 0, Ports: []sluice.PortID{0}},
		},
		Flows: []workload.Flow{{Src: 7, Dst: 4, Class: 3, Bytes: 400 * sluice.KB}},
	}
	for range 16 {
		r.Flows = append(r.Flows,
			workload.Flow{Src: 0, Dst: 4, Class: 3, Bytes: 400 * sluice.KB},
			workload.Flow{Src: 4, Dst: 0, Class: 3, Bytes: back},
		)
	}
	return r
}

// PFC* needs flows of one class, and as many classes above as queues on the longest way.
func TestPFCStarNeedsClasses(t *testing.T) {
	for _, test := range []struct {
		classes []sluice.Class
		set     string
		fine    bool
	}{
		{[]sluice.Class{3}, "", true}, {[]sluice.Class{4}, "", true},
		{[]sluice.Class{3}, "ack.class=7", true},
		{[]sluice.Class{5}, "", false}, {[]sluice.Class{3}, "ack.class=5", false},
		{[]sluice.Class{0, 1}, "", false},
	} {
		r := fabric.Run{Protocol: "pfcstar", Topology: ndc(t, 4), Values: values(t, test.set), Seed: 1}
		for i, class := range test.classes {
			r.Flows = append(
				r.Flows, workload.Flow{Src: sluice.SwitchID(i + 1), Dst: 0, Class: class, Bytes: 1},
			)
		}
		if err := r.Check(); test.fine {
			require.NoError(t, err)
		} else {
			require.ErrorContains(
				t, err, "pfcstar needs flows of one class, and from it on a class for each of the 4 queues",
			)
		}
	}
}

// PFC* loses nothing, in order, whatever the service of its classes.
func TestPFCStarCarriesAnIncast(t *testing.T) {
	p, err := fabric.Find("pfcstar")
	require.NoError(t, err)
	for _, set := range []string{"", ",pfcstar.service=most", ",pfcstar.service=fewest",
		",ack.class=7"} {
		r := fabric.Run{
			Protocol: "pfcstar", Topology: ndc(t, 4), Flows: incastOn(16, 100_000), Seed: 1,
			VerifyPaths: true,
			Values:      values(t, "buffer=5MB,pfc.xoff=75KB,window=1MB"+set),
		}
		result := carries(t, r, p)
		require.Positive(t, result.ControlFrames["pause"])
	}
	r := fabric.Run{
		Protocol: "pfcstar", Topology: leafSpine(t), Seed: 1, Values: values(t, "window=1MB,buffer=1MiB"),
		Flows: []workload.Flow{{Src: 1, Dst: 0, Bytes: 100_000}, {Src: 2, Dst: 0, Bytes: 100_000}},
	}
	carries(t, r, p)
}

// At a node whose own packets share a port with packets that it relays, its own or the relayed
// packets go first, as pfcstar.service says: its own packets have passed no queue, the relayed
// packets two.
func TestServiceOfPFCStar(t *testing.T) {
	const own, relayed = 0, 1
	share := func(service string) float64 {
		r := fabric.Run{
			Protocol: "pfcstar", Topology: ndc(t, 4), Seed: 1,
			Values: values(t, "buffer=5MB,pfc.xoff=75KB,ack.class=7,window=1GB,pfcstar.service="+service),
			Flows: []workload.Flow{
				{Src: 1, Dst: 13, Bytes: 2 * sluice.MB}, {Src: 2, Dst: 13, Bytes: 2 * sluice.MB},
			},
			Routes: []fabric.Route{{At: 2, Host: 13, Ports: []sluice.PortID{0}}}, // by node 1
		}
		workload.AssignPorts(r.Flows)
		flows := do(t, r).Flows
		return float64(flows[own].FCT) / float64(flows[relayed].FCT)
	}
	require.InDelta(t, 0.5, share("fewest"), 0.05)
	require.InDelta(t, 1, share("turn"), 0.05)
	require.InDelta(t, 2, share("most"), 0.2)
}

func TestNoCardNoDrain(t *testing.T) {
	r := fabric.Run{
		Protocol: "pyrrha", Topology: ndc(t, 2), Values: values(t, "drain=1/2"), Seed: 1,
		Flows: []workload.Flow{{Src: 1, Dst: 0, Bytes: 1}},
	}
	require.EqualError(t, r.Check(), "parameter drain: host 0 forwards; only a network card drains")
}
