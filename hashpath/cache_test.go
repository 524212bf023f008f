package hashpath

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
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

// Flows that come once do not drive out those that come often.
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
	for round := range 4 {
		for i := range 100 {
			ask(i%128, 127-i, i)
		}
		if round == 2 {
			require.EqualValues(t, 100, cache.Stats().Admitted)
			require.EqualValues(t, 100, cache.Stats().Hits)
		}
	}
	before := cache.Stats()
	for i := range 20_000 { // each once
		ask(i%128, (i+1)%128, 1000+i)
	}
	for i := range 100 {
		ask(i%128, 127-i, i)
	}
	after := cache.Stats()
	require.GreaterOrEqual(t, after.Hits-before.Hits, uint64(95))
	require.Less(t, after.Admitted-before.Admitted, uint64(50))

	// An update makes all stale, once.
	require.NoError(t, net.FailLink(hop(tree.tor(0, 0), 4)))
	for range 2 {
		for i := range 100 {
			ask(i%128, 127-i, i)
		}
	}
	require.InDelta(t, 100, cache.Stats().Stale, 5)
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
	require.Len(t, c.entries, 65)
	// Of flows that are asked for until they are kept, the last 65 are found; the others gave way.
	f := FlowBetween(0, 15, 0, 4791, 17)
	for f.SrcPort = range 90 {
		for admitted := c.Stats().Admitted; c.Stats().Admitted == admitted; {
			c.Path(0, 0, &f)
		}
	}
	hits := c.Stats().Hits
	for f.SrcPort = 90 - 65; f.SrcPort < 90; f.SrcPort++ {
		c.Path(0, 0, &f)
	}
	require.EqualValues(t, 65, c.Stats().Hits-hits)
	for f.SrcPort = range 90 - 65 {
		require.False(t, c.index.Remove(f.Hash()), "flow %d", f.SrcPort)
	}
}

// A hit allocates nothing; what a miss allocates is said in NewCache's words.
func TestCacheAllocations(t *testing.T) {
	net := buildFatTree(t, 4, Config{})
	cache, err := NewCache(net, 1024)
	require.NoError(t, err)
	f := FlowBetween(0, 15, 1, 2, 6)
	cache.Path(16, 0, &f)
	cache.Path(16, 0, &f)
	require.Zero(t, testing.AllocsPerRun(100, func() { cache.Path(16, 0, &f) }))
	require.EqualValues(t, 1, cache.Stats().Admitted)
	misses := testing.AllocsPerRun(5000, func() {
		f.SrcPort++
		cache.Path(16, 0, &f)
	})
	t.Logf("%v allocations for a miss of a new flow", misses)
	require.LessOrEqual(t, misses, 6.0)
}
