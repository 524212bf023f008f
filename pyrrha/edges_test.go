package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// Pauses expire only where they are refreshed: by default after four intervals.
func TestExpiryFollowsRefresh(t *testing.T) {
	for refresh, expiry := range map[sluice.Time]sluice.Time{0: 0, 10: 40} {
		l := newLab(t, Config{Ports: ports(Down, Down), Refresh: refresh})
		require.Equal(t, expiry, l.s.Config().Expiry)
	}
	l := newLab(t, Config{Ports: ports(Down, Down), Refresh: 10, Expiry: 25})
	require.EqualValues(t, 25, l.s.Config().Expiry)
}

// The last packet of a class queue takes all its bytes along.
func TestLastPacketOfAClassTakesAllBytes(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Classes: sluice.MakeClassSet(3)})
	p := l.s.Port(0)
	pkt := sluice.Packet{Size: 1000, Class: 5, Ingress: 1}
	q := p.Enqueue(0, &pkt).Queue()
	for _, size := range []sluice.Bytes{999, 1001, 0, -1} {
		wrong := pkt
		wrong.Size = size
		require.Equal(t, sluice.DropBecause(sluice.BadQueue), p.Dequeue(0, q, &wrong), "%d bytes", size)
	}
	require.Equal(t, sluice.Transmit, p.Dequeue(0, q, &pkt).Action())
	require.Equal(t, sluice.DropBecause(sluice.BadQueue), p.Dequeue(0, q, &pkt), "it left")
	require.NoError(t, l.s.Quiescent())
}

// Enqueued, moved and transmitted are counted at the egress.
func TestPacketsAreCounted(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	root := at(20, 1)
	l.pause(0, root, 1)
	l.enqueueMany(3, 0, 1, root)
	l.enqueueMany(2, 0, 1, at(30, 1))
	l.resume(0, root)
	l.serve(0, 4)
	c := l.s.Port(0).Counters()
	require.Equal(t, []uint64{5, 3, 4}, []uint64{c.Enqueued, c.Moved, c.Transmitted})
	require.Equal(t, c.Enqueued, l.s.Port(0).Counters().Enqueued)
}

// A parent that resumes a root which is not known here is answered with DEALLOC. Some answers can
// wait for the transmitter beside the roots of the configuration; answers beyond are counted.
func TestAnswersWithoutRoomAreCounted(t *testing.T) {
	const beyond = 3
	l := newLab(t, Config{Ports: ports(Down, Down), Roots: 1})
	for i := range l.s.remotes + beyond {
		l.s.Port(0).Receive(0, &Frame{Type: Resume, Root: at(30, i), Sequence: uint32(i)})
	}
	require.EqualValues(t, beyond, l.s.Counters().Unanswered)
	l.pollFrames()
	require.Len(t, l.sent(), l.s.remotes)
}

// A MERGE that is late for its new root, which was given up here since, is not answered with
// DEALLOC: the parent knows already.
func TestLateMergeIsNotAnswered(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	a, b := at(20, 1), at(30, 1)
	l.deliver(0, Frame{Type: Pause, Root: a, Hop: 1, Sequence: 10})
	l.enqueue(0, 1, a)
	l.deliver(0, Frame{Type: Pause, Root: b, Hop: 2, Sequence: 12})
	l.deliver(0, Frame{Type: Resume, Root: b, Sequence: 13})
	require.Equal(t, []string{"port 0: dealloc 30:1"}, l.sent())
	l.deliver(0, Frame{Type: Merge, Old: a, Root: b, Hop: 2, Sequence: 11})
	require.Equal(t, hiq.SoftMerging, l.state(0, a))
	require.Equal(t, hiq.Unassigned, l.state(0, b))
	require.Empty(t, l.sent())
}

// A MERGE that gives its new root an IQ is not answered with DEALLOC either.
func TestMergeThatIsObeyedIsNotAnswered(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	a, b := at(20, 1), at(30, 1)
	l.pause(0, a, 1)
	l.pause(0, b, 2)
	l.enqueue(0, 1, a)
	l.enqueue(0, 1, b)
	l.merge(0, a, b, 2)
	require.Equal(t, hiq.Resumed, l.state(0, b))
	require.Empty(t, l.sent())
}

