package fabric_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/stretchr/testify/require"
)

// manyToOne is 32 flows of 60 KB from 32 hosts of two racks to one of a third.
func manyToOne(t testing.TB, protocol, assignments string) fabric.Run {
	up := link
	up.Rate = 400 * sluice.Gbps
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 3, HostsPerRack: 16, Spines: 2, HostLink: link, Uplink: up,
	})
	require.NoError(t, err)
	var flows []workload.Flow
	for host := range sluice.SwitchID(32) {
		flows = append(flows, workload.Flow{Src: host, Dst: 40, Class: 3, Bytes: 60_000})
	}
	buffer := "4MiB"
	if protocol == "none" {
		buffer = "300KB" // which loses packets
	}
	return fabric.Run{
		Protocol: protocol, Topology: g, Flows: flows, Seed: 1,
		Values: values(t, "ecn.kmin=40KB,ecn.kmax=200KB,buffer="+buffer+","+assignments),
	}
}

func meanFCT(r *sim.Result) float64 {
	sum := 0.0
	for i := range r.Flows {
		sum += float64(r.Flows[i].FCT) / float64(sluice.Microsecond)
	}
	return sum / float64(len(r.Flows))
}

// TestEveryCombination: any flow control with any congestion control and any transport carries an
// incast to its end, without loss where that is promised. The table in testdata is what one reads
// first when a change moves something.
func TestEveryCombination(t *testing.T) {
	var table strings.Builder
	table.WriteString(
		"Mean completion time in us of 32 flows of 60 KB into one host, by transport.\n\n",
	)
	fmt.Fprintf(
		&table, "%-14s%-12s%10s%10s%10s\n", "fc", "cc", transport.Names[0], transport.Names[1],
		transport.Names[2],
	)
	every := depth.Choose(17, 17, 1) // every 17th row is run
	for i, p := range fabric.Protocols() {
		for j, control := range cc.Names {
			if (i+j)%every != 0 {
				continue
			}
			fmt.Fprintf(&table, "%-14s%-12s", p.Name, control)
			for _, repair := range transport.Names {
				name := p.Name + " " + control + " " + repair
				r := manyToOne(t, p.Name, "cc="+control+",transport="+repair)
				if repair == "lossless" && !p.Lossless {
					_, err := r.Do()
					require.ErrorContains(t, err, p.Name+" loses packets, and nothing would send them again", name)
					fmt.Fprintf(&table, "%10s", "-")
					continue
				}
				result := do(t, r)
				require.Equal(t, len(r.Flows), result.Completed, "%s: %v", name, result.Notes)
				if p.Lossless {
					require.Zero(t, result.Dropped, name)
					if repair != "irn" { // whose timers may end too early
						require.Zero(t, result.Transport.Resent, name)
					}
				}
				fmt.Fprintf(&table, "%10.2f", meanFCT(result))
			}
			table.WriteString("\n")
		}
	}
	const kept = "testdata/combinations.txt"
	if *golden.Update && every == 1 {
		require.NoError(t, os.WriteFile(kept, []byte(table.String()), 0o644))
	}
	want, err := os.ReadFile(kept)
	require.NoError(t, err)
	const advice = "SLUICE_DEPTH=thorough go test ./internal/lab/fabric -run EveryCombination -update"
	if every > 1 {
		for _, row := range strings.SplitAfter(table.String(), "\n") {
			require.Contains(t, string(want), row, advice)
		}
		return
	}
	require.Equal(t, string(want), table.String(), advice)
}

// TestWhatIsSentAgain: IRN sends only lost packets again (IRN, section 3.1), where Go-back-N also
// sends all later ones.
func TestWhatIsSentAgain(t *testing.T) {
	resent := map[string]uint64{}
	for _, repair := range []string{"irn", "gbn"} {
		r := manyToOne(t, "none", "transport="+repair)
		result := do(t, r)
		require.Equal(t, len(r.Flows), result.Completed)
		require.Positive(t, result.Dropped)
		resent[repair] = result.Transport.Resent
		if repair == "irn" {
			require.LessOrEqual(t, result.Transport.Resent, uint64(result.Dropped)+result.Transport.Timeouts)
		}
	}
	require.Less(t, resent["irn"], resent["gbn"])
}

// TestFlowsLeaveNothing: the state of flows is used again, so that many short flows take no more
// memory than the flows that are under way at once.
func TestFlowsLeaveNothing(t *testing.T) {
	for _, control := range []string{
		"none", "dcqcn", "hpcc", "pcn", "dcqcn,dcqcn.np=interval,ecn.pmax=1",
	} {
		r := manyToOne(t, "pfc", "cc="+control)
		r.Flows = nil
		for i := range 2000 {
			r.Flows = append(r.Flows, workload.Flow{
				Src: sluice.SwitchID(i % 32), Dst: sluice.SwitchID(32 + i%16), Class: 3, Bytes: 3000,
				Start: sluice.Time(i) * sluice.Microsecond,
			})
		}
		most := 0
		r.Inspect = func(s *sim.Simulator) error {
			most = max(most, s.FlowSlots())
			return nil
		}
		require.Equal(t, 2000, do(t, r).Completed)
		require.Less(t, most, 60, "%s: flows that were over kept their state", control)
	}
}

