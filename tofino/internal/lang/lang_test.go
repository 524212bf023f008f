package lang_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino/internal/lang"
	"github.com/sluicefc/sluice/tofino/ir"
)

// declared is what the texts of these tests begin with.
const declared = `
enum kinds { KIND_DATA = 1, KIND_NOTICE }
header h { kind 8 kinds, flag 1, pad 7, wide 32 }
header other { kind 8, wide 32 }
order h other
metadata ingress { kind 8 kinds, flag 1, wide 32, narrow 4, slot1 16, slot2 16 }
metadata egress { wide 8 }
function hash crc32
register pair sums 32[1 << bits] = 7 "what it holds" {
  add(low >= in2, high == 0) { low += in1; high = 1 if a & !b } -> 1 if a | b, new low
  turn(in2 != 0, low < in1, high == 3) { high = in2 + 1 if a & (b | !c); low -= 1 } -> low, in1 if !a
}
action nothing
`

func read(t *testing.T, text string) *lang.Source {
	s := lang.New(&ir.Program{}, map[string]int{"bits": 4, "ghost": 0})
	require.NoError(t, s.Read("test.txt", declared+text))
	return s
}

// Each expression is assigned to the field of 32 bits.
func TestExpressions(t *testing.T) {
	s := read(t, "")
	wide, narrow, slot := s.Field("wide"), s.Field("narrow"), s.Field("slot2")
	kind := s.Field("h.kind")
	for text, want := range map[string]ir.Expr{
		"5":                ir.Number(32, 5),
		"KIND_NOTICE":      ir.Number(32, 2),
		"(1 << bits) - 2":  ir.Number(32, 14),
		"8w7 as 32":        ir.Concat{ir.Number(24, 0), ir.Number(8, 7)},
		"sized(bits*8, 1)": ir.Number(32, 1),
		"narrow":           ir.Concat{ir.Number(28, 0), narrow},
		"wide + 1":         ir.Binary{X: wide, Y: ir.Number(32, 1)},
		"3 - wide":         ir.Binary{Op: ir.Sub, X: ir.Number(32, 3), Y: wide},
		"wide |-| h.wide":  ir.Binary{Op: ir.SubSaturated, X: wide, Y: s.Field("h.wide")},
		"slot2 ++ wide[31:24] ++ h.kind": ir.Concat{slot, ir.Slice{X: wide, High: 31, Low: 24},
			kind},
		"(slot2 ++ kind) ++ 8w0": ir.Concat{ir.Concat{slot, s.Field("kind")}, ir.Number(8, 0)},
		"hash(h.kind, slot2[:8])": ir.Hash{Function: s.Program.Functions[0],
			Fields: []ir.Expr{kind, ir.Slice{X: slot, High: 7}}},
		"IngressTime": ir.Slice{X: ir.IngressTime, High: 31},
	} {
		all := read(t, "action a { wide = "+text+" }")
		assert.Equal(t, []ir.Statement{ir.Assign{To: wide, Value: want}}, all.Action("a").Body, text)
	}
}

// A bit is a condition; parts in brackets stay together.
func TestConditions(t *testing.T) {
	s := read(t, `def small(x) { (x == 3 && flag) }
		ingress "part" { if small(kind) && !flag || !valid(h) { a {} }
			else if !(wide != 2) { b { wide = KIND_DATA } } else { nothing } }`)
	kind, flag := s.Field("kind"), s.Field("flag")
	on := ir.Compare{X: flag, Y: ir.Number(1, 1)}
	small := ir.All{ir.Compare{X: kind, Y: ir.Number(8, 3)}, on}
	do := func(name string) []ir.Step { return []ir.Step{ir.Do{Action: s.Action(name)}} }
	assert.Equal(t, []ir.Step{ir.If{
		Condition: ir.Any{ir.All{small, ir.Compare{X: flag, Y: ir.Number(1, 0)}},
			ir.Not{X: ir.Valid{Header: s.Header("h")}}},
		Then: do("a"),
		Else: []ir.Step{ir.If{Condition: ir.Not{X: ir.Compare{Op: ir.NotEqual, X: s.Field("wide"),
			Y: ir.Number(32, 2)}}, Then: do("b"), Else: do("nothing")}},
	}}, s.Program.Control[ir.Ingress])
	assert.Equal(t, []ir.Part{{Text: "part"}}, s.Program.Parts[ir.Ingress])
}

