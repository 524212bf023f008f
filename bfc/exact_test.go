package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestExactTable drives a small exact table with many flows: packets of a flow never lie under two
// entries, or in two queues, and packets of two flows lie under one entry only if it is a shared
// one.
func TestExactTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			Ports:            []PortConfig{{Link: benchLink}},
			Queues:           4,
			VFIDs:            rapid.SampledFrom([]int{1, 5, 20, 40}).Draw(t, "entries"),
			Ideal:            true,
			Assignment:       Assignment(rapid.IntRange(0, int(StaticHash)).Draw(t, "assignment")),
			AssignPaused:     rapid.Bool().Draw(t, "assign paused"),
			FirstPacketQueue: rapid.Bool().Draw(t, "first-packet queue"),
			CountLonePackets: true,
		}
		s := mustNew(t, c)
		port := s.Port(0)
		now, sequence := sluice.Time(0), uint32(0)
		var held []sluice.Packet
		t.Repeat(map[string]func(*rapid.T){
			"enqueue": func(t *rapid.T) {
				p := sluice.Packet{
					Flow: rapid.Uint64Range(0, 60).Draw(t, "flow"), Size: 1, Ingress: sluice.Local,
				}
				v := port.Enqueue(now, &p)
				for i := range held {
					if held[i].Flow != p.Flow {
						continue
					}
					require.Equal(t, uint32(held[i].Note), uint32(p.Note), "a flow has one entry")
					if q := sluice.QueueID(held[i].Note >> noteQueueShift); q < 4 {
						require.Equal(t, q, v.Queue(), "and one data queue")
					}
				}
				held = append(held, p)
			},
			"dequeue": func(t *rapid.T) {
				if len(held) == 0 {
					t.Skip("empty")
				}
				i := rapid.IntRange(0, len(held)-1).Draw(t, "packet")
				v := port.Dequeue(now, sluice.QueueID(held[i].Note>>noteQueueShift), &held[i])
				require.Equal(t, sluice.Transmit, v.Action())
				held = append(held[:i], held[i+1:]...)
			},
			"pause": func(t *rapid.T) {
				sequence++
				f := Frame{Type: Bitmap, Count: 4, Sequence: sequence}
				f.Bits[0] = rapid.Uint64Range(0, 15).Draw(t, "paused")
				port.Receive(now, &f)
			},
			"wait": func(*rapid.T) { now += 3 * sluice.Microsecond },
			"": func(t *rapid.T) {
				require.NoError(t, s.Audit())
				flows := map[uint32]uint64{}
				for i := range held {
					index := uint32(held[i].Note)
					if int(index) >= port.exact.known {
						continue
					}
					if other, ok := flows[index]; ok {
						require.Equal(t, other, held[i].Flow, "entry %d has packets of two flows", index)
					}
					flows[index] = held[i].Flow
				}
			},
		})
	})
}

// While no more flows are here than there are queues, no two share an entry or a queue, whatever
// flows were here before, paused or not: the ideal form of BFC.
func TestIdealHasNoCollisions(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: benchLink}}, Ideal: true, Queues: 128})
	port := s.Port(0)
	for round := range uint64(40) {
		now := sluice.Time(round) * sluice.Microsecond // within the sticky time of the flows before
		queues := map[sluice.QueueID]bool{}
		var held []sluice.Packet
		for flow := range uint64(128) {
			p := sluice.Packet{Flow: round*100 + flow, Size: 1, Ingress: sluice.Local}
			q := port.Enqueue(now, &p).Queue()
			require.False(t, queues[q], "round %d: two flows in queue %d", round, q)
			queues[q] = true
			held = append(held, p)
		}
		for i := range held {
			port.Dequeue(now, sluice.QueueID(held[i].Note>>noteQueueShift), &held[i])
		}
	}
	c := s.Counters()
	require.Equal(t, uint64(40*128), c.Transmitted)
	require.Zero(t, c.QueueCollisions+c.VFIDCollisions+c.TableOverflows+c.NoFreeQueue)
	require.Equal(t, uint64(128+39*100), c.Assignments, "28 flows of each round keep their queue")
	require.Equal(t, uint64(39*100), c.StickyEvictions)
}

