package p4

import (
	"slices"

	"github.com/sluicefc/sluice/tofino/ir"
)

// result is a variable of an action that takes a result of a register action.
type result struct {
	bits int
	to   []*ir.Field // the results of the use that fills it
	at   int
}

// action reads an action. Controls may each declare the same action if it does nothing.
func (r *reader) action() {
	r.want("action")
	a := &ir.Action{Name: r.name()}
	r.params, r.results = map[string]*ir.Param{}, map[string]*result{}
	r.list("(", ")", func() {
		param := &ir.Param{Bits: r.width()}
		param.Name = r.name()
		r.failIf(r.params[param.Name] != nil, "two parameters %s", param.Name)
		r.params[param.Name], a.Params = param, append(a.Params, param)
	})
	copied := mirrored{gress: r.gress}
	r.block(func() { r.statement(a, &copied) })
	if copied.sets {
		r.mirrored = append(r.mirrored, copied)
	}
	r.failIf(copied.outgoing && !copied.sets, "%s chooses what a mirror copies, and no mirror_type",
		a.Name)
	r.order(a)
	r.params, r.results = nil, nil
	if known := r.actions[a.Name]; known != nil {
		r.failIf(len(known.Body)+len(known.Params)+len(a.Body)+len(a.Params) > 0,
			"action %s is declared twice", a.Name)
		return
	}
	r.actions[a.Name] = a
	r.made.Actions = append(r.made.Actions, a)
}

// order refuses statements whose order matters beyond what [ir.Program.Validate] refuses: fields of
// a header are written after it is made valid, and not read after it is gone.
func (r *reader) order(a *ir.Action) {
	valid := map[*ir.Field]bool{} // false: gone
	for at, statement := range a.Body {
		for _, x := range ir.Reads(statement) {
			ir.Walk(x, func(part ir.Expr) {
				f, is := part.(*ir.Field)
				there, set := valid[f]
				r.failIf(is && set && !there, "%s reads %s of a header that is gone", a.Name, nameOf(f))
			})
		}
		set, is := statement.(ir.SetValid)
		if !is {
			continue
		}
		for _, f := range set.Header.Fields {
			valid[f] = set.Valid
			for _, before := range a.Body[:at] {
				r.failIf(set.Valid && slices.Contains(ir.Writes(before), f),
					"%s writes %s before its header is valid", a.Name, f.Name)
			}
		}
	}
}

func nameOf(f *ir.Field) string {
	if f == nil {
		return "a field"
	}
	return f.Name
}

// statement reads a statement of an action.
func (r *reader) statement(a *ir.Action, copied *mirrored) {
	if r.sized() {
		one := &result{bits: r.width()}
		r.results[r.name()] = one
		r.want(";")
		return
	}
	path := r.name()
	if r.instances[path] != nil && r.peek() == "." {
		r.at--
		a.Body = append(a.Body, r.execute(nil, 0, false))
		r.want(";")
		return
	}
	for r.take(".") {
		path += "." + r.name()
		if header := r.valid[path]; header != nil && (r.peek(1) == "setValid" ||
			r.peek(1) == "setInvalid") {
			r.want(".")
			a.Body = append(a.Body, ir.SetValid{Header: header, Valid: r.name() == "setValid"})
			r.want("(", ")", ";")
			return
		}
	}
	r.want("=")
	r.assign(a, path, copied)
	r.want(";")
}

// assign reads the right side of an assignment.
func (r *reader) assign(a *ir.Action, path string, copied *mirrored) {
	switch path {
	case dprsr[r.gress] + ".adv_flow_ctl":
		a.Body = append(a.Body, ir.Flow{Word: r.sizedTo(r.expression(), 32)})
		return
	case dprsr[r.gress] + ".mirror_io_select":
		r.failIf(r.number(r.expression()) != 1, "must be 1: 0 is what a mirror copies anyway")
		copied.outgoing = true
		return
	}
	bits, cast := 0, false
	at := r.at
	if r.take("(") {
		if cast = r.sized(); cast {
			bits = r.width()
			r.want(")")
		}
	}
	into := r.results[path]
	field := r.fields[path]
	r.failIf(field == nil && into == nil, "%s is nothing that an action may write", path)
	switch name := r.peek(); {
	case r.instances[name] != nil && r.peek(1) == ".":
		r.failIf(into != nil, "a variable takes a result as an argument")
		a.Body = append(a.Body, r.execute(field, bits, cast))
		return
	case r.results[name] != nil && field != nil:
		r.next()
		one := r.results[name]
		r.failIf(one.to == nil, "%s has no value", name)
		r.failIf(max(bits, one.bits) != field.Bits || one.bits > field.Bits || cast && bits != field.Bits,
			"%s of %d bits for %s of %d", name, one.bits, path, field.Bits)
		one.to[one.at] = field
		return
	}
	r.failIf(field == nil, "%s takes results of registers only", path)
	r.at = at
	value := r.sizedTo(r.expression(), field.Bits)
	a.Body = append(a.Body, ir.Assign{To: field, Value: value})
	if field == ir.IngressMirror || field == ir.EgressMirror {
		constant, is := value.(ir.Const)
		copied.sets, copied.computed, copied.number = true, !is, constant.Value
	}
}

// dprsr are the names of what a gress tells its deparser.
var dprsr = [...]string{ir.Ingress: "ig_dprsr_md", ir.Egress: "eg_dprsr_md",
	ir.Ghost: "no deparser"}

// execute reads REGISTERACTION.execute(INDEX, ...), whose first result goes to a field, perhaps by
// a cast.
func (r *reader) execute(to *ir.Field, bits int, cast bool) ir.Statement {
	one := r.instances[r.name()]
	r.want(".", "execute", "(")
	e := ir.Execute{Action: one.action, To: make([]*ir.Field, len(one.action.Outputs))}
	copy(e.Phv[:], one.inputs)
	index := r.expression()
	e.Index = widened(r.sizedTo(index, one.register.index))
	at := 0
	if len(e.To) > 0 {
		at = 1
		if to != nil {
			width := one.outputs[0]
			r.failIf(!cast && width != to.Bits || cast && (bits != to.Bits || width > bits),
				"a result of %d bits for %s of %d", width, to.Name, to.Bits)
			e.To[0] = to
		}
	}
	r.failIf(to != nil && len(e.To) == 0, "%s has no result", one.action.Name)
	for r.take(",") {
		name := r.path()
		r.failIf(at >= len(e.To), "has more arguments than results")
		switch field, variable := r.fields[name], r.results[name]; {
		case field != nil && field.Bits == one.outputs[at]:
			e.To[at] = field
		case variable != nil && variable.bits == one.outputs[at]:
			r.failIf(variable.to != nil, "%s takes two results", name)
			variable.to, variable.at = e.To, at
		default:
			r.fail("%s is nothing of %d bits that takes a result", name, one.outputs[at])
		}
		at++
	}
	r.failIf(at < len(e.To), "%s has %d results", one.action.Name, len(e.To))
	r.want(")")
	return e
}

// widened returns an expression without zeros in front.
func widened(x ir.Expr) ir.Expr {
	row, is := x.(ir.Concat)
	if !is {
		return x
	}
	if zeros, constant := row[0].(ir.Const); !constant || !zeros.Value.Zero() {
		return x
	}
	if len(row) == 2 {
		return widened(row[1])
	}
	return widened(row[1:])
}