// TestRatesConverge: flows that share a link come to equal rates, under every control with its
// defaults. How busy the link is then is logged: some defaults are made for longer flows and slower
// links.
func TestRatesConverge(t *testing.T) {
	depth.From(t, depth.Thorough, "seconds of simulated flows")
	for _, control := range cc.Names[1:] {
		for _, n := range []sluice.SwitchID{2, 4, 16} {
			r := manyToOne(t, "pfc", "cc="+control+",window=1GiB")
			r.Flows = nil
			for host := range n {
				r.Flows = append(
					r.Flows, workload.Flow{Src: host, Dst: 40, Class: 3, Bytes: 40 * sluice.MB / sluice.Bytes(n)},
				)
			}
			result := do(t, r)
			require.Equal(t, int(n), result.Completed)
			sum, squares := 0.0, 0.0
			for i := range result.Flows {
				rate := float64(result.Flows[i].Bytes) / float64(result.Flows[i].FCT)
				sum, squares = sum+rate, squares+rate*rate
			}
			jain := sum * sum / (float64(n) * squares)
			last := sluice.Time(0)
			for i := range result.Flows {
				last = max(last, result.Flows[i].FCT)
			}
			ideal := link.Rate.TimeOf(40 * sluice.MB * 1526 / 1460)
			utilisation := float64(ideal) / float64(last)
			t.Logf("%-10s %2d flows: Jain %.3f, utilisation %.2f", control, n, jain, utilisation)
			require.Greater(t, jain, 0.75, "%s, %d flows", control, n)
		}
	}
}

// TestAWaitForTheRateIsNoStall: a control may leave a flow so low a rate that nothing moves for
// longer than a deadlock is waited for, while timers of machines go on.
func TestAWaitForTheRateIsNoStall(t *testing.T) {
	depth.From(t, depth.Thorough, "its timers run for 20 ms")
	r := fabric.Run{Protocol: "bfc", Topology: leafSpine(t), Seed: 1}
	for src := range sluice.SwitchID(2) {
		r.Flows = append(r.Flows, workload.Flow{Src: src, Dst: 3, Class: 3, Bytes: 50_000})
	}
	r.Values = values(t, "window=1GiB,cc=dcqcn-hpcc,detect=npecn,dcqcn-hpcc.first-rate=1/100000,"+
		"dcqcn-hpcc.min-rate=1Mbps,dcqcn-hpcc.increase-timer=40ms")
	result := do(t, r)
	require.Greater(t, result.Simulated, 20*sluice.Millisecond, "no flow had to wait")
	require.False(t, result.Stalled)
	require.Equal(t, len(r.Flows), result.Completed)
}

// TestAnswersGoAstray: 1 % of CNPs, CNMs and acknowledgements lost, 1 % doubled, 1 % late. Every
// flow completes under any control and any transport that repairs, and rates stay within limits.
func TestAnswersGoAstray(t *testing.T) {
	for _, control := range cc.Names {
		for _, repair := range []string{"gbn", "irn"} {
			r := manyToOne(t, "pfc", "window=1GiB,answer.loss=1%,answer.duplicate=1%,answer.reorder=1%,cc="+
				control+",transport="+repair)
			r.Flows = r.Flows[:12]
			for i := range r.Flows {
				r.Flows[i].Bytes = 200_000
			}
			events := 0
			r.Inspect = func(s *sim.Simulator) error {
				if events++; events%64 != 0 {
					return nil
				}
				for i := range r.Flows {
					if rate := s.Rate(i); rate != 0 && (rate < sluice.Mbps || rate > link.Rate) {
						return fmt.Errorf("flow %d sends at %v", i, rate)
					}
				}
				return nil
			}
			result := do(t, r)
			require.Equal(t, len(r.Flows), result.Completed, "%s %s: %v", control, repair, result.Notes)
			require.Positive(t, result.LostAnswers)
			require.Zero(t, result.Dropped)
		}
	}
	r := manyToOne(t, "pfc", "answer.loss=1%,transport=lossless")
	require.ErrorContains(t, r.Check(), "answer.loss loses acknowledgements")
}

// TestWhereAPaceBegins: three flows share a network card. If the gap to a flow's next packet counts
// from when a packet enters the card, the flow keeps its rate while others are on the wire; if from
// its first bit on the wire, as in the public simulators, it loses what each packet waits.
func TestWhereAPaceBegins(t *testing.T) {
	run := func(set string) *sim.Result {
		r := fabric.Run{Protocol: "pfc", Topology: leafSpine(t), Seed: 1,
			Values: values(t, "window=1GB"+set)}
		for i, rate := range []sluice.Rate{31, 29, 23} {
			r.Flows = append(r.Flows, workload.Flow{
				Src: 0, Dst: sluice.SwitchID(4 + i), Class: 3, Bytes: 1_000_000, Rate: rate * sluice.Gbps,
			})
		}
		return do(t, r)
	}
	card, wire := run(""), run(",cc.pace=wire")
	const payload, onWire = 1460, 1460 + 66
	for i, f := range card.Flows {
		rate := float64(f.Bytes) * 8 * onWire / payload / f.FCT.Microseconds() / 1e3
		require.InEpsilon(t, float64(f.Rate)/1e9, rate, 0.02, "flow %d", i)
		require.Greater(t, wire.Flows[i].FCT, f.FCT, "flow %d", i)
		require.Greater(t, f.Acknowledged, f.FCT, "the last acknowledgement comes after the last byte")
		require.Less(t, f.Acknowledged, f.FCT+10*sluice.Microsecond)
	}
	require.Greater(t, float64(wire.Flows[0].FCT), 1.02*float64(card.Flows[0].FCT))
}
