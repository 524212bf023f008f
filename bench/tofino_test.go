package main

import (
	"flag"
	"math/bits"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/replay"
)

var tofinoDuration = flag.String("tofino.duration", "50us", "span in which flows of portfc/fig8-websearch start "+
	"while every switch has its program for the Tofino beside it")

// Every switch of the scenario decides as its program for the Tofino 2 does, at every input: queue,
// frames to the octet, gates, registers. At the end all sums and flags are zero.
func TestTofinoReplayOfPortFC(t *testing.T) {
	if testing.Short() {
		t.Skip("a network in which each switch has its program beside it")
	}
	s := prepared(t, "portfc/fig8-websearch", "duration="+*tofinoDuration)
	r := s.fabricRun("portfc")
	taps := map[sluice.SwitchID]*replay.Tap{}
	programs := map[sluice.SwitchID]*tofino.PortFC{}
	r.Machine = func(node sluice.SwitchID) (kit.Machine, error) {
		if s.graph.IsHost(node) {
			return nil, nil
		}
		config, err := r.Configuration(node)
		if err != nil {
			return nil, err
		}
		made, err := portfcProgram(config.(portfc.Config))
		if err != nil {
			return nil, err
		}
		c, err := replay.PortFC(made)
		if err != nil {
			return nil, err
		}
		tap, err := replay.New(c)
		taps[node], programs[node] = tap, made
		return tap, err
	}
	start := time.Now()
	result, err := r.Do()
	require.NoError(t, err)
	elapsed := time.Since(start)
	require.Zero(t, result.Dropped)
	var all replay.Stats
	for node, tap := range taps {
		require.NoError(t, tap.Check(), "switch %d", node)
		stats := tap.Stats()
		assert.Empty(t, stats.LeftOut)
		all.Inputs, all.Frames, all.Pauses = all.Inputs+stats.Inputs, all.Frames+stats.Frames, all.Pauses+stats.Pauses
		for _, register := range programs[node].Program.Registers {
			for port := 0; port < register.Size && (register.Name == "ihfq" || register.Name == "ddq"); port++ {
				assert.Equal(t, [2]uint32{}, tap.Program().Register(register, 1, port))
			}
		}
	}
	assert.Len(t, taps, 8)
	assert.NotZero(t, all.Frames)
	assert.NotZero(t, all.Pauses)
	t.Logf("%d inputs of 8 switches, %d frames, %d queues held: none differs; %.0f inputs a second, simulation included",
		all.Inputs, all.Frames, all.Pauses, float64(all.Inputs)/elapsed.Seconds())
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
	for at := range machine.Ports {
		port, err := chip.NewDevPort(1, 1+at/4, at%4*2)
		if err != nil {
			return nil, err
		}
		c.Ports = append(c.Ports, port)
	}
	return tofino.NewPortFC(c)
}
