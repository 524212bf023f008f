package tofino_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pfc/qos"
	"github.com/sluicefc/sluice/pfc/trigger"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/ir"
)

const cell sluice.Bytes = chip.CellBytes

// pfcBase is a configuration that the chip can run as it is.
func pfcBase() pfc.Config {
	port := func(rate sluice.Rate) pfc.PortConfig {
		return pfc.PortConfig{
			Link: sluice.Link{Rate: rate, Delay: sluice.Microsecond},
			Profile: pfc.Profile{
				Alpha: sluice.Ratio{Num: 1, Den: 4}, ResumeOffset: 18 * cell, Headroom: 300 * cell,
			},
		}
	}
	c := pfc.Config{
		Ports: []pfc.PortConfig{
			port(100 * sluice.Gbps), port(400 * sluice.Gbps), port(100 * sluice.Gbps),
		},
		Buffer: 100_000 * cell, CellSize: cell, Classes: sluice.MakeClassSet(3, 4),
		Pools: []sluice.Bytes{10_000 * cell},
		Groups: []pfc.Group{
			{Classes: sluice.MakeClassSet(6, 7)},
			{Classes: sluice.MakeClassSet(0, 1, 2, 3, 4, 5)},
		},
	}
	c.Ports[2].Profiles[4] = &pfc.Profile{
		XOff: 100 * cell, XOn: 80 * cell, Reserve: 10 * cell, Headroom: cell,
	}
	c.Ports[2].Profiles[3] = &pfc.Profile{Alpha: sluice.Ratio{Num: 1, Den: 1}, ResumeOffset: cell}
	return c
}

// pfcPorts are ports of the chip in two pipes.
func pfcPorts() []chip.DevPort { return []chip.DevPort{8, 136, 12} }

func pfcEntries(t *testing.T, c pfc.Config) string {
	made, err := tofino.NewPFC(tofino.PFCConfig{Machine: c, Ports: pfcPorts()})
	require.NoError(t, err)
	program := &ir.Program{Name: "sluice_pfc"}
	require.NoError(t, made.Config.Validate(program))
	var b bytes.Buffer
	require.NoError(t, emit.Entries(&b, program, made.Config))
	return b.String()
}

