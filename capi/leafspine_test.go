package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// leafSpine writes a leaf-spine network of 32 hosts and two flow lists into a folder: a
// permutation, and an incast with victims in the racks that it comes from.
func leafSpine(
	t testing.TB, folder string, bytes sluice.Bytes,
) (*topo.Graph, map[string][]workload.Flow) {
	const racks, perRack = 4, 8
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: racks, Spines: 2, HostsPerRack: perRack,
		HostLink: sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond},
		Uplink:   sluice.Link{Rate: 400 * sluice.Gbps, Delay: 600 * sluice.Nanosecond},
	})
	require.NoError(t, err)
	create(t, filepath.Join(folder, "network"), g.WriteHPCC)
	flows := map[string][]workload.Flow{}
	for i := range sluice.SwitchID(racks * perRack) {
		flow := workload.Flow{Src: i, Dst: (i*5 + 11) % 32, Class: 3, DstPort: uint16(100 + i)}
		flow.Bytes = bytes
		flows["permutation"] = append(flows["permutation"], flow)
		if i >= perRack {
			flow.Dst, flow.Bytes = i%2, bytes/2
			flows["incast"] = append(flows["incast"], flow)
			flow.Dst, flow.Bytes = 2+i%6, bytes
			flows["incast"] = append(flows["incast"], flow)
		}
	}
	for name, list := range flows {
		workload.AssignPorts(list)
		require.NoError(t, workload.CheckFlows(g, list))
		create(t, filepath.Join(folder, name), func(w io.Writer) error {
			return workload.WriteFlows(w, list)
		})
	}
	return g, flows
}

func create(t testing.TB, name string, write func(io.Writer) error) {
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, write(f))
	require.NoError(t, f.Close())
}

// TestSimulatorInCPP: a simulator of events over sluice.hpp and the library's own give every flow
// the same completion time, to the picosecond: the driver of C++ asks ports that kit.Driver asks,
// leaves alone what it leaves alone, and sends in the same order.
func TestSimulatorInCPP(t *testing.T) {
	folder := t.TempDir()
	const set = "buffer=1200KB"
	g, lists := leafSpine(t, folder, 60_000)
	program := compileCPP(t, "c++17", "testdata/leafspine.cc", "-O2")
	registry, err := params.NewRegistry(fabric.Definitions())
	require.NoError(t, err)
	for _, protocol := range []string{"pfc", "bfc", "pyrrha", "ofc", "cbfc"} {
		for name, flows := range lists {
			values, err := registry.Parse(set)
			require.NoError(t, err)
			run := fabric.Run{Protocol: protocol, Topology: g, Flows: flows, Values: values, Seed: 1}
			result, err := run.Do()
			require.NoError(t, err)
			var want strings.Builder
			for i := range result.Flows {
				fmt.Fprintln(&want, int64(result.Flows[i].FCT))
			}
			var said strings.Builder
			simulator := exec.Command(program, protocol, set, filepath.Join(folder, "network"),
				filepath.Join(folder, name))
			simulator.Stderr = &said
			got, err := simulator.Output()
			require.NoError(t, err, said.String())
			require.Equal(t, want.String(), string(got), "%s, %s", protocol, name)
			var lost, hops, frames int
			_, err = fmt.Sscanf(said.String(), "lost %d hops %d frames %d", &lost, &hops, &frames)
			require.NoError(t, err, said.String())
			require.Zero(t, lost, protocol)
			if name == "incast" {
				require.Positive(t, frames, protocol)
			}
		}
	}
}

// BenchmarkSimulatorInCPP measures which share of its time a simulator spends in calls of the
// library, and how many calls there are for each packet or frame that is sent.
func BenchmarkSimulatorInCPP(b *testing.B) {
	folder := b.TempDir()
	_, lists := leafSpine(b, folder, 5_000_000)
	program := compileCPP(b, "c++17", "testdata/leafspine.cc", "-O2", "-DTIMED")
	for _, protocol := range []string{"pfc", "bfc", "pyrrha"} {
		for name := range lists {
			b.Run(protocol+"/"+name, func(b *testing.B) {
				least, share, perHop := math.MaxFloat64, 0.0, 0.0
				for b.Loop() {
					out, err := exec.Command(program, protocol, "", filepath.Join(folder, "network"),
						filepath.Join(folder, name)).CombinedOutput()
					require.NoError(b, err, "%s", out)
					lines := strings.Split(string(out[strings.Index(string(out), " calls, ")-10:]), "\n")
					var calls, percent, took, hops float64
					_, err = fmt.Sscanf(lines[0], "%f calls, %f %% of %f s", &calls, &percent, &took)
					require.NoError(b, err, "%s", out)
					_, err = fmt.Sscanf(string(out[strings.Index(string(out), "lost"):]), "lost 0 hops %f", &hops)
					require.NoError(b, err, "%s", out)
					if perHop = calls / hops; took < least {
						least, share = took, percent
					}
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(perHop, "calls/hop")
				b.ReportMetric(share, "%-in-calls")
				b.ReportMetric(least, "s")
			})
		}
	}
}
