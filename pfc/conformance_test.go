package pfc

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
)

func TestConformance(t *testing.T) {
	depth.Fewer(t, 50)
	conformance.Run(t, conformance.Spec{
		Name:  "pfc",
		New:   func(t *rapid.T) func() kit.Machine { return wrapped(drawRuledConfig(t)) },
		Frame: drawHostileFrame,
		Network: &conformance.Network{
			New:   func(t *rapid.T) conformance.Fabric { return drawFabric(t) },
			Lossy: func(t *rapid.T) conformance.Fabric { return drawFabric(t) },
		},
	})
}

func wrapped(config Config) func() kit.Machine {
	return func() kit.Machine {
		s, err := New(config)
		if err != nil {
			panic(err)
		}
		return kit.Wrap[*Switch, *Port, Frame](s)
	}
}

func drawHostileFrame(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte { return drawBytes(t) }

// drawFabric draws networks that lose nothing while every device obeys: headroom by Headroom for
// the suite's links, whose peers react at once, and room for the frames of other classes that may
// go first. The watchdog is off: its drops are losses.
func drawFabric(t *rapid.T) conformance.Fabric {
	static := rapid.Bool().Draw(t, "static")
	alpha := drawRatio(t, "alpha")
	pool := sluice.Bytes(rapid.IntRange(2, 40).Draw(t, "pool of packets")) * conformance.MTU
	pause := sluice.Quanta(rapid.SampledFrom([]int{0, 2000}).Draw(t, "pause"))
	groups := drawGroups(t)
	mode := Mode(rapid.IntRange(0, 1).Draw(t, "mode"))
	lossless := sluice.ClassSet(rapid.SampledFrom([]int{0xff, 0x0a}).Draw(t, "lossless"))
	node := func(n conformance.Node) kit.Machine {
		if n.Host() {
			card := HostConfig(n.Ports[0].Link)
			card.Classes, card.Groups, card.Ports[0].Mode = lossless, groups, mode
			return wrapped(card)()
		}
		c := Config{Classes: lossless, Groups: groups}
		for _, port := range n.Ports {
			p := PortConfig{
				Link:  port.Link,
				Pause: pause,
				Mode:  mode,
				Profile: Profile{
					Reserve:  1000,
					Headroom: ofBytes(port.Link.Rate, port.Link.Delay, conformance.MTU, 0),
				},
			}
			if static {
				p.XOff, p.XOn = 6000, 3000
			} else {
				p.Alpha, p.ResumeOffset = alpha, 1500
			}
			c.Ports = append(c.Ports, p)
		}
		c.Buffer = c.SetApart() + pool
		return wrapped(c)()
	}
	classes := []sluice.Class{0, 1, 2, 3, 4, 5, 6, 7}
	if lossless != sluice.AllClasses {
		classes = []sluice.Class{1, 3}
	}
	return conformance.Fabric{Node: node, Classes: classes}
}
