// Package report writes what runs did: tables, JSON, CSV, pictures, files of what was watched, and
// what the model of head-of-line blocking says.
package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/run"
	"github.com/sluicefc/sluice/internal/lab/show"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
)

// ReportWidth is the width in columns that the report keeps to.
const ReportWidth = 100

// WriteTables writes the tables and notes of a comparison. Outcomes belong to one scenario.
func WriteTables(w io.Writer, s *run.Subject, outcomes []*run.Outcome) error {
	var b strings.Builder
	WriteHeading(&b, s, s.Seed)
	if len(outcomes) > 0 {
		b.WriteString("\nFlow completion time, us\n\n")
		b.WriteString(flowTable(s, outcomes))
		b.WriteString("\n\nNetwork\n\n")
		b.WriteString(networkTable(outcomes))
		b.WriteString("\n")
		writeJobs(&b, outcomes)
		writeWatchTables(&b, s, outcomes)
		writeClaims(&b, s, findings(s, outcomes))
	}
	writeLegend(&b, s, measuredMemory(outcomes))
	for _, o := range outcomes {
		writeNotes(&b, o)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteHeading writes what is run: the scenario, its size, the seeds, and what was changed.
func WriteHeading(b *strings.Builder, s *run.Subject, seeds ...uint64) {
	t := makeTopology(s.Graph)
	writeLines(b, s.Name+": "+s.Describe())
	writeLines(b, fmt.Sprintf("%s; %s, %s; %s of %s MB in all; %s", t.Name,
		show.Plural(t.Hosts, "host"), show.Plural(t.Switches, "switch"),
		show.Plural(s.Count(), "flow"), show.Megabytes(s.FlowBytes()), showSeeds(seeds)))
	if len(s.Changes) > 0 {
		writeLines(b, "with "+strings.Join(s.Changes, " "))
	}
	if classes := classesOf(s.Classes()); len(classes) > 1 {
		writeLines(b, fmt.Sprintf("flows of classes %s: protocols hold each class by itself",
			strings.Join(classes, " and ")))
	}
	if t.ForwardingHosts > 0 {
		writeLines(b, "hosts that have several links, and so forward packets of others: "+
			show.Thousands(t.ForwardingHosts))
	}
}

// classesOf returns classes in their order.
func classesOf(set sluice.ClassSet) (classes []string) {
	for class := range sluice.Class(sluice.Classes) {
		if set&sluice.MakeClassSet(class) != 0 {
			classes = append(classes, fmt.Sprint(class))
		}
	}
	return classes
}

func writeLines(b *strings.Builder, text string) {
	for _, line := range show.Wrap(text, ReportWidth) {
		fmt.Fprintln(b, line)
	}
}

// showSeeds writes seeds in their order, neighbours as a range, the first few of many.
func showSeeds(seeds []uint64) string {
	const shown = 6
	var ranges []string
	for i := 0; i < len(seeds); {
		first := i
		for i++; i < len(seeds) && seeds[i] == seeds[i-1]+1; i++ {
		}
		text := fmt.Sprint(seeds[first])
		if i > first+1 {
			text += fmt.Sprintf("-%d", seeds[i-1])
		}
		if ranges = append(ranges, text); len(ranges) == shown && i < len(seeds) {
			ranges = append(ranges, fmt.Sprintf("and %d more", len(seeds)-i))
			break
		}
	}
	return [...]string{"seed ", "seeds "}[min(len(seeds)-1, 1)] + strings.Join(ranges, ", ")
}

// published is what others measured of a subject as it is; nil if there is nothing, or if something
// of the subject was changed.
func published(s *run.Subject) *run.Published {
	if len(s.Changes) > 0 {
		return nil
	}
	return s.Published
}

func flowTable(s *run.Subject, outcomes []*run.Outcome) string {
	header := show.Row{"  fc", "done", "mean", "p50", "p95", "p99", "max", "slowdown", "its p99"}
	if published(s) != nil {
		header = append(header, "published", "ratio")
	}
	t := show.NewTable(1, header...)
	counts := s.Counted()
	for _, g := range run.ReportGroups(s.Groups) {
		if counts[g] == 0 {
			continue
		}
		t.Add(fmt.Sprintf("%s: %s", run.GroupTitle(g), show.Thousands(counts[g])))
		for _, o := range outcomes {
			t.Add(slices.Concat(
				show.Row{"  " + o.FC, show.Thousands(o.Completed(g))}, flowCells(o, g), publishedCells(s, o, g),
			)...)
		}
	}
	return t.String()
}

func flowCells(o *run.Outcome, g workload.Group) show.Row {
	fct, slowdown := *o.FCT.Of(g), *o.Slowdown.Of(g)
	if fct == nil {
		return show.Row{"-", "-", "-", "-", "-", "-", "-"}
	}
	return show.Row{
		show.Significant(fct.Mean), show.Significant(fct.P50), show.Significant(fct.P95),
		show.Significant(fct.P99),
		show.Significant(fct.Max),
		show.Significant(slowdown.Mean), show.Significant(slowdown.P99),
	}
}

func publishedCells(s *run.Subject, o *run.Outcome, g workload.Group) show.Row {
	p := published(s)
	if p == nil {
		return nil
	}
	theirs, ok := p.Mean(o.FC, s.Groups, g)
	ours := *o.FCT.Of(g)
	if !ok || ours == nil {
		return show.Row{"", ""}
	}
	return show.Row{show.Significant(theirs), fmt.Sprintf("%.2f", ours.Mean/theirs)}
}

func networkTable(outcomes []*run.Outcome) string {
	header := show.Row{
		"fc", "dropped", "reordered", "control", "switch", "port", "sim us", "wall s", "Mhops/s",
	}
	if measuredMemory(outcomes) {
		header = append(header, "RSS MB")
	}
	t := show.NewTable(1, header...)
	for _, o := range outcomes {
		r := o.Result
		cells := show.Row{
			o.FC, show.Thousands(r.Dropped), show.Thousands(r.Reordered), show.Thousands(o.Frames()),
			show.Megabytes(r.MaxSwitchBytes), show.Megabytes(r.MaxPortBytes),
			show.Significant(r.Simulated.Microseconds()),
			fmt.Sprintf("%.2f", r.Wall.Seconds()), fmt.Sprintf("%.2f", o.HopsPerSecond()/1e6),
		}
		if o.PeakRSS != nil {
			cells = append(cells, show.Megabytes(sluice.Bytes(*o.PeakRSS)))
		}
		t.Add(cells...)
	}
	return t.String()
}

func measuredMemory(outcomes []*run.Outcome) bool {
	return len(outcomes) > 0 && outcomes[0].PeakRSS != nil
}

func writeLegend(b *strings.Builder, s *run.Subject, memory bool) {
	legend := "done: flows that completed, on which all figures are based; slowdown: completion " +
		"time over the time in an empty network, mean and p99; control: control frames sent; " +
		"switch, port: largest amount held in one switch, and for one egress port, MB; Mhops/s: " +
		"million transmissions of any packet on any link per second of wall time."
	if memory {
		legend += " RSS: peak memory."
	}
	if p := published(s); p != nil {
		legend += " published: mean of " + p.Source + "; ratio: our mean over it."
	}
	b.WriteByte('\n')
	writeLines(b, legend)
}

// writeNotes writes what the simulator has to say about a run: control frames by kind, where
// packets were lost, mechanisms that never acted.
func writeNotes(b *strings.Builder, o *run.Outcome) {
	var notes []string
	if text := framesByKind(o.Result.ControlFrames); text != "" {
		notes = append(notes, "control frames: "+text)
	}
	for _, what := range slices.Sorted(maps.Keys(o.Result.Figures)) {
		notes = append(notes, what+": "+show.Thousands(o.Result.Figures[what]))
	}
	if text := worstDrops(o); text != "" {
		notes = append(notes, text)
	}
	notes = append(notes, o.Result.Notes...)
	if len(notes) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", o.FC)
	WriteList(b, notes)
}

// WriteList writes sentences as a list.
func WriteList(b *strings.Builder, notes []string) {
	for _, note := range notes {
		for i, line := range show.Wrap(note, ReportWidth-4) {
			fmt.Fprintf(b, "%s%s\n", [...]string{"  - ", "    "}[min(i, 1)], line)
		}
	}
}

func framesByKind(frames map[string]int64) string {
	kinds := slices.Sorted(maps.Keys(frames))
	for i, kind := range kinds {
		kinds[i] = show.Thousands(frames[kind]) + " " + kind
	}
	return strings.Join(kinds, ", ")
}

const shownDrops = 3

func worstDrops(o *run.Outcome) string {
	drops := slices.Clone(o.Result.Drops)
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
			fmt.Sprintf("%s at port %v (%v, first at %v)", show.Thousands(d.Packets), d.At, d.Reason,
				d.First),
		)
	}
	s := fmt.Sprintf("%s packets lost: %s", show.Thousands(o.Result.Dropped),
		strings.Join(places, ", "))
	if more := len(drops) - shownDrops; more > 0 {
		s += fmt.Sprintf(", and at %s", show.Plural(more, "other place"))
	}
	return s
}
