package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// An ingress is congested from X^c_OFF on, the very byte, and so is an egress queue: "q >= X^c_OFF"
// (Algorithm 1, lines 3 and 4). It makes no difference whether the flow is known.
func TestTheVeryByteOfAThreshold(t *testing.T) {
	for second, want := range map[uint64]string{
		1: "pause class 0 [1]", 2: "pause class 0 [1 2]",
	} {
		m := meet(t, nil)
		m.enqueue(1, 0, 1, 1000)
		m.enqueue(second, 0, 1, 1499)
		require.Empty(t, m.polled(1))
		m = meet(t, nil)
		m.enqueue(1, 0, 1, 1000)
		m.enqueue(second, 0, 1, 1500)
		require.Equal(t, []string{want}, m.polled(1))
	}
}

// Each counter of the ingress counts once what happened once: q_in comes to X_OFF, and to X^c_OFF
// with new flows, and down to X_ON with something paused.
func TestCountersOfTheIngress(t *testing.T) {
	count := func(m *meeting) []uint64 {
		c := m.s.Port(1).Counters()
		return []uint64{c.Originals, c.Locals, c.Overruns, c.Fallbacks, c.Resumes}
	}
	m := meet(t, nil)
	for flow := range uint64(2) {
		m.dequeue(normal, sluice.Transmit, m.enqueue(flow, 0, 1, 900))
	}
	require.Equal(t, []uint64{0, 0, 0, 0, 0}, count(m), "nothing was paused")
	packets := []*sluice.Packet{m.enqueue(1, 0, 1, 2500), m.enqueue(1, 0, 1, 100)}
	require.Equal(t, []uint64{1, 0, 0, 0, 0}, count(m), "new flows")
	for range 3 {
		packets = append(packets, m.enqueue(1, 0, 1, 700))
	}
	require.Equal(t, []uint64{1, 0, 1, 0, 0}, count(m))
	require.Equal(t, []string{"pause class 0 all", "pause class 0 [1]"}, m.polled(1))
	m.dequeue(normal, sluice.Transmit, packets...)
	require.Equal(t, []uint64{1, 0, 1, 0, 1}, count(m))
	require.Equal(t, []string{"resume class 0 all", "resume class 0 [1] last"}, m.polled(1))

	m.hear(Pause, 0, 7)
	m.enqueue(7, 0, 1, 2000)
	m.enqueue(8, 0, 1, 500)
	require.Equal(t, []uint64{1, 1, 1, 0, 1}, count(m), "downstream pauses flow 7: line 9")
	require.Equal(t, []string{"pause class 0 [7]"}, m.polled(1))
	c := m.s.Counters()
	require.Equal(t, []uint64{9, 7}, []uint64{c.Enqueued, c.Transmitted})
	require.Equal(t, sluice.Bytes(4700), c.IngressPeak)
	m.s.Expire(sluice.Never)
	require.EqualValues(t, 1, m.s.Counters().Misuse, "of no port")
}

// One packet of a flow that there was no room for makes a list useless: in its place a frame pauses
// the whole class, once (deviation: full tables).
func TestOneUnknownFlowPausesTheClass(t *testing.T) {
	m := meet(t, func(c *Config) { c.Flows = 1 })
	packets := []*sluice.Packet{m.enqueue(1, 0, 1, 1500), m.enqueue(2, 0, 1, 1000)}
	packets = append(packets, m.enqueue(1, 0, 1, 100))
	require.Equal(t, []string{"pause class 0 all"}, m.polled(1))
	require.True(t, m.s.Snapshot().Ports[1].Classes[0].AllPaused)
	m.dequeue(normal, sluice.Transmit, packets...)
	require.Equal(t, []string{"resume class 0 all"}, m.polled(1))
	c := m.s.Port(1).Counters()
	require.Equal(t, []uint64{1, 1, 0}, []uint64{c.Fallbacks, c.Resumes, c.Overruns})
}

