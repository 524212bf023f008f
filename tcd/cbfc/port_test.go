package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// twoPorts is a switch whose links are up, with buffers for 40 packets of 1,500 bytes per VL.
func twoPorts(t testing.TB, change func(*Config)) *Switch {
	c := Config{MTU: 1500}
	for range 2 {
		c.Ports = append(c.Ports, PortConfig{
			Link: sluice.Link{Rate: 40 * g}, Buffer: 40 * 1536, PeerBuffer: 40 * 1536,
		})
	}
	if change != nil {
		change(&c)
	}
	return newSwitch(t, c)
}

// renewCredit is an FCP that announces as much as can be.
func renewCredit(p *Port, q sluice.QueueID) {
	p.Receive(
		0,
		&Frame{VL: uint8(q), FCTBS: p.vls[q].received, FCCL: (p.vls[q].sent + maxCredit) & counterMask},
	)
}

// served returns how many packets of VLs 2 and 5 leave in the given number of turns, while both are
// kept backlogged.
func served(t testing.TB, s *Switch, turns int) (n [sluice.Classes]int) {
	p := s.Port(0)
	packet := func(q sluice.QueueID) *sluice.Packet {
		return &sluice.Packet{Size: 1000, Class: sluice.Class(q), Ingress: sluice.Local}
	}
	for range turns {
		for _, q := range []sluice.QueueID{2, 5} {
			for p.Backlog(q) < 5000 {
				p.Enqueue(0, packet(q))
			}
		}
		q, ok := p.Next(0)
		require.True(t, ok)
		again, _ := p.Next(0)
		require.Equal(t, q, again, "asked again before an input, it answers the same")
		require.Equal(t, sluice.Transmit, p.Dequeue(0, q, packet(q)).Action())
		renewCredit(p, q)
		n[q]++
	}
	return n
}

// TestService: strict order, VL 7 first, or deficit round robin in proportion to the quanta.
func TestService(t *testing.T) {
	n := served(t, twoPorts(t, nil), 1000)
	require.Equal(t, 1000, n[5])
	n = served(t, twoPorts(t, func(c *Config) { c.Quantum[2] = 4500 }), 1000)
	require.InDelta(t, 750, n[2], 3, "4,500 to the MTU of 1,500")
	require.InDelta(t, 250, n[5], 3)
}

// TestAnEmptyQueueForfeits the rest of its quantum.
func TestAnEmptyQueueForfeits(t *testing.T) {
	s := twoPorts(t, func(c *Config) { c.Quantum[2], c.Quantum[5] = 1_000_000, 1000 })
	p := s.Port(0)
	two := sluice.Packet{Size: 1000, Class: 2, Ingress: sluice.Local}
	five := sluice.Packet{Size: 1000, Class: 5, Ingress: sluice.Local}
	p.Enqueue(0, &two)
	q, _ := p.Next(0)
	require.EqualValues(t, 2, q)
	p.Dequeue(0, 2, &two) // most of its quantum is left, and its queue is empty
	p.Enqueue(0, &two)
	p.Enqueue(0, &five)
	q, _ = p.Next(0)
	require.EqualValues(t, 5, q)
}

// TestRefused: packets that are not well-formed are refused for the reason that is theirs, and
// change nothing else.
func TestRefused(t *testing.T) {
	s := twoPorts(t, func(c *Config) { c.Classes = sluice.MakeClassSet(2, 3) })
	p := s.Port(0)
	for _, test := range []struct {
		packet sluice.Packet
		reason sluice.Reason
	}{
		{sluice.Packet{Size: 1000, Class: 8, Ingress: 1}, sluice.BadClass},
		{sluice.Packet{Size: 1000, Class: 4, Ingress: 1}, sluice.BadClass},
		{sluice.Packet{Size: 0, Class: 3, Ingress: 1}, sluice.BadSize},
		{sluice.Packet{Size: -1, Class: 3, Ingress: 1}, sluice.BadSize},
		{sluice.Packet{Size: 1501, Class: 3, Ingress: 1}, sluice.BadSize},
		{sluice.Packet{Size: 1500, Class: 3, Ingress: 2}, sluice.BadIngress},
		{sluice.Packet{Size: 1, Class: 3, Ingress: 2}, sluice.BadIngress},
	} {
		before := p.Counters().Dropped[test.reason]
		require.Equal(t, sluice.DropBecause(test.reason), p.Enqueue(0, &test.packet), "%+v", test.packet)
		require.Equal(t, before+1, p.Counters().Dropped[test.reason])
		if test.reason != sluice.BadIngress { // Consume needs none
			misuses := s.Counters().Misuse
			require.Zero(t, s.Port(1).Consume(0, &test.packet))
			require.Equal(t, misuses+1, s.Counters().Misuse, "%+v", test.packet)
		}
	}
	require.Zero(t, s.Port(1).vls[3].received)
	require.Zero(t, s.Counters().VL[3].Consumed)
	s.Port(1).Consume(0, &sluice.Packet{Size: 1, Class: 3})
	require.EqualValues(t, 1, s.Counters().VL[3].Consumed, "a byte is a packet")
	require.NoError(t, s.Audit())
	require.Equal(
		t, sluice.AppendToQueue(3), p.Enqueue(0, &sluice.Packet{Size: 1500, Class: 3, Ingress: 1}),
	)
}

