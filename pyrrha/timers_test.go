package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/stretchr/testify/require"
)

// A port repeats PAUSE to a paused upstream, and RESUME to a resumed one, until it leaves the tree.
func TestRefresh(t *testing.T) {
	const us = sluice.Microsecond
	l := newLab(t, Config{Ports: ports(Host, Down), Refresh: 10 * us})
	require.Equal(t, sluice.Never, l.s.Deadline())
	l.enqueueMany(31, 0, 1)
	require.True(t, l.wake.Has(sluice.WakeDeadline) || l.s.Deadline() == 10*us)
	l.sent()
	l.expire()
	require.Equal(t, 10*us, l.now)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())
	l.serve(0, 31)
	require.Equal(t, []string{"port 1: resume 10:0"}, l.sent())
	l.expire()
	require.Equal(t, []string{"port 1: resume 10:0"}, l.sent())
	l.dealloc(1, at(10, 0))
	l.now = l.s.Deadline()
	require.Equal(t, sluice.WakeDeadline, l.s.Expire(l.now))
	require.Equal(t, sluice.Never, l.s.Deadline(), "no upstream is left in the tree")
	require.EqualValues(t, 2, l.s.Counters().Refreshed)
}

// The last frame about each root of an upstream is repeated, all at one time. A root that comes
// later puts nothing off. When the upstream has left every tree, the interval starts with the next.
func TestRefreshOfSeveralRoots(t *testing.T) {
	const us = sluice.Microsecond
	l := newLab(t, Config{
		Ports: ports(Host, Down, Host, Down), Refresh: 10 * us, Expiry: sluice.Second,
	})
	l.enqueueMany(31, 0, 1)
	l.now = 5 * us
	l.enqueueMany(31, 2, 1)
	l.pause(3, at(20, 1), 1)
	l.enqueueMany(31, 3, 1, at(20, 1))
	l.sent()
	l.expire()
	require.Equal(t, 10*us, l.now)
	require.Equal(t, []string{
		"port 1: pause 20:1 hop 2", "port 1: pause 10:0 hop 1", "port 1: pause 10:2 hop 1",
	}, l.sent())
	l.resume(3, at(20, 1))
	l.serve(3, 31)
	l.dealloc(1, at(20, 1))
	l.serve(0, 31)
	l.serve(2, 31)
	l.dealloc(1, at(10, 0))
	l.dealloc(1, at(10, 2))
	require.NoError(t, l.s.Quiescent())
	l.sent()
	l.now = 19 * us
	l.enqueueMany(31, 0, 1)
	l.sent()
	l.expire()
	require.Equal(t, 29*us, l.now)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())
	require.EqualValues(t, 4, l.s.Port(1).Counters().Refreshed)
}

// A failed link has no upstream to repeat frames to and no pause that could expire: no timer runs.
func TestTimersEndWithTheLink(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Refresh: 10 * sluice.Microsecond})
	l.pause(0, at(20, 1), 1)
	expiry := l.s.Deadline()
	require.NotEqual(t, sluice.Never, expiry)
	l.enqueueMany(31, 0, 1, at(20, 1))
	require.Equal(t, []string{"port 1: pause 20:1 hop 2"}, l.sent())
	require.Less(t, l.s.Deadline(), expiry, "the pause is repeated before one of the peer's expires")
	l.act(l.s.Port(1).LinkDown(l.now))
	require.Equal(t, expiry, l.s.Deadline())
	l.act(l.s.Port(0).LinkDown(l.now))
	require.Equal(t, sluice.Never, l.s.Deadline())
}

// A PAUSE that is not repeated is obeyed until it expires.
func TestExpiry(t *testing.T) {
	const us = sluice.Microsecond
	l := newLab(t, Config{Ports: ports(Down, Down), Refresh: 10 * us})
	a, b := at(20, 1), at(30, 1)
	l.pause(0, a, 1)
	l.enqueue(0, 1, a)
	l.now = 30 * us
	l.pause(0, b, 1)
	l.now = 35 * us
	l.pause(0, a, 1)
	l.expire()
	require.Equal(t, 40*us, l.now)
	require.Equal(t, hiq.Paused, l.state(0, a), "it was repeated at 35 us")
	l.expire()
	require.Equal(t, 70*us, l.now)
	require.Equal(t, hiq.Unassigned, l.state(0, b), "expired, empty, a leaf")
	require.Equal(t, []string{"port 0: dealloc 30:1"}, l.sent())
	l.expire()
	require.Equal(t, 75*us, l.now)
	require.Equal(t, hiq.Resumed, l.state(0, a))
	require.True(t, l.woken[0])
	require.EqualValues(t, 2, l.s.Counters().Expired)
	l.serve(0, 1)
	require.NoError(t, l.s.Quiescent())
}

