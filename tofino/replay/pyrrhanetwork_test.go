package replay_test

import (
	"flag"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

// pyrrhaNetwork is a network in which every switch has its program beside it.
type pyrrhaNetwork struct {
	run      fabric.Run
	taps     map[sluice.SwitchID]*replay.Tap
	programs map[sluice.SwitchID]*tofino.Pyrrha
}

// pyrrhaChip is a chip that is not as the replay's is by default.
type pyrrhaChip struct {
	depth          tofino.DepthSource
	unit           chip.DepthUnit
	report, notice sluice.Time // latencies
	count          bool        // differences, and go on
}

// newPyrrhaNetwork prepares one. change is given the program of each switch.
func newPyrrhaNetwork(
	g *topo.Graph, flows []workload.Flow, set string, seed uint64, change func(*tofino.Pyrrha),
	chips ...pyrrhaChip,
) (*pyrrhaNetwork, error) {
	var kind pyrrhaChip
	if len(chips) > 0 {
		kind = chips[0]
	}
	registry, err := params.NewRegistry(fabric.Definitions())
	if err != nil {
		return nil, err
	}
	values, err := registry.Parse("hash=crc32,hash.width=8,pyrrha.iqs=29," + set)
	if err != nil {
		return nil, err
	}
	n := &pyrrhaNetwork{taps: map[sluice.SwitchID]*replay.Tap{},
		programs: map[sluice.SwitchID]*tofino.Pyrrha{},
		run: fabric.Run{
			Protocol: "pyrrha-single", Topology: g, Flows: flows, Values: values, Seed: seed,
		}}
	network, err := n.run.Forwarding()
	if err != nil {
		return nil, err
	}
	n.run.Machine = func(node sluice.SwitchID) (kit.Machine, error) {
		if g.IsHost(node) {
			return nil, nil
		}
		config, err := n.run.Configuration(node)
		if err != nil {
			return nil, err
		}
		machine, _, err := tofino.RealisePyrrha(config.(pyrrha.Config))
		if err != nil {
			return nil, err
		}
		c := tofino.PyrrhaConfig{Machine: machine, Network: network.Snapshot(),
			Site: tofino.Site{Depth: kind.depth, Unit: kind.unit}}
		for at := range machine.Ports {
			c.Ports = append(c.Ports, chip.DevPort(1<<7|(1+at/4)<<3|at%4*2))
		}
		made, err := tofino.NewPyrrha(c)
		if err != nil {
			return nil, err
		}
		if change != nil {
			change(made)
		}
		beside, err := replay.Pyrrha(made, network)
		if err != nil {
			return nil, err
		}
		beside.Every, beside.Count = 100, kind.count
		beside.Latency = replay.Latency{Report: kind.report, Notice: kind.notice}
		tap, err := replay.New(beside)
		n.taps[node], n.programs[node] = tap, made
		return tap, err
	}
	return n, nil
}

// check returns the first difference of any switch, what is left out and what is not idle.
func (n *pyrrhaNetwork) check() error {
	for node, tap := range n.taps {
		if err := tap.Check(); err != nil {
			return fmt.Errorf("switch %d: %w", node, err)
		}
		if left := tap.Stats().LeftOut; len(left) > 0 {
			return fmt.Errorf("switch %d: left out: %v", node, left)
		}
		if d := replay.PyrrhaIdle(n.programs[node], tap.Program()); d != nil {
			return fmt.Errorf("switch %d is not idle: %w", node, d)
		}
	}
	return nil
}

// Two racks send to a host of the third, and beside it: ports become roots, pause, resume, merge.
func TestPyrrhaIncast(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 3, Spines: 2, HostsPerRack: 3, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	var flows []workload.Flow
	for src := range sluice.SwitchID(9) {
		for dst := range sluice.SwitchID(2) {
			if src/3 != 0 {
				flows = append(flows, workload.Flow{Src: src, Dst: dst, Class: 3, Bytes: 200_000,
					Start: sluice.Time(dst) * 5 * sluice.Microsecond, SrcPort: uint16(src), DstPort: 1})
			}
		}
	}
	n, err := newPyrrhaNetwork(g, flows, "buffer=8MiB,pyrrha.up=always", 1, nil)
	require.NoError(t, err)
	result, err := n.run.Do()
	require.NoError(t, err)
	require.Equal(t, len(flows), result.Completed)
	require.NoError(t, n.check())
	frames := uint64(0)
	for _, tap := range n.taps {
		frames += tap.Stats().Frames
	}
	assert.Greater(t, frames, uint64(100))
}

// fewChecks sets how many checks rapid makes, unless -rapid.checks does.
func fewChecks(t *testing.T, checks int) {
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "rapid.checks" })
	if told {
		return
	}
	before := flag.Lookup("rapid.checks").Value.String()
	require.NoError(t, flag.Set("rapid.checks", strconv.Itoa(checks)))
	t.Cleanup(func() { require.NoError(t, flag.Set("rapid.checks", before)) })
}

// Random networks, configurations and flows: whatever the switches decide, their programs decide.
func TestPyrrhaIsItsProgram(t *testing.T) {
	fewChecks(t, depth.Choose(2, 2, 10, 20))
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, values ...int) int { return rapid.SampledFrom(values).Draw(t, name) }
		link := sluice.Link{Rate: sluice.Rate(draw("Gbit/s", 10, 100)) * sluice.Gbps,
			Delay: sluice.Time(draw("delay", 200, 1000)) * sluice.Nanosecond}
		g, err := topo.LeafSpine(topo.LeafSpineConfig{
			Racks: draw("racks", 2, 3), Spines: draw("spines", 1, 2, 3), HostsPerRack: draw("hosts", 2, 3),
			HostLink: link, Uplink: link,
		})
		if draw("tiers", 2, 2, 3) == 3 {
			g, err = topo.FatTree(topo.FatTreeConfig{K: 4, Link: link})
		}
		require.NoError(t, err)
		hosts := len(g.Hosts())
		var flows []workload.Flow
		for at := range rapid.IntRange(1, 30).Draw(t, "flows") {
			src := sluice.SwitchID(rapid.IntRange(0, hosts-1).Draw(t, "src"))
			dst := sluice.SwitchID(draw("dst", 0, 0, 1, hosts-1))
			if src == dst {
				continue
			}
			flows = append(flows, workload.Flow{Src: src, Dst: dst, Class: 3, SrcPort: uint16(at),
				Bytes: sluice.Bytes(rapid.IntRange(1, 300_000).Draw(t, "bytes")),
				Start: sluice.Time(rapid.IntRange(0, 20).Draw(t, "start")) * sluice.Microsecond})
		}
		set := fmt.Sprintf("buffer=8MiB,pyrrha.up=%s,pyrrha.abdicate=%v,pyrrha.merge=%s,pyrrha.pause=%d",
			rapid.SampledFrom([]string{"always", "never"}).Draw(t, "up"),
			rapid.Bool().Draw(t, "abdicate"),
			rapid.SampledFrom([]string{"always", "always", "never"}).Draw(t, "merge"), draw("pause", 1, 2))
		n, err := newPyrrhaNetwork(g, flows, set, uint64(draw("seed", 1, 2, 3)), nil)
		require.NoError(t, err)
		_, err = n.run.Do()
		require.NoError(t, err)
		require.NoError(t, n.check())
	})
}