// Audit finds a fault, and names the invariant and the root.
func TestAuditNamesTheRoot(t *testing.T) {
	for want, spoil := range map[string]func(s *Switch, r int){
		"invariant 2: root 20:1 at port 0: its pause may expire": func(s *Switch, r int) {
			s.ports[0].iq.Resume(r)
			s.ports[0].paused.Add(r)
		},
		"invariant 3: root 20:1: 1 upstreams paused, the root says 2": func(s *Switch, r int) {
			s.roots[r].paused++
		},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down), Refresh: sluice.Microsecond})
		l.pause(0, at(20, 1), 1)
		l.enqueueMany(31, 0, 1, at(20, 1))
		require.NoError(t, l.s.Audit())
		spoil(l.s, l.s.find(at(20, 1)))
		require.ErrorContains(t, l.s.Audit(), want)
	}
}

// Frames are counted where they leave and where they come in, by type. A DEALLOC is ignored if its
// sender received no RESUME, or if its root is unknown.
func TestFramesAreCounted(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	l.enqueueMany(31, 0, 1)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())
	l.dealloc(1, at(10, 0))
	l.dealloc(1, at(77, 7))
	l.serve(0, 31)
	require.Equal(t, []string{"port 1: resume 10:0"}, l.sent())
	l.dealloc(1, at(10, 0))
	c := l.s.Port(1).Counters()
	require.EqualValues(t, 2, c.FramesSent)
	require.EqualValues(t, []uint64{1, 1}, []uint64{c.Sent[Pause], c.Sent[Resume]})
	require.EqualValues(t, 3, c.FramesReceived)
	require.EqualValues(t, 3, c.Received[Dealloc])
	require.EqualValues(t, 2, c.Ignored, "the first crossed the PAUSE, of the second nothing is known")
	require.NoError(t, l.s.Quiescent())
}

// A root that others merged into, and that no packet passes, is given up as soon as none of them
// feeds it: here the root that did is a root of its own again, by another MERGE, whichever root was
// known first.
func TestRootThatIsFedNoMoreIsGivenUp(t *testing.T) {
	for _, order := range [][]int{{20, 30, 40}, {30, 20, 40}, {40, 30, 20}} {
		l := newLab(t, Config{Ports: ports(Down, Down)})
		for _, id := range order {
			l.pause(0, at(id, 1), 1)
			if id != 20 {
				l.enqueue(0, 1, at(id, 1))
			}
		}
		a, b, c := at(20, 1), at(30, 1), at(40, 1)
		l.merge(0, b, a, 1)
		require.Equal(t, hiq.Resumed, l.state(0, a), "b has a packet, which may go on to a")
		l.merge(0, c, b, 1)
		require.Equal(t, hiq.Resumed, l.state(0, b))
		require.Equal(t, hiq.Unassigned, l.state(0, a))
		require.Contains(t, l.sent(), "port 0: dealloc 20:1")
	}
}

// A leaf frees an IQ that is empty and resumed (section IV-D). The last upstream leaves the tree at
// its own port, and that hook frees an IQ of another port, which is empty then. A queue that is not
// assigned is not Sendable. No queue with packets becomes held so (package sluice, What an embedder
// does).
func TestAnEmptyIQIsGivenBackInAnotherPortsHook(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	root := at(20, 1)
	l.pause(0, root, 1)
	q := l.enqueueMany(60, 0, 1, root)
	require.Equal(t, []string{"port 1: pause 20:1 hop 2"}, l.sent())
	l.resume(0, root)
	l.serve(0, 60)
	require.Equal(t, []string{"port 1: resume 20:1"}, l.sent())
	require.True(t, l.s.Port(0).Sendable(q))
	require.Zero(t, l.s.Port(0).Backlog(q))
	l.dealloc(1, root)
	require.False(t, l.s.Port(0).Sendable(q), "no root has it")
	require.Zero(t, l.s.Port(0).Backlog(q))
	require.Equal(t, []string{"port 0: dealloc 20:1"}, l.sent())
}
