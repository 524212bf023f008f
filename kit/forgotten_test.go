package kit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/pyrrha"
)

// TestForgotten: what loses packets because the embedder left something out is counted at the
// egress port, and Forgotten says what it is.
func TestForgotten(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	voice := sluice.MakeClassSet(3)
	static := pfc.Profile{XOff: 2000, XOn: 1000}
	whole := sluice.Packet{Size: 1000, Class: 3, Ingress: 1, Stamped: true}
	whole.Path.Append(sluice.Hop{})
	without := func(change func(p *sluice.Packet)) sluice.Packet {
		p := whole
		change(&p)
		return p
	}
	made := func(m kit.Machine, err error) kit.Machine {
		require.NoError(t, err)
		return m
	}
	machines := map[string]func() kit.Machine{
		"pfc": func() kit.Machine {
			port := pfc.PortConfig{Link: link, Profile: static}
			return made(kit.WrapNew(pfc.New(pfc.Config{
				Ports: []pfc.PortConfig{port, port}, Classes: voice, Buffer: 6000,
			})))
		},
		"bfc": func() kit.Machine {
			return made(kit.WrapNew(bfc.New(bfc.Config{
				Ports: []bfc.PortConfig{{Link: link}, {Link: link}}, Classes: voice, Buffer: 6000,
			})))
		},
		"ofc": func() kit.Machine {
			return made(kit.WrapNew(ofc.New(ofc.Config{
				Ports: []ofc.PortConfig{{Link: link}, {Link: link}}, Classes: voice, Buffer: 6000,
			})))
		},
		"pyrrha": func() kit.Machine {
			return made(kit.WrapNew(pyrrha.New(pyrrha.Config{
				Ports: []pyrrha.PortConfig{{Link: link}, {Link: link}}, Classes: voice, Buffer: 6000,
			})))
		},
	}
	for name, machine := range machines {
		for _, c := range []struct {
			packet      sluice.Packet
			fails, says string
		}{
			{whole, "", ""},
			{without(func(p *sluice.Packet) { p.Path = sluice.Path{} }), "pyrrha", "no Path"},
			{without(func(p *sluice.Packet) { p.Stamped = false }), "bfc", "no stamp"},
			{without(func(p *sluice.Packet) { p.Class = 4 }), name, "classes that the configuration"},
		} {
			m := machine()
			for range 10 {
				packet := c.packet
				m.Enqueue(0, 0, &packet)
			}
			if c.fails == name {
				require.ErrorContains(t, kit.Forgotten(m), c.says, name)
			} else {
				require.NoError(t, kit.Forgotten(m), name)
			}
		}
	}
}
