package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestHandshake: a link that comes up is held until each end has heard the other, and an FCP with
// op 1 is answered at once.
func TestHandshake(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g, Delay: us})
	c.Classes = sluice.MakeClassSet(3)
	a, b := newSwitch(t, c), newSwitch(t, c)
	require.Zero(t, a.Deadline(), "announced by Deadline")
	require.False(t, a.Port(0).Sendable(3))
	require.Error(t, a.Quiescent())

	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, a.Expire(0))
	frames := exchange(t, 0, a.Port(0), b.Port(0))
	require.Equal(t, []Frame{{Op: Init, VL: 3, FCCL: 2048}}, frames)
	require.True(t, b.Port(0).Sendable(3))
	require.False(t, a.Port(0).Sendable(3))

	frames = exchange(t, 0, b.Port(0), a.Port(0))
	require.Equal(t, []Frame{{Op: Normal, VL: 3, FCCL: 2048}}, frames, "it knows a, and so may a know")
	require.True(t, a.Port(0).Sendable(3))
	require.Empty(t, exchange(t, 0, a.Port(0), b.Port(0)), "op 0 is not answered")
	require.Equal(t, 2048, a.Port(0).Credit(3))
}

// TestHandshakeGoesOn: op 1 is sent every T_c until the peer is heard.
func TestHandshakeGoesOn(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	c.Ports[0].Period = us
	s := newSwitch(t, c)
	var f Frame
	for i := range 5 {
		now := sluice.Time(i) * us
		require.Equal(t, now, s.Deadline())
		s.Expire(now)
		for vl := range sluice.Classes {
			require.True(t, s.Port(0).PollFrame(now, &f))
			require.Equal(t, Frame{Op: Init, VL: uint8(vl), FCCL: 2048}, f)
		}
		require.False(t, s.Port(0).PollFrame(now, &f))
	}
	s.Port(0).Receive(5*us, &Frame{FCCL: 2048})
	s.Port(0).LinkUp(5 * us)
	for s.Port(0).PollFrame(5*us, &f) {
		require.Equal(t, Init, f.Op, "VL %d: the peer is new", f.VL)
	}
}

// TestBytesThatAreNoFCP are counted as malformed, and obeyed as no frame, not even as the last one.
func TestBytesThatAreNoFCP(t *testing.T) {
	p := newSwitch(t, HostConfig(sluice.Link{Rate: 40 * g})).Port(0)
	_, err := p.ReceiveWire(0, (&Frame{Op: Init, VL: 3, FCCL: 2048}).AppendTo(nil))
	require.NoError(t, err)
	before := p.Snapshot()
	wake, err := p.ReceiveWire(sluice.Never, []byte("no FCP"))
	require.Error(t, err)
	require.Zero(t, wake)
	require.Equal(t, before, p.Snapshot())
	c := p.owner.Counters()
	require.EqualValues(t, 1, c.Malformed)
	require.EqualValues(t, 1, c.FramesReceived)
	require.EqualValues(t, 1, c.Misuse, "the time that is none")
}

// TestLinkUpTwice: whichever end notices first that the link is there again, both come to the same
// counters.
func TestLinkUpTwice(t *testing.T) {
	for _, first := range []int{0, 1} {
		c := HostConfig(sluice.Link{Rate: 40 * g})
		c.Classes, c.MTU, c.Ports[0].PeerBuffer = sluice.MakeClassSet(3), 1500, MaxAnnounced
		ends := [2]*Switch{newSwitch(t, c), newSwitch(t, c)}
		p := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
		for range 10 {
			ends[0].Port(0).Enqueue(0, &p)
			ends[0].Port(0).Dequeue(0, 3, &p) // all lost on the wire
		}
		require.Equal(t, 2048-240, ends[0].Port(0).Credit(3))
		for _, s := range ends {
			s.Port(0).LinkDown(0)
			require.True(t, s.Port(0).Sendable(3), "no queue is held on the word of the peer")
			require.Equal(t, sluice.Never, s.Deadline())
			require.NoError(t, s.Audit())
		}
		ends[first].Port(0).LinkUp(us)
		require.Equal(t, VLSnapshot{Capacity: 2048, FCCL: 2048}, ends[first].Port(0).Snapshot().VL[3])
		require.False(t, ends[first].Port(0).Sendable(3))
		exchange(t, us, ends[first].Port(0), ends[1-first].Port(0))
		require.EqualValues(t, 1, ends[1-first].Port(0).Counters().Stale, "its link is still down")
		ends[1-first].Port(0).LinkUp(2 * us)
		for range 2 {
			for _, i := range []int{1 - first, first} {
				exchange(t, 2*us, ends[i].Port(0), ends[1-i].Port(0))
			}
		}
		for _, s := range ends {
			require.Equal(t, 2048, s.Port(0).Credit(3))
			require.NoError(t, s.Audit())
		}
	}
}

// TestALinkThatFailedOwesNothing: what came in by it leaves, and the port plans no FCP of the limit
// that moves.
func TestALinkThatFailedOwesNothing(t *testing.T) {
	s := twoPorts(t, nil)
	settle(s, 20*us)
	packet := sluice.Packet{Size: 1500, Class: 3, Ingress: 1}
	s.Port(0).Enqueue(20*us, &packet)
	s.Port(1).LinkDown(20 * us)
	due := s.Deadline()
	require.Equal(t, sluice.Transmit, s.Port(0).Dequeue(20*us, 3, &packet).Action())
	s.Port(1).Consume(20*us, &packet)
	require.Equal(t, due, s.Deadline())
	require.NoError(t, s.Audit())
}

