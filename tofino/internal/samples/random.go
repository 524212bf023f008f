package samples

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Random returns a program and a configuration made of choices: draw returns one of 0 to n-1. Most
// programs break rules somewhere; those of few choices often do not.
func Random(draw func(n int) int) (*ir.Program, *ir.Config) {
	r := &random{draw: draw, p: &ir.Program{Name: "random"}, cfg: &ir.Config{}}
	r.declare()
	for gress := ir.Ingress; gress <= ir.Ghost; gress++ {
		r.tables(gress)
		r.p.Control[gress] = append(r.p.Control[gress], r.steps(gress, 2)...)
		for _, t := range r.pending[gress] {
			r.p.Control[gress] = append(r.p.Control[gress], ir.Apply{Table: t})
		}
	}
	r.parser()
	return r.p, r.cfg
}

type random struct {
	draw    func(n int) int
	p       *ir.Program
	cfg     *ir.Config
	actions [3][]*ir.Action
	pending [3][]*ir.Table // not applied yet
	written []*ir.Field    // by the action that is being made
}

var widths = []int{8, 1, 9, 16, 32, 48, 128, 7, 20}

func (r *random) width() int { return widths[r.draw(len(widths))] }

// declare makes headers, metadata, functions and registers.
func (r *random) declare() {
	p := r.p
	for at := range 1 + r.draw(3) {
		h := &ir.Header{Name: fmt.Sprintf("h%d", at)}
		bits := 0
		for each := range 1 + r.draw(3) {
			width := r.width()
			h.Fields = append(h.Fields, field(fmt.Sprintf("f%d", each), width))
			bits += width
		}
		if rest := bits % 8; rest > 0 && !r.wrong() {
			h.Fields = append(h.Fields, field("rest", 8-rest))
		}
		p.Headers = append(p.Headers, h)
	}
	for gress := range p.Metadata {
		for at := range 1 + r.draw(4) {
			p.Metadata[gress] = append(p.Metadata[gress], field(fmt.Sprintf("m%d", at), r.width()))
		}
	}
	if r.draw(2) == 1 {
		p.Functions = append(p.Functions, &ir.HashFunction{Name: "hash", Kind: ir.HashKind(r.draw(3)),
			Bits: []int{16, 32}[r.draw(2)], Polynomial: 0x1021, Reflected: r.draw(2) == 1})
	}
	for at := range r.draw(3) {
		r.register(at)
	}
}

// register makes a register with its actions.
func (r *random) register(at int) {
	register := &ir.Register{Name: fmt.Sprintf("r%d", at), Bits: []int{32, 16, 8, 1}[r.draw(4)],
		Size: 1 + r.draw(600), Gress: ir.Gress(r.draw(3))}
	register.Pair = r.draw(3) == 1 && (register.Bits > 1 || r.wrong())
	register.Shared = r.draw(3) == 1 && (register.Gress == ir.Ingress || r.wrong())
	for count := range 1 + r.draw(2) {
		a := &ir.RegisterAction{Name: fmt.Sprintf("do%d", count)}
		for range r.draw(4) {
			a.Predicates = append(
				a.Predicates, ir.Predicate{Sum: r.sum(register), Op: ir.Relation(r.draw(6))},
			)
		}
		for half := ir.Low; half <= ir.High; half++ {
			if r.draw(2) == 1 && (half == ir.Low || register.Pair || r.wrong()) {
				a.Updates = append(a.Updates, ir.Update{When: r.guard(), To: half, Sum: r.sum(register),
					Saturated: r.draw(4) == 3})
			}
		}
		for range r.draw(3) {
			a.Outputs = append(
				a.Outputs, ir.Output{When: r.guard(), Sum: r.sum(register), After: r.draw(2) == 1},
			)
		}
		register.Actions = append(register.Actions, a)
	}
	r.p.Registers = append(r.p.Registers, register)
}

// wrong decides now and then to break a rule.
func (r *random) wrong() bool { return r.draw(32) == 31 }

func (r *random) sum(register *ir.Register) ir.Sum {
	halves := 2
	if register.Pair || r.wrong() {
		halves = 3
	}
	return ir.Sum{Memory: ir.Half(r.draw(halves)), Negative: r.draw(5) == 4, Input: r.draw(3),
		Minus:    r.draw(3) == 2,
		Constant: []int32{0, 0, 1, -1, 7, -8, 100}[r.draw(7)]}
}

func (r *random) guard() ir.Guard {
	return []ir.Guard{ir.Always, ir.First, ir.First & ir.Second, ir.First ^ ir.Third,
		ir.Always ^ ir.Second,
		ir.Guard(r.draw(1 << 16))}[r.draw(6)]
}

