package main

import (
	"flag"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/lab/papers"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/run/runtest"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

var (
	tofinoDuration = flag.String("tofino.duration", "",
		"span in which flows start while every switch has its program for the Tofino beside it, "+
			"in place of a short one")
	tofinoRounds = flag.Int("tofino.rounds", 2,
		"incasts of ofc/fig4 while every switch has its program for the Tofino beside it")
	tofinoSeeds = flag.Uint64("tofino.seeds", 1, "how many seeds of the flows")
)

// Every switch of the scenario decides as its program for the Tofino 2 does, at every input: queue,
// frames to the octet, gates, registers. At the end all sums and flags are zero.
func TestTofinoReplayOfPortFC(t *testing.T) {
	programs := map[sluice.SwitchID]*tofino.PortFC{}
	taps := replayed(t, "portfc/fig8-websearch", "portfc", "duration=50us",
		func(node sluice.SwitchID, config any) (replay.Config, error) {
			made, err := portfcProgram(config.(portfc.Config))
			if err != nil {
				return replay.Config{}, err
			}
			programs[node] = made
			return replay.PortFC(made)
		})
	assert.Len(t, taps, 8)
	for node, tap := range taps {
		for _, register := range programs[node].Program.Registers {
			for port := 0; port < register.Size && (register.Name == "ihfq" ||
				register.Name == "ddq"); port++ {
				assert.Equal(t, [2]uint32{}, tap.Program().Register(register, 1, port))
			}
		}
	}
}

// BFC's program too: an incast in a small network, and the paper's incast where a duration is
// given.
func TestTofinoReplayOfBFC(t *testing.T) {
	scenario, set := "incast", "topology=leaf-spine,racks=2,spines=2,hosts=6,incast.degree=10,"+
		"fabric.rate=100Gbps,"
	if *tofinoDuration != "" {
		scenario, set = "bfc/incast", ""
	}
	replayed(t, scenario, "bfc", set+"duration=50us",
		func(_ sluice.SwitchID, config any) (replay.Config, error) {
			machine, _, err := tofino.RealiseBFC(config.(bfc.Config))
			if err != nil {
				return replay.Config{}, err
			}
			c := tofino.BFCConfig{Machine: machine,
				Site: tofino.Site{Ports: tofinoPorts(len(machine.Ports))}}
			var routes []netip.Addr
			c.Routes, routes = tofinoRoutes(len(machine.Ports))
			made, err := tofino.NewBFC(c)
			if err != nil {
				return replay.Config{}, err
			}
			return replay.BFC(made, routes)
		})
}

// replayed runs a scenario in which every switch has its program beside it, for every seed, fails
// if one decision differs, and returns the taps of the last.
func replayed(
	t *testing.T, scenario, fc, set string, program func(sluice.SwitchID, any) (replay.Config, error),
) (taps map[sluice.SwitchID]*replay.Tap) {
	t.Helper()
	if testing.Short() {
		t.Skip("a network in which each switch has its program beside it")
	}
	if *tofinoDuration != "" && strings.Contains(set, "duration=") {
		set = "duration=" + *tofinoDuration
	}
	start, all := time.Now(), replay.Stats{}
	for seed := range *tofinoSeeds {
		taps = replayedOnce(t, scenario, fc, set, run.DefaultSeed+seed, program)
		for node, tap := range taps {
			require.NoError(t, tap.Check(), "seed %d, switch %d", run.DefaultSeed+seed, node)
			stats := tap.Stats()
			assert.Empty(t, stats.LeftOut)
			all.Inputs += stats.Inputs
			all.Frames += stats.Frames
			all.Pauses += stats.Pauses
		}
	}
	assert.NotZero(t, all.Frames)
	assert.NotZero(t, all.Pauses)
	t.Logf("%d inputs of %d switches, %d frames, %d queues held: none differs; %.0f inputs a "+
		"second, simulation included",
		all.Inputs, len(taps), all.Frames, all.Pauses,
		float64(all.Inputs)/time.Since(start).Seconds())
	return taps
}

// replayedOnce runs it for one seed.
func replayedOnce(
	t *testing.T, scenario, fc, set string, seed uint64,
	program func(sluice.SwitchID, any) (replay.Config, error),
) map[sluice.SwitchID]*replay.Tap {
	chosen, err := papers.All.Find(scenario)
	require.NoError(t, err)
	s, err := papers.All.Prepare(chosen, run.Request{Set: runtest.Settings(set), Seed: seed})
	require.NoError(t, err)
	r := s.FabricRun(fc)
	taps := map[sluice.SwitchID]*replay.Tap{}
	r.Machine = func(node sluice.SwitchID) (kit.Machine, error) {
		if s.Graph.IsHost(node) {
			return nil, nil
		}
		config, err := r.Configuration(node)
		if err != nil {
			return nil, err
		}
		c, err := program(node, config)
		if err != nil {
			return nil, err
		}
		tap, err := replay.New(c)
		taps[node] = tap
		return tap, err
	}
	result, err := r.Do()
	require.NoError(t, err)
	require.Zero(t, result.Dropped)
	return taps
}

// portfcProgram is the program of a switch as the chip can run it, in pipe 1.
func portfcProgram(machine portfc.Config) (*tofino.PortFC, error) {
	machine, _, err := tofino.RealisePortFC(machine)
	if err != nil {
		return nil, err
	}
	size := bits.Len(uint(machine.Network.N - 1))
	c := tofino.PortFCConfig{Machine: machine, Addresses: tofino.DigitLayout{
		Base:   netip.AddrFrom4([4]byte{10}),
		Digits: []tofino.AddressBits{{Low: 0, Bits: size}, {Low: size, Bits: size}},
	}}
	c.Ports = tofinoPorts(len(machine.Ports))
	return tofino.NewPortFC(c)
}

// tofinoPorts are ports of pipe 1, four to a port group.
func tofinoPorts(count int) []chip.DevPort {
	ports := make([]chip.DevPort, count)
	for at := range ports {
		ports[at] = chip.DevPort(1<<7 | (1+at/4)<<3 | at%4*2)
	}
	return ports
}

// tofinoRoutes gives every port an address of its own.
func tofinoRoutes(ports int) (routes []tofino.Route, addresses []netip.Addr) {
	for at := range ports {
		to := netip.AddrFrom4([4]byte{10, 0, byte(at), 1})
		addresses = append(addresses, to)
		routes = append(
			routes, tofino.Route{To: netip.PrefixFrom(to, 32), Port: sluice.PortID(at)},
		)
	}
	return routes, addresses
}

// The same of OFC: its incast, with moves, rotations and gates; at the end no cell of any table is
// taken.
func TestTofinoReplayOfOFC(t *testing.T) {
	programs := map[sluice.SwitchID]*tofino.OFC{}
	taps := replayed(t, "ofc/fig4", "ofc", fmt.Sprint("ofc.ratio=8,ofc.rounds=", *tofinoRounds),
		func(node sluice.SwitchID, config any) (replay.Config, error) {
			machine, _, err := tofino.RealiseOFC(config.(ofc.Config))
			if err != nil {
				return replay.Config{}, err
			}
			c := tofino.OFCConfig{Machine: machine}
			if c.Carving, err = chip.NewCarving([8]int{24, 24, 24, 24, 24}); err != nil {
				return replay.Config{}, err
			}
			for at := range machine.Ports {
				c.Ports = append(c.Ports, chip.DevPort(1<<7|(1+at/5)<<3|at%5)) // 33 in a pipe
			}
			var routes []netip.Addr
			c.Routes, routes = tofinoRoutes(len(machine.Ports))
			made, err := tofino.NewOFC(c)
			if err != nil {
				return replay.Config{}, err
			}
			programs[node] = made
			return replay.OFC(made, routes)
		})
	assert.Len(t, taps, 2)
	free := []string{"q_in", "q_out", "backup", "paused_flows", "pause_frames",
		"pause_frame_a", "pause_frame_b", "unknown",
		"held", "all"}
	moves := uint64(0)
	for node, tap := range taps {
		moves += tap.Stats().Moves
		for _, register := range programs[node].Program.Registers {
			for at := 0; at < register.Size && slices.Contains(free, register.Name); at++ {
				assert.Equal(t, [2]uint32{}, tap.Program().Register(register, 1, at), register.Name)
			}
		}
	}
	assert.NotZero(t, moves)
}