func TestEachFieldOfPFCIsDecided(t *testing.T) {
	type d = decision[pfc.Config]
	const watchdog = "of the watchdog, which is off"
	const other = "of triggers that are refused"
	var decisions []d
	// What an ingress may hold, of all classes of a port and of one.
	profiles := []struct {
		prefix          string
		dynamic, static func(*pfc.Config) *pfc.Profile
	}{
		{"Ports[].", func(c *pfc.Config) *pfc.Profile { return &c.Ports[0].Profile },
			func(c *pfc.Config) *pfc.Profile { return &c.Ports[0].Profile }},
		{"Ports[].Profiles[].", func(c *pfc.Config) *pfc.Profile { return c.Ports[2].Profiles[3] },
			func(c *pfc.Config) *pfc.Profile { return c.Ports[2].Profiles[4] }},
	}
	for _, p := range profiles {
		decisions = append(decisions,
			d{
				p.prefix + "Alpha", realised,
				func(c *pfc.Config) { p.dynamic(c).Alpha = sluice.Ratio{Num: 2, Den: 4} }, "",
			},
			d{p.prefix + "Alpha", refused,
				func(c *pfc.Config) { p.dynamic(c).Alpha = sluice.Ratio{Num: 1, Den: 3} },
				"(the next are 1/4 and 1/2)"},
			d{p.prefix + "Alpha", refused,
				func(c *pfc.Config) { p.dynamic(c).Alpha = sluice.Ratio{Num: 5, Den: 1} },
				"(the next are up to 4)"},
			d{p.prefix + "Alpha", refused,
				func(c *pfc.Config) { p.dynamic(c).Alpha = sluice.Ratio{Num: 1, Den: 65} },
				"(the next are from 1/64)"},
			d{
				p.prefix + "ResumeOffset", realised,
				func(c *pfc.Config) { p.dynamic(c).ResumeOffset = 5 * cell }, "",
			},
			d{
				p.prefix + "ResumeOffset", realised,
				func(c *pfc.Config) { p.dynamic(c).ResumeOffset = pfc.ResumeAtThreshold }, "",
			},
			d{
				p.prefix + "ResumeOffset", changed,
				func(c *pfc.Config) { p.dynamic(c).ResumeOffset = 5*cell + 1 }, "whole cells",
			},
			d{
				p.prefix + "ResumeOffset", changed, func(c *pfc.Config) { p.dynamic(c).ResumeOffset = 0 },
				"whole cells",
			},
			d{
				p.prefix + "XOnFloor", changed, func(c *pfc.Config) { p.dynamic(c).XOnFloor = 5 * cell },
				"threshold alone",
			},
			d{p.prefix + "Reserve", realised, func(c *pfc.Config) { p.dynamic(c).Reserve = 6 * cell }, ""},
			d{
				p.prefix + "Reserve", changed, func(c *pfc.Config) { p.dynamic(c).Reserve = 4 * sluice.KiB },
				"whole cells",
			},
			d{p.prefix + "Headroom", realised, func(c *pfc.Config) { p.dynamic(c).Headroom = 6 * cell }, ""},
			d{
				p.prefix + "Headroom", changed, func(c *pfc.Config) { p.dynamic(c).Headroom = 6*cell - 1 },
				"whole cells",
			},
			d{p.prefix + "Pool", realised, func(c *pfc.Config) { p.dynamic(c).Pool = 1 }, ""})
	}
	static := func(c *pfc.Config) *pfc.Profile { return c.Ports[2].Profiles[4] }
	decisions = append(decisions,
		d{"Ports[].Profiles[].XOff", realised, func(c *pfc.Config) { static(c).XOff = 101 * cell }, ""},
		d{
			"Ports[].Profiles[].XOff", changed, func(c *pfc.Config) { static(c).XOff = 101*cell - 1 },
			"whole cells",
		},
		d{"Ports[].Profiles[].XOn", realised, func(c *pfc.Config) { static(c).XOn = 70 * cell }, ""},
		d{
			"Ports[].Profiles[].XOn", changed, func(c *pfc.Config) { static(c).XOn = 80*cell - 1 },
			"whole cells",
		},
		// A port has either Alpha or XOff: with both the machine refuses it.
		d{
			"Ports[].XOff", refused, func(c *pfc.Config) { c.Ports[0].XOff = 100 * cell },
			"where Alpha is given",
		},
		d{"Ports[].XOn", refused, func(c *pfc.Config) { c.Ports[0].XOn = 100 * cell }, "where XOff is"},

		d{
			"Ports[].Link.Rate", realised, func(c *pfc.Config) { c.Ports[0].Link.Rate = 25 * sluice.Gbps },
			"",
		},
		d{
			"Ports[].Link.Rate", refused, func(c *pfc.Config) { c.Ports[0].Link.Rate = sluice.Gbps },
			"must be the rate",
		},
		d{
			"Ports[].Link.Delay", inert, func(c *pfc.Config) { c.Ports[0].Link.Delay++ },
			"of the headroom's calculation",
		},
		d{
			"Ports[].Pipeline", inert, func(c *pfc.Config) { c.Ports[0].Pipeline++ },
			"of the headroom's calculation",
		},
		d{
			"Ports[].PHY", inert, func(c *pfc.Config) { c.Ports[0].PHY++ }, "of the headroom's calculation",
		},
		d{"Ports[].MTU", inert, func(c *pfc.Config) { c.Ports[0].MTU++ },
			"of the headroom's calculation"},
		d{
			"Ports[].Overhead", inert, func(c *pfc.Config) { c.Ports[0].Overhead++ },
			"of the headroom's calculation",
		},
		d{
			"Ports[].Reaction", inert, func(c *pfc.Config) { c.Ports[0].Reaction++ },
			"of the headroom's calculation",
		},
		d{
			"Ports[].Classes", realised, func(c *pfc.Config) { c.Ports[0].Classes = sluice.MakeClassSet(3) },
			"",
		},
		d{"Ports[].Obeys", realised, func(c *pfc.Config) { c.Ports[0].Obeys = sluice.AllClasses }, ""},
		d{
			"Ports[].Sends", realised, func(c *pfc.Config) { c.Ports[0].Sends = sluice.MakeClassSet(3) }, "",
		},
		d{
			"Ports[].Pause", inert, func(c *pfc.Config) { c.Ports[0].Pause = pfc.DefaultPause },
			"what zero means",
		},
		d{"Ports[].Pause", changed, func(c *pfc.Config) { c.Ports[0].Pause = 1000 }, "by itself"},
		d{
			"Ports[].Mode", refused, func(c *pfc.Config) { c.Ports[0].Mode = pfc.ClassicPause },
			"priority pause",
		},
		d{
			"Ports[].Watchdog", changed, func(c *pfc.Config) { c.Ports[0].Watchdog = new(pfc.PortWatchdog) },
			"software",
		},
		d{"Ports[].MAC", changed, func(c *pfc.Config) { c.Ports[0].MAC[5] = 1 }, "by itself"},
		d{"Ports[].Strict", changed, func(c *pfc.Config) { c.Ports[0].Strict = true }, "by itself"},
		d{
			"Ports[].LossyAlpha", changed,
			func(c *pfc.Config) { c.Ports[0].LossyAlpha = sluice.Ratio{Num: 1, Den: 2} }, "not emitted",
		},
		d{
			"Ports[].LossyReserve", changed, func(c *pfc.Config) { c.Ports[0].LossyReserve = cell },
			"not emitted",
		},
		d{
			"Ports[].ECN[]", changed,
			func(c *pfc.Config) { c.Ports[0].ECN[3] = sluice.Marking{KMin: 1, KMax: 1} }, "not emitted",
		},

		d{"Buffer", realised, func(c *pfc.Config) { c.Buffer = 200_000 * cell }, ""},
		d{"Buffer", changed, func(c *pfc.Config) { c.Buffer++ }, "whole cells"},
		d{"Buffer", refused, func(c *pfc.Config) { c.Buffer = 67 * sluice.MiB }, "66 MiB"},
		d{"Buffer", refused, func(c *pfc.Config) { c.Buffer = cell }, "must hold the reserves"},
		d{"CellSize", changed, func(c *pfc.Config) { c.CellSize = 0 }, "176 B"},
		d{"Classes", realised, func(c *pfc.Config) { c.Classes = sluice.MakeClassSet(3) }, ""},
		d{"ReservedClasses", realised, func(c *pfc.Config) { c.ReservedClasses = 1 }, ""},
		d{"HeadroomPool", realised, func(c *pfc.Config) { c.HeadroomPool = 900 * cell }, ""},
		d{"HeadroomPool", changed, func(c *pfc.Config) { c.HeadroomPool = 900*cell - 1 }, "whole cells"},
		d{"Pools[]", realised, func(c *pfc.Config) { c.Pools[0] = 900 * cell }, ""},
		d{"Pools[]", changed, func(c *pfc.Config) { c.Pools[0] = 900*cell + 1 }, "whole cells"},
		d{"Pools[]", refused, func(c *pfc.Config) { c.Pools[0] = cell - 1 }, "a cell"},
		d{"LossyPool", changed, func(c *pfc.Config) { c.LossyPool = 1 }, "not emitted"},
		d{"Groups[].Classes", realised, func(c *pfc.Config) {
			c.Groups[0].Classes, c.Groups[1].Classes = c.Groups[1].Classes, c.Groups[0].Classes
		}, ""},
		d{
			"Groups[].Quantum[]", realised,
			func(c *pfc.Config) { c.Groups[0].Quantum[7] = 3 * pfc.DefaultQuantum }, "",
		},
		d{
			"Groups[].Quantum[]", refused, func(c *pfc.Config) { c.Groups[0].Quantum[7] = 9217 },
			"in the ratio",
		},
		d{
			"Retag[]", refused, func(c *pfc.Config) { c.Retag = []pfc.Retag{{Class: 3, To: 4}} },
			"the program's to say",
		},
		d{
			"EgressPools[]", refused, func(c *pfc.Config) { c.EgressPools = []sluice.Bytes{cell} },
			"not emitted",
		},
		d{
			"Ports[].QoS", refused,
			func(c *pfc.Config) { c.Ports[0].QoS = &qos.Port{Colors: [8]qos.Color{1}} },
			"not emitted",
		},
		d{
			"Ports[].Groups[]", refused,
			func(c *pfc.Config) { c.Ports[0].Groups = []pfc.Group{{Classes: sluice.AllClasses}} },
			"one order",
		},
		d{"MAC", changed, func(c *pfc.Config) { c.MAC[5] = 1 }, "by itself"},
		d{"Watermarks", inert, func(c *pfc.Config) { c.Watermarks = true }, "of the counters"},
		d{"Seed", inert, func(c *pfc.Config) { c.Seed++ }, "of the marking, which is not emitted"},
		d{
			"Watchdog.Detection", changed, func(c *pfc.Config) { c.Watchdog.Detection = sluice.Second },
			"software",
		},
		d{
			"Watchdog.Restoration", inert, func(c *pfc.Config) { c.Watchdog.Restoration = sluice.Second },
			watchdog,
		},
		d{
			"Watchdog.Classes", inert, func(c *pfc.Config) { c.Watchdog.Classes = sluice.NoClasses },
			watchdog,
		},
		d{"Watchdog.Poll", inert, func(c *pfc.Config) { c.Watchdog.Poll = sluice.Second }, watchdog},
		d{"Watchdog.Looks", inert, func(c *pfc.Config) { c.Watchdog.Looks = 2 }, watchdog},
		d{"Watchdog.CountPolls", inert, func(c *pfc.Config) { c.Watchdog.CountPolls = true }, watchdog},
		d{
			"Watchdog.Action", inert, func(c *pfc.Config) { c.Watchdog.Action = pfc.WatchdogAlerts },
			watchdog,
		},
		d{
			"Watchdog.BigRedSwitch", changed, func(c *pfc.Config) { c.Watchdog.BigRedSwitch = true },
			"software",
		},
		d{"Watchdog.Events", inert, func(c *pfc.Config) { c.Watchdog.Events = 2 }, watchdog},
		d{"Trigger", refused, func(c *pfc.Config) { c.Trigger = trigger.CAPFC }, "must be that of PFC"},
		d{"Variant.Egress", inert, func(c *pfc.Config) { c.Variant.Egress = 1 }, other},
		d{
			"Variant.Guard", inert, func(c *pfc.Config) { c.Variant.Guard = sluice.Ratio{Num: 2, Den: 1} },
			other,
		},
		d{"Variant.Ahead", inert, func(c *pfc.Config) { c.Variant.Ahead = 1 }, other},
		d{"Variant.Lower", inert, func(c *pfc.Config) { c.Variant.Lower = 1 }, other},
		d{"Variant.Stop", inert, func(c *pfc.Config) { c.Variant.Stop = true }, other},
	)
	decided(t, realisation[pfc.Config]{pfcBase, tofino.RealisePFC, pfcEntries, decisions})
}

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