func TestRegisters(t *testing.T) {
	r := read(t, "").Register("sums")
	assert.Equal(t, "what it holds", r.Source)
	assert.True(t, r.Pair)
	assert.Equal(t, []int{32, 16, 7}, []int{r.Bits, r.Size, int(r.Initial[0])})
	assert.Equal(t, []*ir.RegisterAction{{Name: "add",
		Predicates: []ir.Predicate{
			{Sum: ir.Sum{Memory: ir.Low, Input: 2, Minus: true}, Op: ir.MoreOrEqual},
			{Sum: ir.Sum{Memory: ir.High}}},
		Updates: []ir.Update{
			{When: ir.Always, To: ir.Low, Sum: ir.Sum{Memory: ir.Low, Input: 1}},
			{When: ir.First &^ ir.Second, To: ir.High, Sum: ir.Sum{Constant: 1}}},
		Outputs: []ir.Output{{When: ir.First | ir.Second, Sum: ir.Sum{Constant: 1}},
			{When: ir.Always, Sum: ir.Sum{Memory: ir.Low}, After: true}}},
		{Name: "turn",
			Predicates: []ir.Predicate{{Sum: ir.Sum{Input: 2}, Op: ir.NotEqual},
				{Sum: ir.Sum{Memory: ir.Low, Input: 1, Minus: true}, Op: ir.Less},
				{Sum: ir.Sum{Memory: ir.High, Constant: -3}}},
			Updates: []ir.Update{
				{When: ir.First & (ir.Second | (ir.Always ^ ir.Third)), To: ir.High,
					Sum: ir.Sum{Input: 2, Constant: 1}},
				{When: ir.Always, To: ir.Low, Sum: ir.Sum{Memory: ir.Low, Constant: -1}}},
			Outputs: []ir.Output{{When: ir.Always, Sum: ir.Sum{Memory: ir.Low}},
				{When: ir.Always ^ ir.First, Sum: ir.Sum{Input: 1}}}}}, r.Actions)
}

