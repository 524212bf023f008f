// Package compare compares the examples in the folder above, which run our machines in ns-3, with
// the library's own simulator: the same machines under an event engine, packets and a stack of
// protocols that are not ours.
package compare

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

var keep = flag.String("keep", "", "folder for what make makes, so that the next run need not")

// settings are the parameters of all runs: an acknowledgement is the least Ethernet frame, as an IP
// datagram with UDP is more than internal/lab/sim's default.
const settings = "ack.size=84B"

var link = sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}

// TestIncast runs incast.cc, an incast of 16 with four victims, and the same in internal/lab/sim.
func TestIncast(t *testing.T) {
	var flows []workload.Flow
	for i := range sluice.SwitchID(20) {
		f := workload.Flow{Src: i, Dst: 16, Bytes: 200_000, DstPort: 4791}
		if i >= 16 {
			f.Src, f.Dst = i-16, i+1
		}
		f.SrcPort = uint16(1024 + i)
		flows = append(flows, f)
	}
	for _, protocol := range []string{"pfc", "bfc", "pyrrha"} {
		t.Run(protocol, func(t *testing.T) {
			out := ns3(t, "incast", "--protocol="+protocol)
			times, _ := parse(t, out, len(flows))
			compare(t, times, simulate(t, protocol, settings, leafSpine(t, 2, 2, 16), flows))
		})
	}
}

// TestWebSearch runs flows.cc with 200 flows of the web search distribution on a leaf-spine
// network, and the same in internal/lab/sim. What the network counts must be alike too.
func TestWebSearch(t *testing.T) {
	graph := leafSpine(t, 4, 2, 8)
	flows := webSearch(t, graph, 200)
	file := filepath.Join(t.TempDir(), "flows.txt")
	writeFlows(t, file, flows)
	for protocol, marker := range map[string]string{
		"pfc": "detect=tcd,ecn.kmin=60KB", "bfc": "detect=npecn,npecn.threshold=30KB",
		"pyrrha": "detect=npecn,npecn.threshold=30KB",
	} {
		t.Run(protocol+" with "+marker, func(t *testing.T) {
			set := settings + ",buffer=1MiB," + marker
			out := ns3(t, "flows", "--protocol="+protocol, "--set="+set, "--flows="+file,
				"--racks=4", "--spines=2", "--hosts=8")
			times, counts := parse(t, out, len(flows))
			result := simulate(t, protocol, set, graph, flows)
			compare(t, times, result)
			frames := int64(0)
			for _, n := range result.ControlFrames {
				frames += n
			}
			t.Logf("drops %d and %d, frames %d and %d, marked %d and %d, in ns-3 and in internal/lab/sim",
				counts.drops, result.Dropped, counts.frames, frames, counts.marked, result.Marked)
			require.Zero(t, counts.drops)
			require.Positive(t, counts.marked)
			require.Equal(t, result.Marked, counts.marked, "packets that came marked")
			// ns-3 ends with the last flow, internal/lab/sim when its last packet has come.
			require.InEpsilon(t, frames, counts.frames, 0.01, "control frames")
		})
	}
}

// webSearch returns flows between all hosts at half the load of their links. They start at whole
// nanoseconds, and from the ports that SluiceFlowHelper gives them.
func webSearch(t *testing.T, graph *topo.Graph, n int) []workload.Flow {
	flows, err := workload.Poisson(graph, workload.TrafficConfig{
		Seed: 1, Sizes: workload.WebSearch, LoadPerMille: 500, Flows: n, DstPort: 4791,
	})
	require.NoError(t, err)
	for i := range flows {
		flows[i].SrcPort = uint16(1024 + i)
		flows[i].Start -= flows[i].Start % sluice.Nanosecond
	}
	return flows
}

func writeFlows(t *testing.T, name string, flows []workload.Flow) {
	file, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, workload.WriteFlows(file, flows))
	require.NoError(t, file.Close())
}