// Without Ideal a sticky flow that comes back finds another in its queue; the counter says so.
func TestCollisionsWithStickyFlowsAreCounted(t *testing.T) {
	st := tell(t, 1, Config{Queues: 1, VFIDs: 1000})
	st.in(0, 1, sluice.Local, 0)
	st.out(0)
	st.in(0, 2, sluice.Local, 0)
	require.Zero(t, st.s.Counters().QueueCollisions)
	st.in(0, 1, sluice.Local, 0)
	require.Equal(t, uint64(1), st.s.Counters().QueueCollisions)
	require.Equal(t, uint64(2), st.s.Counters().Assignments, "the flow kept its queue")
	st.in(0, 1, sluice.Local, 0)
	require.Equal(t, uint64(1), st.s.Counters().QueueCollisions, "once for each time")
}

// A card gives a flow one slot for its life: a flow whose packets have all left does not escape a
// pause by taking another queue, however long it was silent and however many others come.
func TestAPausedSlotStaysItsFlows(t *testing.T) {
	c := hostConfig(4)
	c.Ports[0].Link = benchLink
	st := tellOf(t, c)
	slot := st.in(0, 1, sluice.Local, 0)
	st.outOf(0, slot)
	st.hear(0, Pause, slot)
	for flow := range uint64(100) {
		st.now += sluice.Millisecond
		q := st.in(0, 1000+flow, sluice.Local, 0)
		require.NotEqual(t, slot, q)
		st.outOf(0, q)
	}
	require.Equal(t, slot, st.in(0, 1, sluice.Local, 0))
	_, ok := st.s.Port(0).Next(st.now)
	require.False(t, ok, "it is paused still")
	st.hear(0, Resume, slot)
	require.Equal(t, slot, st.out(0))
}

// The slot that has been empty longest changes hands.
func TestTheSlotEmptyLongestChangesHands(t *testing.T) {
	c := hostConfig(3)
	c.Ports[0].Link = benchLink
	st := tellOf(t, c)
	var slots [4]sluice.QueueID
	for flow := range uint64(3) {
		slots[flow] = st.in(0, flow, sluice.Local, 0)
	}
	for _, flow := range []uint64{1, 0, 2} {
		st.outOf(0, slots[flow])
	}
	require.Equal(t, slots[0], st.in(0, 0, sluice.Local, 0))
	st.outOf(0, slots[0]) // empty longest now: 1, 2, 0
	require.Equal(t, slots[1], st.in(0, 11, sluice.Local, 0))
	require.Equal(t, slots[2], st.in(0, 12, sluice.Local, 0))
	require.Equal(t, slots[0], st.in(0, 13, sluice.Local, 0))
	st.in(0, 14, sluice.Local, 0)
	n := st.s.Counters()
	require.Equal(t, []uint64{1, 1}, []uint64{n.NoFreeQueue, n.QueueCollisions}, "all have packets")
}

// A flow that comes back within its sticky time, and whose slot has changed hands, gets another.
// Its old one would have two flows.
func TestAFlowThatLostItsSlotGetsAnother(t *testing.T) {
	c := hostConfig(2)
	c.Ports[0].Link = benchLink
	st := tellOf(t, c)
	lost := st.in(0, 0, sluice.Local, 0)
	other := st.in(0, 1, sluice.Local, 0)
	st.outOf(0, lost)
	require.Equal(t, lost, st.in(0, 2, sluice.Local, 0))
	st.outOf(0, other)
	require.Equal(t, other, st.in(0, 0, sluice.Local, 0))
	require.Zero(t, st.s.Counters().QueueCollisions)
}

