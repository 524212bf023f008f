package topo_test

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

const referenceFile = "../papers/general/testdata/pyrrha-ns3/topology.txt"

// The reference run's topology file is the leaf-spine of the Pyrrha paper, to the port.
func TestReadReferenceFile(t *testing.T) {
	text, err := os.ReadFile(referenceFile)
	require.NoError(t, err)
	g, err := topo.Read(bytes.NewReader(text), "leaf-spine 10x4x16")
	require.NoError(t, err)
	built, err := topo.LeafSpine(pyrrhaLeafSpine())
	require.NoError(t, err)
	require.Equal(t, built, g)

	var out bytes.Buffer
	require.NoError(t, g.WritePyrrha(&out))
	require.Equal(t, string(text), out.String())
}

const hpccFile = `7 3 6
4 5
6
0 4 100Gbps 0.001ms 0
1 4 100Gb/s 1us 0.0
2 5 25Gbps 1000ns 0.000000
3 5 100000Mbps 1000000ps 0
4 6 0.4Tbps 0.0000015s 0
5 6 400000000Kbps 1.5us 0
`

func TestReadHPCC(t *testing.T) {
	g, err := topo.Read(strings.NewReader(hpccFile), "small")
	require.NoError(t, err)
	require.Equal(t, "small", g.Name)
	require.Equal(t, []sluice.SwitchID{0, 1, 2, 3}, g.Hosts())
	require.Equal(t, []int32{0, 0, 1, 1, 0, 1, -1}, racks(g))
	for id, tier := range []topo.Tier{0, 0, 0, 0, 1, 1, 2} {
		require.Equal(t, tier, g.Nodes[id].Tier, "node %d", id)
	}
	us := sluice.Microsecond
	require.Equal(t, sluice.Link{Rate: 100 * sluice.Gbps, Delay: us}, g.Nodes[3].Ports[0].Link)
	require.Equal(t, sluice.Link{Rate: 25 * sluice.Gbps, Delay: us}, g.Nodes[2].Ports[0].Link)
	require.Equal(t, sluice.Link{Rate: 400 * sluice.Gbps, Delay: us + us/2}, g.Nodes[6].Ports[0].Link)
	require.Equal(t, g.Nodes[6].Ports[0].Link, g.Nodes[6].Ports[1].Link)

	var out bytes.Buffer
	require.NoError(t, g.WriteHPCC(&out))
	require.Equal(t, `7 3 6
4 5 6
0 4 100Gbps 1us 0
1 4 100Gbps 1us 0
2 5 25Gbps 1us 0
3 5 100Gbps 1us 0
4 6 400Gbps 1500ns 0
5 6 400Gbps 1500ns 0
`, out.String())
}

func TestSwitchesNeedNotFollowHosts(t *testing.T) {
	g, err := topo.Read(
		strings.NewReader("4 2 3\n0 2\n0 1 1Gbps 1us 0\n0 2 1Gbps 0s 0\n2 3 1Gbps 1us 0"), "",
	)
	require.NoError(t, err)
	require.Equal(t, []sluice.SwitchID{1, 3}, g.Hosts())
	require.Equal(t, []int32{0, 0, 1, 1}, racks(g))
}

