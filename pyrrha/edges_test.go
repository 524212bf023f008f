package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// The last packet of a class queue takes all its bytes along, and no other does.
func TestLastPacketOfAClassTakesAllBytes(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Classes: sluice.MakeClassSet(3)})
	p := l.s.Port(0)
	pkt := sluice.Packet{Size: 1000, Class: 5, Ingress: 1}
	q := p.Enqueue(0, &pkt).Queue()
	refuse := func(sizes ...sluice.Bytes) {
		for _, size := range sizes {
			wrong := pkt
			wrong.Size = size
			require.Equal(t, sluice.DropBecause(sluice.BadQueue), p.Dequeue(0, q, &wrong), "%d bytes", size)
		}
	}
	refuse(999, 1001, 0, -1)
	p.Enqueue(0, &pkt)
	refuse(2000, 2001, 0, -1)
	require.Equal(t, sluice.Transmit, p.Dequeue(0, q, &pkt).Action())
	require.Equal(t, sluice.Transmit, p.Dequeue(0, q, &pkt).Action())
	require.Equal(t, sluice.DropBecause(sluice.BadQueue), p.Dequeue(0, q, &pkt), "it left")
	require.NoError(t, l.s.Quiescent())
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

// Each root has its own newest frame: of two about one root the later counts, whatever came about
// others (package sluice, Frames on the wire). A root that was given up counts with all others that
// were, as no more is remembered of it.
func TestLateFramesOfOneRootAmongOthers(t *testing.T) {
	a, b, c := at(20, 1), at(30, 1), at(40, 1)
	pause := func(root sluice.Hop, sequence uint32) Frame {
		return Frame{Type: Pause, Root: root, Hop: 1, Sequence: sequence}
	}
	resume := func(root sluice.Hop, sequence uint32) Frame {
		return Frame{Type: Resume, Root: root, Sequence: sequence}
	}
	merge := func(old, root sluice.Hop, sequence uint32) Frame {
		return Frame{Type: Merge, Old: old, Root: root, Hop: 1, Sequence: sequence}
	}
	for name, c := range map[string]struct {
		frames []Frame // a packet waits for a once the first came
		root   sluice.Hop
		want   hiq.State
		counts [2]uint64 // ignored, stale
	}{
		"a PAUSE after a root with later frames was given up": {
			[]Frame{pause(a, 1), pause(b, 2), resume(b, 9), resume(a, 3), pause(a, 4)}, a, hiq.Paused,
			[2]uint64{},
		},
		"a MERGE that a PAUSE overtook": {
			[]Frame{pause(a, 9), merge(a, b, 8)}, a, hiq.Paused, [2]uint64{1, 0},
		},
		"a PAUSE that a MERGE overtook": {
			[]Frame{pause(a, 1), merge(a, b, 9), pause(a, 8)}, a, hiq.SoftMerging, [2]uint64{0, 1},
		},
		"a PAUSE of a root that was given up": {
			[]Frame{pause(a, 1), pause(b, 2), resume(b, 9), pause(c, 8)}, c, hiq.Unassigned, [2]uint64{0, 1},
		},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down)})
		for i, f := range c.frames {
			l.deliver(0, f)
			if i == 0 {
				l.enqueue(0, 1, a)
			}
		}
		require.Equal(t, c.want, l.state(0, c.root), name)
		counters := l.s.Counters()
		require.Equal(t, c.counts, [2]uint64{counters.Ignored, counters.Stale}, name)
		require.NoError(t, l.s.Audit())
	}

	l := newLab(t, Config{Ports: ports(Down, Down)})
	l.deliver(0, pause(a, 8))
	l.deliver(0, resume(a, 9))
	l.deliver(1, pause(b, 1))
	l.deliver(1, pause(a, 2))
	l.deliver(0, pause(a, 7))
	require.Equal(t, hiq.Unassigned, l.state(0, a), "given up here, and known at another port since")
}

// Of a root that comes after another was given up, an upstream's DEALLOC counts, also one that was
// sent before its DEALLOC of the other.
func TestDeallocOfTheNextRoot(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	for i, root := range []sluice.Hop{at(20, 1), at(30, 1)} {
		l.pause(0, root, 1)
		l.enqueueMany(31, 0, 1, root)
		l.resume(0, root)
		l.serve(0, 31)
		l.deliver(1, Frame{Type: Dealloc, Root: root, Sequence: uint32(10 - i)})
		require.NoError(t, l.s.Quiescent())
		require.Zero(t, l.s.Counters().Stale)
	}
}

