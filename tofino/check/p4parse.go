package check

import (
	"fmt"
	"strings"
)

// reader takes tokens apart.
type reader struct {
	list  []token
	at    int
	end   int64
	depth int // of pointed brackets
}

// syntax is what a reader panics with: attempt returns it.
type syntax struct {
	offset int64
	rule   string
}

// attempt reads, and returns where it cannot go on, nil if it can.
func attempt(read func()) (broken *syntax) {
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case syntax:
			broken = &fault
		default: // a fault of this package
			panic(fault)
		}
	}()
	read()
	return nil
}

func (r *reader) fail(rule string, values ...any) {
	panic(syntax{r.offset(), fmt.Sprintf(rule, values...)})
}

func (r *reader) offset() int64 {
	if r.at < len(r.list) {
		return r.list[r.at].offset
	}
	return r.end
}

func (r *reader) peek() string {
	if r.at < len(r.list) {
		return r.list[r.at].text
	}
	return ""
}

func (r *reader) next() token {
	if r.at >= len(r.list) {
		r.fail("the text ends too soon")
	}
	r.at++
	return r.list[r.at-1]
}

func (r *reader) expect(text string) {
	if r.peek() != text {
		r.fail("%q where %q must stand", r.peek(), text)
	}
	r.at++
}

func (r *reader) identifier() token {
	if r.at >= len(r.list) || r.list[r.at].kind != 'i' {
		r.fail("%q where a name must stand", r.peek())
	}
	return r.next()
}

// brackets returns what stands in brackets, which the next token opens, and goes behind them.
func (r *reader) brackets() []token {
	closing := map[string]string{"(": ")", "{": "}", "[": "]"}
	if closing[r.peek()] == "" {
		r.fail("%q where a bracket must open", r.peek())
	}
	start := r.at + 1
	var open []string
	for {
		t := r.next()
		if want := closing[t.text]; want != "" && t.kind == 's' {
			open = append(open, want)
			continue
		}
		switch t.text {
		case ")", "}", "]":
			if t.kind != 's' {
				continue
			}
			if open[len(open)-1] != t.text {
				r.at--
				r.fail("%q closes what %q must", t.text, open[len(open)-1])
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return r.list[start : r.at-1]
			}
		}
	}
}

// kind returns a type: a name and what stands in its pointed brackets.
func (r *reader) kind() (string, []string) {
	name := r.identifier().text
	if r.peek() != "<" {
		return name, nil
	}
	if r.depth++; r.depth > deepest {
		r.fail("types nested more than %d deep", deepest)
	}
	defer func() { r.depth-- }()
	r.at++
	var arguments []string
	for {
		if r.list[min(r.at, len(r.list)-1)].kind == 'n' {
			arguments = append(arguments, r.next().text)
		} else {
			inner, of := r.kind()
			arguments = append(arguments, whole(inner, of))
		}
		if r.peek() != "," {
			break
		}
		r.at++
	}
	r.expect(">")
	return name, arguments
}

// whole returns a type as text.
func whole(name string, arguments []string) string {
	if len(arguments) == 0 {
		return name
	}
	return name + "<" + strings.Join(arguments, ", ") + ">"
}

// params reads parameters out of the tokens in brackets.
func params(list []token, end int64) []typed {
	r := &reader{list: list, end: end}
	var made []typed
	for r.at < len(r.list) {
		switch r.peek() {
		case "in", "out", "inout":
			r.at++
		}
		name, arguments := r.kind()
		made = append(made, typed{r.identifier().text, whole(name, arguments)})
		if r.at < len(r.list) {
			r.expect(",")
		}
	}
	return made
}

// readP4 takes the text of a program apart, or says where it cannot.
func readP4(file, text string) (*program, []*Fault) {
	var f faults
	p := &program{file: file, structs: map[string]*structure{}}
	words, err := tokens(text)
	if err != nil {
		f.add(file, 0, "", "", "%v", err)
		return p, f.list
	}
	r := &reader{list: words, end: int64(len(text))}
	broken := attempt(func() {
		for r.at < len(r.list) {
			r.top(p)
		}
	})
	if broken != nil {
		f.add(file, broken.offset, "", "", "%s", broken.rule)
	}
	return p, f.list
}

// top reads one declaration.
func (r *reader) top(p *program) {
	offset := r.offset()
	switch r.peek() {
	case "header", "struct":
		s := &structure{header: r.next().text == "header", offset: offset}
		s.name = r.identifier().text
		body := &reader{list: r.brackets(), end: r.end}
		for body.at < len(body.list) {
			kind, arguments := body.kind()
			s.fields = append(s.fields, typed{body.identifier().text, whole(kind, arguments)})
			body.expect(";")
		}
		p.structs[s.name] = s
		p.order = append(p.order, s)
	case "parser", "control":
		parser := r.next().text == "parser"
		b := &block{name: r.identifier().text, offset: offset}
		b.params = params(r.brackets(), r.end)
		body := &reader{list: r.brackets(), end: r.end}
		for body.at < len(body.list) {
			body.inside(b)
		}
		if parser {
			p.parsers = append(p.parsers, b)
		} else {
			p.controls = append(p.controls, b)
		}
	case "Pipeline", "Switch":
		r.at++
		r.brackets()
		p.instances = append(p.instances, r.identifier().text)
		r.expect(";")
	default:
		p.registers = append(p.registers, r.declaration())
	}
}

// inside reads one declaration of a parser or a control.
func (r *reader) inside(b *block) {
	offset := r.offset()
	switch r.peek() {
	case "state":
		r.at++
		b.states = append(
			b.states, &p4State{name: r.identifier().text, offset: offset, body: r.brackets()},
		)
	case "action":
		r.at++
		a := &p4Action{name: r.identifier().text, offset: offset}
		a.params = params(r.brackets(), r.end)
		a.body = r.brackets()
		b.actions = append(b.actions, a)
	case "table":
		r.at++
		r.identifier()
		r.brackets() // the compiler reads it
	case "apply":
		r.at++
		b.apply = r.brackets()
	default:
		b.locals = append(b.locals, r.declaration())
	}
}

// declaration reads a variable or an instance.
func (r *reader) declaration() *declaration {
	d := &declaration{offset: r.offset()}
	if r.peek() == "const" {
		r.at++
	}
	d.kind, d.types = r.kind()
	if r.peek() == "(" {
		d.arguments = r.brackets()
	}
	d.name = r.identifier().text
	if r.peek() == "=" {
		r.at++
		if r.peek() == "{" {
			body := &reader{list: r.brackets(), end: r.end}
			body.expect("void")
			body.expect("apply")
			d.params = params(body.brackets(), r.end)
			d.body = body.brackets()
		} else {
			d.arguments = []token{r.next()}
		}
	}
	r.expect(";")
	return d
}
