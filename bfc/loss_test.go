package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
)

// incast is six hosts behind one switch that send to one sink behind another, whose link is slow:
// the second switch pauses queues of the first, and that queues of the hosts.
func incast(t require.TestingT, seed uint64, c Config) *lab {
	const hosts, hostQueues = 6, 16
	l := newLab(t, seed)
	first, second, sink := l.add(), l.add(), l.add()
	up, _ := l.connect(first, second, sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})
	down, _ := l.connect(second, sink, sluice.Link{Rate: 25 * sluice.Gbps, Delay: sluice.Microsecond})
	upstream := []int{0}
	for range hosts {
		host := l.add()
		l.connect(host, first, sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})
		h := hostConfig(hostQueues)
		h.Seed = seed + uint64(host)
		l.start(host, h)
		upstream = append(upstream, hostQueues)
	}
	c.Seed = seed
	l.start(first, c, upstream...)
	c.Seed = seed + 1
	l.start(second, c)
	for i := range hosts {
		for flow := range 3 {
			id := uint64(i*3 + flow + 1)
			start := sluice.Time(l.random.Below(uint64(20 * sluice.Microsecond)))
			l.send(i+3, id, 60, start, sluice.Time(l.random.Below(2))*200*sluice.Nanosecond, 0, up, down)
		}
	}
	return l
}

// orphans counts queues that are paused although the counter downstream is 0.
func orphans(l *lab) (n int) {
	for _, node := range l.nodes {
		if node.s == nil {
			continue
		}
		for i, p := range node.ports {
			for q := range sluice.QueueID(node.s.Queues()) {
				downstream := l.nodes[p.peer].s
				if !node.s.Port(sluice.PortID(i)).Sendable(q) && downstream.Port(p.port).Counter(q) == 0 {
					n++
				}
			}
		}
	}
	return n
}

// With one frame in a hundred lost, and the bitmap on, nothing is stuck: over 100 seeds, for every
// signalling that has the bitmap.
func TestLossIsRepaired(t *testing.T) {
	seeds := depth.Choose[uint64](6, 6, 100)
	for _, signalling := range []Signalling{TransitionsAndBitmap, PeriodicBitmap, BitmapResumeAtOnce} {
		frames, lost := uint64(0), 0
		for seed := range seeds {
			l := incast(t, seed, Config{Queues: 8, Signalling: signalling})
			l.loss = 10
			done := l.run(100 * sluice.Millisecond)
			require.True(
				t, done, "signalling %d, seed %d: %d of %d packets arrived: %v", signalling, seed, l.delivered,
				l.sent, l.quiescent(),
			)
			require.Equal(t, l.sent, l.delivered)
			l.audit()
			for _, n := range l.nodes {
				if n.s != nil {
					c := n.s.Counters()
					frames += c.FramesSent
				}
			}
			lost += l.lost
		}
		require.Greater(t, lost, int(seeds))
		require.InDelta(t, 0.01, float64(lost)/float64(frames), 0.003)
		t.Logf("signalling %d: %d of %d frames lost", signalling, lost, frames)
	}
}

// Transitions alone repair nothing: one lost Resume leaves its queue paused for ever, although the
// counter downstream is 0. With the bitmap the same loss is made good within two periods.
func TestLostResumeHangsWithoutTheBitmap(t *testing.T) {
	for _, signalling := range []Signalling{Transitions, TransitionsAndBitmap} {
		l := incast(t, 1, Config{Queues: 8, Signalling: signalling})
		l.lose = func(f *Frame) bool { return f.Type == Resume && l.lost == 0 }
		done := l.run(sluice.Second)
		require.Equal(t, 1, l.lost)
		l.audit()
		if signalling == TransitionsAndBitmap {
			require.True(t, done)
			require.Equal(t, l.sent, l.delivered)
			continue
		}
		require.False(t, done)
		require.Equal(t, 1, orphans(l), "a paused queue that no device holds any more")
	}
}

// An outage of any length is repaired in about the time it took: here all frames of 300 us are
// lost.
func TestOutage(t *testing.T) {
	l := incast(t, 1, Config{Queues: 8})
	l.lose = func(*Frame) bool { return l.now < 300*sluice.Microsecond }
	require.True(t, l.run(2*sluice.Millisecond), "%v", l.quiescent())
	require.Equal(t, l.sent, l.delivered)
	require.Less(t, l.now, 700*sluice.Microsecond)
	l.audit()
}

// Pauses work: with them the second switch holds a few thresholds, without them most of the sent
// bytes.
func TestBackpressureBoundsTheBuffer(t *testing.T) {
	peak := func(c Config) (most sluice.Bytes) {
		l := incast(t, 1, c)
		for i := sluice.Time(0); !l.run(i * sluice.Microsecond); i++ {
			most = max(most, l.nodes[1].s.Buffered())
		}
		require.Equal(t, l.sent, l.delivered)
		return most
	}
	with, without := peak(Config{}), peak(Config{Withhold: []Pair{{0, 1}}})
	require.Less(t, 2*with, without)
}
