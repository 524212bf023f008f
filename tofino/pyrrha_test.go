package tofino_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
	"github.com/sluicefc/sluice/tofino/ir"
)

func init() { depth.CollectSeldom() }

// pyrrhaBase is a configuration that the chip can run as it is: an edge switch of a fat-tree with k
// = 4, the first.
func pyrrhaBase() pyrrha.Config {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	c := pyrrha.Config{Switch: 16, Organisation: pyrrha.SingleTier, Unordered: true, FreeMerged: true,
		KeepPaused: true, UpPorts: pyrrha.UpAlways, Scheduler: hiq.DeficitRoundRobin, Roots: 255,
		IQs: 100}
	for _, role := range []pyrrha.Role{pyrrha.Host, pyrrha.Host, pyrrha.Up, pyrrha.Up} {
		c.Ports = append(c.Ports, pyrrha.PortConfig{Link: link, Role: role})
	}
	return c
}

// pyrrhaConfig is of that switch in its network.
func pyrrhaConfig(t require.TestingT, machine pyrrha.Config) tofino.PyrrhaConfig {
	hash := hashpath.Hash{Kind: hashpath.KindCRC32, Width: 9}
	c := tofino.PyrrhaConfig{Machine: machine,
		Network: network(t, fatTree(t, 4), hashpath.Config{Hash: hash, Seed: 1}).Snapshot()}
	for at := range machine.Ports {
		c.Ports = append(c.Ports, chip.DevPort(1<<7|(1+at)<<3))
	}
	return c
}

// The program is one that the chip can run, with its entries.
func TestPyrrhaProgramIsValid(t *testing.T) {
	for tier := range 3 {
		for _, depth := range []tofino.DepthSource{tofino.Notices, tofino.Ghost} {
			made, err := samples.Pyrrha(4, tier, depth)
			require.NoError(t, err)
			require.NoError(t, made.Program.Validate())
			require.NoError(t, made.Config.Validate(made.Program))
			m, err := ir.NewMachine(made.Program)
			require.NoError(t, err)
			require.NoError(t, m.Load(made.Config))
		}
	}
}

// pyrrhaGenerated is all that is made of a configuration.
func pyrrhaGenerated(t *testing.T, c pyrrha.Config) string {
	made, err := tofino.NewPyrrha(pyrrhaConfig(t, c))
	require.NoError(t, err)
	return generated(t, made.Program, made.Config)
}

