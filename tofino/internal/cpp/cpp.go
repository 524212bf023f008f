// Package cpp is the part of the C preprocessor that programs in P4 use: includes, macros with and
// without parameters, pasting, and conditions. It returns tokens of P4 with the places that they
// come from.
//
// It refuses what C lets pass and what is a mistake in these programs: a condition that names
// something undefined, a name defined anew with other tokens.
package cpp

import (
	"fmt"
	"io/fs"
	"slices"
)

// Kind says what a token is.
type Kind uint8

// Kinds of token. A number may have a width, as in 8w0x1F; a string has its quotes; a sign has one
// letter or several, but ">>" is two signs, because it ends two lists of type arguments.
const (
	Name Kind = iota
	Number
	String
	Sign
)

// Token is a word, a number, a text in quotes or a sign. A token of a macro is at the place where
// the macro is used.
type Token struct {
	Text string
	Kind Kind
	File string
	Line int

	spaced bool   // blank space is in front
	hidden *names // macros that made the token, which expand no more in it
}

// Bounds, beyond which a text is refused.
const (
	MaxIncludes = 16      // files that include each other
	MaxTokens   = 1 << 20 // of all files, and of all that macros stand for
	MaxNesting  = 256     // calls of macros in the arguments of calls
)

// Fault is a mistake in a line.
type Fault struct {
	File string
	Line int
	Rule string
}

// Error returns file, line and rule.
func (f *Fault) Error() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Rule) }

// Expand returns the tokens of a file after all directives and macros. Files included in quotes are
// of the same file system; files included in angle brackets are the compiler's own, and left out.
// An error is a [*Fault].
func Expand(files fs.FS, name string) (out []Token, err error) {
	p := &preprocessor{
		files: files, macros: map[string]*macro{}, lexed: map[string][][]Token{},
		out: make([]Token, 0, 1<<14), // a program's, mostly
	}
	defer func() {
		if problem := recover(); problem != nil {
			fault, is := problem.(*Fault)
			if !is {
				panic(problem)
			}
			out, err = nil, fault
		}
	}()
	p.include(name, &Token{File: name})
	return p.out, nil
}

// preprocessor is a run over the files of a program.
type preprocessor struct {
	files   fs.FS
	macros  map[string]*macro
	lexed   map[string][][]Token // of files that were read: some are included again and again
	out     []Token
	pending []Token  // text since the last directive: a call of a macro may have several lines
	open    []branch // conditions around the present line, innermost last

	depth, calls int // files, and calls of macros, that are open
	made         int // tokens
}

// branch is an #if whose #endif has not come.
type branch struct {
	at        Token
	taken     bool // this part, or one before it
	skipped   bool // this part
	otherwise bool // #else has come
}

func fail(at *Token, rule string, values ...any) {
	panic(&Fault{at.File, at.Line, fmt.Sprintf(rule, values...)})
}

// include reads a file.
func (p *preprocessor) include(name string, at *Token) {
	text, err := fs.ReadFile(p.files, name)
	if err != nil {
		fail(at, "%v", err)
	}
	if p.depth++; p.depth > MaxIncludes {
		fail(at, "%s: files include each other more than %d deep", name, MaxIncludes)
	}
	open := len(p.open)
	if _, known := p.lexed[name]; !known {
		p.lexed[name] = lexed(name, string(text))
	}
	for _, line := range p.lexed[name] {
		if last := &line[len(line)-1]; last.Text == endless {
			fail(last, "a comment is not terminated")
		}
		p.count(at, line)
		switch {
		case line[0].Text == "#":
			p.flush()
			p.directive(line)
		case !p.skipping():
			p.pending = append(p.pending, line...)
		}
	}
	p.flush()
	if len(p.open) > open {
		fail(&p.open[len(p.open)-1].at, "no #endif ends this condition")
	}
	p.depth--
}

