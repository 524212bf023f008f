package ir

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A packet ends as the text of the control says, taken word by word.
func TestWalkAgainstTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawnControl{t: t}
		m := d.machine()
		for range 20 {
			pass, model := m.clean(Ingress, 0), map[*Field]uint64{}
			for _, field := range d.given {
				model[field] = uint64(rapid.IntRange(0, 1<<field.Bits-1).Draw(t, field.Name))
				pass.values[m.fields[field]] = Uint(model[field])
			}
			d.run(m.program.Control[Ingress], model)
			m.run(m.control[Ingress], pass)
			for _, field := range append(d.own, d.given...) {
				require.Equal(t, model[field], pass.values[m.fields[field]].Lo, field.Name)
			}
		}
	})
}
