package fit

import (
	"slices"

	"github.com/sluicefc/sluice/tofino/ir"
)

// depth finds the earliest stage of each table: a table that matches or computes with what another
// writes, or writes what another does, stands behind it. What a branch depends on must be known
// before the tables behind the branch.
type depth struct {
	tables    map[*ir.Table]int
	registers map[*ir.Register]*link
	owner     map[*ir.RegisterAction]*ir.Register
	placed    map[*ir.Register]*link // the deepest use of each in the round before
	numbers   map[*ir.Field]int      // of the fields that anything writes
	deepest   int
	last      *link
}

// link is a table or action on a chain.
type link struct {
	name   string
	stage  int
	before *link
}

// known says which link of a chain wrote each field last, by the field's number.
type known []*link

// bottomless is a stage that no program reaches whose registers come to rest.
const bottomless = 1000

// newDepth places the controls of a program. A register is in one stage, the deepest that one of
// its uses needs: what stands behind another use stands behind that stage too, so that the controls
// are placed until no register moves.
func newDepth(p *ir.Program, controls ...[]ir.Step) *depth {
	d := &depth{owner: p.Owners(), numbers: map[*ir.Field]int{}}
	for _, control := range controls {
		ir.Each(control, d.number)
	}
	for moved := true; moved && d.deepest < bottomless; {
		d.placed, d.tables, d.registers = d.registers, map[*ir.Table]int{}, map[*ir.Register]*link{}
		d.deepest, d.last = 0, nil
		for _, control := range controls {
			d.steps(control, make(known, len(d.numbers)), nil)
		}
		moved = false
		for register, at := range d.registers {
			before := d.placed[register]
			moved = moved || before == nil || before.stage != at.stage
		}
	}
	return d
}

// number numbers the fields that a step writes.
func (d *depth) number(step ir.Step) {
	var actions []*ir.Action
	switch step := step.(type) {
	case ir.Do:
		actions = []*ir.Action{step.Action}
	case ir.Apply:
		actions = step.Table.Actions
	}
	for _, action := range actions {
		for _, statement := range action.Body {
			for _, field := range ir.Writes(statement) {
				if _, numbered := d.numbers[field]; !numbered {
					d.numbers[field] = len(d.numbers)
				}
			}
		}
	}
}

// stage returns the stage of a register, 0 if no control uses it.
func (d *depth) stage(r *ir.Register) int {
	if at := d.registers[r]; at != nil {
		return at.stage
	}
	return 0
}

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
			test := deeper(branch, d.reads(step.Condition, written))
			d.branches(ir.Inside(step), written, test)
		case ir.Apply:
			at := d.place(step.Table.Name, step.Table.Keys, step.Table.Actions, written, branch)
			d.tables[step.Table] = at.stage
			d.branches(ir.Inside(step), written, branch)
		}
	}
}

// branches places the ways of a branch, where a packet takes one: a field is written where the
// deepest way writes it.
func (d *depth) branches(ways [][]ir.Step, written known, branch *link) {
	merged := make(known, len(written))
	for _, way := range ways {
		own := slices.Clone(written)
		d.steps(way, own, branch)
		for field, at := range own {
			merged[field] = deeper(merged[field], at)
		}
	}
	copy(written, merged)
}

// place puts a table or an action behind all that it depends on.
func (d *depth) place(name string, keys []ir.Key, actions []*ir.Action, written known,
	branch *link) *link {
	before := branch
	for _, key := range keys {
		before = deeper(before, d.reads(key.X, written))
	}
	var writes []int
	var used []*ir.Register
	for _, action := range actions {
		for _, statement := range action.Body {
			for _, x := range ir.Reads(statement) {
				before = deeper(before, d.reads(x, written))
			}
			for _, field := range ir.Writes(statement) {
				at := d.numbers[field]
				before = deeper(before, written[at])
				writes = append(writes, at)
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
		if deep := d.placed[register]; deep != nil && deep.stage > at.stage {
			at.stage, at.before = deep.stage, deep.before
		}
		d.registers[register] = deeper(d.registers[register], at)
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
func (d *depth) reads(x ir.Expr, written known) *link {
	var deepest *link
	ir.Walk(x, func(part ir.Expr) {
		if field, is := part.(*ir.Field); is {
			if at, is := d.numbers[field]; is {
				deepest = deeper(deepest, written[at])
			}
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
