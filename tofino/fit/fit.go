package fit

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Cost is what a table or a register takes of the chip.
type Cost struct {
	Blocks  int // SRAM blocks of 16 KiB
	TCAMs   int // of 512 entries of 44 bits
	MapRAMs int
	ALUs    int // stateful
}

func (c Cost) plus(other Cost) Cost {
	return Cost{c.Blocks + other.Blocks, c.TCAMs + other.TCAMs, c.MapRAMs + other.MapRAMs,
		c.ALUs + other.ALUs}
}

// Item is one table or register with its cost.
type Item struct {
	Name    string
	Kind    string // "table" or "register"
	Keys    string // "dst 32 exact"
	Entries int    // that it holds, or the elements of a register
	Stage   int    // the earliest stage in which it can be, from 1; 0 for a register no control uses
	Cost    Cost
}

// Report is what a program costs.
type Report struct {
	Items []Item
	Total Cost
	// Stages is how many stages the longest chain of dependent tables needs, over ingress, egress and
	// ghost, which share them. The chip has [chip.Stages]: more is reported, not refused.
	Stages int
	// Chain names the tables and actions of that chain, the first first.
	Chain []string
}

// Of estimates a program by the entries that it holds. A table that the configuration does not
// fill counts by its size. Both must be valid.
func Of(p *ir.Program, cfg *ir.Config) *Report {
	held := map[*ir.Table]int{}
	for _, filled := range cfg.Tables {
		held[filled.Table] = len(filled.Entries)
	}
	depth := newDepth(p, p.Control[:]...)
	r := &Report{Stages: depth.deepest, Chain: depth.chain()}
	for _, table := range p.Tables {
		entries, filled := held[table]
		if !filled {
			entries = table.Size
		}
		r.add(Item{table.Name, "table", keys(table), entries, depth.tables[table],
			OfTable(table, entries)})
	}
	for _, register := range p.Registers {
		r.add(Item{register.Name, "register", "", register.Size, depth.stage(register),
			OfRegister(register)})
	}
	return r
}

func (r *Report) add(item Item) {
	r.Items = append(r.Items, item)
	r.Total = r.Total.plus(item.Cost)
}

// Share returns the part of a pipe's SRAM blocks that the program takes, in thousandths.
func (r *Report) Share() int {
	return perMille(r.Total.Blocks)
}

// Write prints the report as a table, and the longest chain.
func (r *Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "name\tkind\tkeys\tentries\tstage\tblocks\tTCAMs\tmap RAMs\tALUs")
	for _, item := range r.Items {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\n", item.Name, item.Kind, item.Keys,
			item.Entries, item.Stage, item.Cost.Blocks, item.Cost.TCAMs, item.Cost.MapRAMs, item.Cost.ALUs)
	}
	fmt.Fprintf(t, "all\t\t\t\t%d\t%d\t%d\t%d\t%d\n", r.Stages, r.Total.Blocks, r.Total.TCAMs,
		r.Total.MapRAMs, r.Total.ALUs)
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d of %d blocks of a pipe, %d.%d %%; at least %d of %d stages:\n%s\n",
		r.Total.Blocks, chip.BlocksPerPipe, r.Share()/10, r.Share()%10, r.Stages, chip.Stages,
		strings.Join(r.Chain, " > "))
	return err
}

func keys(t *ir.Table) string {
	text := ""
	for at, key := range t.Keys {
		if at > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s %d", key.Name, key.X.Width())
		if key.Kind != ir.Exact {
			text += " " + key.Kind.String()
		}
	}
	return text
}
