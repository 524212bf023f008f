package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/probe"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// WriteSamples writes a row per sample of each port and then of each flow. Columns that a row is
// not about are empty.
func WriteSamples(w io.Writer, seen *probe.Report) error {
	rows := [][]string{{
		"time_ns", "what", "backlog_bytes", "held_queues", "pauses", "ue", "ce", "state", "rate_bps",
		"set_rate_bps",
	}}
	for _, s := range seen.Series {
		last := sluice.Time(0)
		for i, at := range s.Time {
			rows = append(rows, row(nanoseconds(at), s.At, int64(s.Backlog[i]), s.Held[i], s.Pauses[i],
				s.UE[i], s.CE[i], s.State[i], run.RateOf(s.Sent[i], at-last), ""))
			last = at
		}
	}
	for _, f := range seen.Flows {
		last := sluice.Time(0)
		for i, at := range f.Time {
			rows = append(rows, row(nanoseconds(at), fmt.Sprint("flow:", f.Flow), "", "", "", "", "", "",
				run.RateOf(f.Received[i], at-last), int64(f.Set[i])))
			last = at
		}
	}
	return WriteRows(w, rows)
}

func WritePorts(w io.Writer, graph *topo.Graph, seen *probe.Report) error {
	rows := [][]string{{
		"port", "peer", "mean_queue_bytes", "longest_queue_bytes", "sent_bytes", "packets", "utilization",
		"frames", "pauses", "held_ns", "ue", "ce",
	}}
	for i := range seen.Ports {
		p := &seen.Ports[i]
		end := graph.Nodes[p.At.Switch].Ports[p.At.Port]
		rows = append(rows, row(p.At, sluice.Hop{Switch: end.Peer, Port: end.PeerPort},
			int64(p.MeanQueue), int64(p.LongestQueue), int64(p.Sent), p.Packets,
			fmt.Sprintf("%.6f", run.Utilization(p, end.Link.Rate, seen)), p.Frames, p.Pauses,
			nanoseconds(p.Held), p.UE, p.CE))
	}
	return WriteRows(w, rows)
}

// WritePauses writes a line per pause or resume of a queue, as users of HPCC's ns-3 know it from
// pfc.txt: time in ns, node, its type (0 a host, 1 a switch), the interface that was paused or
// resumed, counted from 1, and 1 for a pause, 0 for a resume.
func WritePauses(w io.Writer, graph *topo.Graph, seen *probe.Report) error {
	b := bufio.NewWriter(w)
	bit := map[bool]int{true: 1}
	for i := range seen.Pauses {
		p := &seen.Pauses[i]
		fmt.Fprintf(b, "%s %d %d %d %d\n", nanoseconds(p.Time), p.At.Switch,
			bit[!graph.IsHost(p.At.Switch)], p.At.Port+1, bit[p.Paused])
	}
	return b.Flush()
}

// WriteLengths writes the distributions of queues as users of HPCC's ns-3 know them: the time in
// ns, and of each port of a switch the node, the interface, counted from 1, and how many samples
// found it with 0, 1, 2, ... whole kilobytes.
func WriteLengths(w io.Writer, seen *probe.Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "time: %s\n", nanoseconds(seen.To))
	for i := range seen.Lengths {
		l := &seen.Lengths[i]
		fmt.Fprintf(b, "%d %d", l.At.Switch, l.At.Port+1)
		for _, n := range l.Counts {
			fmt.Fprintf(b, " %d", n)
		}
		fmt.Fprintln(b)
	}
	return b.Flush()
}

func row(values ...any) (texts []string) {
	for _, v := range values {
		texts = append(texts, fmt.Sprint(v))
	}
	return texts
}
