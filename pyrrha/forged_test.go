package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/internal/testnet"
	"github.com/sluicefc/sluice/internal/wire"
)

// One forged RESUME, numbered 65,535 ahead, let go what the peer pauses, and made all that the peer
// said of that root stale until its own numbers had passed. Now three refreshes of the true PAUSE
// are refused, and the fourth is obeyed.
func TestOneForgedFrameDoesNotFreezeALink(t *testing.T) {
	const refresh = 20 * sluice.Microsecond
	l := newLab(t, Config{Ports: ports(Down, Down), Refresh: refresh, Expiry: sluice.Second})
	root := at(20, 1)
	l.pause(0, root, 1)
	q := l.enqueueMany(3, 0, 1, root)
	require.False(t, l.s.Port(0).Sendable(q))
	l.deliver(0, Frame{Type: Resume, Root: root, Sequence: l.sequence[0] + wire.Reordering - 1})
	require.True(t, l.s.Port(0).Sendable(q), "the forged frame is believed")
	require.True(t, l.woken[0])

	for range wire.Persistence - 1 {
		l.now += refresh
		l.pause(0, root, 1)
		require.True(t, l.s.Port(0).Sendable(q))
	}
	l.now += refresh
	l.pause(0, root, 1)
	require.Equal(t, hiq.Paused, l.state(0, root))
	require.False(t, l.s.Port(0).Sendable(q))
	l.resume(0, root)
	require.True(t, l.s.Port(0).Sendable(q), "and so is what comes after it")
	c := l.s.Counters()
	require.EqualValues(t, 1, c.Resynchronised)
	require.EqualValues(t, wire.Persistence-1, c.Stale)

	l.serve(0, 3)
	l.deliver(0, Frame{Type: Resume, Root: root, Sequence: l.sequence[0] + 1})
	require.NoError(t, l.s.Audit())
}

// A PAUSE of a root that is not repeated ends, forged or not, and its packets go.
func TestForgedPauseExpires(t *testing.T) {
	const refresh, expiry = 20 * sluice.Microsecond, 60 * sluice.Microsecond
	for _, sequence := range []uint32{1, wire.Reordering - 1, 1 << 31} {
		l := newLab(t, Config{Ports: ports(Down, Down), Refresh: refresh, Expiry: expiry})
		root := at(20, 1)
		l.deliver(0, Frame{Type: Pause, Root: root, Hop: 1, Sequence: sequence})
		q := l.enqueueMany(3, 0, 1, root)
		for l.s.Deadline() < expiry {
			l.expire()
			require.False(t, l.s.Port(0).Sendable(q), "%v", l.now)
		}
		l.expire()
		require.Equal(t, expiry, l.now)
		require.True(t, l.s.Port(0).Sendable(q))
		require.True(t, l.woken[0])
		l.serve(0, 3)
		require.EqualValues(t, 1, l.s.Counters().Expired)
		for l.s.Deadline() != sluice.Never {
			l.expire()
		}
		require.NoError(t, l.s.Quiescent())
	}
}

// A root with an upstream that is not paused was never freed: single tier, FreeMerged, KeepPaused,
// in a ring of switches on which frames of any kind and number are forged. Refresh repairs their
// effects: milliseconds later all packets have arrived and no root is left.
func TestForgedFramesLeaveNoRoot(t *testing.T) {
	for seed := range uint64(depth.Choose(6, 6, 40, 100)) {
		random := prng.New(seed + 1000)
		pick := func(n int) int { return int(random.Below(uint64(n))) }
		c := ringConfig(pick)
		c.Organisation, c.FreeMerged, c.KeepPaused = SingleTier, true, true
		c.Refresh, c.IQs = 20*sluice.Microsecond, []int{2, 4, 200}[pick(3)]
		r := newRing(t, seed, c, 3+pick(3), 1+pick(3))
		r.traffic(10+pick(20), 60)
		for i := range 100 {
			r.At(sluice.Time(i)*600*sluice.Nanosecond, func() {
				v := r.Nodes[pick(len(r.Nodes))]
				port := pick(len(v.Links))
				if f := forgeAny(r, v, port, pick); f.Old != f.Root {
					v.Receive(sluice.PortID(port), f.AppendTo(nil))
				}
			})
		}
		r.Run(5 * sluice.Millisecond)
		require.NoError(t, r.Done(), "seed %d", seed)
	}
}

// forgeAny makes a frame for a port: of any kind, about the ports of the network, and numbered as
// the peer's next or far ahead.
func forgeAny(n *ring, v *testnet.Node, port int, pick func(int) int) Frame {
	hop := func() sluice.Hop {
		o := n.Nodes[pick(len(n.Nodes))]
		return sluice.Hop{Switch: o.ID, Port: sluice.PortID(pick(len(o.Links)))}
	}
	newest, _ := switchOf(v).ports[port].peer.Heard.Newest()
	f := Frame{
		Type: FrameType(1 + pick(4)), Root: hop(), Hop: uint8(1 + pick(7)),
		Sequence: newest + uint32(pick(3)),
	}
	if pick(4) == 0 {
		f.Sequence = newest + uint32(pick(wire.Reordering))
	}
	if f.Type == Merge {
		f.Old = hop()
	} else if f.Type > Pause {
		f.Hop = 0
	}
	return f
}
