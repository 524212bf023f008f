package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// One IQ for sets and one for the rest, so that the second set spills. Flows go by root 0 and one
// more, which appears when packets of the flow already wait for root 0: later ones spill and must
// not pass them. Each flow's packets make the spill wait for a later one of the first IQ.
func TestSpillWaitsForTheLastOfTheSmallerSet(t *testing.T) {
	d := newDriver(Config{
		Rate: 8 * sluice.Gbps, SingleTier: true, IQs: 2, Roots: 4, Levels: 2, MTU: 300,
	},
		[][]int{{0, 1}, {0, 2}, {0, 3}, {0}})
	send := func(flow, packets int) {
		for range packets {
			d.enqueue(flow, 100)
		}
	}
	require.True(t, d.p.Pause(0, 0, 1))
	for flow, waiting := range []int{1, 1, 4} {
		send(flow, waiting)
		require.True(t, d.p.Adopt(flow+1, 1, 2), "the second root of the flow appears")
		send(flow, 1)
		require.NoError(t, d.check())
	}
	send(3, 5) // a flow that none of the others has to wait for
	require.Equal(t, 11, d.p.Packets(1))
	require.Equal(t, 3, d.p.Packets(2))
	require.True(t, d.p.Spilled())

	require.True(t, d.p.Resume(0))
	for left := 5; left >= 0; left-- {
		q, ok := d.p.Next(d.now)
		for !ok || q == Output {
			if !ok {
				d.now, _ = d.p.Park(d.now)
			} else {
				_, err := d.step()
				require.NoError(t, err)
			}
			q, ok = d.p.Next(d.now)
		}
		require.EqualValues(t, 1, q, "%d packets that came before are left", left+1)
		require.False(t, d.p.Sendable(2))
		_, err := d.step()
		require.NoError(t, err)
	}
	require.Equal(t, 5, d.p.Packets(1))
	require.Zero(t, d.p.queues[2].held, "what came later to the smaller set is not waited for")
	require.NoError(t, d.finish())
	require.False(t, d.p.Spilled())
}

// A set names its IQ (section VI-C). The order in which roots are listed is the path's, and no part
// of the name.
func TestSetHasNoOrder(t *testing.T) {
	p := mustNew(t, Config{Rate: 8 * sluice.Gbps, SingleTier: true, IQs: 4, Roots: 8})
	for _, root := range []int{3, 5, 7} {
		require.True(t, p.Adopt(root, uint64(root), 1))
	}
	q, place := p.PutSet([]uint16{5, 7, 3}, 100)
	again, same := p.PutSet([]uint16{3, 5, 7}, 200)
	require.Equal(t, q, again)
	require.Equal(t, place, same)
	require.Equal(t, []uint16{3, 5, 7}, p.RootsOf(place))
	other, _ := p.PutSet([]uint16{3, 5}, 100)
	require.NotEqual(t, q, other)
	require.EqualValues(t, 400, p.Bytes(3))
	require.EqualValues(t, 300, p.Bytes(7))
	require.Nil(t, p.RootsOf(5), "there are four IQs")
}

// Sets beyond the IQs share the last one, accounted to the nearest root only; while it has packets
// no new set gets an IQ, lest two IQs wait for each other.
func TestSpill(t *testing.T) {
	p := mustNew(t, Config{Rate: 8 * sluice.Gbps, SingleTier: true, IQs: 3, Roots: 8})
	for root := range 5 {
		require.True(t, p.Adopt(root, uint64(root), 1))
	}
	require.True(t, p.Pause(4, 4, 1))
	first, firstPlace := p.PutSet([]uint16{0}, 100)
	p.PutSet([]uint16{1}, 100)
	require.Zero(t, p.Counters().Shared)
	require.Equal(t, 2, p.InUse())

	require.False(t, p.Spilled())
	q, place := p.PutSet([]uint16{2, 0}, 100)
	require.EqualValues(t, 3, q)
	require.True(t, p.Spilled())
	require.Equal(t, []uint16{2}, p.RootsOf(place))
	require.EqualValues(t, 100, p.Bytes(2))
	require.EqualValues(t, 100, p.Bytes(0), "not of the spilled packet")
	_, place4 := p.PutSet([]uint16{4}, 50)
	require.Equal(t, 3, p.InUse())
	require.EqualValues(t, 2, p.Counters().Shared)
	require.Equal(t, 3, p.Counters().InUsePeak)

	require.True(t, p.TakeSet(first, firstPlace, 100))
	require.Equal(t, 2, p.InUse())
	require.False(t, p.Freeable(0), "a packet that spilled may have it on its path")
	_, third := p.PutSet([]uint16{3}, 100)
	require.Equal(t, []uint16{3}, p.RootsOf(third))
	require.EqualValues(t, 3, p.Counters().Shared, "an IQ is free, but the spill has packets")
	require.NoError(t, p.Audit())

	require.False(t, p.Sendable(q), "root 4 is paused")
	require.True(t, p.Resume(4))
	require.True(t, p.Sendable(q))
	for _, spilled := range []struct {
		place Place
		size  sluice.Bytes
	}{{place, 100}, {place4, 50}, {third, 100}} {
		require.True(t, p.TakeSet(q, spilled.place, spilled.size))
		require.NoError(t, p.Audit())
	}
	require.Equal(t, 1, p.InUse())
	require.True(t, p.Freeable(0))
	again, _ := p.PutSet([]uint16{0}, 100)
	require.Equal(t, first, again, "the spill is empty: sets get IQs again")
}

