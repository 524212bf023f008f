package view

import (
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// decoded reads what appendTo wrote, as the page does: the numbers at every sample.
func decoded(t *testing.T, text []byte, arity, samples int) (all []map[key]int64) {
	r := &varints{t, text}
	keys := make([]key, r.unsigned())
	for column := range arity {
		last := 0
		for i := range keys {
			last += r.signed()
			keys[i][column] = int32(last)
		}
	}
	counts := make([]int, samples)
	for i := range counts {
		counts[i] = r.unsigned()
	}
	which := make([][]int, samples)
	for i, n := range counts {
		last := -1
		for range n {
			last += r.unsigned() + 1
			which[i] = append(which[i], last)
		}
	}
	now := map[key]int64{}
	for i := range counts {
		for _, id := range which[i] {
			if now[keys[id]] += int64(r.signed()); now[keys[id]] == 0 {
				delete(now, keys[id])
			}
		}
		all = append(all, maps.Clone(now))
	}
	require.Empty(t, r.text)
	return all
}

// TestTrackIsWhatWasSet: what is read of a track is what was set, sample by sample, of samples that
// are kept, whichever are left out and whenever.
func TestTrackIsWhatWasSet(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		lasting := seed%2 == 0
		track, want := newTrack(2, lasting), []map[key]int64{}
		now := map[key]int64{}
		for range 40 {
			track.begin()
			if !lasting {
				now = map[key]int64{}
			}
			named := map[key]bool{}
			for range random.IntN(8) {
				k := key{random.Int32N(3), random.Int32N(3)}
				by := random.Int64N(100) - 20
				if random.IntN(2) == 0 && !named[k] {
					track.set(k, by)
					now[k] = by
				} else {
					if !named[k] {
						now[k] = 0
					}
					track.add(k, by)
					now[k] += by
				}
				named[k] = true
			}
			maps.DeleteFunc(now, func(_ key, value int64) bool { return value == 0 })
			track.end()
			want = append(want, maps.Clone(now))
			if random.IntN(6) == 0 {
				last := len(want) - 1
				keep := func(i int) bool { return i%3 == 0 || i == last }
				left, n := track.leaveOut(0, keep), 0
				for i := range want {
					if keep(i) {
						want[n] = want[i]
						n++
					}
				}
				want = want[:n]
				changes := 0
				for _, sample := range track.samples {
					changes += len(sample)
				}
				require.Equal(t, changes, left)
			}
		}
		require.Equal(t, want, decoded(t, track.appendTo(nil), 2, len(want)), "seed %d", seed)
	}
}
