package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// meeting is a switch whose port 0 gets packets of the other three, and hears frames.
type meeting struct {
	*testing.T
	s        *Switch
	sequence uint32
}

func meet(t *testing.T, change func(*Config)) *meeting {
	c := Config{Ports: []PortConfig{edgePort, edgePort, edgePort, edgePort}}
	if change != nil {
		change(&c)
	}
	return &meeting{T: t, s: mustNew(t, c)}
}

// enqueue has a packet of a class come to port 0, and returns it.
func (m *meeting) enqueue(
	flow uint64, class sluice.Class, ingress sluice.PortID, size sluice.Bytes,
) *sluice.Packet {
	p := &sluice.Packet{Flow: flow, Class: class, Size: size, Ingress: ingress}
	require.Equal(m, sluice.Append, m.s.Port(0).Enqueue(0, p).Action())
	require.NoError(m, m.s.Audit())
	return p
}

// dequeue takes packets from a queue of their class, and says what becomes of them.
func (m *meeting) dequeue(queue sluice.QueueID, becomes sluice.Action, packets ...*sluice.Packet) {
	for _, p := range packets {
		v := m.s.Port(0).Dequeue(0, sluice.QueueID(p.Class)*QueuesPerClass+queue, p)
		require.Equal(m, becomes, v.Action())
		require.NoError(m, m.s.Audit())
	}
}

// hear hands a frame of a class about flows to port 0.
func (m *meeting) hear(kind Type, class sluice.Class, flows ...uint64) {
	m.sequence++
	f := Frame{Type: kind, Class: class, Sequence: m.sequence}
	for _, flow := range flows {
		f.add(flow)
	}
	m.s.Port(0).Receive(0, &f)
	require.NoError(m, m.s.Audit())
}

// polled returns all frames that a port owes.
func (m *meeting) polled(port sluice.PortID) (frames []string) {
	var f Frame
	for m.s.Port(port).PollFrame(0, &f) {
		frames = append(frames, f.String())
	}
	require.NoError(m, m.s.Audit())
	return frames
}

// A flow of three ingresses has an entry for each, however often its packets come. The entries are
// found and given back in whatever order the ingresses fall silent.
func TestAFlowOfThreeIngresses(t *testing.T) {
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		m := meet(t, nil)
		var packets, again [3]*sluice.Packet
		for i := range packets {
			packets[i] = m.enqueue(7, 0, sluice.PortID(1+i), 100)
		}
		for i := range again {
			again[i] = m.enqueue(7, 0, sluice.PortID(1+i), 100)
		}
		require.Equal(t, 3, m.s.Snapshot().Ports[0].Known)
		require.EqualValues(t, 3, m.s.Counters().FlowsPeak)
		for n, i := range order {
			m.dequeue(normal, sluice.Transmit, packets[i], again[i])
			require.Equal(t, 2-n, m.s.Snapshot().Ports[0].Known)
		}
		require.NoError(t, m.s.Quiescent())
		require.EqualValues(t, 3, m.s.Counters().FlowsPeak, "a peak does not sink")
	}
}

// What holds for a flow in congested_flow_tab holds for its packets of every ingress, a new one
// too, whichever entry that gets, and its deferred resume as well (deviation: the order mark).
func TestANewIngressOfAPausedFlow(t *testing.T) {
	m := meet(t, nil)
	first := m.enqueue(9, 0, 1, 100)
	m.hear(Pause, 0, 7)
	moved := m.enqueue(7, 0, 1, 100)
	m.dequeue(normal, sluice.Transmit, first)
	late := m.enqueue(7, 0, 2, 100) // gets the entry of the first flow
	m.dequeue(normal, sluice.Append, moved, late)
	m.hear(Resume, 0, 7)
	m.hear(Pause, 0, 7)
	require.Equal(t, PartialResumed, m.s.Port(0).State(0))
	m.hear(Resume, 0, 7) // takes effect when the rotation ends
	last := m.enqueue(7, 0, 3, 100)
	require.True(t, m.s.Port(0).FlowPaused(0, 7))
	require.Equal(t, 3, m.s.Snapshot().Ports[0].Classes[0].Deferred)
	m.hear(Pause, 0, 7)
	m.hear(Resume, 0, 7)
	m.dequeue(1, sluice.Append, moved, late)
	m.dequeue(2, sluice.Transmit, moved, late)
	m.dequeue(normal, sluice.Transmit, last)
	require.NoError(t, m.s.Quiescent())
}

