package cpp

import "strconv"

// value returns the value of a condition.
func (p *preprocessor) value(directive *Token, tokens []Token) int {
	e := &condition{p: p, at: directive, tokens: p.expand(p.answered(directive, tokens))}
	if len(e.tokens) == 0 {
		fail(directive, "#%s needs a condition", directive.Text)
	}
	x := e.binary(0)
	if len(e.tokens) > 0 {
		fail(directive, "%q does not belong to the condition", e.tokens[0].Text)
	}
	return x
}

// answered replaces "defined name" and "defined(name)".
func (p *preprocessor) answered(directive *Token, tokens []Token) (out []Token) {
	for at := 0; at < len(tokens); at++ {
		t := tokens[at]
		if t.Text == "defined" {
			width := 1
			if at+3 < len(tokens) && tokens[at+1].Text == "(" && tokens[at+3].Text == ")" {
				at, width = at+1, 2
			}
			if at+1 >= len(tokens) || tokens[at+1].Kind != Name {
				fail(directive, "defined needs a name")
			}
			_, is := p.macros[tokens[at+1].Text]
			t.Text, t.Kind = strconv.Itoa(bit(is)), Number
			at += width
		}
		out = append(out, t)
	}
	return out
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// condition is what is left of a condition.
type condition struct {
	p      *preprocessor
	at     *Token
	tokens []Token
}

// operators bind the closer the greater their rank.
var operators = map[string]struct {
	rank  int
	apply func(x, y int) int
}{
	"||": {1, func(x, y int) int { return bit(x != 0 || y != 0) }},
	"&&": {2, func(x, y int) int { return bit(x != 0 && y != 0) }},
	"|":  {3, func(x, y int) int { return x | y }},
	"^":  {4, func(x, y int) int { return x ^ y }},
	"&":  {5, func(x, y int) int { return x & y }},
	"==": {6, func(x, y int) int { return bit(x == y) }},
	"!=": {6, func(x, y int) int { return bit(x != y) }},
	"<":  {7, func(x, y int) int { return bit(x < y) }},
	"<=": {7, func(x, y int) int { return bit(x <= y) }},
	">":  {7, func(x, y int) int { return bit(x > y) }},
	">=": {7, func(x, y int) int { return bit(x >= y) }},
	"<<": {8, func(x, y int) int { return x << min(max(y, 0), 63) }},
	">>": {8, func(x, y int) int { return x >> min(max(y, 0), 63) }},
	"+":  {9, func(x, y int) int { return x + y }},
	"-":  {9, func(x, y int) int { return x - y }},
	"*":  {10, func(x, y int) int { return x * y }},
}

// sign returns the next operator and of how many tokens it is.
func (e *condition) sign() (sign string, count int) {
	switch {
	case len(e.tokens) == 0:
		return "", 0
	case len(e.tokens) > 1 && e.tokens[0].Text == ">" && e.tokens[1].Text == ">":
		return ">>", 2
	}
	return e.tokens[0].Text, 1
}

func (e *condition) binary(above int) int {
	x := e.unary()
	for {
		sign, count := e.sign()
		op, is := operators[sign]
		if !is || op.rank <= above {
			return x
		}
		e.tokens = e.tokens[count:]
		x = op.apply(x, e.binary(op.rank))
	}
}

func (e *condition) unary() int {
	if len(e.tokens) == 0 {
		fail(e.at, "the condition ends too early")
	}
	t := e.tokens[0]
	e.tokens = e.tokens[1:]
	switch t.Text {
	case "!":
		return bit(e.unary() == 0)
	case "-":
		return -e.unary()
	case "(":
		x := e.binary(0)
		if len(e.tokens) == 0 || e.tokens[0].Text != ")" {
			fail(e.at, `the condition lacks a ")"`)
		}
		e.tokens = e.tokens[1:]
		return x
	}
	if t.Kind == Name {
		fail(e.at, "%s is not defined", t.Text)
	}
	x, err := strconv.ParseInt(t.Text, 0, 64)
	if err != nil {
		fail(e.at, "%q is no number", t.Text)
	}
	return int(x)
}
