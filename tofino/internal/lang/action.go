package lang

import (
	"slices"

	"github.com/sluicefc/sluice/tofino/ir"
)

// steps reads steps in braces.
func (r *reader) steps() (steps []ir.Step) {
	r.list("{", "}", func() { steps = append(steps, r.step()...) })
	return steps
}

func (r *reader) step() []ir.Step {
	name := r.word()
	switch {
	case name == "if":
		step := ir.If{Condition: r.condition()}
		if step.Then = r.steps(); r.take("else") {
			if r.peek().text == "if" {
				step.Else = r.step()
			} else {
				step.Else = r.steps()
			}
		}
		return []ir.Step{step}
	case name == "apply":
		step := ir.Apply{}
		table := r.word()
		step.Table = named(r.Program.Tables, func(t *ir.Table) bool { return t.Name == table })
		if step.Table == nil {
			r.fail("%s is no table", table)
		}
		if r.take("hit") {
			step.Hit = r.steps()
		}
		for r.take("after") {
			step.After = append(step.After, ir.Branch{Action: r.declared(), Then: r.steps()})
		}
		return []ir.Step{step}
	case name == "action": // is declared here, and run elsewhere
		r.action(r.word())
		return nil
	case name == "first" && r.peek().text == "{":
		return r.first()
	case name == "splice":
		spliced, is := r.Steps[r.word()]
		if !is {
			r.fail("no steps are called %s", r.in[r.at-1].text)
		}
		return spliced
	case r.ofALU[name] != nil && r.peek().text == "(":
		a := &ir.Action{Name: name, Body: []ir.Statement{r.execute(r.ofALU[name])}}
		r.Program.Actions = append(r.Program.Actions, a)
		return []ir.Step{ir.Do{Action: a}}
	case r.peek().text == "{":
		return []ir.Step{ir.Do{Action: r.action(name)}}
	}
	r.at--
	return []ir.Step{ir.Do{Action: r.declared()}}
}

// first reads steps with conditions: a packet takes the first step whose condition holds.
func (r *reader) first() (steps []ir.Step) {
	ways := r.steps()
	for _, way := range slices.Backward(ways) {
		choice, is := way.(ir.If)
		if !is || choice.Else != nil {
			r.fail("a step has no condition, or an else")
		}
		choice.Else = steps
		steps = []ir.Step{choice}
	}
	return steps
}

// statements reads a statement, or a word that is short for several statements.
func (r *reader) statements() (body []ir.Statement) {
	name := r.word()
	if a := r.ofALU[name]; a != nil && r.peek().text == "(" {
		return []ir.Statement{r.execute(a)}
	}
	switch name {
	case "valid", "invalid":
		r.list("(", ")", func() {
			body = append(body, ir.SetValid{Header: r.header(), Valid: name == "valid"})
		})
	case "zero":
		r.list("(", ")", func() {
			for _, f := range r.header().Fields {
				body = append(body, ir.Assign{To: f, Value: ir.Number(f.Bits, 0)})
			}
		})
	case "load", "store":
		r.want("(")
		header := r.header().Name
		r.list(":", ")", func() {
			to := r.word()
			assign := ir.Assign{To: r.known(to, r.gress), Value: r.known(header+"."+to, r.gress)}
			if name == "store" {
				assign.To, assign.Value = assign.Value.(*ir.Field), assign.To
			}
			body = append(body, assign)
		})
	case "flow":
		body = append(body, ir.Flow{Word: r.typed(bracketed(r, r.number))})
	default:
		to := r.known(name, r.gress)
		r.want("=")
		body = append(body, ir.Assign{To: to, Value: r.number().sized(to.Bits)})
	}
	return body
}

// execute reads the index, the inputs and the results of a register's action.
func (r *reader) execute(a *ir.RegisterAction) ir.Statement {
	e := ir.Execute{Action: a}
	inputs := -1
	r.list("(", ")", func() {
		x := r.typed(r.number())
		if inputs++; inputs == 0 {
			e.Index = x
		} else if inputs <= len(e.Phv) {
			e.Phv[inputs-1] = x
		} else {
			r.fail("%s has two inputs at most", a.Name)
		}
	})
	for arrow := r.take("->"); arrow; arrow = r.take(",") {
		if r.take("_") {
			e.To = append(e.To, nil)
		} else {
			e.To = append(e.To, r.fieldOf(r.gress))
		}
	}
	return e
}
