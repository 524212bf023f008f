package floodgate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}

const (
	bdp    = 15_000 // of link
	window = bdp*3/2 + 10_240
)

// to returns a packet of 1,000 bytes that came in by a port and goes to a host of switch 9.
func to(host, ingress sluice.PortID) *sluice.Packet {
	p := &sluice.Packet{Size: 1000, Ingress: ingress}
	p.Path.Append(sluice.Hop{Switch: 1})
	p.Path.Append(receiver(host))
	return p
}

// newSwitch returns a switch of two ports; some are edge ports.
func newSwitch(t *testing.T, edges ...bool) *Switch {
	c := Config{Destinations: 8, MTU: 1000}
	for _, edge := range edges {
		c.Ports = append(c.Ports, PortConfig{Link: link, Edge: edge})
	}
	s, err := New(c)
	require.NoError(t, err)
	return s
}

// send has a packet leave a port by its output queue.
func send(t *testing.T, now sluice.Time, p *Port, packet *sluice.Packet) {
	q, ok := p.Next(now)
	require.True(t, ok)
	v := p.Dequeue(now, q, packet)
	for v.Action() == sluice.Append {
		q, ok = p.Next(now)
		require.True(t, ok)
		v = p.Dequeue(now, q, packet)
	}
	require.Equal(t, sluice.Transmit, v.Action())
}

// carry takes what a port owes to a port of another switch, and returns it in words.
func carry(t *testing.T, now sluice.Time, from, to *Port) (said []string) {
	var f Frame
	for from.PollFrame(now, &f) {
		_, err := to.ReceiveWire(now, f.AppendTo(nil))
		require.NoError(t, err)
		said = append(said, f.String())
	}
	return said
}

// A switch has a sending window for each destination: packets beyond it wait in a VOQ, and hold no
// other destination.
func TestWindow(t *testing.T) {
	s := newSwitch(t, false, true)
	out := s.Port(0)
	for range window / 1000 {
		require.Zero(t, out.Enqueue(0, to(3, 1)).Queue())
	}
	voq := out.Enqueue(0, to(3, 1)).Queue()
	require.NotZero(t, voq)
	require.False(t, out.Sendable(voq))
	require.Zero(t, out.Enqueue(0, to(4, 1)).Queue(), "another destination has a window of its own")
	for range window / 1000 {
		send(t, 0, out, out.packet(t, 3))
	}
	out.Receive(0, &Frame{Type: Credit, Sequence: 1, Count: 1, Entries: [MaxListed]Entry{
		{Destination: receiver(3), Credited: 1000},
	}})
	require.True(t, out.Sendable(voq))
	q, ok := out.Next(0)
	require.True(t, ok)
	require.Equal(t, voq, q)
	packet := out.packet(t, 3)
	v := out.Dequeue(0, q, packet)
	require.Equal(t, sluice.Append, v.Action())
	require.Zero(t, v.Queue())
	require.EqualValues(t, 1, s.Counters().Isolated)
	require.NoError(t, s.Audit())
}

// The window is the switch's, whatever ports lead to the destination: what one has passed on the
// others may not, and room that comes back goes to them in turn.
func TestWindowOfAllPorts(t *testing.T) {
	s := newSwitch(t, false, false, true)
	one, other := s.Port(0), s.Port(1)
	for range window / 1000 {
		require.Zero(t, one.Enqueue(0, to(3, 2)).Queue())
	}
	require.NotZero(t, one.Enqueue(0, to(3, 2)).Queue())
	voq := other.Enqueue(0, to(3, 2)).Queue()
	require.NotZero(t, voq)
	require.Zero(t, other.Enqueue(0, to(4, 2)).Queue(), "another destination has its own window")
	for range 2 {
		packet := one.packet(t, 3)
		packet.Ingress = 2
		send(t, 0, one, packet)
	}
	credit := Frame{Type: Credit, Sequence: 1, Count: 1, Entries: [MaxListed]Entry{
		{Destination: receiver(3), Credited: 1000},
	}}
	one.Receive(0, &credit)
	require.True(t, one.Sendable(voq))
	require.False(t, other.Sendable(voq))
	credit.Sequence, credit.Entries[0].Credited = 2, 2000
	wake := one.Receive(0, &credit)
	require.True(t, other.Sendable(voq))
	port, woken := wake.Port()
	require.True(t, woken && port == 1)
	require.NoError(t, s.Audit())
}

// packet returns a packet to a host as it waits here.
func (p *Port) packet(t *testing.T, host sluice.PortID) *sluice.Packet {
	packet := to(host, 1)
	d, ok := p.owner.directory.Find(receiver(host).Key())
	require.True(t, ok)
	packet.Note = uint64(d)
	return packet
}

