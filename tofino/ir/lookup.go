package ir

import (
	"cmp"
	"slices"
)

// lookup is a table with what it holds. Entries are found by the exact keys first: those that have
// these in common are tried by prefix length or priority.
type lookup struct {
	table    *Table
	keys     []evaluated
	bodies   []block // of the table's actions, in order
	fallback bound

	exact    bool              // no other kind of key
	buckets  map[string]bucket // by the exact keys
	octets   []byte
	inserted int // since the table was empty
	entries  int
}

// bound is an action with its data, as a pass runs it.
type bound struct {
	action int
	data   []Value
}

// bucket holds the entries whose exact keys are the same, the first to match first.
type bucket []row

// row is an entry in its bucket.
type row struct {
	entry Entry
	order int // of its insertion: among equals the first wins
	call  bound
}

func (m *Machine) newLookup(t *Table) *lookup {
	l := &lookup{table: t, exact: true, buckets: map[string]bucket{}}
	for _, key := range t.Keys {
		l.keys = append(l.keys, m.value(key.X, nil))
		l.exact = l.exact && key.Kind == Exact
	}
	for _, action := range t.Actions {
		l.bodies = append(l.bodies, m.body(action))
	}
	l.fallback = l.bind(t.Default)
	return l
}

func (l *lookup) clear() {
	l.buckets = map[string]bucket{}
	l.fallback = l.bind(l.table.Default)
	l.inserted, l.entries = 0, 0
}

// bind finds an action among those of the table.
func (l *lookup) bind(call Call) bound { return bound{l.table.action(call.Action), call.Data} }

// find returns what the table does with the packet of a pass, and whether an entry matched.
func (l *lookup) find(p *pass) (bound, bool) {
	l.octets = l.octets[:0]
	for at, key := range l.table.Keys {
		if key.Kind == Exact {
			l.octets = l.keys[at](p).Append(l.octets, key.X.Width())
		}
	}
	rows := l.buckets[string(l.octets)]
	if l.exact {
		if len(rows) == 0 {
			return l.fallback, false
		}
		return rows[0].call, true
	}
	for at := range rows {
		if l.matches(&rows[at].entry, p) {
			return rows[at].call, true
		}
	}
	return l.fallback, false
}

// matches reports whether the keys that are not exact match an entry.
func (l *lookup) matches(e *Entry, p *pass) bool {
	for at, key := range l.table.Keys {
		if key.Kind != Exact && !e.Keys[at].matches(l.keys[at](p), key.Kind, key.X.Width()) {
			return false
		}
	}
	return true
}

// matches reports whether a key's value is one that an entry means.
func (k *KeyValue) matches(value Value, kind Match, width int) bool {
	switch kind {
	case Ternary:
		return value.and(k.Mask) == k.Value
	case Prefix:
		return value.and(prefixMask(k.Bits, width)) == k.Value
	case Range:
		return value.Compare(k.Value) >= 0 && value.Compare(k.Mask) <= 0
	default:
		return value == k.Value
	}
}

// name returns the exact keys of an entry in octets.
func (l *lookup) name(e *Entry) string {
	var octets []byte
	for at, key := range l.table.Keys {
		if key.Kind == Exact {
			octets = e.Keys[at].Value.Append(octets, key.X.Width())
		}
	}
	return string(octets)
}

// insert adds a valid entry; sort puts what was added in order.
func (l *lookup) insert(e Entry) {
	name := l.name(&e)
	l.buckets[name] = append(l.buckets[name], row{e, l.inserted, l.bind(e.Call)})
	l.inserted++
	l.entries++
}

// sort puts the entries of each bucket in the order in which they are tried.
func (l *lookup) sort() {
	if l.exact {
		return
	}
	for _, rows := range l.buckets {
		l.arrange(rows)
	}
}

// arrange orders rows: lower priority first, then longer prefixes, then as they were inserted.
func (l *lookup) arrange(rows bucket) {
	prefix := slices.IndexFunc(l.table.Keys, func(k Key) bool { return k.Kind == Prefix })
	slices.SortFunc(rows, func(a, b row) int {
		longer := 0
		if prefix >= 0 {
			longer = cmp.Compare(b.entry.Keys[prefix].Bits, a.entry.Keys[prefix].Bits)
		}
		return cmp.Or(cmp.Compare(a.entry.Priority, b.entry.Priority), longer,
			cmp.Compare(a.order, b.order))
	})
}

// position returns where the bucket of a name has an entry with the same keys, -1 if it has none.
func (l *lookup) position(name string, e *Entry) int {
	return slices.IndexFunc(l.buckets[name], func(r row) bool {
		return slices.Equal(r.entry.Keys, e.Keys)
	})
}
