package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/stretchr/testify/require"
)

// Audit finds whatever is wrong with a port, and names the invariant.
func TestAuditFindsWhatIsBroken(t *testing.T) {
	// Roots 0 and 1 of level 1 merge into root 2; root 3 is paused. All have a packet. IQ 5 is unused,
	// as level 4 may need it.
	build := func() *Port {
		p := mustNew(t, Config{Rate: 8 * sluice.Gbps, Levels: 4, IQs: 5, Roots: 6, MTU: 1000})
		for root, level := range []int{1, 1, 2, 3} {
			require.True(t, p.Adopt(root, uint64(root), level))
		}
		require.True(t, p.Pause(3, 3, 3))
		require.True(t, p.Merge(0, 2))
		require.True(t, p.Merge(1, 2))
		for root := range 4 {
			p.Put(root, 100)
		}
		p.PutOutput(100)
		require.NoError(t, p.Audit())
		return p
	}
	for _, c := range []struct {
		what, says string
		do         func(p *Port)
	}{
		{"a packet without bytes", "invariant 1", func(p *Port) { p.queues[1].packets = 101 }},
		{"bytes without packets", "invariant 1", func(p *Port) { p.queues[5].bytes = 1 }},
		{"fewer than no packets", "invariant 1", func(p *Port) { p.queues[5].packets = -1 }},
		{"the OQ too", "invariant 1", func(p *Port) { p.oq.packets = 101 }},
		{"the last IQ too", "invariant 1", func(p *Port) { p.queues[5].packets = 1 }},
		{"bytes of no root", "invariant 2", func(p *Port) { p.queues[1].bytes++ }},
		{"bytes of a root in no queue", "invariant 2", func(p *Port) { p.claims[0].bytes++ }},
		{"held for no reason", "invariant 3", func(p *Port) { p.queues[1].held++ }},
		{"not held for a reason", "invariant 3", func(p *Port) { p.queues[p.Queue(3)].held-- }},
		{"an owner too many", "invariant 3", func(p *Port) { p.queues[2].owners++ }},
		{"may move and is not scheduled", "invariant 3", func(p *Port) {
			p.rings[1].Leave(int(p.Queue(0)))
		}},
		{"scheduled though held", "invariant 3", func(p *Port) {
			p.rings[3].Join(int(p.Queue(3)))
		}},
		{"scheduled in another level", "takes part in level 2: true, it should: false", func(p *Port) {
			p.rings[2].Join(int(p.Queue(0)))
		}},
		{"ready and nothing is scheduled", "invariant 3", func(p *Port) { p.ready |= 1 << 3 }},
		{"scheduled and not ready", "invariant 3", func(p *Port) { p.ready &^= 1 << 1 }},
		{"unused and used", "invariant 4", func(p *Port) { p.unused.Add(1) }},
		{"neither unused nor used", "invariant 4", func(p *Port) { p.unused.Remove(5) }},
		{"used and in no level", "the pool says otherwise", func(p *Port) {
			p.members[2].Remove(int(p.Queue(2)))
		}},
		{"miscounted spares", "invariant 4", func(p *Port) { p.spare++ }},
		{"no IQ left for level 4", "invariant 4", func(p *Port) {
			p.spare++
			p.Adopt(4, 4, 1)
			p.spare--
		}},
		{"merges though it does not", "merges into", func(p *Port) { p.claims[3].into = 2 }},
		{"merges into an unassigned root", "merges into", func(p *Port) { p.claims[0].into = 5 }},
		{"miscounted feeders", "merge into", func(p *Port) { p.claims[2].feeders-- }},
		{"feeders of nothing", "merge into", func(p *Port) { p.claims[5].feeders++ }},
	} {
		p := build()
		c.do(p)
		err := p.Audit()
		require.Error(t, err, c.what)
		require.Contains(t, err.Error(), c.says, c.what)
	}
}

// The same in a single tier: two sets, where one waits for the other, and packets that spilled.
func TestAuditFindsWhatIsBrokenInASingleTier(t *testing.T) {
	const small, large, spill = 1, 2, 3
	build := func() *Port {
		p := mustNew(t, Config{Rate: 8 * sluice.Gbps, SingleTier: true, IQs: 3, Roots: 4, MTU: 1000})
		for root, set := range [][]uint16{{0}, {0, 1}, {2, 1}} {
			require.True(t, p.Adopt(root, uint64(root), 1))
			p.PutSet(set, 100)
		}
		require.True(t, p.Pause(2, 2, 1))
		p.PutOutput(100)
		require.NoError(t, p.Audit())
		return p
	}
	wait := func(p *Port, waiters *bitset.Set) {
		waiters.Add(large)
		p.sets.records[large].behind++
		p.queues[large].held++
	}
	for _, c := range []struct {
		what, says string
		do         func(p *Port)
	}{
		{"bytes of no root", "invariant 2", func(p *Port) { p.queues[small].bytes++ }},
		{"bytes of a root in no queue", "invariant 2", func(p *Port) { p.claims[1].bytes++ }},
		{"a wait forgotten", "invariant 5", func(p *Port) {
			p.sets.records[small].waiters.Remove(large)
		}},
		{"a wait that holds nothing", "invariant 5", func(p *Port) {
			p.sets.records[small].later.Add(large)
		}},
		{"a wait for nothing", "nothing that they need wait for", func(p *Port) {
			wait(p, &p.sets.records[Output].waiters)
		}},
		{"a later wait for nothing", "nothing that they need wait for", func(p *Port) {
			wait(p, &p.sets.records[Output].later)
		}},
		{"not held though it waits", "invariant 3", func(p *Port) { p.queues[large].held-- }},
		{"a packet uncounted", "invariant 5", func(p *Port) { p.sets.records[large].enqueued++ }},
		{"a barrier beyond the last packet", "invariant 5", func(p *Port) {
			p.sets.records[small].barrier++
		}},
		{"miscounted barriers", "invariant 5", func(p *Port) { p.sets.unsettled-- }},
		{
			"the OQ takes no turns", "takes turns: false, it should: true",
			func(p *Port) { p.rings[0].Leave(int(Output)) },
		},
		{"not held by a paused root", "invariant 3", func(p *Port) { p.queues[spill].held-- }},
		{"a root gone from the spill", "invariant 3", func(p *Port) { p.sets.union.Remove(2) }},
		{"a spill without owner", "invariant 3", func(p *Port) { p.queues[spill].owners = 0 }},
		{"a set without owner", "invariant 3", func(p *Port) { p.queues[small].owners = 0 }},
		{"scheduled though it waits", "invariant 3", func(p *Port) {
			p.rings[0].Join(large)
		}},
		{"unused and used", "invariant 4", func(p *Port) { p.unused.Add(large) }},
	} {
		p := build()
		c.do(p)
		err := p.Audit()
		require.Error(t, err, c.what)
		require.Contains(t, err.Error(), c.says, c.what)
	}
}