// TestLostPacket: a lost packet costs its credit, and the next FCP returns it.
func TestLostPacket(t *testing.T) {
	w := newWire(t, PortConfig{
		Link: sluice.Link{Rate: 40 * g, Delay: us}, Period: 4 * us, KeepAlive: 10 * us,
		PeerBuffer: MaxAnnounced,
	}, 1500, 1500)
	w.loss = 20
	w.run(500 * us)
	lost := w.sent - w.arrived
	require.Greater(t, lost, sluice.Bytes(100_000), "more than 2,048 blocks were lost in all")
	require.Zero(t, w.offs, "and the sender never noticed")
	w.loss = 0
	for w.from.Port(0).Backlog(3) > 0 {
		p := w.packet()
		w.from.Port(0).Dequeue(w.now, 3, &p)
	}
	require.NotZero(t, w.to.Port(0).Counters().VL[3].Corrections)
	require.Zero(t, w.to.Port(0).Counters().VL[3].Overflows)
}

// TestLostCreditComesBack counts it: the lost credit is missing until the receiver's FCP answers
// the sender's next FCP, which reports the blocks sent.
func TestLostCreditComesBack(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	c.Classes, c.MTU, c.Ports[0].PeerBuffer = sluice.MakeClassSet(3), 1500, MaxAnnounced
	a, b := newSwitch(t, c), newSwitch(t, c)
	var now sluice.Time
	tick := func(s, to *Switch) {
		now = max(now, s.Deadline())
		s.Expire(now)
		exchange(t, now, s.Port(0), to.Port(0))
	}
	tick(a, b)
	tick(b, a)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	for range 10 {
		a.Port(0).Enqueue(now, &p)
		a.Port(0).Dequeue(now, 3, &p)
	}
	require.Equal(t, 2048-240, a.Port(0).Credit(3))
	tick(b, a) // every VL, by keep-alive: b has received nothing
	require.Equal(t, 2048-240, a.Port(0).Credit(3))
	tick(a, b) // a has sent 240 blocks
	require.EqualValues(t, 1, b.Port(0).Counters().VL[3].Corrections)
	tick(b, a)
	require.Equal(t, 2048, a.Port(0).Credit(3))
}

// TestStaleFCP: an FCP that others overtook is safe while fewer than 2,048 blocks were sent since.
// Beyond, the overflow is counted at the receiver, and credit is right again after the next FCP.
func TestStaleFCP(t *testing.T) {
	c := Config{MTU: 1500, Classes: sluice.MakeClassSet(3)}
	for range 2 {
		c.Ports = append(c.Ports, PortConfig{Link: sluice.Link{Rate: 40 * g}, PeerBuffer: MaxAnnounced})
	}
	sender, receiver := newSwitch(t, c), newSwitch(t, c)
	out, in, onward := sender.Port(0), receiver.Port(0), receiver.Port(1)
	p := sluice.Packet{Size: 1500, Class: 3, Ingress: sluice.Local}
	arriving := sluice.Packet{Size: 1500, Class: 3, Ingress: 0}
	move := func(packets int) (dropped int) {
		for range packets {
			sender.Port(0).Enqueue(0, &p)
			require.Equal(t, sluice.Transmit, out.Dequeue(0, 3, &p).Action())
			if onward.Enqueue(0, &arriving).Action() == sluice.Drop {
				dropped++
			}
		}
		return dropped
	}
	leave := func(packets int) {
		for range packets {
			onward.Receive(0, &Frame{VL: 3, FCCL: (onward.vls[3].sent + maxCredit) & counterMask})
			require.Equal(t, sluice.Transmit, onward.Dequeue(0, 3, &arriving).Action())
		}
	}
	fcp := func() *Frame { // as it would be built now
		v := &in.vls[3]
		return &Frame{VL: 3, FCTBS: in.vls[3].sent, FCCL: v.announced()}
	}
	old := fcp()
	require.Zero(t, move(85)) // 2,040 blocks
	leave(85)
	fresh := fcp()
	out.Receive(0, fresh)
	require.Equal(t, 2048, out.Credit(3))
	out.Receive(0, old)
	require.Equal(t, 8, out.Credit(3), "within the bound it understates")
	out.Receive(0, fresh)
	require.Zero(t, move(80)) // 3,960 blocks since the old one
	out.Receive(0, old)
	require.Equal(t, 2048-3960+4096, 2184, "which mod 4096 is more than 2,048: no credit")
	require.Zero(t, out.Credit(3))

	leave(80)
	out.Receive(0, fcp())
	require.Zero(t, move(7)) // 4,128 blocks since the old one: it overstates by 4,096
	out.Receive(0, old)
	require.Equal(t, 2048-(4128-4096), out.Credit(3))
	dropped := move(84)
	require.Equal(t, 7+84-85, dropped, "the buffer holds 85 packets")
	require.EqualValues(t, dropped, in.Counters().VL[3].Overflows)
	require.EqualValues(t, dropped, onward.Counters().Dropped[sluice.HeadroomExhausted])
	leave(85)
	out.Receive(0, fcp())
	require.Equal(t, 2048, out.Credit(3), "and is right again")
	require.NoError(t, sender.Audit())
	require.NoError(t, receiver.Audit())
}

// TestLinkUpBeforeTimeZero: times have any origin. Ticks go on every T_c in a device whose clock
// shows a time before 0.
func TestLinkUpBeforeTimeZero(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	c.Ports[0].Period, c.Classes = us, sluice.MakeClassSet(3)
	s := newSwitch(t, c)
	const start = -sluice.Second - us/2
	s.Port(0).LinkUp(start)
	var f Frame
	require.True(t, s.Port(0).PollFrame(start, &f))
	for i := range sluice.Time(3) {
		tick := -sluice.Second + i*us
		require.Equal(t, tick, s.Deadline())
		s.Expire(tick)
		require.True(t, s.Port(0).PollFrame(tick, &f), "the peer was not heard")
	}
}
