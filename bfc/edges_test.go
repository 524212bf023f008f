package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A Bitmap that pauses a queue which does not exist is malformed, wherever in it the bit is; its
// bits of queues that exist are obeyed.
func TestBitmapOfQueuesThatDoNotExist(t *testing.T) {
	for _, bit := range []int{65, 127, 128, 200} {
		st := tell(t, 1, Config{Queues: 65})
		f := Frame{Type: Bitmap, Sequence: 1, Count: 256}
		f.Bits[bit/64] = 1 << (bit % 64)
		f.Bits[0] |= 1 << 7
		st.s.Port(0).Receive(0, &f)
		require.False(t, st.s.Port(0).Sendable(7))
		require.EqualValues(t, 1, st.s.Counters().Malformed, "bit %d", bit)
	}
}

// Frames are counted by their type.
func TestFramesAreCountedByType(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4})
	for range 3 {
		st.hear(0, Resume, 1)
	}
	for range 2 {
		st.hear(0, Pause, 1)
	}
	f := Frame{Type: Bitmap, Sequence: 100, Count: 4}
	st.s.Port(0).Receive(0, &f)
	c := st.s.Port(0).Counters()
	require.Equal(t, []uint64{6, 2, 3, 1},
		[]uint64{c.FramesReceived, c.PausesReceived, c.ResumesReceived, c.BitmapsReceived})
}

// So are frames that were sent; and queues are counted that frames paused and resumed.
func TestFramesSentAreCounted(t *testing.T) {
	st := pauser(t, Config{})
	for q := range sluice.QueueID(3) {
		st.in(1, 7, 0, q)
	}
	st.due()
	st.out(1)
	st.out(1)
	require.Len(t, st.frames(), 6)
	c := st.s.Port(0).Counters()
	require.Equal(t, []uint64{3, 1, 2}, []uint64{c.PausesSent, c.BitmapsSent, c.ResumesSent})

	for _, kind := range []Type{Pause, Pause, Resume, Resume, Pause} {
		st.hear(1, kind, 0)
	}
	c = st.s.Port(1).Counters()
	require.Equal(t, []uint64{2, 1}, []uint64{c.QueuesPaused, c.QueuesResumed})
}

// A packet of an ingress that does not say which queue upstream it left is counted.
func TestPacketsWithoutAStampAreCounted(t *testing.T) {
	st := tell(t, 2, Config{Queues: 4})
	st.packet(1, sluice.Packet{Size: 1, Ingress: 0, Stamped: true})
	st.packet(1, sluice.Packet{Size: 1, Ingress: sluice.Local})
	require.Zero(t, st.s.Counters().Incomplete)
	st.packet(1, sluice.Packet{Size: 1, Ingress: 0})
	require.EqualValues(t, 1, st.s.Counters().Incomplete)
}

// A nonexistent queue upstream holds nothing.
func TestQueuesUpstreamThatDoNotExist(t *testing.T) {
	port := pauser(t, Config{}).s.Port(0)
	for _, q := range []sluice.QueueID{100, 4000} {
		require.Zero(t, port.Counter(q))
		require.False(t, port.Holding(q))
	}
}

// A packet of the first-packet queue is of a flow that has packets here, and never counted: any
// other is misuse.
func TestMisuseOfTheFirstPacketQueue(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4, VFIDs: 2, FirstPacketQueue: true})
	q := st.in(0, 1, sluice.Local, 0)
	packet := st.fifos[0][q][0]
	for i, note := range []uint64{packet.Note | noteCounted, packet.Note ^ 1, packet.Note | 2} {
		wrong := packet
		wrong.Note = note
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), st.s.Port(0).Dequeue(0, q, &wrong))
		require.EqualValues(t, i+1, st.s.Counters().Misuse)
		require.NoError(t, st.s.Audit())
	}
	st.out(0)
}

// A snapshot has an upstream queue with counted packets though it is not held, and a queue whose
// last frame was Pause though it is no longer held.
func TestSnapshotHasEveryUpstreamQueueOfNote(t *testing.T) {
	st := pauser(t, Config{Signalling: Transitions})
	st.late = true
	st.in(1, 7, 0, 3)
	require.Equal(t, []string{"pause 0:[3]"}, st.frames())
	st.out(1)
	require.Equal(t, []UpstreamSnapshot{{Queue: 3, Told: true}}, st.s.Snapshot().Ports[0].Upstream)
	require.Equal(t, []string{"resume 0:[3]"}, st.frames())

	limited := pauser(t, Config{Signalling: Transitions, ResumeLimit: 1})
	for _, q := range []sluice.QueueID{3, 4} {
		limited.in(1, 7, 0, q)
	}
	limited.out(1)
	limited.out(1)
	limited.frames()
	require.Equal(
		t, []UpstreamSnapshot{{Queue: 4, Held: true, Told: true}}, limited.s.Snapshot().Ports[0].Upstream,
	)
}

