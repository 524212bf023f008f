package ir

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A table answers as a search of all its entries does, whatever the kinds of its keys, while
// entries come, change and go.
func TestTablesAgainstASearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := &Field{Name: "x", Bits: 4}, &Field{Name: "y", Bits: 3}
		second := rapid.SampledFrom([]Match{Exact, Ternary, Prefix, Range}).Draw(t, "kind")
		first := rapid.SampledFrom([]Match{Exact, Ternary}).Draw(t, "first kind")
		datum := &Param{Name: "datum", Bits: 32}
		result := &Field{Name: "result", Bits: 32}
		act := &Action{
			Name: "act", Params: []*Param{datum}, Body: []Statement{Assign{To: result, Value: datum}},
		}
		table := &Table{Name: "t", Size: 64, Actions: []*Action{act},
			Default: Call{act, []Value{Uint(999)}},
			Keys:    []Key{{Name: "x", X: x, Kind: first}, {Name: "y", X: y, Kind: second}}}
		p := &Program{Name: "p", Actions: []*Action{act}, Tables: []*Table{table}}
		p.Metadata[Ingress] = []*Field{x, y, result}
		p.Control[Ingress] = []Step{Apply{Table: table}}
		m, err := NewMachine(p)
		require.NoError(t, err)

		var model []Entry
		for step := range 30 {
			e := Entry{Keys: []KeyValue{drawnKey(t, first, 4), drawnKey(t, second, 3)},
				Call: Call{act, []Value{Uint(uint64(step))}}}
			if table.Prioritised() {
				e.Priority = rapid.IntRange(0, 3).Draw(t, "priority")
			}
			model = change(t, m, table, model, e)
			px, py := uint64(rapid.IntRange(0, 15).Draw(t, "px")), uint64(rapid.IntRange(0, 7).Draw(t, "py"))
			pass := m.clean(Ingress, 0)
			pass.values[m.fields[x]], pass.values[m.fields[y]] = Uint(px), Uint(py)
			m.run(m.control[Ingress], pass)
			want, hit := search(table, model, px, py)
			require.Equal(t, want, pass.values[m.fields[result]].Lo, "x %d, y %d, entries %v", px, py, model)
			_, matched := m.tables[table].find(pass)
			require.Equal(t, hit, matched)
		}
	})
}

// change adds, modifies or deletes an entry in both.
func change(t *rapid.T, m *Machine, table *Table, model []Entry, e Entry) []Entry {
	at := -1
	for i := range model {
		if model[i].Keys[0] == e.Keys[0] && model[i].Keys[1] == e.Keys[1] {
			at = i
		}
	}
	switch {
	case at < 0:
		require.NoError(t, m.Add(table, e))
		return append(model, e)
	case rapid.Bool().Draw(t, "modify"):
		require.NoError(t, m.Modify(table, e))
		model[at] = e
		return model
	default:
		require.NoError(t, m.Delete(table, e.Keys))
		return append(model[:at], model[at+1:]...)
	}
}

// search tries every entry: the lowest priority, then the longest prefix, then the oldest.
func search(table *Table, entries []Entry, x, y uint64) (uint64, bool) {
	best, found := uint64(999), false
	var bestPriority, bestBits int
	for _, e := range entries {
		if !says(table.Keys[0], e.Keys[0], x) || !says(table.Keys[1], e.Keys[1], y) {
			continue
		}
		better := e.Priority < bestPriority || e.Priority == bestPriority && e.Keys[1].Bits > bestBits
		if !found || better {
			best, bestPriority, bestBits, found = e.Data[0].Lo, e.Priority, e.Keys[1].Bits, true
		}
	}
	return best, found
}

// says reports whether a key's value is what an entry means, bit by bit.
func says(key Key, k KeyValue, value uint64) bool {
	if key.Kind == Range {
		return value >= k.Value.Lo && value <= k.Mask.Lo
	}
	for bit := range key.X.Width() {
		compared := key.Kind == Exact || key.Kind == Ternary && k.Mask.Lo>>bit&1 == 1 ||
			key.Kind == Prefix && bit >= key.X.Width()-k.Bits
		if compared && value>>bit&1 != k.Value.Lo>>bit&1 {
			return false
		}
	}
	return true
}

// drawnKey is a valid value of a key.
func drawnKey(t *rapid.T, kind Match, bits int) KeyValue {
	value := uint64(rapid.IntRange(0, 1<<bits-1).Draw(t, "value"))
	switch kind {
	case Ternary:
		mask := uint64(rapid.IntRange(0, 1<<bits-1).Draw(t, "mask"))
		return TernaryKey(value&mask, mask)
	case Prefix:
		length := rapid.IntRange(0, bits).Draw(t, "length")
		return PrefixKey(Uint(value).and(prefixMask(length, bits)), length)
	case Range:
		high := uint64(rapid.IntRange(int(value), 1<<bits-1).Draw(t, "high"))
		return RangeKey(value, high)
	}
	return ExactKey(value)
}
