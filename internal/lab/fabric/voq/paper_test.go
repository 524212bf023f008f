package voq

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}

const bdp = 15_000 // of link

// to returns a packet of 1,000 bytes that came in by a port and goes to a host of switch 9.
func to(host, ingress sluice.PortID) *sluice.Packet {
	p := &sluice.Packet{Size: 1000, Ingress: ingress}
	p.Path.Append(sluice.Hop{Switch: 1})
	p.Path.Append(receiver(host))
	return p
}

func receiver(host sluice.PortID) sluice.Hop { return sluice.Hop{Switch: 9, Port: host} }

func newSwitch(t *testing.T, ports, queues int) *Switch {
	c := Config{Queues: queues}
	for range ports {
		c.Ports = append(c.Ports, PortConfig{Link: link})
	}
	s, err := New(c)
	require.NoError(t, err)
	return s
}

// carry takes what a port owes to a port of another switch, and returns it in words.
func carry(t *testing.T, from, to *Port) (said []string) {
	var f Frame
	for from.PollFrame(0, &f) {
		_, err := to.ReceiveWire(0, f.AppendTo(nil))
		require.NoError(t, err)
		said = append(said, f.String())
	}
	return said
}

// Each destination has a VOQ (Pyrrha, section II-C): a held destination holds no other, at any
// switch on the way.
func TestAnIncastHoldsItsDestinationAlone(t *testing.T) {
	up, down := newSwitch(t, 2, 8), newSwitch(t, 2, 8)
	out, in, last := up.Port(0), down.Port(1), down.Port(0)
	for n := 1; n <= 2*bdp/1000; n++ {
		last.Enqueue(0, to(3, 1))
		require.Empty(t, carry(t, in, out), "K_pause is twice the one-hop bandwidth-delay product")
	}
	last.Enqueue(0, to(3, 1))
	require.Equal(t, []string{"pause [9:3]"}, carry(t, in, out))

	incast := out.Enqueue(0, to(3, 1)).Queue()
	other := out.Enqueue(0, to(4, 1)).Queue()
	require.NotEqual(t, incast, other)
	require.False(t, out.Sendable(incast))
	q, ok := out.Next(0)
	require.True(t, ok)
	require.Equal(t, other, q)
	up.Port(0).Dequeue(0, q, to(4, 1))
	_, ok = out.Next(0)
	require.False(t, ok)

	for last.Backlog(1) > bdp+1000 {
		last.Dequeue(0, 1, to(3, 1))
	}
	require.Empty(t, carry(t, in, out))
	last.Dequeue(0, 1, to(3, 1))
	require.Equal(t, []string{"resume [9:3]"}, carry(t, in, out))
	require.True(t, out.Sendable(incast))
}

// A switch needs a VOQ for each host of the network (section II-C): destinations that find none
// share one, and are counted.
func TestDestinationsThatFindNoQueue(t *testing.T) {
	up, down := newSwitch(t, 2, 8), newSwitch(t, 2, 2)
	last := down.Port(0)
	for host := range sluice.PortID(5) {
		q := last.Enqueue(0, to(host, 1)).Queue()
		require.Equal(t, []sluice.QueueID{1, 2, 0, 0, 0}[host], q)
	}
	c := down.Counters()
	require.EqualValues(t, 3, c.Unqueued)
	require.Equal(t, 2, c.DestinationsPeak)
	require.Equal(t, 3, c.QueuesPeak)

	// While the rest has packets, none of it may overtake them in a queue of its own.
	last.Dequeue(0, 1, to(0, 1))
	require.Zero(t, last.Enqueue(0, to(4, 1)).Queue())
	for range 4 {
		last.Dequeue(0, 0, to(2, 1))
	}
	require.EqualValues(t, 1, last.Enqueue(0, to(4, 1)).Queue())

	// The rest holds all queues of the device upstream: nothing is lost, and nothing isolated.
	for range 2*bdp/1000 + 1 {
		last.Enqueue(0, to(3, 1))
	}
	require.Equal(t, []string{"pause [4294967295:65535]"}, carry(t, down.Port(1), up.Port(0)))
	require.False(t, up.Port(0).Sendable(5))
	for last.Backlog(0) > 0 {
		last.Dequeue(0, 0, to(3, 1))
	}
	require.Equal(t, []string{"resume [4294967295:65535]"}, carry(t, down.Port(1), up.Port(0)))
	require.True(t, up.Port(0).Sendable(5))
	require.NoError(t, down.Audit())
}

