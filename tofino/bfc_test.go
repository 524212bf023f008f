package tofino_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/ir"
)

// bfcBase is a configuration that the chip can run as it is.
func bfcBase() bfc.Config {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	return bfc.Config{
		Ports:  []bfc.PortConfig{{Link: link}, {Link: link, UpstreamQueues: 100}, {Link: link}},
		Queues: 16, Index: bfc.LowBits, Assignment: bfc.LastFreed, Overflow: bfc.HashQueue,
		AssignPaused: true, Signalling: bfc.Transitions, QueuesPerFrame: 1,
		Withhold: []bfc.Pair{{Ingress: 0, Egress: 1}},
	}
}

// bfcConfig is of a switch that sends what is for 10.port.0.0/16 by that port.
func bfcConfig(machine bfc.Config) tofino.BFCConfig {
	c := tofino.BFCConfig{Machine: machine}
	for at := range machine.Ports {
		port, err := chip.NewDevPort(1, 1+at, 0)
		if err != nil {
			panic(err)
		}
		c.Ports = append(c.Ports, port)
		c.Routes = append(c.Routes, tofino.Route{Port: sluice.PortID(at),
			To: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(at)}), 16)})
	}
	return c
}

// What the configuration decides, as it is in testdata.
func TestBFCGolden(t *testing.T) {
	made, err := tofino.NewBFC(bfcConfig(bfcBase()))
	require.NoError(t, err)
	golden(t, map[string]string{"bfc.p4h": decisions(t, made.Program)})
}

// The program is one that the chip can run, with its entries.
func TestBFCProgramIsValid(t *testing.T) {
	for _, depth := range []tofino.DepthSource{tofino.Notices, tofino.Ghost} {
		config := bfcConfig(bfcBase())
		config.Depth = depth
		made, err := tofino.NewBFC(config)
		require.NoError(t, err)
		require.NoError(t, made.Program.Validate())
		require.NoError(t, made.Config.Validate(made.Program))
		m, err := ir.NewMachine(made.Program)
		require.NoError(t, err)
		require.NoError(t, m.Load(made.Config))
		r := fit.Of(made.Program, made.Config)
		assert.LessOrEqual(t, r.Total.Blocks, chip.BlocksPerPipe)
		if testing.Verbose() {
			require.NoError(t, r.Write(t.Output()))
		}
	}
}

// bfcGenerated is all that is made of a configuration.
func bfcGenerated(t *testing.T, c bfc.Config) string {
	made, err := tofino.NewBFC(bfcConfig(c))
	require.NoError(t, err)
	return generated(t, made.Program, made.Config)
}

