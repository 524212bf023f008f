package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

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
}

// An embedder that forgets Path sees it in a counter: the packet passes, and no pause of a root
// ever holds it. Classes that are not under Pyrrha need no path.
func TestPacketsWithoutAPathAreCounted(t *testing.T) {
	s, err := New(Config{
		Buffer: sluice.MiB, Classes: sluice.MakeClassSet(0),
		Ports: []PortConfig{{Link: labLink}, {Link: labLink}},
	})
	require.NoError(t, err)
	p := s.Port(1)
	whole := sluice.Packet{Size: 1000}
	require.True(t, whole.Path.Append(sluice.Hop{Port: 1}))
	for _, pkt := range []sluice.Packet{{Size: 1000}, {Size: 1000, Class: 1}, whole, {Size: 1000}} {
		require.Equal(t, sluice.Append, p.Enqueue(0, &pkt).Action())
	}
	require.EqualValues(t, 2, p.Counters().Incomplete)
	require.EqualValues(t, 2, s.Counters().Incomplete)
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

// Frames of a port are numbered one by one, come from the configured address, and have nothing of
// what the caller's frame held before.
func TestFramesOfAPortAreNumbered(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), MAC: sluice.MAC{2, 0, 0, 0, 0, 1}})
	for i := range 3 {
		l.s.Port(0).Receive(0, &Frame{Type: Resume, Root: at(20, i), Sequence: uint32(i)})
	}
	for i := range 3 {
		f := Frame{Old: at(1, 1), Hop: 7}
		require.True(t, l.s.Port(0).PollFrame(0, &f))
		require.Equal(t, Frame{
			Type: Dealloc, Root: at(20, i), Sequence: uint32(i + 1), Source: sluice.MAC{2, 0, 0, 0, 0, 1},
		}, f)
	}
}

// A frame that is not obeyed is counted, by what is wrong with it, and changes nothing.
func TestFramesThatAreNotObeyed(t *testing.T) {
	type counts struct{ ignored, stale, malformed, ownRoot, tooFar, tableFull uint64 }
	own, paused, merged, gone := at(10, 0), at(20, 1), at(30, 1), at(40, 1)
	for name, c := range map[string]struct {
		port  int
		frame Frame
		want  counts
	}{
		"PAUSE of the port itself (section IV-E)": {
			0, Frame{Type: Pause, Root: own, Hop: 3, Sequence: 20}, counts{ignored: 1, ownRoot: 1},
		},
		"PAUSE from beyond the levels": {
			0, Frame{Type: Pause, Root: paused, Hop: 6, Sequence: 20}, counts{ignored: 1, tooFar: 1},
		},
		"PAUSE without a distance": {
			0, Frame{Type: Pause, Root: paused, Sequence: 20}, counts{ignored: 1, tooFar: 1},
		},
		"PAUSE of one root too many": {
			0, Frame{Type: Pause, Root: at(50, 1), Hop: 1, Sequence: 20}, counts{ignored: 1, tableFull: 1},
		},
		"PAUSE again": {
			0, Frame{Type: Pause, Root: paused, Hop: 1, Sequence: 16}, counts{stale: 1},
		},
		"PAUSE of a root that was given up since": {
			0, Frame{Type: Pause, Root: gone, Hop: 1, Sequence: 11}, counts{stale: 1},
		},
		"RESUME that a PAUSE overtook": {
			0, Frame{Type: Resume, Root: paused, Sequence: 15}, counts{stale: 1},
		},
		"RESUME of a root that was given up since": {
			0, Frame{Type: Resume, Root: gone, Sequence: 11}, counts{stale: 1},
		},
		"RESUME of a root that merged": {
			0, Frame{Type: Resume, Root: merged, Sequence: 20}, counts{ignored: 1},
		},
		"MERGE of a root into itself": {
			0, Frame{Type: Merge, Root: paused, Old: paused, Hop: 1, Sequence: 20}, counts{malformed: 1},
		},
		"DEALLOC of a root that is not known": {
			1, Frame{Type: Dealloc, Root: gone, Sequence: 20}, counts{ignored: 1},
		},
		"DEALLOC of an upstream that is paused": {
			1, Frame{Type: Dealloc, Root: paused, Sequence: 20}, counts{ignored: 1},
		},
		"DEALLOC of an upstream that is in no tree": {
			2, Frame{Type: Dealloc, Root: paused, Sequence: 20}, counts{ignored: 1},
		},
		"DEALLOC again": {2, Frame{Type: Dealloc, Root: own, Sequence: 10}, counts{stale: 1}},
		"no type":       {0, Frame{Sequence: 20}, counts{malformed: 1}},
		"an unknown type": {
			0, Frame{Type: Dealloc + 1, Sequence: 20}, counts{malformed: 1},
		},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down, Down), Roots: 2, Levels: 5})
		l.enqueueMany(31, 0, 2)
		l.serve(0, 31)
		l.deliver(2, Frame{Type: Dealloc, Root: own, Sequence: 10})
		for _, f := range []Frame{
			{Type: Pause, Root: gone, Hop: 1, Sequence: 11}, {Type: Resume, Root: gone, Sequence: 12},
			{Type: Pause, Root: paused, Hop: 1, Sequence: 13},
			{Type: Pause, Root: merged, Hop: 1, Sequence: 14},
		} {
			l.deliver(0, f)
		}
		l.enqueue(0, 1, merged)
		l.deliver(0, Frame{Type: Merge, Old: merged, Root: paused, Hop: 1, Sequence: 15})
		l.deliver(0, Frame{Type: Pause, Root: paused, Hop: 1, Sequence: 16})
		l.enqueueMany(31, 0, 1, paused)
		l.sent()
		all := func() counts {
			c := l.s.Counters()
			return counts{c.Ignored, c.Stale, c.Malformed, c.OwnRoot, c.TooFar, c.TableFull}
		}
		require.Zero(t, all(), "the frames before")
		before := l.s.Snapshot().Roots
		l.deliver(c.port, c.frame)
		require.Equal(t, c.want, all(), name)
		require.Equal(t, before, l.s.Snapshot().Roots, name)
		require.Empty(t, l.sent(), name)
	}
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
	require.EqualValues(t, l.s.remotes+beyond, l.s.Counters().Ignored)
	l.pollFrames()
	require.Len(t, l.sent(), l.s.remotes)
}
