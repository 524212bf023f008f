// Package lang reads programs for the chip that are written as text, into the representation of
// package ir. The text is close to the P4 that is printed of it, but shorter: the printer declares
// everything that the compiler wants declared.
//
//	header NAME { FIELD BITS [ENUM] ... }      metadata ingress { FIELD BITS [ENUM] ... }
//	order HEADER ...                           in which the deparser sends headers
//	enum NAME { VALUE = 1 VALUE ... }          names of values, each one more than the one before
//	const NAME = 1 << bits                     function NAME crc32|fold BITS
//	mirror TYPE ingress SESSION before HEADER [original]
//	register [pair] [egress|shared] NAME BITS[SIZE] = INITIAL "what it holds" {
//	  ACTION(low == 1, high != in2) { low += in1 if a; high = 0 if a & !b } -> low, 1 if b, new low
//	}
//	table NAME[SIZE] "where it comes from" { KEY: EXPR [range] ... ACTION(PARAM -> FIELD) { ... }
//	  ACTION ... default ACTION }
//	action [egress] NAME(PARAM BITS, PARAM -> FIELD) { STATEMENT ... }
//	steps NAME { STEP ... }                    that "splice NAME" puts somewhere
//	state NAME [(HEADER ...)] [select EXPR { VALUE [mask MASK]: STATE ... }] [else STATE|reject]
//	state NAME zeros(HEADER ...) [then STATE]  that passes over as many octets, which must be zeros
//	parser ingress STATE                       in which the parser of a gress begins
//	ingress "what this part of the control does" { STEP ... }
//
// The predicates of a register's action, in brackets, are a, b, c and d in its guards; in1 and in2
// are its inputs. A parameter that leads to a field has the field's width and is assigned to it.
// Without a default a table runs the action "nothing", if that is declared, where no entry matches.
//
// Statements: FIELD = EXPR, which is cut or gets zeros in front if the widths differ;
// ACTION(INDEX, IN1, IN2) -> FIELD, _ of a register; load(HEADER: FIELDS) and store(HEADER: FIELDS)
// between metadata and the fields of the same names; zero, valid, invalid(HEADERS); flow(EXPR).
// Steps: if CONDITION { } else { }; first { if CONDITION { } ... }, of which one runs; apply TABLE
// [hit { }] [after ACTION { }]; splice NAME; NAME { STATEMENTS }, an action of its own; NAME, an
// action that was declared; an action of a register; and "action NAME { ... }", which declares one
// only. A state is declared before the states that lead to it; peek(BITS) is what follows.
//
// In expressions, all operators of numbers have one rank, x[7:4] and x[4] are bits, x[:4] is the
// lowest four, x as 8 has so many bits, 8w1 is 1 in as many, and sized(BITS, N) the same. A bit is
// a condition.
//
// "def NAME(PARAM) { ... }" names any tokens, "for NAME in 1..N { ... }" repeats them with values,
// "when CONSTANT { ... } else { ... }" chooses; $NAME and $(EXPR) in a word stand for a value.
package lang

import (
	"fmt"
	"slices"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Source is a program that is read from texts, one after another.
type Source struct {
	Program *ir.Program
	Numbers map[string]int       // constants that texts may name
	Steps   map[string][]ir.Step // what "splice" puts into a control
	Exprs   map[string]ir.Expr   // what texts may name beside fields

	macros  map[string]*macro
	enums   map[string]map[uint64]string
	headers map[string]*ir.Header // declared, whether or not in the order
	actions map[string]*ir.Action
	ofALU   map[string]*ir.RegisterAction
	states  map[string]*ir.State
}

// New returns a source that adds to a program.
func New(p *ir.Program, numbers map[string]int) *Source {
	return &Source{Program: p, Numbers: numbers, Steps: map[string][]ir.Step{},
		Exprs: map[string]ir.Expr{}, macros: map[string]*macro{},
		enums: map[string]map[uint64]string{}, headers: map[string]*ir.Header{},
		actions: map[string]*ir.Action{}, ofALU: map[string]*ir.RegisterAction{},
		states: map[string]*ir.State{}}
}

// Read adds what a text says. An error names the text and the line.
func (s *Source) Read(name, text string) (err error) {
	defer func() {
		switch f := recover().(type) {
		case nil:
		case fault:
			err = fmt.Errorf("tofino: %s:%d: %s", name, f.line, f.rule)
		default:
			panic(f)
		}
	}()
	r := &reader{Source: s, in: s.expand(lex(text), map[string][]token{})}
	for r.at < len(r.in) {
		r.declaration()
	}
	return nil
}

// Header, Action, Table and Register return what has a name, Field what is HEADER.FIELD or a field
// of ingress. They panic if nothing has it.
func (s *Source) Header(name string) *ir.Header { return found(s.headers[name], name) }

func (s *Source) Action(name string) *ir.Action {
	return found(named(s.Program.Actions, func(a *ir.Action) bool { return a.Name == name }), name)
}

func (s *Source) Table(name string) *ir.Table {
	return found(named(s.Program.Tables, func(t *ir.Table) bool { return t.Name == name }), name)
}

func (s *Source) Register(name string) *ir.Register {
	return found(named(s.Program.Registers, func(r *ir.Register) bool { return r.Name == name }), name)
}

func (s *Source) Field(name string) *ir.Field { return found(s.field(name, ir.Ingress), name) }

func found[T any](thing *T, name string) *T {
	if thing == nil {
		panic("tofino: the text declares no " + name)
	}
	return thing
}

// named returns the first that is meant, nil if there is none.
func named[T any](list []*T, meant func(*T) bool) *T {
	if at := slices.IndexFunc(list, meant); at >= 0 {
		return list[at]
	}
	return nil
}