// An ingress that there is no room for does not touch the entries of others. While such a packet
// waits, not all that waits is known to be paused, though all known flows are.
func TestNoRoomForANewIngress(t *testing.T) {
	m := meet(t, func(c *Config) { c.Flows = 1 })
	m.hear(Pause, 0, 7)
	m.enqueue(7, 0, 1, 100)
	require.Equal(t, AllPaused, m.s.Port(0).State(0))
	m.enqueue(7, 0, 2, 100)
	require.Equal(t, PartialPaused, m.s.Port(0).State(0))
	require.EqualValues(t, 1, m.s.Counters().Untracked)
	flows, congested, paused := m.s.Port(0).Tables()
	require.Equal(t, []int{1, 1, 0}, []int{flows, congested, paused})
}

// The entry of an announced flow belongs to the ingress that announced it, though no packet is left
// here: a packet by another ingress gets an entry of its own.
func TestAnAnnouncedFlowComesAnotherWay(t *testing.T) {
	m := meet(t, nil)
	gone, stays := m.enqueue(7, 0, 1, 500), m.enqueue(8, 0, 1, 2000)
	require.Equal(t, []string{"pause class 0 [7 8]"}, m.polled(1))
	m.dequeue(normal, sluice.Transmit, gone)
	other := m.enqueue(7, 0, 2, 100)
	require.Equal(t, 3, m.s.Snapshot().Ports[0].Known)
	m.dequeue(normal, sluice.Transmit, stays, other)
	require.Equal(t, []string{"resume class 0 [7 8] last"}, m.polled(1))
	require.NoError(t, m.s.Quiescent())
}

// The table finds a flow of a class by one number. Flows of two classes with the same number are
// two flows all the same: the port counts, pauses and resumes their packets apart.
func TestFlowsWithOneKey(t *testing.T) {
	for _, sameFlow := range []bool{false, true} {
		m := meet(t, nil)
		salts := &m.s.salts
		one, three := uint64(7), 7^salts[1]^salts[3]
		if sameFlow {
			salts[3], three = salts[1], one
		}
		a, b := m.enqueue(one, 1, 1, 100), m.enqueue(three, 3, 1, 1)
		a2, b2 := m.enqueue(one, 1, 1, 100), m.enqueue(three, 3, 1, 1)
		require.Equal(t, 2, m.s.Snapshot().Ports[0].Known)
		m.hear(Pause, 3, three)
		require.False(t, m.s.Port(0).FlowPaused(1, one))
		m.hear(Pause, 1, one)
		m.hear(Resume, 1, one)
		require.True(t, m.s.Port(0).FlowPaused(3, three))
		require.False(t, m.s.Port(0).FlowPaused(1, three+1))
		m.dequeue(normal, sluice.Transmit, a, a2)
		m.dequeue(normal, sluice.Append, b, b2)
		m.hear(Resume, 3, three)
		m.dequeue(1, sluice.Transmit, b, b2)
		require.NoError(t, m.s.Quiescent())
	}
}

// A packet does not get the entry of such a flow of another class, though downstream pauses that
// and no packet of it is here, and is not paused with it.
func TestAPausedFlowWithTheKeyOfAnother(t *testing.T) {
	m := meet(t, nil)
	one, three := uint64(7), 7^m.s.salts[1]^m.s.salts[3]
	m.hear(Pause, 3, three)
	p := m.enqueue(one, 1, 1, 100)
	require.Equal(t, 2, m.s.Snapshot().Ports[0].Known)
	require.True(t, m.s.Port(0).FlowPaused(3, three))
	m.dequeue(normal, sluice.Transmit, p)
}

// A local packet gets an entry as others do.
func TestALocalPacketHasAnEntry(t *testing.T) {
	m := meet(t, nil)
	m.enqueue(7, 0, sluice.Local, 100)
	require.Equal(t, 1, m.s.Snapshot().Ports[0].Known)
	require.Zero(t, m.s.Counters().Untracked)
}

// A flow that is to be announced stays so when downstream pauses it before the poll: it goes before
// the flows of the other list, announced or not.
func TestAFlowToAnnounceIsPaused(t *testing.T) {
	m := meet(t, nil)
	for flow := range uint64(3) {
		m.enqueue(flow, 0, 1, 900)
	}
	m.hear(Pause, 0, 1)
	m.hear(Pause, 0, 2)
	require.Equal(t, []string{"pause class 0 [0 2 1]"}, m.polled(1))

	m = meet(t, nil)
	zero := m.enqueue(0, 0, 1, 900)
	m.enqueue(1, 0, 1, 900)
	m.enqueue(2, 0, 1, 900)
	m.dequeue(normal, sluice.Transmit, zero)
	m.hear(Pause, 0, 3)
	m.enqueue(3, 0, 1, 100) // q_in is below X^c_OFF: not to be announced
	m.hear(Pause, 0, 1)
	require.Equal(t, []string{"pause class 0 [2 1]"}, m.polled(1))
}

