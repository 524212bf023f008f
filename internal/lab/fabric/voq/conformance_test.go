package voq

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
)

func spec() conformance.Spec {
	return conformance.Spec{
		Name: "voq",
		New:  func(t *rapid.T) func() kit.Machine { return conformance.Machines(drawConfig(t), New) },
		Frame: func(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
			return drawFrame(t).AppendTo(nil)
		},
		Describe: conformance.Describe[Frame],
		Network:  &conformance.Network{New: drawFabric},
	}
}

func TestConformance(t *testing.T) {
	depth.Fewer(t, 20)
	_, ok := kit.StatefulOf(conformance.Machines(HostConfig(link), New)())
	require.True(t, ok, "its state can be copied")
	conformance.Run(t, spec())
}

// Packets to one destination wait only for packets to it, which all go one way, so that in a circle
// of switches they never wait for themselves, if every destination has a queue.
func TestConformanceInRings(t *testing.T) {
	depth.Fewer(t, 20)
	s := spec()
	s.Network = &conformance.Network{Ring: true, New: func(t *rapid.T) conformance.Fabric {
		return fabricOf(t, 64)
	}}
	conformance.RunDecisions(t, s)
}

func FuzzHooks(f *testing.F) { conformance.Fuzz(f, spec()) }

func drawQueues(t *rapid.T) int { return rapid.SampledFrom([]int{1, 2, 3, 64}).Draw(t, "queues") }

// drawConfig draws small switches: thresholds of a few packets, and fewer queues than destinations.
func drawConfig(t *rapid.T) Config {
	c := Config{
		Queues: drawQueues(t),
		Buffer: rapid.SampledFrom([]sluice.Bytes{0, 20_000}).Draw(t, "buffer"),
	}
	for range rapid.IntRange(1, 5).Draw(t, "ports") {
		c.Ports = append(c.Ports, PortConfig{Link: drawLink(t)})
	}
	return c
}

func drawLink(t *rapid.T) sluice.Link {
	return sluice.Link{
		Rate:  sluice.Rate(rapid.SampledFrom([]int{10, 40, 100}).Draw(t, "Gb/s")) * sluice.Gbps,
		Delay: rapid.SampledFrom([]sluice.Time{0, 100, 600}).Draw(t, "delay, ns") * sluice.Nanosecond,
	}
}

func drawFrame(t *rapid.T) *Frame {
	f := &Frame{
		Type:     rapid.SampledFrom([]Type{Pause, Resume}).Draw(t, "type"),
		Sequence: conformance.DrawSequence(t),
		Count:    uint16(rapid.IntRange(1, MaxListed).Draw(t, "count")),
	}
	for i := range f.Listed() {
		f.Destinations[i] = rapid.OneOf(
			rapid.Just(Rest), rapid.Custom(conformance.DrawHop),
			rapid.Custom(func(t *rapid.T) sluice.Hop {
				return sluice.Hop{Switch: sluice.SwitchID(rapid.Uint32().Draw(t, "anywhere"))}
			}),
		).Draw(t, "destination")
	}
	return f
}

func drawFabric(t *rapid.T) conformance.Fabric { return fabricOf(t, drawQueues(t)) }

func fabricOf(t *rapid.T, queues int) conformance.Fabric {
	pauses := []sluice.Ratio{{Num: 0, Den: 1}, {Num: 1, Den: 2}, {}}
	pause := rapid.SampledFrom(pauses).Draw(t, "K_pause")
	resume := sluice.Ratio{Num: 0, Den: 1}
	return conformance.Fabric{Node: func(n conformance.Node) kit.Machine {
		c := Config{Queues: queues, Pause: pause, Resume: resume}
		for _, port := range n.Ports {
			c.Ports = append(c.Ports, PortConfig{Link: port.Link})
		}
		return conformance.Machines(c, New)()
	}}
}

func FuzzParse(f *testing.F) {
	good := Frame{Type: Pause, Sequence: 7, Count: 2}
	good.Destinations[1] = Rest
	conformance.FuzzFrame(f, good)
}