func TestEachFieldOfPyrrhaIsDecided(t *testing.T) {
	depth.From(t, depth.Thorough, "a program is made for each field")
	type (
		d = decision[pyrrha.Config]
		c = *pyrrha.Config
	)
	const off = "of a mechanism that is off"
	decided(t, realisation[pyrrha.Config]{
		base: pyrrhaBase, realise: tofino.RealisePyrrha, generated: pyrrhaGenerated,
		decisions: []d{
			{"Switch", realised, func(c c) { c.Switch = 17 }, ""},
			{"Ports[].Link.Rate", realised, func(c c) { c.Ports[1].Link.Rate = 400 * sluice.Gbps }, ""},
			{
				"Ports[].Link.Rate", refused, func(c c) { c.Ports[1].Link.Rate = 33 * sluice.Gbps },
				"10, 25, 40",
			},
			{"Ports[].Link.Delay", realised, func(c c) { c.Ports[1].Link.Delay *= 2 }, ""},
			{"Ports[].Role", realised, func(c c) { c.Ports[1].Role = pyrrha.Legacy }, ""},
			{"Ports[].Role", refused, func(c c) { c.Ports[1].Role = pyrrha.NIC }, "not emitted"},
			{"Ports[].Levels", inert, func(c c) { c.Ports[1].Levels = 5 }, "the path tables know it"},
			{"MAC", realised, func(c c) { c.MAC = sluice.MAC{2, 3, 4, 5, 6, 7} }, ""},
			{"Classes", realised, func(c c) { c.Classes = sluice.AllClasses &^ (1 << 2) }, ""},
			{"Classes", changed, func(c c) { c.Classes = sluice.MakeClassSet(3) }, "one queue for a class"},
			{"Classes", inert, func(c c) { c.Classes = sluice.AllClasses }, "what zero means"},
			{"Organisation", changed, func(c c) { c.Organisation = pyrrha.Hierarchical },
				"no queues in levels"},
			{"Unordered", changed, func(c c) { c.Unordered = false }, "behind the queues of its subsets"},
			{"FreeMerged", changed, func(c c) { c.FreeMerged = false }, "nothing waits for the old queue"},
			{"KeepPaused", changed, func(c c) { c.KeepPaused = false }, "search for the sets"},
			{"Pause", realised, func(c c) { c.Pause = sluice.Ratio{Num: 3, Den: 1} }, ""},
			{"Resume", realised, func(c c) { c.Resume = sluice.Ratio{Num: 1, Den: 2} }, ""},
			{"Child", changed, func(c c) { c.Child = pyrrha.ByQueue }, "not by queue"},
			{"UpPorts", realised, func(c c) { c.UpPorts = pyrrha.UpNever }, ""},
			{"UpPorts", changed, func(c c) { c.UpPorts = pyrrha.UpImbalanced }, "takes a division"},
			{"Imbalance", inert, func(c c) { c.Imbalance = sluice.Ratio{Num: 3, Den: 1} }, off},
			{"AbdicateUp", realised, func(c c) { c.AbdicateUp = true }, ""},
			{"Merge", realised, func(c c) { c.Merge = pyrrha.MergeNever }, ""},
			{"Merge", changed, func(c c) { c.Merge = pyrrha.MergeIfCalm }, "when a PAUSE comes"},
			{"Levels", inert, func(c c) { c.Levels = 6 }, "the path tables know it"},
			{"IQs", realised, func(c c) { c.IQs = 99 }, ""},
			{"IQs", changed, func(c c) { c.IQs = 1000 }, "three queues besides"},
			{"Roots", realised, func(c c) { c.Roots = 200 }, ""},
			{"Roots", changed, func(c c) { c.Roots = 0 }, "8 bits"},
			{"MTU", inert, func(c c) { c.MTU = 9000 }, "moves between levels"},
			{"Scheduler", changed, func(c c) { c.Scheduler = hiq.RoundRobin }, "by bytes"},
			{"Speedup", inert, func(c c) { c.Speedup = 2 }, "moves between levels"},
			{"Buffer", changed, func(c c) { c.Buffer = sluice.MiB }, "stay counted"},
			{"Refresh", changed, func(c c) { c.Refresh = sluice.Millisecond }, "repeats no frame"},
			{"Expiry", changed, func(c c) { c.Expiry = sluice.Millisecond }, "taken back"},
		},
	})
}

