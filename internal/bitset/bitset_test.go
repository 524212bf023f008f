package bitset

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A sorted slice is the slow, obvious set.
func TestAgainstSortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 63, 64, 65, 130, 2048, Max}).Draw(t, "n")
		set := New(n)
		var model []int
		index := rapid.IntRange(0, n-1)
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				i, member := index.Draw(t, "i"), rapid.Bool().Draw(t, "member")
				set.Put(i, member)
				at, found := slices.BinarySearch(model, i)
				switch {
				case member && !found:
					model = slices.Insert(model, at, i)
				case !member && found:
					model = slices.Delete(model, at, at+1)
				}
			},
			"clear": func(*rapid.T) {
				set.Clear()
				model = nil
			},
			"": func(t *rapid.T) {
				i := index.Draw(t, "i")
				at, found := slices.BinarySearch(model, i)
				require.Equal(t, found, set.Has(i))
				require.Equal(t, len(model), set.Len())
				require.Equal(t, len(model) == 0, set.Empty())
				words := make([]uint64, Max/64)
				require.Equal(t, (n+63)/64, set.CopyTo(words))
				require.Equal(t, found, words[i/64]>>(i%64)&1 != 0)
				next, cyclic := -1, -1
				if at < len(model) {
					next = model[at]
				}
				if len(model) > 0 {
					cyclic = model[at%len(model)]
				}
				require.Equal(t, next, set.Next(i), "first member at or after %d of %v", i, model)
				require.Equal(
					t, cyclic, set.NextCyclic(i), "first member at or after %d of %v, going round", i, model,
				)
			},
		})
	})
}

func TestNextBeyondTheEnd(t *testing.T) {
	set := New(64)
	set.Add(5)
	require.Equal(t, -1, set.Next(64))
	require.Equal(t, 5, set.NextCyclic(64))
}

func TestNewRefusesBadSizes(t *testing.T) {
	require.Panics(t, func() { New(-1) })
	require.Panics(t, func() { New(Max + 1) })
}
