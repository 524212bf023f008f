package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Each comment states the rule under test, in our words: the paper's (Backpressure Flow Control,
// NSDI 2022), or a rule of its authors' ns-3 code, named as such.

// Th = HRTT x rate / N_active: at 100 Gb/s and 2 us, 25,000 bytes for one active queue, 12,500 for
// two, 6,250 for four, 3,125 for eight, 806 for 31.
func TestThresholdOfThePaper(t *testing.T) {
	s := tell(t, 2, Config{}).s
	for active, want := range map[int]sluice.Bytes{
		0: 25000, 1: 25000, 2: 12500, 4: 6250, 8: 3125, 31: 806, 30000: 1,
	} {
		require.Equal(t, want, s.Threshold(0, 1, active), "N_active = %d", active)
	}
	require.Zero(t, s.Threshold(2, 0, 1))
	require.Zero(t, s.Threshold(0, sluice.Local, 1))
}

// The authors' code tests bytes*8 > F*C*2us/N with F = 1.5: 37,500, 18,750, 9,375, 4,687.5 and
// 1,209 bytes.
func TestThresholdOfTheAuthorsCode(t *testing.T) {
	s := tellOf(t, AuthorsConfig([]PortConfig{{Link: benchLink}, {Link: benchLink}})).s
	for active, want := range map[int]sluice.Bytes{1: 37500, 2: 18750, 4: 9375, 8: 4687, 31: 1209} {
		require.Equal(t, want, s.Threshold(0, 1, active), "N_active = %d", active)
	}
}

// HRTT is the HRTT of the link to the device which is to be paused, the rate is the egress's.
func TestThresholdTakesIngressDelayAndEgressRate(t *testing.T) {
	s := tellOf(t, Config{Ports: []PortConfig{
		{Link: sluice.Link{Rate: 10 * sluice.Gbps, Delay: 5 * sluice.Microsecond}},
		{Link: sluice.Link{Rate: 400 * sluice.Gbps, Delay: sluice.Microsecond}},
		{
			Link: sluice.Link{Rate: 400 * sluice.Gbps, Delay: sluice.Microsecond},
			HRTT: 3 * sluice.Microsecond,
		},
	}}).s
	require.Equal(t, 500*sluice.KB, s.Threshold(0, 1, 1))
	require.Equal(t, 2500*sluice.Byte, s.Threshold(1, 0, 1))
	require.Equal(t, 150*sluice.KB, s.Threshold(2, 1, 1), "an HRTT that is given counts")
}

// If the queue is above the threshold the packet's upstream queue is paused; above is strict, and
// the packet itself counts.
func TestPauseAboveTheThreshold(t *testing.T) {
	st := tell(t, 2, Config{})
	for range 25 {
		st.in(1, 7, 0, 3)
		require.Empty(t, st.frames(), "25,000 bytes are not above 25,000")
	}
	st.in(1, 7, 0, 3)
	require.Equal(t, []string{"pause 0:[3]"}, st.frames())
	require.True(t, st.s.Port(0).Holding(3))
	require.Equal(t, 1, st.s.Port(0).Counter(3))
	st.in(1, 7, 0, 3)
	require.Equal(t, 2, st.s.Port(0).Counter(3))
	require.Empty(t, st.frames(), "it is paused already")
}

// The queue is resumed when all packets that were over the threshold when they arrived have left:
// the counter is of packets, and there is no second threshold.
func TestResumeWhenEveryCountedPacketHasLeft(t *testing.T) {
	st := tell(t, 2, Config{Signalling: Transitions})
	for range 27 {
		st.in(1, 7, 0, 3)
	}
	require.Equal(t, []string{"pause 0:[3]"}, st.frames())
	for range 26 {
		st.out(1)
		require.Empty(t, st.frames())
	}
	require.Equal(t, 1, st.s.Port(0).Counter(3))
	st.out(1)
	require.Equal(t, []string{"resume 0:[3]"}, st.frames())
	require.NoError(t, st.s.Quiescent())
}

// A threshold is never below a byte: a queue of one byte pauses no upstream queue.
func TestThresholdIsAtLeastAByte(t *testing.T) {
	st := tellOf(
		t, Config{Ports: []PortConfig{{Link: sluice.Link{Rate: 1}}}, Queues: 1, CountLonePackets: true},
	)
	require.Equal(t, sluice.Byte, st.s.Threshold(0, 0, 1))
	st.packet(0, sluice.Packet{Size: 1})
	require.Empty(t, st.frames())
	st.packet(0, sluice.Packet{Size: 1})
	require.Equal(t, []string{"pause 0:[0]"}, st.frames())
}