// What no program can be made of is refused by the name of the field.
func TestPyrrhaRefuses(t *testing.T) {
	for rule, spoil := range map[string]func(c *tofino.PyrrhaConfig){
		"Unordered = false: the chip cannot hold": func(c *tofino.PyrrhaConfig) {
			c.Machine.Unordered = false
		},
		"Ports = 2: must name": func(c *tofino.PyrrhaConfig) { c.Ports = c.Ports[:2] },
		"ports [0 2 3] in pipe 1, ports [1] in pipe 3": func(c *tofino.PyrrhaConfig) {
			c.Ports[1] = 3<<7 | 8
		},
		"Machine.IQs = 100: must be at most 61: port 0 has 64 queues": func(c *tofino.PyrrhaConfig) {
			c.Carving, _ = chip.NewCarving([8]int{64})
		},
		"MTU = 19: must be 20 to 65517":       func(c *tofino.PyrrhaConfig) { c.MTU = 19 },
		"Depth = 2: must be Notices or Ghost": func(c *tofino.PyrrhaConfig) { c.Depth = 2 },
		"must be as many cells as a power of two": func(c *tofino.PyrrhaConfig) {
			c.Depth, c.Unit = tofino.Ghost, 3
		},
		"Unit = 64: must be as many cells as a power of two, at most 32": func(c *tofino.PyrrhaConfig) {
			c.Depth, c.Unit = tofino.Ghost, 64
		},
		"Switch = 99: must be a node of the network": func(c *tofino.PyrrhaConfig) {
			c.Machine.Switch = 99
		},
		"Network = <nil>: must be a snapshot": func(c *tofino.PyrrhaConfig) { c.Network = nil },
		"Pause = 1024: its thresholds must be within the chip's buffer": func(c *tofino.PyrrhaConfig) {
			c.Machine.Pause.Num, c.Machine.Ports[0].Link.Delay = 1024, sluice.Millisecond
			c.Machine.Pause.Den = 1
		},
		"Ports = 65: must be at most 64": func(c *tofino.PyrrhaConfig) {
			c.Machine.Ports = slices.Repeat(c.Machine.Ports[:1], 65)
		},
		"Stages = -1: must not be negative": func(c *tofino.PyrrhaConfig) { c.Stages = -1 },
		"Network = 0: must have ports behind the switch": func(c *tofino.PyrrhaConfig) {
			g, err := topo.SingleSwitch(topo.SingleSwitchConfig{Hosts: 4,
				Link: sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}})
			require.NoError(t, err)
			hash := hashpath.Hash{Kind: hashpath.KindCRC32, Width: 9}
			c.Network = network(t, g, hashpath.Config{Hash: hash, Seed: 1}).Snapshot()
			c.Machine.Switch = 4
		},
	} {
		c := pyrrhaConfig(t, pyrrhaBase())
		spoil(&c)
		_, err := tofino.NewPyrrha(c)
		var fault *sluice.ConfigError
		require.ErrorAs(t, err, &fault, rule)
		assert.ErrorContains(t, err, rule)
	}
}

// Words of flow control hold the isolation queues of a port, except the last, where sets without a
// queue of their own go; the queue of signals has the best priority.
func TestPyrrhaQueuesThatWordsHold(t *testing.T) {
	made, err := tofino.NewPyrrha(pyrrhaConfig(t, pyrrhaBase()))
	require.NoError(t, err)
	iqs := made.Machine.IQs
	seen := 0
	for _, e := range made.Config.Fixed {
		if e.Table != ir.QueueScheduling || e.Keys[0].Value != uint64(1) {
			continue
		}
		queue, is := e.Keys[1].Value.(uint64)
		require.True(t, is)
		held := e.Data[0] == ir.FixedDatum{Field: "advanced_flow_control", Value: "XOFF"}
		assert.Equal(t, queue > 0 && int(queue) < iqs, held, "queue %d", queue)
		best := slices.Contains(e.Data, ir.FixedDatum{Field: "max_priority", Value: "7"})
		assert.Equal(t, int(queue) == iqs+1, best, "queue %d", queue)
		seen++
	}
	assert.GreaterOrEqual(t, seen, iqs+2)
}

// The queue of the class that is not under Pyrrha is the last of a port, behind the isolation
// queues and the queue of signals. It is served before the others if its class is above theirs,
// else after them: strict priority by the number of the class.
func TestPyrrhaQueueOfTheOtherClass(t *testing.T) {
	for classes, want := range map[sluice.ClassSet]string{
		sluice.AllClasses &^ sluice.MakeClassSet(7): "3",
		sluice.AllClasses &^ sluice.MakeClassSet(0): "1",
	} {
		machine := pyrrhaBase()
		machine.Classes = classes
		made, err := tofino.NewPyrrha(pyrrhaConfig(t, machine))
		require.NoError(t, err)
		var found []ir.FixedDatum // of the last queue of port 0
		queues := map[uint64]bool{}
		for _, e := range made.Config.Fixed {
			if e.Table == ir.QueueScheduling && e.Keys[0].Value == uint64(1) {
				queue, is := e.Keys[1].Value.(uint64)
				require.True(t, is)
				require.False(t, queues[queue], "queue %d has two uses", queue)
				queues[queue], found = true, e.Data
			}
		}
		require.Len(t, queues, machine.IQs+3, "OQ, IQs, signals, the other class")
		for queue := range queues {
			require.LessOrEqual(t, queue, uint64(machine.IQs+2))
		}
		assert.Equal(t, ir.FixedDatum{Field: "max_priority", Value: want}, found[0])
	}
}

