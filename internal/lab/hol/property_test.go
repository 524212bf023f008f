package hol

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// The strategies of one tier, for which the paper's definitions hold word for word.
var oneTier = []struct {
	name     string
	strategy Strategy
}{
	{"PFC", PFC},
	{"per flow", PerFlow},
	{"per destination", PerDestination},
	{"BFC dynamic 3", BFCDynamic(3)},
	{"Pyrrha single tier", PyrrhaSingleTier},
}

func TestModelIsTheDefinitions(t *testing.T) {
	for _, protocol := range oneTier {
		t.Run(protocol.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a := protocol.strategy(drawScenario(t, drawAny(t), wanderingPath))
				d := definitionsOf(a)
				innocent := make(map[sluice.Hop]map[int]bool)
				for _, w := range a.Blocked() {
					if innocent[w.Root] == nil {
						innocent[w.Root] = make(map[int]bool)
					}
					if !w.Passed {
						innocent[w.Root][w.Flow] = true
					}
				}
				for _, p := range a.s.Ports() {
					require.ElementsMatch(t, slices.Collect(maps.Keys(d.queuesAt(p))), a.QueuesAt(p))
					require.ElementsMatch(t, slices.Collect(maps.Keys(d.pausedQueues(p))), a.Paused(p))
					require.ElementsMatch(t, slices.Collect(maps.Keys(d.pausedFlows(p))), a.PausedFlows(p))
					require.ElementsMatch(
						t, slices.Collect(maps.Keys(d.innocent(p))), slices.Collect(maps.Keys(innocent[p])),
					)
				}
			})
		})
	}
}

// Theorem 1: Pyrrha blocks no head of line in any scenario.
func TestTheorem1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, drawAny(t), wanderingPath)
		require.Empty(t, PyrrhaSingleTier(s).Blocked())
		require.Empty(t, PyrrhaHIQ(s).Blocked())
	})
}

// A queue and a pause for each flow prevent all blocking (section I).
func TestPerFlowNeverBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		require.Empty(t, PerFlow(drawScenario(t, drawAny(t), wanderingPath)).Blocked())
	})
}

// Theorem 2: no protocol without blocking needs fewer queues than Pyrrha. The proof takes two
// queues q_p*-Qc1 and q_p*-Qc2 that share one queue q*_A of another protocol, a root p' in one set
// and not in the other, a flow of q*_A that passes p', and one that does not: the latter is
// blocked, at p*.
func TestTheorem2SingleTier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := PyrrhaSingleTier(drawScenario(t, drawAny(t), wanderingPath))
		pairs(a, func(x, y Queue) {
			merged := mustMerge(t, a, x, y)
			blocked := merged.Blocked()
			require.NotEmpty(t, blocked, "%v and %v together", x, y)
			for _, w := range blocked {
				require.Equal(t, x.Node(), w.In.Node())
				path := merged.s.Flow(w.Flow).Path
				require.NotContains(t, after(path, x.At), w.Root)
				require.Contains(t, after(merged.s.Flow(w.Because).Path, x.At), w.Root)
				inX := slices.Contains(a.FlowsIn(x), w.Flow)
				require.NotEqual(
					t, inX, slices.Contains(a.FlowsIn(x), w.Because), "the two come from different queues",
				)
			}
		})
	})
}

// Lemma 2: a protocol with fewer queues at a port than Pyrrha blocks at that port. A queue is
// harmless if and only if it lies within one of Pyrrha's, which says the lemma and its converse.
func TestLemma2(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, drawAny(t), wanderingPath)
		pyrrha := PyrrhaSingleTier(s)
		port := rapid.SampledFrom(s.Ports()).Draw(t, "port")
		through := s.Through(port)
		n := rapid.IntRange(1, len(through)+1).Draw(t, "queues")
		queueOf := make(map[int]string)
		for _, f := range through {
			queueOf[f] = strconv.Itoa(rapid.IntRange(1, n).Draw(t, "queue"))
		}
		other := OneTier(s, func(f, i int) string {
			if s.Flow(f).Path[i] == port {
				return queueOf[f]
			}
			return "flow " + strconv.Itoa(f)
		})

		harmless := true
		for _, q := range other.QueuesAt(port) {
			flows := other.FlowsIn(q)
			within := slices.ContainsFunc(pyrrha.QueuesAt(port), func(p Queue) bool {
				isolated := pyrrha.FlowsIn(p)
				return !slices.ContainsFunc(flows, func(f int) bool { return !slices.Contains(isolated, f) })
			})
			harmless = harmless && within
		}

		blocked := other.Blocked()
		require.Equal(t, harmless, len(blocked) == 0, "%v", blocked)
		for _, w := range blocked {
			require.Equal(t, port, w.In.At)
		}
		if other.CountAt(port).InUse < pyrrha.CountAt(port).InUse {
			require.NotEmpty(t, blocked)
		}
	})
}

