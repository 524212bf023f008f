package lang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// reader parses expanded tokens.
type reader struct {
	*Source
	in     []token
	at     int
	gress  ir.Gress    // whose metadata is meant
	params []*ir.Param // of the action at hand
}

// fail refuses the token that was read last.
func (r *reader) fail(rule string, values ...any) {
	line := 0
	if len(r.in) > 0 {
		line = r.in[max(min(r.at, len(r.in))-1, 0)].line
	}
	panic(fault{line, fmt.Sprintf(rule, values...)})
}

func (r *reader) next() string {
	if r.at == len(r.in) {
		r.fail("the text ends too early")
	}
	r.at++
	return r.in[r.at-1].text
}

func (r *reader) peek() token {
	if r.at == len(r.in) {
		return token{}
	}
	return r.in[r.at]
}

// take passes over a token if it is the next.
func (r *reader) take(text string) bool {
	if r.peek().text != text {
		return false
	}
	r.at++
	return true
}

func (r *reader) want(text string) {
	if got := r.next(); got != text {
		r.fail("%q must be %q", got, text)
	}
}

// word returns the next token, which is a word.
func (r *reader) word() string {
	if !r.peek().isWord() {
		r.next()
		r.fail("must be a name")
	}
	return r.next()
}

// text returns the next texts in quotes, joined, or nothing.
func (r *reader) text() (text string) {
	for strings.HasPrefix(r.peek().text, `"`) {
		text += strings.Trim(r.next(), `"`)
	}
	return text
}

// list reads the elements between two signs.
func (r *reader) list(open, end string, one func()) {
	r.want(open)
	for !r.take(end) {
		if !r.take(",") && !r.take(";") {
			one()
		}
	}
}

func (r *reader) declaration() {
	p := r.Program
	switch kind := r.word(); kind {
	case "header":
		h := &ir.Header{Name: r.word()}
		h.Fields, r.headers[h.Name] = r.fields(), h
	case "order":
		for r.headers[r.peek().text] != nil {
			p.Headers = append(p.Headers, r.headers[r.next()])
		}
	case "metadata":
		gress := r.gressOf(r.word())
		p.Metadata[gress] = append(p.Metadata[gress], r.fields()...)
	case "enum":
		r.enum()
	case "const":
		name := r.word()
		r.want("=")
		r.Numbers[name] = r.constant()
	case "function":
		r.function()
	case "mirror":
		m := ir.MirrorKind{Type: uint64(r.constant()), Gress: r.gressOf(r.word())}
		m.Session = r.fieldOf(m.Gress)
		r.want("before")
		m.Before = r.header()
		m.Original = r.take("original")
		p.Mirrors = append(p.Mirrors, m)
	case "register":
		r.register()
	case "action":
		if r.take("egress") {
			r.gress = ir.Egress
		}
		r.action(r.word())
		r.gress = ir.Ingress
	case "table":
		r.table()
	case "steps":
		name := r.word()
		r.Steps[name] = r.steps()
	case "state":
		r.state()
	case "parser":
		gress := r.gressOf(r.word())
		p.Parse[gress] = r.target()
	default:
		r.gress = r.gressOf(kind)
		if text := r.text(); text != "" {
			p.Parts[r.gress] = append(p.Parts[r.gress], ir.Part{From: len(p.Control[r.gress]), Text: text})
		}
		p.Control[r.gress] = append(p.Control[r.gress], r.steps()...)
		r.gress = ir.Ingress
	}
}

func (r *reader) gressOf(name string) ir.Gress {
	for _, gress := range []ir.Gress{ir.Ingress, ir.Egress, ir.Ghost} {
		if name == gress.String() {
			return gress
		}
	}
	r.fail("%q begins no declaration", name)
	return 0
}

// fields reads names and widths, and names of values.
func (r *reader) fields() (fields []*ir.Field) {
	r.list("{", "}", func() {
		f := &ir.Field{Name: r.word(), Bits: r.constant()}
		if values := r.enums[r.peek().text]; values != nil {
			f.Values = values
			r.next()
		}
		fields = append(fields, f)
	})
	return fields
}

