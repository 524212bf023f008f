package fit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/ir"
)

// All uses of a register are in one stage: what a packet does behind it comes behind the stage that
// another kind of packet, which must compute first, gives the register.
func TestARegisterIsInOneStage(t *testing.T) {
	a, b, c := field("a", 8), field("b", 8), field("c", 8)
	kind := field("kind", 1)
	read := &ir.RegisterAction{Name: "read", Outputs: []ir.Output{{When: ir.Always,
		Sum: ir.Sum{Memory: ir.Low}}}}
	p := &ir.Program{Name: "p", Registers: []*ir.Register{{Name: "r", Bits: 8, Size: 4,
		Actions: []*ir.RegisterAction{read}}}}
	does := func(name string, body ...ir.Statement) ir.Step {
		action := &ir.Action{Name: name, Body: body}
		p.Actions = append(p.Actions, action)
		return ir.Do{Action: action}
	}
	more := func(name string, to, from *ir.Field) ir.Step {
		return does(name, ir.Assign{To: to, Value: ir.Binary{X: from, Y: ir.Number(8, 1)}})
	}
	use := func(name string, index, to *ir.Field) ir.Step {
		return does(name, ir.Execute{Action: read, Index: index, To: []*ir.Field{to}})
	}
	p.Control[ir.Ingress] = []ir.Step{ir.If{Condition: ir.Compare{X: kind, Y: ir.Number(1, 1)},
		Then: []ir.Step{more("first", a, a), more("second", a, a), use("late", a, b)},
		Else: []ir.Step{use("early", a, b), more("behind", c, b)}}}
	report := fit.Of(p, &ir.Config{})
	assert.Equal(t, 4, report.Stages)
	assert.Equal(t, []string{"first", "second", "early", "behind"}, report.Chain)
	assert.Equal(t, 3, report.Items[0].Stage)
}

// Two uses of a register, where the second writes what the first wrote, stand behind each other and
// are to be in one stage: the estimate ends, beyond the stages of any chip.
func TestUsesThatStandBehindEachOther(t *testing.T) {
	a, b := field("a", 8), field("b", 8)
	read := &ir.RegisterAction{Name: "read", Outputs: []ir.Output{{When: ir.Always,
		Sum: ir.Sum{Memory: ir.Low}}}}
	action := &ir.Action{Name: "use", Body: []ir.Statement{
		ir.Execute{Action: read, Index: a, To: []*ir.Field{b}}}}
	p := &ir.Program{Name: "p", Actions: []*ir.Action{action}, Registers: []*ir.Register{{Name: "r",
		Bits: 8, Size: 4, Actions: []*ir.RegisterAction{read}}}}
	p.Control[ir.Ingress] = []ir.Step{ir.Do{Action: action}, ir.Do{Action: action}}
	assert.Greater(t, fit.Of(p, &ir.Config{}).Stages, chip.Stages)
}
