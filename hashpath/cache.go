package hashpath

import (
	"encoding/binary"
	"math/bits"

	"github.com/vmihailenco/go-tinylfu"

	"github.com/sluicefc/sluice"
)

// Cache keeps paths of flows that come again and again. A hit costs a comparison and a copy; a miss
// costs the path, and the question whether to keep it, which is go-tinylfu's to answer: that
// package counts how often flows are asked for, so that flows of one packet do not drive out the
// others.
//
// A hit allocates nothing. A miss of a flow that go-tinylfu does not know allocates, as that
// package keeps strings and list elements. The package comment says when a Cache is worth having.
//
// A Cache is not safe for concurrent use; the network may be used, and updated, at the same time.
// Paths are never older than the state of the network at the call.
type Cache struct {
	network *Network
	tags    []cacheTags // by set
	entries []cacheEntry
	shift   uint8 // of a hash, to the set
	victim  uint8
	policy  *tinylfu.T
	stats   CacheStats
}

// CacheStats counts what a Cache did.
type CacheStats struct {
	Hits     uint64
	Misses   uint64 // not in the cache
	Admitted uint64 // misses that were kept
	Stale    uint64 // in the cache, but of a state of the network before an update
}

const (
	cacheWays       = 4
	minCacheEntries = 64
	maxCacheEntries = 1 << 22
	cacheSamples    = 10 // of go-tinylfu, for each entry: after as many misses it halves its counts
)

// cacheTags are part of the hashes of a set's entries, 0 for an empty one.
type cacheTags [cacheWays]uint32

type cacheEntry struct {
	flow       Flow
	at         sluice.SwitchID
	generation uint32
	ingress    sluice.PortID
	status     Status
	path       sluice.Path
}

// NewCache returns a cache of paths of a network, with room for entries of them, 64 to 4,194,304,
// rounded up to a power of two; 120 bytes each, and about 200 more for go-tinylfu. Other numbers
// are a *sluice.ConfigError.
func NewCache(n *Network, entries int) (*Cache, error) {
	if entries < minCacheEntries || entries > maxCacheEntries {
		return nil, refuse("Cache", entries, "must be 64 to 4,194,304")
	}
	setBits := bits.Len(uint(entries-1)) - bits.Len(cacheWays-1)
	return &Cache{
		network: n,
		tags:    make([]cacheTags, 1<<setBits),
		entries: make([]cacheEntry, cacheWays<<setBits),
		shift:   uint8(64 - setBits),
		policy:  tinylfu.New(cacheWays<<setBits, cacheSamples*cacheWays<<setBits),
	}, nil
}

// Path returns what Network.Path returns. Where no hash reads the ingress give always the same,
// sluice.Local, so that a flow takes one entry.
func (c *Cache) Path(at sluice.SwitchID, ingress sluice.PortID, f *Flow) (sluice.Path, Status) {
	hash := f.Hash() ^ uint64(at)*0x9e3779b97f4a7c15 ^
		uint64(f.FlowLabel)*0xd6e8feb86659fd93 ^ uint64(ingress)*0xc2b2ae3d27d4eb4f
	set := hash >> c.shift
	tag := uint32(hash) | 1
	for way := range c.tags[set] {
		if c.tags[set][way] != tag {
			continue
		}
		e := &c.entries[set*cacheWays+uint64(way)]
		if e.at != at || e.ingress != ingress || e.flow != *f {
			continue
		}
		if e.generation != c.network.now.Load().generation {
			c.stats.Stale++
			c.fill(e, at, ingress, f)
		} else {
			c.stats.Hits++
		}
		return e.path, e.status
	}
	return c.miss(hash, at, ingress, f)
}

// fill calculates the path of an entry. The generation is read first: if an update comes between,
// the entry is stale at once.
func (c *Cache) fill(e *cacheEntry, at sluice.SwitchID, ingress sluice.PortID, f *Flow) {
	e.flow, e.at, e.ingress = *f, at, ingress
	e.generation = c.network.now.Load().generation
	e.path, e.status = c.network.Path(at, ingress, f)
}

// miss calculates a path, and keeps it if its flow was asked for before and not forgotten.
func (c *Cache) miss(
	hash uint64, at sluice.SwitchID, ingress sluice.PortID, f *Flow,
) (sluice.Path, Status) {
	c.stats.Misses++
	var key [8]byte
	binary.LittleEndian.PutUint64(key[:], hash)
	if _, known := c.policy.Get(string(key[:])); !known {
		c.policy.Set(&tinylfu.Item{Key: string(key[:])})
		return c.network.Path(at, ingress, f)
	}
	c.stats.Admitted++
	set := hash >> c.shift
	way := c.place(set)
	e := &c.entries[set*cacheWays+uint64(way)]
	c.tags[set][way] = uint32(hash) | 1
	c.fill(e, at, ingress, f)
	return e.path, e.status
}

// place returns the way of a set for a new entry: an empty one, else each in turn.
func (c *Cache) place(set uint64) uint8 {
	for way, tag := range c.tags[set] {
		if tag == 0 {
			return uint8(way)
		}
	}
	c.victim++
	return c.victim % cacheWays
}

// Stats returns the counts so far.
func (c *Cache) Stats() CacheStats { return c.stats }
