package sim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/cc"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/transport"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
)

// TestGoldenRuns: what a run measures, to the picosecond, of each thing that it can be asked for.
func TestGoldenRuns(t *testing.T) {
	var out strings.Builder
	add := func(name string, c sim.Config) {
		fmt.Fprintf(&out, "%s\n", name)
		write(&out, run(t, c))
	}
	g := pod(t)
	add("nothing", config(g, crossing(g, 40_000)...))

	for _, name := range cc.Names {
		c := config(g, crossing(g, 400_000)...)
		c.Control, c.ECN = cc.Config{Kind: cc.Find(name)}, sluice.ECT0
		marks(&c, 10)
		add(name, c)
	}

	// One way of two fails under way and is repaired; both ends' machines see it.
	c := config(g, crossing(g, 400_000)...)
	c.Failures = []sim.Failure{
		{At: sluice.Hop{Switch: leaf(g), Port: 4}, Down: 15 * sluice.Microsecond,
			Up: 60 * sluice.Microsecond},
		{At: sluice.Hop{Switch: leaf(g), Port: 5}, Down: 90 * sluice.Microsecond},
	}
	c.RetransmitAfter, c.VerifyPaths = 50*sluice.Microsecond, false
	add("links fail", c)
	c.RetransmitFromLoss = true
	add("links fail, and senders look from the first loss on", c)

	c = config(g, crossing(g, 400_000)...)
	c.Until = 20 * sluice.Microsecond
	add("until 20 us", c)

	c = config(g, crossing(g, 40_000)...)
	c.RunOn = 300 * sluice.Microsecond
	at(&c, leaf(g), func(m kit.Machine) kit.Machine { return &ticking{m, 0, 7 * sluice.Microsecond} })
	add("run on for 300 us", c)

	c = config(g, crossing(g, 2_000_000)...)
	c.Window, c.Loss, c.Seed = 4*sluice.MB, 2000, 7
	c.Transport = transport.Config{
		Kind: transport.IRN, RTOLow: 100 * sluice.Microsecond, RTOHigh: 320 * sluice.Microsecond,
		LowPackets: 3, Cap: 2000,
	}
	add("irn with 2,000 packets of each flow under way, of which some are lost", c)

	c = config(g, crossing(g, 400_000)...)
	c.Parts = 3
	var parts []int64
	c.Windows = func(events []int64) {
		parts = append(parts, make([]int64, len(events)-len(parts)%len(events))...)[:len(events)]
		for i, n := range events {
			parts[i] += n
		}
	}
	add("in three parts", c)
	fmt.Fprintln(&out, "events by part", parts)

	golden.Require(t, "runs.txt", out.String())
}

// pod is four hosts at each of four leaves under two spines.
func pod(t *testing.T) *topo.Graph {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: delay}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 4, Spines: 2, HostsPerRack: 4, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	return g
}

// leaf is the first switch of a pod, whose ports 4 and 5 go up.
func leaf(g *topo.Graph) sluice.SwitchID { return sluice.SwitchID(len(g.Hosts())) }

// crossing has each host send to the one that is five on, and four hosts to host 0.
func crossing(g *topo.Graph, bytes sluice.Bytes) (flows []workload.Flow) {
	hosts := sluice.SwitchID(len(g.Hosts()))
	for src := range hosts {
		dst := (src + 5) % hosts
		if src%4 == 3 {
			dst = 0
		}
		flows = append(flows, workload.Flow{
			Src: src, Dst: dst, Bytes: bytes, Start: sluice.Time(src) * 100 * sluice.Nanosecond,
		})
	}
	return flows
}

// tenth marks every tenth packet, or every nth.
type tenth struct {
	kit.Machine
	every, count int
}

func marks(c *sim.Config, every int) {
	build := c.NewMachine
	c.NewMachine = func(node sluice.SwitchID) (kit.Machine, error) {
		m, err := build(node)
		return &tenth{Machine: m, every: every}, err
	}
}

func (m *tenth) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := m.Machine.Dequeue(now, port, q, p)
	if m.count++; v.Action() == sluice.Transmit && m.count%m.every == 0 {
		return sluice.TransmitMarked(sluice.CE)
	}
	return v
}

// write writes what a reader would look at first.
func write(out *strings.Builder, r *sim.Result) {
	fmt.Fprintf(out, "  completed %d of %d, at %v, %d hops, %d events\n",
		r.Completed, len(r.Flows), r.Simulated, r.PacketHops, r.Events)
	fmt.Fprintf(out, "  dropped %d, on wires %d, timeouts %d, reordered %d, marked %d, notices %d\n",
		r.Dropped, r.LostOnWire, r.Timeouts, r.Reordered, r.Marked, r.Notices)
	fmt.Fprintf(out, "  most at a switch %d, at a port %d\n", r.MaxSwitchBytes, r.MaxPortBytes)
	fmt.Fprintf(out, "  %+v\n  %+v\n", r.Transport, r.Control)
	fmt.Fprint(out, "  flows")
	for _, f := range r.Flows {
		fmt.Fprint(out, " ", f.FCT)
	}
	fmt.Fprintln(out)
	for _, note := range r.Notes {
		fmt.Fprintln(out, "  "+note)
	}
}
