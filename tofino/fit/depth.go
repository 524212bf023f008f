package fit

import "github.com/sluicefc/sluice/tofino/ir"

// depth finds the earliest stage of each table: a table that matches or computes with what another
// writes, or writes what another does, stands behind it. What a branch depends on must be known
// before the tables behind the branch.
type depth struct {
	tables    map[*ir.Table]int
	registers map[*ir.Register]int
	owner     map[*ir.RegisterAction]*ir.Register
	deepest   int
	last      *link
}

// link is a table or action on a chain.
type link struct {
	name   string
	stage  int
	before *link
}

// known says which link of a chain wrote each field last.
type known map[*ir.Field]*link

func newDepth(p *ir.Program) *depth {
	d := &depth{tables: map[*ir.Table]int{}, registers: map[*ir.Register]int{},
		owner: map[*ir.RegisterAction]*ir.Register{}}
	for _, register := range p.Registers {
		for _, action := range register.Actions {
			d.owner[action] = register
		}
	}
	for _, control := range p.Control {
		d.steps(control, known{}, nil)
	}
	return d
}

// chain returns the names on the deepest chain.
func (d *depth) chain() []string {
	var names []string
	for at := d.last; at != nil; at = at.before {
		names = append([]string{at.name}, names...)
	}
	return names
}

// steps places a sequence behind what its branch depends on, and notes what it writes.
func (d *depth) steps(steps []ir.Step, written known, branch *link) {
	for _, step := range steps {
		switch step := step.(type) {
		case ir.Do:
			d.place(step.Action.Name, nil, []*ir.Action{step.Action}, written, branch)
		case ir.If:
			test := deeper(branch, reads(step.Condition, written))
			d.branches([][]ir.Step{step.Then, step.Else}, written, test)
		case ir.Apply:
			at := d.place(step.Table.Name, step.Table.Keys, step.Table.Actions, written, branch)
			d.tables[step.Table] = at.stage
			ways := [][]ir.Step{step.Hit, step.Miss}
			for _, after := range step.After {
				ways = append(ways, after.Then)
			}
			d.branches(ways, written, branch)
		}
	}
}

// branches places ways of which a packet takes one: a field is written where the deepest writes it.
func (d *depth) branches(ways [][]ir.Step, written known, branch *link) {
	merged := known{}
	for _, way := range ways {
		own := known{}
		for field, at := range written {
			own[field] = at
		}
		d.steps(way, own, branch)
		for field, at := range own {
			merged[field] = deeper(merged[field], at)
		}
	}
	for field, at := range merged {
		written[field] = at
	}
}

// place puts a table or an action behind all that it depends on.
func (d *depth) place(name string, keys []ir.Key, actions []*ir.Action, written known,
	branch *link) *link {
	before := branch
	for _, key := range keys {
		before = deeper(before, reads(key.X, written))
	}
	var writes []*ir.Field
	var used []*ir.Register
	for _, action := range actions {
		for _, statement := range action.Body {
			for _, x := range ir.Reads(statement) {
				before = deeper(before, reads(x, written))
			}
			for _, field := range ir.Writes(statement) {
				before = deeper(before, written[field])
				writes = append(writes, field)
			}
			if execute, is := statement.(ir.Execute); is {
				used = append(used, d.owner[execute.Action])
			}
		}
	}
	at := &link{name: name, stage: 1, before: before}
	if before != nil {
		at.stage = before.stage + 1
	}
	for _, register := range used {
		d.registers[register] = max(d.registers[register], at.stage)
	}
	for _, field := range writes {
		written[field] = at
	}
	if at.stage > d.deepest {
		d.deepest, d.last = at.stage, at
	}
	return at
}

// reads returns the deepest link that wrote what an expression reads.
func reads(x ir.Expr, written known) *link {
	var deepest *link
	ir.Walk(x, func(part ir.Expr) {
		if field, is := part.(*ir.Field); is {
			deepest = deeper(deepest, written[field])
		}
	})
	return deepest
}

// deeper returns the link of the later stage.
func deeper(a, b *link) *link {
	if a == nil || b != nil && b.stage > a.stage {
		return b
	}
	return a
}
