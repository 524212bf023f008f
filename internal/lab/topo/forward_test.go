package topo_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// line is three hosts in a row, the one in the middle forwards.
func line() *topo.Graph {
	g := &topo.Graph{Name: "line", HostsForward: true, Nodes: make([]topo.Node, 3)}
	for i := range g.Nodes {
		g.Nodes[i].Rack = -1
	}
	g.Connect(0, 1, link100)
	g.Connect(1, 2, link400)
	return g
}

func TestHostsThatForward(t *testing.T) {
	g := line()
	require.NoError(t, g.Validate())
	require.Equal(t, []int32{2, 1, 0}, g.Distances(2), "through host 1")
	require.Equal(t, []sluice.PortID{0}, g.AppendNextHops(nil, 0, g.Distances(2)))
	require.Equal(t, 2, g.Diameter())
	require.Equal(t, 2400*sluice.Nanosecond, g.BaseRTT(0))
	require.True(t, g.Forwards(1))
	require.False(t, g.Forwards(0), "one port: there is nowhere to forward to")
	require.Equal(t, 400*sluice.Gbps, g.FastestPort(1))

	g.HostsForward = false
	require.EqualError(t, g.Validate(), "topo: host 0: port 0: leads to host 1, not to a switch")
	require.False(t, g.Forwards(1))
	require.Equal(t, []int32{-1, 1, 0}, g.Distances(2))
}

// A host that forwards is on the way of others, one with a single port is not.
func TestOnlyHostsOfSeveralPortsForward(t *testing.T) {
	g := line()
	g.Nodes = append(g.Nodes, topo.Node{Rack: -1})
	g.Connect(1, 3, link100)
	require.NoError(t, g.Validate())
	require.Equal(t, []int32{2, 1, 2, 0}, g.Distances(3))
	require.Equal(t, 2, g.Diameter())
}

// A file says that hosts forward by giving one several links, or two hosts a link.
func TestFilesOfHostsThatForward(t *testing.T) {
	for _, g := range []*topo.Graph{line(), ndc(t, 4, 1), ndc(t, 2, 2), ndc(t, 3, 0)} {
		var hpcc, pyrrha bytes.Buffer
		require.NoError(t, g.WriteHPCC(&hpcc))
		back, err := topo.Read(&hpcc, g.Name)
		require.NoError(t, err)
		require.Equal(t, g, back)
		require.NoError(t, g.WritePyrrha(&pyrrha))
		back, err = topo.Read(&pyrrha, g.Name)
		require.NoError(t, err)
		require.Equal(t, g, back)
	}
	g, err := topo.Read(
		strings.NewReader("4 1 4\n3\n0 3 1Gbps 0s 0\n1 3 1Gbps 0s 0\n0 1 1Gbps 0s 0\n1 2 1Gbps 0s 0\n"),
		"f",
	)
	require.NoError(t, err)
	require.True(t, g.HostsForward)
	require.Equal(t, []int32{0, 0, -1, 0}, racks(g), "host 2 leads to no switch")
}

func ndc(t require.TestingT, n, k int) *topo.Graph {
	links := make([]sluice.Link, k+1)
	for i := range links {
		links[i] = []sluice.Link{link100, link400}[i%2]
	}
	g, err := topo.NDC(topo.NDCConfig{N: n, K: k, Links: links})
	require.NoError(t, err)
	return g
}

// Figure 6 of the PortFC paper numbers NDC(4,1) like this: nodes 0 to 15, switches of layer 0 16 to
// 19, of layer 1 20 to 23. Its flow F1 takes 15, 19, 12, 20, 0.
func TestNDCNumbering(t *testing.T) {
	g := ndc(t, 4, 1)
	require.Equal(t, "NDC(4,1)", g.Name)
	require.Len(t, g.Hosts(), 16)
	require.Len(t, g.Nodes, 24)
	require.Equal(t, 32, g.Links())
	require.Equal(t, 4, g.Diameter(), "two digits, two links each")
	at := sluice.SwitchID(15)
	for _, step := range []struct {
		port sluice.PortID
		to   sluice.SwitchID
	}{{0, 19}, {0, 12}, {1, 20}, {0, 0}} {
		end := g.Nodes[at].Ports[step.port]
		require.Equal(t, step.to, end.Peer)
		at = end.Peer
	}
	require.Equal(t, link100, g.Nodes[15].Ports[0].Link)
	require.Equal(t, link400, g.Nodes[15].Ports[1].Link)
	require.Equal(t, int32(3), g.Nodes[15].Rack)
	require.Equal(t, int32(3), g.Nodes[19].Rack)
	require.Equal(t, int32(-1), g.Nodes[20].Rack)
}

// Port l of a node leads to the switch numbered by its address without digit l, whose port p leads
// to the node whose digit l is p.
func TestNDCAddresses(t *testing.T) {
	const n, k, nodes, perLayer = 3, 2, 27, 9
	g := ndc(t, n, k)
	require.Len(t, g.Nodes, nodes+(k+1)*perLayer)
	require.Equal(t, 2*(k+1), g.Diameter())
	for node := range nodes {
		digits := []int{node % n, node / n % n, node / n / n}
		for l := range digits {
			rest := append(append([]int(nil), digits[:l]...), digits[l+1:]...)
			end := g.Nodes[node].Ports[l]
			require.Equal(t, sluice.SwitchID(nodes+l*perLayer+rest[0]+n*rest[1]), end.Peer)
			require.Equal(t, sluice.PortID(digits[l]), end.PeerPort)
		}
	}
}

func TestNDCNamesTheBadField(t *testing.T) {
	for want, c := range map[string]topo.NDCConfig{
		"topo: NDCConfig.N = 1: must be 2 to 65535": {N: 1},
		"topo: NDCConfig.K = 16: must be 0 to 15": {
			N: 2, K: 16,
		},
		"topo: NDCConfig.K = 3: makes a network of more than 2097152 nodes or 4194304 links": {
			N: 65, K: 3,
		},
		"topo: NDCConfig.N = 1500: makes a network of more than 2097152 nodes or 4194304 links": {
			N: 1500, K: 1,
		},
		// 2 n^2 and 4 n^3 cables, of which a network may have 2^20: what comes next is refused.
		"topo: NDCConfig.N = 725: makes a network of more than 2097152 nodes or 4194304 links": {
			N: 725, K: 1,
		},
		"topo: NDCConfig.Links = 0: must be as many as layers, K+1": {N: 724, K: 1},
		"topo: NDCConfig.N = 64: makes a network of more than 2097152 nodes or 4194304 links": {
			N: 64, K: 3,
		},
		"topo: NDCConfig.Links = 1: must be as many as layers, K+1": {
			N: 4, K: 1, Links: []sluice.Link{link100},
		},
		"topo: NDCConfig.Links[1] = {0b/s 0ps}: the rate must be positive": {
			N: 4, K: 1, Links: []sluice.Link{link100, {}},
		},
	} {
		_, err := topo.NDC(c)
		require.EqualError(t, err, want)
	}
}
