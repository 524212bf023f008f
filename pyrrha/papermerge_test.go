package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/stretchr/testify/require"
)

// A root (P1) that receives PAUSE of a root downstream (P5) is a false root, because a part of its
// flows passes the other one. It assigns an IQ to the new root, and sends MERGE with both
// identities to all upstreams in its tree (section IV-A).
func TestFalseRootAbdicates(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down, Down)})
	p5 := at(50, 3)
	l.enqueueMany(31, 0, 1, p5)
	l.enqueue(0, 2, p5)
	require.Len(t, l.sent(), 2)
	l.pause(0, p5, 1)
	require.Equal(
		t, []string{"port 1: merge 10:0 into 50:3 hop 2", "port 2: merge 10:0 into 50:3 hop 2"}, l.sent(),
	)
	snapshot := l.s.Snapshot().Roots
	require.Len(t, snapshot, 1, "we are no root any more")
	require.Equal(t, p5, snapshot[0].Root)
	require.Equal(
		t, []UpstreamInfo{{Port: 1, State: ResumedUpstream}, {Port: 2, State: ResumedUpstream}},
		snapshot[0].Upstreams,
	)
	require.EqualValues(t, 1, l.s.Counters().Abdications)

	// Later packets that match the new root wait in its IQ (section IV-A).
	require.NotEqual(t, hiq.Output, l.enqueue(0, 1, p5))
	// It claims to be a root again when its OQ is congested again (section VI-C).
	l.enqueue(0, 1, at(50, 4))
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())
	// Only a root that is new here ends that claim.
	l.pause(0, p5, 1)
	require.Empty(t, l.sent())
}

// In the authors' ns-3 code ports towards the core stay roots; the paper knows no such exception.
func TestUpPortsAbdicateIfConfigured(t *testing.T) {
	for _, abdicates := range []bool{false, true} {
		l := newLab(t, Config{Ports: ports(Up, Down), UpPorts: UpAlways, AbdicateUp: abdicates})
		l.enqueueMany(31, 0, 1, at(50, 3))
		require.Len(t, l.sent(), 1)
		l.pause(0, at(50, 3), 1)
		require.Equal(t, abdicates, len(l.sent()) == 1)
	}
}

// A root that is congested itself keeps its claim if configured, until its OQ is below K_resume; or
// whatever its OQ.
func TestRootsMergeAsConfigured(t *testing.T) {
	for _, c := range []struct {
		rule            MergeRule
		congested, calm bool // whether it abdicates
	}{{MergeAlways, true, true}, {MergeIfCalm, false, true}, {MergeNever, false, false}} {
		l := newLab(t, Config{Ports: ports(Down, Down), Merge: c.rule})
		l.enqueueMany(31, 0, 1, at(50, 3))
		require.Len(t, l.sent(), 1)
		l.pause(0, at(50, 3), 1)
		require.Equal(t, c.congested, len(l.sent()) == 1, "%d", c.rule)
		l.serve(0, 16)
		l.pause(0, at(50, 4), 1)
		require.Empty(t, l.sent(), "%d: 15,000 bytes are not below K_resume", c.rule)
		l.serve(0, 15)
		l.sent()
		l.pause(0, at(50, 5), 1)
		require.Equal(t, c.calm && !c.congested, len(l.sent()) == 1, "%d", c.rule)
	}
}

// A switch that receives MERGE makes the old root's IQ soft-merging, and passes the MERGE on to its
// upstreams. That IQ is in no tree: it lets its packets go and is freed when empty. Only packets
// that pass the new root stay controlled (section IV-A).
func TestMergeAtAChild(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down, Down)})
	p1, p5 := at(40, 1), at(50, 3)
	l.pause(0, p1, 1)
	for range 16 {
		l.enqueue(0, 1, p1, p5)
		l.enqueue(0, 1, p1, at(50, 4))
	}
	require.Equal(t, []string{"port 1: pause 40:1 hop 2"}, l.sent())
	l.merge(0, p1, p5, 2)
	require.Equal(t, []string{"port 1: merge 40:1 into 50:3 hop 3"}, l.sent())
	require.Equal(t, hiq.SoftMerging, l.state(0, p1))
	require.Equal(t, hiq.Resumed, l.state(0, p5))
	require.True(t, l.woken[0])

	l.pause(0, p5, 2)
	l.serve(0, 16)
	require.False(t, l.transmit(0), "uncongested packets went, the packets of P5 are held in its IQ")
	require.Equal(t, hiq.Unassigned, l.state(0, p1), "empty")
	require.EqualValues(t, 16_000, l.s.Snapshot().Roots[0].IQs[0].Bytes)
	require.Empty(t, l.sent())
	l.resume(0, p5)
	l.serve(0, 16)
	l.dealloc(1, p5)
	require.Equal(t, []string{"port 0: dealloc 50:3"}, l.sent())
	require.NoError(t, l.s.Quiescent())
}

