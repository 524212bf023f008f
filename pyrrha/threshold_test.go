package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/wire"
)

// unequal has an egress port 0 and two ingress ports; the link of port 2 is the longer one, so that
// K_pause is 30,000 bytes for port 1 and 50,000 for port 2, K_resume 15,000 and 25,000.
func unequal(t *testing.T, child ChildRule) *lab {
	c := Config{Ports: ports(Down, Down, Down), Child: child, Speedup: 1}
	c.Ports[2].Link.Delay = sluice.Microsecond
	return newLab(t, c)
}

func TestThresholds(t *testing.T) {
	l := unequal(t, ByIngress)
	for ingress, want := range map[sluice.PortID][2]sluice.Bytes{
		0: {30_000, 15_000}, 1: {30_000, 15_000}, 2: {50_000, 25_000}, 3: {}, sluice.Local: {},
	} {
		pause, resume := l.s.Port(0).Thresholds(ingress)
		require.Equal(t, want, [2]sluice.Bytes{pause, resume}, "ingress %d", ingress)
	}
}

// A root compares its OQ with K_pause (section IV-A): with the threshold of the ingress that the
// packet came by, also where that is not the least.
func TestRootComparesWithTheThresholdOfTheIngress(t *testing.T) {
	l := unequal(t, ByIngress)
	l.enqueueMany(50, 0, 2)
	require.Empty(t, l.sent(), "50,000 bytes do not exceed 50,000")
	l.enqueue(0, 2)
	require.Equal(t, []string{"port 2: pause 10:0 hop 1"}, l.sent())
	l.enqueue(0, 1)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())

	l.serve(0, 27)
	require.Empty(t, l.sent(), "25,000 bytes are not below 25,000")
	l.serve(0, 1)
	require.Equal(t, []string{"port 2: resume 10:0"}, l.sent())
	l.serve(0, 9)
	require.Empty(t, l.sent(), "15,000 bytes are not below 15,000")
	l.serve(0, 1)
	require.Equal(t, []string{"port 1: resume 10:0"}, l.sent())
}

// A child sends PAUSE to its upstream when its IQ is longer than K_pause (section IV-D).
func TestChildComparesWithTheThresholdOfTheIngress(t *testing.T) {
	root := at(50, 3)
	for _, rule := range []ChildRule{ByIngress, ByQueue} {
		l := unequal(t, rule)
		l.pause(0, root, 2)
		l.enqueueMany(50, 0, 2, root)
		require.Empty(t, l.sent(), "rule %d: 50,000 bytes do not exceed 50,000", rule)
		q := l.enqueue(0, 2, root)
		require.Equal(t, []string{"port 2: pause 50:3 hop 3"}, l.sent(), "rule %d", rule)

		l.resume(0, root)
		l.serve(0, 25)
		require.EqualValues(t, 25_000, l.s.Port(0).Backlog(q))
		require.Empty(t, l.sent(), "rule %d: 25,000 bytes are not below 25,000", rule)
		l.serve(0, 1)
		require.Equal(t, []string{"port 2: resume 50:3"}, l.sent(), "rule %d", rule)
	}
}

// A frame about a root is late if its number is less than wire.Reordering behind the newest; a
// frame that is further behind comes from a peer that started anew, and is obeyed.
func TestNumbersAtTheEdgeOfTheWindow(t *testing.T) {
	const newest = 500_000
	root := at(20, 1)
	for behind, obeyed := range map[uint32]bool{
		0: false, 1: false, wire.Reordering - 1: false, wire.Reordering: true, wire.Reordering + 1: true,
	} {
		t.Run("root with an IQ", func(t *testing.T) {
			l := newLab(t, Config{Ports: ports(Down, Down)})
			l.deliver(0, Frame{Type: Pause, Root: root, Hop: 1, Sequence: newest})
			l.enqueue(0, 1, root)
			l.deliver(0, Frame{Type: Resume, Root: root, Sequence: newest - behind})
			require.Equal(t, obeyed, l.state(0, root) == hiq.Resumed, "%d behind", behind)
			require.Equal(t, !obeyed, l.s.Counters().Stale == 1, "%d behind", behind)
		})
		t.Run("root that was given up", func(t *testing.T) {
			l := newLab(t, Config{Ports: ports(Down, Down)})
			l.deliver(0, Frame{Type: Pause, Root: root, Hop: 1, Sequence: newest - 1})
			l.deliver(0, Frame{Type: Resume, Root: root, Sequence: newest})
			require.Equal(t, hiq.Unassigned, l.state(0, root))
			l.deliver(0, Frame{Type: Pause, Root: root, Hop: 1, Sequence: newest - behind})
			require.Equal(t, obeyed, l.state(0, root) == hiq.Paused, "%d behind", behind)
			require.Equal(t, !obeyed, l.s.Counters().Stale == 1, "%d behind", behind)
		})
		t.Run("upstream that leaves", func(t *testing.T) {
			l := newLab(t, Config{Ports: ports(Host, Down)})
			own := at(10, 0)
			join := func() {
				l.enqueueMany(31, 0, 1)
				l.serve(0, 31)
				require.Len(t, l.s.Snapshot().Roots, 1)
			}
			join()
			l.deliver(1, Frame{Type: Dealloc, Root: own, Sequence: newest})
			require.Empty(t, l.s.Snapshot().Roots)
			join()
			l.deliver(1, Frame{Type: Dealloc, Root: own, Sequence: newest - behind})
			require.Equal(t, obeyed, len(l.s.Snapshot().Roots) == 0, "%d behind", behind)
			require.Equal(t, !obeyed, l.s.Counters().Stale == 1, "%d behind", behind)
		})
	}
}

// "K_pause times one-hop BDP" (section VIII): the rate of the egress port times twice the delay
// of the ingress link, for each pair of ports.
func TestThresholdsArePerPortPair(t *testing.T) {
	c := Config{
		Ports: ports(Host, Down, Down), Pause: sluice.Ratio{Num: 3, Den: 2},
		Resume: sluice.Ratio{Num: 1, Den: 4},
	}
	c.Ports[2].Link = sluice.Link{Rate: 400 * sluice.Gbps, Delay: sluice.Microsecond}
	l := newLab(t, c)
	p := l.s.Port(0)
	require.EqualValues(t, 15_000*3/2, p.pause[1])
	require.EqualValues(t, 15_000/4, p.resume[1])
	require.EqualValues(t, 25_000*3/2, p.pause[2], "100 Gb/s out, 2 us there and back")
	require.EqualValues(t, 60_000*3/2, l.s.Port(2).pause[1], "400 Gb/s out, 1.2 us there and back")
}

// A child whose measure is the length of its queue resumes an upstream when all its queues of the
// root are below K_resume (section IV-C), whichever is the last.
func TestChildResumesWhenAllItsQueuesAreShort(t *testing.T) {
	root := at(50, 3)
	for last := range 3 {
		l := newLab(t, Config{Ports: ports(Down, Down, Down, Down), Child: ByQueue})
		for port := range 3 {
			l.pause(port, root, 2)
			l.enqueueMany(31, port, 3, root)
		}
		require.Equal(t, []string{"port 3: pause 50:3 hop 3"}, l.sent())
		for port := range 3 {
			if port != last {
				l.resume(port, root)
				l.serve(port, 31)
			}
		}
		require.Empty(t, l.sent(), "at port %d 31,000 bytes wait", last)
		l.resume(last, root)
		l.serve(last, 31)
		require.Equal(t, []string{"port 3: resume 50:3"}, l.sent())
	}
}