// With Undistinguished a frame names all flows, those that downstream pauses as well.
func TestUndistinguishedNamesPausedFlows(t *testing.T) {
	m := meet(t, func(c *Config) { c.Undistinguished = true })
	m.hear(Pause, 0, 7)
	m.enqueue(7, 0, 1, 2500)
	require.Equal(t, []string{"pause class 0 [7]"}, m.polled(1))
	require.EqualValues(t, 1, m.s.Port(1).Counters().Originals)
}

// One frame names the flows of all egress ports, and one resume takes all back that were not named
// yet.
func TestFlowsOfSeveralEgressPorts(t *testing.T) {
	for _, poll := range []bool{true, false} {
		m := meet(t, func(c *Config) { c.Ports[3].XOff = 9000 })
		var packets []*sluice.Packet
		for egress := range sluice.PortID(3) {
			for range 2 {
				p := &sluice.Packet{Flow: uint64(egress), Size: 1300, Ingress: 3}
				m.s.Port(egress).Enqueue(0, p)
				packets = append(packets, p)
			}
		}
		var want []string
		if poll {
			require.Equal(t, []string{"pause class 0 [0 1 2]"}, m.polled(3))
			want = []string{"resume class 0 [0 1 2] last"}
		}
		for i, p := range packets {
			require.Equal(t, sluice.Transmit, m.s.Port(sluice.PortID(i/2)).Dequeue(0, 0, p).Action())
			require.NoError(t, m.s.Audit())
		}
		require.Equal(t, want, m.polled(3))
		require.NoError(t, m.s.Quiescent())
	}
}

// A class that is not under OFC has room in the buffer and its normal queue, and no more: no entry
// and no threshold.
func TestAClassOutside(t *testing.T) {
	m := meet(t, func(c *Config) { c.Classes, c.Buffer = sluice.MakeClassSet(0), 9000 })
	p := m.enqueue(7, 1, 1, 9000) // all that the switch holds
	require.EqualValues(t, 1, m.s.Port(0).Counters().Outside)
	require.Equal(t, sluice.Bytes(9000), m.s.Port(1).IngressBytes(1))
	require.Zero(t, m.s.Snapshot().Ports[0].Known)
	require.Empty(t, m.polled(1))
	for _, ingress := range []sluice.PortID{0, 1, sluice.Local} {
		v := m.s.Port(0).Enqueue(0, &sluice.Packet{Size: 1, Ingress: ingress})
		require.Equal(t, sluice.DropBecause(sluice.BufferFull), v)
	}
	other := *p
	other.Ingress = 2 // of which no byte waits
	require.Equal(t, sluice.DropBecause(sluice.BadQueue), m.s.Port(0).Dequeue(0, 3, &other))
	m.dequeue(normal, sluice.Transmit, p)
}

// Counters of the egress: a hold that frames repeat is one, and so is a resume that waits for the
// end of a rotation, though frames say it twice.
func TestCountersOfTheEgress(t *testing.T) {
	m := meet(t, nil)
	m.hear(Pause, 0, 7)
	a, b := m.enqueue(7, 0, 1, 100), m.enqueue(7, 0, 1, 100)
	m.dequeue(normal, sluice.Append, a, b)
	m.hear(Resume, 0, 7)
	m.hear(Pause, 0, 7)
	m.hear(Resume, 0, 7)
	m.hear(Resume, 0, 7)
	for m.sequence < 8 {
		m.sequence++
		m.s.Port(0).Receive(0, &Frame{Type: Refresh, All: true, Parts: 2, Sequence: m.sequence})
	}
	c := m.s.Port(0).Counters()
	require.Equal(t, []uint64{2, 1, 1, 1}, []uint64{c.Moved, c.Deferrals, c.Rotations, c.Holds})
	require.Equal(t, []uint64{2, 1}, []uint64{c.FlowsPaused, c.FlowsResumed})
}

