package topo_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

func TestValidateNamesTheNode(t *testing.T) {
	for want, breakIt := range map[string]func(*topo.Graph){
		"topo: there is no host": func(g *topo.Graph) { g.Nodes = nil },
		"topo: host 4: 0 ports, a host has at least 1": func(g *topo.Graph) {
			g.Nodes = append(g.Nodes, topo.Node{})
		},
		"topo: switch 0: port 0: leads back to its own node": func(g *topo.Graph) {
			g.Nodes[0].Tier, g.Nodes[0].Ports[0].Peer = 1, 0
		},
		"topo: host 0: port 0: leads to 9:0, which is not there": func(g *topo.Graph) {
			g.Nodes[0].Ports[0].Peer = 9
		},
		"topo: host 0: port 0: leads to 3:7, which is not there": func(g *topo.Graph) {
			g.Nodes[0].Ports[0].PeerPort = 7
		},
		"topo: host 0: port 0: leads to 3:1, which leads elsewhere": func(g *topo.Graph) {
			g.Nodes[0].Ports[0].PeerPort = 1
		},
		"topo: host 0: port 0: its end has 1b/s 600ns, the other end 100Gb/s 600ns": func(g *topo.Graph) {
			g.Nodes[0].Ports[0].Link.Rate = 1
		},
		"topo: host 0: port 0: link of 0b/s, 600ns: the rate must be positive": func(g *topo.Graph) {
			g.Nodes[0].Ports[0].Link.Rate, g.Nodes[3].Ports[0].Link.Rate = 0, 0
		},
		"topo: host 0: port 0: leads to host 3, not to a switch": func(g *topo.Graph) {
			g.Nodes[3].Tier = 0
		},
		"topo: switch 0: tier -1 is negative": func(g *topo.Graph) { g.Nodes[0].Tier = -1 },
		"topo: switch 4 cannot be reached from node 0": func(g *topo.Graph) {
			g.Nodes = append(g.Nodes, topo.Node{Tier: 2})
		},
	} {
		g, err := topo.SingleSwitch(topo.SingleSwitchConfig{Hosts: 3, Link: link100})
		require.NoError(t, err)
		require.NoError(t, g.Validate())
		breakIt(g)
		require.EqualError(t, g.Validate(), want)
	}
}

func TestValidatePortLimit(t *testing.T) {
	g := &topo.Graph{Nodes: []topo.Node{{Tier: 1, Ports: make([]topo.Port, math.MaxUint16+1)}}}
	require.EqualError(t, g.Validate(), "topo: switch 0: 65536 ports, at most 65535 are supported")
	require.Equal(t, sluice.Local, sluice.PortID(topo.MaxPorts), "port numbers end before Local")
}