// Where the table is full, a root that is known gets an IQ at another port, whatever waits to be
// answered besides; and a port of the switch itself, which needs no room.
func TestTableFullOfOthers(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Roots: 1})
	known := at(20, 1)
	l.pause(0, known, 1)
	l.s.Port(0).Receive(0, &Frame{Type: Resume, Root: at(30, 1), Sequence: 9})
	for _, root := range []sluice.Hop{known, at(10, 0)} {
		l.s.Port(1).Receive(0, &Frame{Type: Pause, Root: root, Hop: 3, Sequence: uint32(root.Switch)})
		require.Equal(t, hiq.Paused, l.state(1, root), "%v", root)
	}
	l.s.Port(0).Receive(0, &Frame{Type: Pause, Root: at(10, 1), Hop: 3, Sequence: 10})
	require.Equal(t, hiq.Paused, l.state(0, at(10, 1)))
	l.s.Port(0).Receive(0, &Frame{Type: Pause, Root: at(30, 1), Hop: 3, Sequence: 11})
	require.EqualValues(t, 1, l.s.Counters().TableFull, "it is only to be answered")

	l = newLab(t, Config{Ports: ports(Down, Down), Roots: 1})
	l.s.Port(0).Receive(0, &Frame{Type: Resume, Root: at(30, 1), Sequence: 1})
	l.s.Port(1).Receive(0, &Frame{Type: Pause, Root: at(30, 1), Hop: 1, Sequence: 1})
	require.Equal(t, hiq.Paused, l.state(1, at(30, 1)), "it takes no room from itself")
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
	for name, then := range map[string]func(l *lab){
		"b goes on to another root": func(l *lab) { l.merge(0, at(30, 1), at(40, 1), 1) },
		"b is a root again":         func(l *lab) { l.pause(0, at(30, 1), 1) },
	} {
		l := newLab(t, Config{Ports: ports(Down, Down)})
		l.pause(0, at(20, 1), 1)
		l.pause(0, at(30, 1), 1)
		l.enqueue(0, 1, at(30, 1))
		l.merge(0, at(30, 1), at(20, 1), 1)
		require.Empty(t, l.sent())
		then(l)
		require.Equal(t, []string{"port 0: dealloc 20:1"}, l.sent(), name)
	}
}

// A leaf frees an IQ that is empty and resumed (section IV-D). The last upstream leaves the tree at
// its own port, and that hook frees an IQ of another port, which is empty then. A queue that is not
// assigned is not Sendable. No queue with packets becomes held so (package sluice, What an embedder
// does).
func TestAnEmptyIQIsGivenBackInAnotherPortsHook(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down, Down)})
	root := at(20, 1)
	for port := range 2 {
		l.pause(port, root, 1)
	}
	q := l.enqueueMany(60, 0, 2, root)
	require.Equal(t, []string{"port 2: pause 20:1 hop 2"}, l.sent())
	for port := range 2 {
		l.resume(port, root)
	}
	l.serve(0, 60)
	require.Equal(t, []string{"port 2: resume 20:1"}, l.sent())
	require.True(t, l.s.Port(0).Sendable(q))
	require.Zero(t, l.s.Port(0).Backlog(q))
	l.dealloc(2, root)
	require.False(t, l.s.Port(0).Sendable(q), "no root has it")
	require.Zero(t, l.s.Port(0).Backlog(q))
	require.Equal(t, []string{"port 0: dealloc 20:1", "port 1: dealloc 20:1"}, l.sent())
}

// A path ends with its last hop. Port 0 of switch 0 may be a root, too, and packets that do not
// pass it do not wait for it.
func TestNothingIsBeyondAPath(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: o})
		l.pause(0, at(0, 0), 2)
		require.Equal(t, hiq.Output, l.enqueue(0, 1, at(20, 1)))
		require.NotEqual(t, hiq.Output, l.enqueue(0, 1, at(20, 1), at(0, 0)))
		path, _ := sluice.MakePath(at(10, 0), at(20, 1))
		_, blocked := l.s.Port(0).Blocked(&path)
		require.False(t, blocked)
	}
}

// A hop whose hash equals a root's is not that root.
func TestHashesOfHopsMayBeEqual(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: o})
		root, other := at(20, 0), at(21, 0)
		l.pause(0, root, 1)
		for !l.s.ports[0].filter.has(other.Key()) {
			other.Port++
		}
		require.Equal(t, hiq.Output, l.enqueue(0, 1, other))
		l.pause(1, other, 1)
		require.Equal(t, hiq.Output, l.enqueue(0, 1, other), "it is a root of another port")
	}
}

// A packet of one byte waits as any other, and the switch says by which ingress it came.
func TestOneByteIsSeen(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	root := at(20, 1)
	l.pause(0, root, 1)
	path, _ := sluice.MakePath(at(10, 0), root)
	l.put(sluice.Packet{Size: 1, Ingress: 1, Path: path})
	require.Equal(
		t, []UpstreamInfo{{Port: 1, State: Unlisted, Bytes: 1}}, l.s.Snapshot().Roots[0].Upstreams,
	)
}
