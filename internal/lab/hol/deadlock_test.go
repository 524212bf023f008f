package hol

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// The ports of Figures 12 and 13. Port 1 of A leads to B, of B to C, of C to A.
var (
	portA1, portA2 = hop(1, 1), hop(1, 2)
	portB1, portB2 = hop(2, 1), hop(2, 2)
	portC1, portC2 = hop(3, 1), hop(3, 2)
)

// figure12 is the flow of Figure 12: in by A2, then out by A1, B1 and C1 of the upper, left and
// right switch, and by A1 again; C1 is congested first. It goes round twice here.
func figure12(t require.TestingT) *Scenario {
	return mustScenario(
		t, []Flow{{Path: []sluice.Hop{portA1, portB1, portC1, portA1, portB1, portC1}}},
		[]sluice.Hop{portC1},
	)
}

// figure13 is the three flows of Figure 13, by egress ports: F1 takes A1, B1, C2; F2 takes B1, C1,
// A2; F3 takes C1, A1, B2.
func figure13(t require.TestingT, congested ...sluice.Hop) *Scenario {
	return mustScenario(t, []Flow{
		{ID: 1, Path: []sluice.Hop{portA1, portB1, portC2}},
		{ID: 2, Path: []sluice.Hop{portB1, portC1, portA2}},
		{ID: 3, Path: []sluice.Hop{portC1, portA1, portB2}},
	}, congested)
}

func waitsOf(a *Assignment) *WaitGraph {
	g := new(WaitGraph)
	a.Waits(g)
	return g
}

// Under PFC the egress ports A1, B1, C1 and the ingress ports A3, B3, C3 depend on each other in a
// circle (section VII, Figure 12(a)).
func TestFigure12PFC(t *testing.T) {
	g := waitsOf(PFC(figure12(t)))

	const circle = "1:1 q0 waits for 2:1 q0 waits for 3:1 q0 waits for 1:1 q0"
	require.Equal(t, circle, Describe(g.Cycle()))
	require.Equal(t, circle, Describe(g.Stuck()))
}

// Under BFC the queues of F1 at A1, B1 and C1 depend on each other in a circle (section VII, Figure
// 12(b)).
func TestFigure12BFC(t *testing.T) {
	require.Equal(
		t, "1:1 q0 waits for 2:1 q0 waits for 3:1 q0 waits for 1:1 q0",
		Describe(waitsOf(BFCDynamic(32)(figure12(t))).Stuck()),
	)
	require.NotNil(t, waitsOf(PerFlow(figure12(t))).Stuck())
}

// Under Pyrrha root C1 pauses its IQ at B1, and that its IQ at A1. C1 ignores the PAUSE that names
// C1 itself, so no circle forms (section VII, Figure 12(c)).
func TestFigure12Pyrrha(t *testing.T) {
	for _, strategy := range []Strategy{PyrrhaSingleTier, PyrrhaHIQ} {
		a := strategy(figure12(t))
		g := waitsOf(a)

		require.Nil(t, g.Cycle())
		isolated := func(at sluice.Hop) Node { return named(a, Queue{At: at, Name: "{3:1}"}).Node() }
		require.Equal(t, 3, g.Len())
		require.True(t, g.Waits(isolated(portB1), Node{At: portC1}))
		require.True(t, g.Waits(isolated(portA1), isolated(portB1)))
		require.False(t, g.Waits(Node{At: portC1}, isolated(portA1)))
		require.Equal(t, []Queue{{At: portC1, Name: "{}"}}, a.QueuesAt(portC1), "no isolation for itself")
	}
}

// Under PFC the ports of the three flows wait in a circle: a deadlock (section VII, Figure 13(a)).
func TestFigure13PFC(t *testing.T) {
	g := waitsOf(PFC(figure13(t, portC1)))
	require.Equal(t, "1:1 q0 waits for 2:1 q0 waits for 3:1 q0 waits for 1:1 q0", Describe(g.Stuck()))
}

// Under BFC three flows in queues of their own do not deadlock; where they collide in one queue at
// each of A1, B1 and C1, these queues wait in a circle (section VII, Figure 13(b)).
func TestFigure13BFC(t *testing.T) {
	all := []sluice.Hop{portA1, portB1, portC1}
	require.Nil(t, waitsOf(BFCDynamic(32)(figure13(t, all...))).Cycle())
	require.NotNil(t, waitsOf(BFCDynamic(1)(figure13(t, portC1))).Stuck())
}

