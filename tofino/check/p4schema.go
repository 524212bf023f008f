package check

import "fmt"

// matchNames are the kinds of match of the schema as the text has them.
var matchNames = map[string]string{
	"Exact": "exact", "Ternary": "ternary", "LPM": "lpm", "Range": "range",
}

// agree notes where the text of a program and its schema differ.
func (p *program) agree(f *faults, s *schema) {
	seen := map[string]bool{}
	for _, b := range p.controls {
		inner := scope{p, map[string]string{}}.inner(b.params...)
		for _, one := range b.locals {
			inner.kinds[one.name] = whole(one.kind, one.types)
			if one.kind == "Register" {
				name := "pipe." + b.name + "." + one.name
				seen[name] = true
				p.agreeRegister(f, s, one, name)
			}
		}
		for _, t := range b.tables {
			name := "pipe." + b.name + "." + t.name
			seen[name] = true
			if s.byName[name] == nil {
				f.add(p.file, t.offset, name, "", "is not in the schema")
				continue
			}
			p.agreeTable(f, b, t, s.byName[name], inner)
		}
	}
	for _, one := range p.registers {
		seen["pipe."+one.name] = true
		p.agreeRegister(f, s, one, "pipe."+one.name)
	}
	for _, t := range s.tables {
		if !seen[t.name] {
			f.add("bf-rt.json", t.offset, t.name, "", "is not in the text of the program")
		}
	}
}

// agreeTable compares a table.
func (p *program) agreeTable(f *faults, b *block, t *p4Table, in *table, s scope) {
	fault := func(key, rule string, values ...any) {
		f.add(p.file, t.offset, in.name, key, rule, values...)
	}
	var keys []*field
	for _, key := range in.keys {
		if key.name != priorityKey {
			keys = append(keys, key)
		}
	}
	if len(keys) != len(t.keys) {
		fault("", "has %d keys, the schema has %d", len(t.keys), len(keys))
		return
	}
	for at, key := range t.keys {
		is := fmt.Sprintf("%s %s %d", key.name, key.match, s.width(key.expression))
		want := fmt.Sprintf("%s %s %d", keys[at].name, matchNames[keys[at].match], keys[at].width)
		if is != want {
			fault(key.name, "key %d is %q, in the schema %q", at+1, is, want)
		}
	}
	if !t.size.says(in.size) {
		fault("", "has room for %s entries, in the schema for %d", t.size.text, in.size)
	}
	if len(t.actions) != len(in.actions) {
		fault("", "has %d actions, the schema has %d", len(t.actions), len(in.actions))
	}
	for _, name := range t.actions {
		a := in.action(b.name + "." + name.text)
		if a == nil {
			fault(name.text, "is no action of the schema")
			continue
		}
		for _, own := range b.actions {
			if own.name == name.text && !sameParams(own.params, a.data) {
				fault(name.text, "has the data %v, in the schema others", own.params)
			}
		}
	}
}

// sameParams reports whether an action has the data that the schema gives it.
func sameParams(params []typed, data []*field) bool {
	if len(params) != len(data) {
		return false
	}
	for at, one := range params {
		if one.name != data[at].name || bits(one.kind) != data[at].width {
			return false
		}
	}
	return true
}

// agreeRegister compares a register.
func (p *program) agreeRegister(f *faults, s *schema, one *declaration, name string) {
	in := s.byName[name]
	if in == nil || !in.register() {
		f.add(p.file, one.offset, name, "", "is no register of the schema")
		return
	}
	if len(one.types) != 2 || len(one.arguments) == 0 {
		f.add(p.file, one.offset, name, "", "must have a type of elements and one of indexes")
		return
	}
	if !one.arguments[0].says(in.size) {
		f.add(
			p.file, one.offset, name, "", "has %s elements, in the schema %d", one.arguments[0].text,
			in.size,
		)
	}
	widths := []int{bits(one.types[0])}
	if pair := p.structs[one.types[0]]; pair != nil {
		widths = nil
		for _, half := range pair.fields {
			widths = append(widths, bits(half.kind))
		}
	}
	same := len(widths) == len(in.data)
	for at := range in.data {
		same = same && in.data[at].width == widths[at]
	}
	if !same {
		f.add(p.file, one.offset, name, "", "has elements of %v bits, in the schema others", widths)
	}
}
