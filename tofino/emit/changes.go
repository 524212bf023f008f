package emit

import (
	"io"

	"github.com/sluicefc/sluice/tofino/ir"
)

// ops are the names of changes in a list of entries.
var ops = map[ir.ChangeKind]string{ir.Delete: "delete", ir.Modify: "modify", ir.Insert: "add",
	ir.SetDefault: "default"}

// Changes writes the changes that lead from one configuration of a program to another, as
// [ir.Diff] finds them, in the form of [Entries]: what the same loader takes to a switch that holds
// the first. What an entry needs is freed before it is added.
func Changes(w io.Writer, p *ir.Program, changes ir.Changes) error {
	names := NamesOf(p)
	var list []*entry
	for _, change := range changes {
		var one *entry
		switch change.Kind {
		case ir.SetDefault:
			one = call(change.Table, ops[change.Kind], fields{}, change.Entry.Call, names)
		case ir.Delete:
			one = tableEntry(change.Table, ops[change.Kind], change.Entry, names)
			one.Action, one.Data = nil, fields{}
		default:
			one = tableEntry(change.Table, ops[change.Kind], change.Entry, names)
		}
		list = append(list, one)
	}
	return lines(w, list)
}
