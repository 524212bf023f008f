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
		in.LinkDown(0)
		_, _, paused := in.Tables()
		require.Zero(t, paused)
		require.NoError(t, m.s.Quiescent())
		in.LinkUp(0)
		require.Empty(t, m.polled(1))
	}
}
