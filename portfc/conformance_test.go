package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
)

func TestConformance(t *testing.T) {
	depth.Fewer(t, 20)
	s := spec()
	s.Network = conformanceNetworks()
	conformance.Run(t, s)
}

func spec() conformance.Spec {
	return conformance.Spec{
		Name: "portfc",
		New: func(t *rapid.T) func() kit.Machine {
			return conformance.Machines(drawConfig(t), New)
		},
		Flow:      drawFlow,
		Frame:     drawFrame,
		Malformed: drawMalformed,
		Describe:  conformance.Describe[Frame],
		MayDrop:   func(_ *sluice.Packet, r sluice.Reason) bool { return r == sluice.BufferFull },
	}
}

func mustNew(t require.TestingT, c Config) *Switch {
	s, err := New(c)
	require.NoError(t, err)
	return s
}

// drawConfig draws a device of a small network, whose thresholds are a few packets.
func drawConfig(t *rapid.T) Config {
	network := rapid.SampledFrom([]NDC{{2, 1}, {3, 1}, {4, 1}, {2, 2}, {3, 2}}).Draw(t, "network")
	return drawOptions(
		t, network, sluice.SwitchID(rapid.IntRange(0, network.Devices()-1).Draw(t, "device")),
	)
}

func drawOptions(t *rapid.T, network NDC, device sluice.SwitchID) Config {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 100 * sluice.Nanosecond} // 1,250 bytes
	c := SwitchConfig(network, device, link)
	if network.IsNode(device) {
		c = NodeConfig(network, device, link)
	}
	c.HopClasses = network.K > 1 || rapid.Bool().Draw(t, "hop classes")
	c.XOff = sluice.Ratio{Num: rapid.Int64Range(1, 6).Draw(t, "XOff"), Den: 1}
	c.XOn = sluice.Ratio{Num: rapid.Int64Range(0, c.XOff.Num).Draw(t, "XOn"), Den: 2}
	if rapid.Bool().Draw(t, "own thresholds of DDQ") {
		c.DirectXOff, c.DirectXOn = sluice.Ratio{Num: 2, Den: 1}, sluice.Ratio{Num: 2, Den: 1}
	}
	if rapid.Bool().Draw(t, "relay threshold") {
		c.RelayXOff = sluice.Ratio{Num: 3, Den: 1}
	}
	c.RelayInTurn = rapid.Bool().Draw(t, "relay in turn")
	c.High = rapid.SampledFrom([]sluice.ClassSet{0, 0xc0, sluice.NoClasses}).Draw(t, "high")
	c.Buffer = rapid.SampledFrom([]sluice.Bytes{0, 0, 20_000}).Draw(t, "buffer")
	c.Quantum = rapid.SampledFrom([]sluice.Bytes{0, 500}).Draw(t, "quantum")
	if rapid.Bool().Draw(t, "marking") {
		c.Marking = sluice.Marking{KMin: 1000, KMax: 5000, PMax: sluice.Ratio{Num: 1, Den: 2}}
	}
	if rapid.Bool().Draw(t, "refresh") {
		c.Refresh = 20 * sluice.Microsecond
	}
	return c
}

// drawFlow draws packets that go on from a port: of a node its own, or others', of a switch
// others'.
func drawFlow(t *rapid.T, m kit.Machine, port sluice.PortID) sluice.Packet {
	s := kit.Unwrap(m).(*Switch)
	network, self := s.network, s.config.Switch
	p := sluice.Packet{
		Flow:    rapid.Uint64Range(0, 7).Draw(t, "flow"),
		Class:   sluice.Class(rapid.IntRange(0, 7).Draw(t, "class")),
		ECN:     sluice.ECN(rapid.IntRange(0, 3).Draw(t, "ECN")),
		Ingress: sluice.Local,
	}
	others := rapid.IntRange(1, s.Ports()).Draw(t, "ingress")
	if others < s.Ports() {
		p.Ingress = sluice.PortID((int(port) + others) % s.Ports())
	}
	at := self
	if !s.node {
		p.Path.Append(sluice.Hop{Switch: self, Port: port})
		at = network.NodeAt(self, int(port))
	}
	most := network.Layers() // switches that follow
	if !s.node {
		most = network.K
	}
	layer := int(s.layer)
	least := 0
	if s.node {
		least = 1
	}
	for i := range rapid.IntRange(least, most).Draw(t, "switches") {
		next := (layer + 1 + rapid.IntRange(0, network.K-1).Draw(t, "layer")) % network.Layers()
		if s.node && i == 0 {
			next = int(port)
		}
		digit := (network.Digit(at, next) + rapid.IntRange(1, network.N-1).Draw(t, "digit")) % network.N
		at = network.step(&p.Path, at, next, digit)
		layer = next
	}
	return p
}

// drawFrame draws frames; most could be meant for the port.
func drawFrame(t *rapid.T, m kit.Machine, port sluice.PortID) []byte {
	f := drawMessage(t, kit.Unwrap(m).(*Switch), port)
	f.Sequence = conformance.DrawSequence(t)
	return f.AppendTo(nil)
}

// drawMessage draws a frame without its sequence number.
func drawMessage(t *rapid.T, s *Switch, port sluice.PortID) Frame {
	network := s.network
	f := Frame{
		Type:  Type(rapid.IntRange(1, 2).Draw(t, "type")),
		Queue: sluice.QueueID(rapid.IntRange(0, int(network.DDQ())).Draw(t, "queue")),
		Port:  sluice.PortID(rapid.IntRange(0, network.N).Draw(t, "congested port")),
		Layer: uint8(port),
	}
	if !s.node || rapid.IntRange(0, 9).Draw(t, "any layer") == 0 {
		f.Layer = uint8(rapid.IntRange(0, network.Layers()).Draw(t, "layer"))
	}
	if rapid.IntRange(0, 5).Draw(t, "relay queue") == 0 {
		f.Queue, f.Port = network.RelayQueue(), sluice.PortID(f.Layer)
	}
	return f
}

// drawMalformed draws a packet of data whose path is none of the network.
func drawMalformed(t *rapid.T, m kit.Machine, port sluice.PortID) (sluice.Packet, sluice.Reason) {
	p := drawFlow(t, m, port)
	p.Size, p.Class, p.Ingress = 1000, 0, sluice.Local
	hops := append([]sluice.Hop(nil), p.Path.Hops()...)
	switch rapid.IntRange(0, 3).Draw(t, "fault") {
	case 0:
		hops[0].Port++
	case 1:
		hops = nil
	case 2:
		p.Ingress = port
	case 3:
		read := 2 // hops that a machine reads
		if !kit.Unwrap(m).(*Switch).node {
			read = 3
		}
		hops[min(len(hops), read)-1].Switch += 1000
	}
	p.Path, _ = sluice.MakePath(hops...)
	return p, sluice.BadPath
}
