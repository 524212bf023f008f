package ir

import (
	"cmp"

	"github.com/sluicefc/sluice/tofino/chip"
)

// array is the elements of a register, in each pipe; the low half in the low bits.
type array struct {
	register *Register
	elements [chip.Pipes][]uint64
}

func newArray(r *Register) *array {
	a := &array{register: r}
	for pipe := range a.elements {
		a.elements[pipe] = make([]uint64, r.Size)
	}
	a.reset()
	return a
}

func (a *array) reset() {
	initial := uint64(a.register.Initial[0]) | uint64(a.register.Initial[1])<<32
	for _, elements := range a.elements {
		for at := range elements {
			elements[at] = initial
		}
	}
}

// fill gives one element a value, in one pipe or in all.
func (a *array) fill(e RegisterEntry) {
	for pipe := range a.elements {
		if e.Pipe < 0 || e.Pipe == pipe {
			a.elements[pipe][e.Index] = uint64(e.Value[0]) | uint64(e.Value[1])<<32
		}
	}
}

// alu runs one action of a register.
type alu struct {
	array  *array
	action *RegisterAction
}

// execute compiles the use of a register action. An index that the register does not have reads
// zeros and writes nothing.
func (m *Machine) execute(e Execute, params []*Param) func(*pass) {
	unit, index := m.alus[e.Action], m.value(e.Index, params)
	var inputs [2]evaluated
	for at, input := range e.Phv {
		inputs[at] = func(*pass) Value { return Value{} }
		if input != nil {
			inputs[at] = m.value(input, params)
		}
	}
	to := make([]int, len(e.To))
	for at, field := range e.To {
		to[at] = -1
		if field != nil {
			to[at] = m.fields[field]
		}
	}
	size := uint64(unit.array.register.Size)
	return func(p *pass) {
		var none uint64
		element, at := &none, index(p)
		if at.Hi == 0 && at.Lo < size {
			element = &unit.array.elements[p.pipe][at.Lo]
		}
		before := *element
		results := unit.run(element, int64(inputs[0](p).Lo), int64(inputs[1](p).Lo))
		if m.trace != nil {
			m.touched(p, unit, at.Lo, before, *element)
		}
		for at, field := range to {
			if field >= 0 {
				p.values[field] = Uint(results[at])
			}
		}
	}
}

// run reads and updates an element and returns the results.
func (u *alu) run(element *uint64, first, second int64) (results [MaxOutputs]uint64) {
	before := operands{0, int64(uint32(*element)), int64(*element >> 32)}
	held := 0
	for at, predicate := range u.action.Predicates {
		if predicate.Op.holds(cmp.Compare(predicate.Sum.of(&before, first, second), 0)) {
			held |= 1 << at
		}
	}
	largest := int64(Mask(u.array.register.Bits).Lo)
	after := before
	for _, update := range u.action.Updates {
		if update.When>>held&1 == 0 {
			continue
		}
		sum := update.Sum.of(&before, first, second)
		if update.Saturated {
			sum = min(max(sum, 0), largest)
		}
		after[update.To] = sum & largest
	}
	*element = uint64(after[Low]) | uint64(after[High])<<32
	for at, output := range u.action.Outputs {
		if output.When>>held&1 == 0 {
			continue
		}
		from := &before
		if output.After {
			from = &after
		}
		if results[at] = 1 << held; !output.Held {
			results[at] = uint64(output.Sum.of(from, first, second) & largest)
		}
	}
	return results
}

// operands are the halves of an element, by [Half]; NoHalf is 0.
type operands [3]int64

func (s *Sum) of(halves *operands, first, second int64) int64 {
	sum := halves[s.Memory]
	if s.Negative {
		sum = -sum
	}
	input := int64(0)
	switch s.Input {
	case 1:
		input = first
	case 2:
		input = second
	}
	if s.Minus {
		input = -input
	}
	return sum + input + int64(s.Constant)
}
