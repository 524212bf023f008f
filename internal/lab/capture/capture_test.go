package capture_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/capture"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/internal/tshark"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

// incast is 8 flows of two racks to host 0 of a third.
func incast(t testing.TB, fc string) fabric.Run {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: 600 * sluice.Nanosecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 3, HostsPerRack: 4, Spines: 1, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	r := fabric.Run{Protocol: fc, Topology: g, Seed: 3}
	for host := sluice.SwitchID(4); host < 12; host++ {
		r.Flows = append(r.Flows, workload.Flow{
			Src: host, Dst: 0, SrcPort: uint16(5000 + host), DstPort: 100, Class: 3, Bytes: 200_000,
		})
	}
	registry, err := params.NewRegistry(fabric.Definitions())
	require.NoError(t, err)
	r.Values, err = registry.Parse("buffer=1200KB,window=1GiB,detect=npecn")
	require.NoError(t, err)
	return r
}

var fields = []string{
	"frame.interface_name", "frame.time_epoch", "frame.len", "_ws.malformed", "_ws.lua.error",
	"macc.opcode", "sluice.kind", "vlan.priority", "ip.src", "ip.dst", "ip.dsfield.ecn",
	"udp.srcport", "udp.length", "ip.checksum.status",
}

// run captures a run: its rows as tshark reads them, by the names of fields.
func run(t *testing.T, fc string, headers []sluice.Hop) ([]map[string]string, *sim.Result) {
	r := incast(t, fc)
	file := capture.New(r.Topology, r.Flows, headers)
	r.Observer = probe.New(probe.Config{Graph: r.Topology, Capture: file})
	result, err := r.Do()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "run.pcapng")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
	more := []string{
		"-E", "occurrence=f", "-X", "lua_script:../../../wireshark/sluice.lua", "-o",
		"ip.check_checksum:TRUE",
	}
	var rows []map[string]string
	for _, values := range tshark.Read(t, path, more, fields...) {
		row := map[string]string{}
		for i, name := range fields {
			row[name] = values[i]
		}
		rows = append(rows, row)
	}
	return rows, result
}

// TestEveryFrameIsReadByWireshark: of every protocol, each control frame that was sent is in the
// file, none is malformed, PFC is read by Wireshark's own dissector and ours by the script.
func TestEveryFrameIsReadByWireshark(t *testing.T) {
	port := regexp.MustCompile(`^\d+:\d+$`)
	for _, fc := range []string{"pfc", "bfc", "pyrrha", "pyrrha+pfc"} {
		rows, result := run(t, fc, nil)
		kinds := map[string]int64{}
		last := ""
		for _, row := range rows {
			whole := row["_ws.malformed"]+row["_ws.lua.error"] == ""
			if !whole || row["frame.time_epoch"] < last || !port.MatchString(row["frame.interface_name"]) {
				t.Fatalf("malformed, before its time, or without an interface: %v", row)
			}
			if row["macc.opcode"] != "" {
				require.Equal(t, "0x0101", row["macc.opcode"], "priority-based flow control")
				kinds["pfc"]++
			} else {
				kinds[row["sluice.kind"]]++
			}
			last = row["frame.time_epoch"]
		}
		want := map[string]int64{}
		sum := int64(0)
		for kind, n := range result.ControlFrames {
			want[kind] = n
			sum += n
		}
		require.Len(t, rows, int(sum))
		require.Positive(t, sum)
		switch fc {
		case "pfc":
			require.Equal(t, map[string]int64{"pfc": sum}, kinds)
		case "bfc", "pyrrha":
			require.Equal(t, want, kinds)
		}
	}
}

// TestHeaders: packets of a chosen port have the addresses, ports, class and code point of their
// flows.
func TestHeaders(t *testing.T) {
	toHost0 := sluice.Hop{Switch: 12, Port: 0}
	rows, result := run(t, "none", []sluice.Hop{toHost0})
	packets := map[string]int{}
	marked := int64(0)
	for _, row := range rows {
		require.Empty(t, row["_ws.malformed"])
		require.Equal(t, "12:0", row["frame.interface_name"])
		require.Equal(t, "3", row["vlan.priority"])
		require.Equal(t, "10.0.0.0", row["ip.dst"])
		require.Equal(t, "1", row["ip.checksum.status"], "the checksum is right")
		if row["ip.dsfield.ecn"] == "3" {
			marked++
		}
		host := strings.TrimPrefix(row["ip.src"], "10.0.0.")
		packets[host+" "+row["udp.srcport"]]++
		require.Contains(
			t, []string{"1526", "1506"}, row["frame.len"], "200,000 is 136 times 1,460 and 1,440",
		)
	}
	require.Equal(t, result.Marked, marked)
	require.Len(t, packets, 8)
	for host := 4; host < 12; host++ {
		require.GreaterOrEqual(t, packets[fmt.Sprintf("%d %d", host, 5000+host)], 137)
	}
}

// TestInfiniBandFrames: an FCP is a record of an InfiniBand link, with the packet's time.
func TestInfiniBandFrames(t *testing.T) {
	r := incast(t, "pfc")
	file := capture.New(r.Topology, r.Flows, nil)
	frame := cbfc.Frame{VL: 5, FCTBS: 0x123, FCCL: 0x456}
	file.Frame(
		1500*sluice.Microsecond+600*sluice.Picosecond, sluice.Hop{Switch: 12, Port: 1},
		frame.AppendTo(nil),
	)
	path := filepath.Join(t.TempDir(), "fcp.pcapng")
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o600))
	rows := tshark.Read(t, path, nil, "frame.interface_name", "frame.time_epoch", "infiniband_link.vl",
		"infiniband_link.fctbs", "infiniband_link.fccl", "_ws.malformed")
	require.Equal(t, [][]string{{"12:1", "0.001500001", "5", "291", "1110", ""}}, rows)
}
