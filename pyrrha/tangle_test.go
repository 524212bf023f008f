package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/stretchr/testify/require"
)

// A congested host that receives PAUSE for its own sending stays the root of its incoming packets:
// the two directions of a card are not one port.
func TestCongestedHostThatIsPausedStaysARoot(t *testing.T) {
	l := newLab(t, Config{Ports: ports(NIC)})
	l.act(l.s.Port(0).Congested(0, true))
	require.Equal(t, []string{"port 0: pause 10:0 hop 1"}, l.sent())
	l.pause(0, at(50, 3), 4)
	require.Empty(t, l.sent(), "a PAUSE of another root concerns what the host sends")
	l.act(l.s.Port(0).Congested(l.now, false))
	require.Equal(t, []string{"port 0: resume 10:0"}, l.sent())
}

// Two levels have moved their share, and the root of the one whose turn comes first is paused
// before that: the other's packets are still announced.
func TestPausedLevelDoesNotTakeAnothersTimerAlong(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), MTU: 1000})
	a, b, c := at(20, 1), at(30, 1), at(40, 1)
	l.now = sluice.Microsecond
	l.pause(0, a, 1)
	l.pause(0, b, 2)
	l.pause(0, c, 3)
	l.enqueueMany(2, 0, 1, b, c)
	l.enqueueMany(8, 0, 1, b)
	l.enqueueMany(8, 0, 1, a, c)
	l.resume(0, a)
	l.transmit(0)
	l.now += 30 * sluice.Nanosecond
	l.resume(0, b)
	l.transmit(0)
	l.pause(0, a, 1)
	sent := 0
	for l.s.Deadline() != sluice.Never {
		l.expire()
		for l.transmit(0) {
			sent++
			l.now += labLink.Rate.TimeOf(1000)
		}
	}
	require.Equal(
		t, 8, sent, "every root of these packets has resumed, and a Deadline or a Wake must say so",
	)
}

// Theorem 1 across hops: packets that pass a and b wait for b alone. In neither organisation may
// that stop flows upstream which pass a alone.
func TestOneRootsPauseDoesNotSpreadAsAnothers(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: o})
		a, b := at(20, 1), at(30, 1)
		l.pause(0, a, 1)
		l.pause(0, b, 2)
		l.enqueue(0, 1, a, b)
		l.resume(0, a)
		for range 60 {
			l.enqueue(0, 1, a, b)
			l.now += 80 * sluice.Nanosecond
			l.transmit(0)
		}
		sent := l.sent()
		require.Contains(t, sent, "port 1: pause 30:1 hop 3", "%v", o)
		require.NotContains(t, sent, "port 1: pause 20:1 hop 2", "%v: only b holds these packets", o)
	}
}

// A single tier that paused an upstream for a root resumes it as soon as that root resumes,
// whatever still waits for the set's other roots.
func TestSingleTierRelents(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Organisation: SingleTier})
	a, b := at(20, 1), at(30, 1)
	l.pause(0, a, 1)
	l.pause(0, b, 2)
	l.enqueueMany(60, 0, 1, a, b)
	require.ElementsMatch(
		t, []string{"port 1: pause 20:1 hop 2", "port 1: pause 30:1 hop 3"}, l.sent(),
	)
	l.resume(0, a)
	require.Equal(t, []string{"port 1: resume 20:1"}, l.sent())
}

// It resumes every upstream of that root, that at port 0 too, but not while the root is paused at
// another port that is as near.
func TestSingleTierRelentsWhenNoPortIsPaused(t *testing.T) {
	a, b := at(20, 1), at(30, 1)
	resumed := []string{"port 0: resume 20:1"}
	for _, elsewhere := range []int{0, 1, 2} { // the distance by the other port
		l := newLab(t, Config{Ports: ports(Down, Down, Down), Organisation: SingleTier})
		l.pause(1, a, 1)
		l.pause(1, b, 2)
		if elsewhere > 0 {
			l.pause(2, a, elsewhere)
		}
		l.enqueueMany(60, 1, 0, a, b)
		require.ElementsMatch(
			t, []string{"port 0: pause 20:1 hop 2", "port 0: pause 30:1 hop 3"}, l.sent(),
		)
		l.resume(1, a)
		if elsewhere == 1 {
			require.Empty(t, l.sent())
			l.act(l.s.Port(2).LinkDown(l.now)) // its pause is void
		}
		require.Equal(t, resumed, l.sent(), "%d", elsewhere)
	}
}

// Nor does it pause one for that root when a packet comes that passes it alone: most bytes wait for
// the other root. With KeepPaused it does, as in the paper.
func TestSingleTierSendsNoPauseForPacketsHeldElsewhere(t *testing.T) {
	for keep, want := range map[bool][]string{false: nil, true: {"port 1: pause 20:1 hop 2"}} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: SingleTier, KeepPaused: keep})
		a, b := at(20, 1), at(30, 1)
		l.pause(0, a, 1)
		l.pause(0, b, 2)
		l.enqueueMany(30, 0, 1, a, b)
		l.resume(0, a)
		l.enqueue(0, 1, a)
		require.Equal(t, want, l.sent())
	}
}

// Nor does it go on pausing one, for packets that pass it alone, when the first packet comes that
// waits for the other root as well.
func TestSingleTierRelentsForANewSet(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Organisation: SingleTier})
	a, b := at(20, 1), at(30, 1)
	l.pause(0, a, 1)
	l.enqueueMany(60, 0, 1, a)
	l.resume(0, a)
	l.pause(0, b, 2)
	require.Equal(t, []string{"port 1: pause 20:1 hop 2"}, l.sent())
	l.enqueue(0, 1, a, b)
	require.Equal(t, []string{"port 1: resume 20:1"}, l.sent())
}

