package fabric_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/pfc/sonic"
)

// TestGoldenRuns: what every flow control says of a network at rest, of an incast, of an incast
// that is marked, and of one amid which the only way but one fails and is repaired.
func TestGoldenRuns(t *testing.T) {
	var out strings.Builder
	for _, p := range fabric.Protocols() {
		r := fabric.Run{Protocol: p.Name, Topology: leafSpine(t), Seed: 7, Flows: incast()}
		add := func(name, assignments string) {
			r.Values = values(t, assignments)
			fmt.Fprintf(&out, "%s, %s\n", p.Name, name)
			write(&out, do(t, r))
		}
		add("incast", "buffer=1MiB,rto=200us")
		add("incast, marked for dcqcn by tcd",
			"buffer=4MiB,cc=dcqcn,detect=tcd,ecn.kmin=20KB,ecn.kmax=40KB")
		r.Failures = []sim.Failure{
			{At: sluice.Hop{Switch: 16, Port: 4}, Down: 8 * sluice.Microsecond,
				Up: 40 * sluice.Microsecond},
			{At: sluice.Hop{Switch: 19, Port: 5}, Down: 20 * sluice.Microsecond},
		}
		add("incast, links fail", "buffer=4MiB,rto=200us")
		r.Failures, r.Flows = nil, []workload.Flow{{Src: 4, Dst: 0, Class: 3, Bytes: 1000}}
		add("rest", "")
	}
	golden.Require(t, "runs.txt", out.String())
}

// write writes what a reader would look at first.
func write(out *strings.Builder, r *sim.Result) {
	var last sluice.Time
	for _, f := range r.Flows {
		last = max(last, f.FCT)
	}
	fmt.Fprintf(out, "  completed %d, the slowest in %v, at %v, %d hops\n",
		r.Completed, last, r.Simulated, r.PacketHops)
	fmt.Fprintf(out, "  dropped %d, on wires %d, timeouts %d, reordered %d, marked %d, notices %d\n",
		r.Dropped, r.LostOnWire, r.Timeouts, r.Reordered, r.Marked, r.Notices)
	fmt.Fprintf(out, "  most at a switch %d, at a port %d; frames %v\n",
		r.MaxSwitchBytes, r.MaxPortBytes, r.ControlFrames)
	for _, what := range slices.Sorted(maps.Keys(r.Figures)) {
		fmt.Fprintf(out, "  %s: %d\n", what, r.Figures[what])
	}
	for _, note := range r.Notes {
		fmt.Fprintln(out, "  "+note)
	}
}

// A configuration of SONiC with two ports of 100G fits a switch with two such ports, and has none
// for a third.
func TestPortsOfSONiC(t *testing.T) {
	text, err := os.ReadFile("../../../pfc/sonic/testdata/config_db.json")
	require.NoError(t, err)
	db, err := sonic.Parse(text)
	require.NoError(t, err)
	for hosts, want := range map[int]string{
		2: "", 3: "node 3 has more ports of 100Gb/s than the configuration, which has 2",
	} {
		g := &topo.Graph{Name: "star", Nodes: make([]topo.Node, hosts+1)}
		g.Nodes[hosts].Tier = 1
		for host := range sluice.SwitchID(hosts) {
			g.Connect(host, sluice.SwitchID(hosts), link)
		}
		r := fabric.Run{
			Protocol: "pfc", Topology: g, Seed: 1, Values: values(t, ""),
			Flows: []workload.Flow{{Src: 0, Dst: 1, Class: 3, Bytes: 100_000}},
		}
		r.SONiC, err = fabric.ImportSONiC(db, values(t, "sonic.buffer=16MiB"))
		require.NoError(t, err)
		result, err := r.Do()
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, 1, result.Completed)
	}
}