// What ended a pause leaves none that could expire.
func TestPausesThatEndedDoNotExpire(t *testing.T) {
	a, b := at(20, 1), at(30, 1)
	for name, end := range map[string]func(l *lab){
		"RESUME": func(l *lab) {
			l.resume(0, a)
			l.resume(0, b)
		},
		"MERGE":        func(l *lab) { l.merge(0, a, b, 1) },
		"link failure": func(l *lab) { l.act(l.s.Port(0).LinkDown(l.now)) },
	} {
		l := newLab(t, Config{Ports: ports(Down, Down), Expiry: 10 * sluice.Microsecond})
		for _, root := range []sluice.Hop{a, b} {
			l.pause(0, root, 1)
			l.enqueue(0, 1, root)
		}
		end(l)
		require.NoError(t, l.s.Audit(), name)
		for l.s.Deadline() != sluice.Never {
			l.expire()
		}
		require.Zero(t, l.s.Counters().Expired, name)
	}
}

// Without refresh a PAUSE is obeyed for ever, as in the paper.
func TestNoExpiryByDefault(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	l.pause(0, at(20, 1), 1)
	l.enqueue(0, 1, at(20, 1))
	require.Equal(t, sluice.Never, l.s.Deadline())

	l = newLab(t, Config{Ports: ports(Down, Down), Expiry: 1})
	l.pause(0, at(20, 1), 1)
	require.EqualValues(t, 1, l.s.Deadline(), "the least there is")
}

// Of two frames about one root the one with the later number counts, in whatever order they come.
func TestStaleFrames(t *testing.T) {
	root := at(20, 1)
	for _, first := range []uint32{1, 1<<32 - 2} { // the number wraps
		l := newLab(t, Config{Ports: ports(Down, Down)})
		pause := Frame{Type: Pause, Root: root, Hop: 1, Sequence: first}
		resume := Frame{Type: Resume, Root: root, Sequence: first + 2}
		l.deliver(0, pause)
		l.enqueue(0, 1, root)
		l.deliver(0, resume)
		pause.Sequence++
		l.deliver(0, pause)
		require.Equal(t, hiq.Resumed, l.state(0, root), "the PAUSE was overtaken")
		l.deliver(0, resume)
		require.EqualValues(t, 2, l.s.Counters().Stale, "a frame again is stale too")
		l.serve(0, 1)
		require.Equal(t, []string{"port 0: dealloc 20:1"}, l.sent())

		// The root is gone, the number of its last frame is not forgotten.
		l.deliver(0, pause)
		require.Equal(t, hiq.Unassigned, l.state(0, root))
		pause.Sequence += 2
		l.deliver(0, pause)
		require.Equal(t, hiq.Paused, l.state(0, root))
		// A root that no frame spoke of for long takes no new frame for an old one.
		resume.Sequence = pause.Sequence + 1<<31
		l.deliver(0, resume)
		require.Equal(t, hiq.Unassigned, l.state(0, root))
	}
}

// A link that goes down voids the frames from and to its peer.
func TestReset(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down, Down), Refresh: 10 * sluice.Microsecond})
	a, b := at(20, 1), at(30, 1)
	l.pause(0, a, 1)
	l.pause(0, b, 2)
	l.enqueueMany(31, 0, 1, a)
	l.enqueueMany(31, 2, 0)
	require.Equal(t, []string{"port 1: pause 20:1 hop 2", "port 0: pause 10:2 hop 1"}, l.sent())
	l.act(l.s.Port(0).LinkUp(l.now))
	require.True(t, l.woken[0])
	require.Equal(t, hiq.SoftMerging, l.state(0, a))
	require.Equal(t, hiq.Unassigned, l.state(0, b))
	require.Empty(t, l.sent(), "the link has no peer to send to")
	require.Len(t, l.s.Snapshot().Roots, 1, "our own root has no upstream")

	l.serve(0, 31)
	require.Equal(t, []string{"port 1: resume 20:1"}, l.sent())
	l.dealloc(1, a)
	l.serve(2, 31)
	require.NoError(t, l.s.Quiescent())

	// The peer is back and counts from 0.
	l.deliver(0, Frame{Type: Pause, Root: a, Hop: 1, Sequence: 0})
	require.Equal(t, hiq.Paused, l.state(0, a))
}

