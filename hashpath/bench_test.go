package hashpath

import (
	"fmt"
	"hash/crc32"
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// query is what Path is asked.
type query struct {
	at   sluice.SwitchID
	flow Flow
}

// crossPod returns n queries whose answers have five hops: from ToRs of the first pod of a fat-tree
// to hosts of others.
func (n fatTree) crossPod(count int, address func(pod, rack, i int) netip.Addr) []query {
	source := prng.New(1)
	below := func(m int) int { return int(source.Below(uint64(m))) }
	queries := make([]query, count)
	for i := range queries {
		rack, host := below(n.half()), below(n.half())
		pod, toRack, toHost := 1+below(n.k-1), below(n.half()), below(n.half())
		src, dst := HostAddress(n.host(0, rack, host)), HostAddress(n.host(pod, toRack, toHost))
		if address != nil {
			src, dst = address(0, rack, host), address(pod, toRack, toHost)
		}
		queries[i] = query{
			n.tor(0, rack),
			MakeFlow(netip.AddrPortFrom(src, uint16(source.Uint64())), netip.AddrPortFrom(dst, 4791), 17),
		}
	}
	return queries
}

func (n fatTree) address6(pod, rack, i int) netip.Addr {
	return netip.AddrFrom16([16]byte{0: 0xfd, 1: byte(pod), 2: byte(rack), 15: byte(i)})
}

// benchmarkPath asks in turn and reports the time for each hop. The call is direct, as an
// embedder's is.
func benchmarkPath(b *testing.B, hops int, queries []query, net *Network) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		q := &queries[i]
		if p, _ := net.Path(q.at, 0, &q.flow); p.Len() != hops {
			b.Fatal(p.String())
		}
		if i++; i == len(queries) {
			i = 0
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(hops), "ns/hop")
}

// BenchmarkPath: 5 hops of a fat-tree, 256 flows in turn.
func BenchmarkPath(b *testing.B) {
	for _, k := range []int{16, 36} {
		tree := fatTree{k}
		for kind := range numKinds {
			h := Hash{Kind: kind, CRC: CRCParameters{Width: 32, Polynomial: 0xA833982B}}
			for _, family := range []struct {
				name    string
				address func(pod, rack, i int) netip.Addr
			}{{"IPv4", nil}, {"IPv6", tree.address6}} {
				b.Run(fmt.Sprintf("k=%d/kind=%v/%s", k, kind, family.name), func(b *testing.B) {
					net, err := tree.declare(family.address).Build(Config{Hash: h})
					require.NoError(b, err)
					benchmarkPath(b, 5, tree.crossPod(256, family.address), net)
				})
			}
		}
	}
}

// BenchmarkEveryHopHashes: 5 hops, at each of which a member is chosen of 8; all switches have the
// same function, or each stage one of its own (a CRC of another polynomial) so that nothing
// calculated for a hop serves the next.
func BenchmarkEveryHopHashes(b *testing.B) {
	const stages = 5
	for _, c := range []struct {
		name string
		hash func(stage int) Hash
	}{
		{"crc32c", func(int) Hash { return Hash{Kind: KindCRC32C} }},
		{"crc32", func(int) Hash { return Hash{Kind: KindCRC32} }},
		{"crc32c-resilient", func(int) Hash { return Hash{Kind: KindCRC32C, Select: Resilient} }},
		{"crc32c-ingress", func(int) Hash {
			return Hash{Kind: KindCRC32C, Fields: append(fiveTuple[:5:5], FieldIngressPort)}
		}},
		{"xxhash", func(int) Hash { return Hash{} }},
		{"own-crc", ownCRC},
	} {
		b.Run("kind="+c.name, func(b *testing.B) {
			net, queries := closOf8(b, stages, c.hash), closQueries(256)
			benchmarkPath(b, 5, queries, net)
		})
	}
}

// ownCRC is a CRC of a polynomial of the stage's own.
func ownCRC(stage int) Hash {
	return Hash{
		Kind: KindCRC, CRC: CRCParameters{Width: 32, Polynomial: 0xA833982B + 2*uint32(stage)},
	}
}

const closWidth = 8

