package portfc

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// lab is one device of NDC(4,1), whose X_off is 6,000 bytes and X_on 4,000, with the packets that
// it holds and what it tells its peers.
type lab struct {
	*testing.T
	s        *Switch
	waiting  map[sluice.Hop][]sluice.Packet // by port and queue
	sequence uint32
}

func newLab(t *testing.T, device sluice.SwitchID) *lab {
	return &lab{
		T: t, s: mustNew(t, smallConfig(NDC{4, 1}, device)), waiting: map[sluice.Hop][]sluice.Packet{},
	}
}

// enqueue takes in a packet that came in by a port, and returns its queue. Hops are what follows
// egress: of NDC(4,1), none for a switch's DDQ.
func (l *lab) enqueue(
	size sluice.Bytes, ingress, egress sluice.PortID, hops ...sluice.Hop,
) sluice.QueueID {
	return l.enqueueClass(0, size, ingress, egress, hops...)
}

func (l *lab) enqueueClass(
	class sluice.Class, size sluice.Bytes, ingress, egress sluice.PortID, hops ...sluice.Hop,
) sluice.QueueID {
	p := sluice.Packet{Size: size, Class: class, Ingress: ingress}
	p.Path, _ = sluice.MakePath(append([]sluice.Hop{{Switch: l.s.id, Port: egress}}, hops...)...)
	v := l.s.Port(egress).Enqueue(0, &p)
	require.Equal(l, sluice.Append, v.Action(), "%v", v)
	at := sluice.Hop{Switch: sluice.SwitchID(v.Queue()), Port: egress}
	l.waiting[at] = append(l.waiting[at], p)
	return v.Queue()
}

// serve sends what the port says is next, and returns its queue.
func (l *lab) serve(egress sluice.PortID) sluice.QueueID {
	q, ok := l.s.Port(egress).Next(0)
	require.True(l, ok)
	at := sluice.Hop{Switch: sluice.SwitchID(q), Port: egress}
	p := l.waiting[at][0]
	l.waiting[at] = l.waiting[at][1:]
	require.Equal(l, sluice.Transmit, l.s.Port(egress).Dequeue(0, q, &p).Action())
	return q
}

// sent returns the frames that are due.
func (l *lab) sent() (frames []string) {
	var f Frame
	for i := range l.s.ports {
		for l.s.ports[i].PollFrame(0, &f) {
			frames = append(frames, fmt.Sprintf("by %d: %v", i, f))
		}
	}
	return frames
}

// hear has a port get a frame, and returns which of its queues are held then.
func (l *lab) hear(port sluice.PortID, f Frame) (held []sluice.QueueID) {
	l.sequence++
	f.Sequence = l.sequence
	l.s.Port(port).Receive(0, &f)
	for q := range sluice.QueueID(l.s.queues) {
		if !l.s.Port(port).Sendable(q) {
			held = append(held, q)
		}
	}
	return held
}

// far returns the two hops after port 0 of switch 19: node 12, and port e of its switch of layer 1.
func far(e sluice.PortID) []sluice.Hop {
	return []sluice.Hop{{Switch: 12, Port: 1}, {Switch: 20, Port: e}}
}

// The sum of the n-1 IHFQs reaches X_off: all other ports send a pause with the queue and the
// congested port (Algorithm 1, lines 4 to 18). One queue alone does not count, and line 12 has >=.
func TestAlgorithm1SumsIHFQs(t *testing.T) {
	l := newLab(t, 19)
	require.EqualValues(t, 0, l.enqueue(2000, 1, 0, far(0)...))
	require.EqualValues(t, 1, l.enqueue(2000, 2, 0, far(1)...))
	require.EqualValues(t, 2, l.enqueue(1999, 3, 0, far(2)...))
	require.Empty(t, l.sent(), "5,999 bytes")
	l.enqueue(1, 3, 0, far(2)...)
	require.Equal(t, []string{
		"by 1: pause queue 0 of port 0, layer 0", "by 2: pause queue 0 of port 0, layer 0",
		"by 3: pause queue 0 of port 0, layer 0",
	}, l.sent())
}

