package tofino_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Whatever a machine accepts is refused with its field named, or realised once and for all: the
// entries are valid, of whole cells, and pause no later and resume no earlier than asked for.
func TestPFCOfAnyConfiguration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawPFC(t)
		got, changes, err := tofino.RealisePFC(c)
		if err != nil {
			var fault *sluice.ConfigError
			require.ErrorAs(t, err, &fault)
			return
		}
		for _, one := range changes {
			require.NotEmpty(t, one.Rule)
			require.NotEqual(t, one.From, one.To)
		}
		again, none, err := tofino.RealisePFC(got)
		require.NoError(t, err)
		require.Empty(t, none)
		require.Equal(t, got, again)
		_, err = tofino.NewPFC(tofino.PFCConfig{Machine: c, Ports: pfcPorts()})
		require.Equal(t, len(changes) == 0, err == nil, "what would change is refused: %v", err)
		made, err := tofino.NewPFC(tofino.PFCConfig{Machine: got, Ports: pfcPorts()})
		require.NoError(t, err)
		require.NoError(t, made.Config.Validate(&ir.Program{Name: "sluice_pfc"}))
		machine, err := pfc.New(got)
		require.NoError(t, err)
		for port := range c.Ports {
			for class := range sluice.Class(sluice.Classes) {
				if !c.Ports[port].Classes.Has(class) {
					continue
				}
				p := machine.Port(sluice.PortID(port))
				asked := c.Ports[port].Profile
				require.Zero(t, got.Ports[port].Reserve%cell)
				require.Less(t, got.Ports[port].Headroom-asked.Headroom, cell)
				if asked.XOff != 0 {
					require.Zero(t, p.XOff(class)%cell)
					require.Zero(t, p.XOn(class)%cell)
				}
				if asked.XOff != 0 && asked.XOff >= asked.Reserve+2*cell {
					require.LessOrEqual(t, p.XOff(class), asked.XOff)
					require.GreaterOrEqual(t, p.XOff(class)-p.XOn(class), min(asked.XOff-asked.XOn,
						p.XOff(class)-cellsUp(asked.Reserve)))
				}
			}
		}
	})
}

func cellsUp(b sluice.Bytes) sluice.Bytes { return (b + cell - 1) / cell * cell }

func drawPFC(t *rapid.T) pfc.Config {
	c := pfc.Config{Buffer: sluice.Bytes(rapid.IntRange(5_000_000, 70_000_000).Draw(t, "buffer")),
		CellSize: rapid.SampledFrom([]sluice.Bytes{0, cell, 208}).Draw(t, "cell")}
	amount := func(name string, least, most int) sluice.Bytes {
		return sluice.Bytes(rapid.IntRange(least, most).Draw(t, name))
	}
	for range 3 {
		p := pfc.PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps}, Classes: sluice.ClassSet(
			rapid.IntRange(1, 255).Draw(t, "classes"))}
		p.Reserve, p.Headroom = amount("reserve", 0, 10_000), amount("headroom", 0, 100_000)
		if rapid.Bool().Draw(t, "static") {
			p.XOff = p.Reserve + amount("xoff", 0, 100_000)
			p.XOn = p.XOff - min(p.XOff-p.Reserve, amount("xon", 0, 100_000))
		} else {
			p.Alpha = sluice.Ratio{
				Num: 1, Den: int64(rapid.SampledFrom([]int{1, 2, 4, 8, 3}).Draw(t, "alpha")),
			}
			p.ResumeOffset = amount("offset", -1, 10_000)
		}
		c.Ports = append(c.Ports, p)
	}
	return c
}

// Eight lossless classes on seventeen ports of one pipe are more than its 128 priority groups.
func TestPFCSaysWhichPortsHaveNoPriorityGroup(t *testing.T) {
	c := pfcBase()
	c.Classes, c.Ports = 0, nil
	var ports []chip.DevPort
	for group := 1; group <= 6; group++ {
		for channel := 0; channel < 8; channel += 2 {
			port, err := chip.NewDevPort(2, group, channel)
			require.NoError(t, err)
			ports = append(ports, port)
			c.Ports = append(c.Ports, pfc.PortConfig{Link: sluice.Link{Rate: 100 * sluice.Gbps},
				Profile: pfc.Profile{XOff: 100 * cell, XOn: 90 * cell}})
		}
	}
	_, err := tofino.NewPFC(tofino.PFCConfig{Machine: c, Ports: ports})
	require.ErrorContains(t, err, "none are left for ports [16 17 18 19 20 21 22 23]")
	for at := 16; at < 24; at++ {
		ports[at] -= 128 // to pipe 1
	}
	made, err := tofino.NewPFC(tofino.PFCConfig{Machine: c, Ports: ports})
	require.NoError(t, err)
	groups := map[int]int{}
	for _, e := range made.Config.Fixed {
		if e.Table == ir.PriorityGroup {
			groups[e.Pipe]++
		}
	}
	assert.Equal(t, map[int]int{1: 64, 2: 128}, groups)
}

func TestPFCRefusesPortsThatTheChipDoesNotHave(t *testing.T) {
	for _, one := range []struct {
		ports []chip.DevPort
		want  string
	}{
		{[]chip.DevPort{8}, "must name the chip's port of each of 3"},
		{[]chip.DevPort{8, 8, 12}, "Ports[1] = 8: is named twice"},
		{[]chip.DevPort{8, 75, 12}, "its low seven bits must be 0 to 71"},
		{[]chip.DevPort{8, 6, 12}, "must be a front port"},
	} {
		_, err := tofino.NewPFC(tofino.PFCConfig{Machine: pfcBase(), Ports: one.ports})
		assert.ErrorContains(t, err, one.want)
	}
}

func TestPFCSaysWhatItOmits(t *testing.T) {
	made, err := tofino.NewPFC(tofino.PFCConfig{Machine: pfcBase(), Ports: pfcPorts()})
	require.NoError(t, err)
	all := strings.Join(made.Omitted, "\n")
	assert.Contains(t, all, "watchdog")
	assert.Contains(t, all, "{0 1 2 5 6 7}")
}
