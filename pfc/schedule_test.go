package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// order sends n packets and returns their classes.
func (k *bench) order(n int) (classes []sluice.Class) {
	k.t.Helper()
	for range n {
		p, _, ok := k.send(0)
		require.True(k.t, ok)
		classes = append(classes, p.Class)
	}
	return classes
}

func host(groups ...Group) Config {
	c := HostConfig(sluice.Link{Rate: 100 * sluice.Gbps})
	c.Groups = groups
	return c
}

// TestStrictPriority: class 7 first, in any order of arrival, and no held class.
func TestStrictPriority(t *testing.T) {
	k := newBench(t, host())
	for c := range sluice.Class(8) {
		k.enqueue(0, sluice.Local, c, 100)
		k.enqueue(0, sluice.Local, c, 100)
	}
	require.Equal(t, []sluice.Class{7, 7, 6}, k.order(3))
	k.receive(0, pauseOf(1, 6, 4))
	require.Equal(t, []sluice.Class{5, 5, 3}, k.order(3))
	k.enqueue(0, sluice.Local, 7, 100)
	require.Equal(t, []sluice.Class{7, 3}, k.order(2))
	k.at(5120)
	require.Equal(t, []sluice.Class{6, 4, 4, 2, 2, 1, 1, 0, 0}, k.order(9))
}

// TestGroupsAreStrict: the first group of the configuration first, whatever its classes' numbers.
func TestGroupsAreStrict(t *testing.T) {
	k := newBench(
		t,
		host(
			Group{Classes: sluice.MakeClassSet(0)},
			Group{Classes: sluice.MakeClassSet(6, 7)},
			Group{Classes: sluice.MakeClassSet(1, 2, 3, 4, 5)},
		),
	)
	for c := range sluice.Class(8) {
		k.enqueue(0, sluice.Local, c, 9216)
	}
	require.Equal(t, []sluice.Class{0, 6, 7, 1, 2, 3, 4, 5}, k.order(8))
}

// TestGroupsThatAreStrictPriority are served without the deficits.
func TestGroupsThatAreStrictPriority(t *testing.T) {
	var groups []Group
	for c := 7; c >= 0; c-- {
		groups = append(groups, Group{Classes: sluice.MakeClassSet(sluice.Class(c))})
	}
	require.Nil(t, newBench(t, host(groups...)).s.ports[0].state.groups)
	groups[0], groups[1] = groups[1], groups[0]
	k := newBench(t, host(groups...))
	require.NotNil(t, k.s.ports[0].state.groups)
	k.enqueue(0, sluice.Local, 7, 1)
	k.enqueue(0, sluice.Local, 6, 1)
	require.Equal(t, []sluice.Class{6, 7}, k.order(2))
}

// TestDeficitRoundRobin: shares of bytes in the ratio of the quanta, whatever the packet sizes
// (Shreedhar and Varghese: the service of two backlogged queues differs from it by less than a
// quantum and a packet each).
func TestDeficitRoundRobin(t *testing.T) {
	g := Group{Classes: 0xff}
	g.Quantum = [8]sluice.Bytes{0: 3000, 1: 1500, 2: 1500, 3: 500, 4: 1, 5: 1, 6: 1, 7: 1}
	k := newBench(t, host(g))
	sizes := [4]int{64, 1500, 9000, 700}
	for range 4000 {
		for c, size := range sizes {
			k.enqueue(0, sluice.Local, sluice.Class(c), size)
		}
	}
	var sent [4]int
	for total := 0; total < 240_000; {
		p, _, _ := k.send(0)
		sent[p.Class] += int(p.Size)
		total += int(p.Size)
	}
	for c, share := range [4]int{3000, 1500, 1500, 500} {
		want := 240_000 * share / 6500
		require.InDelta(t, want, sent[c], float64(share+sizes[c]+9000*share/6500), "class %d", c)
	}
}

// TestPacketsFarLargerThanAQuantum cost no more than others: the rounds are not walked.
func TestPacketsFarLargerThanAQuantum(t *testing.T) {
	g := Group{Classes: 0xff}
	for c := range g.Quantum {
		g.Quantum[c] = 1
	}
	g.Quantum[2] = 2
	k := newBench(t, host(g))
	const size = 1<<31 - 1
	for range 3 {
		for _, c := range []sluice.Class{0, 2} {
			k.enqueue(0, sluice.Local, c, size)
		}
	}
	// Class 2 comes out of debt in half the rounds.
	require.Equal(t, []sluice.Class{2, 0, 2, 2, 0, 0}, k.order(6))

	for range 1000 {
		k.enqueue(0, sluice.Local, 4, size)
		k.enqueue(0, sluice.Local, 5, size)
	}
	k.drain(0) // to walk the rounds would take hours
}

// TestDiscardedQueueForfeits the rest of its round, as a queue that was sent empty.
func TestDiscardedQueueForfeits(t *testing.T) {
	k := newBench(t, host(Group{Classes: 0xff, Quantum: [8]sluice.Bytes{3: 3000, 4: 3000}}))
	for _, c := range []sluice.Class{3, 4} {
		k.enqueue(0, sluice.Local, c, 1000)
		k.enqueue(0, sluice.Local, c, 1000)
	}
	require.Equal(t, []sluice.Class{3}, k.order(1))
	k.s.BigRedSwitch(0, true)
	k.drain(0)
	k.s.BigRedSwitch(0, false)
	for c := range sluice.Classes {
		require.Zero(t, k.s.Port(0).state.ring.Deficit(c))
	}
}

// A class whose queue was emptied forfeits the rest of its turn (Shreedhar and Varghese, Efficient
// Fair Queuing Using Deficit Round Robin, Figure 2): the next packet of another class is before its
// own next.
func TestEmptiedClassForfeitsItsCredit(t *testing.T) {
	k := newBench(t, host(
		Group{Classes: sluice.MakeClassSet(6, 7)}, Group{Classes: sluice.MakeClassSet(0, 1, 2, 3, 4, 5)},
	))
	k.enqueue(0, sluice.Local, 6, 100)
	require.Equal(t, []sluice.Class{6}, k.order(1))
	k.enqueue(0, sluice.Local, 6, 100)
	k.enqueue(0, sluice.Local, 7, 100)
	require.Equal(t, []sluice.Class{7, 6}, k.order(2))
}

// TestDiscardedQueueIsFirst, also before a queue of a higher priority: it takes no time on the
// wire.
func TestDiscardedQueueIsFirst(t *testing.T) {
	for _, groups := range [][]Group{nil, {{Classes: 0xf0}, {Classes: 0x0f}}} {
		k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
		k.reconfigure(func(c *Config) { c.Groups = groups })
		k.enqueue(0, 1, 7, 100)
		k.enqueue(0, 1, 3, 100)
		k.s.BigRedSwitch(0, true)
		require.Equal(t, []sluice.Class{3, 7}, k.order(2))
	}
}

// TestDeficitsBeginAtZero: what was sent by strict priority costs no class anything when the port
// gets groups.
func TestDeficitsBeginAtZero(t *testing.T) {
	config := host()
	config.Ports[0].ECN[2] = sluice.Marking{KMin: 1, KMax: 1}
	k := newBench(t, config)
	for range 3 {
		k.enqueue(0, sluice.Local, 2, 5000)
	}
	k.order(2)
	k.reconfigure(func(c *Config) { c.Groups = []Group{{Classes: sluice.AllClasses}} })
	require.Zero(t, k.s.Port(0).state.ring.Deficit(2))
}