// The last ToR limits the credit of incast flows: it returns credit for bytes that it sent to its
// host, when K have come together, or T after the first.
func TestCredits(t *testing.T) {
	up, last := newSwitch(t, false, true), newSwitch(t, true, false)
	out, host, in := up.Port(0), last.Port(0), last.Port(1)
	for range 12 {
		up.Port(0).Enqueue(0, to(3, 1))
		send(t, 0, out, out.packet(t, 3))
		require.Zero(t, host.Enqueue(0, to(3, 1)).Queue(), "no window before a host")
	}
	for range 10 {
		send(t, 0, host, host.packet(t, 3))
		require.Empty(t, carry(t, 0, in, out))
	}
	send(t, 0, host, host.packet(t, 3))
	require.Equal(t, []string{"credit [9:3 11000]"}, carry(t, 0, in, out))
	require.EqualValues(t, 1000, out.lanes[1].outstanding())

	send(t, 0, host, host.packet(t, 3))
	require.Equal(t, DefaultInterval, last.Deadline())
	last.Expire(DefaultInterval)
	require.Equal(t, []string{"credit [9:3 12000]"}, carry(t, DefaultInterval, in, out))
	require.NoError(t, last.Quiescent())
	require.NoError(t, up.Quiescent())
	require.Equal(t, sluice.Never, up.Deadline())
}

// "The threshold of delay-credit": while more waits in the VOQs of a destination, its credit is
// withheld, and the credit of other destinations is not.
func TestDelayCredit(t *testing.T) {
	s := newSwitch(t, false, false)
	out, in := s.Port(0), s.Port(1)
	for range (window+bdp*3/2)/1000 + 2 {
		out.Enqueue(0, to(3, 1))
	}
	out.Enqueue(0, to(4, 1))
	for range 20 {
		send(t, 0, out, out.packet(t, 3))
	}
	require.False(t, in.Owes(), "20,000 bytes of credit are withheld")
	require.Equal(t, DefaultTimeout, s.Deadline(), "nor does T run")

	out.Receive(0, &Frame{Type: Credit, Sequence: 1, Count: 1, Entries: [MaxListed]Entry{
		{Destination: receiver(3), Credited: 3000},
	}})
	for range 3 {
		require.False(t, in.Owes())
		q, _ := out.Next(0)
		require.Equal(t, sluice.Append, out.Dequeue(0, q, out.packet(t, 3)).Action())
	}
	require.True(t, in.Owes())
	require.EqualValues(t, 1, s.Counters().Withheld)
	require.NoError(t, s.Audit())
}

// Counts in a SYN repair losses: bytes that it has as sent, and that did not come in, are lost and
// credited; so is a credit that was lost.
func TestSYN(t *testing.T) {
	up, last := newSwitch(t, false, true), newSwitch(t, true, false)
	out, host, in := up.Port(0), last.Port(0), last.Port(1)
	for i := range 3 {
		out.Enqueue(0, to(3, 1))
		send(t, 0, out, out.packet(t, 3))
		if i > 0 { // the first is lost
			host.Enqueue(0, to(3, 1))
			send(t, 0, host, host.packet(t, 3))
		}
	}
	last.Expire(DefaultInterval)
	var lost Frame
	require.True(t, in.PollFrame(DefaultInterval, &lost))
	require.Equal(t, "credit [9:3 2000]", lost.String())

	up.Expire(DefaultTimeout)
	require.False(t, out.Owes(), "credit may have come just before")
	up.Expire(2 * DefaultTimeout)
	require.Equal(t, []string{"syn [9:3 0 of 3000]"}, carry(t, 2*DefaultTimeout, out, in))
	last.Expire(last.Deadline())
	require.Equal(t, []string{"credit [9:3 3000]"}, carry(t, 2*DefaultTimeout, in, out))
	require.NoError(t, up.Quiescent())
	require.EqualValues(t, 1, last.Counters().Corrections)
}

// The state of windows takes memory for each destination (Pyrrha, section II-C): where none is
// left, packets pass, and a SYN gives the upstream its window back.
func TestMoreDestinationsThanAreKnown(t *testing.T) {
	up := newSwitch(t, false, true)
	c := last1()
	last, err := New(c)
	require.NoError(t, err)
	out, host, in := up.Port(0), last.Port(0), last.Port(1)
	for _, to := range []*sluice.Packet{to(3, 1), to(4, 1)} {
		host.Enqueue(0, to)
		out.Enqueue(0, to)
		send(t, 0, out, to)
	}
	require.EqualValues(t, 1, last.Counters().Uncontrolled)
	up.Expire(DefaultTimeout)
	up.Expire(2 * DefaultTimeout)
	carry(t, 0, out, in)
	require.Equal(t, []string{"credit [9:4 1000]"}, carry(t, 0, in, out))
	require.Zero(t, out.lanes[2].outstanding())
}

func last1() Config {
	return Config{
		Destinations: 1, Ports: []PortConfig{{Link: link, Edge: true}, {Link: link}},
	}
}