// closOf8 returns stages of eight switches, and each chooses of eight.
func closOf8(b *testing.B, stages int, hash func(stage int) Hash) *Network {
	builder := clos(closWidth, stages)
	for i := range closWidth * stages {
		h := hash(i / closWidth)
		h.Seed = uint64(i) * 0x9e3779b9
		builder.SetHash(sluice.SwitchID(2+i), h)
	}
	net, err := builder.Build(Config{})
	require.NoError(b, err)
	return net
}

func closQueries(count int) []query {
	source := prng.New(1)
	queries := make([]query, count)
	for i := range queries {
		queries[i] = query{
			sluice.SwitchID(2 + i%closWidth),
			FlowBetween(0, 1, uint16(source.Uint64()), uint16(source.Uint64()), 17),
		}
	}
	return queries
}

// BenchmarkEgress: one hop, at a ToR.
func BenchmarkEgress(b *testing.B) {
	for kind := range numKinds {
		if kind == KindCRC {
			continue
		}
		b.Run("kind="+kind.String(), func(b *testing.B) {
			net, queries := buildFatTree(
				b, 16, Config{Hash: Hash{Kind: kind}},
			), fatTree{16}.crossPod(256, nil)
			i := 0
			for b.Loop() {
				q := &queries[i%256]
				i++
				if _, ok := net.Egress(q.at, 0, &q.flow); !ok {
					b.Fatal()
				}
			}
		})
	}
}

func BenchmarkFollow(b *testing.B) {
	net, ports := buildFatTree(b, 16, Config{}), []sluice.PortID{8, 9, 15, 2, 1}
	for b.Loop() {
		if p, _ := net.Follow(1024, ports); p.Len() != 5 {
			b.Fatal(p.String())
		}
	}
}

var sink uint64

// BenchmarkSum: a hash value of a flow, by tables, as at the first hop.
func BenchmarkSum(b *testing.B) {
	for kind := range numKinds {
		hasher, err := NewHasher(Hash{Kind: kind, CRC: CRCParameters{Width: 32, Polynomial: 0xA833982B}})
		require.NoError(b, err)
		for i, f := range []Flow{
			FlowBetween(1, 2, 3, 4791, 17),
			MakeFlow(addrPort("[fd00::1]:3"), addrPort("[fd00::2]:4791"), 17),
		} {
			b.Run(fmt.Sprintf("kind=%v/IPv%d", kind, 4+2*i), func(b *testing.B) {
				for b.Loop() {
					f.SrcPort++
					sink += uint64(hasher.Sum(0, &f))
				}
			})
		}
	}
}

// BenchmarkStandard: functions of 16 bytes for which there are instructions, or nearly: what the
// others are compared with.
func BenchmarkStandard(b *testing.B) {
	input := make([]byte, 16)
	run := func(name string, sum func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				input[0]++
				sum()
			}
		})
	}
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	run("crc32c", func() { sink += uint64(crc32.Update(1, castagnoli, input)) })
	run("crc32", func() { sink += uint64(crc32.Update(1, crc32.IEEETable, input)) })
	run("xxhash", func() { sink += xxhash.Sum64(input) })
}

func BenchmarkFlowHash(b *testing.B) {
	for i, f := range []Flow{
		FlowBetween(1, 2, 3, 4791, 17), MakeFlow(addrPort("[fd00::1]:3"), addrPort("[fd00::2]:4791"), 17),
	} {
		b.Run(fmt.Sprintf("IPv%d", 4+2*i), func(b *testing.B) {
			for b.Loop() {
				f.SrcPort++
				sink += f.Hash()
			}
		})
	}
}