// Roots beyond the table's size are counted and ignored, and the parent that lists us gets DEALLOC.
func TestTableFull(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Roots: 2})
	for i := range 3 {
		l.pause(0, at(20, i), 1)
	}
	require.EqualValues(t, 1, l.s.Counters().TableFull)
	require.Equal(t, hiq.Output, l.enqueue(0, 1, at(20, 2)))
	l.resume(0, at(20, 2))
	require.Equal(t, []string{"port 0: dealloc 20:2"}, l.sent())
	l.merge(0, at(20, 1), at(20, 3), 2)
	require.Equal(t, []string{"port 0: dealloc 20:3"}, l.sent())
	require.Equal(t, hiq.Unassigned, l.state(0, at(20, 1)), "soft-merging, and empty")
	require.Equal(t, 2, l.s.Counters().RootsPeak)
}

// A root seven hops away is the farthest that is isolated: no upstream gets a frame about it, and
// nothing is left listed.
func TestFarthestRoot(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	root := at(20, 1)
	l.pause(0, root, 7)
	l.enqueueMany(40, 0, 1, at(21, 1), at(22, 1), at(23, 1), at(24, 1), at(25, 1), at(26, 1), root)
	require.Empty(t, l.sent())
	require.EqualValues(t, 10, l.s.Counters().TooFar)
	l.resume(0, root)
	l.serve(0, 40)
	require.Equal(t, []string{"port 0: dealloc 20:1"}, l.sent())
	require.NoError(t, l.s.Quiescent())
}

// The backlog of an incast of m senders is K_pause and m per-hop BDPs (section IV-D).
func TestIncastBacklog(t *testing.T) {
	c := Config{Ports: ports(Host, Down, Down)}
	c.Ports[2].Link.Rate = 400 * sluice.Gbps
	s := mustNew(c)
	require.EqualValues(t, 30_000+5*60_000, s.Port(0).IncastBacklog(5))
	require.EqualValues(t, 120_000, s.Port(2).IncastBacklog(-1))

	n := newNetwork(t, 1)
	n.leafSpine(Config{MTU: 1000}, 1, 6, 0, access, fabric)
	for h := 1; h < 6; h++ {
		n.send(leafSpinePath(0, h, 0, 0, 0, 6), 200, 0)
	}
	tor := switchOf(n.Node(torID(0)))
	most := sluice.Bytes(0)
	for n.Now < 60*sluice.Microsecond {
		n.Run(n.Now + 100*sluice.Nanosecond)
		n.Now += 100 * sluice.Nanosecond
		most = max(most, tor.Port(0).Backlog(0))
	}
	n.Run(sluice.Second)
	n.finish()
	estimate := tor.Port(0).IncastBacklog(5)
	require.Greater(t, most, tor.Port(0).pause[1])
	require.LessOrEqual(
		t, most, estimate+5*1000, "an estimate to the packet that each upstream was sending",
	)
}

// Hosts that ask before they pull a packet keep none in their cards for long, and everything
// arrives.
func TestPulledFlows(t *testing.T) {
	n := newNetwork(t, 1)
	n.Every = 7
	n.leafSpine(Config{MTU: 1000}, 3, 4, 2, access, fabric)
	for rack := range 3 {
		for h := range 4 {
			if rack != 2 || h != 0 {
				n.pulled(n.send(leafSpinePath(rack, h, 2, 0, h%2, 4), 80, 0))
			}
			n.pulled(n.send(leafSpinePath(rack, h, (rack+1)%3, h, 1, 4), 30, 0))
		}
	}
	n.Run(sluice.Second)
	n.finish()
	for _, v := range n.Nodes {
		if v.Host() {
			require.LessOrEqual(t, switchOf(v).Counters().Queues.InUsePeak, 2)
		}
	}
}

// A host that cannot take its packets stops packets to it, back to the senders, and nothing else.
func TestCongestedHostStopsOnlyItsOwnTraffic(t *testing.T) {
	const us = sluice.Microsecond
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		n := newNetwork(t, 1)
		n.Every = 11
		n.leafSpine(Config{MTU: 1000, Organisation: o}, 2, 3, 1, access, fabric)
		toCongested := n.send(leafSpinePath(0, 0, 1, 0, 0, 3), 200, 0)
		beside := n.send(leafSpinePath(0, 0, 1, 1, 0, 3), 200, 0)
		card := hostID(1, 0, 3)
		n.At(2*us, func() { n.congest(card, true) })
		n.At(90*us, func() { n.congest(card, false) })
		n.Run(80 * us)
		require.Equal(
			t, beside.Count, beside.Received, "it shares every link but the last, and is not held up",
		)
		require.Less(t, toCongested.Received, toCongested.Count/2)
		path := toCongested.Packet.Path
		_, blocked := switchOf(n.Node(path.At(0).Switch)).Port(0).Blocked(&path)
		require.True(t, blocked, "the sender holds what is left")
		n.Run(sluice.Second)
		n.finish()
	}
}
