package check_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
)

// Nothing is found in what is emitted of BFC, with either source of depths.
func TestNothingInBFC(t *testing.T) {
	for _, depth := range []tofino.DepthSource{tofino.Notices, tofino.Ghost} {
		link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
		c := tofino.BFCConfig{Depth: depth, Machine: bfc.Config{
			Ports:  []bfc.PortConfig{{Link: link}, {Link: link, UpstreamQueues: 100}, {Link: link}},
			Queues: 16, Index: bfc.LowBits, Assignment: bfc.LastFreed, Overflow: bfc.HashQueue,
			AssignPaused: true, Signalling: bfc.Transitions, QueuesPerFrame: 1}}
		for at := range c.Machine.Ports {
			port, err := chip.NewDevPort(1, 1+at/4, at%4*2)
			require.NoError(t, err)
			c.Ports = append(c.Ports, port)
			c.Routes = append(c.Routes, tofino.Route{Port: sluice.PortID(at),
				To: netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(at)}), 16)})
		}
		made, err := tofino.NewBFC(c)
		require.NoError(t, err)
		assert.Empty(t, said(t, written(t, made.Program, made.Config)))
	}
}
