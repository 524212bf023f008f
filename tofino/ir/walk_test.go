package ir

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A packet ends as the text of the control says, taken word by word, however much of its way is
// known from packets before it, and however little the walk may remember.
func TestWalkAgainstTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawnControl{t: t}
		m := d.machine()
		m.control[Ingress] = m.newWalk(Ingress, rapid.SampledFrom([]int{0, 2, mostNodes}).Draw(t, "most"))
		for range 20 {
			pass, model := m.clean(Ingress, 0), map[*Field]uint64{}
			for _, field := range d.given {
				model[field] = uint64(rapid.IntRange(0, 1<<field.Bits-1).Draw(t, field.Name))
				pass.values[m.fields[field]] = Uint(model[field])
			}
			d.run(m.program.Control[Ingress], model)
			m.control[Ingress].run(pass)
			for _, field := range append(d.own, d.given...) {
				require.Equal(t, model[field], pass.values[m.fields[field]].Lo, field.Name)
			}
		}
	})
}

// A test whose outcome follows is not made: of three tests of one field that no action writes in
// between, packets take the first alone, whichever way it goes.
func TestWalkTestsOnce(t *testing.T) {
	kind, out := &Field{Name: "kind", Bits: 8}, &Field{Name: "result", Bits: 8}
	header := &Header{Name: "h", Fields: []*Field{kind}}
	p := &Program{Name: "p", Headers: []*Header{header}}
	p.Metadata[Ingress] = []*Field{out}
	p.Parse[Ingress] = &State{Name: "start", Extract: []*Header{header}}
	for at := range uint64(3) {
		a := &Action{Name: fmt.Sprint("a", at), Body: []Statement{Assign{out, Number(8, at)}}}
		p.Actions = append(p.Actions, a)
		p.Control[Ingress] = append(p.Control[Ingress],
			If{Condition: Compare{X: kind, Y: Number(8, 7)}, Then: []Step{Do{a}}})
	}
	m, err := NewMachine(p)
	require.NoError(t, err)
	w := m.control[Ingress]
	for _, octet := range []byte{7, 8, 7, 9} {
		m.Receive(0, 8, []byte{octet})
	}
	assert.Equal(t, testsField, w.start.kind)
	assert.Equal(t, ends, w.start.next[0].kind, "kind is not 7: nothing is left to do")
	assert.Equal(t, ends, w.start.next[1].kind, "kind is 7")
	assert.Len(t, w.start.next[1].body, 3)
	assert.Len(t, w.nodes, 3)
}

// A bit that is not one is zero, which a later test finds without a look.
func TestWalkKnowsABit(t *testing.T) {
	bit, out := &Field{Name: "flag", Bits: 1}, &Field{Name: "result", Bits: 8}
	header := &Header{Name: "h", Fields: []*Field{bit, {Name: "rest", Bits: 7}}}
	zero := &Action{Name: "zero", Body: []Statement{Assign{out, Number(8, 5)}}}
	p := &Program{Name: "p", Headers: []*Header{header}, Actions: []*Action{zero}}
	p.Metadata[Ingress] = []*Field{out}
	p.Parse[Ingress] = &State{Name: "start", Extract: []*Header{header}}
	p.Control[Ingress] = []Step{If{Condition: Compare{X: bit, Y: Number(1, 1)},
		Else: []Step{If{Condition: Compare{X: bit, Y: Number(1, 0)}, Then: []Step{Do{zero}}}}}}
	m, err := NewMachine(p)
	require.NoError(t, err)
	m.Receive(0, 8, []byte{0})
	assert.Equal(t, ends, m.control[Ingress].start.next[0].kind)
	assert.Len(t, m.control[Ingress].start.next[0].body, 1)
}

// What a walk remembers is bounded: beyond the bound it has a node for each instruction at most.
func TestWalkIsBounded(t *testing.T) {
	header := &Header{Name: "h"}
	p := &Program{Name: "p", Headers: []*Header{header}}
	for at := range 16 { // each combination of the first eight is known apart to the last eight
		if at < 8 {
			header.Fields = append(header.Fields, &Field{Name: fmt.Sprint("flag", at), Bits: 1})
		}
		nothing := &Action{Name: fmt.Sprint("nothing", at)}
		p.Actions = append(p.Actions, nothing)
		p.Control[Ingress] = append(p.Control[Ingress], If{
			Condition: Compare{X: header.Fields[at%8], Y: Number(1, 1)}, Then: []Step{Do{nothing}}})
	}
	p.Parse[Ingress] = &State{Name: "start", Extract: []*Header{header}}
	m, err := NewMachine(p)
	require.NoError(t, err)
	for _, most := range []int{mostNodes, 20} {
		m.control[Ingress] = m.newWalk(Ingress, most)
		for octet := range 256 {
			m.Receive(0, 8, []byte{byte(octet)})
		}
		if nodes := len(m.control[Ingress].nodes); most == mostNodes {
			assert.Greater(t, nodes, 255)
		} else {
			assert.LessOrEqual(t, nodes, most+33)
		}
	}
}
