package p4

import (
	"fmt"

	"github.com/sluicefc/sluice/tofino/internal/cpp"
	"github.com/sluicefc/sluice/tofino/ir"
)

// reader reads the tokens of a program.
type reader struct {
	in   []cpp.Token
	at   int
	file string // where errors are that no token has
	made *Program

	types     map[string]kind
	constants map[string]ir.Const
	untyped   map[string]int64 // constants of type int
	headers   map[string]*ir.Header
	zeroed    map[string]bool // structures whose fields begin as zeros
	hdrKind   string          // the structure of headers
	parts     map[string]bool // parsers and controls that were read
	piped     bool
	deep      int // levels of expressions and blocks that are being read

	scope
	registers   map[string]*register
	instances   map[string]*instance
	functions   map[string]*ir.HashFunction
	polynomials map[string]ir.HashFunction
	actions     map[string]*ir.Action
	tables      map[string]*ir.Table
	mirrored    []mirrored
}

// scope is what names mean in the parser or control at hand.
type scope struct {
	part    string
	gress   ir.Gress
	kind    string               // the structure of metadata
	fields  map[string]*ir.Field // "hdr.ipv4.dst", "md.kind", "ig_intr_md.ingress_port"
	valid   map[string]*ir.Header
	params  map[string]*ir.Param // of the action at hand
	results map[string]*result   // variables of the action at hand
	pkt     string
}

// Fault is a mistake in a line of a file. The line is 0 where none is known.
type Fault struct {
	File string
	Line int
	Rule string
}

// Error formats as FILE:LINE: RULE.
func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Rule) }

// fail refuses the token that was read last.
func (r *reader) fail(rule string, values ...any) {
	f := &Fault{File: r.file, Rule: fmt.Sprintf(rule, values...)}
	if len(r.in) > 0 {
		last := r.in[max(min(r.at, len(r.in))-1, 0)]
		f.File, f.Line = last.File, last.Line
	}
	panic(f)
}

// failIf refuses the token that was read last if a rule is broken.
func (r *reader) failIf(broken bool, rule string, values ...any) {
	if broken {
		r.fail(rule, values...)
	}
}

// peek returns the text of the next token or of a later one, "" behind the end.
func (r *reader) peek(ahead ...int) string {
	at := r.at
	for _, more := range ahead {
		at += more
	}
	if at >= len(r.in) {
		return ""
	}
	return r.in[at].Text
}

func (r *reader) next() cpp.Token {
	r.failIf(r.at >= len(r.in), "the text ends too early")
	r.at++
	return r.in[r.at-1]
}

// take passes over a token if it is the next.
func (r *reader) take(text string) bool {
	if r.at >= len(r.in) || r.in[r.at].Kind == cpp.String || r.in[r.at].Text != text {
		return false
	}
	r.at++
	return true
}

func (r *reader) want(texts ...string) {
	for _, text := range texts {
		if !r.take(text) {
			got := r.peek()
			r.at = min(r.at+1, len(r.in))
			r.fail("%q stands where %q must", got, text)
		}
	}
}

func (r *reader) name() string {
	t := r.next()
	r.failIf(t.Kind != cpp.Name, "%q stands where a name must", t.Text)
	return t.Text
}

// path reads names with points between them.
func (r *reader) path() string {
	path := r.name()
	for r.take(".") {
		path += "." + r.name()
	}
	return path
}

// list reads what stands between signs, with commas between.
func (r *reader) list(open, end string, one func()) {
	r.want(open)
	for first := true; !r.take(end); first = false {
		if !first {
			if r.want(","); r.take(end) {
				return
			}
		}
		one()
	}
}

// block reads what stands in braces.
func (r *reader) block(one func()) {
	r.want("{")
	for !r.take("}") {
		one()
	}
}

// annotations passes over annotations, and returns their names.
func (r *reader) annotations() (names map[string]bool) {
	for r.take("@") {
		if names == nil {
			names = map[string]bool{}
		}
		name := r.name()
		if name == "pragma" {
			name = r.name()
		}
		names[name] = true
		if r.peek() == "(" {
			r.brackets()
		}
	}
	return names
}

// brackets passes over round brackets and what is in them.
func (r *reader) brackets() {
	r.want("(")
	for open := 1; open > 0; {
		switch r.next().Text {
		case "(":
			open++
		case ")":
			open--
		}
	}
}
