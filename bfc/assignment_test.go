package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Each flow is assigned to an unused queue if there is one: as many flows as queues never share.
func TestFlowsTakeFreeQueues(t *testing.T) {
	for _, policy := range []Assignment{RandomScan, LowestFree} {
		st := tell(t, 1, Config{Queues: 32, Ideal: true, Assignment: policy, Seed: 5})
		var queues []sluice.QueueID
		for flow := range uint64(32) {
			queues = append(queues, st.in(0, flow, sluice.Local, 0))
		}
		seen := map[sluice.QueueID]bool{}
		for i, q := range queues {
			require.False(t, seen[q], "queue %d again", q)
			seen[q] = true
			if policy == LowestFree {
				require.Equal(t, sluice.QueueID(i), q)
			}
		}
		c := st.s.Counters()
		require.Zero(t, c.QueueCollisions)
		st.in(0, 99, sluice.Local, 0)
		c = st.s.Counters()
		require.Equal(t, []uint64{33, 1, 1}, []uint64{c.Assignments, c.NoFreeQueue, c.QueueCollisions})
	}
}

// The scan starts anywhere: every queue is as likely to be the first.
func TestRandomScanStartsAnywhere(t *testing.T) {
	const flows = 6400
	st := tell(t, 1, Config{Queues: 32, Ideal: true, Seed: 1})
	var count [32]int
	for flow := range uint64(flows) {
		q := st.in(0, flow, sluice.Local, 0)
		count[q]++
		st.outOf(0, q)
		st.now += 5 * sluice.Microsecond
	}
	for q, n := range count {
		require.InDelta(t, flows/32, n, 60, "queue %d", q) // 4 standard deviations
	}
}

// A queue is taken if it is empty and not paused by downstream (the authors' code).
func TestPausedQueuesAreNotFree(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		st := tell(t, 1, Config{Queues: 4, Assignment: LowestFree, AssignPaused: allowed})
		st.hear(0, Pause, 0, 1)
		want := sluice.QueueID(2)
		if allowed {
			want = 0
		}
		require.Equal(t, want, st.in(0, 1, sluice.Local, 0))
		st.hear(0, Resume, 0, 1)
		st.outOf(0, want)
		require.Equal(t, sluice.QueueID(0), st.in(0, 2, sluice.Local, 0))
	}
}

// A paused queue is free once no entry of the flow table names it (Pyrrha's code, which builds the
// set of queues in use from entries alone).
func TestForgottenQueuesAreFree(t *testing.T) {
	for _, forgotten := range []bool{false, true} {
		st := tell(t, 1, Config{
			Queues: 3, VFIDs: 1000, Assignment: LowestFree, AssignForgotten: forgotten,
		})
		require.Equal(t, sluice.QueueID(0), st.in(0, 1, sluice.Local, 0))
		st.outOf(0, 0)
		st.hear(0, Pause, 0, 1)
		want := sluice.QueueID(2)
		if forgotten {
			want = 1 // no flow ever had it
		}
		require.Equal(t, want, st.in(0, 2, sluice.Local, 0), "queue 0 is the entry's of flow 1")
		st.hear(0, Resume, 1)
		st.outOf(0, want)
		st.now += 5 * sluice.Microsecond
		require.NotEqual(t, sluice.QueueID(0), st.in(0, 1, sluice.Local, 0), "while it names it")
		if forgotten {
			require.Equal(t, sluice.QueueID(0), st.in(0, 3, sluice.Local, 0), "flow 1 has another now")
		}
		require.NoError(t, st.s.Audit())
	}
}