// The first packet of a flow that rested goes to the first-packet queue, and the second to the slot
// that the flow still has, where the third joins it without a word of a collision.
func TestAFlowKeepsItsSlotBehindAFirstPacket(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4, Ideal: true, FirstPacketQueue: true})
	slot := func() (q sluice.QueueID) {
		st.in(0, 7, sluice.Local, 0)
		q = st.in(0, 7, sluice.Local, 0)
		require.Equal(t, q, st.in(0, 7, sluice.Local, 0))
		for st.s.Buffered() > 0 {
			st.out(0)
		}
		return q
	}
	before := slot()
	st.now += sluice.Millisecond
	require.Equal(t, before, slot())
	n := st.s.Counters()
	require.Equal(t, []uint64{2, 1, 0}, []uint64{n.FirstPackets, n.Assignments, n.QueueCollisions})
}

// With more flows here than entries the rest share entries, which costs no order: TestExactTable.
func TestTableOverflow(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4, VFIDs: 8, Ideal: true})
	for flow := range uint64(1000) {
		st.in(0, flow, sluice.Local, 0)
	}
	c := st.s.Counters()
	require.Equal(t, uint64(1000-8), c.TableOverflows)
	require.Equal(t, uint64(1000-8-sharedEntries), c.VFIDCollisions)
	for st.s.Buffered() > 0 {
		st.out(0)
	}
	require.NoError(t, st.s.Quiescent())
	st.in(0, 5000, sluice.Local, 0)
	require.Equal(t, uint64(1000-8), st.s.Counters().TableOverflows, "there is room again")
}

// A queue that is taken within the sticky time of its flow, two HRTT, is counted.
func TestStickyEvictions(t *testing.T) {
	c := hostConfig(1)
	c.Ports[0].Link = benchLink
	st := tellOf(t, c)
	for flow, evictions := range []uint64{0, 1, 1} {
		st.in(0, uint64(flow), sluice.Local, 0)
		st.out(0)
		require.Equal(t, evictions, st.s.Counters().StickyEvictions, "flow %d", flow)
		st.now += 4*sluice.Microsecond + sluice.Time(flow)
	}
}

// A flow that shares an entry for lack of room goes on to share it while it has packets there,
// though there is room by now: under an entry of its own its packets could take another queue and
// overtake.
func TestAFlowStaysUnderItsSharedEntry(t *testing.T) {
	c := hostConfig(2)
	c.VFIDs = 2
	c.Ports[0].Link = benchLink
	st := tellOf(t, c)
	last := func(q sluice.QueueID) int {
		return int(uint32(st.fifos[0][q][len(st.fifos[0][q])-1].Note))
	}
	for flow := range uint64(2) {
		require.Less(t, last(st.in(0, flow, sluice.Local, 0)), 2)
	}
	q := st.in(0, 7, sluice.Local, 0)
	shared := last(q)
	require.GreaterOrEqual(t, shared, 2, "there is no room")
	st.outOf(0, 1-q) // now there is
	require.Equal(t, q, st.in(0, 7, sluice.Local, 0))
	require.Equal(t, shared, last(q))
	for st.s.Buffered() > 0 {
		st.out(0)
	}
	require.Less(t, last(st.in(0, 7, sluice.Local, 0)), 2, "all its packets have left")
}

// A new flow gets the entry of a flow that owns no queue rather than of a flow that does, which
// would lose its queue though another is free.
func TestNewFlowsSpareOwners(t *testing.T) {
	c := hostConfig(2)
	c.VFIDs, c.Assignment, c.Overflow = 2, LowestFree, HashQueue
	c.Ports[0].Link = benchLink
	st := tellOf(t, c)
	st.hear(0, Pause, 1)
	require.Zero(t, st.in(0, 1, sluice.Local, 0))
	sharer := uint64(2)
	for st.s.ports[0].hashed(1, sharer) != 0 {
		sharer++
	}
	require.Zero(t, st.in(0, sharer, sluice.Local, 0), "no queue is free")
	st.hear(0, Resume, 1)
	for st.s.Buffered() > 0 {
		st.out(0)
	}
	require.Equal(t, sluice.QueueID(1), st.in(0, 1000, sluice.Local, 0))
	before := st.s.Counters().Assignments
	require.Zero(t, st.in(0, 1, sluice.Local, 0))
	require.Equal(t, before, st.s.Counters().Assignments, "it kept its queue")
}