// Credit that cannot be, of more than was sent or less than was credited, changes nothing.
func TestForgedCredit(t *testing.T) {
	s := newSwitch(t, false, true)
	out := s.Port(0)
	for range 3 {
		out.Enqueue(0, to(3, 1))
		send(t, 0, out, out.packet(t, 3))
	}
	credit := func(sequence, credited uint32) int64 {
		out.Receive(0, &Frame{Type: Credit, Sequence: sequence, Count: 1, Entries: [MaxListed]Entry{
			{Destination: receiver(3), Credited: credited},
		}})
		return out.lanes[1].outstanding()
	}
	require.EqualValues(t, 3000, credit(1, 3001))
	require.EqualValues(t, 1000, credit(2, 2000))
	require.EqualValues(t, 1000, credit(3, 1000))
	require.EqualValues(t, 2, s.Counters().Ignored)
}

// What exceeds the buffer is lost, and credited: it is not on its way any more.
func TestALossIsCredited(t *testing.T) {
	c := last1()
	c.Buffer = 1500
	s, err := New(c)
	require.NoError(t, err)
	require.Equal(t, sluice.Append, s.Port(0).Enqueue(0, to(3, 1)).Action())
	v := s.Port(0).Enqueue(0, to(3, 1))
	require.Equal(t, sluice.BufferFull, v.Reason())
	require.EqualValues(t, 1000, s.Port(1).lanes[1].owed())
	require.NoError(t, s.Audit())
}

func TestConfig(t *testing.T) {
	ports := []PortConfig{{Link: link}}
	for field, c := range map[string]Config{
		"Ports":         {},
		"Destinations":  {Ports: ports, Destinations: MaxDestinations + 1},
		"Window":        {Ports: ports, Window: sluice.Ratio{Num: 0, Den: 2}},
		"Delay":         {Ports: ports, Delay: sluice.Ratio{Num: 1, Den: -2}},
		"Threshold":     {Ports: ports, Threshold: -1},
		"Interval":      {Ports: ports, Interval: -1},
		"Timeout":       {Ports: ports, Timeout: 1},
		"MTU":           {Ports: ports, MTU: -1},
		"Buffer":        {Ports: ports, Buffer: -1},
		"Classes":       {Ports: ports, Classes: 1 << 12},
		"Ports[0].Link": {Ports: make([]PortConfig, 1)},
	} {
		_, err := New(c)
		require.ErrorContains(t, err, "floodgate: Config."+field, field)
	}
	s, err := New(HostConfig(link))
	require.NoError(t, err)
	require.Equal(t, 2, s.Queues())
}

// No hook allocates, on any of its ways.
func TestZeroAlloc(t *testing.T) {
	s := newSwitch(t, false, false)
	out, in := s.Port(0), s.Port(1)
	a, b := to(3, 1), to(4, 1)
	frame := Frame{Type: SYN, Count: 2}
	buffer := make([]byte, 0, 128)
	now := sluice.Time(0)
	var f Frame
	step := func() {
		for range 60 {
			out.Enqueue(now, a)
			out.Enqueue(now, b)
		}
		for s.Buffered() > 0 {
			now += DefaultTimeout
			for q, ok := out.Next(now); ok; q, ok = out.Next(now) {
				p := a
				if q == 2 || q == 0 && out.lanes[1].passed == out.lanes[1].sent {
					p = b
				}
				out.Dequeue(now, q, p)
			}
			s.Expire(now)
			for in.PollFrame(now, &f) {
			}
			for out.PollFrame(now, &f) {
				frame.Sequence++
				frame.Type, frame.Entries[0].Destination = Credit, receiver(3)
				frame.Entries[0].Credited = out.lanes[1].sent
				frame.Entries[1] = Entry{Destination: receiver(4), Credited: out.lanes[2].sent}
				buffer = frame.AppendTo(buffer[:0])
				if _, err := out.ReceiveWire(now, buffer); err != nil {
					t.Fatal(err)
				}
			}
		}
		frame.Sequence++
		frame.Type, frame.Entries[0] = SYN, Entry{receiver(3), in.lanes[1].told, in.lanes[1].received + 1}
		buffer = frame.AppendTo(buffer[:0])
		in.ReceiveWire(now, buffer)
		in.ReceiveWire(now, buffer[:9])
		out.LinkDown(now)
		out.LinkUp(now)
		now += DefaultTimeout
		s.Expire(now)
		s.Rebase(1)
		s.PollPort()
		if s.Audit() != nil || s.Deadline() == 0 {
			t.Fatal(s.Audit())
		}
	}
	require.Zero(t, testing.AllocsPerRun(50, step))
	c := s.Counters()
	for name, n := range map[string]uint64{
		"isolated": c.Isolated, "withheld": c.Withheld, "credits": c.Credits, "SYNs": c.SYNs,
		"corrections": c.Corrections, "malformed": c.Malformed,
	} {
		require.NotZero(t, n, "the walk does not come by: %s", name)
	}
}
