package ir

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// An index finds what a map finds, while keys come and go, wide ones too.
func TestIndexAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, model := newIndex(64), map[uint64]int32{}
		wide := newIndex(65)
		wideKey := func(k uint64) exactKey { return exactKey{octets: fmt.Sprint(k)} }
		// Few of the low and of the high bits, so that keys stand in each other's way.
		key := rapid.Custom(func(t *rapid.T) uint64 {
			return uint64(rapid.IntRange(0, 15).Draw(t, "low")) |
				uint64(rapid.IntRange(0, 3).Draw(t, "high"))<<62
		})
		for step := range 100 {
			k := key.Draw(t, "key")
			if _, there := model[k]; there {
				x.remove(exactKey{packed: k})
				wide.remove(wideKey(k))
				delete(model, k)
			} else {
				model[k] = int32(step + 1)
				x.put(exactKey{packed: k}, model[k])
				wide.put(wideKey(k), model[k])
			}
			probe := key.Draw(t, "probe")
			require.Equal(t, model[probe], x.find(probe))
			require.Equal(t, model[k], x.find(k))
			require.Equal(t, model[k], wide.number(wideKey(k)))
		}
	})
}
