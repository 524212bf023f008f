package table

import (
	"unsafe"

	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestAgainstMap: whatever is put and removed, the table answers as a map does. There are few keys,
// so that runs are long, and wrap around the end.
func TestAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.IntRange(0, 40).Draw(t, "capacity")
		table := New(capacity, rapid.Uint64().Draw(t, "seed"))
		model := map[uint64]int{}
		key := func() uint64 { return rapid.Uint64Range(0, 60).Draw(t, "key") }
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				k, v := key(), rapid.IntRange(0, 1<<31-1).Draw(t, "value")
				_, known := model[k]
				fits := known || len(model) < capacity
				require.Equal(t, fits, table.Put(k, v))
				if fits {
					model[k] = v
				}
			},
			"remove": func(t *rapid.T) {
				k := key()
				_, known := model[k]
				require.Equal(t, known, table.Remove(k))
				delete(model, k)
			},
			"clear": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "rarely") == 0 {
					table.Clear()
					clear(model)
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(model), table.Len())
				require.Equal(t, capacity, table.Capacity())
				for k := range uint64(61) {
					got, ok := table.Find(k)
					want, known := model[k]
					if !known {
						want = -1
					}
					require.Equal(t, known, ok, "key %d", k)
					require.Equal(t, want, got, "key %d", k)
				}
			},
		})
	})
}

// A table that has grown has the keys that it had, and room for as many again.
func TestGrow(t *testing.T) {
	x := New(3, 7)
	for key := range uint64(3) {
		require.True(t, x.Put(key, int(key)))
	}
	require.False(t, x.Put(3, 3))
	x.Grow()
	require.Equal(t, []int{3, 6}, []int{x.Len(), x.Capacity()})
	hasThoseBelow := func(keys uint64) {
		for key := range keys {
			value, there := x.Find(key)
			require.True(t, there)
			require.Equal(t, int(key), value)
		}
	}
	hasThoseBelow(3)
	for key := uint64(3); key < 6; key++ {
		require.True(t, x.Put(key, int(key)))
	}
	require.False(t, x.Put(6, 6))
	hasThoseBelow(6)
}

// TestKeysSpread: keys that count up, and keys that count up in their high half, as node and port
// numbers do, are found in as few slots as random ones.
func TestKeysSpread(t *testing.T) {
	const keys = 1 << 14
	for name, key := range map[string]func(int) uint64{
		"low":         func(i int) uint64 { return uint64(i) },
		"high":        func(i int) uint64 { return uint64(i) << 48 },
		"multiples":   func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 },
		"both halves": func(i int) uint64 { return uint64(i>>7)<<16 | uint64(i&127) },
	} {
		table := New(keys, 12345)
		for i := range keys {
			table.Put(key(i), i)
		}
		slots := 0
		mask := uint64(len(table.slots) - 1)
		for i, s := range table.slots {
			if s.value != 0 {
				slots += int((uint64(i)-table.home(s.key))&mask) + 1
			}
		}
		require.InDelta(t, 1.5, float64(slots)/keys, 0.2, name)
	}
}

func TestSeedsPlaceKeysDifferently(t *testing.T) {
	one := New(1000, 1)
	for _, seed := range []uint64{0, 2} {
		other := New(1000, seed)
		same := 0
		for key := range uint64(1000) {
			if (one.home(key)^other.home(key))&2047 == 0 {
				same++
			}
		}
		require.Less(t, same, 20)
	}
}

func TestNewRefuses(t *testing.T) {
	require.Panics(t, func() { New(-1, 0) })
	require.Panics(t, func() { New(Max+1, 0) })
}

func TestZeroAlloc(t *testing.T) {
	table := New(100, 7)
	require.Zero(t, testing.AllocsPerRun(50, func() {
		for k := range uint64(100) {
			table.Put(k, int(k))
		}
		for k := range uint64(100) {
			table.Find(k)
			table.Remove(k)
		}
	}))
}

func BenchmarkFind(b *testing.B) {
	table := New(1024, 7)
	for k := range uint64(1024) {
		table.Put(k*0x9e3779b97f4a7c15, int(k))
	}
	for k := uint64(0); b.Loop(); k++ {
		table.Find(k & 1023 * 0x9e3779b97f4a7c15)
	}
}

func BenchmarkPutRemove(b *testing.B) {
	table := New(1024, 7)
	for k := range uint64(512) {
		table.Put(k*0x9e3779b97f4a7c15, int(k))
	}
	for k := uint64(512); b.Loop(); k++ {
		table.Put(k*0x9e3779b97f4a7c15, 1)
		table.Remove((k - 512) * 0x9e3779b97f4a7c15)
	}
}

func TestBytes(t *testing.T) {
	table := New(100, 0)
	require.Equal(t, 256*int(unsafe.Sizeof(slot{})), table.Bytes())
}