// Never as now is counted once for each hook (package sluice, Time), also for the first of all.
func TestNeverIsCountedOnce(t *testing.T) {
	s := twoPorts(t, nil)
	for n := range uint64(3) {
		require.Equal(t, n, s.Counters().Misuse)
		s.Port(0).Enqueue(sluice.Never, &sluice.Packet{Size: 1000, Ingress: 1})
	}
}

// TestMisuse: a Dequeue of what cannot be the head of the queue is counted, answered with a
// reason, and changes nothing.
func TestMisuse(t *testing.T) {
	s := twoPorts(t, nil)
	p := s.Port(0)
	for _, size := range []sluice.Bytes{1000, 65, 65} {
		p.Enqueue(0, &sluice.Packet{Size: size, Class: 3, Ingress: 1})
	}
	p.Enqueue(0, &sluice.Packet{Size: 1000, Class: 4, Ingress: sluice.Local})
	before := s.Snapshot()
	for i, test := range []struct {
		queue  sluice.QueueID
		packet sluice.Packet
		reason sluice.Reason
	}{
		{8, sluice.Packet{Size: 1000, Class: 3, Ingress: 1}, sluice.BadQueue},
		{8, sluice.Packet{Size: 1000, Class: 8, Ingress: 1}, sluice.BadQueue},
		{4, sluice.Packet{Size: 1000, Class: 3, Ingress: 1}, sluice.BadClass},
		{2, sluice.Packet{Size: 1000, Class: 2, Ingress: 1}, sluice.BadClass},
		{3, sluice.Packet{Size: 0, Class: 3, Ingress: 1}, sluice.BadSize},
		{3, sluice.Packet{Size: 1131, Class: 3, Ingress: 1}, sluice.BadSize},
		{3, sluice.Packet{Size: 1000, Class: 3, Ingress: 0}, sluice.BadIngress},
		{3, sluice.Packet{Size: 1, Class: 3, Ingress: 0}, sluice.BadIngress},
		{3, sluice.Packet{Size: 1000, Class: 3, Ingress: 2}, sluice.BadIngress},
		{3, sluice.Packet{Size: 1000, Class: 3, Ingress: sluice.Local}, sluice.BadIngress},
		{4, sluice.Packet{Size: 1000, Class: 4, Ingress: 1}, sluice.BadIngress},
		{4, sluice.Packet{Size: 1000, Class: 4, Ingress: 2}, sluice.BadIngress},
		// all bytes, not all blocks
		{3, sluice.Packet{Size: 1130, Class: 3, Ingress: 1}, sluice.BadIngress},
	} {
		require.Equal(
			t, sluice.DropBecause(test.reason), p.Dequeue(0, test.queue, &test.packet), "%+v", test,
		)
		require.EqualValues(t, i+1, p.Counters().Misuse)
		after := s.Snapshot()
		after.Now = before.Now
		require.Equal(t, before, after)
	}
	require.NoError(t, s.Audit())
}

// A packet that says too small a size when it leaves its queue leaves fewer blocks than there are.
// Then no other leaves that takes more, though its bytes are there, and others' blocks.
func TestMoreBlocksThanThereAre(t *testing.T) {
	s := twoPorts(t, nil)
	for port, size := range []sluice.Bytes{128, 1000} {
		s.Port(sluice.PortID(port)).Enqueue(0, &sluice.Packet{Size: size, Ingress: sluice.Local})
	}
	p := s.Port(0)
	forged := sluice.Packet{Size: 1, Ingress: sluice.Local}
	require.Equal(t, sluice.Transmit, p.Dequeue(0, 0, &forged).Action())
	forged.Size = 100
	require.Equal(t, sluice.DropBecause(sluice.BadIngress), p.Dequeue(0, 0, &forged))
	require.EqualValues(t, 1, p.Counters().Misuse)
	require.NoError(t, s.Audit())
}

