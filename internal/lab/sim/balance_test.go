package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/prng"
)

// fourWays is a part with a switch, node 10, of four ports that lead to host 1, which hold so much.
func fourWays(t *testing.T, d, m int, held ...sluice.Bytes) (*part, hashpath.Choice) {
	b := hashpath.NewBuilder()
	b.AddSwitch(10)
	b.AddSwitch(20)
	b.AddHost(0)
	b.AddHost(1)
	b.Connect(sluice.Hop{Switch: 0}, sluice.Hop{Switch: 10, Port: 4})
	b.Connect(sluice.Hop{Switch: 1}, sluice.Hop{Switch: 20, Port: 4})
	for port := range sluice.PortID(4) {
		spine := 30 + sluice.SwitchID(port)
		b.AddSwitch(spine)
		b.Connect(sluice.Hop{Switch: 10, Port: port}, sluice.Hop{Switch: spine})
		b.Connect(sluice.Hop{Switch: 20, Port: port}, sluice.Hop{Switch: spine, Port: 1})
	}
	network, err := b.Build(hashpath.Config{})
	require.NoError(t, err)
	key := hashpath.FlowBetween(0, 1, 1, 2, 17)
	choice := network.Choice(10, &key)
	require.Equal(t, 4, choice.Len())

	ports := make([]port, 5)
	for i := range held {
		ports[i].held = held[i]
	}
	s := &spread{samples: d, remember: m, streams: make([]prng.Source, 11)}
	for range 11 * m {
		s.memory = append(s.memory, sluice.Local)
	}
	nodes := make([]node, 11)
	nodes[10].own = ports
	return &part{Simulator: &Simulator{spread: s}, nodes: nodes}, choice
}

// DRILL(d, 0), section 3.2: the least of d different random ports. Of four, the one with the k-th
// shortest queue is the least of two with the probabilities 3/6, 2/6, 1/6, 0.
func TestDRILLDrawsDifferentPorts(t *testing.T) {
	for d, shares := range map[int][4]float64{
		1: {1. / 4, 1. / 4, 1. / 4, 1. / 4}, 2: {3. / 6, 2. / 6, 1. / 6, 0}, 3: {3. / 4, 1. / 4, 0, 0},
		4: {1, 0, 0, 0}, 16: {1, 0, 0, 0},
	} {
		s, choice := fourWays(t, d, 0, 3000, 1000, 4000, 2000)
		var taken [4]float64
		const packets = 60_000
		for range packets {
			taken[s.pick(10, &choice)]++
		}
		for k, port := range []int{1, 3, 0, 2} {
			require.InDelta(t, shares[k], taken[port]/packets, 0.01, "d = %d, port %d", d, port)
		}
	}
}

// DRILL(1, 1): a port that was shorter is remembered, until another is shorter still; where all are
// alike the port that is drawn is taken.
func TestDRILLRemembers(t *testing.T) {
	s, choice := fourWays(t, 1, 1, 3000, 1000, 4000, 2000)
	own := s.nodes[10].own
	for range 50 {
		before := s.spread.memory[10]
		port := s.pick(10, &choice)
		require.Equal(t, port, s.spread.memory[10])
		if before != sluice.Local {
			require.LessOrEqual(t, own[port].held, own[before].held)
		}
	}
	require.Equal(t, sluice.PortID(1), s.spread.memory[10])

	own[1].held = 9000
	for range 50 {
		s.pick(10, &choice)
	}
	require.Equal(t, sluice.PortID(3), s.spread.memory[10])

	var taken [4]int
	clear(own)
	for range 4000 {
		taken[s.pick(10, &choice)]++
	}
	for port, n := range taken {
		require.InDelta(t, 1000, n, 150, "port %d", port)
	}
}

// DRILL(2, 3) remembers the three least loaded of the ports that it looked at, the least first,
// each once; a remembered port that leads elsewhere is not looked at.
func TestDRILLRemembersSeveral(t *testing.T) {
	s, choice := fourWays(t, 2, 3, 3000, 1000, 4000, 2000)
	for range 100 {
		s.pick(10, &choice)
	}
	memory := s.spread.memory[30:33]
	require.Equal(t, []sluice.PortID{1, 3, 0}, memory)

	copy(memory, []sluice.PortID{4, 4, 4}) // to host 0
	require.NotEqual(t, sluice.PortID(4), s.pick(10, &choice))
	require.Zero(t, testing.AllocsPerRun(100, func() { s.pick(10, &choice) }))
}