func TestEachFieldOfBFCIsDecided(t *testing.T) {
	type (
		d = decision[bfc.Config]
		c = *bfc.Config
	)
	const off = "of a mechanism that is off"
	decided(t, realisation[bfc.Config]{
		base: bfcBase, realise: tofino.RealiseBFC, generated: bfcGenerated,
		decisions: []d{
			{"Ports[].Link.Rate", realised, func(c c) { c.Ports[1].Link.Rate = 400 * sluice.Gbps }, ""},
			{
				"Ports[].Link.Rate", refused, func(c c) { c.Ports[1].Link.Rate = 33 * sluice.Gbps },
				"10, 25, 40",
			},
			{"Ports[].Link.Delay", realised, func(c c) { c.Ports[1].Link.Delay *= 2 }, ""},
			{"Ports[].HRTT", realised, func(c c) { c.Ports[2].HRTT = 3 * sluice.Microsecond }, ""},
			{
				"Ports[].HRTT", changed, func(c c) { c.Ports[2].HRTT = 3*sluice.Microsecond + 1 },
				"nanoseconds",
			},
			{"Ports[].UpstreamQueues", realised, func(c c) { c.Ports[1].UpstreamQueues = 99 }, ""},
			{"Queues", realised, func(c c) { c.Queues = 32 }, ""},
			{"Queues", refused, func(c c) { c.Queues = 31 }, "power of two"},
			{"Queues", changed, func(c c) { c.Queues = 1024 }, "2 to 64"},
			{"Queues", changed, func(c c) { c.Queues = 1 }, "2 to 64"},
			{"VFIDs", realised, func(c c) { c.VFIDs = 4096 }, ""},
			{"VFIDs", changed, func(c c) { c.VFIDs = 8 }, "at least Queues"},
			{"VFIDs", changed, func(c c) { c.VFIDs = 1 << 20 }, "at most 65,536"},
			{"Index", changed, func(c c) { c.Index = bfc.SpreadHash }, "low bits"},
			{"Ideal", refused, func(c c) { c.Ideal = true }, "must not be set"},
			{"Seed", inert, func(c c) { c.Seed = 99 }, "no random choice is left and the hash has no seed"},
			{"Assignment", changed, func(c c) { c.Assignment = bfc.RandomScan }, "stack"},
			{"Overflow", changed, func(c c) { c.Overflow = bfc.RandomQueue }, "low bits"},
			{"AssignPaused", refused, func(c c) { c.AssignPaused = false }, "must be set"},
			{"AssignForgotten", refused, func(c c) { c.AssignForgotten = true }, "must not be set"},
			{"Sticky", realised, func(c c) { c.Sticky = 7 * sluice.Microsecond }, ""},
			{"Sticky", realised, func(c c) { c.Sticky = bfc.NoSticky }, ""},
			{"Sticky", changed, func(c c) { c.Sticky = 7*sluice.Microsecond + 999 }, "nanoseconds"},
			{"Factor", realised, func(c c) { c.Factor = sluice.Ratio{Num: 3, Den: 2} }, ""},
			{"CountLonePackets", realised, func(c c) { c.CountLonePackets = true }, ""},
			{
				"FirstPacketQueue", changed, func(c c) { c.FirstPacketQueue = true },
				"no queue for first packets",
			},
			{"Classes", changed, func(c c) { c.Classes = sluice.MakeClassSet(1) }, "other classes"},
			{"Classes", inert, func(c c) { c.Classes = sluice.AllClasses }, "what zero means"},
			{"Withhold[].Ingress", realised, func(c c) { c.Withhold[0].Ingress = 2 }, ""},
			{"Withhold[].Egress", realised, func(c c) { c.Withhold[0].Egress = 2 }, ""},
			{"ResumeLimit", changed, func(c c) { c.ResumeLimit = 2 }, "resumes that wait"},
			{"ResumePeriod", inert, func(c c) { c.ResumePeriod = sluice.Microsecond }, off},
			{"Signalling", changed, func(c c) { c.Signalling = bfc.TransitionsAndBitmap }, "no bitmaps"},
			{"Period", inert, func(c c) { c.Period = 5 * sluice.Microsecond }, off},
			{"Expiry", inert, func(c c) { c.Expiry = bfc.NoExpiry }, "of pauses that are repeated"},
			{"IdleBitmaps", inert, func(c c) { c.IdleBitmaps = 3 }, off},
			{"QueuesPerFrame", changed, func(c c) { c.QueuesPerFrame = 0 }, "one word"},
			{"MAC", realised, func(c c) { c.MAC = sluice.MAC{2, 3, 4, 5, 6, 7} }, ""},
			{"Scheduler", changed, func(c c) { c.Scheduler = bfc.LowestFirst }, "by bytes"},
			{"Quantum", inert, func(c c) { c.Quantum = 9000 }, "data queues weigh the same"},
			{"Buffer", changed, func(c c) { c.Buffer = sluice.MiB }, "stay counted"},
		},
	})
}

// A configuration that says nothing of the chip becomes one that it can run, and everything that
// had to be changed is said.
func TestBFCOfAnyConfigurationIsRealised(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	for name, test := range map[string]struct {
		given  bfc.Config
		fields []string
	}{
		"the paper's": {bfc.Config{Ports: []bfc.PortConfig{{Link: link}}},
			[]string{"Index", "Assignment", "Overflow", "AssignPaused", "Signalling", "QueuesPerFrame"}},
		"the authors'": {bfc.AuthorsConfig([]bfc.PortConfig{{Link: link}}),
			[]string{"Index", "Assignment", "AssignPaused", "Signalling", "QueuesPerFrame", "Scheduler",
				"Queues",
				"VFIDs"}},
		"Pyrrha's": {bfc.PyrrhaConfig([]bfc.PortConfig{{Link: link}}),
			[]string{"Index", "Assignment", "Overflow", "AssignForgotten", "AssignPaused",
				"QueuesPerFrame", "Scheduler", "Queues", "VFIDs"}},
		"an exact one": {bfc.Config{Ports: []bfc.PortConfig{{Link: link}}, Ideal: true, Queues: 8},
			[]string{
				"Index", "Ideal", "Assignment", "Overflow", "AssignPaused", "Signalling", "QueuesPerFrame",
			}},
	} {
		c, changes, err := tofino.RealiseBFC(test.given)
		require.NoError(t, err, name)
		var fields []string
		for _, change := range changes {
			fields = append(fields, change.Field)
			assert.NotEqual(t, change.From, change.To, name)
			assert.NotEmpty(t, change.Rule, name)
		}
		assert.Equal(t, test.fields, fields, name)
		_, none, err := tofino.RealiseBFC(c)
		require.NoError(t, err, name)
		assert.Empty(t, none, name)
		config := bfcConfig(c)
		_, err = tofino.NewBFC(config)
		require.NoError(t, err, name)
	}
}