// A pause names the upstream queue: every (ingress, upstream queue) has a counter of its own, and
// packets of one queue here may have come from several.
func TestCountersAreByIngressAndUpstreamQueue(t *testing.T) {
	c := Config{Queues: 1}
	for range 3 {
		c.Ports = append(c.Ports, PortConfig{Link: benchLink, UpstreamQueues: 8})
	}
	st := tellOf(t, c)
	for range 25 {
		st.in(2, 7, 0, 3)
	}
	st.in(2, 7, 0, 4)
	st.in(2, 7, 1, 4)
	st.in(2, 7, 1, 4)
	require.Equal(t, []string{"pause 0:[4]", "pause 1:[4]"}, st.frames())
	require.Equal(t, 0, st.s.Port(0).Counter(3))
	require.Equal(t, 1, st.s.Port(0).Counter(4))
	require.Equal(t, 2, st.s.Port(1).Counter(4))
	require.Equal(t, 0, st.s.Port(2).Counter(4))
	require.True(t, st.s.Port(0).Holding(4) && st.s.Port(1).Holding(4))
}

// N_active is the number of queues that are not empty and not paused by downstream, the arriving
// packet's included: what pauses a queue raises the threshold of the others.
func TestActiveQueues(t *testing.T) {
	st := tell(t, 2, Config{Assignment: LowestFree})
	for flow := range uint64(4) {
		st.in(1, flow, 0, sluice.QueueID(flow))
	}
	require.Equal(t, 4, st.s.Port(1).Active())
	for range 5 {
		st.in(1, 0, 0, 0)
	}
	require.Empty(t, st.frames(), "6,000 bytes are not above 25,000/4")
	st.in(1, 0, 0, 0)
	require.Equal(t, []string{"pause 0:[0]"}, st.frames())

	st.hear(1, Pause, 2, 3)
	require.Equal(t, 2, st.s.Port(1).Active())
	for range 11 {
		st.in(1, 1, 0, 1)
	}
	require.Empty(t, st.frames(), "12,000 bytes are not above 25,000/2")
	st.in(1, 1, 0, 1)
	require.Equal(t, []string{"pause 0:[1]"}, st.frames())
	st.hear(1, Resume, 2)
	require.Equal(t, 3, st.s.Port(1).Active())
}

// The comparison is exact whatever N_active is: a backlog of 25,000/N_active rounded down is not
// above the threshold, one byte more is.
func TestThresholdIsExactForAnyActive(t *testing.T) {
	for _, others := range []uint64{1, 2, 3, 7} {
		st := tell(t, 2, Config{Assignment: LowestFree, CountLonePackets: true})
		for flow := range others {
			st.packet(1, sluice.Packet{Flow: 100 + flow, Size: 1, UpstreamQueue: 9})
		}
		threshold := st.s.Threshold(0, 1, int(others)+1)
		st.packet(1, sluice.Packet{Flow: 7, Size: threshold, UpstreamQueue: 3})
		require.Equal(t, int(others)+1, st.s.Port(1).Active())
		require.Empty(t, st.frames(), "%d bytes, N_active = %d", threshold, others+1)
		st.packet(1, sluice.Packet{Flow: 7, Size: 1, UpstreamQueue: 4})
		require.Equal(t, []string{"pause 0:[4]"}, st.frames())
	}
}

// With every queue paused N_active counts as 1.
func TestActiveIsAtLeastOne(t *testing.T) {
	st := tell(t, 2, Config{Queues: 1})
	st.hear(1, Pause, 0)
	for range 25 {
		st.in(1, 7, 0, 0)
	}
	require.Equal(t, 0, st.s.Port(1).Active())
	require.Empty(t, st.frames())
	st.in(1, 7, 0, 0)
	require.Equal(t, []string{"pause 0:[0]"}, st.frames())
}

// A flow's lone packet never pauses a queue (the authors' code: the size of the entry after the
// enqueue must be above 1).
func TestLonePacketIsExempt(t *testing.T) {
	for _, count := range []bool{false, true} {
		st := tell(t, 2, Config{Queues: 1, VFIDs: 1000, CountLonePackets: count})
		for range 30 {
			st.in(1, 7, sluice.Local, 0)
		}
		st.in(1, 8, 0, 0)
		if count {
			require.Equal(t, []string{"pause 0:[0]"}, st.frames(), "Pyrrha's ns-3 code has no exemption")
			continue
		}
		require.Empty(t, st.frames())
		require.Equal(t, uint64(1), st.s.Counters().Exemptions)
		st.in(1, 8, 0, 0)
		require.Equal(t, []string{"pause 0:[0]"}, st.frames(), "the second packet pauses")
		require.Equal(t, 1, st.s.Port(0).Counter(0))
	}
}

