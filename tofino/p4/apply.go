package p4

import "github.com/sluicefc/sluice/tofino/ir"

// steps reads steps in braces, or one step.
func (r *reader) steps() (steps []ir.Step) {
	r.deep++
	defer func() { r.deep-- }()
	r.failIf(r.deep > mostDeep, "is more than %d levels deep", mostDeep)
	if r.peek() != "{" {
		return []ir.Step{r.step()}
	}
	r.block(func() { steps = append(steps, r.step()) })
	return steps
}

// step reads a call of an action, a table that is applied, or a choice.
func (r *reader) step() ir.Step {
	switch {
	case r.take("if"):
		return r.choice()
	case r.take("switch"):
		return r.ran()
	}
	if r.applies(0) {
		step := ir.Apply{Table: r.applied()}
		r.want(";")
		return step
	}
	a := r.declared()
	r.want("(", ")", ";")
	r.failIf(len(a.Params) > 0, "%s has parameters, which only an entry of a table gives", a.Name)
	return ir.Do{Action: a}
}

// applied reads TABLE.apply().
func (r *reader) applied() *ir.Table {
	name := r.name()
	t := r.tables[name]
	r.failIf(t == nil, "%s is no table that was declared", name)
	r.want(".", "apply", "(", ")")
	return t
}

// choice reads what stands behind if.
func (r *reader) choice() ir.Step {
	r.want("(")
	not := r.peek() == "!" && r.applies(1)
	if !not && !r.applies(0) {
		step := ir.If{Condition: r.condition(r.expression())}
		r.want(")")
		step.Then, step.Else = r.either()
		return step
	}
	if not {
		r.want("!")
	}
	step := ir.Apply{Table: r.applied()}
	r.want(".")
	hit := r.name()
	r.failIf(hit != "hit" && hit != "miss", "%q must be hit or miss", hit)
	r.want(")")
	if step.Hit, step.Miss = r.either(); (hit == "miss") != not {
		step.Hit, step.Miss = step.Miss, step.Hit
	}
	return step
}

// applies reports whether a table is applied some tokens ahead.
func (r *reader) applies(ahead int) bool {
	return r.peek(ahead+1) == "." && r.peek(ahead+2) == "apply"
}

func (r *reader) either() (then, otherwise []ir.Step) {
	if then = r.steps(); r.take("else") {
		otherwise = r.steps()
	}
	return then, otherwise
}

// ran reads what follows certain actions of a table.
func (r *reader) ran() ir.Step {
	r.want("(")
	step := ir.Apply{Table: r.applied()}
	r.want(".", "action_run", ")")
	r.block(func() {
		branch := ir.Branch{Action: r.declared()}
		r.want(":")
		branch.Then = r.steps()
		step.After = append(step.After, branch)
	})
	return step
}
