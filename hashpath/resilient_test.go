package hashpath

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// star is a switch, 0, with n parallel links, ports 0 to n-1, to switch 1, behind which is host 2.
// Host 3 is on switch 0 by its port n.
func star(n int) *Builder {
	b := NewBuilder()
	b.AddSwitch(0)
	b.AddSwitch(1)
	b.AddHost(2)
	b.AddHost(3)
	for i := range n {
		b.Connect(hop(0, sluice.PortID(i)), hop(1, sluice.PortID(i)))
	}
	b.Connect(hop(1, sluice.PortID(n)), hop(2, 0))
	b.Connect(hop(0, sluice.PortID(n)), hop(3, 0))
	return b
}

func buildStar(t require.TestingT, n int, h Hash) *Network {
	net, err := star(n).Build(Config{Hash: h})
	require.NoError(t, err)
	return net
}

// buckets returns the ports of switch 0's group towards host 2, by slot.
func buckets(net *Network) []sluice.PortID {
	t := net.now.Load()
	p := t.placeOf(0)
	to := t.dests[t.addresses.find(&Flow{Dst: [16]byte{10, 0, 0, 2}}).index()]
	x := &t.nodes[p.index()]
	e := t.entryOf(x.row, to)
	var ports []sluice.PortID
	switch e & entryKind {
	case entryTrunk:
		ports = append(ports, t.links[x.trunks+uint32(e&entryValue)].port())
	case entryGroup:
		g := t.groups[e&entryValue]
		for _, m := range t.members[g.base : g.base+g.slots] {
			ports = append(ports, t.links[x.trunks+uint32(m)].port())
		}
	}
	return ports
}

func count(slots []sluice.PortID) map[sluice.PortID]int {
	counts := map[sluice.PortID]int{}
	for _, s := range slots {
		counts[s]++
	}
	return counts
}

func TestModuloSlots(t *testing.T) {
	b := star(3)
	b.SetWeight(hop(0, 1), 4)
	b.SetWeight(hop(0, 0), 2)
	b.SetWeight(hop(0, 2), 2)
	net, err := b.Build(Config{})
	require.NoError(t, err)
	// A member of weight w counts w times, the weights in lowest terms.
	require.Equal(t, []sluice.PortID{0, 1, 1, 2}, buckets(net))
	require.NoError(t, net.SetWeight(hop(0, 2), 6))
	require.Equal(t, []sluice.PortID{0, 1, 1, 2, 2, 2}, buckets(net))
	require.NoError(t, net.FailLink(hop(1, 1)))
	require.Equal(t, []sluice.PortID{0, 2, 2, 2}, buckets(net))
}

func TestResilientShares(t *testing.T) {
	b := star(3)
	b.SetWeight(hop(0, 1), 2)
	net, err := b.Build(Config{Hash: Hash{Select: Resilient, Buckets: 64}})
	require.NoError(t, err)
	require.Equal(t, map[sluice.PortID]int{0: 16, 1: 32, 2: 16}, count(buckets(net)))
	// Members are spread over the buckets, not in runs: the first half of the buckets has half of
	// each.
	require.Equal(t, map[sluice.PortID]int{0: 8, 1: 16, 2: 8}, count(buckets(net)[:32]))
	// A member whose share is below one bucket has one.
	require.NoError(t, net.SetWeight(hop(0, 1), 255))
	require.Equal(t, map[sluice.PortID]int{0: 1, 1: 62, 2: 1}, count(buckets(net)))
}

// TestResilientMovesNoMore checks, over any row of failures, repairs and weight changes, that
// shares are within two buckets of fair, that a loss moves the buckets of the lost member and no
// other, and that a gain moves no more than the new member's share.
func TestResilientMovesNoMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "links")
		net := buildStar(
			t, n, Hash{Select: Resilient, Buckets: rapid.SampledFrom([]int{16, 61, 512}).Draw(t, "buckets")},
		)
		first := buckets(net)
		weights := slices.Repeat([]int{1}, n)
		up := slices.Repeat([]bool{true}, n)
		for range rapid.IntRange(1, 12).Draw(t, "changes") {
			before := buckets(net)
			i := rapid.IntRange(0, n-1).Draw(t, "link")
			port := sluice.PortID(i)
			switch {
			case rapid.IntRange(0, 3).Draw(t, "reweigh") == 0:
				weights[i] = rapid.IntRange(1, 4).Draw(t, "weight")
				require.NoError(t, net.SetWeight(hop(0, port), weights[i]))
			case up[i]:
				if len(count(before)) < 3 {
					continue
				}
				up[i] = false
				require.NoError(t, net.FailLink(hop(0, port)))
				for b, after := range buckets(net) {
					if before[b] != port {
						require.Equal(t, before[b], after, "bucket %d moved", b)
					}
					require.NotEqual(t, port, after)
				}
			default:
				up[i] = true
				require.NoError(t, net.RestoreLink(hop(1, port)))
				after, moved := buckets(net), 0
				for b := range after {
					if before[b] != after[b] {
						moved++
					}
				}
				// Rounding may move one bucket more of each other member.
				require.LessOrEqual(t, moved, count(after)[port]+n)
			}
			sum := 0
			for j := range n {
				if up[j] {
					sum += weights[j]
				}
			}
			after := buckets(net)
			for j := range n {
				share := 0.0
				if up[j] {
					share = float64(len(after)*weights[j]) / float64(sum)
				}
				require.InDelta(t, share, count(after)[sluice.PortID(j)], 2)
			}
			require.Len(t, after, len(first))
		}
	})
}