// TestTCP runs tcp.cc, whose hosts have ns-3's own TCP: under flow control nothing is lost.
func TestTCP(t *testing.T) {
	for _, protocol := range []string{"pfc", "bfc", "pyrrha"} {
		var received, drops, frames int64
		out := ns3(t, "tcp", "--protocol="+protocol)
		_, err := fmt.Sscanf(out, "received %d drops %d frames %d", &received, &drops, &frames)
		require.NoError(t, err, "%s", out)
		require.Equal(t, int64(4*3_000_000), received, protocol)
		require.Zero(t, drops, protocol)
		require.Positive(t, frames, protocol)
	}
}

// compare asserts that every flow's completion time is within 1 % of the simulator's.
func compare(t *testing.T, times []sluice.Time, want *sim.Result) {
	worst, equal := 0.0, 0
	for i, f := range want.Flows {
		require.Less(t, f.FCT, sluice.Never, "flow %d of internal/lab/sim", i)
		require.Positive(t, times[i], "flow %d of ns-3 is not complete", i)
		difference := math.Abs(float64(times[i]-f.FCT)) / float64(f.FCT)
		worst = max(worst, difference)
		if times[i] == f.FCT {
			equal++
		}
		if difference > 0.01 {
			t.Errorf("flow %d (%d to %d, %v): %v in ns-3, %v in internal/lab/sim", i, f.Src, f.Dst,
				f.Bytes, times[i], f.FCT)
		}
	}
	t.Logf("%d of %d completion times are equal to the picosecond; the worst differs by %.4f %%",
		equal, len(times), 100*worst)
}

func simulate(t *testing.T, protocol, set string, graph *topo.Graph,
	flows []workload.Flow) *sim.Result {
	registry, err := params.NewRegistry(fabric.Definitions())
	require.NoError(t, err)
	values, err := registry.Parse(set)
	require.NoError(t, err)
	run := fabric.Run{Protocol: protocol, Topology: graph, Flows: flows, Values: values, Seed: 1}
	result, err := run.Do()
	require.NoError(t, err)
	return result
}

func leafSpine(t *testing.T, racks, spines, hosts int) *topo.Graph {
	graph, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: racks, Spines: spines, HostsPerRack: hosts, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	return graph
}

// programs are the examples, built once.
var programs = sync.OnceValues(func() (string, error) {
	into := *keep
	if into == "" {
		var err error
		if into, err = os.MkdirTemp("", "ns3"); err != nil {
			return "", err
		}
		temporary = into
	}
	out, err := exec.Command("make", "-C", "..", "-j2", "CXXFLAGS=-O1", "out="+into).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("make: %w: %s", err, out)
	}
	return into, err
})

// temporary is the folder that programs made, if it made one.
var temporary string

func TestMain(m *testing.M) {
	code := m.Run()
	if temporary != "" {
		os.RemoveAll(temporary)
	}
	os.Exit(code)
}

// ns3 runs an example. Where SLUICE_REQUIRE_NS3 is set, as in the gates, ns-3 must be there.
func ns3(t *testing.T, program string, args ...string) string {
	if _, err := os.Stat("/usr/include/ns3/core-module.h"); err != nil {
		if os.Getenv("SLUICE_REQUIRE_NS3") != "" {
			t.Fatal("libns3-dev is not there, and the gates need it")
		}
		t.Skip("libns3-dev is not there")
	}
	into, err := programs()
	require.NoError(t, err)
	out, err := exec.Command("timeout", append([]string{"120", filepath.Join(into, program)},
		args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

type counts struct{ drops, frames, marked int64 }

// parse reads the completion times that an example prints, in picoseconds, and its last line.
func parse(t *testing.T, out string, flows int) (times []sluice.Time, c counts) {
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		fields := strings.Fields(line)
		if fields[0] == "drops" {
			_, err := fmt.Sscanf(line, "drops %d frames %d marked %d", &c.drops, &c.frames, &c.marked)
			require.NoError(t, err, line)
			continue
		}
		var at int64
		_, err := fmt.Sscan(strings.Join(fields[len(fields)-1:], " "), &at)
		require.NoError(t, err, line)
		times = append(times, sluice.Time(at))
	}
	require.Len(t, times, flows, "%s", out)
	return times, c
}
