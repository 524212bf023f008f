package cbfc

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
	depth.Fewer(t, 15)
	conformance.Run(t, spec())
}

func FuzzHooks(f *testing.F) { conformance.Fuzz(f, spec()) }

func spec() conformance.Spec {
	return conformance.Spec{
		Name: "cbfc",
		New: func(t *rapid.T) func() kit.Machine {
			return conformance.Machines(drawConfig(t), New)
		},
		Packet:    drawPacket,
		Malformed: drawOversized,
		Frame: func(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
			return drawFrame(t).AppendTo(nil)
		},
		Describe: conformance.Describe[Frame],
		Network:  &conformance.Network{New: drawFabric, Lossy: drawFabric},
	}
}

// drawConfig draws small switches: buffers of a few packets, so that credit runs out, and some
// that hold more than can be announced.
func drawConfig(t *rapid.T) Config {
	c := Config{MTU: conformance.MTU}
	for range rapid.IntRange(1, 5).Draw(t, "ports") {
		p := PortConfig{
			Link: sluice.Link{
				Rate: sluice.Rate(rapid.SampledFrom([]int{10, 40, 100}).Draw(t, "Gb/s")) * sluice.Gbps,
			},
			Buffer: rapid.SampledFrom([]sluice.Bytes{1536, 6000, 20_000, 0, 140_000}).Draw(t, "buffer"),
			Period: rapid.SampledFrom([]sluice.Time{0, 1000, sluice.Microsecond}).Draw(t, "period"),
		}
		if rapid.Bool().Draw(t, "link is up") {
			p.PeerBuffer = rapid.SampledFrom([]sluice.Bytes{1536, 6000, 140_000}).Draw(t, "peer's buffer")
		}
		c.Ports = append(c.Ports, p)
	}
	drawService(t, &c)
	return c
}

func drawService(t *rapid.T, c *Config) {
	if rapid.Bool().Draw(t, "round robin") {
		c.Quantum[rapid.IntRange(0, 7).Draw(
			t, "VL",
		)] = sluice.Bytes(rapid.IntRange(1, 9000).Draw(t, "quantum"))
	}
}

func drawPacket(t *rapid.T, _ kit.Machine, p *sluice.Packet) {
	p.Size = sluice.Bytes(rapid.OneOf(
		rapid.SampledFrom([]int64{64, 65, 1000, conformance.MTU}),
		rapid.Int64Range(1, conformance.MTU),
	).Draw(t, "size"))
}

func drawOversized(t *rapid.T, _ kit.Machine, _ sluice.PortID) (sluice.Packet, sluice.Reason) {
	size := sluice.Bytes(rapid.Int64Range(conformance.MTU+1, math.MaxInt64).Draw(t, "size"))
	return sluice.Packet{Size: size, Ingress: sluice.Local}, sluice.BadSize
}

func drawFrame(t *rapid.T) *Frame {
	return &Frame{
		Op:    Op(rapid.IntRange(0, 1).Draw(t, "op")),
		VL:    uint8(rapid.IntRange(0, 15).Draw(t, "VL")),
		FCTBS: rapid.OneOf(rapid.Uint16Max(100), rapid.Uint16Max(counterMask)).Draw(t, "FCTBS"),
		FCCL:  rapid.OneOf(rapid.Uint16Max(100), rapid.Uint16Max(counterMask)).Draw(t, "FCCL"),
	}
}

// drawFabric draws networks whose links are up, or come up, with buffers from an MTU to more than
// can be announced.
func drawFabric(t *rapid.T) conformance.Fabric {
	buffer := rapid.SampledFrom([]sluice.Bytes{1536, 3072, 12_000, 0, 200_000}).Draw(t, "buffer")
	up := rapid.Bool().Draw(t, "links are up")
	period := rapid.SampledFrom([]sluice.Time{
		0, sluice.Microsecond, 5 * sluice.Microsecond,
	}).Draw(t, "period")
	var service Config
	drawService(t, &service)
	return conformance.Fabric{Node: func(n conformance.Node) kit.Machine {
		c := Config{MTU: conformance.MTU, Quantum: service.Quantum}
		for _, port := range n.Ports {
			p := PortConfig{Link: port.Link, Buffer: buffer, Period: period}
			if up {
				p.PeerBuffer = max(buffer, MaxAnnounced)
				if buffer != 0 {
					p.PeerBuffer = buffer
				}
			}
			c.Ports = append(c.Ports, p)
		}
		return conformance.Machines(c, New)()
	}}
}
