package ideal

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Spec{
		Name: "ideal",
		New: func(t *rapid.T) func() kit.Machine {
			ports := rapid.IntRange(1, 4).Draw(t, "ports")
			quantum := sluice.Bytes(rapid.SampledFrom([]int{1500, 9216}).Draw(t, "quantum"))
			return func() kit.Machine { return New(ports, quantum) }
		},
		MayDrop: func(*sluice.Packet, sluice.Reason) bool { return false },
		Network: &conformance.Network{
			New: func(*rapid.T) conformance.Fabric {
				return conformance.Fabric{
					Node: func(n conformance.Node) kit.Machine { return New(len(n.Ports), conformance.MTU) },
				}
			},
			Ring: true,
		},
	})
}
