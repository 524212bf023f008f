package ofc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// When its link fails a port can be emptied at once, whatever was paused there, and however fast
// packets may move: the embedder may discard them between two events.
func TestPortOfADeadLinkEmptiesAtOnce(t *testing.T) {
	link := sluice.Link{Rate: sluice.Gbps}
	s := mustNew(t, Config{
		Ports: []PortConfig{{Link: link}, {Link: link}}, Speedup: 2, MTU: 1000,
	})
	const packets = 20
	p, queues := s.Port(0), [3 * sluice.Classes][]sluice.Packet{}
	put := func(v sluice.Verdict, packet sluice.Packet) {
		require.Equal(t, sluice.Append, v.Action())
		queues[v.Queue()] = append(queues[v.Queue()], packet)
	}
	for i := range uint64(packets) {
		packet := sluice.Packet{Flow: 7 + i%2, Class: 3, Size: 1000, Ingress: 1}
		v := p.Enqueue(0, &packet)
		put(v, packet)
	}
	hear(s, 0, Pause, 1)
	sent := 0
	serve := func() {
		for q, ok := p.Next(0); ok; q, ok = p.Next(0) {
			packet := queues[q][0]
			queues[q] = queues[q][1:]
			if v := p.Dequeue(0, q, &packet); v.Action() == sluice.Append {
				put(v, packet)
			} else {
				sent++
			}
		}
	}
	serve()
	require.Less(t, sent, packets/2, "moves wait for time")
	require.NotEqual(t, sluice.Never, s.Deadline())
	require.Equal(t, sluice.WakePort(0), p.LinkDown(0)&^sluice.WakeDeadline)
	serve()
	require.Equal(t, packets, sent)
	require.Zero(t, s.Buffered())
	require.Equal(t, sluice.Never, s.Deadline())
	require.NoError(t, s.Audit())
}

// The port forgets flows that it announced and that come to be resumed while the link is down, or
// that a frame was about to resume when it failed: LinkUp finds nothing to say of them.
func TestResumesBesideALinkThatFails(t *testing.T) {
	for _, downFirst := range []bool{true, false} {
		m := meet(t, nil)
		a, b := m.enqueue(1, 0, 1, 1500), m.enqueue(2, 0, 1, 1000)
		require.Equal(t, []string{"pause class 0 [1 2]"}, m.polled(1))
		in := m.s.Port(1)
		if downFirst {
			in.LinkDown(0)
		}
		m.dequeue(normal, sluice.Transmit, a, b)
		require.Equal(t, !downFirst, in.Owes())
		if !downFirst {
			in.LinkDown(0)
		}
		_, _, paused := in.Tables()
		require.Zero(t, paused)
		require.NoError(t, m.s.Quiescent())
		in.LinkUp(0)
		require.Empty(t, m.polled(1))
	}
}

// LinkUp alone says that the device at the other end started anew: what it paused is void, and its
// frames count from any number. The port wakes for what may go now, and for nothing else.
func TestLinkUpForgetsThePeer(t *testing.T) {
	m := meet(t, func(c *Config) { c.Expiry = sluice.Millisecond })
	out := m.s.Port(0)
	out.Receive(0, &Frame{Type: Pause, All: true, Sequence: 90})
	require.Equal(t, sluice.Millisecond, m.s.Deadline())
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, out.LinkUp(5))
	require.Equal(t, sluice.Time(5), m.s.Snapshot().Now)
	require.Equal(t, AllResumed, out.State(0))
	require.Equal(t, sluice.Never, m.s.Deadline())
	m.hear(Pause, 0, 7)
	require.True(t, out.FlowPaused(0, 7), "its first frame")
	require.Equal(t, sluice.WakeDeadline, out.LinkDown(6))
	require.Equal(t, sluice.Time(6), m.s.Snapshot().Now)
	require.False(t, out.FlowPaused(0, 7))
	require.Zero(t, out.LinkUp(7), "nothing was paused")
}

// A list that LinkUp cut short is not complete, though its last part comes: what it does not name
// stays paused.
func TestLinkUpAmidAList(t *testing.T) {
	l := listen(t, 8)
	l.part(1, 0, 2, 1)
	l.s.Port(0).LinkUp(0)
	l.hear(Frame{Type: Pause}, 2)
	l.part(1, 1, 2)
	require.Equal(t, []uint64{2}, l.paused())
}

