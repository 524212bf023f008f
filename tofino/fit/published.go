package fit

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sluicefc/sluice/tofino/chip"
)

// Figure is what a paper says that a part of its program takes.
type Figure struct {
	Part   string
	Says   string // in the paper's own words and unit
	Source string
	// Blocks is the figure in SRAM blocks of one pipe, where it is one of allocated memory: 0 where it
	// is not, so that it is not set beside ours.
	Blocks int
	// Names begin the names of the tables and registers of ours that do the same; none if nothing of
	// ours does.
	Names []string
	// Cells is the figure in cells of 64 bits at a port, where it is one of content.
	Cells int
}

// PyrrhaFigures returns what the Pyrrha paper says of an edge switch of a fat-tree with k = 36. Its
// figures are whole blocks of 16 KiB, so that its MB are MiB and it counts what is allocated.
func PyrrhaFigures() []Figure {
	const source = "Pyrrha, section V-A"
	return []Figure{
		{Part: "path calculation", Says: "0.44 MB", Source: source, Blocks: 28,
			Names: []string{"path"}},
		{Part: "congestion-root table", Says: "176 KB", Source: source, Blocks: 11,
			Names: []string{"roots"}},
		{Part: "queue manager", Says: "8.64 MB", Source: source, Blocks: 553,
			Names: []string{"set_", "free_", "iq", "count", "up"}},
		{Part: "processing logic", Says: "1.88 MB", Source: source, Blocks: 120},
	}
}

// OFCFigures returns what the OFC paper says of its testbed: bytes of content at a port on average,
// in registers of 64 bits.
func OFCFigures() []Figure {
	const source = "OFC, Table II"
	return []Figure{
		{Part: "flow_in_port_tab", Says: "432 bytes", Source: source, Cells: 54,
			Names: []string{"flow_a", "flow_b"}},
		{Part: "congested_flow_tab", Says: "152 bytes", Source: source, Cells: 19,
			Names: []string{"congested_a", "congested_b"}},
		{Part: "pause_frame_tab", Says: "288 bytes", Source: source, Cells: 36,
			Names: []string{"pause_frame_a", "pause_frame_b"}},
	}
}

// WriteBeside prints figures of a paper and, beside each, what the parts of this program that do
// the same take.
func (r *Report) WriteBeside(w io.Writer, figures []Figure) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "part\tpublished\tblocks\tours\tsource")
	sum, all := 0, true
	for _, figure := range figures {
		sum += figure.Blocks
		all = all && figure.Blocks > 0
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", figure.Part, figure.Says, blocks(figure.Blocks),
			r.part(figure.Names), figure.Source)
	}
	if all && sum > 0 {
		fmt.Fprintf(t, "all\t%d.%d %%\t%d\t%d\t%d of a pipe\n", perMille(sum)/10, perMille(sum)%10, sum,
			r.Total.Blocks, chip.BlocksPerPipe)
	}
	return t.Flush()
}

// WriteCells prints figures of a paper in cells of 64 bits and, beside each, for how many cells the
// same parts of this program have room at each port: how many are taken on average depends on the
// traffic.
func (r *Report) WriteCells(w io.Writer, figures []Figure, ports int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "table\tpublished\tcells\troom of ours\tblocks\tsource")
	for _, figure := range figures {
		cells := 0
		for _, item := range r.Items {
			if slices.Contains(figure.Names, item.Name) {
				cells += item.Entries
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%s\n", figure.Part, figure.Says, figure.Cells,
			cells/max(ports, 1), r.part(figure.Names), figure.Source)
	}
	return t.Flush()
}

// part returns the blocks of the tables and registers whose names begin in one of some ways.
func (r *Report) part(names []string) string {
	sum, any := 0, false
	for _, item := range r.Items {
		begins := func(name string) bool { return strings.HasPrefix(item.Name, name) }
		if slices.ContainsFunc(names, begins) {
			sum, any = sum+item.Cost.Blocks, true
		}
	}
	if !any {
		return "-"
	}
	return fmt.Sprint(sum)
}

// blocks returns a number of blocks, or that there is none.
func blocks(count int) string {
	if count == 0 {
		return "-"
	}
	return fmt.Sprint(count)
}

// perMille returns the part of a pipe's blocks, in thousandths.
func perMille(count int) int { return (1000*count + chip.BlocksPerPipe/2) / chip.BlocksPerPipe }
