package hol

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

func hop(s sluice.SwitchID, p sluice.PortID) sluice.Hop { return sluice.Hop{Switch: s, Port: p} }

// testbed is the traffic of section V-B: hosts 0 (S1) and 2 (S2) send to 4 (R1), 1 (VS) sends to 5
// (VR). Racks are 6, 7 and 8 with two hosts each at ports 0 and 1, cores 9 and 10 at ports 2 and 3;
// port r of a core leads to rack r. S2's flow to R1 and VS's to VR share a core's port, 9:2. R1's
// port is congested.
func testbed(t require.TestingT) *Scenario {
	return mustScenario(t, []Flow{
		{ID: 1, Path: []sluice.Hop{hop(0, 0), hop(6, 3), hop(10, 2), hop(8, 0)}}, // S1 to R1
		{ID: 2, Path: []sluice.Hop{hop(2, 0), hop(7, 2), hop(9, 2), hop(8, 0)}},  // S2 to R1
		{ID: 3, Path: []sluice.Hop{hop(1, 0), hop(6, 2), hop(9, 2), hop(8, 1)}},  // VS to VR
	}, []sluice.Hop{hop(8, 0)})
}

// PFC also pauses flows that do not contribute to the congestion downstream, if they share a queue
// with congested flows (section II-B).
func TestPFCBlocksTheVulnerableFlow(t *testing.T) {
	blocked := PFC(testbed(t)).Blocked()

	require.Len(t, blocked, 1)
	require.Equal(
		t, "flow 2 waits in 9:2 q0 all for 8:0, which it does not pass, because of flow 1",
		blocked[0].String(),
	)
}

// Flow control by congestion root pauses no innocent flow (section I).
func TestPyrrhaIsolatesTheVulnerableFlow(t *testing.T) {
	a := PyrrhaSingleTier(testbed(t))

	require.Empty(t, a.Blocked())
	require.Equal(t, `0:0 q1 {8:0}: flows [0]
1:0 q0 {}: flows [2]
2:0 q1 {8:0}: flows [1]
6:2 q0 {}: flows [2]
6:3 q1 {8:0}: flows [0]
7:2 q1 {8:0}: flows [1]
8:0 q0 {}: flows [0 1]
8:1 q0 {}: flows [2]
9:2 q0 {}: flows [2]
9:2 q1 {8:0}: flows [1]
10:2 q1 {8:0}: flows [0]
`, a.String())
}

// Congestion spreads to innocent ports (section II-B). The pause of 9:2 stops VS's flow, that flow
// fills 6:2, and 6:2 stops a flow that goes nowhere near R1's rack.
func TestPFCSpreads(t *testing.T) {
	s := testbed(t)
	bystander := Flow{ID: 4, Path: []sluice.Hop{hop(1, 0), hop(6, 2), hop(9, 1), hop(7, 1)}}
	s = mustScenario(t, append(s.flows, bystander), s.Congested())

	require.False(
		t, slices.ContainsFunc(PFC(s).Blocked(), func(w Witness) bool { return w.Flow == 3 }),
	)
	spread := PFC(s).Spread()
	require.Contains(
		t, spread, Witness{Flow: 3, In: Queue{At: hop(6, 2), Name: "all"}, Root: hop(8, 0), Because: 2},
	)
	require.Empty(t, PyrrhaSingleTier(s).Spread())
	require.Empty(t, PyrrhaHIQ(s).Spread())
}

// Congestion that spreads begins with a flow that is blocked.
func TestSpreadNeedsBlocking(t *testing.T) {
	for _, protocol := range append(oneTier, struct {
		name     string
		strategy Strategy
	}{"Pyrrha HIQ", PyrrhaHIQ}) {
		t.Run(protocol.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := protocol.strategy(drawScenario(t, drawAny(t), wanderingPath))
				blocked, spread := a.Blocked(), a.Spread()
				require.Equal(t, len(blocked) == 0, len(spread) == 0)
				for _, w := range blocked {
					require.True(t, slices.ContainsFunc(spread, func(x Witness) bool {
						return x.Flow == w.Flow && x.In == w.In && x.Root == w.Root && x.Passed == w.Passed
					}))
				}
			})
		})
	}
}

// Queues by destination prevent blocking by an incast at the last hop, but not by load imbalance
// inside the network (section II-C).
func TestPerDestinationHandlesTheLastHopOnly(t *testing.T) {
	// Host 0 has two flows to host 4, one by each core. Only core 9's port is congested.
	imbalance := mustScenario(t, []Flow{
		{Path: []sluice.Hop{hop(0, 0), hop(6, 2), hop(9, 2), hop(8, 0)}},
		{Path: []sluice.Hop{hop(0, 0), hop(6, 3), hop(10, 2), hop(8, 0)}},
	}, []sluice.Hop{hop(9, 2)})
	blocked := PerDestination(imbalance).Blocked()
	require.Len(t, blocked, 1)
	require.Equal(
		t, "flow 1 waits in 0:0 q0 to 8:0 for 9:2, which it does not pass, because of flow 0",
		blocked[0].String(),
	)
	require.Empty(t, PyrrhaHIQ(imbalance).Blocked())

	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, drawClos(t), shortestPath)
		var lastHops []sluice.Hop
		for _, flow := range s.flows {
			lastHops = append(lastHops, flow.Path[len(flow.Path)-1])
		}
		incast := mustScenario(t, s.flows, lastHops)
		require.Empty(t, PerDestination(incast).Blocked())
	})
}

