package tofino_test

import (
	"net/netip"
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
		port, err := chip.NewDevPort(1, 1+at/4, at%4*2)
		if err != nil {
			panic(err)
		}
		c.Ports = append(c.Ports, port)
		c.Routes = append(c.Routes, tofino.Route{Port: sluice.PortID(at),
			To: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(at)}), 16)})
	}
	return c
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
