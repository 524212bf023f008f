package tofino

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// Numbers stay while their things are in use, no two things have one, and a free number is taken
// before a new one.
func TestNumbersStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var n numbering[int]
		model := map[int]int{}
		for range 20 {
			used := map[int]bool{}
			for _, thing := range rapid.SliceOfDistinct(
				rapid.IntRange(0, 9), rapid.ID[int],
			).Draw(t, "things") {
				used[thing] = true
			}
			n.keep(used)
			for thing := range model {
				if !used[thing] {
					delete(model, thing)
				}
			}
			most := len(n.list)
			for thing := range used {
				number := n.number(thing)
				if before, known := model[thing]; known {
					require.Equal(t, before, number, "thing %d", thing)
				}
				model[thing] = number
				require.Equal(t, thing, n.list[number])
			}
			numbers := map[int]bool{}
			for thing := range model {
				require.False(t, numbers[model[thing]], "two things have the number %d", model[thing])
				numbers[model[thing]] = true
			}
			require.LessOrEqual(t, len(n.list), max(most, len(used)), "a free number was not taken")
		}
	})
}
