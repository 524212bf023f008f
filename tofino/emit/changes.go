package emit

import (
	"io"

	"github.com/sluicefc/sluice/tofino/ir"
)

// ops are the names of changes in a list of entries.
var ops = map[ir.ChangeKind]string{ir.Delete: "delete", ir.Modify: "modify", ir.Insert: "add"}

// Changes writes the changes that lead from one configuration of a program to another, as
// [ir.Diff] finds them, in the form of [Entries]: the same loader takes them to a switch that holds
// the first configuration. Room that an entry needs is freed before the entry is added.
func Changes(w io.Writer, p *ir.Program, changes ir.Changes) error {
	names, l, e := NamesOf(p), newLines(&ir.Config{}), &entry{}
	for _, change := range changes {
		if change.Kind == ir.SetDefault {
			e.ofDefault(change.Table, change.Entry.Call, names)
		} else {
			e.ofTable(change.Table, ops[change.Kind], &change.Entry, names)
		}
		if change.Kind == ir.Delete {
			e.action, e.data = "", e.data[:0]
		}
		l.add(e)
	}
	return l.write(w)
}