// With no queue free, HashQueue takes the queue that the VFID hashes to, always the same;
// RandomQueue takes any.
func TestOverflow(t *testing.T) {
	for _, overflow := range []Overflow{HashQueue, RandomQueue} {
		st := tell(t, 1, Config{Queues: 8, Overflow: overflow})
		all := []sluice.QueueID{0, 1, 2, 3, 4, 5, 6, 7}
		st.hear(0, Pause, all...)
		seen := map[sluice.QueueID]bool{}
		for range 100 {
			st.now += 5 * sluice.Microsecond
			q := st.in(0, 42, sluice.Local, 0)
			seen[q] = true
			st.outOf(0, q)
		}
		if overflow == HashQueue {
			require.Len(t, seen, 1)
		} else {
			require.Len(t, seen, 8)
		}
		c := st.s.Counters()
		require.Equal(t, []uint64{100, 100, 0}, []uint64{c.Assignments, c.NoFreeQueue, c.QueueCollisions})
		if overflow == RandomQueue {
			require.Greater(t, c.Reassignments, uint64(70))
		} else {
			require.Zero(t, c.Reassignments)
		}
	}
}

// LastFreed is a stack: of queues that were never used the lowest is on top, and a queue that
// empties goes on top. A queue that its flow fills again stays where it is, and is shared when its
// turn comes.
func TestLastFreed(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4, VFIDs: 8, Index: LowBits, Assignment: LastFreed,
		AssignPaused: true, Overflow: HashQueue})
	for flow := range uint64(4) {
		require.Equal(t, sluice.QueueID(flow), st.in(0, flow, sluice.Local, 0), "the lowest was on top")
	}
	require.Equal(t, sluice.QueueID(3), st.in(0, 7, sluice.Local, 0), "none is free: 7 mod 4")
	require.Equal(t, uint64(1), st.s.Counters().NoFreeQueue)
	st.outOf(0, 2)
	st.outOf(0, 1)
	require.Equal(t, sluice.QueueID(1), st.in(0, 4, sluice.Local, 0), "1 emptied last")

	require.Equal(t, sluice.QueueID(2), st.in(0, 2, sluice.Local, 0), "flow 2 is back within sticky")
	before := st.s.Counters().QueueCollisions
	require.Equal(t, sluice.QueueID(2), st.in(0, 5, sluice.Local, 0), "2 was still on the stack")
	require.Equal(t, before+1, st.s.Counters().QueueCollisions)
	require.NoError(t, st.s.Audit())
}

// A flow's index is the low bits of its hash, whatever the seed.
func TestLowBits(t *testing.T) {
	for _, seed := range []uint64{0, 99} {
		st := tell(t, 1, Config{Queues: 8, VFIDs: 16, Index: LowBits, Seed: seed})
		q := st.in(0, 0xabc3, sluice.Local, 0)
		require.Equal(t, q, st.in(0, 0x3, sluice.Local, 0), "the same four bits")
		require.Equal(t, uint64(1), st.s.Counters().VFIDCollisions)
		st.in(0, 0xabc4, sluice.Local, 0)
		require.Equal(t, uint64(1), st.s.Counters().VFIDCollisions)
	}
}

// StaticHash spreads flows over queues and never looks whether they are free.
func TestStaticHash(t *testing.T) {
	st := tell(t, 1, Config{Queues: 8, Ideal: true, VFIDs: 10000, Assignment: StaticHash})
	var count [8]int
	for flow := range uint64(800) {
		count[st.in(0, flow, sluice.Local, 0)]++
	}
	for q, n := range count {
		require.InDelta(t, 100, n, 40, "queue %d", q) // 4 standard deviations
	}
	c := st.s.Counters()
	require.Equal(t, uint64(792), c.QueueCollisions)
	require.Zero(t, c.NoFreeQueue)
}