// fieldsOf returns the fields that a gress may name.
func (r *random) fieldsOf(gress ir.Gress) []*ir.Field {
	fields := append([]*ir.Field{}, r.p.Metadata[gress]...)
	if gress != ir.Ghost {
		for _, header := range r.p.Headers {
			fields = append(fields, header.Fields...)
		}
	}
	read, written := ir.Intrinsics(gress)
	return append(append(fields, read...), written...)
}

// field returns one of a gress, now and then one of another.
func (r *random) field(gress ir.Gress) *ir.Field {
	if r.draw(1000) == 999 {
		gress = (gress + 1) % 3
	}
	fields := r.fieldsOf(gress)
	return fields[r.draw(len(fields))]
}

// target returns a field that a gress may write, now and then any.
func (r *random) target(gress ir.Gress) *ir.Field {
	f := r.field(gress)
	read, _ := ir.Intrinsics(gress)
	if slices.Contains(read, f) && !r.wrong() {
		f = r.p.Metadata[gress][0]
	}
	if slices.Contains(r.written, f) && !r.wrong() {
		return nil
	}
	r.written = append(r.written, f)
	return f
}

// value returns an expression of a width.
func (r *random) value(gress ir.Gress, bits, depth int, params []*ir.Param) ir.Expr {
	for _, param := range params {
		if param.Bits == bits && r.draw(2) == 1 {
			return param
		}
	}
	switch kind := r.draw(7); {
	case kind == 1 && depth > 0:
		return ir.Binary{Op: ir.Operator(r.draw(7)), X: r.value(gress, bits, depth-1, params),
			Y: r.value(gress, bits, depth-1, params)}
	case kind == 2 && bits > 1 && depth > 0:
		return ir.Concat{r.value(gress, bits-1, depth-1, params), r.value(gress, 1, 0, nil)}
	case kind == 3 && len(r.p.Functions) > 0 && r.p.Functions[0].Bits >= bits:
		f := r.field(gress)
		h := ir.Hash{Function: r.p.Functions[0], Fields: []ir.Expr{f, ir.Number(8, 0)}}
		if rest := f.Bits % 8; rest > 0 && !r.wrong() {
			h.Fields = append(h.Fields, ir.Number(8-rest, 0))
		}
		if h.Width() == bits {
			return h
		}
		return ir.Slice{X: h, High: bits - 1}
	case kind > 3:
		if f := r.field(gress); f.Bits == bits {
			return f
		} else if f.Bits > bits {
			return ir.Slice{X: f, High: f.Bits - 1, Low: f.Bits - bits}
		}
	}
	return ir.Const{Value: ir.Uint(uint64(r.draw(2))), Bits: bits}
}

// condition returns a condition.
func (r *random) condition(gress ir.Gress, depth int) ir.Expr {
	switch kind := r.draw(5); {
	case kind == 1 && depth > 0:
		return ir.All{r.condition(gress, depth-1), r.condition(gress, depth-1)}
	case kind == 2 && depth > 0:
		return ir.Any{r.condition(gress, depth-1), ir.Not{X: r.condition(gress, depth-1)}}
	case kind == 3 && gress != ir.Ghost:
		return ir.Valid{Header: r.p.Headers[r.draw(len(r.p.Headers))]}
	default:
		f := r.field(gress)
		return ir.Compare{Op: ir.Relation(r.draw(6)), X: f, Y: ir.Number(f.Bits, uint64(r.draw(2)))}
	}
}

// action makes an action.
func (r *random) action(gress ir.Gress, params int) *ir.Action {
	a := &ir.Action{Name: fmt.Sprintf("a%d", len(r.p.Actions))}
	for at := range params {
		a.Params = append(a.Params, &ir.Param{Name: fmt.Sprintf("d%d", at), Bits: r.width()})
	}
	r.written = nil
	for range r.draw(3) {
		switch kind := r.draw(8); {
		case kind == 6 && gress != ir.Ghost:
			a.Body = append(a.Body, ir.SetValid{Header: r.p.Headers[0], Valid: r.draw(2) == 1})
		case kind == 5 && len(r.p.Registers) > 0:
			a.Body = append(a.Body, r.execute(gress))
		case kind == 7 && gress != ir.Ghost:
			a.Body = append(a.Body, ir.Flow{Word: r.value(gress, 32, 1, a.Params)})
		default:
			to := r.target(gress)
			if to == nil {
				continue
			}
			a.Body = append(a.Body, ir.Assign{To: to, Value: r.value(gress, to.Bits, 2, a.Params)})
		}
	}
	r.p.Actions = append(r.p.Actions, a)
	r.actions[gress] = append(r.actions[gress], a)
	return a
}

