package p4

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// register is a register with what its declaration says beside it.
type register struct {
	*ir.Register
	kind   string // of its elements
	halves []member
	index  int // bits of an index
}

// instance is a register action: what it does, what packets give it, and how wide its results are.
type instance struct {
	register *register
	action   *ir.RegisterAction
	inputs   []ir.Expr
	outputs  []int
}

// register reads a register. One that stands outside of controls is shared by ghost and ingress.
func (r *reader) register() {
	r.want("Register", "<")
	made := &register{Register: &ir.Register{Gress: r.gress, Shared: r.part == ""}}
	made.kind, made.halves = r.element()
	made.Bits, made.Pair = made.halves[0].bits, len(made.halves) == 2
	r.want(",")
	made.index = r.width()
	r.want(">", "(")
	size := r.number(r.expression())
	r.failIf(size < 1 || size > 1<<24, "a register of %d elements", size)
	if made.Size = int(size); r.take(",") {
		half := 0
		initial := func() {
			r.failIf(half == len(made.halves), "has more values than an element")
			made.Initial[half] = uint32(r.fixed(made.Bits).Lo)
			half++
		}
		if made.Pair {
			r.list("{", "}", initial)
		} else {
			initial()
		}
	}
	r.want(")")
	made.Name = r.name()
	r.want(";")
	r.failIf(r.registers[made.Name] != nil, "register %s is declared twice", made.Name)
	r.failIf(made.index < 31 && made.Size > 1<<made.index, "%d elements: an index has %d bits",
		made.Size, made.index)
	r.registers[made.Name] = made
	r.made.Registers = append(r.made.Registers, made.Register)
}

// element reads the type of a register's elements: bits, or a structure of two halves.
func (r *reader) element() (name string, halves []member) {
	if r.sized() {
		bits := r.width()
		r.failIf(bits > 32, "elements of %d bits: at most 32, or two halves", bits)
		return fmt.Sprint(bits), []member{{bits: bits}}
	}
	name = r.name()
	halves = r.types[name].members
	r.failIf(len(halves) != 2 || halves[0].bits != halves[1].bits || halves[0].bits > 32 ||
		halves[0].bits == 0, "%s must be a structure of two numbers of the same width, at most 32 bits",
		name)
	return name, halves
}

// registerAction reads a register action.
func (r *reader) registerAction() {
	kind, results := r.name(), 1
	if digits := strings.TrimPrefix(kind, "RegisterAction"); digits != "" {
		results, _ = strconv.Atoi(digits)
	}
	r.want("<")
	element, halves := r.element()
	r.want(",")
	index := r.width()
	one := &instance{action: &ir.RegisterAction{}}
	for range results {
		r.want(",")
		if results == 1 && r.take("void") {
			continue
		}
		one.outputs = append(one.outputs, r.width())
	}
	r.want(">", "(")
	name := r.name()
	one.register = r.registers[name]
	r.failIf(one.register == nil, "%s is no register", name)
	r.failIf(one.register.kind != element || one.register.index != index,
		"register %s has elements or an index of another type", name)
	r.want(")")
	full := r.name()
	r.failIf(r.instances[full] != nil, "register action %s is declared twice", full)
	one.action.Name = strings.TrimPrefix(full, name+"_")
	r.want("=", "{")
	r.alu(one, halves)
	r.want("}", ";")
	r.instances[full] = one
	one.register.Actions = append(one.register.Actions, one.action)
}
