package cpp

import (
	"slices"
	"strings"
)

// macro is tokens that stand for a name, with parameters or, if that is nil, without.
type macro struct {
	params []string
	body   []Token
}

func (m *macro) equal(other *macro) bool {
	return slices.Equal(m.params, other.params) && (m.params == nil) == (other.params == nil) &&
		slices.EqualFunc(m.body, other.body, func(a, b Token) bool { return a.Text == b.Text })
}

// names is a list of names.
type names struct {
	name string
	more *names
}

func (n *names) has(name string) bool {
	for ; n != nil; n = n.more {
		if n.name == name {
			return true
		}
	}
	return false
}

// expand replaces macros by what they stand for, again and again: a macro expands no more in what
// it stands for itself.
func (p *preprocessor) expand(in []Token) (out []Token) {
	if p.calls++; p.calls > MaxNesting && len(in) > 0 {
		fail(&in[0], "calls in the arguments of calls, more than %d deep", MaxNesting)
	}
	defer func() { p.calls-- }()
	in = slices.Clone(in)
	slices.Reverse(in) // what is next is at the end
	for len(in) > 0 {
		t := in[len(in)-1]
		in = in[:len(in)-1]
		m, is := p.macros[t.Text]
		if !is || t.hidden.has(t.Text) {
			out = append(out, t)
			continue
		}
		var arguments [][]Token
		if m.params != nil {
			if len(in) == 0 || in[len(in)-1].Text != "(" {
				out = append(out, t)
				continue
			}
			arguments, in = p.arguments(&t, m, in)
		}
		body := p.substitute(&t, m, arguments)
		p.count(&t, body)
		slices.Reverse(body)
		in = append(in, body...)
	}
	return out
}

// arguments takes the arguments of a call from tokens, the next of which is last.
func (p *preprocessor) arguments(call *Token, m *macro, in []Token) ([][]Token, []Token) {
	list, depth := [][]Token{nil}, 0
	for {
		if len(in) == 0 {
			fail(call, "the arguments of %s do not end", call.Text)
		}
		t := in[len(in)-1]
		in = in[:len(in)-1]
		switch t.Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		last := len(list) - 1
		switch {
		case depth == 0:
			if len(m.params) != len(list) && (len(m.params) > 0 || len(list[0]) > 0) {
				fail(call, "%s takes %d arguments and has %d", call.Text, len(m.params), len(list))
			}
			return list, in
		case depth == 1 && t.Text == ",":
			list = append(list, nil)
		case depth > 1 || t.Text != "(" || len(list[last]) > 0:
			list[last] = append(list[last], t)
		}
	}
}

// substitute returns the body of a macro with its arguments, at the place of the call.
func (p *preprocessor) substitute(call *Token, m *macro, arguments [][]Token) (out []Token) {
	is := func(at int, sign string) bool {
		return at >= 0 && at < len(m.body) && m.body[at].Text == sign
	}
	for at, t := range m.body {
		part, number := []Token{t}, slices.Index(m.params, t.Text)
		switch {
		case number >= 0 && m.params != nil && is(at-1, "#"):
			part = []Token{{Text: `"` + spelled(arguments[number]) + `"`, Kind: String}}
		case number >= 0 && (is(at-1, "##") || is(at+1, "##")):
			part = slices.Clone(arguments[number])
		case number >= 0:
			part = p.expand(arguments[number])
		case t.Text == "##" || m.params != nil && t.Text == "#":
			continue
		}
		if is(at-1, "##") && len(out) > 0 && len(part) > 0 {
			part[0] = paste(call, out[len(out)-1], part[0])
			out = out[:len(out)-1]
		}
		out = append(out, part...)
	}
	hidden := &names{call.Text, call.hidden}
	for at := range out {
		out[at].File, out[at].Line = call.File, call.Line
		out[at].hidden = both(hidden, out[at].hidden)
		if at == 0 {
			out[at].spaced = call.spaced
		}
	}
	return out
}

// paste makes one token of two.
func paste(call *Token, first, second Token) Token {
	text := first.Text + second.Text
	made := tokens(text)
	if len(made) != 1 {
		fail(call, "%s pastes %s, which is no token", call.Text, text)
	}
	made[0].spaced = first.spaced
	return made[0]
}

// both returns the names of two lists.
func both(a, b *names) *names {
	for ; b != nil; b = b.more {
		if !a.has(b.name) {
			a = &names{b.name, a}
		}
	}
	return a
}

// spelled returns the text of tokens.
func spelled(tokens []Token) string {
	var b strings.Builder
	for at, t := range tokens {
		if at > 0 && t.spaced {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}
