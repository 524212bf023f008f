package check

import (
	"strings"
)

// hold notes what is wrong with the text of a program by itself.
func (p *program) hold(f *faults) {
	global := scope{p, map[string]string{}}
	declare := func(name, kind string, offset int64) {
		if global.kinds[name] != "" {
			f.add(p.file, offset, "", name, "is declared twice")
		}
		global.kinds[name] = kind
	}
	for _, s := range p.order {
		p.holdStructure(f, s)
	}
	for _, register := range p.registers {
		declare(register.name, whole(register.kind, register.types), register.offset)
		global.hold(f, register.name, register.arguments)
	}
	for _, b := range append(append([]*block{}, p.parsers...), p.controls...) {
		declare(b.name, "block", b.offset)
		p.holdBlock(f, b, global.inner(b.params...))
	}
	if strings.Join(p.instances, " ") != "pipe main" {
		f.add(p.file, 0, "", "", "must end with the instances pipe and main, not %v", p.instances)
	}
}

// holdStructure checks a header or a structure.
func (p *program) holdStructure(f *faults, s *structure) {
	sum, seen := 0, map[string]bool{}
	for _, one := range s.fields {
		if seen[one.name] {
			f.add(p.file, s.offset, s.name, one.name, "is declared twice")
		}
		seen[one.name] = true
		sum += bits(one.kind)
		if bits(one.kind) == 0 && p.structs[one.kind] == nil {
			f.add(p.file, s.offset, s.name, one.name, "type %s is not declared", one.kind)
		}
	}
	if s.header && (sum%8 != 0 || sum == 0) {
		f.add(p.file, s.offset, s.name, "", "a header of %d bits: must be whole octets", sum)
	}
}

// holdBlock checks a parser or a control: what it declares in order, each name before its use.
func (p *program) holdBlock(f *faults, b *block, s scope) {
	taken := map[string]bool{}
	declare := func(name, kind string, offset int64) {
		if taken[name] {
			f.add(p.file, offset, b.name, name, "is declared twice")
		}
		taken[name] = true
		s.kinds[name] = kind
	}
	for _, one := range b.params {
		taken[one.name] = true
		if intrinsic[one.kind] == nil && p.structs[one.kind] == nil && methods[one.kind] == nil {
			f.add(p.file, b.offset, b.name, one.name, "type %s is not declared", one.kind)
		}
	}
	for _, state := range b.states {
		declare(state.name, "state", state.offset)
	}
	for _, state := range b.states {
		s.hold(f, b.name+"."+state.name, state.body)
	}
	for _, one := range b.locals {
		inner := s.inner(one.params...)
		p.holdLocal(f, b, one, inner)
		declare(one.name, whole(one.kind, one.types), one.offset)
	}
	for _, a := range b.actions {
		declare(a.name, "action", a.offset)
		s.inner(append(a.params, variables(a.body)...)...).hold(f, b.name+"."+a.name, a.body)
	}
	for _, t := range b.tables {
		p.holdTable(f, b, t, s)
		declare(t.name, "table", t.offset)
	}
	s.hold(f, b.name, b.apply)
	p.holdApplied(f, b)
}

// holdLocal checks a declaration of a control.
func (p *program) holdLocal(f *faults, b *block, one *declaration, s scope) {
	s.hold(f, b.name+"."+one.name, one.arguments)
	if one.body == nil {
		return
	}
	s.inner(variables(one.body)...).hold(f, b.name+"."+one.name, one.body)
	count := 0
	for _, param := range one.params {
		if param.name != "value" {
			count++
		}
	}
	if len(one.types) != 2+max(count, 1) {
		f.add(p.file, one.offset, b.name+"."+one.name, "", "%d results, but its type names %d", count,
			len(one.types)-2)
	}
}

// variables returns the variables that a body declares: a type, a name, and a value or an end.
func variables(body []token) []typed {
	var made []typed
	for at := 0; at+1 < len(body); at++ {
		if start := at == 0 || body[at-1].text == ";" || body[at-1].text == "{" ||
			body[at-1].text == "}"; !start {
			continue
		}
		r := &reader{list: body, at: at}
		if kind, is := r.tryKind(); is && r.at < len(body) && body[r.at].kind == 'i' {
			made = append(made, typed{body[r.at].text, kind})
		}
	}
	return made
}

// tryKind reads a type if one stands there.
func (r *reader) tryKind() (kind string, is bool) {
	if r.list[r.at].text == "if" || r.list[r.at].text == "else" || r.list[r.at].text == "switch" {
		return "", false
	}
	broken := attempt(func() {
		name, arguments := r.kind()
		kind = whole(name, arguments)
	})
	return kind, broken == nil
}

// holdTable checks a table by itself.
func (p *program) holdTable(f *faults, b *block, t *p4Table, s scope) {
	where := b.name + "." + t.name
	for _, key := range t.keys {
		s.hold(f, where, key.expression)
		if key.name == "" {
			f.add(p.file, key.offset, where, "", "a key without @name")
		}
		if s.width(key.expression) == 0 {
			f.add(p.file, key.offset, where, key.name, "must be a field or a slice of one")
		}
	}
	for _, a := range t.actions {
		if s.kinds[a.text] != "action" {
			f.add(p.file, a.offset, where, a.text, "is no action that stands above")
		}
	}
	if len(t.fallback) == 0 {
		f.add(p.file, t.offset, where, "", "has no default action")
	} else if !contains(t.actions, t.fallback[0].text) {
		f.add(p.file, t.offset, where, t.fallback[0].text, "is the default and not among the actions")
	}
	if _, _, ok := t.size.literal(); !ok {
		f.add(p.file, t.offset, where, "", "has no size")
	}
}

func contains(list []token, text string) bool {
	for _, t := range list {
		if t.text == text {
			return true
		}
	}
	return false
}

// holdApplied checks that a control applies each of its tables, once.
func (p *program) holdApplied(f *faults, b *block) {
	for _, t := range b.tables {
		count := 0
		for at := range b.apply {
			if at+2 < len(b.apply) && b.apply[at].text == t.name && b.apply[at+1].text == "." &&
				b.apply[at+2].text == "apply" {
				count++
			}
		}
		if count != 1 {
			f.add(p.file, t.offset, b.name+"."+t.name, "", "is applied %d times: must be once", count)
		}
	}
}