func (r *reader) enum() {
	values, next := map[uint64]string{}, 0
	r.enums[r.word()] = values
	r.list("{", "}", func() {
		name := r.word()
		if r.take("=") {
			next = r.constant()
		}
		r.Numbers[name], values[uint64(next)] = next, name
		next++
	})
}

// functions are the hash functions by name; folds and identities get their width from the text.
var functions = map[string]ir.HashFunction{
	"crc32": {Kind: ir.CRC, Bits: 32, Polynomial: 0x04C11DB7, Init: 1<<32 - 1, Reflected: true,
		XorOut: 1<<32 - 1},
	"crc32c": {Kind: ir.CRC, Bits: 32, Polynomial: 0x1EDC6F41, Init: 1<<32 - 1, Reflected: true,
		XorOut: 1<<32 - 1},
	"crc16":    {Kind: ir.CRC, Bits: 16, Polynomial: 0x8005, Reflected: true},
	"fold":     {Kind: ir.Fold},
	"identity": {Kind: ir.Identity},
}

func (r *reader) function() {
	name := r.word()
	f, known := functions[r.word()]
	if !known {
		r.fail("must be crc32, crc32c, crc16, fold or identity")
	}
	if f.Name = name; f.Bits == 0 {
		f.Bits = r.constant()
	}
	r.Program.Functions = append(r.Program.Functions, &f)
}

// action declares an action; parameters and statements may be missing.
func (r *reader) action(name string) *ir.Action {
	a := &ir.Action{Name: name}
	if r.peek().text == "(" {
		r.list("(", ")", func() {
			param := &ir.Param{Name: r.word()}
			if a.Params = append(a.Params, param); r.take("->") {
				to := r.fieldOf(r.gress)
				param.Bits = to.Bits
				a.Body = append(a.Body, ir.Assign{To: to, Value: param})
			} else {
				param.Bits = r.constant()
			}
		})
	}
	r.params = a.Params
	if r.peek().text == "{" {
		r.list("{", "}", func() { a.Body = append(a.Body, r.statements()...) })
	}
	r.params = nil
	r.Program.Actions, r.actions[name] = append(r.Program.Actions, a), a
	return a
}

func (r *reader) table() {
	t := &ir.Table{Name: r.word()}
	if r.take("[") {
		t.Size = r.constant()
		r.want("]")
	}
	t.Source = r.text()
	r.list("{", "}", func() {
		name := r.word()
		switch {
		case r.take(":"):
			key := ir.Key{Name: name, X: r.typed(r.number())}
			for _, kind := range []ir.Match{ir.Ternary, ir.Prefix, ir.Range} {
				if r.take(kind.String()) {
					key.Kind = kind
				}
			}
			t.Keys = append(t.Keys, key)
		case name == "default":
			t.Default.Action = r.declared()
			if !slices.Contains(t.Actions, t.Default.Action) {
				t.Actions = append(t.Actions, t.Default.Action)
			}
		case r.peek().text == "(" || r.peek().text == "{":
			t.Actions = append(t.Actions, r.action(name))
		default:
			r.at--
			t.Actions = append(t.Actions, r.declared())
		}
	})
	if t.Default.Action == nil && r.actions["nothing"] != nil {
		t.Default.Action = r.actions["nothing"]
		t.Actions = append(t.Actions, t.Default.Action)
	}
	r.Program.Tables = append(r.Program.Tables, t)
}

// among returns the thing of a kind that the next word names.
func among[T any](r *reader, things map[string]*T, kind string) *T {
	name := r.word()
	if things[name] == nil {
		r.fail("%s is no %s", name, kind)
	}
	return things[name]
}

func (r *reader) declared() *ir.Action { return among(r, r.actions, "action") }

// constant reads an expression of constants.
func (r *reader) constant() int {
	o := r.number()
	if o.x != nil {
		r.fail("must be a constant")
	}
	return int(o.n)
}

// parsed returns the value of a number's token.
func (r *reader) parsed(text string) int64 {
	n, err := strconv.ParseUint(text, 0, 63)
	if err != nil {
		r.fail("%s: %v", text, err)
	}
	return int64(n)
}