// Loops, choices and words with values in them; tables, statements that are short for several.
func TestProgram(t *testing.T) {
	s := read(t, `
		def copy(n) { slot$n = slot$(3 - n) }
		for n in 1..2 { action copy$n { copy(n) } }
		when ghost { action none { nothing to read } } else { action all { load(h: kind wide) } }
		table ways[bits + 1] "where" {
			key: h.wide[15:0] range
			go(to -> narrow, more 9) { store(h: kind); zero(other); valid(h); invalid(other) }
			copy1
		}
		steps later { first { for n in 1..2 { if kind == n { copy$n } } } }
		ingress "one" { apply ways hit { splice later } }
		egress "two" { turn(8w1, 32w2, 32w3) -> _, wide }
		mirror 1 egress wide before h original`)
	slot1, slot2 := s.Field("slot1"), s.Field("slot2")
	assert.Equal(t, []ir.Statement{ir.Assign{To: slot1, Value: slot2}}, s.Action("copy1").Body)
	assert.Equal(t, []ir.Statement{ir.Assign{To: slot2, Value: slot1}}, s.Action("copy2").Body)
	assert.Equal(t, []ir.Statement{ir.Assign{To: s.Field("kind"), Value: s.Field("h.kind")},
		ir.Assign{To: s.Field("wide"), Value: s.Field("h.wide")}}, s.Action("all").Body)

	ways, to := s.Table("ways"), s.Action("go")
	assert.Equal(t, &ir.Table{Name: "ways", Source: "where", Size: 5,
		Keys:    []ir.Key{{Name: "key", X: ir.Slice{X: s.Field("h.wide"), High: 15}, Kind: ir.Range}},
		Actions: []*ir.Action{to, s.Action("copy1"), s.Action("nothing")},
		Default: ir.Call{Action: s.Action("nothing")}}, ways)
	assert.Equal(t, []*ir.Param{{Name: "to", Bits: 4}, {Name: "more", Bits: 9}}, to.Params)
	assert.Equal(t, []ir.Statement{ir.Assign{To: s.Field("narrow"), Value: to.Params[0]},
		ir.Assign{To: s.Field("h.kind"), Value: s.Field("kind")},
		ir.Assign{To: s.Field("other.kind"), Value: ir.Number(8, 0)},
		ir.Assign{To: s.Field("other.wide"), Value: ir.Number(32, 0)},
		ir.SetValid{Header: s.Header("h"), Valid: true}, ir.SetValid{Header: s.Header("other")},
	}, to.Body)
	is := func(n uint64, then string, otherwise ...ir.Step) ir.Step {
		return ir.If{Condition: ir.Compare{X: s.Field("kind"), Y: ir.Number(8, n)},
			Then: []ir.Step{ir.Do{Action: s.Action(then)}}, Else: otherwise}
	}
	assert.Equal(t, []ir.Step{ir.Apply{Table: ways, Hit: []ir.Step{
		is(1, "copy1", is(2, "copy2"))}}}, s.Program.Control[ir.Ingress])
	wide := s.Program.Metadata[ir.Egress][0]
	assert.Equal(t, []ir.Statement{ir.Execute{Action: s.Register("sums").Actions[1],
		Index: ir.Number(8, 1), Phv: [2]ir.Expr{ir.Number(32, 2), ir.Number(32, 3)},
		To: []*ir.Field{nil, wide}}}, s.Action("turn").Body)
	assert.Equal(t, []ir.MirrorKind{{Type: 1, Gress: ir.Egress, Session: wide,
		Before: s.Header("h"), Original: true}}, s.Program.Mirrors)
	assert.Equal(t, map[uint64]string{1: "KIND_DATA", 2: "KIND_NOTICE"}, s.Field("h.kind").Values)
}

// What follows an action of a table; sums that stay in their range; hash functions of each family.
func TestLessCommon(t *testing.T) {
	s := read(t, `register count 8[1] { up() { low = low |+| in1 if a } }
		function folded fold 16  function same identity 9
		action go  action stay
		table ways[1] { key: kind, go, stay }
		ingress { apply ways after go { stay } after stay { go } }`)
	assert.Equal(t, []ir.Update{{When: ir.First, To: ir.Low, Saturated: true,
		Sum: ir.Sum{Memory: ir.Low, Input: 1}}}, s.Register("count").Actions[0].Updates)
	assert.Equal(t, []*ir.HashFunction{{Name: "folded", Kind: ir.Fold, Bits: 16},
		{Name: "same", Kind: ir.Identity, Bits: 9}}, s.Program.Functions[1:])
	stay, leave := s.Action("stay"), s.Action("go")
	assert.Equal(t, []ir.Step{ir.Apply{Table: s.Table("ways"), After: []ir.Branch{
		{Action: leave, Then: []ir.Step{ir.Do{Action: stay}}},
		{Action: stay, Then: []ir.Step{ir.Do{Action: leave}}}}}}, s.Program.Control[ir.Ingress])
}