// Fewer queues cannot prevent all blocking (section I): where the single tier needs more queues at
// some port than PFC and BFC have there, they block, and PFC blocks nowhere else.
func TestFewerQueuesBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, drawAny(t), wanderingPath)
		most := 0
		pyrrha := PyrrhaSingleTier(s)
		for _, port := range s.Ports() {
			most = max(most, pyrrha.CountAt(port).InUse)
		}

		require.Equal(t, most > 1, len(PFC(s).Blocked()) > 0)
		for n := sluice.QueueID(1); int(n) < most; n++ {
			require.NotEmpty(t, BFCDynamic(n)(s).Blocked())
		}
		require.Empty(t, BFCDynamic(sluice.QueueID(s.Flows()))(s).Blocked(), "a queue for each flow")
		require.GreaterOrEqual(t, PerFlow(s).Total().InUse, pyrrha.Total().InUse)
	})
}

// A port needs a queue for each group of congested flows to isolate (section VI-C). With the
// hierarchy that is a sum over the levels, with a single tier at worst a product: each flow meets
// at most one root a level.
func TestQueuesAtPort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScenario(t, drawClos(t), shortestPath)
		hierarchy, single := PyrrhaHIQ(s), PyrrhaSingleTier(s)
		for _, port := range s.Ports() {
			perLevel := make(map[int]int)
			for _, q := range hierarchy.QueuesAt(port) {
				perLevel[q.Level]++
			}
			sum, product := 1, 1
			for level, queues := range perLevel {
				if level > 0 {
					sum += queues
					product *= queues + 1
				}
			}
			require.Equal(t, sum, hierarchy.CountAt(port).InUse)
			require.LessOrEqual(t, single.CountAt(port).InUse, product)
			require.LessOrEqual(t, hierarchy.CountAt(port).InUse, 1+len(s.Congested()))
		}
	})
}

// Over all scenarios Theorem 2 holds of the hierarchy too: either the scenario's own flows show the
// blocking, or a further flow of the network does, made as in the proof: it takes q*_A and does not
// pass p'.
func TestTheorem2HIQ(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawClos(t)
		s := drawScenario(t, g, shortestPath)
		a := PyrrhaHIQ(s)
		pairs(a, func(x, y Queue) {
			if len(mustMerge(t, a, x, y).Blocked()) > 0 {
				return
			}
			// The same flows pass both queues. Take one of them, and part from it where it would
			// enter the farther root.
			f := a.FlowsIn(x)[0]
			path := s.Flow(f).Path
			far := max(x.Level, y.Level) + slices.Index(path, x.At)
			witness := detour(g, path[:far], path[far].Switch, g.IsHost, path[far], 0)
			require.NotNil(t, witness, "no way round %v from %v", path[far], path[:far])

			more := mustScenario(
				t, append(slices.Clone(s.flows), Flow{ID: 99, Path: witness}), s.Congested(),
			)
			b := PyrrhaHIQ(more)
			require.Empty(t, b.Blocked())
			merged := mustMerge(t, b, named(b, x), named(b, y))
			require.True(t, slices.ContainsFunc(merged.Blocked(), func(w Witness) bool {
				return w.Flow == s.Flows() && w.Root == path[far] && w.In.At == x.At
			}), "%v", merged.Blocked())
		})
	})
}

// On routes up and then down a Clos no flow has left behind a port that another has ahead in the
// same queue: Definition 7, which does not look at the order of ports, says the same as we.
func TestNoPassedRootInClos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, w := range PFC(drawScenario(t, drawClos(t), shortestPath)).Blocked() {
			require.False(t, w.Passed, "%v", w)
		}
	})
}

func TestMergeRefuses(t *testing.T) {
	s := mustScenario(t, []Flow{{Path: []sluice.Hop{{Switch: 1}, {Switch: 2}}}}, nil)
	a := PFC(s)
	queues := a.Queues()

	for _, pair := range [][2]Queue{
		{queues[0], queues[1]}, {queues[0], queues[0]}, {queues[0], {At: queues[0].At, ID: 7}},
	} {
		_, err := a.Merge(pair[0], pair[1])
		require.ErrorContains(t, err, "are not two queues of one port")
	}
	require.Nil(t, a.FlowsIn(Queue{ID: 7}))
}

// named finds the queue of another assignment at the same port that is for the same thing.
func named(a *Assignment, like Queue) Queue {
	queues := a.QueuesAt(like.At)
	return queues[slices.IndexFunc(queues, func(q Queue) bool { return q.Name == like.Name })]
}

// after returns the part of a path beyond a port.
func after(path []sluice.Hop, port sluice.Hop) []sluice.Hop {
	return path[slices.Index(path, port)+1:]
}
