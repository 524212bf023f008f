package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/stretchr/testify/require"
)

// An egress port whose OQ is longer than K_pause is a congestion root, and sends PAUSE to the
// upstream port of each packet that arrives then (section IV-A).
func TestRootPausesWhomItHearsFrom(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Host, Down, Down, Down)})
	l.enqueueMany(30, 0, 1)
	require.Empty(t, l.sent(), "30,000 bytes do not exceed K_pause")
	l.enqueue(0, 2)
	require.Equal(
		t, []string{"port 2: pause 10:0 hop 1"}, l.sent(), "only the upstream of the arriving packet",
	)
	l.enqueue(0, 2)
	require.Empty(t, l.sent(), "it is paused already")
	l.enqueue(0, 1)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())
}

// A root resumes its upstreams when its OQ falls below K_resume, and ends when besides all
// upstreams have unassigned their IQs (section IV-C).
func TestRootResumesAndDisappears(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Host, Down, Down, Down)})
	l.enqueueMany(31, 0, 1)
	l.enqueue(0, 2)
	require.Len(t, l.sent(), 2)
	l.serve(0, 17)
	require.Empty(t, l.sent(), "15,000 bytes are not below K_resume")
	l.serve(0, 1)
	require.Equal(t, []string{"port 1: resume 10:0", "port 2: resume 10:0"}, l.sent())
	require.Len(t, l.s.Snapshot().Roots, 1)

	l.dealloc(1, at(10, 0))
	require.Len(t, l.s.Snapshot().Roots, 1)
	l.dealloc(2, at(10, 0))
	require.Empty(t, l.s.Snapshot().Roots)
	l.serve(0, 14)
	require.NoError(t, l.s.Quiescent())
}

// The authors' ns-3 code takes an upstream out of the tree at its DEALLOC only if it is resumed:
// a PAUSE may have crossed the frame on the link.
func TestDeallocThatCrossedAPause(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Host, Down)})
	l.enqueueMany(31, 0, 1)
	l.serve(0, 17)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1", "port 1: resume 10:0"}, l.sent())
	l.enqueueMany(20, 0, 1)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())
	l.dealloc(1, at(10, 0))
	require.Equal(
		t, PausedUpstream, l.s.Snapshot().Roots[0].Upstreams[0].State,
		"it stays, or no frame would resume it",
	)
	require.EqualValues(t, 1, l.s.Counters().Ignored)
}

// PAUSE of a new root puts it into the table. A packet whose path matches an entry waits in an IQ,
// and any other packet goes to the OQ (section IV-B).
func TestPacketsOfARootAreIsolated(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down, Down)})
	root := at(50, 3)
	l.pause(0, root, 2)
	require.Equal(t, hiq.Paused, l.state(0, root))

	congested := l.enqueue(0, 1, at(40, 1), root)
	require.NotEqual(t, hiq.Output, congested)
	require.Equal(t, hiq.Output, l.enqueue(0, 1, at(40, 1), at(50, 2)))
	require.Equal(
		t, hiq.Output, l.enqueue(2, 1, at(41, 1), root), "another egress port has no IQ for it",
	)
	require.Equal(t, hiq.Output, l.enqueue(0, 1), "a packet without a known path matches nothing")

	require.True(t, l.transmit(0))
	require.True(t, l.transmit(0))
	require.False(t, l.transmit(0), "what is left is held")
	require.False(t, l.s.Port(0).Sendable(congested))
	l.resume(0, root)
	require.True(t, l.woken[0])
	require.True(t, l.transmit(0))
}

// A packet passes the IQs of all its roots, the nearest first, and leaves the port when all have
// resumed (section IV-C).
func TestAllRootsOnThePathMustResume(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		l := newLab(t, Config{Ports: ports(Down, Down), Organisation: o})
		p6, p5 := at(20, 6), at(30, 5)
		l.pause(0, p6, 1)
		l.pause(0, p5, 2)
		l.enqueue(0, 1, p6, p5)
		l.enqueue(0, 1, p6, at(30, 4))
		l.resume(0, p6)
		require.True(t, l.transmit(0), "the packet that passes P6 only")
		require.False(t, l.transmit(0), "%v: the one that passes P5 too is held", o)
		l.resume(0, p5)
		require.True(t, l.transmit(0))
		require.NoError(t, l.s.Quiescent())
	}
}

