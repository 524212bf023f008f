package fit

import (
	"fmt"
	"io"
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
}

// PyrrhaFigures returns what the Pyrrha paper says of an edge switch of a fat-tree with k = 36. Its
// figures are whole blocks of 16 KiB, so that its MB are MiB and it counts what is allocated.
func PyrrhaFigures() []Figure {
	const source = "Pyrrha, section V-A"
	return []Figure{
		{"path calculation", "0.44 MB", source, 28, []string{"path"}},
		{"congestion-root table", "176 KB", source, 11, []string{"roots"}},
		{"queue manager", "8.64 MB", source, 553, []string{"set_", "free_", "iq", "count", "up"}},
		{"processing logic", "1.88 MB", source, 120, nil},
	}
}

// OFCFigures returns what the OFC paper says of its testbed: bytes of content, in cells of 64 bits.
func OFCFigures() []Figure {
	const source = "OFC, Table II"
	return []Figure{
		{
			Part: "flows by ingress port", Says: "432 bytes, 54 cells", Source: source,
			Names: []string{"flow_in_port"},
		},
		{
			Part: "congested flows", Says: "152 bytes, 19 cells", Source: source,
			Names: []string{"congested"},
		},
		{
			Part: "pause frames", Says: "288 bytes, 36 cells", Source: source,
			Names: []string{"pause_frame"},
		},
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

// part returns the blocks of the tables and registers whose names begin in one of some ways.
func (r *Report) part(names []string) string {
	sum, any := 0, false
	for _, item := range r.Items {
		for _, name := range names {
			if strings.HasPrefix(item.Name, name) {
				sum, any = sum+item.Cost.Blocks, true
				break
			}
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