func TestReadErrorsNameTheLine(t *testing.T) {
	replaced := func(old, with string) string {
		require.Contains(t, hpccFile, old)
		return strings.Replace(hpccFile, old, with, 1)
	}
	for want, text := range map[string]string{
		"f: the file is empty": "",
		"f:1: the first line has 2 numbers: nodes, switches and links make 3 (HPCC's format), nodes, " +
			"switches, hosts per rack, ToRs, spines and links make 6 (Pyrrha's)": "1 2",
		`f:1: number of nodes "x" is not a whole number`:               "x 1 1",
		`f:1: number of nodes "4000000000" is above 2097152`:           "4000000000 1 4000000000",
		`f:1: number of links "99999999999999999999" is above 4194304`: "2 1 99999999999999999999",
		"f:1: 3 nodes with 3 switches among them leave no host":        "3 3 3",
		"f:1: 5 links cannot connect 7 nodes": replaced(
			"7 3 6", "7 3 5",
		),
		"f:1: the file ends after 0 of 1 switches": "2 1 1\n",
		"f:3: more switches than the 3 of the first line": replaced(
			"\n6\n", "\n6 3\n",
		),
		`f:3: switch "7" is above 6`: replaced(
			"\n6\n", "\n7\n",
		),
		"f:3: switch 4 is listed on line 2 already": replaced(
			"\n6\n", "\n4\n",
		),
		"f:10: more links than the 6 of the first line": hpccFile +
			"0 6 1Gbps 1us 0\n",
		"f:8: the file ends after 5 of 6 links": strings.TrimSuffix(
			hpccFile, "5 6 400000000Kbps 1.5us 0\n",
		),
		"f:4: 4 fields, a link has 5: source, destination, rate, delay, error rate": replaced(
			"0.001ms 0", "0.001ms",
		),
		"f:4: 4 fields, a link has 5: source, destination, rate, delay, error rate ": replaced(
			"0 4 100Gbps", "0 4",
		),
		`f:5: node "-1" is not a whole number`: replaced(
			"1 4 ", "-1 4 ",
		),
		`f:5: node "7" is above 6`:        replaced("1 4 ", "1 7 "),
		"f:8: node 4 is linked to itself": replaced("4 6 ", "4 4 "),
		`f:4: rate "100" is not a number with a unit (Tbps, Gbps, Mbps, kbps, bps)`: replaced(
			"100Gbps", "100",
		),
		`f:4: rate "Gbps" is not a number with a unit (Tbps, Gbps, Mbps, kbps, bps)`: replaced(
			"100Gbps", "Gbps",
		),
		`f:4: rate "100Pbps" has no unit of Tbps, Gbps, Mbps, kbps, bps`: replaced(
			"100Gbps", "100Pbps",
		),
		`f:4: rate "99999999999Gbps" is too large`: replaced(
			"100Gbps", "99999999999Gbps",
		),
		`f:4: rate "0.1bps" has more than 0 decimal places`: replaced(
			"100Gbps", "0.1bps",
		),
		"f:4: link of 0b/s, 1us: the rate must be positive": replaced(
			"100Gbps", "0Gbps",
		),
		`f:4: delay "0.001" is not a number with a unit (s, ms, us, ns, ps)`: replaced(
			"0.001ms", "0.001",
		),
		`f:4: delay "1.0005ns" has more than 3 decimal places`: replaced(
			"0.001ms", "1.0005ns",
		),
		"f:4: link of 100Gb/s, 2s: the delay must be at most 1s": replaced(
			"0.001ms", "2s",
		),
		`f:6: error rate "0.01": links that lose packets are not supported, it must be 0`: replaced(
			"0.000000", "0.01",
		),
		`f:6: error rate "nan" is not a decimal number`: replaced("0.000000", "nan"),
		"f: host 3 cannot be reached from node 0": "8 4 7\n4 5 6 7\n0 4 1Gbps 1us 0\n1 4 1Gbps 1us " +
			"0\n2 4 1Gbps 1us 0\n3 5 1Gbps 1us 0\n4 6 1Gbps 1us 0\n4 7 1Gbps 1us 0\n6 7 1Gbps 1us 0\n",
		"f: host 1: 0 ports, a host has at least 1": "4 2 3\n2 3\n0 2 1Gbps 1us 0\n2 " +
			"3 1Gbps 1us 0\n3 2 1Gbps 1us 0\n",
		"f:1: the first line says 2 ToRs, 1 switches have hosts": "3 1 2 2 0 2\n2\n0 2 100 600\n1 " +
			"2 100 600\n",
		`f:3: rate "100Gbps" is not a decimal number`: "3 1 2 1 0 2\n2\n0 2 100Gbps " +
			"600\n1 2 100 600\n",
		`f:4: delay "-5" is not a decimal number`: "3 1 2 1 0 2\n2\n0 2 100 600\n1 " +
			"2 100 -5\n",
		"f:4: 5 fields, a link has 4: source, destination, Gb/s, ns": "3 1 2 1 0 2\n2\n0 2 100 600\n1 " +
			"2 100 600 0\n",
	} {
		want = strings.TrimSpace(want)
		g, err := topo.Read(strings.NewReader(text), "f")
		require.EqualError(t, err, want, text)
		require.Nil(t, g)
		var fileError *topo.FileError
		require.ErrorAs(t, err, &fileError)
	}
}

