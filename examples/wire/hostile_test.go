package main

import (
	"strconv"
	"testing"
	"time"

	"github.com/sluicefc/sluice/portfc"
	"github.com/stretchr/testify/require"
)

// hostileCase is a network with a hostile host at a port of a switch. Its flows 0 and 1 are good
// and go to one host, flow 2 goes to the hostile.
type hostileCase struct {
	protocol, topology string
	lasts              time.Duration
	host, hub, port    int // of the hostile
	receiver           int // of the good flows
}

func init() {
	topologies["hostile star"] = func(*settings) *plan {
		p := &plan{}
		p.hosts(5)
		hub := p.add(fabric, "s0")
		for _, h := range p.places[:5] {
			p.connect(h, hub)
		}
		p.flow("good", p.places[0], p.places[2])
		p.flow("good", p.places[1], p.places[2])
		p.flow("to the hostile", p.places[4], p.places[3])
		return p
	}
	topologies["hostile ndc"] = func(*settings) *plan {
		p := &plan{network: portfc.NDC{N: 3, K: 1}}
		p.addNetwork()
		p.flow("good", p.places[2], p.places[0]) // by the switch of the hostile
		p.flow("good", p.places[6], p.places[0]) // and by another
		p.flow("to the hostile", p.places[2], p.places[1])
		return p
	}
}

// TestHostilePeer: random and mutated frames at the rate of the link. Nothing crashes, the others'
// packets arrive, every frame is counted, and no pause lasts longer than its quanta.
func TestHostilePeer(t *testing.T) {
	star := hostileCase{topology: "hostile star", host: 3, hub: 5, port: 3, receiver: 2}
	for protocol, c := range map[string]hostileCase{
		"pfc": star, "pyrrha": star, "bfc": star, "ofc": star,
		"portfc": {topology: "hostile ndc", host: 1, hub: 9, port: 1},
	} {
		if c.protocol, c.lasts = protocol, 3*time.Second; protocol == "pfc" {
			c.lasts = 10 * time.Second
		}
		t.Run(protocol, c.test)
	}
}

func (c hostileCase) test(t *testing.T) {
	s := defaults()
	s.protocol, s.topology, s.foreign = c.protocol, c.topology, "h"+strconv.Itoa(c.host)
	var h *hostile
	var before, after portSnapshot
	l, all := steadily(t, s, func(l *lab) {
		h = newHostile(l, c.host)
		h.attack(c.lasts)
		before = l.snapshots()[c.hub].ports[c.port]
		h.fallSilent(s)
		after = l.snapshots()[c.hub].ports[c.port]
	})
	for f := range 2 {
		require.Zero(t, l.missing(all, f), "a good flow")
		require.Zero(t, all[c.receiver].sinks[f].outOfOrder)
		require.Greater(t, int(all[c.receiver].sinks[f].received), inTime(s, c.lasts)/5)
	}
	require.Zero(t, after.held)
	require.Greater(t, after.Sent, before.Sent, "what waited for the hostile peer goes")
	requireHostileCounted(t, h, all[c.hub], &all[c.hub].ports[c.port])
}

// requireHostileCounted checks that every frame of the hostile peer is in one counter.
func requireHostileCounted(t *testing.T, h *hostile, hub snapshot, p *portSnapshot) {
	t.Helper()
	require.Equal(t, h.sent, p.Received+p.Lost)
	require.Equal(t, p.Received, p.Control+p.Forwarded+p.Delivered+total(p.Refused[:]))
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