// Figures of the paper (section V-A), for a fat-tree with k = 36 and 11,664 hosts: 28 blocks of
// path calculation, 11 of the congestion-root table, 553 of the queue manager, 120 of processing
// logic, 712 in all.
func TestPyrrhaOfAFatTree36(t *testing.T) {
	if testing.Short() {
		t.Skip("a network of 11,664 hosts")
	}
	numbers := [][]int{{630, 11646, 11340, 11340}, {954, 630, 11340}, {648, 11664}}
	for tier, numbers := range numbers[:depth.Choose(1, 1, 3)] {
		made, err := samples.Pyrrha(36, tier, tofino.Notices)
		require.NoError(t, err)
		sum := len(made.Ports)
		for at, count := range numbers {
			assert.Equal(t, count, made.Paths.Numbers(at+1))
			sum += count
		}
		for _, filled := range made.Config.Tables {
			if filled.Table.Name == "root_number" {
				assert.Len(t, filled.Entries, sum)
			}
		}
		report := fit.Of(made.Program, made.Config)
		roots := 0
		for _, item := range report.Items {
			if len(item.Name) == 6 && item.Name[:5] == "roots" {
				roots += item.Cost.Blocks
			}
		}
		if tier == 0 {
			assert.Equal(t, 11, roots, "176 KiB, as the paper has it")
			indexedByRoot(t, made)
		}
		t.Logf("tier %d: %d blocks, %d stages", tier, report.Total.Blocks, report.Stages)
		assert.Equal(t, []int{168, 122, 106}[tier], report.Total.Blocks)
		assert.LessOrEqual(t, report.Stages, chip.Stages, "tier %d", tier)
		if testing.Verbose() {
			require.NoError(t, report.Write(t.Output()))
			require.NoError(t, report.WriteBeside(t.Output(), fit.PyrrhaFigures()))
		}
	}
}

// A program fits the stages of the chip by the estimate, and ghost takes a stage more than notices.
// Where fewer are accepted, the refusal says how many it takes, and what fits.
func TestPyrrhaStages(t *testing.T) {
	for tier, stages := range []int{19, 16, 13} {
		for more, depth := range []tofino.DepthSource{tofino.Notices, tofino.Ghost} {
			c, err := samples.PyrrhaConfig(4, tier, depth)
			require.NoError(t, err)
			_, err = tofino.NewPyrrha(c)
			require.NoError(t, err)
			c.Stages = stages + more - 1
			_, err = tofino.NewPyrrha(c)
			assert.EqualError(t, err, fmt.Sprintf("tofino: Config.Stages = %d: must be at least %d to "+
				"accept the program, whose longest chain of dependent tables takes as many stages by "+
				"estimate; the chip has 20: the nearest program that fits finds paths alone",
				c.Stages, c.Stages+1))
		}
	}
}

// BenchmarkPyrrha generates a switch of each tier of a fat-tree with k = 36, and its files.
func BenchmarkPyrrha(b *testing.B) {
	for tier, name := range []string{"edge", "aggregation", "core"} {
		c, err := samples.PyrrhaConfig(36, tier, tofino.Notices)
		require.NoError(b, err)
		b.Run("generate/"+name, func(b *testing.B) {
			for b.Loop() {
				_, err := tofino.NewPyrrha(c)
				require.NoError(b, err)
			}
		})
		made, err := tofino.NewPyrrha(c)
		require.NoError(b, err)
		b.Run("files/"+name, func(b *testing.B) {
			for b.Loop() {
				_, err := emit.Files(made.Program, made.Config)
				require.NoError(b, err)
			}
		})
	}
}

// What is generated for the first edge switch of a fat-tree with k = 4.
func TestPyrrhaGolden(t *testing.T) {
	made, err := samples.Pyrrha(4, 0, tofino.Notices)
	require.NoError(t, err)
	var cost bytes.Buffer
	require.NoError(t, fit.Of(made.Program, made.Config).Write(&cost))
	golden(t, map[string]string{"pyrrha.p4h": decisions(t, made.Program),
		"pyrrha_cost.txt": cost.String()})
}
