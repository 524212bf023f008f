package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/sim"
	"github.com/sluicefc/sluice/internal/workload"
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