// The first packet of a flow goes through a high priority queue that is exempt from pause; it stays
// first.
func TestFirstPacketQueue(t *testing.T) {
	st := tell(t, 2, Config{Queues: 4, VFIDs: 1000, FirstPacketQueue: true, Assignment: LowestFree})
	require.Equal(t, 5, st.s.Queues())
	require.Equal(t, sluice.QueueID(4), st.in(1, 7, 0, 0))
	require.Equal(t, sluice.QueueID(0), st.in(1, 7, 0, 0), "the second packet takes a data queue")
	require.Equal(t, sluice.QueueID(0), st.in(1, 7, 0, 0))
	require.Equal(t, sluice.QueueID(4), st.in(1, 8, 0, 0))
	require.Equal(t, 1, st.s.Port(1).Active(), "the first-packet queue is no part of N_active")

	st.hear(1, Pause, 4)
	require.True(t, st.s.Port(1).Sendable(4), "no device pauses it")
	require.Equal(t, uint64(1), st.s.Counters().Malformed)
	require.Equal(
		t, []sluice.QueueID{4, 4, 0, 0}, []sluice.QueueID{st.out(1), st.out(1), st.out(1), st.out(1)},
	)

	st.now += 4 * sluice.Microsecond
	require.Equal(
		t, sluice.QueueID(0), st.in(1, 7, 0, 0), "it is no new flow while its queue is sticky",
	)
	st.out(1)
	st.now += 4*sluice.Microsecond + 1
	require.Equal(t, sluice.QueueID(4), st.in(1, 7, 0, 0))
	require.Equal(t, uint64(3), st.s.Counters().FirstPackets)

	st.in(1, 9, 0, 0)
	require.Equal(t, sluice.QueueID(0), st.in(1, 9, 0, 0))
	require.Equal(
		t, sluice.QueueID(1), st.in(1, 7, 0, 0),
		"what queue it had before does not matter: 0 is not free now",
	)
}

// Packets of the upstream device's first-packet queue, or of its control queue, cannot be paused
// there.
func TestPacketsOfTheUpstreamFirstPacketQueueAreNotCounted(t *testing.T) {
	st := tell(t, 2, Config{Queues: 4, FirstPacketQueue: true})
	for range 40 {
		st.in(1, 7, 0, 4)
	}
	require.Empty(t, st.frames())
	require.Equal(
		t, uint64(14), st.s.Counters().Unpausable,
		"one is in the first-packet queue, 25 are below the threshold",
	)
	require.Zero(t, st.s.Counters().BadUpstreamQueue)
	st.in(1, 7, 0, 5)
	require.Equal(t, uint64(15), st.s.Counters().Unpausable, "the control queue is next")
	st.in(1, 7, 0, 6)
	require.Equal(t, uint64(1), st.s.Counters().BadUpstreamQueue)
}

// Control packets travel in the top-priority queue, which obeys no pause (the authors' code:
// acknowledgements and control).
func TestOtherClassesTakeTheControlQueue(t *testing.T) {
	st := tell(t, 2, Config{Queues: 2, Classes: sluice.MakeClassSet(0), FirstPacketQueue: true})
	require.Equal(t, 4, st.s.Queues())
	st.in(1, 7, 0, 0)
	st.in(1, 7, 0, 0)
	for range 60 {
		require.Equal(
			t, sluice.QueueID(3),
			st.packet(1, sluice.Packet{Flow: 7, Size: 1000, Class: 1, UpstreamQueue: 99}),
		)
	}
	require.Empty(t, st.frames(), "they pause no upstream queue")
	require.Zero(t, st.s.Counters().BadUpstreamQueue)
	require.Equal(t, uint64(60), st.s.Counters().Outside)
	st.hear(1, Pause, 0, 1, 2, 3)
	for range 60 {
		require.Equal(t, sluice.QueueID(3), st.out(1))
	}
	require.Equal(t, sluice.QueueID(2), st.out(1), "then the first-packet queue")
	_, ok := st.s.Port(1).Next(st.now)
	require.False(t, ok, "and the data queues are paused")
}

