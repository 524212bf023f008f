package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/testnet"
)

// Nodes of incast. Port 0 of the first switch leads to the second, whose port 1 leads to the sink.
const (
	first sluice.SwitchID = iota
	second
	sink
	hosts // and more
)

// incast is six hosts behind one switch that send to one sink behind another, whose link is slow:
// the second switch pauses queues of the first, and that queues of the hosts.
func incast(t *testing.T, seed uint64, c Config) *network {
	const hostQueues = 16
	n := newNetwork(t, seed)
	fast := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	n.Connect(first, second, fast)
	n.Connect(second, sink, sluice.Link{Rate: 25 * sluice.Gbps, Delay: sluice.Microsecond})
	upstream := []int{0}
	for host := hosts; host < hosts+6; host++ {
		n.Connect(host, first, fast)
		card := hostConfig(hostQueues)
		card.Seed = seed + uint64(host)
		n.start(host, card)
		upstream = append(upstream, hostQueues)
	}
	c.Seed = seed
	n.start(first, c, upstream...)
	c.Seed = seed + 1
	n.start(second, c)
	for flow := range uint64(18) {
		start := sluice.Time(n.Random.Below(uint64(20 * sluice.Microsecond)))
		n.send(flow+1, 60, start, hop(hosts+sluice.SwitchID(flow/3), 0), hop(first, 0), hop(second, 1))
	}
	return n
}

// Transitions alone repair nothing: one lost Resume leaves its queue paused for ever, although the
// counter downstream is 0. With the bitmap the same loss is made good within two periods.
func TestLostResumeHangsWithoutTheBitmap(t *testing.T) {
	for _, signalling := range []Signalling{Transitions, TransitionsAndBitmap} {
		n := incast(t, 0, Config{Queues: 8, Signalling: signalling})
		n.Lose = func(_ *testnet.Node, kind string) bool {
			return kind == "resume" && n.Vanished == 0
		}
		err := n.Finish(sluice.Second)
		require.Equal(t, 1, n.Vanished)
		require.Zero(t, n.Missing)
		n.audit()
		if signalling == TransitionsAndBitmap {
			require.NoError(t, err)
			continue
		}
		require.Error(t, err)
		require.Equal(t, 1, n.orphans(), "a paused queue that no device holds any more")
	}
}

// Pauses work: with them the second switch holds a few thresholds, without them most of the sent
// bytes.
func TestBackpressureBoundsTheBuffer(t *testing.T) {
	peak := func(c Config) (most sluice.Bytes) {
		n := incast(t, 1, c)
		for i := sluice.Time(0); n.Finish(i*sluice.Microsecond) != nil; i++ {
			most = max(most, n.of(second).Buffered())
		}
		require.Zero(t, n.Missing)
		return most
	}
	with, without := peak(Config{}), peak(Config{Withhold: []Pair{{0, 1}}})
	require.Less(t, 2*with, without)
}
