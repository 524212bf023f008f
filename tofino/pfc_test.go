package tofino_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

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

// A priority group has a limit on the chip: a port's profile must give one if a lossless class has
// that profile. Both lossless classes of port 2 have profiles of their own.
func TestPFCProfileMustLimit(t *testing.T) {
	for at, used := range []bool{true, true, false} {
		c := pfcBase()
		c.Ports[at].Profile = pfc.Profile{}
		_, _, err := tofino.RealisePFC(c)
		if used {
			require.ErrorContains(t, err, fmt.Sprintf("Ports[%d].Alpha = 0/0: must be given", at))
		} else {
			require.NoError(t, err)
		}
	}
}

// A machine of one port needs no threshold; the chip does, if a lossless class has the profile.
func TestPFCProfileMustLimitOfOnePort(t *testing.T) {
	c := pfcBase()
	own := c.Ports[2].Profiles
	c.Ports = c.Ports[:1]
	c.Ports[0].Profile = pfc.Profile{}
	_, _, err := tofino.RealisePFC(c)
	require.ErrorContains(t, err, "Ports[0].Alpha = 0/0: must be given, or XOff: a priority group")
	c.Ports[0].Profiles = own
	_, _, err = tofino.RealisePFC(c)
	require.NoError(t, err)
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
		d{"Trigger", refused, func(c *pfc.Config) { c.Trigger = trigger.CAPFC },
			"must be the trigger of PFC"},
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
