package tofino_test

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/fit"
)

// ofcBase is a switch of four ports that the chip can run as it is.
func ofcBase() ofc.Config {
	c := ofc.Config{Flows: 512, MaxFlowsPerFrame: 1,
		MAC: sluice.MAC{2, 0, 0, 0, 0, 9}}
	for range 4 {
		c.Ports = append(c.Ports, ofc.PortConfig{
			Link: sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}})
	}
	return c
}

func ofcConfig(machine ofc.Config) tofino.OFCConfig {
	c := tofino.OFCConfig{Machine: machine,
		Site: tofino.Site{Ports: []chip.DevPort{8, 16, 24, 32}}}
	for at := range c.Ports {
		to := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(at), 0}), 24)
		c.Routes = append(c.Routes, tofino.Route{To: to, Port: sluice.PortID(at)})
	}
	return c
}

func ofcEntries(t *testing.T, c ofc.Config) string {
	made, err := tofino.NewOFC(ofcConfig(c))
	require.NoError(t, err)
	return generated(t, made.Program, made.Config)
}

func TestEachFieldOfOFCIsDecided(t *testing.T) {
	type c = ofc.Config
	type d = decision[c]
	decided(t, realisation[c]{ofcBase, tofino.RealiseOFC, ofcEntries, []d{
		{"Ports[].Link.Rate", realised, func(c *c) { c.Ports[0].Link.Rate = 40 * sluice.Gbps }, ""},
		{"Ports[].Link.Rate", refused, func(c *c) { c.Ports[0].Link.Rate = 7 }, "rate of a port"},
		{"Ports[].Link.Delay", inert, func(c *c) { c.Ports[1].Link.Delay *= 2 }, "for HeadroomFor"},
		{"Ports[].XOff", realised, func(c *c) { c.Ports[0].XOff = 90 * sluice.KB }, ""},
		{"Ports[].XOff", refused, func(c *c) { c.Ports[0].XOff = sluice.GiB }, "chip's buffer"},
		{"Ports[].XOffCongested", realised, func(c *c) { c.Ports[2].XOffCongested = 70000 }, ""},
		{"Ports[].XOn", realised, func(c *c) { c.Ports[2].XOn = 30 * sluice.KB }, ""},
		{"Ports[].Headroom", changed, func(c *c) { c.Ports[3].Headroom = 9000 }, "was counted before"},
		{"Ports[].Reaction", inert, func(c *c) { c.Ports[3].Reaction = 9000 }, "for HeadroomFor"},
		{"Classes", realised, func(c *c) { c.Classes = sluice.MakeClassSet(3, 4) }, ""},
		{"Flows", realised, func(c *c) { c.Flows = 256 }, ""},
		{"Flows", changed, func(c *c) { c.Flows = 300 }, "power of two"},
		{"Flows", changed, func(c *c) { c.Flows = 4096 }, "goes round once for each"},
		{"Seed", inert, func(c *c) { c.Seed++ }, "cells are bits of a flow"},
		{"Undistinguished", realised, func(c *c) { c.Undistinguished = true }, ""},
		{"MaxFlowsPerFrame", changed, func(c *c) { c.MaxFlowsPerFrame = 9 }, "names one flow"},
		{"Refresh", changed, func(c *c) { c.Refresh = sluice.Microsecond }, "repeats no pause"},
		{"Expiry", changed, func(c *c) { c.Expiry = sluice.Millisecond }, "repeats no pause"},
		{"IdleRefreshes", inert, func(c *c) { c.IdleRefreshes = 9 }, "of refreshes, which are off"},
		{"MAC", realised, func(c *c) { c.MAC[5]++ }, ""},
		{"Speedup", changed, func(c *c) { c.Speedup = 2 }, "does not pace"},
		{"MTU", inert, func(c *c) { c.MTU = 9000 }, "of Speedup, which is off"},
		{"Quantum", realised, func(c *c) { c.Quantum = 1500 }, ""},
		{"Buffer", changed, func(c *c) { c.Buffer = sluice.MiB }, "was counted before"},
	}})
}

