package tofino

import (
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// writer is a program that is being written, with what fills it.
type writer struct {
	p      *ir.Program
	filled *ir.Config
}

// action declares an action.
func (w *writer) action(name string, params []*ir.Param, body ...ir.Statement) *ir.Action {
	a := &ir.Action{Name: name, Params: params, Body: body}
	w.p.Actions = append(w.p.Actions, a)
	return a
}

// do is a step of an action of its own.
func (w *writer) do(name string, body ...ir.Statement) ir.Step {
	return ir.Do{Action: w.action(name, nil, body...)}
}

// table declares a table.
func (w *writer) table(t ir.Table) *ir.Table {
	w.p.Tables = append(w.p.Tables, &t)
	return &t
}

// declare declares a register with its actions.
func (w *writer) declare(r ir.Register) *ir.Register {
	w.p.Registers = append(w.p.Registers, &r)
	return &r
}

// about says of registers what they hold, in lines of a name and a text, and of those of two rows
// the same.
func (w *writer) about(lines string) {
	texts := map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		texts[name] = text
	}
	for _, r := range w.p.Registers {
		name := strings.TrimRight(r.Name, "0123456789")
		if texts[name] == "" {
			name = strings.TrimSuffix(strings.TrimSuffix(r.Name, "_a"), "_b")
		}
		r.Source = texts[name]
	}
}

// register declares a register of one number, pair one of two.
func (w *writer) register(
	name string, bits, size int, gress ir.Gress, actions ...*ir.RegisterAction,
) *ir.Register {
	return w.declare(ir.Register{Name: name, Bits: bits, Size: size, Gress: gress, Actions: actions})
}

func (w *writer) pair(
	name string, bits, size int, gress ir.Gress, actions ...*ir.RegisterAction,
) *ir.Register {
	r := w.register(name, bits, size, gress, actions...)
	r.Pair = true
	return r
}

// field declares a field of a gress's metadata.
func (w *writer) field(gress ir.Gress, name string, bits int) *ir.Field {
	f := &ir.Field{Name: name, Bits: bits}
	w.p.Metadata[gress] = append(w.p.Metadata[gress], f)
	return f
}

// fill gives a table its entries.
func (w *writer) fill(t *ir.Table, entries []ir.Entry) {
	w.filled.Tables = append(w.filled.Tables, ir.TableConfig{Table: t, Entries: entries})
}

// add fills a table of the chip.
func (w *writer) add(t *ir.FixedTable, pipe int, action string, keys, values []ir.FixedDatum) {
	w.filled.Fixed = append(w.filled.Fixed,
		ir.FixedEntry{Table: t, Pipe: pipe, Action: action, Keys: keys, Data: values})
}
