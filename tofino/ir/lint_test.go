package ir_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Each thing that the compiler refused in an earlier program of this module, alone in a program
// that it would take, is found and nothing else is.
func TestLint(t *testing.T) {
	word, half, flag, wide := field("word", 32), field("half", 16), field("flag", 1), field("addr", 48)
	sum := func(x, y ir.Expr) ir.Expr { return ir.Binary{Op: ir.Add, X: x, Y: y} }
	assign := func(to *ir.Field, value ir.Expr) ir.Action {
		return ir.Action{Name: "a", Body: []ir.Statement{ir.Assign{To: to, Value: value}}}
	}
	zeros := ir.Number(16, 0)
	less := func(number uint64) ir.Expr {
		return ir.Compare{Op: ir.Less, X: word,
			Y: ir.Number(32, number)}
	}
	one := &ir.RegisterAction{Name: "turn", Updates: []ir.Update{{When: ir.Always, To: ir.Low,
		Sum: ir.Sum{Memory: ir.Low, Negative: true, Constant: 1}}}}
	read := &ir.RegisterAction{Name: "read"}
	bit := &ir.Register{Name: "side", Bits: 1, Size: 2, Actions: []*ir.RegisterAction{one}}
	cells := &ir.Register{Name: "cells", Bits: 32, Size: 2, Actions: []*ir.RegisterAction{read}}
	word2, word3 := field("word2", 32), field("word3", 32)
	takes := ir.Sum{Input: 1}
	both := &ir.RegisterAction{Name: "both", Updates: []ir.Update{
		{When: ir.Always, To: ir.Low, Sum: takes},
		{When: ir.Always, To: ir.High, Sum: ir.Sum{Input: 2}}}}
	cells.Actions = append(cells.Actions, both)
	both.Predicates = []ir.Predicate{{Sum: ir.Sum{Memory: ir.Low, Input: 1}}} // of two terms
	gives := func(x, y ir.Expr) ir.Statement {
		return ir.Execute{Action: both, Index: flag, Phv: [2]ir.Expr{x, y}}
	}
	of := func(a *ir.RegisterAction) *ir.Register {
		return &ir.Register{Name: "r", Bits: 32, Size: 2, Actions: []*ir.RegisterAction{a}}
	}
	says := func(sums ...ir.Sum) *ir.Register {
		a := &ir.RegisterAction{Name: "says"}
		for _, one := range sums {
			a.Outputs = append(a.Outputs, ir.Output{When: ir.First, Sum: one})
		}
		return of(a)
	}
	becomes := func(sums ...ir.Sum) *ir.Register {
		a := &ir.RegisterAction{Name: "becomes"}
		for _, one := range sums {
			a.Updates = append(a.Updates, ir.Update{When: ir.First, To: ir.Low, Sum: one})
		}
		return of(a)
	}
	type program struct {
		action    ir.Action
		condition ir.Expr
		register  *ir.Register
	}
	for rule, p := range map[string]program{
		"": {action: assign(word, sum(word, ir.Number(32, 1))), condition: ir.All{
			less(1 << 16), less(1 << 20)}}, // 32 bits, read twice
		"register side has one bit, for which only simple assignments are supported": {register: bit},
		"the expression is too complex": {action: assign(half, sum(half, ir.Binary{Op: ir.Xor, X: half,
			Y: ir.Number(16, 1)}))},
		"a field with 16 bits of a number beside it ties fields of different widths": {
			action: assign(word, ir.Concat{zeros, half})},
		"a sum of a slice ties fields of different widths": {
			action: assign(half, sum(half, ir.Slice{X: word, High: 15}))},
		"3 fields in one of 33 bits are too many sources": {
			action: assign(field("x", 33), ir.Concat{half, flag, half})},
		"input 1 of read ties fields of different widths": {register: cells, action: ir.Action{Name: "a",
			Body: []ir.Statement{ir.Execute{Action: read, Index: flag,
				Phv: [2]ir.Expr{ir.Concat{zeros, half}}}}}},
		"the index of read is too complex": {register: cells, action: ir.Action{Name: "a",
			Body: []ir.Statement{ir.Execute{Action: read, Index: sum(half, half)}}}},
		"a condition of 48 bits: a gateway compares 4 bytes and 12 bits": {
			condition: ir.Compare{X: wide, Y: ir.Number(48, 1)}},
		"a condition of 64 bits": {condition: ir.All{less(16), ir.Compare{X: field("other", 32),
			Y: ir.Number(32, 1)}}},
		"a comparison with 0xffff, which is not a power of two": {condition: less(1<<16 - 1)},
		"its actions take 3 fields: requires more than 2 PHV inputs": {register: cells,
			action: ir.Action{Name: "a", Body: []ir.Statement{gives(word, word2), gives(word3, word)}}},
		"its actions return 2 numbers beside 0: cannot output a constant": {
			register: says(ir.Sum{Constant: 1}, ir.Sum{Constant: 2})},
		"can't output 3: no power of two": {register: says(ir.Sum{Constant: 3})},
		"addition can only be used if the result is written": {
			register: says(ir.Sum{Memory: ir.Low, Constant: 1})},
		"more than one operator in a statement": {register: becomes(
			ir.Sum{Memory: ir.Low, Input: 1, Constant: 1})},
		"gives a half 3 sums: at most 2": {register: becomes(ir.Sum{}, ir.Sum{Constant: 1},
			ir.Sum{Constant: 2})},
		"the second operand of a subtraction must be a field": {action: assign(word,
			ir.Binary{Op: ir.Sub, X: word, Y: &ir.Param{Name: "by", Bits: 32}})},
		"parameter cells shadows a register": {register: cells,
			action: ir.Action{Name: "a", Params: []*ir.Param{{Name: "cells", Bits: 8}}}},
		"shadows the property size of tables": {register: &ir.Register{Name: "size", Bits: 8, Size: 1}},
	} {
		made := &ir.Program{Name: "p"}
		if p.action.Name != "" {
			made.Actions = []*ir.Action{&p.action}
		}
		if p.condition != nil {
			made.Control[ir.Ingress] = []ir.Step{ir.If{Condition: p.condition}}
		}
		if p.register != nil {
			made.Registers = []*ir.Register{p.register}
		}
		if rule == "" {
			require.NoError(t, made.Lint())
			continue
		}
		require.ErrorContains(t, made.Lint(), rule)
		assert.NotContains(t, made.Lint().Error(), "\n", "one fault: %s", rule)
	}
}

