package floodgate

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
		Name: "floodgate",
		New:  func(t *rapid.T) func() kit.Machine { return conformance.Machines(drawConfig(t), New) },
		Frame: func(t *rapid.T, _ kit.Machine, _ sluice.PortID) []byte {
			return drawFrame(t).AppendTo(nil)
		},
		Describe: conformance.Describe[Frame],
		Network: &conformance.Network{
			New: drawFabric, Lossy: drawFabric, Patience: 20 * sluice.Millisecond,
		},
	}
}

func TestConformance(t *testing.T) {
	depth.Fewer(t, 20)
	_, ok := kit.StatefulOf(conformance.Machines(HostConfig(link), New)())
	require.True(t, ok, "its state can be copied")
	conformance.Run(t, spec())
}

func FuzzHooks(f *testing.F) { conformance.Fuzz(f, spec()) }

// drawCommon draws windows and thresholds of a few packets, and fewer destinations than there are.
func drawCommon(t *rapid.T) Config {
	c := Config{
		Destinations: rapid.SampledFrom([]int{1, 2, 64}).Draw(t, "destinations"),
		Window: rapid.SampledFrom([]sluice.Ratio{
			{}, {Num: 1, Den: 100}, {Num: 1, Den: 2},
		}).Draw(t, "window"),
		Delay: rapid.SampledFrom([]sluice.Ratio{
			{}, {Num: 0, Den: 1}, {Num: 1, Den: 8},
		}).Draw(t, "delay"),
		Threshold: rapid.SampledFrom([]sluice.Bytes{1, 3000, 0}).Draw(t, "K"),
		Interval:  rapid.SampledFrom([]sluice.Time{0, sluice.Microsecond}).Draw(t, "T"),
		Timeout:   rapid.SampledFrom([]sluice.Time{50, 100}).Draw(t, "timeout") * sluice.Microsecond,
		MTU:       conformance.MTU,
	}
	if rapid.Bool().Draw(t, "some classes") {
		c.Classes = sluice.MakeClassSet(0, 1, 2, 3)
	}
	return c
}

func drawConfig(t *rapid.T) Config {
	c := drawCommon(t)
	c.Buffer = rapid.SampledFrom([]sluice.Bytes{0, 20_000}).Draw(t, "buffer")
	for range rapid.IntRange(1, 5).Draw(t, "ports") {
		c.Ports = append(c.Ports, PortConfig{
			Link: sluice.Link{
				Rate:  sluice.Rate(rapid.SampledFrom([]int{10, 100}).Draw(t, "Gb/s")) * sluice.Gbps,
				Delay: rapid.SampledFrom([]sluice.Time{0, 600}).Draw(t, "delay, ns") * sluice.Nanosecond,
			},
			Edge: rapid.IntRange(0, 3).Draw(t, "edge") == 0,
		})
	}
	return c
}

func drawFrame(t *rapid.T) *Frame {
	f := &Frame{
		Type:     rapid.SampledFrom([]Type{Credit, SYN}).Draw(t, "type"),
		Sequence: conformance.DrawSequence(t),
	}
	count := rapid.OneOf(rapid.Uint32Range(0, 20_000), rapid.Uint32())
	for range rapid.IntRange(1, 3).Draw(t, "count") {
		e := Entry{
			Destination: rapid.OneOf(
				rapid.Custom(conformance.DrawHop), rapid.Custom(func(t *rapid.T) sluice.Hop {
					return sluice.Hop{Switch: sluice.SwitchID(rapid.Uint32().Draw(t, "anywhere"))}
				}),
			).Draw(t, "destination"),
			Credited: count.Draw(t, "credited"),
		}
		if f.Type == SYN {
			e.Sent = count.Draw(t, "sent")
		}
		f.add(e)
	}
	return f
}

func drawFabric(t *rapid.T) conformance.Fabric {
	common := drawCommon(t)
	return conformance.Fabric{Node: func(n conformance.Node) kit.Machine {
		c := common
		for _, port := range n.Ports {
			c.Ports = append(c.Ports, PortConfig{Link: port.Link, Edge: n.Host() || port.PeerTier == 0})
		}
		return conformance.Machines(c, New)()
	}}
}

func FuzzParse(f *testing.F) {
	good := Frame{Type: SYN, Sequence: 7, Count: 2}
	good.Entries[1] = Entry{receiver(3), 1, 2}
	conformance.FuzzFrame(f, good)
}

func receiver(host sluice.PortID) sluice.Hop { return sluice.Hop{Switch: 9, Port: host} }
