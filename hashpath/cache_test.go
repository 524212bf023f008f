package hashpath

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmihailenco/go-tinylfu"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
)

// TestCacheIsTheNetwork compares a small cache with the network, over repeated and new flows and
// changes.
func TestCacheIsTheNetwork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, net := drawNetwork(t, Resilient)
		cache, err := NewCache(net, 64)
		require.NoError(t, err)
		source := prng.New(rapid.Uint64().Draw(t, "flows"))
		for range 4 {
			for range 300 {
				f := m.flows[source.Below(uint64(len(m.flows)))]
				f.SrcPort = uint16(source.Below(20) * source.Below(20)) // some often, some seldom
				f.FlowLabel = uint32(source.Below(2))
				l := m.links[source.Below(uint64(len(m.links)))]
				at, ingress := l.a.Switch, sluice.PortID(source.Below(2))
				want, wantStatus := net.Path(at, ingress, &f)
				got, status := cache.Path(at, ingress, &f)
				require.Equal(t, wantStatus, status)
				require.Equal(t, want, got)
			}
			change(t, m, net)
		}
		s := cache.Stats()
		require.EqualValues(t, 1200, s.Hits+s.Misses+s.Stale)
		require.LessOrEqual(t, s.Admitted, s.Misses)
	})
}

// Flows that come once do not drive out flows that come often.
func TestCacheAdmission(t *testing.T) {
	tree := fatTree{8}
	net := buildFatTree(t, 8, Config{})
	cache, err := NewCache(net, 256)
	require.NoError(t, err)
	ask := func(src, dst, port int) {
		f := FlowBetween(sluice.SwitchID(src), sluice.SwitchID(dst), uint16(port), 4791, 17)
		_, status := cache.Path(tree.torOf(sluice.SwitchID(src)), 0, &f)
		require.Equal(t, OK, status)
	}
	for range 4 {
		for i := range 100 {
			ask(i%128, 127-i, i)
		}
	}
	// All, except the few that share a set of four places with more than three others.
	require.InDelta(t, 100, cache.Stats().Admitted, 3)
	require.InDelta(t, 300, cache.Stats().Hits, 10)
	before := cache.Stats()
	for i := range 20_000 { // each once
		ask(i%128, (i+1)%128, 1000+i)
	}
	for i := range 100 {
		ask(i%128, 127-i, i)
	}
	after := cache.Stats()
	require.GreaterOrEqual(t, after.Hits-before.Hits, uint64(95))
	require.Less(t, after.Admitted-before.Admitted, uint64(156+200),
		"empty places, and one in a hundred")

	// An update makes all stale, once.
	require.NoError(t, net.FailLink(hop(tree.tor(0, 0), 4)))
	for range 2 {
		for i := range 100 {
			ask(i%128, 127-i, i)
		}
	}
	require.InDelta(t, 100, cache.Stats().Stale, 8)
}

func TestCacheLimits(t *testing.T) {
	net := buildFatTree(t, 4, Config{})
	for _, n := range []int{-1, 0, 63, maxCacheEntries + 1} {
		_, err := NewCache(net, n)
		var refusal *sluice.ConfigError
		require.ErrorAs(t, err, &refusal)
	}
	c, err := NewCache(net, 65)
	require.NoError(t, err)
	require.Len(t, c.entries, 128, "a power of two")
}

// zipf returns as many questions, whose ranks have a density of 1/rank.
func zipf(flows, asked int) []Flow {
	source := prng.New(9)
	questions := make([]Flow, asked)
	for i := range questions {
		rank := int(math.Pow(float64(flows), source.Float64())) - 1
		questions[i] = FlowBetween(sluice.SwitchID(rank%16), 15, uint16(rank), uint16(rank>>8), 17)
	}
	return questions
}

// The cache offers four places to each flow, go-tinylfu any place. The cache still finds at least
// 96 % of the flows that go-tinylfu finds.
func TestCacheAgainstTinyLFU(t *testing.T) {
	net := buildFatTree(t, 4, Config{})
	for _, flows := range []int{2_000, 20_000, 200_000}[:depth.Choose(1, 1, 3)] {
		const entries = 1024
		cache, err := NewCache(net, entries)
		require.NoError(t, err)
		theirs, found := tinylfu.New(entries, 10*entries), 0
		questions := zipf(flows, 100_000)
		for i := range questions {
			cache.Path(16, 0, &questions[i])
			key := fmt.Sprint(questions[i])
			if _, ok := theirs.Get(key); ok {
				found++
			} else {
				theirs.Set(&tinylfu.Item{Key: key})
			}
		}
		ours := int(cache.Stats().Hits)
		t.Logf("%d flows: %d hits, go-tinylfu %d", flows, ours, found)
		require.Greater(t, float64(ours), 0.96*float64(found), "%d flows", flows)
	}
}

// Nothing allocates.
func TestCacheAllocations(t *testing.T) {
	net := buildFatTree(t, 4, Config{})
	cache, err := NewCache(net, 1024)
	require.NoError(t, err)
	f := FlowBetween(0, 15, 1, 2, 6)
	cache.Path(16, 0, &f)
	require.Zero(t, testing.AllocsPerRun(100, func() { cache.Path(16, 0, &f) }))
	require.EqualValues(t, 1, cache.Stats().Admitted)
	require.Zero(t, testing.AllocsPerRun(5000, func() {
		f.SrcPort++
		cache.Path(16, 0, &f)
	}))
	require.Greater(t, cache.Stats().Misses, uint64(4000))
}
