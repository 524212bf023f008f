package p4

import "github.com/sluicefc/sluice/tofino/ir"

// mirrored is what an action says of mirrors.
type mirrored struct {
	gress    ir.Gress
	sets     bool     // a mirror type
	number   ir.Value // the type
	computed bool     // the type is no constant
	outgoing bool     // the copy is of what leaves, not of what came
}

// deparser reads a deparser: its mirrors, and that it sends the headers in their order.
func (r *reader) deparser() {
	instances := map[string]ir.Value{}
	emits := false
	r.want("{")
	for r.take("Mirror") {
		r.want("(")
		number := r.fixed(4)
		r.want(")")
		instances[r.name()] = number
		r.want(";")
	}
	r.want("apply")
	r.block(func() {
		r.failIf(emits, "stands behind the headers")
		if r.take("if") {
			r.mirror(instances)
			return
		}
		r.want(r.pkt, ".", "emit", "(")
		r.name()
		r.want(")", ";")
		emits = true
	})
	r.want("}")
	r.failIf(!emits, "%s sends no headers", r.part)
}

// mirror reads a comparison of mirror_type, and the call of a Mirror's emit that it decides about.
func (r *reader) mirror(instances map[string]ir.Value) {
	r.want("(")
	chosen := map[ir.Gress]*ir.Field{ir.Ingress: ir.IngressMirror, ir.Egress: ir.EgressMirror}[r.gress]
	compare, is := r.condition(r.expression()).(ir.Compare)
	number, constant := compare.Y.(ir.Const)
	r.failIf(!is || compare.Op != ir.Equal || compare.X != ir.Expr(chosen) || !constant,
		"must compare mirror_type with a number")
	r.want(")", "{")
	name := r.name()
	own, known := instances[name]
	r.failIf(!known || own != number.Value, "%s is no Mirror of type %v", name, number.Value)
	m := ir.MirrorKind{Type: number.Value.Lo, Gress: r.gress, Original: true}
	r.want(".", "emit")
	kind := ""
	if r.take("<") {
		kind = r.name()
		r.want(">")
	}
	r.want("(")
	session := r.path()
	m.Session = r.fields[session]
	r.failIf(m.Session == nil, "%s is no field", session)
	if r.take(",") {
		m.Before = r.before(kind)
	}
	r.want(")", ";", "}")
	r.made.Mirrors = append(r.made.Mirrors, m)
}

// before reads the fields that a mirror puts in front of a copy: all fields of one header.
func (r *reader) before(kind string) (header *ir.Header) {
	at := 0
	r.list("{", "}", func() {
		path := r.path()
		if at == 0 {
			for name, one := range r.valid {
				if len(one.Fields) > 0 && path == name+"."+one.Fields[0].Name {
					header = one
				}
			}
		}
		r.failIf(header == nil || at >= len(header.Fields) || r.fields[path] != header.Fields[at],
			"%s is not the next field of a header: a mirror has all fields of one, in order", path)
		at++
	})
	r.failIf(header == nil || at != len(header.Fields), "has not all fields of a header")
	members := r.types[kind].members
	same := len(members) == len(header.Fields)
	for i := range min(len(members), len(header.Fields)) {
		same = same && members[i].name == header.Fields[i].Name &&
			members[i].bits == header.Fields[i].Bits
	}
	r.failIf(!same, "%s is not the type of %s", kind, header.Name)
	return header
}

// mirrors finds out what each mirror copies: what came, unless the actions that choose it say
// otherwise.
func (r *reader) mirrors() {
	for at := range r.made.Mirrors {
		kind := &r.made.Mirrors[at]
		known := false
		for _, one := range r.mirrored {
			if one.gress != kind.Gress || !one.computed && one.number != ir.Uint(kind.Type) {
				continue
			}
			r.failIf(known && kind.Original == one.outgoing,
				"mirror %d of %v copies what came in one action, what leaves in another", kind.Type, kind.Gress)
			known, kind.Original = true, !one.outgoing
		}
	}
}

// used refuses a program with things that nothing names.
func (r *reader) used() {
	applied, run := map[*ir.Table]bool{}, map[*ir.Action]bool{}
	for _, steps := range r.made.Control {
		ir.Each(steps, func(step ir.Step) {
			switch step := step.(type) {
			case ir.Apply:
				applied[step.Table] = true
			case ir.Do:
				run[step.Action] = true
			}
		})
	}
	for _, t := range r.made.Tables {
		r.failIf(!applied[t], "table %s: no control applies it", t.Name)
		for _, a := range t.Actions {
			run[a] = true
		}
	}
	executed := map[*ir.RegisterAction]bool{}
	for _, a := range r.made.Actions {
		r.failIf(!run[a], "action %s: no control runs it", a.Name)
	}
	for _, e := range ir.Executes(r.made.Actions) {
		executed[e.Action] = true
	}
	for _, register := range r.made.Registers {
		for _, a := range register.Actions {
			r.failIf(!executed[a], "register action %s of %s: no action executes it", a.Name, register.Name)
		}
	}
}