// Under Pyrrha every paused queue depends in the end on an OQ, which depends on no queue: no circle
// (section VII, Figure 13(c)).
func TestFigure13Pyrrha(t *testing.T) {
	for _, strategy := range []Strategy{PyrrhaSingleTier, PyrrhaHIQ} {
		a := strategy(figure13(t, portA1, portB1, portC1))
		g := waitsOf(a)

		require.Nil(t, g.Cycle())
		require.Equal(t, 6, g.Len())
		require.Len(t, g.edges, 3)
		require.True(t, g.Waits(named(a, Queue{At: portB1, Name: "{3:1}"}).Node(), Node{At: portC1}))
		require.True(t, g.Waits(named(a, Queue{At: portA1, Name: "{2:1}"}).Node(), Node{At: portB1}))
		require.True(t, g.Waits(named(a, Queue{At: portC1, Name: "{1:1}"}).Node(), Node{At: portA1}))
	}
}

// From a paused IQ one chain of dependencies leads to the OQ of its root (section VII).
//
// The chain is not the only one. Here all flows of one root are rerouted round the ring (A, B, C)
// before they leave it, and its isolation queues there wait for one another: the packets of F1 in
// B1 keep A1 paused, F2's packets in C1 keep B1 paused, F3's packets in A1 keep C1 paused, however
// empty the root.
func TestPyrrhaCanDeadlockOnDetours(t *testing.T) {
	root := hop(4, 0)
	s := mustScenario(t, []Flow{
		{Path: []sluice.Hop{portA1, portB1, portC2, root}},
		{Path: []sluice.Hop{portB1, portC1, portA2, root}},
		{Path: []sluice.Hop{portC1, portA1, portB2, root}},
	}, []sluice.Hop{root})
	for _, strategy := range []Strategy{PyrrhaSingleTier, PyrrhaHIQ} {
		g := waitsOf(strategy(s))
		require.Equal(t, "1:1 q1 waits for 2:1 q1 waits for 3:1 q1 waits for 1:1 q1", Describe(g.Cycle()))
		require.Nil(t, g.Stuck(), "as long as the queues towards the root hold packets too")
	}
}

// A port ignores a PAUSE that names itself as the root (section IV-E): a root is a switch and a
// port, so the rule covers one port. A flow that goes round once and then leaves switch B by
// another port, the root, closes the ring at B1, which is not the root. A rule for the whole switch
// would prevent it, and cost nothing on routes without a loop.
func TestOwnPortRuleAndALoopThatIsLeft(t *testing.T) {
	s := mustScenario(
		t, []Flow{{Path: []sluice.Hop{portA1, portB1, portC1, portA1, portB2}}}, []sluice.Hop{portB2},
	)
	for _, strategy := range []Strategy{PyrrhaSingleTier, PyrrhaHIQ} {
		g := waitsOf(strategy(s))
		require.Equal(t, "1:1 q1 waits for 2:1 q1 waits for 3:1 q1 waits for 1:1 q1", Describe(g.Cycle()))
		require.True(t, g.Waits(Node{At: portA1, Queue: 1}, Node{At: portB2}), "the way out")
	}
}

// No chain of dependencies forms a circle, because no PAUSE holds an OQ (section VII). That is so
// if every hop brings a packet nearer to each root ahead, as on shortest paths, in any network.
func TestPyrrhaHasNoCycleOnShortestPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, drawAny(t), shortestPath)
		for _, strategy := range []Strategy{PyrrhaSingleTier, PyrrhaHIQ} {
			require.Empty(t, Describe(waitsOf(strategy(s)).Cycle()))
		}
	})
}

// On any routes the OQ waits for no queue.
func TestOutputQueueNeverWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, drawAny(t), wanderingPath)
		for _, strategy := range []Strategy{PyrrhaSingleTier, PyrrhaHIQ} {
			g := waitsOf(strategy(s))
			for _, e := range g.edges {
				require.NotZero(t, g.nodes[e.from].Queue)
			}
		}
	})
}

// PFC deadlocks on shortest paths of a ring, where Pyrrha cannot.
func TestPFCDeadlocksOnShortestPathsOfARing(t *testing.T) {
	const switches = 5
	g := ring(switches)
	var flows []Flow
	for s := range sluice.SwitchID(switches) {
		// From each host to the host of the switch after the next. Hosts come first, then switches.
		at := func(k sluice.SwitchID) sluice.SwitchID { return switches + (s+k)%switches }
		first, _ := g.PortTo(at(0), at(1))
		second, _ := g.PortTo(at(1), at(2))
		last, _ := g.PortTo(at(2), (s+2)%switches)
		flows = append(
			flows,
			Flow{Path: []sluice.Hop{hop(s, 0), hop(at(0), first), hop(at(1), second), hop(at(2), last)}},
		)
	}
	scenario := mustScenario(t, flows, flows[0].Path[1:2])

	require.Len(t, waitsOf(PFC(scenario)).Stuck(), switches)
	require.Nil(t, waitsOf(PyrrhaHIQ(scenario)).Cycle())
}