// Dequeue refuses a packet that waits nowhere, though its flow, its ingress and its class are right
// one by one, or an entry was its own once.
func TestMisuseOfAnEntry(t *testing.T) {
	m := meet(t, nil)
	p := m.enqueue(5, 0, 1, 100)
	m.enqueue(5, 0, 2, 100)
	m.enqueue(5, 1, 1, 100)
	m.enqueue(6, 0, 0, 100)
	beside := &sluice.Packet{Flow: 5, Size: 100, Ingress: 1} // the same, at another egress
	m.s.Port(1).Enqueue(0, beside)
	gone := m.enqueue(0, 0, 0, 100)
	m.dequeue(normal, sluice.Transmit, gone)
	paused := m.enqueue(7, 0, 3, 100)
	m.hear(Pause, 0, 7)
	before := m.s.Snapshot()
	for _, change := range []func(p *sluice.Packet){
		func(p *sluice.Packet) { p.Flow = 6 },
		func(p *sluice.Packet) { p.Ingress = 2 },
		func(p *sluice.Packet) { p.Class = 1 },
		func(p *sluice.Packet) { *p = *gone },
		func(p *sluice.Packet) { p.Note = beside.Note },
		func(p *sluice.Packet) { p.Size = 201 }, // more than its ingress holds, less than the queue
		func(p *sluice.Packet) { *p = *paused; p.Size = 101 },
	} {
		other := *p
		change(&other)
		q := sluice.QueueID(other.Class) * QueuesPerClass
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), m.s.Port(0).Dequeue(0, q, &other))
	}
	require.Equal(t, before, m.s.Snapshot())
}

// Where a packet of an unknown flow waits, the packet that is taken out must be one: by an ingress
// that has such a packet, at the port where it waits, and with no entry in its note.
func TestMisuseOfNoEntry(t *testing.T) {
	m := meet(t, func(c *Config) { c.Flows = 1 })
	known := m.enqueue(1, 0, 1, 100)
	unknown := m.enqueue(2, 0, 2, 100)
	beside := &sluice.Packet{Flow: 3, Size: 300, Ingress: 2}
	m.s.Port(1).Enqueue(0, beside)
	refuse := func(port sluice.PortID, p sluice.Packet, note uint64) {
		p.Note = note
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), m.s.Port(port).Dequeue(0, 0, &p))
		require.NoError(t, m.s.Audit())
	}
	refuse(0, *known, noteTag)
	refuse(0, *unknown, noteTag+1<<32-1)
	refuse(0, *unknown, known.Note)
	refuse(1, *beside, m.s.Port(1).tag)
	larger := *unknown
	larger.Size = 201 // more than the queue holds, less than its ingress
	refuse(0, larger, noteTag)
	m.dequeue(normal, sluice.Transmit, known, unknown)
	require.EqualValues(t, 2, m.s.Port(0).Counters().Transmitted)
}

// All flows are resumed when q_in has come down to X_ON, though more of their packets wait
// (Algorithm 1, line 16).
func TestResumeAtXOn(t *testing.T) {
	m := meet(t, nil)
	var packets []*sluice.Packet
	for range 5 {
		packets = append(packets, m.enqueue(7, 0, 1, 500))
	}
	require.Equal(t, []string{"pause class 0 [7]"}, m.polled(1))
	m.dequeue(normal, sluice.Transmit, packets[:2]...)
	require.Empty(t, m.polled(1))
	m.dequeue(normal, sluice.Transmit, packets[2])
	require.EqualValues(t, edgePort.XOn, m.s.Port(1).IngressBytes(0))
	require.Equal(t, []string{"resume class 0 [7] last"}, m.polled(1))
}

// With Config.Quantum classes take turns, those that are not under OFC too.
func TestTurnsOfPacketsWithoutAnEntry(t *testing.T) {
	m := meet(t, func(c *Config) { c.Classes, c.Quantum = sluice.NoClasses, 100 })
	waiting, order := map[sluice.QueueID][]*sluice.Packet{}, []sluice.QueueID(nil)
	for _, class := range []sluice.Class{1, 1, 3, 3} {
		q := sluice.QueueID(class) * QueuesPerClass
		waiting[q] = append(waiting[q], m.enqueue(7, class, 1, 100))
	}
	for q, ok := m.s.Port(0).Next(0); ok; q, ok = m.s.Port(0).Next(0) {
		m.dequeue(normal, sluice.Transmit, waiting[q][0])
		waiting[q] = waiting[q][1:]
		order = append(order, q)
	}
	require.Equal(t, []sluice.QueueID{3, 9, 3, 9}, order)
}
