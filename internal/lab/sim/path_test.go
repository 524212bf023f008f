package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// swapped believes that hosts 0 and 1 of a star of three are at each other's port.
func swapped(t *testing.T) *hashpath.Network {
	b := hashpath.NewBuilder()
	b.AddSwitch(3)
	for host, port := range []sluice.PortID{1, 0, 2} {
		b.AddHost(sluice.SwitchID(host))
		b.Connect(sluice.Hop{Switch: sluice.SwitchID(host)}, sluice.Hop{Switch: 3, Port: port})
	}
	n, err := b.Build(hashpath.Config{})
	require.NoError(t, err)
	return n
}

// The host believes in another forwarding state than the switch has.
func TestVerifyPathsCatchesAWrongPrediction(t *testing.T) {
	c := config(star(3), workload.Flow{Src: 0, Dst: 1, Bytes: 1})
	wrong := swapped(t)
	c.Inspect = func(s *sim.Simulator) error {
		s.Reroute(wrong)
		return nil
	}
	_, err := attempt(t, c)
	require.ErrorContains(t, err, "predicted hop 3:1, the switch takes port 0")
}

// A packet that comes to a host which it was not for is an error of the forwarding state, not a
// delivery.
func TestAPacketAtTheWrongHostIsAnError(t *testing.T) {
	c := config(star(3), workload.Flow{Src: 2, Dst: 1, Bytes: 1})
	c.Network = swapped(t)
	c.VerifyPaths = false
	_, err := attempt(t, c)
	require.ErrorContains(t, err, "a packet of flow 0 came to node 0, its destination is 1")
}

// consuming counts, by port, the calls of Consume.
type consuming struct {
	kit.Machine
	packets map[sluice.PortID]int
	bytes   sluice.Bytes
}

func (c *consuming) Consume(_ sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Wake {
	c.packets[port]++
	c.bytes += p.Size
	return 0
}

// Arrivals that no Enqueue sees: each packet that ends at a host, and each that a switch discards
// at the hop limit, must be passed to Consume of the port that it came in by.
func TestConsume(t *testing.T) {
	c := config(chain(2), workload.Flow{Src: 0, Dst: 1, Bytes: 10 * 1460})
	last, first := &consuming{
		packets: map[sluice.PortID]int{},
	}, &consuming{packets: map[sluice.PortID]int{}}
	at(&c, 1, func(m kit.Machine) kit.Machine { last.Machine = m; return last })
	at(&c, 0, func(m kit.Machine) kit.Machine { first.Machine = m; return first })
	run(t, c)
	require.Equal(t, map[sluice.PortID]int{0: 10}, last.packets, "data")
	require.Equal(t, sluice.Bytes(10*1526), last.bytes)
	require.Equal(t, map[sluice.PortID]int{0: 10}, first.packets, "acknowledgements")

	c.HopLimit, c.Until = 1, sluice.Millisecond
	last.packets = map[sluice.PortID]int{}
	second := &consuming{packets: map[sluice.PortID]int{}}
	at(&c, 3, func(m kit.Machine) kit.Machine { second.Machine = m; return second })
	result := run(t, c)
	require.Equal(t, int64(10), result.Expired)
	require.Empty(t, last.packets)
	require.Equal(t, map[sluice.PortID]int{0: 10}, second.packets, "at the switch that discards them")
}
