package onoff_test

import (
	"testing"

	"example.com/embedder/onoff"
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"pgregory.net/rapid"
)

// TestConformance: the suite that the library's own protocols pass takes somebody else's.
func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Spec{
		Name: "onoff",
		New: func(t *rapid.T) func() kit.Machine {
			ports := rapid.IntRange(1, 4).Draw(t, "ports")
			off := sluice.Bytes(rapid.IntRange(1000, 8000).Draw(t, "off"))
			on := off - sluice.Bytes(rapid.IntRange(0, 900).Draw(t, "below off"))
			headroom := sluice.Bytes(rapid.IntRange(0, 20000).Draw(t, "headroom"))
			return func() kit.Machine { return onoff.New(ports, off, on, headroom) }
		},
		Frame: func(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
			return []byte(rapid.SampledFrom([]string{"stop", "go.."}).Draw(t, "frame"))
		},
		Describe: func(frame []byte) string { return string(frame) },
		Network: &conformance.Network{New: func(t *rapid.T) conformance.Fabric {
			off := sluice.Bytes(rapid.IntRange(1000, 8000).Draw(t, "off"))
			return conformance.Fabric{Node: func(n conformance.Node) kit.Machine {
				headroom := sluice.Bytes(0)
				for _, p := range n.Ports {
					onWire := p.Link.Rate.BytesInUp(p.Link.RoundTrip())
					headroom = max(headroom, onWire+3*conformance.MTU+100)
				}
				return onoff.New(len(n.Ports), off, off/2, headroom)
			}}
		}},
	})
}
