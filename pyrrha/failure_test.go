package pyrrha

import (
	"fmt"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/stretchr/testify/require"
)

// Links of every tier fail and are repaired amid an incast, at random instants, flushed or not, the
// two ends of one not at the same time; control frames that were under way come in late, and a
// switch starts anew now and then. Packets that were not on a failed link arrive, in order; nothing
// stays paused, and every isolation queue is freed. Without a refresh: no frame is lost otherwise.
func TestFailures(t *testing.T) {
	seeds := depth.Choose[uint64](15, 15, 80, 200)
	for _, o := range []Organisation{Hierarchical, SingleTier} {
		t.Run(o.String(), func(t *testing.T) {
			t.Parallel()
			lost, stale := 0, uint64(0)
			for seed := range seeds {
				n := newNetwork(t, seed)
				n.Every = 997
				incast(n, Config{Organisation: o, MTU: 1000, Child: ChildRule(seed & 1), UpPorts: UpAlways})
				n.failAtRandom(6)
				n.Run(sluice.Second)
				n.finish()
				lost += n.Missing
				for _, v := range n.Nodes {
					stale += switchOf(v).Counters().Stale
				}
			}
			require.NotZero(t, lost)
			require.NotZero(t, stale, "frames came in late")
		})
	}
}

// failAtRandom has links fail for a while, one after the other, the same perhaps twice, and a
// switch start anew now and then.
func (n *network) failAtRandom(failures int) {
	const each = 7 * sluice.Microsecond
	random := func(below sluice.Time) sluice.Time { return sluice.Time(n.Random.Below(uint64(below))) }
	for i := range failures {
		begin := sluice.Time(i) * each
		if n.Random.Below(4) == 0 {
			spine := spineID(int(n.Random.Below(2)))
			n.At(begin+random(each), n.Node(spine).Restart)
			continue
		}
		v := n.Nodes[n.Random.Below(uint64(len(n.Nodes)))]
		port := sluice.PortID(n.Random.Below(uint64(len(v.Links))))
		down, lasts, later := begin+random(each/2), random(
			each/2-100*sluice.Nanosecond,
		), random(100*sluice.Nanosecond)
		if n.Random.Below(2) == 0 {
			lasts = random(200 * sluice.Nanosecond) // less than a frame is under way
		}
		n.At(down, func() {
			v.Fail(port, testnet.Failure{Packets: true, Flush: 50, Lasts: lasts, Later: later})
		})
	}
}

// A single tier on a chip that cannot hold a new set until what waited for its subsets has left:
// flows are reordered, and no more packets than were counted as overtaking.
func TestUnorderedNetwork(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		t.Run(fmt.Sprint(unordered), func(t *testing.T) {
			reordered, overtakes := 0, uint64(0)
			for seed := range depth.Choose[uint64](8, 8, 12, 20) {
				n := newNetwork(t, seed)
				n.unordered = true
				incast(n, Config{Organisation: SingleTier, Unordered: unordered, MTU: 1000})
				n.Run(sluice.Second)
				n.finish()
				reordered += n.Overtaken
				for _, v := range n.Nodes {
					overtakes += switchOf(v).Counters().Queues.Overtakes
				}
			}
			require.Equal(t, unordered, reordered > 0, "%d", reordered)
			require.Equal(t, unordered, overtakes > 0, "%d", overtakes)
		})
	}
}
