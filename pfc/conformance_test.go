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
	depth.Fewer(t, 25)
	conformance.Run(t, conformance.Spec{
		Name: "pfc",
		New: func(t *rapid.T) func() kit.Machine {
			return conformance.Machines(drawRuledConfig(t), New)
		},
		Frame: drawHostileFrame,
		Network: &conformance.Network{
			New:   func(t *rapid.T) conformance.Fabric { return drawFabric(t) },
			Lossy: func(t *rapid.T) conformance.Fabric { return drawFabric(t) },
		},
	})
}

func drawHostileFrame(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte { return drawBytes(t) }

// drawFabric draws networks that lose nothing while every device obeys: headroom by Headroom for
// the suite's links, whose peers react at once, and room for the frames of other classes that may
// go first. The watchdog is off: its drops are losses. Amid a run an operator may give a switch
// other thresholds, restore it from a snapshot, or turn the big red switch.
func drawFabric(t *rapid.T) conformance.Fabric {
	groups := drawGroups(t)
	mode := Mode(rapid.IntRange(0, 1).Draw(t, "mode"))
	lossless := sluice.ClassSet(rapid.SampledFrom([]int{0xff, 0x0a}).Draw(t, "lossless"))
	first, second := drawThresholds(t), drawThresholds(t)
	config := func(n conformance.Node, set thresholds) Config {
		c := Config{Classes: lossless, Groups: groups}
		for _, port := range n.Ports {
			c.Ports = append(c.Ports, set.port(port.Link, mode))
		}
		c.Buffer = c.SetApart() + set.pool
		return c
	}
	others := map[*Switch][2]Config{}
	node := func(n conformance.Node) kit.Machine {
		if n.Host() {
			card := HostConfig(n.Ports[0].Link)
			card.Classes, card.Groups, card.Ports[0].Mode = lossless, groups, mode
			return conformance.Machines(card, New)()
		}
		m := conformance.Machines(config(n, first), New)()
		others[kit.Unwrap(m).(*Switch)] = [2]Config{config(n, first), config(n, second)}
		return m
	}
	classes := []sluice.Class{0, 1, 2, 3, 4, 5, 6, 7}
	if lossless != sluice.AllClasses {
		classes = []sluice.Class{1, 3}
	}
	operate := func(m kit.Machine, now sluice.Time, salt uint64) (kit.Machine, sluice.Wake) {
		return operated(m, now, salt, others)
	}
	return conformance.Fabric{Node: node, Classes: classes, Operate: operate}
}

// thresholds are what an operator may change.
type thresholds struct {
	static bool
	alpha  sluice.Ratio
	pool   sluice.Bytes
	pause  sluice.Quanta
}

func drawThresholds(t *rapid.T) thresholds {
	return thresholds{
		static: rapid.Bool().Draw(t, "static"),
		alpha:  drawRatio(t, "alpha"),
		pool:   sluice.Bytes(rapid.IntRange(2, 40).Draw(t, "pool of packets")) * conformance.MTU,
		pause:  sluice.Quanta(rapid.SampledFrom([]int{0, 2000}).Draw(t, "pause")),
	}
}

func (s thresholds) port(link sluice.Link, mode Mode) PortConfig {
	p := PortConfig{
		Link: link, Pause: s.pause, Mode: mode,
		Profile: Profile{
			Reserve: 1000, Headroom: ofBytes(link.Rate, link.Delay, conformance.MTU, 0),
		},
	}
	if s.static {
		p.XOff, p.XOn = 6000, 3000
	} else {
		p.Alpha, p.ResumeOffset = s.alpha, 1500
	}
	return p
}

// operated is what an operator does to a switch whose configurations are known; a salt of 0 sets it
// back.
func operated(
	m kit.Machine, now sluice.Time, salt uint64, known map[*Switch][2]Config,
) (kit.Machine, sluice.Wake) {
	s := kit.Unwrap(m).(*Switch)
	configs, ok := known[s]
	switch {
	case !ok:
		return m, 0
	case salt == 0:
		w := s.BigRedSwitch(now, false)
		again, err := s.Reconfigure(now, configs[0])
		return m, mustWake(w.Merge(again), err)
	case salt%3 == 0:
		return m, s.BigRedSwitch(now, true)
	case salt%3 == 1:
		return m, mustWake(s.Reconfigure(now, configs[1]))
	}
	snapshot := s.Snapshot()
	restored, err := Restore(s.Config(), &snapshot)
	if err != nil {
		panic(err)
	}
	known[restored] = configs
	return kit.Wrap[*Switch, *Port, Frame](restored), 0
}

func mustWake(w sluice.Wake, err error) sluice.Wake {
	if err != nil {
		panic(err)
	}
	return w
}