// Shares by largest remainder may fall when there are fewer to share: 2, 1, 3, 5, 5 of 16 buckets
// by weights 1, 1, 2, 4, 4 become 1, 3, 6, 6 without the second. A loss takes no bucket from a
// member all the same.
func TestResilientLossTakesFromNone(t *testing.T) {
	b := star(5)
	for port, w := range []int{1, 1, 2, 4, 4} {
		b.SetWeight(hop(0, sluice.PortID(port)), w)
	}
	net, err := b.Build(Config{Hash: Hash{Select: Resilient, Buckets: 16}})
	require.NoError(t, err)
	before := buckets(net)
	require.Equal(t, map[sluice.PortID]int{0: 2, 1: 1, 2: 3, 3: 5, 4: 5}, count(before))
	require.NoError(t, net.FailLink(hop(0, 1)))
	for i, port := range buckets(net) {
		if before[i] != 1 {
			require.Equal(t, before[i], port, "bucket %d", i)
		}
	}
}

// A member that was lost and comes back finds its buckets as they were.
func TestResilientLossAndReturn(t *testing.T) {
	for n := 3; n < 20; n++ {
		net := buildStar(t, n, Hash{Select: Resilient})
		before := buckets(net)
		for port := range sluice.PortID(n) {
			require.NoError(t, net.FailLink(hop(0, port)))
			require.NotEqual(t, before, buckets(net))
			require.NoError(t, net.RestoreLink(hop(0, port)))
			require.Equal(t, before, buckets(net), "%d members, port %d", n, port)
		}
	}
}

// TestUnaffectedFlowsStay fails links of a fat-tree one after the other. A flow whose path did
// not use a link keeps its whole path when that link fails, with Resilient; with Modulo most move.
func TestUnaffectedFlowsStay(t *testing.T) {
	const k, flows = 8, 2000
	tree := fatTree{k}
	moved := map[Selection]int{}
	for _, selection := range []Selection{Modulo, Resilient} {
		net := buildFatTree(t, k, Config{Hash: Hash{Kind: KindCRC32C, Select: selection}, TierOffset: 9})
		for i, failed := range []sluice.Hop{
			{Switch: tree.tor(0, 1), Port: 6}, {Switch: tree.agg(0, 0), Port: 5},
			{Switch: tree.agg(3, 2), Port: 4},
			{Switch: tree.core(1, 1), Port: 2}, {Switch: tree.tor(5, 3), Port: 4},
		} {
			f := make([]Flow, flows)
			before := make([]sluice.Path, flows)
			for j := range f {
				src, dst := sluice.SwitchID(j%tree.hosts()), sluice.SwitchID((j*37+64)%tree.hosts())
				f[j] = FlowBetween(src, dst, uint16(j), uint16(i), 17)
				before[j], _ = net.Path(src, sluice.Local, &f[j])
			}
			far := modelFar(tree, failed)
			require.NoError(t, net.FailLink(failed))
			unaffected := 0
			for j := range f {
				after, status := net.Path(sluice.SwitchID(j%tree.hosts()), sluice.Local, &f[j])
				require.Equal(t, OK, status)
				if slices.Contains(before[j].Hops(), failed) || slices.Contains(before[j].Hops(), far) {
					require.NotContains(t, after.Hops(), failed)
					require.NotContains(t, after.Hops(), far)
					continue
				}
				unaffected++
				if before[j] != after {
					moved[selection]++
				}
			}
			require.Greater(t, unaffected, flows*9/10)
		}
	}
	t.Logf("unaffected flows that moved: %v", moved)
	require.Zero(t, moved[Resilient])
	require.Greater(t, moved[Modulo], flows/10)
}