// Nor when a root of their sets that had resumed is paused again: all its partners relent.
func TestSingleTierRelentsForARootThatIsPausedAgain(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Organisation: SingleTier})
	roots := []sluice.Hop{at(20, 1), at(30, 1), at(40, 1)}
	for i, r := range roots {
		l.pause(0, r, i+1)
	}
	l.enqueue(0, 1, roots...)
	for _, r := range roots {
		l.resume(0, r)
	}
	l.enqueueMany(31, 0, 1, roots[0])
	l.enqueueMany(31, 0, 1, roots[1])
	require.Equal(t, []string{"port 1: pause 20:1 hop 2", "port 1: pause 30:1 hop 3"}, l.sent())
	l.pause(0, roots[2], 3)
	require.Equal(t, []string{"port 1: resume 20:1", "port 1: resume 30:1"}, l.sent())
}

// With KeepPaused it is as in the paper: an upstream is resumed when the IQ is below K_resume
// (section IV-C), and packets that wait for both roots keep the IQ above it.
func TestSingleTierThatKeepsPaused(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Organisation: SingleTier, KeepPaused: true})
	a, b := at(20, 1), at(30, 1)
	l.pause(0, a, 1)
	l.pause(0, b, 2)
	l.enqueueMany(60, 0, 1, a, b)
	l.sent()
	l.resume(0, a)
	require.Empty(t, l.sent())
	l.resume(0, b)
	l.serve(0, 46)
	require.ElementsMatch(t, []string{"port 1: resume 20:1", "port 1: resume 30:1"}, l.sent())
}

// Also then a root that has resumed pauses no upstream for packets that wait for another root of
// their set, whichever is nearer.
func TestKeptPausesAreNotForOthers(t *testing.T) {
	a, b := at(20, 1), at(30, 1)
	for name, c := range map[string]struct{ paused, resumed sluice.Hop }{
		"20:1 is paused": {a, b}, "30:1 is paused": {b, a},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: SingleTier, KeepPaused: true})
		l.pause(0, a, 1)
		l.pause(0, b, 1)
		l.enqueue(0, 1, a, b)
		l.resume(0, c.resumed)
		l.enqueueMany(60, 0, 1, a, b)
		want := "port 1: " + (&Frame{Type: Pause, Root: c.paused, Hop: 2}).String()
		require.Equal(t, []string{want}, l.sent(), name)
	}
}

// A packet of a set without an IQ is accounted to its nearest root alone. The others are kept while
// such packets wait, and a leaf frees them (section IV-C) when the last of these has left.
func TestRootsOfSharedSetsAreFreed(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Organisation: SingleTier, IQs: 2})
	farthest, far, near, other := at(20, 1), at(21, 1), at(30, 1), at(40, 1)
	l.pause(0, farthest, 3)
	l.pause(0, far, 2)
	l.pause(0, near, 1)
	l.pause(0, other, 1)
	l.enqueue(0, 1, other)
	l.enqueue(0, 1, near, far, farthest)
	l.resume(0, farthest)
	l.resume(0, far)
	require.Empty(t, l.sent())
	l.resume(0, near)
	l.serve(0, 1)
	require.Equal(
		t, []string{"port 0: dealloc 20:1", "port 0: dealloc 21:1", "port 0: dealloc 30:1"}, l.sent(),
	)
	l.resume(0, other)
	l.serve(0, 1)
	require.Equal(t, []string{"port 0: dealloc 40:1"}, l.sent())
	require.NoError(t, l.s.Quiescent())
}

// The new root of a MERGE is kept while packets of the old one wait, and with FreeMerged is not.
func TestFreeMerged(t *testing.T) {
	for free, want := range map[bool][]string{
		false: nil, true: {"port 0: dealloc 30:1"},
	} {
		l := newLab(t, Config{Ports: ports(Down, Host), Organisation: SingleTier, FreeMerged: free})
		old, root := at(20, 1), at(30, 1)
		l.pause(0, old, 1)
		l.enqueueMany(5, 0, 1, old)
		l.merge(0, old, root, 2)
		require.Equal(t, want, l.sent(), "freed at once: %v", free)
		l.serve(0, 5)
		require.Equal(t, !free, len(l.sent()) == 1, "freed when the old IQ has drained")
		require.Equal(t, hiq.Unassigned, l.state(0, root))
		require.NoError(t, l.s.Audit())
	}
}

// A port that abdicates in favour of a root frees that root's empty IQs at other ports, if it has
// become a leaf.
func TestAbdicationPrunesTheNewRoot(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down, Down, Host)})
	x := at(50, 3)
	l.pause(1, x, 2)
	l.pause(2, x, 2)
	l.enqueueMany(31, 1, 3, x)
	l.resume(2, x)
	l.enqueueMany(31, 0, 3, at(60, 1))
	l.pause(0, x, 2)
	require.NoError(t, l.s.Audit())
}

// Two cards back to back: neither sends DEALLOC, and a host that is congested no more is no root.
func TestCongestedCardBesideACard(t *testing.T) {
	l := newLab(t, Config{Ports: ports(NIC), Refresh: 20 * sluice.Microsecond})
	l.now = sluice.Microsecond
	l.act(l.s.Port(0).Congested(l.now, true))
	require.Equal(t, 21*sluice.Microsecond, l.s.Deadline(), "the pause is repeated then")
	l.act(l.s.Port(0).Congested(l.now, false))
	l.act(l.s.Port(0).Congested(l.now, true))
	require.Equal(t, "port 0: pause 10:0 hop 1", l.sent()[0])
	l.act(l.s.Port(0).Congested(l.now, false))
	require.Equal(t, []string{"port 0: resume 10:0"}, l.sent())
	require.NoError(t, l.s.Quiescent())
}