// What no program can be made of is refused by the name of the field.
func TestBFCRefuses(t *testing.T) {
	for rule, spoil := range map[string]func(c *tofino.BFCConfig){
		"Index = spread hash: the chip has no product": func(c *tofino.BFCConfig) {
			c.Machine.Index = bfc.SpreadHash
		},
		"Ports = 2: must name":                       func(c *tofino.BFCConfig) { c.Ports = c.Ports[:2] },
		"ports [0 2] in pipe 1, ports [1] in pipe 3": func(c *tofino.BFCConfig) { c.Ports[1] = 3<<7 | 8 },
		"Machine.Queues = 16: must be less than the 16 queues that port 1 has": func(
			c *tofino.BFCConfig,
		) {
			c.Ports[1] += 3
			c.Carving, _ = chip.NewCarving([8]int{20, 0, 0, 16})
		},
		"Routes[1] = 10.0.0.1/8: must be a prefix": func(c *tofino.BFCConfig) {
			c.Routes[1].To = netip.MustParsePrefix("10.0.0.1/8")
		},
		"Routes[0] = ::/0: must be a prefix of IPv4": func(c *tofino.BFCConfig) {
			c.Routes[0].To = netip.MustParsePrefix("::/0")
		},
		"Routes[2] = 3: must lead to a port": func(c *tofino.BFCConfig) {
			c.Routes[2].Port = 3
		},
		"MTU = 15: must be 16 to 65511":       func(c *tofino.BFCConfig) { c.MTU = 15 },
		"Depth = 2: must be Notices or Ghost": func(c *tofino.BFCConfig) { c.Depth = 2 },
		"Ports[1].Link.Rate = 1Gb/s: must be the rate": func(c *tofino.BFCConfig) {
			c.Machine.Ports[1].Link.Rate = sluice.Gbps
		},
		"Queues = -1: must be": func(c *tofino.BFCConfig) { c.Machine.Queues = -1 },
	} {
		c := bfcConfig(bfcBase())
		spoil(&c)
		_, err := tofino.NewBFC(c)
		var fault *sluice.ConfigError
		require.ErrorAs(t, err, &fault, rule)
		assert.ErrorContains(t, err, rule)
	}
}

// Thresholds are F x HRTT x rate / N_active (BFC, section 3.3), in whole cells below them.
func TestBFCThresholds(t *testing.T) {
	made, err := tofino.NewBFC(bfcConfig(bfcBase()))
	require.NoError(t, err)
	s, err := bfc.New(bfcBase())
	require.NoError(t, err)
	for _, filled := range made.Config.Tables {
		if filled.Table.Name != "threshold" {
			continue
		}
		require.Len(t, filled.Entries, 17, "one class of ports, none to 16 active queues")
		for active, e := range filled.Entries {
			cells := int64(e.Data[0].Lo)
			bytes := int64(s.Threshold(0, 0, active))
			assert.LessOrEqual(t, cells*chip.CellBytes, bytes)
			assert.Greater(t, (cells+1)*chip.CellBytes, bytes, "a cell more is above it")
		}
	}
}

// Of 32 ports with 32 queues and 4,096 entries each, the specification reckons with 90 blocks, of
// which the flow table has 67: as one array of 64 bits. Ours is of 32 and 16 bits.
func TestBFCCost(t *testing.T) {
	link := sluice.Link{Rate: 50 * sluice.Gbps, Delay: sluice.Microsecond}
	machine, _, err := tofino.RealiseBFC(bfc.Config{Ports: slices.Repeat(
		[]bfc.PortConfig{{Link: link}}, 16,
	),
		Queues: 32, VFIDs: 4096})
	require.NoError(t, err)
	config := tofino.BFCConfig{Machine: machine}
	for at := range machine.Ports {
		port, err := chip.NewDevPort(0, 1+at/2, at%2*4)
		require.NoError(t, err)
		config.Ports = append(config.Ports, port)
	}
	made, err := tofino.NewBFC(config)
	require.NoError(t, err)
	assert.Equal(t, 64, made.Carving.Count(4), "two ports share a group's 128 queues")
	r := fit.Of(made.Program, made.Config)
	if testing.Verbose() {
		require.NoError(t, r.Write(t.Output()))
	}
	assert.LessOrEqual(t, r.Total.Blocks, 90)
	assert.Equal(t, sluice.Rate(16*50*sluice.Gbps)/1000*2*64, made.Recirculation(1000))
}
