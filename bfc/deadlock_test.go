package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// ring is three switches in a ring with a host each. Every host sends to the host two switches on,
// so that each link of the ring carries a flow which waits for the next one: a cyclic buffer
// dependency.
func ring(t require.TestingT, c Config) *lab {
	l := newLab(t, 1)
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	for range 6 { // switches, then hosts
		l.add()
	}
	for i := range 3 {
		l.connect(i+3, i, link) // port 0 of each is to its host
	}
	// Switch 0 meets its successor at port 1, its predecessor at 2.
	const toHost, next0, next = 0, 1, 2
	l.connect(0, 1, link)
	l.connect(1, 2, link)
	l.connect(2, 0, link)
	// Switch 1: port 1 to 0, port 2 to 2; switch 2: port 1 to 1, port 2 to 0.
	onward := [3]sluice.PortID{next0, next, next}
	for i := range 3 {
		c.Seed = uint64(i)
		l.start(i, c, 64)
		l.start(i+3, hostConfig(64))
	}
	for i := range 3 {
		l.send(i+3, uint64(i+1), 2000, 0, 0, 0, onward[i], onward[(i+1)%3], toHost)
	}
	return l
}

// Deadlock is possible only with a cyclic buffer dependency: with one queue a port, where all flows
// collide, the ring comes to a stop; with a queue for each flow it does not.
func TestRingDeadlocksOnlyWhenFlowsCollide(t *testing.T) {
	collide := ring(t, Config{Queues: 1})
	require.False(t, collide.run(50*sluice.Millisecond))
	require.Zero(t, collide.dropped)
	require.Zero(t, orphans(collide), "every pause is in force: it is a deadlock, not a lost frame")
	collide.audit()

	apart := ring(t, Config{Queues: 32, Ideal: true})
	require.True(t, apart.run(50*sluice.Millisecond))
	require.Equal(t, apart.sent, apart.delivered)
	apart.audit()
}

// Withholding backpressure on selected pairs of ingress and egress breaks each cycle, accepting
// drops there.
func TestWithheldPairBreaksTheCycle(t *testing.T) {
	// Only switch 0 has the pair (from switch 2, to switch 1): its ports 2 and 1. At the others
	// that is the way back, which no flow takes.
	roomy := ring(t, Config{Queues: 1, Withhold: []Pair{{2, 1}}})
	require.True(t, roomy.run(50*sluice.Millisecond))
	require.Equal(t, roomy.sent, roomy.delivered)
	require.Positive(t, roomy.nodes[0].s.Counters().Withheld)
	require.Zero(t, roomy.nodes[1].s.Counters().Withheld)
	roomy.audit()

	small := ring(t, Config{Queues: 1, Withhold: []Pair{{2, 1}}, Buffer: 60 * sluice.KB})
	require.True(t, small.run(50*sluice.Millisecond))
	require.Equal(t, small.sent, small.delivered+small.dropped)
	require.Positive(t, small.nodes[0].s.Counters().Dropped[sluice.BufferFull])
	small.audit()
}
