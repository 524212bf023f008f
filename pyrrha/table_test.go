package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"pgregory.net/rapid"
)

// The table against a map, full and nearly empty, with keys that share a home.
func TestRootTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		roots := rapid.SampledFrom([]int{1, 2, 5, 32}).Draw(t, "roots")
		table := newRootTable(roots)
		model := map[uint64]int{}
		key := rapid.OneOf(
			rapid.Uint64Range(0, uint64(2*roots)),
			rapid.Map(rapid.Uint64Range(0, 40), func(i uint64) uint64 { return i << 40 }),
		)
		t.Repeat(map[string]func(*rapid.T){
			"insert": func(t *rapid.T) {
				k := key.Draw(t, "key")
				if _, ok := model[k]; ok || len(model) == roots {
					return
				}
				model[k] = rapid.IntRange(0, 4095).Draw(t, "number")
				table.insert(k, model[k])
			},
			"remove": func(t *rapid.T) {
				if k := key.Draw(t, "key"); len(model) > 0 {
					if _, ok := model[k]; ok {
						table.remove(k)
						delete(model, k)
					}
				}
			},
			"": func(t *rapid.T) {
				for k, want := range model {
					if got := table.find(k); got != want {
						t.Fatalf("key %d is number %d, found %d", k, want, got)
					}
				}
				for range 3 {
					k := key.Draw(t, "another key")
					want, ok := model[k]
					if !ok {
						want = -1
					}
					if got := table.find(k); got != want {
						t.Fatalf("key %d is number %d, found %d", k, want, got)
					}
				}
			},
		})
	})
}

// The identity 0:0 has the key 0, which is no empty entry.
func TestRootTableZeroKey(t *testing.T) {
	table := newRootTable(1)
	zero := sluice.Hop{}.Key()
	if table.find(zero) != -1 {
		t.Fatal("an empty table has it")
	}
	table.insert(zero, 0)
	if table.find(zero) != 0 {
		t.Fatal("it is not found")
	}
	table.remove(zero)
	if table.find(zero) != -1 {
		t.Fatal("it is still there")
	}
}