// The DDQ's detector (Algorithm 1, lines 19 to 27) has thresholds of its own, and here a flag of
// its own: neither the IHFQs' bytes nor their pause changes it.
func TestAlgorithm1DetectsTheDDQApart(t *testing.T) {
	l := newLab(t, 19)
	l.enqueue(6000, 1, 0, far(0)...)
	require.Len(t, l.sent(), 3)
	require.EqualValues(t, 3, l.enqueue(5999, 1, 0), "Q3 is the DDQ")
	require.Empty(t, l.sent())
	l.enqueue(1, 1, 0)
	require.Equal(t, []string{
		"by 1: pause queue 3 of port 0, layer 0", "by 2: pause queue 3 of port 0, layer 0",
		"by 3: pause queue 3 of port 0, layer 0",
	}, l.sent())
	require.Equal(t, []string{"DDQ", "IHFQ"}, l.s.Port(0).Snapshot().Pauses)
}

// HQ has no detector (Algorithm 1, line 29), is served before all others, and no pause holds it
// (section III-B.1).
func TestTheHighQueue(t *testing.T) {
	l := newLab(t, 19)
	l.enqueue(1000, 1, 0, far(0)...)
	for range 10 {
		require.EqualValues(t, 4, l.enqueueClass(7, 1000, 1, 0, far(0)...))
	}
	require.Empty(t, l.sent())
	held := l.hear(0, Frame{Type: Pause, Queue: 3, Port: 0, Layer: 1})
	require.Equal(t, []sluice.QueueID{0}, held)
	for range 10 {
		require.EqualValues(t, 4, l.serve(0))
	}
	_, ok := l.s.Port(0).Next(0)
	require.False(t, ok, "what is left is held")
}

// "Buffer overflow, drop this packet" (Algorithm 1, lines 2 and 3).
func TestAlgorithm1Drops(t *testing.T) {
	c := smallConfig(NDC{4, 1}, 19)
	c.Buffer = 1500
	s := mustNew(t, c)
	p := sluice.Packet{Size: 1000, Ingress: 1, Path: anyPath(NDC{4, 1}, 19, 0, 0)}
	require.Equal(t, sluice.Append, s.Port(0).Enqueue(0, &p).Action())
	require.Equal(t, sluice.DropBecause(sluice.BufferFull), s.Port(0).Enqueue(0, &p))
	require.EqualValues(t, 1, s.Counters().Dropped[sluice.BufferFull])
	require.EqualValues(t, 1000, s.Buffered())
}

// A detector that pauses resumes at X_on, not below it (Algorithm 2, lines 9 and 18).
func TestAlgorithm2ResumesAtXOn(t *testing.T) {
	l := newLab(t, 19)
	l.enqueue(3000, 1, 0, far(1)...)
	for _, size := range []sluice.Bytes{1999, 1, 1000} {
		l.enqueue(size, 1, 0, far(0)...)
	}
	require.Len(t, l.sent(), 3, "6,000 bytes")
	held := l.hear(0, Frame{Type: Pause, Queue: 3, Port: 1, Layer: 1}) // far(1)
	require.Equal(t, []sluice.QueueID{1}, held)
	l.serve(0)
	require.Empty(t, l.sent(), "4,001 bytes, most of them held themselves")
	l.serve(0)
	require.Equal(t, []string{
		"by 1: resume queue 0 of port 0, layer 0", "by 2: resume queue 0 of port 0, layer 0",
		"by 3: resume queue 0 of port 0, layer 0",
	}, l.sent())
}