// TestNoCreditNoPacket: a VL without credit for the packet at hand sends nothing, whatever the
// embedder does; a VL that has credit for it but not for an MTU may, although Next does not name
// it.
func TestNoCreditNoPacket(t *testing.T) {
	s := twoPorts(t, nil)
	p := s.Port(0)
	small := sluice.Packet{Size: 640, Class: 3, Ingress: 1}
	for range 3 {
		p.Enqueue(0, &small)
	}
	w := p.Receive(0, &Frame{VL: 3, FCCL: 10})
	require.Zero(t, w&^sluice.WakeDeadline, "held as before")
	_, ok := p.Next(0)
	require.False(t, ok)
	require.False(t, p.Sendable(3))
	require.Equal(t, sluice.MakeClassSet(3), p.Held())
	other := small
	other.Ingress = 0
	require.Equal(t, sluice.DropBecause(sluice.BadIngress), p.Dequeue(0, 3, &other), "credit it has")
	require.Equal(t, sluice.Transmit, p.Dequeue(0, 3, &small).Action(), "ten blocks")
	require.Zero(t, p.Credit(3))
	require.Equal(t, sluice.DropBecause(sluice.BadQueue), p.Dequeue(0, 3, &small))
	require.EqualValues(t, 2, p.Counters().Misuse)
	require.Equal(t, sluice.WakePort(0), p.Receive(0, &Frame{VL: 3, FCCL: 34})&^sluice.WakeDeadline)
	require.True(t, p.Sendable(3))
	require.Zero(t, p.Receive(0, &Frame{VL: 3, FCCL: 35})&^sluice.WakeDeadline, "it was not held")
	require.NoError(t, s.Audit())
	p.Receive(0, &Frame{VL: 3, FCCL: 10})
	p.LinkDown(0)
	require.Equal(t, sluice.DropBecause(sluice.BadIngress), p.Dequeue(0, 3, &other), "it needs none")
}

// TestOverflow: a packet that its buffer has no room for is dropped and counted, and counts as
// received; the port sends its limit again.
func TestOverflow(t *testing.T) {
	s := twoPorts(t, nil)
	p, in := s.Port(0), s.Port(1)
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
	for range 40 {
		require.Equal(t, sluice.Append, p.Enqueue(0, &packet).Action())
	}
	require.Equal(t, 960, in.IngressBlocks(3))
	require.Equal(t, sluice.HeadroomExhausted, p.Enqueue(0, &packet).Reason())
	require.EqualValues(t, 1, in.Counters().VL[3].Overflows)
	require.EqualValues(t, 1, p.Counters().Dropped[sluice.HeadroomExhausted])
	require.EqualValues(t, 41*24, in.vls[3].received)
	require.EqualValues(t, 41*24, in.vls[3].announced(), "no room beyond what was received")
	require.EqualValues(t, 60_000, s.Counters().BufferPeak)
	other := sluice.Packet{Size: 1500, Class: 4, Ingress: 1}
	require.Equal(t, sluice.Append, p.Enqueue(0, &other).Action(), "every VL has a buffer of its own")
	require.NoError(t, s.Audit())
}

// TestReceiveCounts counts FCPs: the arrivals, and those that revealed lost packets.
func TestReceiveCounts(t *testing.T) {
	s := twoPorts(t, nil)
	p := s.Port(0)
	p.Consume(us, &sluice.Packet{Size: 640, Class: 3})
	p.Receive(2*us, &Frame{VL: 3, FCTBS: 10, FCCL: 100})
	require.Equal(t, 2*us, s.Snapshot().Now)
	require.EqualValues(t, 1, p.Counters().VL[3].FCPsReceived)
	require.Zero(t, p.Counters().VL[3].Corrections, "ten blocks sent, ten received")
	p.Receive(2*us, &Frame{VL: 3, FCTBS: 11, FCCL: 100})
	require.EqualValues(t, 2, p.Counters().VL[3].FCPsReceived)
	require.EqualValues(t, 1, p.Counters().VL[3].Corrections)
	require.EqualValues(t, 2, p.Counters().FramesReceived)
	require.EqualValues(t, 11, p.vls[3].received)
	p.Receive(2*us, &Frame{Op: 2, VL: 3, FCCL: 9})
	require.EqualValues(t, 1, p.Counters().Ignored)
	require.Equal(t, 100, p.Credit(3))
}

// TestLimitMovesWithArrivals where more than 2,048 blocks, all that can be announced, were free:
// what arrives uses room that was not announced, and the port ticks sooner.
func TestLimitMovesWithArrivals(t *testing.T) {
	for _, test := range []struct {
		blocks sluice.Bytes
		limit  uint16 // after 24 blocks
	}{
		{960, 960}, {2047, 2047}, {2048, 2048},
		{2049, 2049}, {2060, 2060}, {2072, 2072}, {2073, 2072}, {4096, 2072},
	} {
		s := twoPorts(t, func(c *Config) { c.Ports[1].Buffer = test.blocks * Block })
		settle(s, 20*us)
		want := sluice.AppendToQueue(3)
		if test.blocks > 2048 {
			want = want.WithWake(sluice.WakeDeadline)
		}
		got := s.Port(0).Enqueue(20*us, &sluice.Packet{Size: 1500, Class: 3, Ingress: 1})
		require.Equal(t, want, got, "%d blocks", test.blocks)
		require.Equal(t, test.limit, s.Port(1).vls[3].announced(), "%d blocks", test.blocks)
		require.Equal(t, test.blocks > 2048, s.Port(1).changed == sluice.MakeClassSet(3))
		require.NoError(t, s.Audit())
	}
}
