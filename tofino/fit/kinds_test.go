package fit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Two kinds of packet write a field that both read later: no packet takes both ways, and each
// kind's chain is shorter than that of all.
func TestStagesOfAKind(t *testing.T) {
	field := func(name string) *ir.Field { return &ir.Field{Name: name, Bits: 8} }
	kind, x, y := field("kind"), field("x"), field("y")
	head := &ir.Header{Name: "head", Fields: []*ir.Field{field("z")}}
	is := func(number uint64) ir.Expr { return ir.Compare{X: kind, Y: ir.Number(8, number)} }
	step := func(name string, to, from *ir.Field) ir.Step {
		return ir.Do{Action: &ir.Action{Name: name, Body: []ir.Statement{ir.Assign{To: to, Value: from}}}}
	}
	when := func(c ir.Expr, steps ...ir.Step) ir.Step { return ir.If{Condition: c, Then: steps} }
	p := &ir.Program{}
	p.Control[ir.Ingress] = []ir.Step{
		when(is(1), step("one", x, y)),
		when(ir.Any{is(2), ir.Valid{Header: head}}, step("two", y, x), step("three", x, y)),
		when(ir.All{is(1), ir.Not{X: ir.Valid{Header: head}}}, step("four", y, x)),
	}
	assert.Equal(t, 4, fit.Of(p, &ir.Config{}).Stages)
	for number, want := range map[uint64][]string{1: {"one", "four"}, 2: {"two", "three"}, 3: nil} {
		stages, chain := fit.StagesOf(p, ir.Ingress, fit.Kind{
			Fields: map[*ir.Field]uint64{kind: number}, Valid: map[*ir.Header]bool{head: false}})
		assert.Equal(t, want, chain)
		assert.Equal(t, len(want), stages)
	}
}