// A parser holds 32 bits of what it extracted for the states that select by it: a chain of checks
// of octets that have long passed does not fit.
func TestLintOfParsers(t *testing.T) {
	first, second := field("first", 32), field("second", 32)
	both := &ir.Header{Name: "padding", Fields: []*ir.Field{first, second}}
	check := func(f *ir.Field, next *ir.State) *ir.State {
		return &ir.State{Name: "check", Select: f, Refuse: true,
			Cases: []ir.Case{{Mask: ir.Mask(32), Next: next}}}
	}
	p := &ir.Program{Name: "p", Headers: []*ir.Header{both}}
	p.Parse[ir.Ingress] = &ir.State{Name: "take", Extract: []*ir.Header{both},
		Default: check(first, check(second, nil))}
	require.ErrorContains(t, p.Lint(), "64 bits of fields that were extracted before are selected by "+
		"from here on: the parser holds 32")
	p.Parse[ir.Ingress].Default = check(second, nil)
	require.NoError(t, p.Lint())
}

// Names of fields are names of P4 too.
func TestFieldsAreNoWordsOfP4(t *testing.T) {
	p := &ir.Program{Name: "p", Headers: []*ir.Header{{Name: "h",
		Fields: []*ir.Field{field("out", 8)}}}}
	p.Metadata[ir.Ingress] = []*ir.Field{field("in", 32), field("Register", 8)}
	for _, name := range []string{`header h: the name "out"`, "metadata in", "metadata Register"} {
		assert.ErrorContains(t, p.Validate(), name)
	}
}
