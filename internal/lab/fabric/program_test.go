package fabric_test

import (
	"flag"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

var replayRounds = flag.Int("replay.rounds", 1, "incasts that switches with programs carry")

// besideProgram returns a machine in place of a switch's: of what the chip can run of its
// configuration, with the program beside it.
func besideProgram(t *testing.T, s *bfc.Switch) *replay.Tap {
	machine, _, err := tofino.RealiseBFC(s.Config())
	require.NoError(t, err)
	config := tofino.BFCConfig{Machine: machine}
	var routes []netip.Addr
	for at := range machine.Ports {
		port, err := chip.NewDevPort(0, 1+at, 0)
		require.NoError(t, err)
		address := netip.AddrFrom4([4]byte{10, 0, byte(at), 1})
		config.Ports, routes = append(config.Ports, port), append(routes, address)
		config.Routes = append(
			config.Routes, tofino.Route{Port: sluice.PortID(at), To: netip.PrefixFrom(address, 32)},
		)
	}
	made, err := tofino.NewBFC(config)
	require.NoError(t, err)
	compared, err := replay.BFC(made, routes)
	require.NoError(t, err)
	tap, err := replay.New(compared)
	require.NoError(t, err)
	return tap
}

// An incast over a leaf-spine, each of whose six switches has its program beside it: flows complete
// as they do without, and no switch decides anything that its program does not.
func TestSwitchesOfBFCAreTheirPrograms(t *testing.T) {
	flows := incast()
	for round := 1; round < *replayRounds; round++ {
		for _, flow := range incast() {
			flow.Start += sluice.Time(round) * 150 * sluice.Microsecond
			flows = append(flows, flow)
		}
	}
	r := fabric.Run{Protocol: "bfc", Topology: leafSpine(t), Flows: flows, Seed: 7, VerifyPaths: true,
		Values: values(t, "bfc.queues=16,bfc.acks=data,hash=crc32,buffer=64MiB")}
	config, err := r.Embedding()
	require.NoError(t, err)
	taps, made := []*replay.Tap{}, config.NewMachine
	config.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
		m, err := made(node)
		if s, is := kit.Unwrap(m).(*bfc.Switch); is && err == nil && s.Ports() > 1 {
			taps = append(taps, besideProgram(t, s))
			return taps[len(taps)-1], nil
		}
		return m, err
	}
	simulator, err := sim.New(*config)
	require.NoError(t, err)
	result, err := simulator.Run()
	require.NoError(t, err)
	assert.Equal(t, len(flows), result.Completed)
	assert.Zero(t, result.Dropped)
	require.Len(t, taps, 6)
	var inputs, frames, pauses uint64
	for _, tap := range taps {
		require.NoError(t, tap.Check())
		stats := tap.Stats()
		assert.Empty(t, stats.LeftOut)
		inputs, frames, pauses = inputs+stats.Inputs, frames+stats.Frames, pauses+stats.Pauses
	}
	t.Logf("%d inputs, %d frames, %d words PAUSE", inputs, frames, pauses)
	assert.Greater(t, frames, uint64(100))
	assert.NotZero(t, pauses, "switches obey each other")
}
