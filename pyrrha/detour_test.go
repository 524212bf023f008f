package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
)

// The chain of a paused IQ ends at an OQ (section VII) because every link of it leads nearer to the
// root. So packets at a port from which the root is farther than from another port of the switch
// pause no upstream, and keep none paused.
func TestDetour(t *testing.T) {
	for _, c := range []Config{
		{}, {Child: ByQueue}, {Organisation: SingleTier}, {Organisation: SingleTier, Child: ByQueue},
	} {
		c.Ports = ports(Down, Down, Down, Down)
		l := newLab(t, c)
		root := at(20, 1)
		l.pause(0, root, 1)
		l.pause(2, root, 3)
		l.pause(3, root, 3)
		l.enqueue(2, int(sluice.Local), at(21, 1), at(22, 1), root)
		l.enqueueMany(60, 2, 1, at(21, 1), at(22, 1), root)
		require.Empty(t, l.sent(), "it waits on a detour")
		info := l.s.Snapshot().Roots[0]
		require.Equal(t, []UpstreamInfo{{Port: 1, Bytes: 60_000}}, info.Upstreams)
		require.EqualValues(t, 1000, info.Local)
		l.enqueueMany(31, 0, 1, root)
		require.Equal(t, []string{"port 1: pause 20:1 hop 2"}, l.sent())
		l.resume(0, root)
		l.serve(0, 14)
		require.Empty(t, l.sent())
		l.serve(0, 3) // moves are ahead of the wire by an MTU
		require.Equal(t, []string{"port 1: resume 20:1"}, l.sent(), "60 still wait on a detour")
		l.dealloc(1, root)
		l.serve(0, 14)
		require.Equal(t, []string{"port 0: dealloc 20:1"}, l.sent())

		// Nothing nearer is left, and the tree is empty: the ports are no longer on a detour.
		l.enqueue(2, 1, at(21, 1), at(22, 1), root)
		require.Equal(t, []string{"port 1: pause 20:1 hop 4"}, l.sent())
		l.resume(2, root)
		l.resume(3, root)
		l.serve(2, 62)
		l.dealloc(1, root)
		require.NoError(t, l.s.Quiescent())
	}
}

// Of ports at unequal distances none pauses an upstream once the nearest IQ is gone, until equally
// far ones are left: these are nearest then.
func TestDetoursOfUnequalLength(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down, Down, Down)})
	root := at(20, 1)
	for level, port := range []int{0, 2, 3} {
		l.pause(port, root, level+1)
	}
	l.enqueue(3, 1, root)
	l.enqueueMany(31, 2, 1, root)
	l.resume(0, root)
	l.enqueue(2, 1, root)
	require.Equal(t, []string{"port 0: dealloc 20:1"}, l.sent())
	l.resume(3, root)
	l.serve(3, 1)
	l.enqueue(2, 1, root)
	require.Equal(t, []string{"port 3: dealloc 20:1", "port 1: pause 20:1 hop 3"}, l.sent())
}

// A leaf frees an IQ that is empty and resumed (section IV-C). On a detour that waits for no
// upstream, from the frame on that makes the root known nearer.
func TestEmptyIQsOnDetours(t *testing.T) {
	root := at(20, 1)
	for name, nearer := range map[string]func(l *lab){
		"PAUSE": func(l *lab) { l.pause(0, root, 1) },
		"MERGE": func(l *lab) {
			l.pause(0, at(30, 1), 1)
			l.enqueue(0, 1, at(30, 1))
			l.merge(0, at(30, 1), root, 1)
		},
	} {
		l := newLab(t, Config{Ports: ports(Down, Down, Down)})
		l.pause(2, root, 3)
		l.enqueueMany(31, 2, 1, root)
		l.resume(2, root)
		l.serve(2, 31)
		require.Equal(t, []string{"port 1: pause 20:1 hop 4", "port 1: resume 20:1"}, l.sent(), name)
		nearer(l)
		require.Equal(t, []string{"port 2: dealloc 20:1"}, l.sent(), name)
	}
}

// A root becomes known nearer while upstreams are paused for packets that wait farther from it.
func TestDetourIsFoundOut(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down, Down, Host), Organisation: o})
		root := at(20, 1)
		l.pause(2, root, 3)
		l.enqueueMany(31, 2, 1, root)
		l.enqueueMany(31, 2, 3, root)
		l.enqueueMany(3, 2, int(sluice.Local), root)
		l.pause(2, at(30, 1), 1)
		l.enqueue(2, 1, at(30, 1))
		require.ElementsMatch(
			t, []string{"port 1: pause 20:1 hop 4", "port 3: pause 20:1 hop 4"}, l.sent(),
		)
		l.pause(0, root, 1)
		require.ElementsMatch(t, []string{"port 1: resume 20:1", "port 3: resume 20:1"}, l.sent())
		l.enqueueMany(31, 0, 1, root)
		require.Equal(t, []string{"port 1: pause 20:1 hop 2"}, l.sent())
		l.resume(2, root)
		l.resume(2, at(30, 1))
		l.serve(2, 66)
		require.Equal(
			t, []string{"port 2: dealloc 30:1", "port 2: dealloc 20:1"}, l.sent(),
			"a detour waits for no tree",
		)
		l.resume(0, root)
		l.serve(0, 31)
		l.dealloc(1, root)
		l.sent()
		require.NoError(t, l.s.Quiescent())
	}
}

// A switch that has no IQ of a root any more, and an upstream in its tree, keeps its distance: the
// upstream relies on that. An IQ that is farther is on a detour.
func TestTreeKeepsItsDistance(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	root := at(20, 1)
	l.pause(0, root, 1)
	l.enqueueMany(31, 0, 1, root)
	l.act(l.s.Port(0).LinkUp(l.now))
	l.serve(0, 31)
	require.Equal(t, []string{"port 1: pause 20:1 hop 2", "port 1: resume 20:1"}, l.sent())
	require.Equal(t, hiq.Unassigned, l.state(0, root))
	l.pause(0, root, 3)
	l.enqueueMany(31, 0, 1, root)
	require.Empty(t, l.sent())
	require.Equal(t, 1, l.s.Snapshot().Roots[0].Level)
}