// A state is declared before the states that lead to it. Zeros are passed over four octets at a
// time: a state that takes headers is not merged with the octets in front of it.
func TestStates(t *testing.T) {
	s := read(t, `state rest zeros(other)
		state last(other)
		state pads zeros(h) then last
		state by_kind(h) select h.kind[3:0] { 1: rest, KIND_NOTICE mask 3: pads } else reject
		state first select peek(bits * 4) { 0x0102: by_kind } else last
		parser egress first`)
	h, other := s.Header("h"), s.Header("other")
	zeros := func(bits, skip int, next *ir.State) *ir.State {
		return &ir.State{Name: "zeros", Skip: skip, Select: ir.Peek(bits), Refuse: true,
			Cases: []ir.Case{{Mask: ir.Mask(bits), Next: next}}}
	}
	last := &ir.State{Name: "last", Extract: []*ir.Header{other}}
	rest := zeros(8, 0, zeros(32, 1, &ir.State{Name: "padded", Skip: 4}))
	pads := zeros(16, 0, zeros(32, 2, &ir.State{Name: "behind_zeros", Skip: 4, Default: last}))
	kind := &ir.State{Name: "by_kind", Extract: []*ir.Header{h}, Refuse: true,
		Select: ir.Slice{X: s.Field("h.kind"), High: 3}, Cases: []ir.Case{
			{Value: ir.Uint(1), Mask: ir.Mask(4), Next: rest},
			{Value: ir.Uint(2), Mask: ir.Uint(3), Next: pads}}}
	assert.Equal(t, &ir.State{Name: "first", Select: ir.Peek(16), Default: last, Cases: []ir.Case{
		{Value: ir.Uint(0x0102), Mask: ir.Mask(16), Next: kind}}}, s.Program.Parse[ir.Egress])
	assert.Nil(t, s.Program.Parse[ir.Ingress])
}

// A mistake is told with its line.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"\n\naction a { wid = 1 }":            "3: wid is no field",
		"action a { wide = nobody }":          "1: nobody is nothing that was declared",
		"action a { wide = h.kind ++ 1 }":     "1: has no width: write BITSwN",
		"ingress { if wide { nothing } }":     "1: is no condition",
		"ingress { some }":                    "1: some is no action",
		"ingress { apply some }":              "1: some is no table",
		"ingress { nothing":                   "1: the text ends too early",
		"ingress { splice some }":             "1: no steps are called some",
		"ingress { first { nothing } }":       "1: a step has no condition, or an else",
		"ingress { add(1w0, 2w0, 3w0, 4w0) }": "1: add has two inputs at most",
		"nonsense":                            `1: "nonsense" begins no declaration`,
		"header x { y wide }":                 "1: must be a constant",
		"header x { 1 }":                      "1: must be a name",
		"function x md5":                      "1: must be crc32, crc32c, crc16, fold or identity",
		"register x 8[1] { y(low ! 1) }":      `1: "!" compares nothing`,
		"register x 8[1] { y() { mid = 1 } }": "1: mid is no half",
		"register x 8[1] { y() { low : 1 } }": `1: ":" must be =, += or -=`,
		"register x 8[1] { y() -> 1 if e }":   "1: e is no predicate: they are a, b, c and d",
		"register x 8[1] { y() -> wide }":     "1: must be low, high, in1, in2 or a constant",
		"def a { b }\ndef b { a }\na":         "2: a stands for itself",
		"def a(x, y) { x y }\na(1)":           "2: a takes 2 arguments",
		"for n of 1..2 {}":                    `1: "of" must be "in"`,
		"def a nothing":                       `1: "nothing" must be "{"`,
		"action a { wide = 1 ? 2 }":           `1: "? 2 }" begins nothing`,
		"action a { wide = 1 ^ 2 }":           "1: ^ is nothing between constants",
		"mirror 1 ingress wide before nobody": "1: nobody is no header",
		"state a select h.kind { 1: b }":      "1: b is no state",
		"parser ingress none":                 "1: none is no state",
	} {
		s := read(t, "")
		assert.EqualError(t, s.Read("x.txt", text), "tofino: x.txt:"+want, text)
	}
	assert.PanicsWithValue(t, "tofino: the text declares no nobody",
		func() { read(t, "").Table("nobody") })
}
