package kit_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestStore compares queues in a store with slices.
func TestStore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(1, 12).Draw(t, "capacity")
		s, err := kit.NewStore[int](capacity)
		require.NoError(t, err)
		queues := make([]kit.Queue, 3)
		model := make([][]int, 3)
		taken := 0
		drawQueue := func(t *rapid.T) int { return rapid.IntRange(0, 2).Draw(t, "queue") }
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				h, ok := s.Take()
				require.Equal(t, taken < capacity, ok)
				if !ok {
					require.Zero(t, h)
					return
				}
				taken++
				q, value := drawQueue(t), rapid.Int().Draw(t, "value")
				s.At(h).Value, s.At(h).Size = value, sluice.Bytes(value)
				s.Push(&queues[q], h)
				model[q] = append(model[q], value)
			},
			"pop": func(t *rapid.T) {
				q := drawQueue(t)
				h := s.Pop(&queues[q])
				require.Equal(t, len(model[q]) > 0, h != 0)
				if h == 0 {
					return
				}
				require.Equal(t, model[q][0], s.At(h).Value)
				require.EqualValues(t, model[q][0], s.At(h).Size)
				model[q] = model[q][1:]
				s.Release(h)
				taken--
			},
			"move": func(t *rapid.T) {
				from, to := drawQueue(t), drawQueue(t)
				if h := s.Pop(&queues[from]); h != 0 {
					s.Push(&queues[to], h)
					model[to] = append(model[to], model[from][0])
					model[from] = model[from][1:]
					if from == to {
						return
					}
				}
			},
			"grow": func(t *rapid.T) {
				more := rapid.IntRange(0, 3).Draw(t, "more")
				s.Grow(more)
				capacity += more
			},
			"": func(t *rapid.T) {
				require.Equal(t, taken, s.Used())
				require.Equal(t, capacity, s.Capacity())
				for q := range queues {
					require.Equal(t, len(model[q]) == 0, queues[q].Empty())
					h := queues[q].Head()
					for _, value := range model[q] {
						require.Equal(t, value, s.At(h).Value)
						h = s.After(h)
					}
					require.Zero(t, h, "the tail has nothing behind it")
				}
			},
		})
	})
}

func TestStoreCapacity(t *testing.T) {
	for _, capacity := range []int{-1, 0} {
		_, err := kit.NewStore[int](capacity)
		require.ErrorContains(t, err, "kit: capacity")
	}
	var fault *sluice.ConfigError
	_, err := kit.NewStore[int](0)
	require.ErrorAs(t, err, &fault)
}
