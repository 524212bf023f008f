package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// ring is three switches, 0 to 2, in a ring with a host each, 3 to 5. Every host sends to the host
// two switches on, so that each link of the ring carries a flow which waits for the next one: a
// cyclic buffer dependency.
func ring(t *testing.T, c Config) *network {
	n := newNetwork(t, 1)
	n.MayDrop = sluice.BufferFull
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	for id := range sluice.SwitchID(3) {
		n.Connect(id+3, id, link) // port 0 of each is to its host
	}
	var onward [3]sluice.Hop
	for id := range sluice.SwitchID(3) {
		port, _ := n.Connect(id, (id+1)%3, link)
		onward[id] = hop(id, port)
	}
	for id := range sluice.SwitchID(3) {
		c.Seed = uint64(id)
		n.start(id, c, 64)
		n.start(id+3, hostConfig(64))
	}
	for id := range sluice.SwitchID(3) {
		n.send(uint64(id+1), 2000, 0, hop(id+3, 0), onward[id], onward[(id+1)%3], hop((id+2)%3, 0))
	}
	return n
}

// Deadlock is possible only with a cyclic buffer dependency: with one queue a port, where all flows
// collide, the ring comes to a stop; with a queue for each flow it does not.
func TestRingDeadlocksOnlyWhenFlowsCollide(t *testing.T) {
	collide := ring(t, Config{Queues: 1})
	require.Error(t, collide.Finish(50*sluice.Millisecond))
	require.Zero(t, collide.Missing)
	require.Zero(t, collide.orphans(), "every pause is in force: it is a deadlock, not a lost frame")
	collide.audit()

	apart := ring(t, Config{Queues: 32, Ideal: true})
	require.NoError(t, apart.Finish(50*sluice.Millisecond))
	require.Zero(t, apart.Missing)
	apart.audit()
}

// Withholding backpressure on selected pairs of ingress and egress breaks each cycle, accepting
// drops there.
func TestWithheldPairBreaksTheCycle(t *testing.T) {
	// Only switch 0 has the pair (from switch 2, to switch 1): its ports 2 and 1. At the others
	// that is the way back, which no flow takes.
	roomy := ring(t, Config{Queues: 1, Withhold: []Pair{{2, 1}}})
	require.NoError(t, roomy.Finish(50*sluice.Millisecond))
	require.Zero(t, roomy.Missing)
	require.Positive(t, roomy.of(0).Counters().Withheld)
	require.Zero(t, roomy.of(1).Counters().Withheld)
	roomy.audit()

	small := ring(t, Config{Queues: 1, Withhold: []Pair{{2, 1}}, Buffer: 60 * sluice.KB})
	require.NoError(t, small.Finish(50*sluice.Millisecond))
	require.Positive(t, small.of(0).Counters().Dropped[sluice.BufferFull])
	small.audit()
}