// A pause of a destination that finds no queue holds all destinations that share a queue, until the
// pause is over.
func TestAPauseThatFindsNoQueue(t *testing.T) {
	s := newSwitch(t, 2, 1)
	p := s.Port(0)
	p.Enqueue(0, to(1, 1))
	p.Receive(0, &Frame{Type: Pause, Sequence: 1, Count: 1, Destinations: [5]sluice.Hop{receiver(2)}})
	require.False(t, p.Sendable(0))
	require.True(t, p.Sendable(1))
	require.Zero(t, p.Enqueue(0, to(2, 1)).Queue())
	wake := p.Receive(0, &Frame{
		Type: Resume, Sequence: 2, Count: 1, Destinations: [5]sluice.Hop{receiver(2)},
	})
	port, woken := wake.Port()
	require.True(t, woken && port == 0 && p.Sendable(0))
	require.EqualValues(t, 1, s.Counters().UnqueuedPauses)
	require.NoError(t, s.Audit())
}

// A packet without a way has no destination: the driver forgot it.
func TestAPacketWithoutAPath(t *testing.T) {
	s := newSwitch(t, 1, 4)
	require.Zero(t, s.Port(0).Enqueue(0, &sluice.Packet{Size: 1, Ingress: sluice.Local}).Queue())
	require.EqualValues(t, 1, s.Counters().Incomplete)
	require.Error(t, kit.Forgotten(kit.Wrap[*Switch, *Port, Frame](s)))
}

// WaitsFor names the packets that a held queue waits for: packets to the same destination.
func TestWaitsFor(t *testing.T) {
	s := newSwitch(t, 1, 4)
	p := s.Port(0)
	q := p.Enqueue(0, to(1, sluice.Local)).Queue()
	p.Receive(0, &Frame{Type: Pause, Sequence: 1, Count: 1, Destinations: [5]sluice.Hop{receiver(1)}})
	require.True(t, p.WaitsFor(q, to(1, 0), 7, true))
	require.False(t, p.WaitsFor(q, to(2, 0), 7, true))
	p.Receive(0, &Frame{Type: Pause, Sequence: 2, Count: 1, Destinations: [5]sluice.Hop{Rest}})
	require.True(t, p.WaitsFor(q, to(2, 0), 0, true))
}

func TestConfig(t *testing.T) {
	ports := []PortConfig{{Link: link}}
	for field, c := range map[string]Config{
		"Ports":         {},
		"Queues":        {Ports: ports, Queues: MaxQueues + 1},
		"Pause":         {Ports: ports, Pause: sluice.Ratio{Num: 1, Den: 2}},
		"Resume":        {Ports: ports, Resume: sluice.Ratio{Num: 1, Den: -2}},
		"Quantum":       {Ports: ports, Quantum: -1},
		"Buffer":        {Ports: ports, Buffer: -1},
		"Ports[0].Link": {Ports: make([]PortConfig, 1)},
	} {
		_, err := New(c)
		require.ErrorContains(t, err, "voq: Config."+field, field)
	}
	s, err := New(HostConfig(link))
	require.NoError(t, err)
	require.Equal(t, DefaultQueues+1, s.Queues())
}

// No hook allocates, on any of its ways.
func TestZeroAlloc(t *testing.T) {
	s := newSwitch(t, 2, 2)
	out, in := s.Port(0), s.Port(1)
	packets := [4]*sluice.Packet{to(0, 1), to(1, 1), to(2, 1), to(3, sluice.Local)}
	frame := Frame{Type: Pause, Count: 3, Destinations: [5]sluice.Hop{receiver(0), receiver(5), Rest}}
	buffer := make([]byte, 0, 64)
	var f Frame
	step := func() {
		for range 40 {
			for _, p := range packets {
				out.Enqueue(0, p)
			}
		}
		for range 2 {
			frame.Type, frame.Sequence = frame.Type^3, frame.Sequence+1
			buffer = frame.AppendTo(buffer[:0])
			if _, err := out.ReceiveWire(0, buffer); err != nil {
				t.Fatal(err)
			}
		}
		out.ReceiveWire(0, buffer[:9])
		in.PollFrame(0, &f)
		out.LinkDown(0)
		out.LinkUp(0)
		for q, ok := out.Next(0); ok; q, ok = out.Next(0) {
			p := packets[0]
			if q == 2 {
				p = packets[1]
			}
			if q == 0 {
				p = packets[2]
				if in.rest == 0 {
					p = packets[3]
				}
			}
			out.Dequeue(0, q, p)
		}
		for in.PollFrame(0, &f) {
		}
		s.Expire(0)
		s.Rebase(0)
		s.PollPort()
		if s.Audit() != nil || s.Quiescent() != nil {
			t.Fatal(s.Audit(), s.Quiescent())
		}
	}
	require.Zero(t, testing.AllocsPerRun(100, step))
	c := s.Counters()
	for name, n := range map[string]uint64{
		"unqueued": c.Unqueued, "pauses": c.Pauses, "resumes": c.Resumes, "malformed": c.Malformed,
		"unqueued pauses": c.UnqueuedPauses,
	} {
		require.NotZero(t, n, "the walk does not come by: %s", name)
	}
}
