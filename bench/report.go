package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// reportWidth is the width in columns that the report keeps to.
const reportWidth = 100

// writeReport writes the tables and notes of a comparison. Outcomes belong to one scenario.
func writeReport(w io.Writer, s *subject, outcomes []*outcome) error {
	var b strings.Builder
	writeHeading(&b, s)
	if len(outcomes) > 0 {
		b.WriteString("\nFlow completion time, us\n\n")
		b.WriteString(flowTable(s, outcomes))
		b.WriteString("\n\nNetwork\n\n")
		b.WriteString(networkTable(outcomes))
		b.WriteString("\n")
		writeWatchTables(&b, s, outcomes)
		if s.claims != nil {
			b.WriteString("\nThe paper's numbers and ours\n\n")
			b.WriteString(claimTable(s.claims(s, outcomes)))
			b.WriteString("\n")
		}
	}
	writeLegend(&b, s, measuredMemory(outcomes))
	for _, o := range outcomes {
		writeNotes(&b, o)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeHeading(b *strings.Builder, s *subject) {
	for _, line := range wrap(s.name+": "+s.describe(), reportWidth) {
		fmt.Fprintln(b, line)
	}
	hosts := len(s.graph.Hosts())
	fmt.Fprintf(b, "%s; %s, %s; %s of %s MB in all; seed %d\n",
		s.graph.Name, plural(hosts, "host"), plural(len(s.graph.Nodes)-hosts, "switch"),
		plural(len(s.flows), "flow"), megabytes(s.flowBytes()), s.seed)
}

// flowTable compares protocols group by group.
func flowTable(s *subject, outcomes []*outcome) string {
	header := row{"  fc", "done", "mean", "p50", "p95", "p99", "max", "slowdown", "p99"}
	if s.published != nil {
		header = append(header, "published", "ratio")
	}
	t := newTable(1, header...)
	counts := s.counted()
	for _, g := range reportGroups {
		if counts[g] == 0 {
			continue
		}
		t.add(fmt.Sprintf("%s: %s", groupTitle(g), thousands(counts[g])))
		for _, o := range outcomes {
			t.add(slices.Concat(
				row{"  " + o.fc, thousands(o.completed(g))}, flowCells(o, g), publishedCells(s, o, g),
			)...)
		}
	}
	return t.String()
}

func flowCells(o *outcome, g workload.Group) row {
	fct, slowdown := *o.fct.of(g), *o.slowdown.of(g)
	if fct == nil {
		return row{"-", "-", "-", "-", "-", "-", "-"}
	}
	return row{
		significant(fct.Mean), significant(fct.P50), significant(fct.P95), significant(fct.P99),
		significant(fct.Max),
		significant(slowdown.Mean), significant(slowdown.P99),
	}
}

func publishedCells(s *subject, o *outcome, g workload.Group) row {
	if s.published == nil {
		return nil
	}
	published, ok := s.published.mean(o.fc, s.groups, g)
	ours := *o.fct.of(g)
	if !ok || ours == nil {
		return row{"", ""}
	}
	return row{significant(published), fmt.Sprintf("%.2f", ours.Mean/published)}
}

// networkTable compares what the protocols did to the network, and what the simulation cost.
func networkTable(outcomes []*outcome) string {
	header := row{
		"fc", "dropped", "reordered", "control", "switch", "port", "sim us", "wall s", "Mhops/s",
	}
	if measuredMemory(outcomes) {
		header = append(header, "RSS MB")
	}
	t := newTable(1, header...)
	for _, o := range outcomes {
		r := o.result
		cells := row{
			o.fc, thousands(r.Dropped), thousands(r.Reordered), thousands(o.frames()),
			megabytes(r.MaxSwitchBytes), megabytes(r.MaxPortBytes),
			significant(r.Simulated.Microseconds()),
			fmt.Sprintf("%.2f", r.Wall.Seconds()), fmt.Sprintf("%.2f", o.hopsPerSecond()/1e6),
		}
		if o.peakRSS != nil {
			cells = append(cells, megabytes(sluice.Bytes(*o.peakRSS)))
		}
		t.add(cells...)
	}
	return t.String()
}

func measuredMemory(outcomes []*outcome) bool {
	return len(outcomes) > 0 && outcomes[0].peakRSS != nil
}

// claimTable sets numbers of a paper beside ours.
func claimTable(claims []claim) string {
	t := newTable(2, "what", "fc", "paper", "ours")
	for _, c := range claims {
		t.add(c.what, c.fc, c.published, c.ours)
	}
	return t.String()
}

func writeLegend(b *strings.Builder, s *subject, memory bool) {
	legend := "done: flows that completed, on which all figures are based; slowdown: completion " +
		"time over that in an empty network, mean and p99; control: control frames sent; switch, " +
		"port: largest amount held in one switch, and for one egress port, MB; Mhops/s: million " +
		"transmissions of any packet on any link per second of wall time."
	if memory {
		legend += " RSS: peak memory."
	}
	if s.published != nil {
		legend += " published: mean of " + s.published.source + "; ratio: ours over it."
	}
	b.WriteByte('\n')
	for _, line := range wrap(legend, reportWidth) {
		fmt.Fprintln(b, line)
	}
}

// writeNotes writes what the simulator has to say about a run: control frames by kind, where
// packets were lost, mechanisms that never acted.
func writeNotes(b *strings.Builder, o *outcome) {
	var notes []string
	if text := framesByKind(o.result.ControlFrames); text != "" {
		notes = append(notes, "control frames: "+text)
	}
	for _, what := range slices.Sorted(maps.Keys(o.result.Figures)) {
		notes = append(notes, what+": "+thousands(o.result.Figures[what]))
	}
	if text := worstDrops(o); text != "" {
		notes = append(notes, text)
	}
	notes = append(notes, o.result.Notes...)
	if len(notes) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", o.fc)
	writeList(b, notes)
}

// writeList writes sentences as a list.
func writeList(b *strings.Builder, notes []string) {
	for _, note := range notes {
		for i, line := range wrap(note, reportWidth-4) {
			fmt.Fprintf(b, "%s%s\n", [...]string{"  - ", "    "}[min(i, 1)], line)
		}
	}
}

func framesByKind(frames map[string]int64) string {
	kinds := make([]string, 0, len(frames))
	for kind := range frames {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for i, kind := range kinds {
		kinds[i] = thousands(frames[kind]) + " " + kind
	}
	return strings.Join(kinds, ", ")
}

// shownDrops is how many of the places that lost packets the report names.
const shownDrops = 3

func worstDrops(o *outcome) string {
	drops := slices.Clone(o.result.Drops)
	if len(drops) == 0 {
		return ""
	}
	slices.SortStableFunc(drops, func(a, b sim.DropRecord) int {
		return cmp.Compare(b.Packets, a.Packets)
	})
	places := make([]string, 0, shownDrops)
	for _, d := range drops[:min(shownDrops, len(drops))] {
		places = append(
			places,
			fmt.Sprintf("%s at port %v (%v, first at %v)", thousands(d.Packets), d.At, d.Reason, d.First),
		)
	}
	s := fmt.Sprintf("%s packets lost: %s", thousands(o.result.Dropped), strings.Join(places, ", "))
	if more := len(drops) - shownDrops; more > 0 {
		s += fmt.Sprintf(", and at %s", plural(more, "other place"))
	}
	return s
}
