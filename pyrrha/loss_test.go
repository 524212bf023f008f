package pyrrha

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/stretchr/testify/require"
)

var (
	access = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 300 * sluice.Nanosecond}
	fabric = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 300 * sluice.Nanosecond}
)

// incast fills a network of three racks: hosts of two racks send to one host of the third, which
// makes roots of the spines' ports to it; then its neighbours do too, which makes its own port the
// root; and every host sends to the next rack.
func incast(n *network, c Config) {
	if c.Roots == 0 {
		c.Roots = 32
	}
	const hosts = 4
	n.leafSpine(c, 3, hosts, 2, access, fabric)
	for rack := range 3 {
		for h := range hosts {
			if rack != 2 || h != 0 {
				start := sluice.Time(100*h+10_000*(rack/2)) * sluice.Nanosecond
				n.send(leafSpinePath(rack, h, 2, 0, h%2, hosts), 60, start)
			}
			n.send(
				leafSpinePath(rack, h, (rack+1)%3, (h+1)%hosts, (h+1)%2, hosts), 40,
				sluice.Time(n.Random.Below(20_000))*sluice.Nanosecond,
			)
		}
	}
}

// Without loss, as the paper assumes: everything arrives in order, and at the end every IQ is
// unassigned and every root gone.
func TestIncast(t *testing.T) {
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		for _, child := range []ChildRule{ByIngress, ByQueue} {
			t.Run(fmt.Sprintf("%v, rule %d", o, child), func(t *testing.T) {
				n := newNetwork(t, 1)
				n.Every = 7
				incast(n, Config{Organisation: o, Child: child, MTU: 1000})
				n.Run(sluice.Second)
				n.finish()
				var c Counters
				for _, v := range n.Nodes {
					one := switchOf(v).Counters()
					for i := range c.Sent {
						c.Sent[i] += one.Sent[i]
					}
					c.Queues.Refused += one.Queues.Refused
				}
				require.NotZero(t, c.Sent[Pause])
				require.NotZero(t, c.Sent[Resume])
				require.NotZero(t, c.Sent[Merge], "false roots occurred")
				require.NotZero(t, c.Sent[Dealloc])
				require.Zero(t, c.Queues.Refused)
			})
		}
	}
}

// With refresh on, no frame that is lost, doubled or overtaken leaves anything stuck, however few
// the IQs and roots are: every packet arrives in order, every IQ is freed.
func TestLossyControl(t *testing.T) {
	repaired := map[string]uint64{}
	for seed := range depth.Choose[uint64](40, 40, 120, 240) {
		n := newNetwork(t, seed)
		n.Lost, n.Doubled, n.Late = 10, 10, 10 // percent of the frames
		c := Config{
			Organisation: Organisation(seed & 1), Child: ChildRule(seed >> 1 & 1), MTU: 1000,
			Refresh: 10 * sluice.Microsecond, Levels: 4, IQs: 4, Roots: 1 + int(seed%4),
		}
		if seed%3 == 2 {
			n.Lost, n.Doubled, n.Late = 1, 1, 1
			n.Every, c.Levels, c.IQs, c.Roots = 499, 0, 0, 0
		}
		incast(n, c)
		n.Run(sluice.Second)
		n.finish()
		kind := fmt.Sprintf("%v, %d %%", c.Organisation, n.Lost)
		for _, v := range n.Nodes {
			counters := switchOf(v).Counters()
			repaired[kind] += counters.Expired + counters.Stale
		}
	}
	require.Len(t, repaired, 4)
	for kind, times := range repaired {
		require.NotZero(t, times, kind)
	}
}

// Roots that a switch came to know one after the other are all repeated.
func TestRefreshOfEveryRoot(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Refresh: sluice.Microsecond})
	var want []string
	for i := range 4 {
		l.pause(0, at(20, i), 1)
		l.enqueueMany(31, 0, 1, at(20, i))
		want = append(want, fmt.Sprintf("port 1: pause 20:%d hop 2", i))
	}
	require.Equal(t, want, l.sent())
	l.expire()
	require.Equal(t, want, l.sent())

	l = newLab(t, Config{Ports: ports(Down, Down), Refresh: 1})
	l.enqueueMany(31, 0, 1)
	require.EqualValues(t, 1, l.s.Deadline(), "the least there is")
}

// Why the option exists: without refresh, as in the paper, one RESUME that is lost holds its
// flows for ever. With refresh nothing is held longer than the expiry.
func TestLostResume(t *testing.T) {
	lost := func(refresh sluice.Time) *network {
		n := newNetwork(t, 1)
		once := false
		n.Lose = func(from *testnet.Node, kind string) bool {
			lose := kind == "resume" && from.ID == torID(0) && !once
			once = once || lose
			return lose
		}
		n.leafSpine(Config{MTU: 1000, Refresh: refresh}, 1, 3, 0, access, fabric)
		n.send(leafSpinePath(0, 1, 0, 0, 0, 3), 200, 0)
		n.send(leafSpinePath(0, 2, 0, 0, 0, 3), 200, 0)
		n.Run(sluice.Second)
		require.True(t, once)
		return n
	}

	n := lost(0)
	require.False(t, n.Step(sluice.Never), "nothing will ever happen again")
	stuck := 0
	for _, f := range n.Flows {
		if f.Received < f.Count {
			stuck++
			host := switchOf(n.Node(f.Packet.Path.At(0).Switch))
			require.Equal(t, []RootInfo{{Root: sluice.Hop{Switch: torID(0)}, Level: 1, Local: 1000,
				IQs: []IQInfo{{Port: 0, Level: 1, State: 1, Queue: 1, Bytes: 1000}}}}, host.Snapshot().Roots,
				"it still obeys the PAUSE")
		}
	}
	require.Equal(t, 1, stuck)

	lost(10 * sluice.Microsecond).finish()
}

// A MERGE that is lost leaves an upstream in a tree that its parent has left; a DEALLOC that is
// lost, a child in the list that is gone. Both are repaired.
func TestLostMergeAndDealloc(t *testing.T) {
	for _, kind := range []string{"pause", "resume", "merge", "dealloc"} {
		for k := range 6 {
			n := newNetwork(t, uint64(k))
			seen := 0
			n.Lose = func(_ *testnet.Node, frame string) bool {
				if frame == kind {
					seen++
					return seen%6 == k
				}
				return false
			}
			n.Every = 31
			incast(n, Config{MTU: 1000, Refresh: 10 * sluice.Microsecond})
			n.Run(sluice.Second)
			n.finish()
			require.NotZero(t, seen, kind)
		}
	}
}
