package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/stretchr/testify/require"
)

// Moves take turns from the farthest level to the nearest, and then the OQ sends: room is made
// downstream first.
func TestFarthestLevelFirst(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Adopt(0, 0, 1))
	require.True(t, p.Adopt(1, 1, 2))
	near, far := p.Put(0, 1000), p.Put(1, 1000)
	p.Put(0, 1000)
	p.Put(1, 1000)
	p.PutOutput(1000)
	var order []sluice.QueueID
	for range 5 {
		q, ok := p.Next(0)
		require.True(t, ok)
		order = append(order, q)
		switch q {
		case near:
			require.True(t, p.Take(0, q, 0, 1000))
		case far:
			require.True(t, p.Take(0, q, 1, 1000))
		case Output:
			require.True(t, p.TakeOutput(1000))
		}
	}
	require.Equal(t, []sluice.QueueID{far, far, near, near, Output}, order)
}

// A queue that has nothing more to send forfeits the rest of its turn (Shreedhar and Varghese,
// Efficient Fair Queuing Using Deficit Round Robin, Figure 2: the deficit counter of a queue that
// was emptied is reset to 0).
func TestEmptiedIQForfeitsItsCredit(t *testing.T) {
	p := mustNew(t, Config{
		Rate: 8 * sluice.Gbps, Levels: 1, IQs: 2, Roots: 2, MTU: 1500, Scheduler: DeficitRoundRobin,
	})
	require.True(t, p.Adopt(0, 0, 1))
	require.True(t, p.Adopt(1, 1, 1))
	first := p.Put(0, 100)
	q, ok := p.Next(0)
	require.True(t, ok)
	require.Equal(t, first, q)
	second := p.Put(1, 100)
	require.True(t, p.Take(0, q, 0, 100))
	p.Put(0, 100)
	q, ok = p.Next(0)
	require.True(t, ok)
	require.Equal(t, second, q, "the 1,400 bytes that the first did not use are gone")
}

// Take refuses a packet that cannot be at the head of an IQ, and changes nothing.
func TestTakeRefuses(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Adopt(0, 0, 1))
	require.True(t, p.Adopt(1, 1, 1))
	q := p.Put(0, 100)
	p.Put(0, 60)
	other := p.Put(1, 100)
	for _, c := range []struct {
		why  string
		q    sluice.QueueID
		root int
		size sluice.Bytes
	}{
		{"the OQ", Output, 0, 100},
		{"no such queue", 5, 0, 100},
		{"a queue beyond all", 0xffff, 0, 100},
		{"no such root", q, 8, 100},
		{"a root below all", q, -1, 100},
		{"an unassigned root", q, 2, 100},
		{"another root's queue", other, 0, 100},
		{"no bytes", q, 0, 0},
		{"all bytes, and another packet is there", q, 0, 160},
		{"more bytes than there are", q, 0, 161},
		{"another size than the only packet's", other, 1, 99},
	} {
		require.False(t, p.Take(0, c.q, c.root, c.size), c.why)
		require.NoError(t, p.Audit(), c.why)
	}
	require.Zero(t, p.Counters().Moved)
	for _, size := range []sluice.Bytes{0, 1} {
		require.False(t, p.TakeOutput(size), "the OQ is empty")
	}
	p.PutOutput(10)
	p.PutOutput(20)
	require.False(t, p.TakeOutput(30))
	require.True(t, p.TakeOutput(10))
	require.False(t, p.TakeOutput(10))
	require.True(t, p.TakeOutput(20))
}

// A root that shares its IQ takes only its own bytes from it.
func TestSharersTakeTheirOwn(t *testing.T) {
	p := mustNew(t, Config{Rate: 8 * sluice.Gbps, Levels: 1, IQs: 1, Roots: 2})
	require.True(t, p.Adopt(0, 0, 1))
	require.True(t, p.Adopt(1, 1, 1))
	q := p.Put(0, 100)
	require.Equal(t, q, p.Put(1, 50))
	require.EqualValues(t, 1, p.Counters().Shared)
	require.False(t, p.Take(0, q, 1, 100), "root 1 has 50 bytes there")
	require.True(t, p.Take(0, q, 0, 100))
	require.True(t, p.Take(0, q, 1, 50))
}

// A level is 1 to Levels. Pause refuses and counts another level of an unassigned root.
func TestLevelsOutOfRange(t *testing.T) {
	for _, single := range []bool{false, true} {
		p := mustNew(t, Config{
			Rate: 8 * sluice.Gbps, Levels: 3, IQs: 4, Roots: 4, SingleTier: single,
		})
		for i, level := range []int{-1, 0, 4} {
			require.False(t, p.Pause(0, 0, level))
			require.Equal(t, Unassigned, p.State(0))
			require.EqualValues(t, i+1, p.Counters().Refused)
		}
		for level := 1; level <= 3; level++ {
			require.True(t, p.Pause(level, uint64(level), level))
			require.Equal(t, level, p.Level(level))
			require.Equal(t, single, p.Queue(level) == Output)
		}
		require.EqualValues(t, 3, p.Counters().Refused)
		require.Zero(t, p.Level(0))
		require.NoError(t, p.Audit())
	}
}

