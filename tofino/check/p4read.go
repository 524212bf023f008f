package check

import (
	"fmt"
	"strconv"
	"strings"
)

// program is what is read of the text of a program: its parsers, and its actions.
type program struct {
	file     string
	structs  map[string][]typed // fields of headers and structures
	parsers  []*block
	controls []*block
}

// typed is a name with its type: "bit<9>", "ethernet_h".
type typed struct{ name, kind string }

// block is a parser or a control.
type block struct {
	name    string
	offset  int64
	params  []typed
	locals  []*declaration // registers, hashes and so on, in order
	actions []*p4Part
	states  []*p4Part
}

// declaration is a constant or an instance of an extern: "Register<bit<32>,_>".
type declaration struct {
	typed
	arguments []token
}

// p4Part is an action or a state.
type p4Part struct {
	name   string
	params []typed
	body   []token
}

// reader takes tokens apart.
type reader struct {
	list []token
	at   int
	end  int64
}

// fail panics with the fault that readP4 returns.
func (r *reader) fail(rule string, values ...any) {
	offset := r.end
	if r.at < len(r.list) {
		offset = r.list[r.at].offset
	}
	panic(&Fault{Offset: offset, Rule: fmt.Sprintf(rule, values...)})
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

// takes goes behind the next token if it is a word.
func (r *reader) takes(word string) bool {
	if r.peek() != word {
		return false
	}
	r.at++
	return true
}

func (r *reader) expect(word string) {
	if !r.takes(word) {
		r.fail("%q where %q must stand", r.peek(), word)
	}
}

func (r *reader) identifier() string {
	if r.at >= len(r.list) || r.list[r.at].kind != 'i' {
		r.fail("%q where a name must stand", r.peek())
	}
	return r.next().text
}

// brackets returns the tokens in the brackets that the next token opens, and goes behind them.
func (r *reader) brackets() []token {
	closing := map[string]string{"(": ")", "{": "}", "[": "]"}
	if closing[r.peek()] == "" {
		r.fail("%q where a bracket must open", r.peek())
	}
	start := r.at + 1
	var open []string
	for {
		t := r.next()
		if t.kind != 's' {
			continue
		}
		switch t.text {
		case "(", "{", "[":
			open = append(open, closing[t.text])
		case ")", "}", "]":
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

// typed reads a name behind its type.
func (r *reader) typed() typed {
	kind := r.kind()
	return typed{r.identifier(), kind}
}

// kind returns a type as text, with its pointed brackets.
func (r *reader) kind() string {
	var text strings.Builder
	text.WriteString(r.identifier())
	if r.peek() != "<" {
		return text.String()
	}
	for open := 0; ; {
		t := r.next()
		text.WriteString(t.text)
		switch {
		case t.text == "<":
			open++
		case t.text == ">":
			open--
		case t.kind == 's' && t.text != ",":
			r.fail("a type where %q stands", t.text)
		}
		if open == 0 {
			return text.String()
		}
	}
}

// inner returns a reader of the tokens in brackets.
func (r *reader) inner() *reader { return &reader{list: r.brackets(), end: r.end} }

func (r *reader) params() (made []typed) {
	for in := r.inner(); in.at < len(in.list); {
		if direction := in.peek(); direction == "in" || direction == "out" || direction == "inout" {
			in.at++
		}
		made = append(made, in.typed())
		if in.at < len(in.list) {
			in.expect(",")
		}
	}
	return made
}

// readP4 takes the text of a program apart, or says where it cannot.
func readP4(file, text string) (p *program, fault *Fault) {
	p = &program{file: file, structs: map[string][]typed{}}
	words, err := tokens(text)
	if err != nil {
		return p, &Fault{File: file, Rule: err.Error()}
	}
	defer func() {
		switch found := recover().(type) {
		case nil:
		case *Fault:
			found.File, fault = file, found
		default: // a fault of this package
			panic(found)
		}
	}()
	for r := (&reader{list: words, end: int64(len(text))}); r.at < len(r.list); {
		r.top(p)
	}
	return p, nil
}

func (r *reader) top(p *program) {
	offset := r.list[r.at].offset
	switch {
	case r.takes("header") || r.takes("struct"):
		name := r.identifier()
		for in := r.inner(); in.at < len(in.list); in.expect(";") {
			p.structs[name] = append(p.structs[name], in.typed())
		}
	case r.peek() == "parser" || r.peek() == "control":
		blocks := &p.controls
		if r.next().text == "parser" {
			blocks = &p.parsers
		}
		b := &block{name: r.identifier(), offset: offset, params: r.params()}
		for in := r.inner(); in.at < len(in.list); {
			in.inside(b)
		}
		*blocks = append(*blocks, b)
	default:
		r.declaration()
	}
}

// inside reads one declaration of a parser or a control.
func (r *reader) inside(b *block) {
	switch {
	case r.takes("state"):
		b.states = append(b.states, &p4Part{name: r.identifier(), body: r.brackets()})
	case r.takes("action"):
		b.actions = append(b.actions,
			&p4Part{name: r.identifier(), params: r.params(), body: r.brackets()})
	case r.takes("table"):
		r.identifier()
		r.brackets() // the compiler reads it
	case r.takes("apply"):
		r.brackets()
	default:
		b.locals = append(b.locals, r.declaration())
	}
}

// declaration reads a variable, a constant or an instance, whose body the compiler checks.
func (r *reader) declaration() *declaration {
	r.takes("const")
	d := &declaration{typed: typed{kind: r.kind()}}
	if r.peek() == "(" {
		d.arguments = r.brackets()
	}
	if d.name = r.identifier(); r.takes("=") {
		if r.peek() == "{" {
			r.brackets()
		} else {
			r.next()
		}
	}
	r.expect(";")
	return d
}

// member returns the type of a member of the block's parameter hdr.
func (p *program) member(b *block, name string) string {
	for _, hdr := range b.params {
		for _, one := range p.structs[hdr.kind] {
			if hdr.name == "hdr" && one.name == name {
				return one.kind
			}
		}
	}
	return ""
}

// bits returns the width of a type, 0 if it is no type of bits, or has more bits than a compiler
// takes.
func bits(kind string) int {
	width, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(kind, "bit<"), ">"))
	if err != nil || width < 0 || width > mostBits {
		return 0
	}
	return width
}