func TestOFCRefuses(t *testing.T) {
	for want, change := range map[string]func(*tofino.OFCConfig){
		"must name the chip's port of each of 4": func(c *tofino.OFCConfig) { c.Ports = c.Ports[:3] },
		"ports [0 1 2] in pipe 0, ports [3] in pipe 2": func(c *tofino.OFCConfig) {
			c.Ports[3] = 264
		},
		"port 0 has 16: fewer channels in a port group have more": func(c *tofino.OFCConfig) {
			c.Carving = chip.DefaultCarving()
		},
		"MTU = 19: must be 20 to 16347":             func(c *tofino.OFCConfig) { c.MTU = 19 },
		"Routes[1] = 4: must lead to a port of the": func(c *tofino.OFCConfig) { c.Routes[1].Port = 4 },
		"Routes[0] = 10.0.0.1/24: must be a prefix": func(c *tofino.OFCConfig) {
			c.Routes[0].To = netip.MustParsePrefix("10.0.0.1/24")
		},
		"Config.Buffer = 1MiB: a packet that the buffer drops": func(c *tofino.OFCConfig) {
			c.Machine.Buffer = sluice.MiB
		},
	} {
		c := ofcConfig(ofcBase())
		change(&c)
		_, err := tofino.NewOFC(c)
		assert.ErrorContains(t, err, want)
	}
	exact := ofcConfig(ofcBase()) // eight classes of three queues, and the queue of signals
	for queues, want := range map[int]string{24: "must give each port 25 queues", 25: ""} {
		exact.Carving, _ = chip.NewCarving([8]int{queues})
		if _, err := tofino.NewOFC(exact); want == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
	many := ofcBase()
	many.Ports = make([]ofc.PortConfig, 65)
	for at := range many.Ports {
		many.Ports[at] = ofcBase().Ports[0]
	}
	_, _, err := tofino.RealiseOFC(many)
	assert.ErrorContains(t, err, "Ports = 65: must be at most 64: a port has 25 queues")
}

// The program, the entries and the cost of an edge switch of a fat-tree with k = 4, as they are in
// testdata.
func TestOFCGolden(t *testing.T) {
	machine := ofcBase()
	machine.Flows = 128
	c := ofcConfig(machine)
	c.MTU = 1500
	made, err := tofino.NewOFC(c)
	require.NoError(t, err)
	var entries, cost bytes.Buffer
	require.NoError(t, emit.Entries(&entries, made.Program, made.Config))
	report := fit.Of(made.Program, made.Config)
	require.NoError(t, report.Write(&cost))
	require.NoError(t, report.WriteCells(&cost, fit.OFCFigures(), len(made.Ports)))
	t.Log(report.Stages, "stages")
	golden(t, map[string]string{"ofc.p4h": decisions(t, made.Program),
		"ofc_entries.json": entries.String(),
		"ofc_cost.txt":     cost.String()})
}

// What goes round: a notice for each packet, the packets themselves if all are paused; and what a
// chip without words of flow control would need.
func TestOFCRecirculation(t *testing.T) {
	made, err := tofino.NewOFC(ofcConfig(ofcBase()))
	require.NoError(t, err)
	notices, moves := made.Recirculation(1518), made.Moves()
	assert.InDelta(t, 400e9*64/1518, float64(notices), 1e9)
	assert.Equal(t, 400*sluice.Gbps, moves)
	needed, held := tofino.Circulating(75*sluice.KB, sluice.Microsecond, 100*sluice.Gbps)
	assert.Equal(t, 600*sluice.Gbps, needed, "75 KB each microsecond")
	assert.Equal(t, sluice.Bytes(12500), held)
}

// A switch of 32 ports: the program with its entries, and all files of it.
//
//	go test ./tofino -run - -bench OFC
func BenchmarkOFC(b *testing.B) {
	machine := ofcBase()
	machine.Ports = nil
	c := tofino.OFCConfig{}
	for at := range 32 {
		machine.Ports = append(machine.Ports, ofcBase().Ports[0])
		c.Ports = append(c.Ports, chip.DevPort(8+at/4*8+at%4*2))
		to := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, byte(at), 0}), 24)
		c.Routes = append(c.Routes, tofino.Route{To: to, Port: sluice.PortID(at)})
	}
	c.Machine = machine
	b.Run("generate", func(b *testing.B) {
		for b.Loop() {
			_, err := tofino.NewOFC(c)
			require.NoError(b, err)
		}
	})
	made, err := tofino.NewOFC(c)
	require.NoError(b, err)
	b.Run("files", func(b *testing.B) {
		for b.Loop() {
			_, err := emit.Files(made.Program, made.Config)
			require.NoError(b, err)
		}
	})
}