// Packets of a merging root's IQ may go on into the new root's IQ; nothing merges into itself or
// into a root that has no IQ.
func TestMergeInto(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Adopt(0, 0, 1))
	require.True(t, p.Merge(0, 0))
	require.Equal(t, -1, p.Into(0))
	require.True(t, p.Merge(0, 1), "root 1 is unassigned")
	require.Equal(t, -1, p.Into(0))
	require.True(t, p.Adopt(4, 4, 1))
	require.True(t, p.Merge(4, 0), "into the first root of all")
	require.Equal(t, 0, p.Into(4))
	require.True(t, p.Adopt(4, 4, 1), "in a tree again")
	require.Equal(t, -1, p.Into(4))
	require.True(t, p.Adopt(1, 1, 2))
	require.True(t, p.Adopt(2, 2, 2))
	require.True(t, p.Merge(0, 1))
	require.False(t, p.Freeable(1))
	require.True(t, p.Merge(0, 2), "a second MERGE names another root")
	require.True(t, p.Freeable(1))
	require.False(t, p.Freeable(2))
	require.NoError(t, p.Audit())
	require.False(t, p.Merge(3, 1), "Figure 6: unassigned has no MERGE")
	require.True(t, p.Freeable(1))

	_, ok := p.Free(2)
	require.False(t, ok)
	require.EqualValues(t, 1, p.Counters().Refused, "that it must wait is no misuse")
	into, ok := p.Free(0)
	require.True(t, ok)
	require.Equal(t, 2, into)
	into, ok = p.Free(2)
	require.True(t, ok)
	require.Equal(t, -1, into)
	require.EqualValues(t, 2, p.Counters().Freed)
	_, ok = p.Free(2)
	require.False(t, ok)
	require.EqualValues(t, 2, p.Counters().Refused)
	require.True(t, p.Pause(3, 3, 1))
	_, ok = p.Free(3)
	require.False(t, ok)
	require.EqualValues(t, 3, p.Counters().Refused)
}

// IQs in use, now and at most.
func TestCounters(t *testing.T) {
	p := smallPort(t)
	for root := range 3 {
		require.True(t, p.Adopt(root, uint64(root), 1))
	}
	for root := range 2 {
		_, ok := p.Free(root)
		require.True(t, ok)
	}
	require.True(t, p.Adopt(3, 3, 1))
	require.Equal(t, Counters{Assigned: 4, Freed: 2, InUse: 2, InUsePeak: 3}, p.Counters())
	require.Equal(t, 2, p.InUse())
	require.Equal(t, 5, p.Queues())
}

// A turn is an MTU by deficit round robin, and a packet by round robin, in both organisations.
func TestTurns(t *testing.T) {
	for scheduler, turn := range map[Scheduler]int{RoundRobin: 1, DeficitRoundRobin: 10} {
		for _, single := range []bool{false, true} {
			p := mustNew(t, Config{
				Rate: 8 * sluice.Gbps, Levels: 1, IQs: 3, Roots: 2, MTU: 1000, Scheduler: scheduler,
				SingleTier: single,
			})
			for root := range uint16(2) {
				require.True(t, p.Adopt(int(root), 0, 1))
				for range 30 {
					if single {
						p.PutSet([]uint16{root}, 100)
					} else {
						p.Put(int(root), 100)
					}
				}
			}
			for i := range 4 * turn {
				q, ok := p.Next(sluice.Time(i) * sluice.Microsecond)
				require.True(t, ok)
				require.EqualValues(t, 1+i/turn%2, q, "packet %d, %v, single %v", i, scheduler, single)
				require.True(t, single && p.TakeSet(q, Place(q), 100) || !single && p.Take(0, q, int(q)-1, 100))
			}
		}
	}
}

// Every IQ of the pool is assigned before any is shared, however many there are.
func TestAllIQsAreUsed(t *testing.T) {
	for _, iqs := range []int{1, 63, 64, 65, MaxIQs} {
		p := mustNew(t, Config{Rate: 8 * sluice.Gbps, Levels: 1, IQs: iqs})
		for root := range min(iqs, 256) {
			require.True(t, p.Adopt(root, uint64(root), 1))
			require.EqualValues(t, root+1, p.Put(root, 10))
			require.NoError(t, p.Audit())
		}
		require.Zero(t, p.Counters().Shared)
	}
}

// The IQ to share is chosen by the root's key alone, the same on every machine: the first of the
// level from the key's hash on, which is the hash's own where all IQs are of the level.
func TestHashOfSharing(t *testing.T) {
	const iqs = 10
	p := mustNew(t, Config{Rate: 8 * sluice.Gbps, Levels: 1, IQs: iqs, Roots: 64})
	for root := range iqs {
		require.True(t, p.Adopt(root, uint64(root), 1))
	}
	for root := iqs; root < 64; root++ {
		key := uint64(root) << 20
		require.True(t, p.Adopt(root, key, 1))
		require.EqualValues(t, 1+prng.Mix(key)%iqs, p.Queue(root), "root %d", root)
	}
}
