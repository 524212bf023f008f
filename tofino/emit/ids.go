package emit

import (
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Names of fields that tables have besides their own: the priority of an entry with ternary keys
// or ranges, and the index of a register's element.
const (
	matchPriority = "$MATCH_PRIORITY"
	registerIndex = "$REGISTER_INDEX"
)

// Names are the names by which the control plane knows a program's objects, and the numbers that a
// compiler gave them, if there is one.
type Names struct {
	Tables    map[*ir.Table]Object
	Registers map[*ir.Register]Object

	actions map[inside]Object
	homes   homes
	fields  map[string]uint32 // numbers of keys and data that a compiler gave, by their path
}

// Object is one table, action or register.
type Object struct {
	Name string // "pipe.Ingress.afc", of an action "Ingress.word"
	ID   uint32 // a compiler's, 0 if none was given
}

// inside is an action as one control has it: two controls that use an action have one each.
type inside struct {
	gress  ir.Gress
	action *ir.Action
}

// NamesOf returns the names of a program that is valid. Tables that no control applies are taken
// to be ingress's; actions that nothing uses have no name.
func NamesOf(p *ir.Program) Names {
	n := Names{Tables: map[*ir.Table]Object{}, Registers: map[*ir.Register]Object{},
		actions: map[inside]Object{}, homes: homesOf(p)}
	for _, table := range p.Tables {
		gress := n.homes.tables[table]
		n.Tables[table] = Object{Name: "pipe." + control(gress) + "." + table.Name}
		for _, action := range table.Actions { // of a table that no control applies, too
			n.homes.actions[inside{gress, action}] = true
		}
	}
	for used := range n.homes.actions {
		n.actions[used] = Object{Name: control(used.gress) + "." + used.action.Name}
	}
	for _, register := range p.Registers {
		name := "pipe." + control(register.Gress) + "." + register.Name
		if register.Shared {
			name = "pipe." + register.Name // declared outside of the controls
		}
		n.Registers[register] = Object{Name: name}
	}
	return n
}

// Action returns the name and the number that an action of a table has in the control that applies
// the table.
func (n *Names) Action(t *ir.Table, a *ir.Action) Object {
	return n.actions[inside{n.homes.tables[t], a}]
}

// field returns the compiler's number of a key or a datum.
func (n *Names) field(path ...string) uint32 { return n.fields[strings.Join(path, "/")] }

// control returns the name of a gress's control in the program text.
func control(gress ir.Gress) string {
	name := gress.String()
	return strings.ToUpper(name[:1]) + name[1:]
}

// homes says which gress's control uses each table and action.
type homes struct {
	tables  map[*ir.Table]ir.Gress
	applied map[*ir.Table]bool
	actions map[inside]bool
}

func homesOf(p *ir.Program) homes {
	h := homes{map[*ir.Table]ir.Gress{}, map[*ir.Table]bool{}, map[inside]bool{}}
	for gress, steps := range p.Control {
		ir.Each(steps, func(step ir.Step) {
			switch step := step.(type) {
			case ir.Do:
				h.actions[inside{ir.Gress(gress), step.Action}] = true
			case ir.Apply:
				h.tables[step.Table], h.applied[step.Table] = ir.Gress(gress), true
				for _, action := range step.Table.Actions {
					h.actions[inside{ir.Gress(gress), action}] = true
				}
			}
		})
	}
	return h
}

// halves returns the names of the fields of a register's element.
func halves(r *ir.Register, object Object) []string {
	name := object.Name[len("pipe."):]
	if r.Pair {
		return []string{name + ".low", name + ".high"}
	}
	return []string{name + ".f1"}
}
