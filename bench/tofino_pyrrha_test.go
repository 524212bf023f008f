package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

// The same of Pyrrha in a single tier: an incast that makes roots and merges them. At the end no
// slot, no queue and no set is in use, on either side. Each kind of frame is seen: a hundred times
// in ten million inputs, and in proportion in fewer.
func TestTofinoReplayOfPyrrha(t *testing.T) {
	depth.From(t, depth.Thorough, "networks in which each switch has its program beside it")
	kinds, inputs := map[string]uint64{}, uint64(0)
	for scenario, set := range map[string]string{
		"pyrrha/merge": "buffer=8MiB",
		"pyrrha/fig2": "racks=3,hosts=6,spines=2,incast.degree=40,incast.min=60,incast.max=90," +
			"duration=60us,buffer=8MiB",
	} {
		if *tofinoDuration != "" && scenario == "pyrrha/fig2" {
			set = "duration=" + *tofinoDuration
		}
		t.Run(scenario, func(t *testing.T) {
			stats := pyrrhaReplayed(t, scenario, set)
			inputs += stats.Inputs
			for kind, count := range stats.Kinds {
				kinds[kind] += count
			}
		})
	}
	for _, kind := range []string{"pause", "resume", "merge", "dealloc"} {
		if inputs > 0 { // a scenario may be run alone, or none
			assert.GreaterOrEqual(t, kinds[kind], min(max(inputs/100_000, 1), 100), kind)
		}
	}
}

// pyrrhaReplayed runs a scenario for every seed and returns what was compared.
func pyrrhaReplayed(t *testing.T, scenario, set string) replay.Stats {
	const fc = "pyrrha-single"
	start, all := time.Now(), replay.Stats{Kinds: map[string]uint64{}, LeftOut: map[string]uint64{}}
	var overtakes uint64
	switches := 0
	for seed := range *tofinoSeeds {
		values := "hash=crc32,hash.width=9,pyrrha.iqs=61," + set
		network := networkOf(t, scenario, fc, values, run.DefaultSeed+seed)
		programs := map[sluice.SwitchID]*tofino.Pyrrha{}
		taps := replayedOnce(t, scenario, fc, values, run.DefaultSeed+seed,
			func(node sluice.SwitchID, config any) (replay.Config, error) {
				made, err := pyrrhaProgram(config.(pyrrha.Config), network)
				if err != nil {
					return replay.Config{}, err
				}
				programs[node] = made
				return replay.Pyrrha(made, network)
			})
		switches = len(taps)
		for node, tap := range taps {
			require.NoError(t, tap.Check(), "seed %d, switch %d", run.DefaultSeed+seed, node)
			if d := replay.PyrrhaIdle(programs[node], tap.Program()); d != nil {
				t.Errorf("switch %d: %v", node, d)
			}
			stats := tap.Stats()
			all.Inputs, all.Packets = all.Inputs+stats.Inputs, all.Packets+stats.Packets
			all.Frames, all.Pauses = all.Frames+stats.Frames, all.Pauses+stats.Pauses
			all.Turned += stats.Turned
			for kind, count := range stats.Kinds {
				all.Kinds[kind] += count
			}
			for reason, count := range stats.LeftOut {
				all.LeftOut[reason] += count
			}
			overtakes += overtakesOf(t, tap)
		}
	}
	took := time.Since(start)
	t.Logf("%d inputs of %d switches, %d packets, frames %v, %d in another order at a port, %d "+
		"held, left out %v, %d packets that overtook: none differs; %.0f inputs a second, simulation "+
		"included", all.Inputs, switches, all.Packets, all.Kinds, all.Turned, all.Pauses, all.LeftOut,
		overtakes, float64(all.Inputs)/took.Seconds())
	for reason, count := range all.LeftOut {
		assert.Equal(t, "in a queue that another set has", reason)
		assert.Less(t, count, all.Inputs/100)
	}
	return all
}

// networkOf returns the forwarding state that a run of a scenario begins with.
func networkOf(t *testing.T, scenario, fc, set string, seed uint64) *hashpath.Network {
	chosen, err := papers.All.Find(scenario)
	require.NoError(t, err)
	s, err := papers.All.Prepare(chosen, run.Request{Set: runtest.Settings(set), Seed: seed})
	require.NoError(t, err)
	run := s.FabricRun(fc)
	network, err := run.Forwarding()
	require.NoError(t, err)
	return network
}

// overtakesOf counts packets that went before others which the order of sets would have put first:
// the chip has no such order.
func overtakesOf(t *testing.T, tap *replay.Tap) uint64 {
	s, is := kit.Unwrap(tap).(*pyrrha.Switch)
	require.True(t, is, "the machine that was tapped is a %T", kit.Unwrap(tap))
	return s.Counters().Queues.Overtakes
}

// pyrrhaProgram is the program of a switch as the chip can run it, in pipe 1.
func pyrrhaProgram(
	machine pyrrha.Config, network *hashpath.Network,
) (*tofino.Pyrrha, error) {
	machine, _, err := tofino.RealisePyrrha(machine)
	if err != nil {
		return nil, err
	}
	c := tofino.PyrrhaConfig{Machine: machine, Network: network.Snapshot()}
	channels := max((len(machine.Ports)+chip.Groups-2)/(chip.Groups-1), 1)
	var counts [chip.Channels]int
	for at := range channels {
		counts[at] = chip.QueuesPerGroup / channels &^ 3
	}
	if c.Carving, err = chip.NewCarving(counts); err != nil {
		return nil, err
	}
	c.Machine.IQs = min(c.Machine.IQs, counts[0]-3)
	for at := range machine.Ports {
		port, err := chip.NewDevPort(1, 1+at%8, at/8)
		if err != nil {
			return nil, fmt.Errorf("port %d: %w", at, err)
		}
		c.Ports = append(c.Ports, port)
	}
	return tofino.NewPyrrha(c)
}
