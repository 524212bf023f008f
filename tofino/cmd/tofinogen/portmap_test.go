package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/tofino/chip"
)

// star is a switch, the last node, with a port of each rate.
func star(t require.TestingT, rates ...sluice.Rate) (*topo.Graph, sluice.SwitchID) {
	g := &topo.Graph{Name: "star", Nodes: make([]topo.Node, len(rates)+1)}
	hub := sluice.SwitchID(len(rates))
	g.Nodes[hub].Tier = 1
	for at, rate := range rates {
		g.Connect(sluice.SwitchID(at), hub, sluice.Link{Rate: rate})
	}
	return g, hub
}

func rates(count int, rate sluice.Rate) []sluice.Rate {
	list := make([]sluice.Rate, count)
	for at := range list {
		list[at] = rate
	}
	return list
}

func TestPortsByDefault(t *testing.T) {
	const g100, g400 = 100 * sluice.Gbps, 400 * sluice.Gbps
	for _, one := range []struct {
		rates       []sluice.Rate
		first, last chip.DevPort
	}{
		{rates(4, g100), 8, 32},  // a port group each
		{rates(16, g100), 8, 68}, // two to a port group
		{rates(32, g100), 8, 70}, // four
		{rates(64, 50*sluice.Gbps), 8, 71},
		{append(rates(18, g100), rates(18, g400)...), 8, 312}, // three pipes
		{rates(32, g400), 8, 448},
	} {
		g, hub := star(t, one.rates...)
		m, err := defaultPorts(g, hub)
		require.NoError(t, err)
		assert.Equal(t, one.first, m.ports[0])
		assert.Equal(t, one.last, m.ports[len(m.ports)-1])
		assert.NoError(t, m.overlaps("default"))
	}
	g, hub := star(t, rates(33, g400)...)
	_, err := defaultPorts(g, hub)
	assert.ErrorContains(t, err, "port 32: the chip has no channels left")
}

func TestPortMapsThatAreWrong(t *testing.T) {
	g, hub := star(t, 100*sluice.Gbps, 100*sluice.Gbps)
	for text, want := range map[string]string{
		"0 8":               "p.txt: port 1 of the switch is missing: it has 2",
		"0 8\n0 10":         "p.txt:2: port 0 is there twice",
		"0 8\n2 10":         `p.txt:2: "2" is no port of the switch: it has 0 to 1`,
		"0 8 100Gbps x":     "p.txt:1: must be a port",
		"0 8 fast":          "must be a rate with a unit",
		"0 8 800Gbps":       "up to 400Gb/s",
		"0 8 0":             "up to 400Gb/s",
		"0 6\n1 8":          "the chip's own",
		"0 72\n1 8":         "low seven bits must be 0 to 71",
		"0 33/0\n1 8":       "front ports are 1/0 to 32/7",
		"0 1/8\n1 8":        "channel = 8: must be 0 to 7",
		"0 x\n1 8":          "is neither a dev_port",
		"0 8\n1 8":          "ports 0 and 1 share channel 0 of port group 1, pipe 0",
		"0 8 400Gbps\n1 10": "share channel 2",
		"0 9\n1 12":         "begin at a multiple of that: not at dev_port 9",
	} {
		_, err := readPorts([]byte(text), "p.txt", g, hub)
		assert.ErrorContains(t, err, want, "%q", text)
	}
}

// Whatever a port map says, it is refused or read back from its own text.
func FuzzPortMap(f *testing.F) {
	f.Add("0 8\n1 10 # comment\n2 9/0 40Gbps")
	f.Add("0 136 400Gbps\n1 32/7 1Mbps\n2 1/1")
	f.Fuzz(func(t *testing.T, text string) {
		g, hub := star(t, 100*sluice.Gbps, 25*sluice.Gbps, 10*sluice.Gbps)
		m, err := readPorts([]byte(text), "fuzz", g, hub)
		if err != nil {
			return
		}
		again, err := readPorts(m.text(), "again", g, hub)
		require.NoError(t, err, "%s", m.text())
		require.Equal(t, m, again)
	})
}
