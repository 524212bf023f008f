package ideal

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"pgregory.net/rapid"
)

func TestConformance(t *testing.T) {
	depth.Fewer(t, 20)
	conformance.Run(t, conformance.Spec{
		Name:   "ideal",
		Silent: true,
		New: func(t *rapid.T) func() kit.Machine {
			ports := rapid.IntRange(1, 4).Draw(t, "ports")
			// Few queues, so that flows share some, or enough for all.
			queues := rapid.SampledFrom([]int{1, 3, 16, 64}).Draw(t, "queues")
			quantum := sluice.Bytes(rapid.SampledFrom([]int{1500, 9216}).Draw(t, "quantum"))
			return func() kit.Machine { return newSwitch(ports, queues, quantum) }
		},
		MayDrop: func(*sluice.Packet, sluice.Reason) bool { return false },
		Network: &conformance.Network{
			New: func(*rapid.T) conformance.Fabric {
				return conformance.Fabric{
					Node: func(n conformance.Node) kit.Machine {
						return newSwitch(len(n.Ports), 64, conformance.MTU)
					},
				}
			},
			Ring: true,
		},
	})
}
