package check_test

import (
	"bytes"
	"net/netip"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/emit"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Nothing is found in what is emitted of PortFC.
func TestNothingInPortFC(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 10 * sluice.Microsecond}
	made, err := tofino.NewPortFC(tofino.PortFCConfig{
		Machine: portfc.SwitchConfig(portfc.NDC{N: 4, K: 1}, 20, link), Ports: []chip.DevPort{8, 16, 24, 32},
		Addresses: tofino.DigitLayout{Base: netip.MustParseAddr("10.0.0.0")}})
	require.NoError(t, err)
	assert.Empty(t, said(t, written(t, made.Program, made.Config)))
}

// Nothing is found in what is emitted of PFC, which has no program.
func TestNothingInPFC(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	profile := pfc.Profile{Alpha: sluice.Ratio{Num: 1, Den: 4}, ResumeOffset: 18 * chip.CellBytes,
		Headroom: 300 * chip.CellBytes}
	machine := pfc.Config{Ports: []pfc.PortConfig{{Link: link, Profile: profile}, {Link: link, Profile: profile}},
		Buffer: 100_000 * chip.CellBytes, CellSize: chip.CellBytes, Classes: sluice.MakeClassSet(3)}
	made, err := tofino.NewPFC(tofino.PFCConfig{Machine: machine, Ports: []chip.DevPort{8, 136}})
	require.NoError(t, err)
	var list bytes.Buffer
	require.NoError(t, emit.Entries(&list, &ir.Program{Name: "sluice_pfc"}, made.Config))
	assert.Empty(t, said(t, fstest.MapFS{"entries.json": {Data: list.Bytes()}}))
}

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
