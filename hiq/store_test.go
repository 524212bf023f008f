package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The store against slices.
func TestStore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		queues := rapid.IntRange(1, 5).Draw(t, "queues")
		capacity := rapid.IntRange(1, 12).Draw(t, "capacity")
		s, err := NewStore(queues, capacity)
		require.NoError(t, err)
		require.Equal(t, capacity, s.Capacity())
		model := make([][]uint32, queues)
		length := 0
		anyQueue := rapid.IntRange(-1, queues)
		exists := func(q int) bool { return q >= 0 && q < queues }
		full := func(q int) bool { return exists(q) && len(model[q]) > 0 }
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				q, h := anyQueue.Draw(t, "queue"), rapid.Uint32().Draw(t, "handle")
				want := exists(q) && length < capacity
				require.Equal(t, want, s.Push(q, h, int32(h>>1)))
				if want {
					model[q] = append(model[q], h)
					length++
				}
			},
			"pop": func(t *rapid.T) {
				q := anyQueue.Draw(t, "queue")
				ph, _, pok := s.Peek(q)
				h, size, ok := s.Pop(q)
				require.Equal(t, full(q), ok)
				require.Equal(t, pok, ok)
				if ok {
					require.Equal(t, ph, h)
					require.Equal(t, model[q][0], h)
					require.Equal(t, int32(h>>1), size)
					model[q] = model[q][1:]
					length--
				}
			},
			"move": func(t *rapid.T) {
				from, to := anyQueue.Draw(t, "from"), anyQueue.Draw(t, "to")
				ok := s.Move(from, to)
				require.Equal(t, full(from) && exists(to), ok)
				if ok {
					h := model[from][0]
					model[from] = model[from][1:]
					model[to] = append(model[to], h)
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, length, s.Len())
				for q := range model {
					h, _, ok := s.Peek(q)
					require.Equal(t, len(model[q]) > 0, ok)
					require.Equal(t, !ok, s.Empty(q))
					if ok {
						require.Equal(t, model[q][0], h)
					}
				}
			},
		})
	})
}

func TestStoreConfig(t *testing.T) {
	for _, c := range [][2]int{{0, 1}, {1, 0}, {1<<24 + 1, 1}, {1, 1<<28 + 1}} {
		_, err := NewStore(c[0], c[1])
		var e *sluice.ConfigError
		require.ErrorAs(t, err, &e)
		require.Equal(t, "hiq", e.Package)
	}
}
