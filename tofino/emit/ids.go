package emit

import (
	"slices"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Prefixes of numbers, in their highest octet, by kind of object.
const (
	actionPrefix   = 0x01
	tablePrefix    = 0x02
	registerPrefix = 0x8B
)

// Numbers of fields that every program has.
const (
	matchPriorityID = 65537
	registerIndexID = 65557
)

// Names are the names and numbers by which the control plane knows a program's objects.
type Names struct {
	Tables    map[*ir.Table]Object
	Actions   map[*ir.Action]Object
	Registers map[*ir.Register]Object
}

// Object is one table, action or register.
type Object struct {
	Name string // "pipe.Ingress.afc", of an action "Ingress.word"
	ID   uint32
}

// NamesOf returns the names and predicted numbers of a program that is valid. A number is the
// prefix of its kind and 24 bits of Jenkins's one-at-a-time hash of the name; among names with the
// same, the first in order of names has it and the others the next that are free. Tables and
// actions that no control uses are taken to be ingress's.
func NamesOf(p *ir.Program) Names {
	n := Names{map[*ir.Table]Object{}, map[*ir.Action]Object{}, map[*ir.Register]Object{}}
	tables, actions := homes(p)
	for _, table := range p.Tables {
		n.Tables[table] = Object{Name: "pipe." + control(tables[table]) + "." + table.Name}
	}
	for _, action := range p.Actions {
		n.Actions[action] = Object{Name: control(actions[action]) + "." + action.Name}
	}
	for _, register := range p.Registers {
		name := "pipe." + control(register.Gress) + "." + register.Name
		if register.Shared {
			name = "pipe." + register.Name // declared outside of the controls
		}
		n.Registers[register] = Object{Name: name}
	}
	assign(n.Tables, tablePrefix)
	assign(n.Actions, actionPrefix)
	assign(n.Registers, registerPrefix)
	return n
}

// control returns the name of a gress's control in the program text.
func control(gress ir.Gress) string {
	switch gress {
	case ir.Egress:
		return "Egress"
	case ir.Ghost:
		return "Ghost"
	}
	return "Ingress"
}

// homes returns which gress's control uses each table and action.
func homes(p *ir.Program) (map[*ir.Table]ir.Gress, map[*ir.Action]ir.Gress) {
	tables, actions := map[*ir.Table]ir.Gress{}, map[*ir.Action]ir.Gress{}
	for gress, steps := range p.Control {
		ir.Each(steps, func(step ir.Step) {
			switch step := step.(type) {
			case ir.Do:
				actions[step.Action] = ir.Gress(gress)
			case ir.Apply:
				tables[step.Table] = ir.Gress(gress)
				for _, action := range step.Table.Actions {
					actions[action] = ir.Gress(gress)
				}
			}
		})
	}
	return tables, actions
}

// assign gives objects of one kind their numbers.
func assign[K comparable](objects map[K]Object, prefix uint32) {
	var order []K
	for k := range objects {
		order = append(order, k)
	}
	slices.SortFunc(order, func(a, b K) int {
		if objects[a].Name < objects[b].Name {
			return -1
		}
		return 1
	})
	taken := map[uint32]bool{}
	for _, k := range order {
		id := ID(prefix, objects[k].Name)
		for taken[id] {
			id = prefix<<24 | (id+1)&0xFFFFFF
		}
		taken[id] = true
		objects[k] = Object{objects[k].Name, id}
	}
}

// ID returns the number that the compiler gives an object: a prefix and 24 bits of Jenkins's
// one-at-a-time hash of its name.
func ID(prefix uint32, name string) uint32 {
	var h uint32
	for _, octet := range []byte(name) {
		h += uint32(octet)
		h += h << 10
		h ^= h >> 6
	}
	h += h << 3
	h ^= h >> 11
	h += h << 15
	return prefix<<24 | h&0xFFFFFF
}