// count refuses a text that is too long.
func (p *preprocessor) count(at *Token, tokens []Token) {
	if p.made += len(tokens); p.made > MaxTokens {
		fail(at, "more than %d tokens", MaxTokens)
	}
}

// flush expands the text since the last directive.
func (p *preprocessor) flush() {
	p.out = append(p.out, p.expand(p.pending)...)
	p.pending = p.pending[:0]
}

// skipping reports whether a condition leaves the present line out.
func (p *preprocessor) skipping() bool {
	return len(p.open) > 0 && p.open[len(p.open)-1].skipped
}

// directive does what a line says that begins with "#". The first token is that sign.
func (p *preprocessor) directive(line []Token) {
	if len(line) == 1 {
		return
	}
	name, rest := &line[1], line[2:]
	if p.condition(name, rest) || p.skipping() {
		return
	}
	switch name.Text {
	case "include":
		if len(rest) == 1 && rest[0].Kind == String {
			p.include(rest[0].Text[1:len(rest[0].Text)-1], name)
		} else if len(rest) == 0 || rest[0].Text != "<" {
			fail(name, "#include needs a file in quotes or angle brackets")
		}
	case "define":
		p.define(name, rest)
	case "undef":
		delete(p.macros, p.word(name, rest))
	case "error":
		fail(name, "%s", spelled(rest))
	default:
		fail(name, "#%s is no directive", name.Text)
	}
}

// condition does what a directive about conditions says; false if it is none.
func (p *preprocessor) condition(name *Token, rest []Token) bool {
	last := len(p.open) - 1
	if last < 0 && slices.Contains([]string{"elif", "else", "endif"}, name.Text) {
		fail(name, "#%s without #if", name.Text)
	}
	holds := func() bool {
		switch name.Text {
		case "ifdef", "ifndef":
			_, defined := p.macros[p.word(name, rest)]
			return defined == (name.Text == "ifdef")
		}
		return p.value(name, rest) != 0
	}
	switch name.Text {
	case "if", "ifdef", "ifndef":
		b := branch{at: *name, taken: true, skipped: true} // inside what is left out: nothing of it
		if !p.skipping() {
			b.taken = holds()
			b.skipped = !b.taken
		}
		p.open = append(p.open, b)
	case "elif", "else":
		b := &p.open[last]
		if b.otherwise {
			fail(name, "#%s after #else", name.Text)
		}
		b.otherwise = name.Text == "else"
		b.skipped = b.taken || !b.otherwise && !holds()
		b.taken = b.taken || !b.skipped
	case "endif":
		p.open = p.open[:last]
	default:
		return false
	}
	return true
}

// word returns the name that a directive is about.
func (p *preprocessor) word(name *Token, rest []Token) string {
	if len(rest) != 1 || rest[0].Kind != Name {
		fail(name, "#%s needs one name", name.Text)
	}
	return rest[0].Text
}

// define reads "#define name tokens" and "#define name(a, b) tokens".
func (p *preprocessor) define(directive *Token, rest []Token) {
	if len(rest) == 0 || rest[0].Kind != Name {
		fail(directive, "#define needs a name")
	}
	name, m := rest[0].Text, &macro{}
	rest = rest[1:]
	if len(rest) > 0 && rest[0].Text == "(" && !rest[0].spaced {
		end := slices.IndexFunc(rest, func(t Token) bool { return t.Text == ")" })
		if end < 0 {
			fail(directive, "the parameters of %s do not end", name)
		}
		m.params = []string{}
		for at := 1; at < end; at += 2 {
			if rest[at].Kind != Name || rest[at+1].Text != "," && at+1 != end {
				fail(directive, "the parameters of %s are no list of names", name)
			}
			m.params = append(m.params, rest[at].Text)
		}
		rest = rest[end+1:]
	}
	m.body = slices.Clone(rest)
	if known, is := p.macros[name]; is && !known.equal(m) {
		fail(directive, "%s is defined already, otherwise", name)
	}
	p.macros[name] = m
}