// A child passes PAUSE on when its IQ is longer than K_pause (section IV-D). The authors' ns-3 code
// counts the bytes that came in by one port and wait for the root, whatever port they leave by.
func TestChildPauses(t *testing.T) {
	root := at(50, 3)
	t.Run("by ingress", func(t *testing.T) {
		l := newLab(t, Config{Ports: ports(Down, Down, Down, Down)})
		l.pause(0, root, 2)
		l.pause(3, root, 2)
		l.enqueueMany(20, 0, 1, at(40, 1), root)
		l.enqueueMany(20, 0, 2, at(40, 1), root)
		l.enqueueMany(10, 3, 1, at(41, 1), root)
		require.Empty(t, l.sent(), "no ingress has more than 30,000 bytes here")
		l.enqueue(3, 1, at(41, 1), root)
		require.Equal(t, []string{"port 1: pause 50:3 hop 3"}, l.sent(), "one hop farther from the root")

		l.resume(0, root)
		l.serve(0, 40)
		require.Equal(t, []string{"port 1: resume 50:3"}, l.sent(), "11,000 bytes are left")
	})
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		t.Run("by queue, "+o.String(), func(t *testing.T) {
			l := newLab(t, Config{Ports: ports(Down, Down, Down), Child: ByQueue, Organisation: o})
			l.pause(0, root, 2)
			l.enqueueMany(20, 0, 1, at(40, 1), root)
			l.enqueueMany(10, 0, 2, at(40, 1), root)
			require.Empty(t, l.sent(), "the IQ holds 30,000 bytes")
			l.enqueue(0, 2, at(40, 1), root)
			require.Equal(t, []string{"port 2: pause 50:3 hop 3"}, l.sent())
			l.resume(0, root)
			for len(l.frames) == 0 {
				require.GreaterOrEqual(t, l.s.Snapshot().Roots[0].IQs[0].Bytes, l.s.Port(0).resume[2])
				l.serve(0, 1)
			}
			require.Equal(t, []string{"port 2: resume 50:3"}, l.sent())
			require.Less(t, l.s.Snapshot().Roots[0].IQs[0].Bytes, l.s.Port(0).resume[2])
		})
	}
}

// A switch is a leaf of a tree if it has paused no upstream, or if all its upstreams have left the
// tree. A leaf frees its IQ when that is empty (section IV-C), and sends DEALLOC to its parent.
func TestLeaf(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down, Down)})
	root := at(50, 3)
	l.pause(0, root, 2)
	l.enqueueMany(31, 0, 1, at(40, 1), root)
	require.Equal(t, []string{"port 1: pause 50:3 hop 3"}, l.sent())
	l.resume(0, root)
	l.serve(0, 31)
	require.Equal(t, []string{"port 1: resume 50:3"}, l.sent())
	require.Equal(t, hiq.Resumed, l.state(0, root), "empty, but an upstream is still in the tree")
	l.dealloc(1, root)
	require.Equal(t, []string{"port 0: dealloc 50:3"}, l.sent())
	require.Equal(t, hiq.Unassigned, l.state(0, root))
	require.NoError(t, l.s.Quiescent())

	// It has not sent PAUSE: it is a leaf at once.
	l.pause(0, root, 2)
	l.resume(0, root)
	require.Equal(t, []string{"port 0: dealloc 50:3"}, l.sent())
}

// In the authors' ns-3 code a ToR is a leaf when no ingress is paused, as hosts send no DEALLOC:
// a host that was resumed is in the tree no longer.
func TestHostsLeaveTheTreeWhenResumed(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Up, Host)})
	root := at(50, 3)
	l.pause(0, root, 2)
	l.enqueueMany(31, 0, 1, at(40, 1), root)
	l.resume(0, root)
	require.Equal(t, []string{"port 1: pause 50:3 hop 3"}, l.sent())
	l.serve(0, 31)
	require.Equal(t, []string{"port 1: resume 50:3", "port 0: dealloc 50:3"}, l.sent())
	require.NoError(t, l.s.Quiescent())
}

// A switch ignores PAUSE of its own root, which a loop of routes brings back: obeying it would
// close a circle of buffers (sections IV-E and VII).
func TestOwnRootIsIgnored(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	l.pause(0, at(10, 0), 3)
	require.Equal(t, hiq.Unassigned, l.state(0, at(10, 0)))
	require.Equal(t, hiq.Output, l.enqueue(0, 1, at(20, 1), at(30, 1), at(10, 0)))
	require.EqualValues(t, 1, l.s.Counters().OwnRoot)
	require.Empty(t, l.sent())

	// The parent lists us in the tree. DEALLOC answers its RESUME.
	l.resume(0, at(10, 0))
	require.Equal(t, []string{"port 0: dealloc 10:0"}, l.sent())
}

