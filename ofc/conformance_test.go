package ofc

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
)

func TestConformance(t *testing.T) {
	depth.Fewer(t, 20)
	spec := hooksSpec()
	spec.Network = &conformance.Network{
		New:   func(t *rapid.T) conformance.Fabric { return drawFabric(t, true) },
		Lossy: func(t *rapid.T) conformance.Fabric { return drawFabric(t, false) },
	}
	conformance.Run(t, spec)
}

// TestEqualStates: switches that append the same state behave alike, with paced moves or not.
func TestEqualStates(t *testing.T) {
	depth.Fewer(t, 12)
	for name, change := range map[string]func(*Config){
		"at once":   func(c *Config) { c.Speedup = 0 },
		"paced":     func(c *Config) { c.Speedup = 1 },
		"refreshed": func(c *Config) { c.Refresh = sluice.Microsecond },
	} {
		t.Run(name, func(t *testing.T) {
			s := hooksSpec()
			s.New = func(t *rapid.T) func() kit.Machine {
				config := drawConfig(t)
				change(&config)
				return conformance.Machines(config, New)
			}
			conformance.RunStates(t, s)
		})
	}
}

// FuzzHooks decodes bytes to a configuration and a sequence of hooks, hostile ones among them.
func FuzzHooks(f *testing.F) { conformance.Fuzz(f, hooksSpec()) }

func hooksSpec() conformance.Spec {
	return conformance.Spec{
		Name: "ofc",
		New: func(t *rapid.T) func() kit.Machine {
			return conformance.Machines(drawConfig(t), New)
		},
		Flow: func(t *rapid.T, m kit.Machine, port sluice.PortID) sluice.Packet {
			p := conformance.DrawFlow(t, m, port)
			p.Class = drawClass(t)
			return p
		},
		Frame: func(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
			f := drawFrame(t)
			return f.AppendTo(nil)
		},
		Describe: conformance.Describe[Frame],
		MayDrop: func(_ *sluice.Packet, r sluice.Reason) bool {
			return r == sluice.BufferFull || r == sluice.HeadroomExhausted
		},
	}
}

// drawFabric draws what the nodes of a network have in common: headroom by HeadroomFor, so that
// nothing is lost while frames are not.
func drawFabric(t *rapid.T, reliable bool) conformance.Fabric {
	options := drawOptions(t)
	options.Buffer = 0
	if !reliable && options.Refresh == 0 {
		options.Refresh = 5 * sluice.Microsecond
	}
	off := sluice.Bytes(rapid.SampledFrom([]int{3000, 6000, 20_000}).Draw(t, "X_OFF"))
	classes := []sluice.Class{0, 1, 2, 3, 4, 5, 6, 7}
	if options.Classes == 0x0a {
		classes = []sluice.Class{1, 3}
	}
	node := func(n conformance.Node) kit.Machine {
		c := options
		for _, port := range n.Ports {
			c.Ports = append(c.Ports, PortConfig{Link: port.Link, XOff: off})
		}
		for i := range c.Ports {
			c.Ports[i].Headroom = c.HeadroomFor(sluice.PortID(i), conformance.MTU)
		}
		return conformance.Machines(c, New)()
	}
	return conformance.Fabric{Node: node, Classes: classes}
}