// A child that has no room for the new root, or is as far from it as a root may be, cannot pass
// MERGE on. The old root no longer controls the packets in its IQ (section IV-A). So the child
// resumes the upstreams that it paused for that root, or they would wait for ever.
func TestMergeEndsAtAChild(t *testing.T) {
	p1, p5 := at(40, 1), at(50, 3)
	for _, c := range []struct {
		name      string
		roots     int
		hop       int
		then, end []string
	}{
		{"no room", 1, 2, []string{"port 0: dealloc 50:3", "port 1: resume 40:1"}, nil},
		{"too far", 8, hiq.MaxLevels, []string{"port 1: resume 40:1"}, []string{"port 0: dealloc 50:3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, Config{Ports: ports(Down, Down), Roots: c.roots})
			l.pause(0, p1, 1)
			l.enqueueMany(31, 0, 1, p1)
			require.Equal(t, []string{"port 1: pause 40:1 hop 2"}, l.sent())
			l.merge(0, p1, p5, c.hop)
			require.ElementsMatch(t, c.then, l.sent())
			l.serve(0, 31)
			require.Equal(t, hiq.Unassigned, l.state(0, p1))
			require.Equal(t, c.end, l.sent())
			require.ErrorContains(t, l.s.Quiescent(), "1 upstreams of which 0 are paused")
			l.dealloc(1, p1)
			require.NoError(t, l.s.Quiescent())
		})
	}
}

// In the authors' ns-3 code a soft-merging IQ causes neither PAUSE nor RESUME.
func TestSoftMergingIQsArePassive(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	p1, p5 := at(40, 1), at(50, 3)
	l.pause(0, p1, 1)
	l.enqueueMany(20, 0, 1, p1)
	l.merge(0, p1, p5, 2)
	l.enqueueMany(20, 0, 1, p1)
	require.Empty(t, l.sent(), "40,000 bytes wait in it")
	l.serve(0, 40)
	require.Equal(
		t, []string{"port 0: dealloc 50:3"}, l.sent(), "of the new root, when the old IQ has drained",
	)
	require.NoError(t, l.s.Quiescent())
}

// A port towards the core that is exempt is no root, however much its load is out of balance. The
// fraction that says what balance is may be any.
func TestUpPortsByRuleAndFraction(t *testing.T) {
	for name, c := range map[string]struct {
		config Config
		want   []string
	}{
		"exempt": {Config{UpPorts: UpNever}, nil},
		"above 1.5 times the mean": {
			Config{Imbalance: sluice.Ratio{Num: 3, Den: 2}}, []string{"port 3: pause 10:0 hop 1"},
		},
		"below 3.5 times the mean": {Config{Imbalance: sluice.Ratio{Num: 7, Den: 2}}, nil},
	} {
		c.config.Ports = ports(Up, Up, Up, Host)
		l := newLab(t, c.config)
		l.enqueueMany(31, 0, 3)
		require.Equal(t, c.want, l.sent(), name)
	}
}

// A root that others merge into, before its own MERGE was sent, is a root for the upstream again:
// that hears of one MERGE alone.
func TestMergeIntoARootThatWasToMerge(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	a, b, c := at(20, 1), at(30, 1), at(40, 1)
	for _, root := range []sluice.Hop{a, b} {
		l.pause(0, root, 1)
		l.enqueueMany(31, 0, 1, root)
	}
	require.Len(t, l.sent(), 2)
	for i, f := range []Frame{{Old: b, Root: c}, {Old: a, Root: b}} {
		f.Type, f.Hop, f.Sequence = Merge, 1, uint32(100+i)
		l.s.Port(0).Receive(l.now, &f)
		require.NoError(t, l.s.Audit())
	}
	l.pollFrames()
	require.Contains(t, l.sent(), "port 1: merge 20:1 into 30:1 hop 2")
	require.Equal(t, ResumedUpstream, l.s.upstream(l.s.find(b), 1).state)
}

// In a single tier a root that has resumed resumes every upstream that waits for another root of
// its set.
func TestSingleTierRelentsToAll(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down, Down), Organisation: SingleTier})
	a, b := at(20, 1), at(30, 1)
	l.pause(0, a, 1)
	l.pause(0, b, 2)
	l.enqueueMany(31, 0, 1, a, b)
	l.enqueueMany(31, 0, 2, a, b)
	l.sent()
	l.resume(0, a)
	require.Equal(t, []string{"port 1: resume 20:1", "port 2: resume 20:1"}, l.sent())
}

// A peer that a card paused for a root of another switch, as a switch would, leaves the tree by its
// DEALLOC: only a host that is congested is left at once.
func TestPeerOfACardLeavesByDealloc(t *testing.T) {
	l := newLab(t, Config{Ports: ports(NIC, NIC)})
	root := at(20, 1)
	l.pause(1, root, 1)
	l.enqueueMany(31, 1, 0, root)
	l.resume(1, root)
	l.serve(1, 31)
	require.Equal(t, []string{"port 0: pause 20:1 hop 2", "port 0: resume 20:1"}, l.sent())
	require.Len(t, l.s.Snapshot().Roots, 1)
	l.dealloc(0, root)
	require.NoError(t, l.s.Quiescent())
}