// In the authors' ns-3 code a port towards the core is a root only if its OQ also exceeds twice
// the mean of the switch's such ports: load imbalance, not mere load.
func TestUpPortRule(t *testing.T) {
	for rule, want := range map[UpRule]int{UpImbalanced: 0, UpAlways: 1, UpNever: 0} {
		l := newLab(t, Config{Ports: ports(Up, Up, Host, Host), UpPorts: rule})
		l.enqueueMany(28, 1, 3)
		l.enqueueMany(31, 0, 2)
		require.Len(
			t, l.sent(), want, "rule %d: 31,000 bytes, and the mean of the up-ports is 29,500", rule,
		)
	}
	l := newLab(t, Config{Ports: ports(Up, Up, Up, Host), UpPorts: UpImbalanced})
	l.enqueueMany(31, 0, 3)
	require.Equal(
		t, []string{"port 3: pause 10:0 hop 1"}, l.sent(), "31,000 bytes, and the mean is 10,333",
	)
	l.enqueueMany(31, 1, 3)
	require.Empty(t, l.sent(), "31,000 bytes, and the mean is 20,667")

	l = newLab(t, Config{Ports: ports(Up, Up, Up, Host)})
	l.enqueueMany(20, 1, 3)
	l.enqueueMany(40, 0, 3)
	require.Empty(t, l.sent(), "40,000 bytes do not exceed twice the mean, which is 20,000")
	l.enqueue(0, 3)
	require.Equal(t, []string{"port 3: pause 10:0 hop 1"}, l.sent())

	l = newLab(t, Config{Ports: ports(Up, Up, Up, Host), Imbalance: sluice.Ratio{Num: 4, Den: 1}})
	l.enqueueMany(40, 0, 3)
	require.Empty(t, l.sent(), "three times the mean")
}

// A host whose card or bus is congested is a root (section IV-D).
func TestCongestedHost(t *testing.T) {
	host := newLab(t, Config{Ports: ports(NIC)})
	host.act(host.s.Port(0).Congested(0, false))
	require.Empty(t, host.sent(), "it was not")
	host.act(host.s.Port(0).Congested(0, true))
	require.Equal(t, []string{"port 0: pause 10:0 hop 1"}, host.sent())
	host.act(host.s.Port(0).Congested(0, true))
	require.Empty(t, host.sent())
	// The host's own packets do not end its congestion.
	host.enqueueMany(40, 0, int(sluice.Local), at(20, 1))
	host.serve(0, 40)
	require.Empty(t, host.sent())
	host.act(host.s.Port(0).Congested(host.now, false))
	require.Equal(t, []string{"port 0: resume 10:0"}, host.sent())
	host.dealloc(0, at(10, 0))
	require.NoError(t, host.s.Quiescent())

	// At its switch it is a root like any other, the last hop of the paths to it.
	tor := newLab(t, Config{Ports: ports(Host, Down)})
	tor.pause(0, at(7, 0), 1)
	tor.enqueueMany(31, 0, 1, at(7, 0))
	require.Equal(t, []string{"port 1: pause 7:0 hop 2"}, tor.sent())
	tor.resume(0, at(7, 0))
	tor.serve(0, 31)
	tor.dealloc(1, at(7, 0))
	require.Equal(t, []string{"port 1: resume 7:0", "port 0: dealloc 7:0"}, tor.sent(), "to the host")
	require.NoError(t, tor.s.Quiescent())

	require.Zero(t, tor.s.Port(1).Congested(0, true), "no host is there")
	require.EqualValues(t, 1, tor.s.Counters().Misuse)
}

// Hosts that respond to PAUSE, RESUME and MERGE improve Pyrrha (section IV-D): a host holds packets
// whose path has a paused root, and releases them in order; or it asks before it pulls a packet
// from a flow.
func TestHostHoldsPerRoot(t *testing.T) {
	l := newLab(t, Config{Ports: ports(NIC)})
	root := at(50, 3)
	local := int(sluice.Local)
	l.pause(0, root, 4)
	q := l.enqueueMany(40, 0, local, at(20, 1), at(30, 1), at(40, 1), root)
	require.NotEqual(t, hiq.Output, q)
	l.enqueue(0, local, at(20, 1), at(30, 2))
	require.True(t, l.transmit(0))
	require.False(t, l.transmit(0))
	require.Empty(t, l.sent(), "a host pauses no upstream")

	path, _ := sluice.MakePath(at(10, 0), at(20, 1), root)
	hop, blocked := l.s.Port(0).Blocked(&path)
	require.True(t, blocked)
	require.Equal(t, root, hop)
	l.pause(0, at(20, 1), 1)
	hop, _ = l.s.Port(0).Blocked(&path)
	require.Equal(t, at(20, 1), hop, "the next hop can be a root as well")
	l.resume(0, at(20, 1))
	l.resume(0, root)
	_, blocked = l.s.Port(0).Blocked(&path)
	require.False(t, blocked)
	l.now += sluice.Microsecond
	l.serve(0, 40)
	l.resume(0, root)
	require.Empty(t, l.sent(), "hosts send no DEALLOC")
	require.NoError(t, l.s.Quiescent())
}