// BFC blocks where a congested and an uncongested flow share a queue, or an FID (section VIII-A).
func TestBFCBlocksOnCollision(t *testing.T) {
	s := testbed(t)
	require.NotEmpty(t, BFCDynamic(1)(s).Blocked())
	// A flow gets an empty queue where there is one (section II-C).
	require.Empty(t, BFCDynamic(2)(s).Blocked())

	s.flows[2].ID = s.flows[1].ID
	require.NotEmpty(t, BFCDynamic(128)(s).Blocked(), "one FID, one queue")
}

// A PAUSE names its root (section IV-D): even where a queue holds two groups of flows, its PAUSE
// upstream stops the root's group only.
func TestPausesNameTheRoot(t *testing.T) {
	a := PyrrhaSingleTier(testbed(t))
	merged := mustMerge(t, a, a.QueuesAt(hop(9, 2))[0], a.QueuesAt(hop(9, 2))[1])
	g := waitsOf(merged)

	require.True(t, g.Waits(Node{At: hop(7, 2), Queue: 1}, Node{At: hop(9, 2)}))
	require.False(t, g.Waits(Node{At: hop(6, 2)}, Node{At: hop(9, 2)}))
	require.Len(t, merged.Spread(), 1)
	require.Equal(t, merged.Blocked(), merged.Spread())
}

// Under PFC the pause comes round to C1, the port that was congested first (section VII, Figure
// 12(a)): the flow waits at C1 for C1.
func TestLoopBlocksItself(t *testing.T) {
	blocked := PFC(figure12(t)).Blocked()
	require.Len(t, blocked, 1)
	require.Equal(
		t, "flow 0 waits in 3:1 q0 all for 3:1, which it has passed already, because of flow 0",
		blocked[0].String(),
	)
	require.Empty(t, PyrrhaSingleTier(figure12(t)).Blocked())
	require.Empty(t, PyrrhaHIQ(figure12(t)).Blocked())
}

// Definitions 3 to 6 on the testbed.
func TestDefinitions(t *testing.T) {
	s := testbed(t)
	root := hop(8, 0)

	// Definition 3: the congested flows of a queue are all flows that pass it.
	require.Equal(t, []int{0, 1}, s.Through(root))
	// Definition 4: the ports that a congested flow passed before the congested queue.
	require.Equal(
		t, []sluice.Hop{hop(0, 0), hop(2, 0), hop(6, 3), hop(7, 2), hop(9, 2), hop(10, 2)},
		s.PausedPorts(root),
	)
	// Equation 13: under Pyrrha, of these ports, the queues whose set has the root.
	var paused []string
	for _, q := range PyrrhaSingleTier(s).Paused(root) {
		paused = append(paused, q.String())
	}
	require.Equal(t, []string{
		"0:0 q1 {8:0}", "2:0 q1 {8:0}", "6:3 q1 {8:0}", "7:2 q1 {8:0}", "9:2 q1 {8:0}", "10:2 q1 {8:0}",
	}, paused)
	// Definition 6: all flows of the potentially paused queues.
	require.Equal(t, []int{0, 1}, PyrrhaSingleTier(s).PausedFlows(root))
	require.Equal(t, []int{0, 1, 2}, PFC(s).PausedFlows(root))
	// Table I: a port that is not congested has no congested queue.
	require.Empty(t, PFC(s).Paused(hop(9, 2)))
	require.Empty(t, PFC(s).PausedFlows(hop(99, 0)))
}

// Only congested and potentially paused queues count (section VI-C).
func TestCount(t *testing.T) {
	s := testbed(t)

	require.Equal(t, Count{InUse: 10, Congested: 1, Paused: 6, Involved: 7}, PFC(s).Total())
	require.Equal(t, Count{InUse: 12, Congested: 2, Paused: 6, Involved: 8}, PerFlow(s).Total())
	require.Equal(
		t, Count{InUse: 11, Congested: 1, Paused: 6, Involved: 7}, PyrrhaSingleTier(s).Total(),
	)
	require.Equal(t, Count{InUse: 2, Paused: 1, Involved: 1}, PyrrhaSingleTier(s).CountAt(hop(9, 2)))
	require.Equal(t, Count{InUse: 16, Congested: 1, Paused: 6, Involved: 7}, PyrrhaHIQ(s).Total())

	// A congested port that is paused by another counts once.
	s = mustScenario(t, s.flows, []sluice.Hop{hop(8, 0), hop(9, 2)})
	require.Equal(t, Count{InUse: 1, Congested: 1, Paused: 1, Involved: 1}, PFC(s).CountAt(hop(9, 2)))
	require.Equal(
		t, Count{InUse: 2, Congested: 1, Paused: 1, Involved: 2}, PyrrhaSingleTier(s).CountAt(hop(9, 2)),
	)
}

