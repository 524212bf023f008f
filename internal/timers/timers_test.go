package timers

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A scan of all slots is the slow, obvious minimum.
func TestAgainstScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		set := New(n)
		model := make([]sluice.Time, n)
		for i := range model {
			model[i] = sluice.Never
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			i := rapid.IntRange(0, n-1).Draw(t, "slot")
			at := sluice.Time(rapid.Int64Range(0, 5).Draw(t, "at"))
			if rapid.Bool().Draw(t, "stop") {
				at = sluice.Never
			}
			_, before := set.Min()
			changed := set.Put(i, at)
			model[i] = at
			slot, earliest := 0, model[0]
			for j, t := range model {
				if t < earliest {
					slot, earliest = j, t
				}
			}
			gotSlot, got := set.Min()
			require.Equal(t, earliest, got)
			if earliest != sluice.Never {
				require.Equal(t, slot, gotSlot, "ties go to the lowest slot")
			}
			require.Equal(t, before != got, changed)
			require.Equal(t, at, set.At(i))
		}
	})
}

func TestNewRefusesNoSlots(t *testing.T) { require.Panics(t, func() { New(0) }) }