// BenchmarkCache asks a network and a Cache of 4,096 entries in turn the same, and reports how many
// times faster the cache is: for some flows that come again and again, for flows of a Zipf
// distribution, and for flows that never come back.
func BenchmarkCache(b *testing.B) {
	tree := fatTree{36}
	inTree := func(address func(pod, rack, i int) netip.Addr, h Hash) func(int) (*Network, []query) {
		return func(flows int) (*Network, []query) {
			net, err := tree.declare(address).Build(Config{Hash: h})
			require.NoError(b, err)
			return net, tree.crossPod(flows, address)
		}
	}
	inClos := func(stages int, hash func(stage int) Hash) func(int) (*Network, []query) {
		return func(flows int) (*Network, []query) { return closOf8(b, stages, hash), closQueries(flows) }
	}
	always := func(h Hash) func(int) Hash { return func(int) Hash { return h } }
	for _, c := range []struct {
		name string
		make func(flows int) (*Network, []query)
	}{
		{"fat-tree,crc32c,IPv4", inTree(nil, Hash{Kind: KindCRC32C})},
		{"fat-tree,crc32c,IPv6", inTree(tree.address6, Hash{Kind: KindCRC32C})},
		{"fat-tree,xxhash,IPv4", inTree(nil, Hash{})},
		{"fat-tree,xxhash,IPv6", inTree(tree.address6, Hash{})},
		{"8-hops,crc32c", inClos(8, always(Hash{Kind: KindCRC32C}))},
		{"8-hops,crc32c-resilient", inClos(8, always(Hash{Kind: KindCRC32C, Select: Resilient}))},
		{"8-hops,own-crc", inClos(8, ownCRC)},
		{"8-hops,xxhash", inClos(8, always(Hash{}))},
	} {
		for _, load := range []struct {
			name  string
			flows int
			zipf  bool
		}{{"64-in-turn", 64, false}, {"2048-in-turn", 2048, false}, {"zipf-of-65536", 65536, true},
			{"65536-in-turn", 65536, false}} {
			net, queries := c.make(load.flows)
			if load.zipf {
				queries = zipfOf(queries)
			}
			cache, err := NewCache(net, 4096)
			require.NoError(b, err)
			b.Run(fmt.Sprintf("net=%s/flows=%s", c.name, load.name), func(b *testing.B) {
				benchmarkCache(b, net, cache, queries)
			})
		}
	}
}

// zipfOf returns 2^16 of the queries: the query of rank r with a density of 1/r, so that the
// logarithm of the rank is uniform.
func zipfOf(pool []query) []query {
	queries, source := make([]query, 1<<16), prng.New(9)
	for i := range queries {
		queries[i] = pool[int(math.Pow(float64(len(pool)), source.Float64()))-1]
	}
	return queries
}

func benchmarkCache(b *testing.B, net *Network, cache *Cache, queries []query) {
	const batch = 256
	for i := range queries {
		cache.Path(queries[i].at, 0, &queries[i].flow)
	}
	before := cache.Stats()
	b.ReportAllocs()
	var took [2]time.Duration
	for i := 0; b.Loop(); i += batch {
		asked := queries[i%len(queries):][:min(batch, len(queries))]
		started := time.Now()
		for k := range asked {
			p, _ := net.Path(asked[k].at, 0, &asked[k].flow)
			sink += uint64(p.Len())
		}
		between := time.Now()
		for k := range asked {
			p, _ := cache.Path(asked[k].at, 0, &asked[k].flow)
			sink += uint64(p.Len())
		}
		took[0] += between.Sub(started)
		took[1] += time.Since(between)
	}
	s := cache.Stats()
	asked := float64(s.Hits - before.Hits + s.Misses - before.Misses)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(took[0].Nanoseconds())/asked, "ns/path")
	b.ReportMetric(float64(took[1].Nanoseconds())/asked, "ns/cached")
	b.ReportMetric(float64(took[0])/float64(took[1]), "times")
	b.ReportMetric(float64(s.Hits-before.Hits)/asked, "hits/ask")
}

func BenchmarkBuild(b *testing.B) {
	for _, k := range []int{16, 36} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (fatTree{k}).declare(nil).Build(Config{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkUpdate: a link fails and comes back, of the k=36 fat-tree.
func BenchmarkUpdate(b *testing.B) {
	tree := fatTree{36}
	for _, c := range []struct {
		name string
		hop  sluice.Hop
	}{
		{"host", sluice.Hop{Switch: 0}},
		{"tor-agg", sluice.Hop{Switch: tree.tor(3, 4), Port: 20}},
		{"agg-core", sluice.Hop{Switch: tree.agg(3, 4), Port: 20}},
	} {
		for _, selection := range []Selection{Modulo, Resilient} {
			b.Run(fmt.Sprintf("link=%s/%v", c.name, selection), func(b *testing.B) {
				net := buildFatTree(b, 36, Config{Hash: Hash{Select: selection}})
				for b.Loop() {
					if net.FailLink(c.hop) != nil || net.RestoreLink(c.hop) != nil {
						b.Fatal()
					}
				}
			})
		}
	}
}
