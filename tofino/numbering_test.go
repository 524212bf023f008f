package tofino

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice/pyrrha"
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

// The queues of a Pyrrha port are the OQ, the isolation queues and the spill behind them, then one
// for control frames and one for other classes: no two are one, so that neither is paused with an
// IQ.
func TestPyrrhaQueuesDiffer(t *testing.T) {
	b := &pyrrhaBuilder{full: pyrrha.Config{IQs: 5}}
	queues := []int{b.signalQueue(), b.otherQueue()}
	for queue := range b.spill() + 1 {
		queues = append(queues, queue)
	}
	seen := map[int]bool{}
	for _, queue := range queues {
		require.False(t, seen[queue], "queue %d", queue)
		seen[queue] = true
	}
	require.Len(t, seen, b.full.IQs+3)
	require.Equal(t, b.full.IQs+2, b.otherQueue(), "the last of the port")
}
