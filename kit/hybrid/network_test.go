package hybrid

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
	"pgregory.net/rapid"
)

// hybridNetwork draws networks of hybrids. They survive the loss of control frames if Pyrrha
// repeats its own, as PFC does.
var hybridNetwork = conformance.Network{
	New: func(t *rapid.T) conformance.Fabric { return conformance.Fabric{Node: drawHybrid(t).build} },
	Lossy: func(t *rapid.T) conformance.Fabric {
		shape := drawHybrid(t)
		shape.refresh = 20 * sluice.Microsecond
		return conformance.Fabric{Node: shape.build}
	},
}

// hybridShape is what the nodes of a network of hybrids have in common.
type hybridShape struct {
	pool    sluice.Bytes
	pause   sluice.Quanta
	iqs     int
	refresh sluice.Time
}

func drawHybrid(t *rapid.T) hybridShape {
	return hybridShape{
		pool:  sluice.Bytes(rapid.IntRange(2, 40).Draw(t, "pool of packets")) * conformance.MTU,
		pause: sluice.Quanta(rapid.SampledFrom([]int{0, 2000}).Draw(t, "pause")),
		iqs:   rapid.SampledFrom([]int{7, 20}).Draw(t, "IQs"),
	}
}

func (h hybridShape) build(n conformance.Node) kit.Machine {
	below := pfc.Config{Buffer: h.pool}
	above := pyrrha.Config{Switch: n.ID, IQs: h.iqs, MTU: conformance.MTU, Refresh: h.refresh}
	for _, p := range n.Ports {
		headroom := (&pfc.PortConfig{Link: p.Link}).HeadroomFor(conformance.MTU, 0).Total +
			64*pfc.WireLength
		below.Buffer += sluice.Classes * (1000 + headroom)
		below.Ports = append(below.Ports, pfc.PortConfig{
			Link:    p.Link,
			Pause:   h.pause,
			Profile: pfc.Profile{Reserve: 1000, Headroom: headroom, XOff: 6000, XOn: 3000},
		})
		role := pyrrha.Down
		switch {
		case n.Host():
			role = pyrrha.NIC
		case p.PeerTier == 0:
			role = pyrrha.Host
		case p.PeerTier > n.Tier:
			role = pyrrha.Up
		}
		above.Ports = append(above.Ports, pyrrha.PortConfig{Link: p.Link, Role: role})
	}
	return compose(below, above)
}

func compose(below pfc.Config, above pyrrha.Config) *Switch {
	b, err := pfc.New(below)
	if err != nil {
		panic(err)
	}
	a, err := pyrrha.New(above)
	if err != nil {
		panic(err)
	}
	h, err := New(b, a)
	if err != nil {
		panic(err)
	}
	return h
}
