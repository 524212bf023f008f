package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// maker adds parts to a program under construction.
type maker struct{ p *ir.Program }

// action declares an action.
func (b maker) action(name string, params []*ir.Param, body ...ir.Statement) *ir.Action {
	a := &ir.Action{Name: name, Params: params, Body: body}
	b.p.Actions = append(b.p.Actions, a)
	return a
}

// do is a step of an action of its own.
func (b maker) do(name string, body ...ir.Statement) ir.Step {
	return ir.Do{Action: b.action(name, nil, body...)}
}

// table declares a table.
func (b maker) table(t ir.Table) *ir.Table {
	b.p.Tables = append(b.p.Tables, &t)
	return &t
}

// register declares a register with its actions.
func (b maker) register(
	name string, bits, size int, gress ir.Gress, actions ...*ir.RegisterAction,
) *ir.Register {
	r := &ir.Register{Name: name, Bits: bits, Size: size, Gress: gress, Actions: actions}
	b.p.Registers = append(b.p.Registers, r)
	return r
}

// pair declares a register of two halves.
func (b maker) pair(
	name string, bits, size int, gress ir.Gress, actions ...*ir.RegisterAction,
) *ir.Register {
	r := b.register(name, bits, size, gress, actions...)
	r.Pair = true
	return r
}

// field declares a field of a gress's metadata.
func (b maker) field(gress ir.Gress, name string, bits int) *ir.Field {
	f := &ir.Field{Name: name, Bits: bits}
	b.p.Metadata[gress] = append(b.p.Metadata[gress], f)
	return f
}
