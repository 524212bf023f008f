package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The hostile peer is h3, at port 3 of the switch. Hosts 0 and 1 send to 2, and 4 to it.
const hostileHost, hostileHub, hostilePort = 3, 5, 3

func init() {
	topologies["hostile"] = func(*settings) *plan {
		p := &plan{}
		p.hosts(5)
		hub := p.add(fabric, "s0")
		for _, h := range p.places[:5] {
			p.connect(h, hub)
		}
		p.flow("good", p.places[0], p.places[2])
		p.flow("good", p.places[1], p.places[2])
		p.flow("to the hostile", p.places[4], p.places[hostileHost])
		return p
	}
}

// TestHostilePeer: random and mutated frames at the rate of the link. Nothing crashes, the others'
// packets arrive, every frame is counted, and no pause lasts longer than its quanta.
func TestHostilePeer(t *testing.T) {
	for protocol, lasts := range map[string]time.Duration{
		"pfc": 10 * time.Second, "pyrrha": 3 * time.Second,
		"bfc": 3 * time.Second, "ofc": 3 * time.Second,
	} {
		t.Run(protocol, func(t *testing.T) {
			s := defaults()
			s.protocol, s.topology, s.foreign = protocol, "hostile", "h3"
			var h *hostile
			var before, after portSnapshot
			l, all := steadily(t, s, func(l *lab) {
				h = newHostile(l)
				h.attack(lasts)
				before = l.snapshots()[hostileHub].ports[hostilePort]
				h.fallSilent(s)
				after = l.snapshots()[hostileHub].ports[hostilePort]
			})
			for f := range 2 {
				require.Zero(t, l.missing(all, f), "a good flow")
				require.Zero(t, all[2].sinks[f].outOfOrder)
				require.Greater(t, int(all[2].sinks[f].received), inTime(s, lasts)/5)
			}
			require.Zero(t, after.held)
			require.Greater(t, after.Sent, before.Sent, "what waited for the hostile peer goes")
			requireHostileCounted(t, h, all[hostileHub])
		})
	}
}

// requireHostileCounted checks that every frame of the hostile peer is in one counter.
func requireHostileCounted(t *testing.T, h *hostile, hub snapshot) {
	t.Helper()
	p := &hub.ports[hostilePort]
	require.Equal(t, h.sent, p.Received+p.Lost)
	require.Equal(t, p.Received, p.Control+p.Forwarded+p.Delivered+p.refused())
	require.NotZero(t, p.Control)
	require.NotZero(t, p.Refused[foreign])
	require.NotZero(t, p.Refused[badHeader])
	require.NotZero(t, p.Refused[noRoute])
	m := &p.machine
	require.LessOrEqual(t, p.Control, m.FramesReceived+m.Malformed)
	require.NotZero(t, m.Malformed)

	forwarded, taken := uint64(0), uint64(0)
	for id := range hub.ports {
		q := &hub.ports[id]
		forwarded += q.Forwarded
		taken += q.machine.Enqueued + q.machine.Drops()
	}
	require.Equal(t, forwarded, taken, "what is forwarded is queued or dropped")
	t.Logf("of %d hostile frames %d were control, %d of them malformed, %d forwarded, %s", h.sent,
		p.Control, m.Malformed, p.Forwarded, p.losses())
}