// In two tiers an uplink port of a ToR has two levels of IQs, because the farthest root is two hops
// away (section IV-C).
func TestLevels(t *testing.T) {
	s := mustScenario(t, testbed(t).flows, testbed(t).Ports())
	a := PyrrhaHIQ(s)

	require.Equal(t, 2, a.LevelsAt(hop(6, 2)))
	require.Equal(t, 1, a.LevelsAt(hop(9, 2)))
	require.Equal(t, 0, a.LevelsAt(hop(8, 0)))
	require.Equal(t, 0, PyrrhaSingleTier(s).LevelsAt(hop(6, 2)))
	// A packet passes its IQs from the nearest level to the farthest, then the OQ (section IV-C).
	var names []string
	for _, q := range a.QueuesOf(2, 1) {
		names = append(names, q.Name)
	}
	require.Equal(t, []string{"{9:2}", "{8:1}", "{}"}, names)
	// In a single tier one IQ has the flows of two congested OQs, q_p-{q1,q2} (section VI-C).
	require.Equal(t, "6:2 q1 {8:1 9:2}", PyrrhaSingleTier(s).QueuesOf(2, 1)[0].String())
}

// With load balancing by flow, a flow meets at most one root of a level, which keeps its packets in
// order (section IV-C); and a root has one distance from a port.
func TestOneRootALevel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := PyrrhaHIQ(drawScenario(t, drawClos(t), shortestPath))
		for f := range a.s.Flows() {
			for i := range a.s.Flow(f).Path {
				queues := a.QueuesOf(f, i)
				require.Equal(t, "{}", queues[len(queues)-1].Name)
				for k, q := range queues[:len(queues)-1] {
					// The distance from here is the level the queue was made for.
					require.Equal(t, "{"+a.s.Flow(f).Path[i+q.Level].String()+"}", q.Name)
					require.True(t, k == 0 || q.Level > queues[k-1].Level)
				}
			}
		}
	})
}

// The paper has the hierarchy use fewer queues than a single tier (section VI-C). Where the sets of
// roots are many it does; a single flow through two roots is the opposite case.
func TestHierarchyAgainstSingleTier(t *testing.T) {
	few := mustScenario(t, []Flow{
		{Path: []sluice.Hop{hop(6, 2), hop(9, 2), hop(8, 1)}},
	}, []sluice.Hop{hop(9, 2), hop(8, 1)})
	require.Equal(t, 3, PyrrhaHIQ(few).CountAt(hop(6, 2)).InUse)
	require.Equal(t, 1, PyrrhaSingleTier(few).CountAt(hop(6, 2)).InUse)

	// Three near roots, three far roots each, and flows that meet none, one or both.
	var flows []Flow
	var roots []sluice.Hop
	for near := range sluice.PortID(3) {
		for far := range sluice.PortID(3) {
			rack := 20 + sluice.SwitchID(near)
			flows = append(flows,
				Flow{Path: []sluice.Hop{hop(6, 2), hop(9, near), hop(rack, far)}},
				Flow{Path: []sluice.Hop{hop(6, 2), hop(9, near), hop(rack, 9)}},
				Flow{Path: []sluice.Hop{hop(6, 2), hop(9, 10+near), hop(rack, far)}},
				Flow{Path: []sluice.Hop{hop(6, 2), hop(9, 10), hop(30, 0)}})
			roots = append(roots, hop(9, near), hop(rack, far))
		}
	}
	many := mustScenario(t, flows, roots)
	require.Equal(t, 1+3+9, PyrrhaHIQ(many).CountAt(hop(6, 2)).InUse)
	require.Equal(t, 1+3+9+9, PyrrhaSingleTier(many).CountAt(hop(6, 2)).InUse)
}

// The proof of Lemma 2 takes a flow of queue q*_A that does not pass p'. Where routes go round, a
// flow can pass p' before it comes to the queue: Definition 7 excuses that, although the wait
// serves no flow.
func TestBlockedByAPortLeftBehind(t *testing.T) {
	a1, b1 := hop(1, 1), hop(2, 1)
	s := mustScenario(t, []Flow{
		{Path: []sluice.Hop{a1, b1, hop(3, 2)}},
		{Path: []sluice.Hop{b1, hop(3, 1), a1, hop(2, 2)}},
	}, []sluice.Hop{b1})
	blocked := PFC(s).Blocked()

	require.Len(t, blocked, 1)
	require.True(t, blocked[0].Passed)
	require.Equal(
		t, "flow 1 waits in 1:1 q0 all for 2:1, which it has passed already, because of flow 0",
		blocked[0].String(),
	)
	require.Empty(t, definitionsOf(PFC(s)).innocent(b1))
	require.Empty(t, PyrrhaSingleTier(s).Blocked())
}