// A flow keeps its queue while it has packets there, and for two HRTT after: idle time is counted
// from the last arrival or departure.
func TestSticky(t *testing.T) {
	for _, test := range []struct {
		config sluice.Time
		want   sluice.Time // longest idle time after which the queue is kept
	}{{0, 4 * sluice.Microsecond}, {6 * sluice.Microsecond, 6 * sluice.Microsecond}, {NoSticky, 0}} {
		st := tell(t, 2, Config{Queues: 4, VFIDs: 1000, Assignment: LowestFree, Sticky: test.config})
		require.Equal(t, sluice.QueueID(0), st.in(1, 1, 0, 0))
		st.in(1, 1, 0, 0)
		require.Equal(t, sluice.QueueID(1), st.in(1, 2, 0, 0))
		st.now += 100 * sluice.Microsecond
		require.Equal(t, sluice.QueueID(1), st.in(1, 2, 0, 0), "it has a packet here")
		st.outOf(1, 0)
		st.outOf(1, 0)
		st.outOf(1, 1)
		st.outOf(1, 1)
		st.now += test.want
		require.Equal(t, sluice.QueueID(1), st.in(1, 2, 0, 0), "sticky though queue 0 is free")
		st.outOf(1, 1)
		st.now += test.want + 1
		require.Equal(t, sluice.QueueID(0), st.in(1, 2, 0, 0), "no longer")
		require.Equal(t, uint64(1), st.s.Counters().Reassignments)
	}
}

// The HRTT of the sticky time is the HRTT of the link the packet came by; for local packets, of the
// egress.
func TestStickyTakesTheIngressLink(t *testing.T) {
	slow := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 10 * sluice.Microsecond}
	for _, test := range []struct {
		ingress sluice.PortID
		keeps   sluice.Time
	}{
		{0, 4 * sluice.Microsecond}, {1, 40 * sluice.Microsecond},
		{sluice.Local, 40 * sluice.Microsecond},
	} {
		st := tellOf(t, Config{
			Ports: []PortConfig{{Link: benchLink}, {Link: slow}}, Queues: 4, VFIDs: 1000,
			Assignment: LowestFree,
		})
		st.in(1, 1, sluice.Local, 0)
		require.Equal(t, sluice.QueueID(1), st.in(1, 2, test.ingress, 0))
		st.outOf(1, 0)
		st.outOf(1, 1)
		st.now += test.keeps
		require.Equal(t, sluice.QueueID(1), st.in(1, 2, test.ingress, 0))
		st.outOf(1, 1)
		st.now += test.keeps + 1
		require.Equal(t, sluice.QueueID(0), st.in(1, 2, test.ingress, 0))
	}
}

// Flows of one VFID share entry and queue, and are counted.
func TestVFIDCollision(t *testing.T) {
	st := tell(t, 1, Config{Queues: 8, VFIDs: 1})
	q := st.in(0, 1, sluice.Local, 0)
	require.Equal(t, q, st.in(0, 2, sluice.Local, 0))
	require.Equal(t, q, st.in(0, 2, sluice.Local, 0))
	require.Equal(t, q, st.in(0, 1, sluice.Local, 0))
	require.Equal(t, uint64(2), st.s.Counters().VFIDCollisions)
	for range 4 {
		st.outOf(0, q)
	}
	st.in(0, 2, sluice.Local, 0)
	require.Equal(t, uint64(2), st.s.Counters().VFIDCollisions, "the entry was empty")
	require.Equal(t, uint64(1), st.s.Counters().Assignments)
}

// A host's flows have a queue each, and none is paused for another's sake.
func TestHostQueues(t *testing.T) {
	st := tellOf(t, HostConfig(benchLink))
	seen := map[sluice.QueueID]uint64{}
	for flow := range uint64(HostQueues) {
		for range 3 {
			seen[st.in(0, flow, sluice.Local, 0)] = flow
		}
	}
	require.Len(t, seen, HostQueues)
	st.hear(0, Pause, 77)
	for range 3 * (HostQueues - 1) {
		require.NotEqual(t, sluice.QueueID(77), st.out(0))
	}
	_, ok := st.s.Port(0).Next(st.now)
	require.False(t, ok)
	wake := st.hear(0, Resume, 77)
	require.Equal(t, sluice.WakePort(0), wake)
	require.Equal(t, sluice.QueueID(77), st.out(0))
	require.Zero(t, st.s.Counters().OverThreshold, "it pauses no upstream queue")
	st.due()
	require.Equal(t, sluice.Never, st.s.Deadline(), "no pause is left to expire")
}