// Up-down routes have no cycle of links, so that no protocol deadlocks on them.
func TestNoCycleInClos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		require.Empty(t, Describe(waitsOf(PFC(drawScenario(t, drawClos(t), shortestPath))).Cycle()))
	})
}

// The detector against reachability by Floyd and Warshall.
func TestWaitGraphAgainstReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "queues")
		node := func(i int) Node {
			return Node{hop(sluice.SwitchID(i/3), sluice.PortID(i%3)), sluice.QueueID(i % 2)}
		}
		var edges [][2]int
		direct := make([][]bool, n)
		distance := make([][]int, n)
		for i := range n {
			direct[i] = make([]bool, n)
			distance[i] = slices.Repeat([]int{99}, n)
		}
		g := new(WaitGraph)
		g.Edge(node(0), node(0))
		g.Reset()
		require.Nil(t, g.Cycle())
		for range rapid.IntRange(0, 14).Draw(t, "edges") {
			e := [2]int{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to")}
			edges = append(edges, e)
			direct[e[0]][e[1]], distance[e[0]][e[1]] = true, 1
			g.Edge(node(e[0]), node(e[1]))
		}
		for k := range n {
			for i := range n {
				for j := range n {
					distance[i][j] = min(distance[i][j], distance[i][k]+distance[k][j])
				}
			}
		}
		free := func(i int) bool { return !slices.Contains(direct[i], true) }
		canGetFree := func(i int) bool {
			for j := range n {
				if free(j) && (i == j || distance[i][j] < 99) {
					return true
				}
			}
			return false
		}
		var onCycle, stuck bool
		for i := range n {
			onCycle = onCycle || distance[i][i] < 99
			stuck = stuck || !canGetFree(i)
		}

		index := func(x Node) int {
			for i := range n {
				if node(i) == x {
					return i
				}
			}
			t.Fatalf("%v is no node", x)
			return -1
		}
		check := func(cycle []Node, stuck bool) {
			for i, from := range cycle {
				to := cycle[(i+1)%len(cycle)]
				require.True(t, g.Waits(from, to))
				require.True(t, direct[index(from)][index(to)])
				require.GreaterOrEqual(t, index(from), index(cycle[0]), "begins with its smallest")
				require.False(t, stuck && canGetFree(index(from)))
			}
			require.Len(
				t, cycle, distance[index(cycle[0])][index(cycle[0])], "no circle through the first is shorter",
			)
		}
		require.Equal(t, onCycle, g.Cycle() != nil)
		if onCycle {
			check(g.Cycle(), false)
		}
		require.Equal(t, stuck, g.Stuck() != nil)
		if stuck {
			check(g.Stuck(), true)
		}

		shuffled := new(WaitGraph)
		for _, e := range rapid.Permutation(edges).Draw(t, "order") {
			shuffled.Edge(node(e[0]), node(e[1]))
			shuffled.Edge(node(e[0]), node(e[1]))
		}
		require.Equal(t, g.Cycle(), shuffled.Cycle())
		require.Equal(t, g.Stuck(), shuffled.Stuck())
		require.Equal(t, g.Len(), shuffled.Len())
	})
}

func TestDescribe(t *testing.T) {
	g := new(WaitGraph)
	g.Edge(Node{At: hop(171, 3)}, Node{At: hop(160, 17)})
	g.Edge(Node{At: hop(160, 17)}, Node{At: hop(171, 3)})
	g.Edge(Node{At: hop(160, 17), Queue: 2}, Node{At: hop(171, 3)})
	g.Edge(Node{At: hop(171, 3)}, Node{At: hop(1, 1)})

	require.Equal(t, "160:17 q0 waits for 171:3 q0 waits for 160:17 q0", Describe(g.Cycle()))
	require.Nil(t, g.Stuck(), "1:1 q0 waits for no queue")
	require.False(t, g.Waits(Node{}, Node{At: hop(1, 1)}))
	require.Equal(t, "", Describe(nil))
}