// When no deadline moves, no wake says that one did: embedders plan anew for nothing.
func TestPausesWithinAPeriodMoveNoDeadline(t *testing.T) {
	st := pauser(t, Config{})
	var wakes []sluice.Wake
	st.woken = func(w sluice.Wake) { wakes = append(wakes, w) }
	st.in(1, 7, 0, 3)
	st.in(1, 7, 0, 4)
	st.frames()
	st.out(1)
	require.Equal(t, []bool{true, false, false},
		[]bool{
			wakes[0].Has(sluice.WakeDeadline), wakes[1].Has(sluice.WakeDeadline),
			wakes[2].Has(sluice.WakeDeadline),
		})

	st.s.Port(0).LinkDown(st.now)
	wakes = nil
	st.in(1, 7, 0, 5)
	require.False(t, wakes[0].Has(sluice.WakeDeadline), "the link has no peer to send to")
}

// The bytes of a queue and its packets fit each other: none without the other.
func TestAuditFindsBytesWithoutPackets(t *testing.T) {
	st := tell(t, 2, Config{Queues: 8})
	st.s.ports[1].queues[3].bytes = 5
	st.s.room -= 5
	require.ErrorContains(t, st.s.Audit(), "queue 3 holds 0 packets of 5 bytes")
}

// A frame of an unknown type is malformed, and causes no wake.
func TestUnknownFramesWakeNoPort(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4})
	st.in(0, 1, sluice.Local, 0)
	require.Zero(t, st.s.Port(0).Receive(0, &Frame{Type: 9, Sequence: 1}))
	require.EqualValues(t, 1, st.s.Counters().Malformed)
}

// A packet that finds the entry of its VFID taken by another flow is a collision, also while that
// has only a first packet here.
func TestCollisionsWithAFirstPacketAreCounted(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4, VFIDs: 1, FirstPacketQueue: true})
	st.in(0, 1, sluice.Local, 0)
	require.Zero(t, st.s.Counters().VFIDCollisions)
	st.in(0, 2, sluice.Local, 0)
	require.EqualValues(t, 1, st.s.Counters().VFIDCollisions)
}

// The second packet of a flow may leave before the first, by another queue. The third finds the
// flow here and its queue empty, and that is served again.
func TestQueueThatEmptiedBeforeTheFirstPacketLeft(t *testing.T) {
	st := tell(t, 1, Config{Queues: 4, FirstPacketQueue: true, Assignment: LowestFree})
	for _, q := range []sluice.QueueID{4, 0} {
		require.Equal(t, q, st.in(0, 1, sluice.Local, 0))
	}
	st.outOf(0, 0)
	require.Zero(t, st.s.Port(0).Active())
	require.Equal(t, sluice.QueueID(0), st.in(0, 1, sluice.Local, 0))
	require.Equal(t, 1, st.s.Port(0).Active())
	require.Equal(t, []sluice.QueueID{4, 0}, []sluice.QueueID{st.out(0), st.out(0)})
}

// Packets over the threshold from the strict queues upstream, first packets and control, are
// counted; there is nothing to pause.
func TestPacketsOfStrictQueuesUpstreamAreCounted(t *testing.T) {
	st := pauser(t, Config{})
	st.in(1, 7, 0, 3)
	before := st.s.Counters()
	require.EqualValues(t, 1, before.OverThreshold)
	for _, q := range []sluice.QueueID{100, 101, 102} {
		st.in(1, 7, 0, q)
	}
	c := st.s.Counters()
	require.EqualValues(t, 2, c.OverThreshold-before.OverThreshold)
	require.EqualValues(t, 2, c.Unpausable)
	require.EqualValues(t, 1, c.BadUpstreamQueue, "there is no third")
}

// More packets cannot be counted than are held.
func TestAuditFindsTooMuchCounted(t *testing.T) {
	st := tell(t, 2, Config{Queues: 8})
	st.in(1, 1, 0, 0)
	up := &st.s.ports[0].upstream
	up.counters[5] = 100
	up.held.Add(5)
	up.heldLen++
	up.differs.Add(5)
	require.ErrorContains(t, st.s.Audit(), "invariant 4: 100 packets are counted, 1 are held")
}

// Audit names the upstream device's view of a queue, and the queue's state.
func TestAuditComparesUpstreamWithTheLastFrame(t *testing.T) {
	st := tell(t, 2, Config{Queues: 8, Signalling: Transitions})
	st.s.listed = false // no frame is sent
	st.s.ports[0].upstream.differs.Add(1)
	require.ErrorContains(t, st.s.Audit(), "upstream queue 1: held false, told true, no frame due")
}

// The control queue loses no packet of another size, and a note has no meaning above its flags.
func TestMisuseOfTheControlQueue(t *testing.T) {
	ports := []PortConfig{{Link: benchLink}, {Link: benchLink}}
	s := mustNew(t, Config{Ports: ports, Queues: 1, Classes: sluice.MakeClassSet(0)})
	p := s.Port(0)
	packet := sluice.Packet{Size: 100, Class: 1, Ingress: 1}
	require.Equal(t, sluice.AppendToQueue(1), p.Enqueue(0, &packet))
	packet.Note |= 0xfffc << 48
	for _, size := range []sluice.Bytes{0, 99, 101} {
		other := packet
		other.Size = size
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), p.Dequeue(0, 1, &other), size)
	}
	require.Equal(t, sluice.Transmit, p.Dequeue(0, 1, &packet).Action())
	require.Zero(t, s.Buffered())
}
