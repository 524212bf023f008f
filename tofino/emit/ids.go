package emit

import (
	"slices"
	"strings"

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

// Names of these fields.
const (
	matchPriority = "$MATCH_PRIORITY"
	registerIndex = "$REGISTER_INDEX"
)

// Names are the names and numbers by which the control plane knows a program's objects.
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
	ID   uint32
}

// inside is an action as one control has it: two controls that use an action have one each.
type inside struct {
	gress  ir.Gress
	action *ir.Action
}

// NamesOf returns the names and predicted numbers of a program that is valid. A number is the
// prefix of its kind and 24 bits of Jenkins's one-at-a-time hash of the name; among names with the
// same hash, the first in order of names has that number and the others have the next free numbers.
// Tables that no control applies are taken to be ingress's; actions that nothing uses have no name.
func NamesOf(p *ir.Program) Names {
	n := Names{map[*ir.Table]Object{}, map[*ir.Register]Object{}, map[inside]Object{}, homesOf(p), nil}
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
	assign(n.Tables, tablePrefix)
	assign(n.actions, actionPrefix)
	assign(n.Registers, registerPrefix)
	return n
}

// Action returns the name and number that an action of a table has in the control that applies the
// table.
func (n *Names) Action(t *ir.Table, a *ir.Action) Object {
	return n.actions[inside{n.homes.tables[t], a}]
}

// field returns the number of a key or a datum: the compiler's number if it is known, otherwise the
// predicted number.
func (n *Names) field(predicted uint32, path ...string) uint32 {
	if len(n.fields) == 0 {
		return predicted
	}
	if number, known := n.fields[strings.Join(path, "/")]; known {
		return number
	}
	return predicted
}

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

func assign[K comparable](objects map[K]Object, prefix uint32) {
	var order []K
	for k := range objects {
		order = append(order, k)
	}
	slices.SortFunc(order, func(a, b K) int {
		return strings.Compare(objects[a].Name, objects[b].Name)
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
