package hashpath

import (
	"encoding/binary"

	"github.com/vmihailenco/go-tinylfu"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/table"
)

// Cache keeps paths of flows that come again and again. A hit costs a comparison and a copy; a miss
// costs the path, and the question whether to keep it, which is go-tinylfu's to answer: that
// package counts how often flows are asked for, so that flows of one packet do not drive out the
// others. What is kept takes the place of what was kept longest ago.
//
// A hit allocates nothing. A miss of a flow that go-tinylfu does not know allocates, as that
// package keeps strings and list elements. The package comment says when a Cache is worth having.
//
// A Cache is not safe for concurrent use; the network may be used, and updated, at the same time.
// Paths are never older than the state of the network at the call.
type Cache struct {
	network *Network
	index   table.Table // in entries, by hash
	entries []cacheEntry
	oldest  int
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

type cacheEntry struct {
	cacheKey
	generation uint32
	status     Status
	path       sluice.Path
}

// cacheKey is what Path is asked.
type cacheKey struct {
	flow    Flow
	at      sluice.SwitchID
	ingress sluice.PortID
}

func (k *cacheKey) hash() uint64 {
	return k.flow.Hash() ^ uint64(k.at)*0x9e3779b97f4a7c15 ^
		uint64(k.flow.FlowLabel)*0xd6e8feb86659fd93 ^ uint64(k.ingress)*0xc2b2ae3d27d4eb4f
}

const (
	minCacheEntries = 64
	maxCacheEntries = 1 << 22
	cacheSamples    = 10 // of go-tinylfu, for each entry: after as many misses it halves its counts
)

// NewCache returns a cache of paths of a network, with room for entries of them, 64 to 4,194,304:
// 112 bytes each, 32 to 64 more to find it, and about 200 for go-tinylfu. Other numbers are a
// *sluice.ConfigError.
func NewCache(n *Network, entries int) (*Cache, error) {
	if entries < minCacheEntries || entries > maxCacheEntries {
		return nil, refuse("Cache", entries, "must be 64 to 4,194,304")
	}
	return &Cache{
		network: n, entries: make([]cacheEntry, entries), index: table.New(entries, 0),
		policy: tinylfu.New(entries, cacheSamples*entries),
	}, nil
}

// Path returns what Network.Path returns. Where no hash reads the ingress give always the same,
// sluice.Local, so that a flow takes one entry.
func (c *Cache) Path(at sluice.SwitchID, ingress sluice.PortID, f *Flow) (sluice.Path, Status) {
	k := cacheKey{*f, at, ingress}
	hash := k.hash()
	i, found := c.index.Find(hash)
	if !found || c.entries[i].cacheKey != k {
		return c.miss(hash, k)
	}
	e := &c.entries[i]
	if e.generation != c.network.now.Load().generation {
		c.stats.Stale++
		c.fill(e)
	} else {
		c.stats.Hits++
	}
	return e.path, e.status
}

// fill calculates the path of an entry. The generation is read first: if an update comes between,
// the entry is stale at once.
func (c *Cache) fill(e *cacheEntry) {
	e.generation = c.network.now.Load().generation
	e.path, e.status = c.network.Path(e.at, e.ingress, &e.flow)
}

// miss calculates a path, and keeps it if its flow was asked for before and not forgotten.
func (c *Cache) miss(hash uint64, k cacheKey) (sluice.Path, Status) {
	c.stats.Misses++
	key := string(binary.LittleEndian.AppendUint64(nil, hash))
	if _, known := c.policy.Get(key); !known {
		c.policy.Set(&tinylfu.Item{Key: key})
		return c.network.Path(k.at, k.ingress, &k.flow)
	}
	c.stats.Admitted++
	e := &c.entries[c.oldest]
	if i, found := c.index.Find(e.hash()); found && i == c.oldest {
		c.index.Remove(e.hash())
	}
	c.index.Put(hash, c.oldest)
	c.oldest = (c.oldest + 1) % len(c.entries)
	e.cacheKey = k
	c.fill(e)
	return e.path, e.status
}

// Stats returns the counts so far.
func (c *Cache) Stats() CacheStats { return c.stats }