// Bytes that are no frame change nothing, not even the time, and are counted.
func TestReceiveWireOfNoFrame(t *testing.T) {
	s := mustNew(t, HostConfig(link40))
	good := (&Frame{Type: Pause, All: true}).AppendTo(nil)
	for i, now := range []sluice.Time{100, sluice.Never} {
		wake, err := s.Port(0).ReceiveWire(now, good[:20+i])
		require.Error(t, err)
		require.Zero(t, wake)
		require.EqualValues(t, i, s.Counters().Misuse, "a frame at Never is misuse as well")
	}
	require.EqualValues(t, 2, s.Counters().Malformed)
	require.Zero(t, s.Counters().FramesReceived)
	require.Negative(t, s.Snapshot().Now)
	_, err := s.Port(0).ReceiveWire(100, good)
	require.NoError(t, err)
	require.Equal(t, AllPaused, s.Port(0).State(0))
}

// Deficit round robin (Config.Quantum) charges what is sent: two classes with equal packets take
// turns.
func TestClassesTakeTurns(t *testing.T) {
	m := meet(t, func(c *Config) { c.Quantum = 1000 })
	short := m.enqueue(1, 0, sluice.Local, 100)
	_, ok := m.s.Port(0).Next(0)
	require.True(t, ok)
	m.dequeue(normal, sluice.Transmit, short)
	var packets [2][]*sluice.Packet
	for range 4 {
		for class := range packets {
			packets[class] = append(packets[class], m.enqueue(1, sluice.Class(class), sluice.Local, 1000))
		}
	}
	last := sluice.QueueID(0) // the class that fell silent gave up the rest of its turn
	for range 8 {
		q, ok := m.s.Port(0).Next(0)
		require.True(t, ok)
		require.NotEqual(t, last, q)
		last = q
		class := q / QueuesPerClass
		m.dequeue(normal, sluice.Transmit, packets[class][0])
		packets[class] = packets[class][1:]
	}
}

// A snapshot shows what an embedder debugs with: queues and tables of each class. Quiescent names
// the classes that owe a frame.
func TestSnapshot(t *testing.T) {
	s, _ := busy(t)
	first := s.Snapshot()
	out, in := first.Ports[0].Classes[0], first.Ports[1].Classes[0]
	require.Equal(t, ClassSnapshot{
		State: PartialResumed, Serving: 1, Paused: 2, Queues: [3]sluice.Bytes{1800, 900, 0},
		Flows: 3, Congested: 1, Deferred: 1,
	}, out)
	require.Equal(t, ClassSnapshot{Paused: 1, Ingress: 2700, Told: 2, Pending: true}, in)
	flows, congested, paused := s.Port(0).Tables()
	require.Equal(t, []int{3, 1, 0}, []int{flows, congested, paused})
	require.Equal(t, first, s.Clone().Snapshot())

	s = mustNew(t, Config{Ports: []PortConfig{edgePort}})
	s.ports[0].owed = sluice.MakeClassSet(3)
	require.ErrorContains(t, s.Quiescent(), "a frame about classes {3} is pending")
}

// An (ingress, class) may hold X_OFF and the headroom, to the byte. A class that is not under OFC
// has no headroom to exhaust. A packet that just fits the buffer is lost for its headroom only.
func TestHeadroomToTheByte(t *testing.T) {
	m := meet(t, func(c *Config) {
		c.Ports[1].Headroom, c.Classes, c.Buffer = 1, sluice.MakeClassSet(0), 9000
	})
	m.enqueue(1, 0, 1, 4001)
	v := m.s.Port(0).Enqueue(0, &sluice.Packet{Flow: 1, Size: 9000 - 4001, Ingress: 1})
	require.Equal(t, sluice.DropBecause(sluice.HeadroomExhausted), v)
	m.enqueue(1, 1, 1, 9000-4001)
	require.Equal(t, sluice.DropBecause(sluice.BufferFull),
		m.s.Port(0).Enqueue(0, &sluice.Packet{Size: 1, Ingress: 2}))
	c := m.s.Port(0).Counters()
	require.Equal(t, []uint64{1, 1}, []uint64{
		c.Dropped[sluice.HeadroomExhausted], c.Dropped[sluice.BufferFull],
	})
}
