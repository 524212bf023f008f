package hashpath

import (
	"encoding/binary"
	"math/bits"

	"github.com/sluicefc/sluice"
)

// Cache keeps paths of flows that come again and again: see Cache in the package comment. A hit
// costs a hash, a comparison and a copy; a miss costs the path, and a bit of book-keeping. Nothing
// allocates.
//
// Which flows are kept follows TinyLFU (Einziger, Friedman and Manes, ACM Transactions on Storage,
// 2017): a doorkeeper, a Bloom filter of the flows that missed lately, so that flows of one packet
// do not drive out the others; and frequencies, by which a flow gives way that was asked for least.
// As hardware would have it, a flow may be in one of four places, and competes with what lies
// there.
//
// A Cache is not safe for concurrent use; the network may be used, and updated, at the same time.
// Paths are never older than the state of the network at the call.
type Cache struct {
	network *Network
	sets    []cacheSet   // a power of two
	entries []cacheEntry // ways of them for each set
	seen    []uint64     // the doorkeeper: four bits of one word for a flow; a power of two
	forgot  uint32       // misses, which say what word of the doorkeeper is to be forgotten next
	stats   CacheStats
}

// CacheStats counts the look-ups of a Cache.
type CacheStats struct {
	Hits     uint64
	Misses   uint64 // not in the cache
	Admitted uint64 // misses that were kept
	Stale    uint64 // in the cache, but of a state of the network before an update
}

const ways = 4

// cacheSet is a summary of the entries of a set, which a look-up reads first.
type cacheSet struct {
	tags [ways]uint32 // of the flow's hash; 0 is empty
	uses [ways]uint8  // how often it was asked for, mostUses at most, less what others asked
}

const mostUses = 15

type cacheEntry struct {
	flow       Flow
	at         sluice.SwitchID
	generation uint32
	ingress    sluice.PortID
	status     Status
	path       sluice.Path
}

const (
	minCacheEntries = 64
	maxCacheEntries = 1 << 22
	// The doorkeeper remembers a flow for at most rememberedMisses misses per entry. A word for
	// each entry then serves four flows, and mistakes one new flow in a hundred for a known one.
	rememberedMisses = 4
)

// NewCache returns a cache of paths of a network, with room for entries of them, 64 to 4,194,304,
// rounded up to a power of two: 125 bytes each. Other numbers are a *sluice.ConfigError.
func NewCache(n *Network, entries int) (*Cache, error) {
	if entries < minCacheEntries || entries > maxCacheEntries {
		return nil, refuse("Cache", entries, "must be 64 to 4,194,304")
	}
	entries = 1 << bits.Len(uint(entries-1))
	return &Cache{
		network: n, sets: make([]cacheSet, entries/ways), entries: make([]cacheEntry, entries),
		seen: make([]uint64, entries),
	}, nil
}

// Path returns what Network.Path returns. Where no hash reads the ingress give always the same,
// sluice.Local, so that a flow takes one entry.
func (c *Cache) Path(
	at sluice.SwitchID, ingress sluice.PortID, f *Flow,
) (path sluice.Path, status Status) {
	hash := cacheHash(at, ingress, f)
	i := int(hash) & (len(c.sets) - 1)
	set, tag := &c.sets[i], uint32(hash>>32)|1
	for way := range set.tags {
		if set.tags[way] != tag {
			continue
		}
		e := &c.entries[ways*i+way]
		if e.at != at || e.ingress != ingress || e.flow != *f {
			continue
		}
		if set.uses[way] < mostUses {
			set.uses[way]++
		}
		if e.generation != c.network.now.Load().generation {
			c.stats.Stale++
			c.fill(e)
		} else {
			c.stats.Hits++
		}
		return e.path, e.status
	}
	c.stats.Misses++
	known := c.knows(hash)
	way := set.victim()
	switch {
	case set.tags[way] != 0 && !known:
		return c.network.Path(at, ingress, f)
	case set.uses[way] > 0: // it stays this time
		set.uses[way]--
		return c.network.Path(at, ingress, f)
	}
	c.stats.Admitted++
	set.tags[way], set.uses[way] = tag, 1
	e := &c.entries[ways*i+way]
	e.flow, e.at, e.ingress = *f, at, ingress
	c.fill(e)
	return e.path, e.status
}

// victim returns an empty place, or the place of the flow with the fewest uses.
func (s *cacheSet) victim() (way int) {
	for w := range s.tags {
		if s.tags[w] == 0 {
			return w
		}
		if s.uses[w] < s.uses[way] {
			way = w
		}
	}
	return way
}

// fill calculates the path of an entry. The generation is read first: if an update comes between,
// the entry is stale at once.
func (c *Cache) fill(e *cacheEntry) {
	e.generation = c.network.now.Load().generation
	e.path, e.status = c.network.Path(e.at, e.ingress, &e.flow)
}

// knows reports whether a flow missed lately, and notes that it did.
func (c *Cache) knows(hash uint64) bool {
	if c.forgot++; c.forgot%rememberedMisses == 0 {
		c.seen[int(c.forgot/rememberedMisses)&(len(c.seen)-1)] = 0
	}
	word := &c.seen[int(hash>>8)&(len(c.seen)-1)]
	mask := uint64(1)<<(hash>>58) | 1<<(hash>>52&63) | 1<<(hash>>46&63) | 1<<(hash>>40&63)
	known := *word&mask == mask
	*word |= mask
	return known
}

// Stats returns the counts so far.
func (c *Cache) Stats() CacheStats { return c.stats }

// cacheHash mixes all that a path depends on: products of its words, folded, one beside the other.
func cacheHash(at sluice.SwitchID, ingress sluice.PortID, f *Flow) uint64 {
	word := binary.LittleEndian.Uint64
	h := product(word(f.Src[:8])^0xa0761d6478bd642f, word(f.Dst[:8])^0xe7037ed1a0b428db)
	if f.Is6 {
		h ^= product(word(f.Src[8:])^0x8ebc6af09c88c6e3, word(f.Dst[8:])^0x589965cc75374cc3)
	}
	rest := uint64(f.SrcPort)<<48 | uint64(f.DstPort)<<32 | uint64(f.FlowLabel)
	where := uint64(at)<<32 | uint64(ingress)<<8 | uint64(f.Protocol)
	h ^= product(rest^0x1d8e4e27c47d124f, where^0xeb44accab455d165)
	return product(h, 0x9e3779b97f4a7c15)
}

// product returns the two halves of a product, one over the other.
func product(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