// A message about a switch's IHFQ changes the queue state of congestedPortIdx, the node's four-hop
// traffic to that port (Algorithm 3, lines 4 to 11). The node passes it to no other device, because
// lines 21 to 23 cover the DDQ only.
func TestAlgorithm3OfAnIHFQ(t *testing.T) {
	for e := range sluice.PortID(3) { // node 15 is behind port 3 itself
		for idx := range sluice.QueueID(3) { // whichever of them reached X_off
			l := newLab(t, 15)
			held := l.hear(0, Frame{Type: Pause, Queue: idx, Port: e, Layer: 0})
			require.Equal(t, []sluice.QueueID{sluice.QueueID(e)}, held)
			require.Empty(t, l.sent())
			require.Empty(t, l.hear(0, Frame{Type: Resume, Queue: idx, Port: e, Layer: 0}))
			require.Empty(t, l.sent())
		}
	}
}

// A message about a switch's DDQ changes the node's two-hop queue of congestedPortIdx, one of n-1
// to 2n-3, hence the offset n-1; the node passes it on by all its other ports (Algorithm 3, lines
// 12 to 23).
func TestAlgorithm3OfADDQ(t *testing.T) {
	for e := range sluice.PortID(3) {
		l := newLab(t, 15)
		held := l.hear(0, Frame{Type: Pause, Queue: 3, Port: e, Layer: 0})
		require.Equal(t, []sluice.QueueID{sluice.QueueID(e) + 3}, held)
		relayed := "queue 3 of port " + fmt.Sprint(e) + ", layer 0"
		require.Equal(t, []string{"by 1: pause " + relayed}, l.sent())
		require.Empty(t, l.hear(0, Frame{Type: Resume, Queue: 3, Port: e, Layer: 0}))
		require.Equal(t, []string{"by 1: resume " + relayed}, l.sent())
	}
	l := newLab(t, 15)
	require.Empty(t, l.hear(0, Frame{Type: Pause, Queue: 4, Port: 0, Layer: 0}))
	require.EqualValues(t, 1, l.s.Counters().Malformed, "line 25: assert error")
}

// "queue[qIdx].TriggerSend()" (Algorithm 3, lines 10 and 19; Algorithm 4, line 8): a Resume wakes
// the port.
func TestResumeTriggersSending(t *testing.T) {
	l := newLab(t, 15)
	l.enqueue(1000, sluice.Local, 0, sluice.Hop{Switch: 19, Port: 0})
	pause := Frame{Type: Pause, Sequence: 1, Queue: 3, Port: 0, Layer: 0}
	l.s.Port(0).Receive(0, &pause)
	_, ok := l.s.Port(0).Next(0)
	require.False(t, ok)
	l.sent()
	resume := Frame{Type: Resume, Sequence: 2, Queue: 3, Port: 0, Layer: 0}
	wake := l.s.Port(0).Receive(0, &resume)
	require.True(t, wake.Has(sluice.WakeSeveral), "it, and the one that tells")
	require.EqualValues(t, 3, l.serve(0))
}

// The switch pauses or resumes the one queue of the congested port (Algorithm 4). Relay traffic to
// other ports keeps the line's rate (section III-D), and so do packets for the node itself.
func TestAlgorithm4HoldsOneQueue(t *testing.T) {
	l := newLab(t, 19)
	for e := range sluice.PortID(3) {
		l.enqueue(1000, 3, 0, far(e)...)
	}
	l.enqueue(1000, 3, 0)
	held := l.hear(0, Frame{Type: Pause, Queue: 3, Port: 1, Layer: 1})
	require.Equal(t, []sluice.QueueID{1}, held)
	var served []sluice.QueueID
	for range 3 {
		served = append(served, l.serve(0))
	}
	require.ElementsMatch(t, []sluice.QueueID{0, 2, 3}, served)
	require.Empty(t, l.hear(0, Frame{Type: Resume, Queue: 3, Port: 1, Layer: 1}))
	require.EqualValues(t, 1, l.serve(0))
	require.Empty(t, l.sent(), "a switch passes no pause on")
}