// modelFar returns the other end of a link between switches of a fat-tree.
func modelFar(n fatTree, h sluice.Hop) sluice.Hop {
	half := n.half()
	for pod := range n.k {
		for i := range half {
			for j := range half {
				up := sluice.Hop{Switch: n.tor(pod, i), Port: sluice.PortID(half + j)}
				down := sluice.Hop{Switch: n.agg(pod, j), Port: sluice.PortID(i)}
				top := sluice.Hop{Switch: n.agg(pod, i), Port: sluice.PortID(half + j)}
				bottom := sluice.Hop{Switch: n.core(i, j), Port: sluice.PortID(pod)}
				switch h {
				case up:
					return down
				case down:
					return up
				case top:
					return bottom
				case bottom:
					return top
				}
			}
		}
	}
	panic("not a link between switches")
}

// After failures and repairs in any order the tables are the first, shared as they were.
func TestRepairedTablesAreTheFirst(t *testing.T) {
	check := func(t *rapid.T, net *Network, ports []sluice.Hop) {
		first, memory := net.now.Load(), net.Memory()
		failed := rapid.SliceOfN(rapid.SampledFrom(ports), 1, 6).Draw(t, "failures")
		for _, h := range failed {
			require.NoError(t, net.FailLink(h))
		}
		for len(failed) > 0 {
			i := rapid.IntRange(0, len(failed)-1).Draw(t, "repair")
			require.NoError(t, net.RestoreLink(failed[i]))
			failed = slices.Delete(failed, i, i+1)
		}
		require.Equal(t, memory, net.Memory())
		now := net.now.Load()
		require.Equal(t, first.nodes, now.nodes)
		require.Equal(t, first.rows, now.rows)
		require.Equal(t, first.details, now.details)
		require.Equal(t, first.groups, now.groups)
		require.Equal(t, first.members, now.members)
		require.Empty(t, now.down)
	}
	ends := func(m *model) (ports []sluice.Hop) {
		for _, l := range m.links {
			ports = append(ports, l.a, l.z)
		}
		return ports
	}
	t.Run("any network", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			m, net := drawNetwork(t, Modulo)
			check(t, net, ends(m))
		})
	})
	t.Run("ring", func(t *testing.T) { // where a link lost makes ways longer by any number
		rapid.Check(t, func(t *rapid.T) {
			m, b := &model{}, NewBuilder()
			n := sluice.SwitchID(rapid.IntRange(3, 9).Draw(t, "switches"))
			connect := func(x, z sluice.Hop) {
				m.links = append(m.links, modelLink{a: x, z: z})
				b.Connect(x, z)
			}
			for id := range n {
				b.AddSwitch(id)
				b.AddHost(100 + id)
			}
			for id := range n {
				connect(sluice.Hop{Switch: id, Port: 1}, sluice.Hop{Switch: (id + 1) % n, Port: 2})
				connect(sluice.Hop{Switch: id}, sluice.Hop{Switch: 100 + id})
			}
			net, err := b.Build(Config{})
			require.NoError(t, err)
			check(t, net, ends(m))
		})
	})
	t.Run("fat-tree", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			tree := fatTree{4}
			net, err := tree.declare(nil).Build(Config{})
			require.NoError(t, err)
			var ports []sluice.Hop
			for id := range sluice.SwitchID(tree.hosts() + 20) {
				for port := range sluice.PortID(4) {
					if int(id) >= tree.hosts() || port == 0 {
						ports = append(ports, sluice.Hop{Switch: id, Port: port})
					}
				}
			}
			check(t, net, ports)
		})
	})
}

// Shares are whole numbers that sum up to the total, one at least. Unless a member is so light that
// it must be given one, each is less than one away from its due.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.IntRange(1, MaxWeight), 1, 12).Draw(t, "weights")
		total := rapid.IntRange(len(weights), 600).Draw(t, "total")
		parts := share(total, weights)
		sum, all := 0, 0
		for i, w := range weights {
			require.Positive(t, parts[i])
			sum += w
			all += parts[i]
		}
		require.Equal(t, total, all)
		if total*slices.Min(weights) >= sum {
			for i, w := range weights {
				require.Less(t, max(parts[i]*sum-total*w, total*w-parts[i]*sum), sum)
			}
		}
	})
	require.Equal(t, []int{1, 9}, share(10, []int{1, 255}), "the light one is given one")
	require.Equal(t, []int{4, 3, 3}, share(10, []int{1, 1, 1}), "the first of equals has the rest")
}