// TakeSet refuses a packet that cannot be at the head of an IQ, and changes nothing.
func TestTakeSetRefuses(t *testing.T) {
	p := mustNew(t, Config{Rate: 8 * sluice.Gbps, SingleTier: true, IQs: 2, Roots: 4})
	for root := range 3 {
		require.True(t, p.Adopt(root, uint64(root), 1))
	}
	q, place := p.PutSet([]uint16{0}, 100)
	p.PutSet([]uint16{0}, 60)
	spill, spilled := p.PutSet([]uint16{1}, 70)
	require.EqualValues(t, 2, spill)
	for _, c := range []struct {
		why   string
		q     sluice.QueueID
		place Place
		size  sluice.Bytes
	}{
		{"the OQ", Output, place, 100},
		{"no such queue", 3, place, 100},
		{"another queue's place", q, place + 1, 100},
		{"a spilled packet's place", q, spilled, 60},
		{"a set's place in the spill", spill, 1, 70},
		{"the spill's own number, which is no set's", spill, 2, 70},
		{"more bytes than the queue has", q, place, 161},
		{"all bytes, and another packet is there", q, place, 160},
		{"no bytes", q, place, 0},
		{"another size than the only packet's", spill, spilled, 69},
		{"a root without bytes", spill, spillPlace | 2, 70},
		{"an unassigned root", spill, spillPlace | 3, 70},
		{"no such root", spill, spillPlace | 4, 70},
	} {
		require.False(t, p.TakeSet(c.q, c.place, c.size), c.why)
		require.NoError(t, p.Audit(), c.why)
	}
	require.Zero(t, p.Counters().Moved)
	require.True(t, p.TakeSet(q, place, 100))
	require.True(t, p.TakeSet(q, place, 60))
	require.True(t, p.TakeSet(spill, spilled, 70))
	require.EqualValues(t, 3, p.Counters().Moved)
	require.False(t, p.TakeSet(q, place, 60), "the queue is empty")
}

// A packet taken while it should wait is the owner's fault; it must not leave a queue held for
// ever.
func TestPacketTakenAgainstTheRule(t *testing.T) {
	p := mustNew(t, Config{Rate: 8 * sluice.Gbps, SingleTier: true, IQs: 3, Roots: 2})
	require.True(t, p.Adopt(0, 0, 1))
	small, smallPlace := p.PutSet([]uint16{0}, 100)
	require.True(t, p.Adopt(1, 1, 2))
	large, largePlace := p.PutSet([]uint16{0, 1}, 100)
	require.False(t, p.Sendable(large), "the smaller set goes first")
	require.True(t, p.TakeSet(large, largePlace, 100))
	require.NoError(t, p.Audit())
	other, _ := p.PutSet([]uint16{1}, 100)
	require.Equal(t, large, other, "its IQ is another's")
	require.True(t, p.Sendable(other), "it waits for no other packet")
	require.True(t, p.TakeSet(small, smallPlace, 100))
	require.NoError(t, p.Audit())
	require.Equal(t, 1, p.InUse())
	require.True(t, p.Sendable(other))

	s := newTier(t, Config{IQs: 3})
	s.put("f")
	s.pause(1)
	first := s.put("a", 1)
	s.put("g")
	s.pause(2)
	s.resume(1, 2)
	second := s.put("b", 2)
	require.True(t, s.p.TakeSet(first, Place(first), 100))
	require.Equal(t, []string{"f", "g"}, s.send(2))
	require.True(t, s.p.Sendable(second), "what it waited for has left, though another waits no more")
}

// In hierarchical queues there are no sets.
func TestHierarchyHasNoPartners(t *testing.T) {
	p := smallPort(t)
	require.True(t, p.Pause(0, 0, 1))
	require.True(t, p.Pause(1, 1, 1))
	require.Equal(t, -1, p.NextPartner(0, 0))
	require.False(t, p.HeldByOthers(0))
	require.False(t, p.Spilled())
	require.False(t, p.Opened())
}

// The OQ takes turns while an IQ is in use and it has packets, however many came.
func TestOutputThatRanEmptyHasNoTurn(t *testing.T) {
	p := mustNew(t, Config{Rate: sluice.Gbps, SingleTier: true})
	require.True(t, p.Pause(0, 0, 1))
	p.PutSet([]uint16{0}, 100)
	for range 2 {
		p.PutOutput(100)
	}
	for range 2 {
		require.True(t, p.TakeOutput(100))
	}
	_, ok := p.Next(0)
	require.False(t, ok)
	require.NoError(t, p.Audit())
}