// LinkUp plans a refresh of each class that pauses anything, whatever it is: one announced flow,
// the whole class, or flows that no frame named yet. A link that is down plans none.
func TestLinkUpRefreshes(t *testing.T) {
	for name, test := range map[string]struct {
		sizes []sluice.Bytes
		poll  bool
		want  []string
	}{
		"a flow": {
			[]sluice.Bytes{2500}, true, []string{"refresh 0 class 3 part 1 of 1 [0]"},
		},
		"the class": {[]sluice.Bytes{2000, 2000}, true, []string{"pause class 3 all"}},
		"unnamed":   {[]sluice.Bytes{2500}, false, []string{"pause class 3 [0]"}},
		"nothing":   {[]sluice.Bytes{2499}, false, nil},
	} {
		for _, period := range []sluice.Time{1, sluice.Microsecond} {
			m := meet(t, func(c *Config) { c.Refresh = period })
			in := m.s.Port(1)
			if !test.poll {
				in.LinkDown(0)
			}
			for flow, size := range test.sizes {
				m.enqueue(uint64(flow), 3, 1, size)
			}
			m.polled(1)
			in.LinkDown(0)
			require.Equal(t, sluice.Never, m.s.Deadline(), name)
			in.LinkUp(0)
			require.Equal(t, test.want, m.polled(1), name)
			require.Equal(t, len(test.want) > 0, m.s.Deadline() == period, name)
			m.s.Expire(period)
			for _, frame := range m.polled(1) {
				require.Contains(t, frame, "refresh 1 class 3 part 1 of 1", name)
			}
		}
	}
}

// Each class waits for what it moved itself, whatever time others take.
func TestAClassWaitsForItsOwnMoves(t *testing.T) {
	m := meet(t, func(c *Config) { c.Speedup, c.MTU = 4, 100 })
	for class, sizes := range map[sluice.Class][]sluice.Bytes{3: {100, 100, 1}, 5: {100, 300, 1}} {
		m.hear(Pause, class, 7)
		for i, size := range sizes {
			if p := m.enqueue(7, class, 1, size); i < 2 {
				m.dequeue(normal, sluice.Append, p)
			}
		}
	}
	require.Equal(t, 5*sluice.Nanosecond, m.s.Deadline(), "an MTU is credited, another goes on")
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, m.s.Expire(m.s.Deadline()))
	require.NoError(t, m.s.Audit())
	q, ok := m.s.Port(0).Next(0)
	require.True(t, ok)
	require.EqualValues(t, 3*QueuesPerClass, q, "class 5, which goes first, waits")
	require.Equal(t, 15*sluice.Nanosecond, m.s.Deadline())
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, m.s.Expire(m.s.Deadline()))
	q, _ = m.s.Port(0).Next(0)
	require.EqualValues(t, 5*QueuesPerClass, q)
	require.Equal(t, sluice.Never, m.s.Deadline())
}

// While the link is down no move waits for Config.Speedup, in a rotation either.
func TestMovesOfADeadLinkDoNotWait(t *testing.T) {
	m := meet(t, func(c *Config) { c.Speedup, c.MTU = 4, 100 })
	m.hear(Pause, 0, 7)
	packets := []*sluice.Packet{m.enqueue(7, 0, 1, 100), m.enqueue(7, 0, 1, 100)}
	m.dequeue(normal, sluice.Append, packets...)
	require.Equal(t, 5*sluice.Nanosecond, m.s.Deadline(), "20 ns at 40 Gb/s, four times as fast")
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, m.s.Expire(m.s.Deadline()))
	m.hear(Resume, 0, 7)
	m.hear(Pause, 0, 7)
	m.s.Port(0).LinkDown(0)
	for _, p := range packets {
		m.dequeue(1, sluice.Append, p)
		require.Equal(t, sluice.Never, m.s.Deadline())
		_, ok := m.s.Port(0).Next(0)
		require.True(t, ok)
	}
	m.dequeue(2, sluice.Transmit, packets...)
}