// execute returns the use of a register action.
func (r *random) execute(gress ir.Gress) ir.Execute {
	register := r.p.Registers[r.draw(len(r.p.Registers))]
	e := ir.Execute{Action: register.Actions[r.draw(len(register.Actions))],
		Index: r.value(gress, []int{9, 8, 16}[r.draw(3)], 1, nil)}
	for at := range e.Phv {
		e.Phv[at] = r.value(gress, register.Bits, 1, nil)
	}
	for range e.Action.Outputs {
		var to *ir.Field
		if r.draw(4) > 0 {
			to = r.target(gress)
		}
		e.To = append(e.To, to)
	}
	return e
}

// tables makes the tables of a gress, with entries.
func (r *random) tables(gress ir.Gress) {
	for range r.draw(3) {
		nothing := r.action(gress, 0)
		t := &ir.Table{Name: fmt.Sprintf("t%d", len(r.p.Tables)), Source: "chance", Size: 1 + r.draw(9),
			Actions: []*ir.Action{nothing, r.action(gress, r.draw(3))}, Default: ir.Call{Action: nothing}}
		for at := range 1 + r.draw(3) {
			key := ir.Key{Name: fmt.Sprintf("k%d", at), X: r.field(gress), Kind: ir.Match(r.draw(4))}
			if key.Kind == ir.Prefix && at > 0 && r.draw(8) < 7 || key.Kind == ir.Range &&
				key.X.Width() > ir.MaxRangeBits {
				key.Kind = ir.Exact
			}
			t.Keys = append(t.Keys, key)
		}
		r.p.Tables = append(r.p.Tables, t)
		r.pending[gress] = append(r.pending[gress], t)
		filled := ir.TableConfig{Table: t}
		for range r.draw(3) {
			filled.Entries = append(filled.Entries, r.entry(t))
		}
		r.cfg.Tables = append(r.cfg.Tables, filled)
	}
}

// entry makes an entry of a table.
func (r *random) entry(t *ir.Table) ir.Entry {
	a := t.Actions[r.draw(len(t.Actions))]
	e := ir.Entry{Call: ir.Call{Action: a}}
	for _, param := range a.Params {
		e.Data = append(e.Data, ir.Mask(min(param.Bits, 1+r.draw(128))))
	}
	for _, key := range t.Keys {
		width := key.X.Width()
		v := ir.KeyValue{Value: ir.Uint(uint64(r.draw(2)))}
		switch key.Kind {
		case ir.Ternary:
			v.Mask = ir.Mask(width)
		case ir.Prefix:
			v.Bits = width
		case ir.Range:
			v.Mask = ir.Mask(width)
		}
		e.Keys = append(e.Keys, v)
	}
	if t.Prioritised() {
		e.Priority = r.draw(5)
	}
	return e
}

// steps makes a sequence of a control.
func (r *random) steps(gress ir.Gress, depth int) []ir.Step {
	var steps []ir.Step
	for range 1 + r.draw(3) {
		switch kind := r.draw(3); {
		case kind == 0 && len(r.pending[gress]) > 0:
			t := r.pending[gress][0]
			r.pending[gress] = r.pending[gress][1:]
			apply := ir.Apply{Table: t}
			switch {
			case depth == 0:
			case r.draw(3) == 1:
				apply.Hit, apply.Miss = r.steps(gress, depth-1), r.steps(gress, 0)
			case r.draw(3) == 1:
				apply.After = []ir.Branch{{Action: t.Actions[1], Then: r.steps(gress, depth-1)}}
			}
			steps = append(steps, apply)
		case kind == 1 && depth > 0:
			steps = append(steps, ir.If{Condition: r.condition(gress, 2), Then: r.steps(gress, depth-1),
				Else: r.steps(gress, depth-1)})
		default:
			steps = append(steps, ir.Do{Action: r.action(gress, 0)})
		}
	}
	return steps
}

// parser makes a parser of ingress, a chain with a branch.
func (r *random) parser() {
	var next *ir.State
	for at, header := range r.p.Headers {
		s := &ir.State{
			Name: fmt.Sprintf("s%d", at), Extract: []*ir.Header{header}, Default: next,
			Refuse: r.draw(2) == 1,
		}
		if f := header.Fields[0]; r.draw(2) == 1 && f.Bits <= 32 {
			s.Select = f
			s.Cases = []ir.Case{{Value: ir.Uint(uint64(r.draw(2))), Mask: ir.Mask(f.Bits), Next: next}}
		}
		next = s
	}
	r.p.Parse[ir.Ingress] = next
	if r.draw(2) == 1 {
		r.p.Parse[ir.Egress] = next
	}
}
