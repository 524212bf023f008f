package lang

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// token is a word, a number, a text in quotes or a sign. Its first octet says which.
type token struct {
	text string
	line int
}

func (t token) isWord() bool   { return word.MatchString(t.text) }
func (t token) isNumber() bool { return t.text != "" && t.text[0] >= '0' && t.text[0] <= '9' }

var word = regexp.MustCompile(`^[a-zA-Z_$]`)

// lexeme is blank space and comments, or the next token: a number with or without a width, a word,
// in which dots and $ may stand, a text, a sign.
var lexeme = regexp.MustCompile(`^(?:(\s+|//[^\n]*)|([0-9]+w[0-9]+|0x[0-9A-Fa-f]+|[0-9]+)|` +
	`((?:\$\([^)\n]*\)|[a-zA-Z_$])(?:\$\([^)\n]*\)|\w|\$|\.[a-zA-Z_$])*)|("[^"\n]*")|` +
	`(\|-\||\|\+\||->|\.\.|\+\+|\+=|-=|==|!=|<=|>=|<<|&&|\|\||[-+*&|^!<>=(){}\[\]:,;/]))`)

// lexed has the tokens of texts that were split, which are few: programs are made of the same.
var lexed sync.Map

// lex splits a text, line by line: the expression is slow on long texts.
func lex(text string) (tokens []token) {
	if known, is := lexed.Load(text); is {
		return known.([]token)
	}
	for at, line := range strings.Split(text, "\n") {
		for line != "" {
			m := lexeme.FindStringSubmatch(line)
			if m == nil {
				panic(fault{at + 1, fmt.Sprintf("%.10q begins nothing", line)})
			}
			if m[1] == "" {
				tokens = append(tokens, token{m[0], at + 1})
			}
			line = line[len(m[0]):]
		}
	}
	lexed.Store(text, tokens)
	return tokens
}

// fault is a mistake in a line.
type fault struct {
	line int
	rule string
}

// macro is tokens with parameters, to which "def" gives a name.
type macro struct {
	params  []string
	body    []token
	running bool
}

// expander replaces names of macros by their tokens, unrolls loops and drops what does not hold.
type expander struct {
	reader
	bound map[string][]token // parameters of macros and variables of loops
}

// expand returns the tokens that a parser reads.
func (s *Source) expand(in []token, bound map[string][]token) (out []token) {
	e := &expander{reader{Source: s, in: in}, bound}
	for e.at < len(e.in) {
		t := e.token()
		if strings.Contains(t.text, "$") && t.isWord() {
			t.text = e.interpolate(t)
		}
		m, isMacro := s.macros[t.text]
		switch value, isBound := bound[t.text]; {
		case isBound:
			out = append(out, value...)
		case t.text == "def":
			e.define()
		case t.text == "for":
			out = append(out, e.loop()...)
		case t.text == "when":
			out = append(out, e.choice()...)
		case isMacro && (len(m.params) == 0 || e.peek().text == "("):
			out = append(out, e.call(t, m)...)
		default:
			out = append(out, t)
		}
	}
	return out
}

func (e *expander) token() token {
	e.next()
	return e.in[e.at-1]
}

// until returns the tokens before a sign that is in no brackets, and passes over the sign.
func (e *expander) until(ends ...string) (tokens []token, end string) {
	for depth := 0; ; {
		t := e.token()
		for _, end := range ends {
			if depth == 0 && t.text == end {
				return tokens, end
			}
		}
		switch t.text {
		case "{", "(", "[":
			depth++
		case "}", ")", "]":
			depth--
		}
		tokens = append(tokens, t)
	}
}

// head returns the tokens before a brace, block the tokens in braces.
func (e *expander) head() (tokens []token) {
	for e.peek().text != "{" {
		tokens = append(tokens, e.token())
	}
	return tokens
}

func (e *expander) block() []token {
	e.want("{")
	body, _ := e.until("}")
	return body
}

// define reads "def name(a, b) { ... }".
func (e *expander) define() {
	name, m := e.word(), &macro{}
	if e.take("(") {
		list, _ := e.until(")")
		for _, t := range list {
			if t.text != "," {
				m.params = append(m.params, t.text)
			}
		}
	}
	m.body = e.block()
	e.macros[name] = m
}

// call returns what a macro stands for.
func (e *expander) call(name token, m *macro) []token {
	inner := maps.Clone(e.bound)
	if len(m.params) > 0 {
		e.next()
		for at, param := range m.params {
			argument, end := e.until(",", ")")
			if (end == ")") != (at == len(m.params)-1) {
				panic(fault{name.line, fmt.Sprintf("%s takes %d arguments", name.text, len(m.params))})
			}
			inner[param] = e.expand(argument, e.bound)
		}
	}
	if m.running {
		panic(fault{name.line, name.text + " stands for itself"})
	}
	m.running = true
	defer func() { m.running = false }()
	return e.expand(m.body, inner)
}

// loop reads "for name in first..last { ... }".
func (e *expander) loop() (out []token) {
	name := e.token()
	e.want("in")
	first, _ := e.until("..")
	last := e.head()
	body := e.block()
	for value := e.constant(first); value <= e.constant(last); value++ {
		inner := maps.Clone(e.bound)
		inner[name.text] = []token{{strconv.Itoa(value), name.line}}
		out = append(out, e.expand(body, inner)...)
	}
	return out
}

// choice reads "when condition { ... } else { ... }".
func (e *expander) choice() []token {
	condition := e.head()
	then, otherwise := e.block(), []token(nil)
	if e.take("else") {
		otherwise = e.block()
	}
	if !e.holds(condition) {
		then = otherwise
	}
	return e.expand(then, e.bound)
}

// constant returns the value of an expression of constants.
func (e *expander) constant(tokens []token) int {
	r := &reader{Source: e.Source, in: e.expand(tokens, e.bound)}
	return r.constant()
}

// holds returns whether a condition of constants holds: a number that is not 0, or is more than
// another, or the opposite.
func (e *expander) holds(tokens []token) bool {
	if len(tokens) > 0 && tokens[0].text == "!" {
		return !e.holds(tokens[1:])
	}
	r := &reader{Source: e.Source, in: e.expand(tokens, e.bound)}
	x := r.constant()
	if r.take(">") {
		return x > r.constant()
	}
	return x != 0
}

// inserted finds the parts of a word that stand for a name or the value of an expression.
var inserted = regexp.MustCompile(`\$\(([^)]*)\)|\$([a-zA-Z]+)`)

// interpolate puts values into a word.
func (e *expander) interpolate(t token) string {
	return inserted.ReplaceAllStringFunc(t.text, func(part string) string {
		name := strings.Trim(part, "$()")
		if value, is := e.bound[name]; is && len(value) == 1 {
			return value[0].text
		}
		return strconv.Itoa(e.constant(lex(name)))
	})
}
