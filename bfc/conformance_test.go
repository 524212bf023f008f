package bfc

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
)

func TestConformance(t *testing.T) {
	depth.Fewer(t, 20)
	s := spec()
	s.Network = &conformance.Network{
		New:   func(t *rapid.T) conformance.Fabric { return drawFabric(t, true) },
		Lossy: func(t *rapid.T) conformance.Fabric { return drawFabric(t, false) },
	}
	conformance.Run(t, s)
}

// TestEqualStates: switches that append the same state behave alike, however they signal.
func TestEqualStates(t *testing.T) {
	depth.Fewer(t, 12)
	for signalling := range numSignallings {
		t.Run(signalling.String(), func(t *testing.T) {
			s := spec()
			s.New = func(t *rapid.T) func() kit.Machine {
				config := drawConfig(t)
				if config.Signalling = signalling; signalling == Transitions {
					config.Expiry = 0 // nothing repeats a pause
				}
				return conformance.Machines(config, New)
			}
			conformance.RunStates(t, s)
		})
	}
}

// FuzzHooks decodes bytes to a configuration and a sequence of hooks, hostile ones among them.
func FuzzHooks(f *testing.F) { conformance.Fuzz(f, spec()) }

func spec() conformance.Spec {
	return conformance.Spec{
		Name: "bfc",
		New: func(t *rapid.T) func() kit.Machine {
			return conformance.Machines(drawConfig(t), New)
		},
		Packet: func(t *rapid.T, m kit.Machine, p *sluice.Packet) {
			conformance.DrawPacket(t, m, p)
			p.UpstreamQueue = sluice.QueueID(rapid.OneOf(
				rapid.IntRange(0, 3), rapid.IntRange(0, 3),
				rapid.IntRange(0, m.Queues()), rapid.IntRange(0, math.MaxUint16),
			).Draw(t, "upstream queue"))
		},
		Frame: func(t *rapid.T, m kit.Machine, _ sluice.PortID) []byte {
			f := drawFrame(t, m.Queues())
			return f.AppendTo(nil)
		},
		Describe: conformance.Describe[Frame],
		MayDrop:  func(p *sluice.Packet, r sluice.Reason) bool { return r == sluice.BufferFull },
	}
}

// drawFabric draws what the nodes of a network have in common. Where frames get lost it keeps to
// signallings that repair that.
func drawFabric(t *rapid.T, reliable bool) conformance.Fabric {
	options := drawOptions(t)
	signallings := []Signalling{TransitionsAndBitmap, PeriodicBitmap, BitmapResumeAtOnce, Transitions}
	if !reliable {
		signallings = signallings[:3]
	}
	options.Signalling = rapid.SampledFrom(signallings).Draw(t, "signalling")
	hostQueues := rapid.SampledFrom([]int{1, 4, 100}).Draw(t, "host queues")
	return conformance.Fabric{Node: func(n conformance.Node) kit.Machine {
		c := options
		c.Seed += uint64(n.ID)
		if n.Host() {
			host := hostConfig(hostQueues)
			c.Queues, c.VFIDs, c.Ideal = host.Queues, host.VFIDs, host.Ideal
			c.Index, c.AssignForgotten = SpreadHash, false
			if c.Assignment == LastFreed {
				c.Assignment = RandomScan
			}
		}
		for _, p := range n.Ports {
			port := PortConfig{Link: p.Link, UpstreamQueues: options.Queues}
			if p.PeerTier == 0 {
				port.UpstreamQueues = hostQueues
			}
			c.Ports = append(c.Ports, port)
		}
		return conformance.Machines(c, New)()
	}}
}
