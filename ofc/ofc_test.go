package ofc

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit/conformance"
)

// link40 is the link of the paper's evaluation (section IV-A).
var link40 = sluice.Link{Rate: 40 * sluice.Gbps, Delay: 20 * sluice.Nanosecond}

func mustNew(t require.TestingT, c Config) *Switch {
	s, err := New(c)
	require.NoError(t, err)
	return s
}

// drawOptions draws all of a configuration but ports.
func drawOptions(t *rapid.T) Config {
	return Config{
		Classes: sluice.ClassSet(rapid.SampledFrom([]int{
			0, 0, 0x0a, int(sluice.NoClasses),
		}).Draw(t, "classes")),
		Flows:            rapid.SampledFrom([]int{0, 64, 8, 3, 1}).Draw(t, "flows"),
		Seed:             rapid.Uint64Range(0, 3).Draw(t, "seed"),
		Undistinguished:  rapid.Bool().Draw(t, "undistinguished"),
		MaxFlowsPerFrame: rapid.SampledFrom([]int{0, 1, 2, 7}).Draw(t, "flows per frame"),
		Refresh: sluice.Time(rapid.SampledFrom([]int{
			0, 1, 20,
		}).Draw(t, "refresh")) * sluice.Microsecond,
		IdleRefreshes: rapid.IntRange(0, 2).Draw(t, "idle refreshes"),
		Speedup:       rapid.SampledFrom([]int{0, 0, 1, 4}).Draw(t, "speedup"),
		MTU:           sluice.Bytes(rapid.SampledFrom([]int{0, 64}).Draw(t, "MTU")),
		Quantum:       sluice.Bytes(rapid.SampledFrom([]int{0, 64, 1518}).Draw(t, "quantum")),
		Buffer:        sluice.Bytes(rapid.SampledFrom([]int{0, 0, 30_000}).Draw(t, "buffer")),
	}
}

// drawConfig draws configurations in which thresholds are a few packets.
func drawConfig(t *rapid.T) Config {
	c := drawOptions(t)
	for range rapid.IntRange(1, 5).Draw(t, "ports") {
		p := PortConfig{Link: link40, XOff: sluice.Bytes(rapid.IntRange(100, 9000).Draw(t, "X_OFF"))}
		p.XOffCongested = sluice.Bytes(rapid.IntRange(2, int(p.XOff)).Draw(t, "X^c_OFF"))
		p.XOn = sluice.Bytes(rapid.IntRange(1, int(p.XOffCongested)-1).Draw(t, "X_ON"))
		p.Headroom = sluice.Bytes(rapid.SampledFrom([]int{0, 1000, 9000}).Draw(t, "headroom"))
		c.Ports = append(c.Ports, p)
	}
	return c
}

// drawClass draws mostly a class of a few, so that frames are about packets.
func drawClass(t *rapid.T) sluice.Class {
	return sluice.Class(rapid.SampledFrom([]int{1, 3, 1, 3, 1, 3, 7}).Draw(t, "class"))
}

// drawFlows draws a few of the flows that conformance.DrawFlow draws.
func drawFlows(t *rapid.T) (flows []uint64) {
	return rapid.SliceOfN(rapid.OneOf(rapid.Uint64Range(0, 3), rapid.Uint64()), 0, 6).Draw(t, "flows")
}

// drawFrame draws a frame that an enemy might send.
func drawFrame(t *rapid.T) Frame {
	f := Frame{
		Type:     Type(rapid.IntRange(1, 3).Draw(t, "type")),
		Sequence: conformance.DrawSequence(t),
		Class:    drawClass(t),
	}
	for _, flow := range drawFlows(t) {
		f.add(flow)
	}
	if f.Type == Refresh {
		f.All = rapid.Bool().Draw(t, "all")
		f.Generation = rapid.Uint32Range(0, 3).Draw(t, "generation")
		f.Parts = uint16(rapid.IntRange(1, 3).Draw(t, "parts"))
		f.Part = uint16(rapid.IntRange(0, int(f.Parts)-1).Draw(t, "part"))
		return f
	}
	f.All = f.Count == 0
	f.Last = f.Type == Resume && !f.All && rapid.Bool().Draw(t, "last")
	return f
}