// Withhold backpressure on selected pairs of ingress and egress, accepting drops there.
func TestWithheldPairSendsNoPause(t *testing.T) {
	st := tell(t, 3, Config{Queues: 1, Withhold: []Pair{{0, 2}}, Buffer: 31 * sluice.KB})
	for range 30 {
		st.in(2, 7, 0, 0)
	}
	require.Empty(t, st.frames())
	require.Equal(t, uint64(5), st.s.Counters().Withheld)
	st.in(2, 7, 1, 0)
	require.Equal(t, []string{"pause 1:[0]"}, st.frames(), "the other ingress is paused")
	p := sluice.Packet{Flow: 7, Size: 1}
	v := st.s.Port(2).Enqueue(st.now, &p)
	require.Equal(t, sluice.DropBecause(sluice.BufferFull), v)
	require.Equal(t, uint64(1), st.s.Counters().Dropped[sluice.BufferFull])
	require.NoError(t, st.s.Audit())
}

// A packet stamped with a queue that the upstream device does not have pauses no queue, and is
// counted.
func TestUpstreamQueueOutOfRange(t *testing.T) {
	st := tellOf(
		t,
		Config{Ports: []PortConfig{{Link: benchLink, UpstreamQueues: 4}, {Link: benchLink}}, Queues: 1},
	)
	for range 30 {
		st.in(1, 7, 0, 6) // 4 and 5 would be its first-packet and control queues
	}
	require.Empty(t, st.frames())
	require.Equal(t, uint64(30), st.s.Counters().BadUpstreamQueue)
	require.Zero(t, st.s.Counters().OverThreshold)
	st.in(1, 7, 0, 0xffff)
	st.in(1, 7, 0, 3)
	require.Equal(t, []string{"pause 0:[3]"}, st.frames())
}

// Pyrrha's code means to serve its queues in turn, and serves the lowest first, whatever waits
// behind.
func TestLowestFirst(t *testing.T) {
	st := tell(t, 1, Config{
		Queues: 3, Assignment: LowestFree, VFIDs: 1000, Scheduler: LowestFirst,
		Classes: sluice.MakeClassSet(0),
	})
	for range 2 {
		for flow := range uint64(3) {
			st.in(0, flow, sluice.Local, 0)
		}
	}
	var served []sluice.QueueID
	for range 3 {
		served = append(served, st.out(0))
	}
	st.in(0, 0, sluice.Local, 0)
	st.packet(0, sluice.Packet{Size: 60, Class: 1, Ingress: sluice.Local})
	st.hear(0, Pause, 1)
	for range 3 {
		served = append(served, st.out(0))
	}
	require.Equal(t, []sluice.QueueID{0, 0, 1, 3, 0, 2}, served, "3 is the control queue")
}

// Deficit round robin: queues share by bytes, whatever the size of their packets.
func TestQueuesShareByBytes(t *testing.T) {
	for _, scheduler := range []Scheduler{DeficitRoundRobin, PacketRoundRobin} {
		st := tell(t, 1, Config{Queues: 2, Assignment: LowestFree, VFIDs: 1000, Scheduler: scheduler})
		for range 2000 {
			st.packet(0, sluice.Packet{Flow: 1, Size: 100, Ingress: sluice.Local})
			st.packet(0, sluice.Packet{Flow: 2, Size: 1500, Ingress: sluice.Local})
		}
		before := []sluice.Bytes{st.s.Port(0).Backlog(0), st.s.Port(0).Backlog(1)}
		for range 1000 {
			st.out(0)
		}
		small, large := before[0]-st.s.Port(0).Backlog(0), before[1]-st.s.Port(0).Backlog(1)
		if scheduler == PacketRoundRobin {
			require.Equal(t, 15*small, large, "as many packets of each")
			continue
		}
		require.InDelta(t, int64(small), int64(large), float64(DefaultQuantum+1500))
		require.Greater(t, small, 30*DefaultQuantum)
	}
}

// An empty queue has no deficit (Shreedhar and Varghese): a queue that empties forfeits the rest of
// its turn, and does not go on with it when it has packets again.
func TestAnEmptyQueueForfeitsItsTurn(t *testing.T) {
	st := tell(t, 1, Config{Queues: 2, Assignment: LowestFree, VFIDs: 1000, Quantum: 10 * sluice.KB})
	st.in(0, 1, sluice.Local, 0)
	require.Equal(t, sluice.QueueID(0), st.out(0), "9,000 bytes are left of its quantum")
	for range 10 {
		st.in(0, 1, sluice.Local, 0)
		st.in(0, 2, sluice.Local, 0)
	}
	require.Equal(t, sluice.QueueID(1), st.out(0))
}