func TestReadPassesOnReadErrors(t *testing.T) {
	broken := errors.New("disk on strike")
	_, err := topo.Read(iotest.ErrReader(broken), "f")
	require.ErrorIs(t, err, broken)
	require.EqualError(t, err, "f:1: disk on strike")
}

// A switch farther from the hosts than a Tier can count is refused, not wrapped.
func TestReadDeepTree(t *testing.T) {
	chain := func(switches int) string {
		var b strings.Builder
		g := &topo.Graph{Nodes: make([]topo.Node, switches+1)}
		g.Connect(0, 1, link100)
		for s := 1; s <= switches; s++ {
			g.Nodes[s].Tier = 1
			if s > 1 {
				g.Connect(sluice.SwitchID(s-1), sluice.SwitchID(s), link100)
			}
		}
		require.NoError(t, g.WriteHPCC(&b))
		return b.String()
	}
	g, err := topo.Read(strings.NewReader(chain(126)), "f")
	require.NoError(t, err)
	require.Equal(t, topo.Tier(126), g.Nodes[126].Tier)
	_, err = topo.Read(strings.NewReader(chain(127)), "f")
	require.EqualError(t, err, "f: switch 127 is more than 126 links from the nearest host")
}

// A file of a hundred bytes that claims the largest network must fail before memory for it is
// taken.
func TestReadAllocatesForWhatTheFileHolds(t *testing.T) {
	for _, text := range []string{
		"2097152 1 4194304\n5\n0 5 1Gbps 1us 0\n",
		"2097152 2097151 4194304\n1 2 3 4\n",
		"2097152 1 1 1 1 4194304\n5\n0 5 100 600\n",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := topo.Read(strings.NewReader(text), "f")
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<10), text)
	}
}

func TestWriteReadRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		var hpcc bytes.Buffer
		require.NoError(t, g.WriteHPCC(&hpcc))
		back, err := topo.Read(&hpcc, g.Name)
		require.NoError(t, err)
		require.Equal(t, g, back)

		var pyrrha bytes.Buffer
		if err := g.WritePyrrha(&pyrrha); err != nil {
			require.ErrorContains(t, err, "the format asks for equal racks")
			require.True(t, strings.HasPrefix(g.Name, "dumbbell"), "only its racks may differ")
			return
		}
		back, err = topo.Read(&pyrrha, g.Name)
		require.NoError(t, err)
		require.Equal(t, g, back)
	})
}

func TestWriteParallelLinks(t *testing.T) {
	g := &topo.Graph{Nodes: []topo.Node{{}, {Tier: 1}, {Tier: 1, Rack: 1}, {Rack: 1}}}
	g.Connect(0, 1, link100)
	g.Connect(2, 1, link400)
	g.Connect(1, 2, link100)
	g.Connect(3, 2, link100)
	var out bytes.Buffer
	require.NoError(t, g.WriteHPCC(&out))
	back, err := topo.Read(&out, "")
	require.NoError(t, err)
	require.Equal(t, g, back)
}

func TestWriteRefusesWhatNoFileCanSay(t *testing.T) {
	// Around this ring, every link waits for the one before it.
	g := &topo.Graph{Nodes: make([]topo.Node, 4)}
	for i := range 3 {
		next, last := sluice.SwitchID((i+1)%3), sluice.SwitchID((i+2)%3)
		g.Nodes[i] = topo.Node{Tier: 1, Ports: []topo.Port{
			{Peer: next, PeerPort: 1, Link: link100}, {Peer: last, PeerPort: 0, Link: link100},
		}}
	}
	g.Connect(3, 0, link100)
	require.NoError(t, g.Validate())
	require.EqualError(
		t, g.WriteHPCC(&bytes.Buffer{}),
		"topo: no order of links gives the ports their numbers; make the graph with Connect",
	)
	require.Error(t, (&topo.Graph{}).WriteHPCC(&bytes.Buffer{}))
	require.Error(t, (&topo.Graph{}).WritePyrrha(&bytes.Buffer{}))
}

func TestWriteReportsWriteErrors(t *testing.T) {
	g, err := topo.ThreeToRs(link100)
	require.NoError(t, err)
	require.ErrorIs(t, g.WriteHPCC(fullDisk{}), errFull)
	require.ErrorIs(t, g.WritePyrrha(fullDisk{}), errFull)
}

var errFull = errors.New("disk full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }
