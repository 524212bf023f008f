package ir

import (
	"errors"
	"math/bits"
	"slices"
)

// Lint returns every fault for which the compiler of the Tofino family refuses a valid program,
// joined; nil if there is none. Each is a [*Fault]. The machine runs such a program; a chip gets
// none of it. The rules come from messages that the compiler gave for programs of this module, and
// from messages for the ALUs of registers and for subtractions in its published source. No message
// confirms the rules of the parser's match registers and of the number of sums for a half.
func (p *Program) Lint() error {
	l := &linter{checker{program: p, owner: p.Owners()}}
	l.shadows()
	for _, r := range p.Registers {
		for _, action := range r.Actions {
			l.oneBit(r, action)
		}
	}
	l.alus()
	for _, action := range p.Actions {
		for _, statement := range action.Body {
			l.statement(statement, "action "+action.Name)
		}
	}
	for gress := range gresses {
		Each(p.Control[gress], func(step Step) {
			if branch, is := step.(If); is {
				l.gateway(branch.Condition, gress.String())
			}
		})
		l.matchRegisters(gress)
	}
	return errors.Join(l.faults...)
}

type linter struct{ checker }

// shadows refuses parameters of actions with the name of something that the control declares: the
// compiler warns that the parameter shadows the declaration.
func (l *linter) shadows() {
	declared := map[string]string{}
	l.program.named(func(kind, name string) {
		article := "a "
		if kind == "action" {
			article = "an "
		}
		declared[name] = article + kind
	})
	for name, kind := range declared {
		l.fault(slices.Contains(properties, name), kind+" "+name,
			"shadows the property %s of tables: give it another name", name)
	}
	for _, action := range l.program.Actions {
		for _, param := range action.Params {
			l.fault(declared[param.Name] != "", "action "+action.Name,
				"parameter %s shadows %s: give it another name", param.Name, declared[param.Name])
		}
	}
}

// properties are the properties of tables in T2NA, which are declarations inside a table.
var properties = []string{"key", "actions", "entries", "default_action", "size", "implementation",
	"counters", "meters", "registers", "filters", "idle_timeout", "action_data_size"}

// oneBit refuses comparisons and sums of single bits, which the ALU does not do.
func (l *linter) oneBit(r *Register, a *RegisterAction) {
	if r.Bits != 1 {
		return
	}
	simple := len(a.Predicates) == 0
	for _, update := range a.Updates {
		simple = simple && update.Sum.Memory == NoHalf && update.Sum.Input == 0
	}
	l.fault(!simple, "register action "+a.Name, "register %s has one bit, for which only simple "+
		"assignments are supported: 8 bits compute and compare", r.Name)
}

// statement checks what one statement computes.
func (l *linter) statement(s Statement, where string) {
	switch s := s.(type) {
	case Assign:
		l.value(s.Value, where)
	case Flow:
		l.value(s.Word, where)
	case Execute:
		for _, part := range besides(s.Index) {
			l.fault(!plain(part), where,
				"the index of %s is too complex: compute it in an earlier action", s.Action.Name)
		}
		for at, input := range s.Phv {
			l.input(s, at, input, where)
		}
	}
}

func (l *linter) input(s Execute, at int, x Expr, where string) {
	if x == nil {
		return
	}
	register := l.owner[s.Action]
	if field, is := x.(*Field); is && (field.Bits == register.Bits || l.intrinsic(field)) {
		return
	}
	if concat, is := x.(Concat); is && len(concat) == 2 && l.intrinsic(concat[1]) {
		return // ghost knows nothing but words of the chip
	}
	_, number := x.(Const)
	l.fault(!number, where, "input %d of %s ties fields of different widths: must be a field of %d bits",
		at+1, s.Action.Name, register.Bits)
}

// intrinsic reports whether an expression is a field of the chip's.
func (l *linter) intrinsic(x Expr) bool {
	field, is := x.(*Field)
	return is && slices.ContainsFunc(intrinsics[:], func(of []*Field) bool {
		return slices.Contains(of, field)
	})
}

// besides returns the parts of a concatenation, or the expression if it is no concatenation.
func besides(x Expr) []Expr {
	if concat, is := x.(Concat); is {
		var all []Expr
		for _, part := range concat {
			all = append(all, besides(part)...)
		}
		return all
	}
	return []Expr{x}
}

// entire reports whether an expression is a field, a datum or a number, plain whether it is such an
// expression or a slice of one.
func entire(x Expr) bool {
	switch x.(type) {
	case *Field, *Param, Const:
		return true
	}
	return false
}

func plain(x Expr) bool {
	if slice, is := x.(Slice); is {
		return entire(slice.X)
	}
	return entire(x)
}

const complex = "the expression is too complex: compute its parts in an earlier action"

// value checks an expression that is assigned to a field or is a word of flow control: it is at
// most one operation of plain operands.
func (l *linter) value(x Expr, where string) {
	switch x := x.(type) {
	case Slice:
		if hash, is := x.X.(Hash); is {
			l.value(hash, where)
			return
		}
		l.fault(!plain(x), where, complex)
	case Hash:
		for _, field := range x.Fields {
			l.fault(!plain(field), where, complex)
		}
	case Concat:
		l.concat(x, where)
	case Binary:
		if !plain(x.X) || !plain(x.Y) {
			l.fault(true, where, complex)
			return
		}
		_, datum := x.Y.(*Param)
		_, number := x.Y.(Const)
		l.fault(x.Op == Sub && datum || x.Op == SubSaturated && (datum || number), where, "the second "+
			"operand of a subtraction must be a field: it cannot be sourced from action data")
		sums := x.Op <= SubSaturated
		l.fault(sums && !(entire(x.X) && entire(x.Y)), where, "a sum of a slice ties fields of "+
			"different widths: give both sides fields of %d bits", x.Width())
	}
}

// concat checks fields side by side.
func (l *linter) concat(x Concat, where string) {
	parts := besides(x)
	for _, part := range parts {
		_, number := part.(Const)
		l.fault(number, where, "a field with %d bits of a number beside it ties fields of different "+
			"widths: give both %d bits", part.Width(), x.Width())
		l.fault(!plain(part), where, complex)
	}
	l.fault(len(parts) > 2, where, "%d fields in one of %d bits are too many sources: at most 2",
		len(parts), x.Width())
}

// Limits of a gateway, the unit that decides an if.
const (
	gatewayBits = 4*8 + 12
	matchBits   = 4 * 8
)

func (l *linter) gateway(x Expr, where string) {
	seen, sum := map[reading]bool{}, 0
	read := func(part Expr) {
		bits := bitsOf(part)
		if _, number := part.(Const); !number && !seen[bits] {
			seen[bits] = true
			sum += part.Width()
		}
	}
	Walk(x, func(part Expr) {
		switch part := part.(type) {
		case Valid:
			sum++
		case Compare:
			for _, side := range []Expr{part.X, part.Y} {
				if !plain(side) {
					l.fault(true, where, "a comparison that is too complex: compute it in an earlier action")
					return
				}
				read(side)
			}
			l.order(part, where)
		}
	})
	l.fault(sum > gatewayBits, where, "a condition of %d bits: a gateway compares 4 bytes and 12 bits; "+
		"compare in the parser, or give one bit the result before", sum)
}

// reading is bits of a field.
type reading struct {
	x         Expr
	high, low int
}

// bitsOf returns the bits of a field that a plain expression reads.
func bitsOf(x Expr) reading {
	if slice, is := x.(Slice); is {
		return reading{slice.X, slice.High, slice.Low}
	}
	return reading{x: x, high: x.Width() - 1}
}

// order refuses comparisons of order that are not decided by the first bits being zeros.
func (l *linter) order(x Compare, where string) {
	number, is := x.Y.(Const)
	if !is || x.Op == Equal || x.Op == NotEqual || x.X.Width() <= 12 {
		return
	}
	bound := number.Value.Lo
	if x.Op == LessOrEqual || x.Op == More {
		bound++
	}
	l.fault(bits.OnesCount64(bound) != 1, where, "a comparison with %v, which is not a power of two: "+
		"compare the first bits with 0 and the others for equality", number.Value)
}

// matchRegisters checks that a parser has enough match registers: from the state that extracts a
// field to the state that selects by it, registers hold the field.
func (l *linter) matchRegisters(gress Gress) {
	if start := l.program.Parse[gress]; start != nil {
		l.held(start, gress, map[*State]map[*Field]uint64{})
	}
}

// held returns the bits of fields by which a state or a state after it selects and that a state
// before extracts.
func (l *linter) held(s *State, gress Gress, known map[*State]map[*Field]uint64) map[*Field]uint64 {
	if held, is := known[s]; is {
		return held
	}
	held := map[*Field]uint64{}
	known[s] = held
	for _, next := range s.next() {
		for field, bits := range l.held(next, gress, known) {
			held[field] |= bits
		}
	}
	where := gress.String() + " parser, state " + s.Name
	if s.Select != nil {
		l.fault(s.Select.Width() > matchBits, where, "selects by %d bits: at most %d",
			s.Select.Width(), matchBits)
		x, low := s.Select, 0
		if slice, is := x.(Slice); is {
			x, low = slice.X, slice.Low
		}
		if field, is := x.(*Field); is && !l.intrinsic(field) && field.Bits <= 64 {
			held[field] |= (1<<s.Select.Width() - 1) << low
		}
	}
	sum := 0
	for _, header := range s.Extract {
		for _, field := range header.Fields {
			delete(held, field)
		}
	}
	for _, mask := range held {
		sum += bits.OnesCount64(mask)
	}
	l.fault(sum > matchBits, where, "%d bits of fields that were extracted before are selected by from "+
		"here on: the parser holds %d", sum, matchBits)
	return held
}
