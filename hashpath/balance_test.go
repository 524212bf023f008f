package hashpath

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
)

// randomFlow draws a flow between two of the fat-tree's hosts, with a random source port as RoCEv2
// has.
func randomFlow(s *prng.Source, hosts int) (src sluice.SwitchID, f Flow) {
	src = sluice.SwitchID(s.Below(uint64(hosts)))
	dst := sluice.SwitchID(s.Below(uint64(hosts)))
	return src, FlowBetween(src, dst, 0xc000|uint16(s.Uint64()), 4791, 17)
}

// A slot is the value modulo the number of slots, for every number and value.
func TestSlotIsTheRemainder(t *testing.T) {
	source := prng.New(2)
	for n := uint32(1); n <= maxBuckets; n++ {
		g := makeGroup(0, n)
		for _, v := range []uint32{
			0, n - 1, n, math.MaxUint32, math.MaxUint32 / n * n, math.MaxUint32/n*n - 1,
			uint32(source.Uint64()),
		} {
			if g.slot(v) != v%n {
				t.Fatalf("%d modulo %d: %d", v, n, g.slot(v))
			}
		}
	}
}

// TestMembersAreBalanced compares the members that random flows take with equal shares: chi-square
// stays below its mean by the degrees of freedom plus five standard deviations.
func TestMembersAreBalanced(t *testing.T) {
	flows := depth.Choose(10_000, 10_000, 50_000)
	for kind := range numKinds {
		for _, n := range []int{2, 7, 16, 18} {
			for _, selection := range []Selection{Modulo, Resilient} {
				h := Hash{Kind: kind, Select: selection, Buckets: 2016} // a multiple of all n
				if kind == KindCRC {
					h.CRC = CRCParameters{Width: 16, Polynomial: 0x8BB7} // T10-DIF
				}
				net := buildStar(t, n, h)
				counts, share := make([]float64, n), float64(flows)/float64(n)
				source := prng.New(uint64(kind))
				for range flows {
					_, f := randomFlow(&source, 1024)
					f.Dst = FlowBetween(0, 2, 0, 0, 0).Dst
					port, ok := net.Egress(0, 0, &f)
					require.True(t, ok)
					counts[port]++
				}
				chi := 0.0
				for _, c := range counts {
					chi += (c - share) * (c - share) / share
				}
				freedom := float64(n - 1)
				require.Less(
					t, chi, freedom+5*math.Sqrt(2*freedom), "%v, %v, %d members: %v", kind, selection, n, counts,
				)
			}
		}
	}
}

// TestWeightsAreShares does the same for WCMP: member i has weight i+1.
func TestWeightsAreShares(t *testing.T) {
	const flows, n = 100_000, 5
	for _, selection := range []Selection{Modulo, Resilient} {
		b := star(n)
		for i := range n {
			b.SetWeight(hop(0, sluice.PortID(i)), i+1)
		}
		net, err := b.Build(Config{Hash: Hash{Kind: KindCRC32, Select: selection, Buckets: 1500}})
		require.NoError(t, err)
		counts := make([]float64, n)
		source := prng.New(7)
		for range flows {
			_, f := randomFlow(&source, 1024)
			f.Dst = FlowBetween(0, 2, 0, 0, 0).Dst
			port, _ := net.Egress(0, 0, &f)
			counts[port]++
		}
		chi := 0.0
		for i, c := range counts {
			share := float64(flows*(i+1)) / 15
			chi += (c - share) * (c - share) / share
		}
		require.Less(t, chi, 4+5*math.Sqrt(8), "%v: %v", selection, counts)
	}
}

// coresUsed counts the cores that flows from one rack to other pods cross.
func coresUsed(t *testing.T, k int, configure func(*Builder, fatTree), c Config) int {
	tree := fatTree{k}
	b := tree.declare(nil)
	if configure != nil {
		configure(b, tree)
	}
	net, err := b.Build(c)
	require.NoError(t, err)
	cores := map[sluice.SwitchID]bool{}
	source := prng.New(3)
	for range 20_000 {
		_, f := randomFlow(&source, tree.hosts()-tree.hosts()/k)
		f.Dst = FlowBetween(0, sluice.SwitchID(tree.hosts()-1), 0, 0, 0).Dst
		path, status := net.Path(tree.tor(0, 0), 0, &f)
		require.Equal(t, OK, status)
		require.Equal(t, 5, path.Len())
		cores[path.At(2).Switch] = true
	}
	return len(cores)
}

// TestPolarisation documents what two tiers with the same hash do, and what helps. In a fat-tree
// with k = 8 a rack reaches other pods over 4 aggregation switches and 16 cores.
func TestPolarisation(t *testing.T) {
	// The same function and seed at both tiers: the aggregation switch takes the member of the
	// same number as the ToR did, so each uses one of its four cores.
	require.Equal(t, 4, coresUsed(t, 8, nil, Config{OneSeed: true}))
	require.Equal(t, 4, coresUsed(t, 8, nil, Config{OneSeed: true, Hash: Hash{Kind: KindCRC32C}}))

	// Another seed does not help a function that is affine, where groups are powers of two: it
	// permutes the members. It helps a function that is not.
	for _, kind := range []Kind{
		KindCRC32C, KindCRC32, KindCRC16CCITT, KindCRC16ARC, KindXOR16, KindXOR32, KindToeplitz,
	} {
		require.Equal(t, 4, coresUsed(t, 8, nil, Config{Hash: Hash{Kind: kind}}), kind.String())
	}
	require.Equal(t, 16, coresUsed(t, 8, nil, Config{}))

	// Two things help: other bits of the result in each tier; or another polynomial.
	for _, kind := range []Kind{
		KindCRC32C, KindCRC32, KindCRC16CCITT, KindCRC16ARC, KindXOR16, KindXOR32, KindToeplitz,
	} {
		require.Equal(
			t, 16, coresUsed(t, 8, nil, Config{Hash: Hash{Kind: kind}, TierOffset: 5}), kind.String(),
		)
	}
	require.Equal(t, 16, coresUsed(t, 8, func(b *Builder, n fatTree) {
		for i := range n.half() {
			b.SetHash(n.agg(0, i), Hash{Kind: KindCRC16CCITT})
		}
	}, Config{Hash: Hash{Kind: KindCRC32C}}))

	// Members of an odd number hide it: the remainder of an exclusive-or is not the exclusive-or of
	// remainders. With k = 10 there are 5 and 25.
	require.Equal(t, 5, coresUsed(t, 10, nil, Config{OneSeed: true, Hash: Hash{Kind: KindCRC32C}}))
	require.Equal(t, 25, coresUsed(t, 10, nil, Config{Hash: Hash{Kind: KindCRC32C}}))
}
