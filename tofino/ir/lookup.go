package ir

import (
	"cmp"
	"slices"
)

// lookup is a table with its entries. Entries are found by the exact keys first: entries with the
// same exact keys are tried by prefix length or priority.
type lookup struct {
	table    *Table
	exactly  []searched // keys that are exact
	others   []searched
	bodies   []block // of the table's actions, in order
	fallback bound

	index    index // of the exact keys, to a bucket's number
	bits     int   // of the exact keys
	buckets  []bucket
	free     []int32 // numbers of buckets that are not in use
	octets   []byte
	inserted int // since the table was empty
	entries  int
}

// searched is a key of a table.
type searched struct {
	number int // among the table's keys
	kind   Match
	width  int
	at     int // position of the value among a pass's values, -1 if it is computed
	value  evaluated
	found  Value // in this pass
}

// of returns the value of a key.
func (s *searched) of(p *pass) Value {
	if s.at >= 0 {
		return p.values[s.at]
	}
	return s.value(p)
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
	l := &lookup{table: t}
	for number, key := range t.Keys {
		s := searched{number: number, kind: key.Kind, width: key.X.Width(), at: -1,
			value: m.value(key.X, nil)}
		if field, is := key.X.(*Field); is {
			s.at = m.fields[field]
		}
		if key.Kind == Exact {
			l.exactly, l.bits = append(l.exactly, s), l.bits+s.width
		} else {
			l.others = append(l.others, s)
		}
	}
	for _, action := range t.Actions {
		l.bodies = append(l.bodies, m.body(action))
	}
	l.clear()
	return l
}

func (l *lookup) clear() {
	l.index, l.buckets, l.free = newIndex(l.bits), make([]bucket, 1), nil
	l.fallback = l.bind(l.table.Default)
	l.inserted, l.entries = 0, 0
}

// bind finds the call's action among the table's actions.
func (l *lookup) bind(call Call) bound { return bound{l.table.action(call.Action), call.Data} }

// find returns what the table does with the packet of a pass, and whether an entry matched.
func (l *lookup) find(p *pass) (call *bound, matched bool) {
	rows := l.buckets[l.numberOf(p)]
	if len(rows) == 0 {
		return &l.fallback, false
	}
	if len(l.others) == 0 {
		return &rows[0].call, true
	}
	for at := range l.others {
		l.others[at].found = l.others[at].of(p)
	}
	for at := range rows {
		if l.matches(&rows[at].entry) {
			return &rows[at].call, true
		}
	}
	return &l.fallback, false
}

// numberOf returns the number of the bucket of a pass.
func (l *lookup) numberOf(p *pass) int32 {
	if l.index.wide == nil {
		var packed uint64
		for at := range l.exactly {
			key := &l.exactly[at]
			packed = packed<<key.width | key.of(p).Lo
		}
		return l.index.find(packed)
	}
	l.octets = l.octets[:0]
	for at := range l.exactly {
		l.octets = l.exactly[at].of(p).Append(l.octets, l.exactly[at].width)
	}
	return l.index.wide[string(l.octets)]
}

// matches reports whether the keys that are not exact match an entry.
func (l *lookup) matches(e *Entry) bool {
	for at := range l.others {
		key := &l.others[at]
		if !e.Keys[key.number].matches(key.found, key.kind, key.width) {
			return false
		}
	}
	return true
}

// matches reports whether an entry's key matches a value.
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

func (l *lookup) name(e *Entry) (n exactKey) {
	var octets []byte
	for at := range l.exactly {
		key := &l.exactly[at]
		value := e.Keys[key.number].Value
		n.packed = n.packed<<key.width | value.Lo
		octets = value.Append(octets, key.width)
	}
	if l.index.wide != nil {
		n.octets = string(octets)
	}
	return n
}

// insert adds a valid entry; sort puts the entries in order.
func (l *lookup) insert(e Entry) {
	n := l.name(&e)
	number := l.index.number(n)
	if number == 0 {
		number = l.fresh()
		l.index.put(n, number)
	}
	l.buckets[number] = append(l.buckets[number], row{e, l.inserted, l.bind(e.Call)})
	l.inserted++
	l.entries++
}

// fresh returns the number of a bucket that is not in use.
func (l *lookup) fresh() int32 {
	if last := len(l.free) - 1; last >= 0 {
		number := l.free[last]
		l.free = l.free[:last]
		return number
	}
	l.buckets = append(l.buckets, nil)
	return int32(len(l.buckets) - 1)
}

func (l *lookup) remove(n exactKey, number int32, at int) {
	l.entries--
	if l.buckets[number] = slices.Delete(l.buckets[number], at, at+1); len(l.buckets[number]) == 0 {
		l.index.remove(n)
		l.free = append(l.free, number)
	}
}

// sort puts the entries of each bucket in the order in which they are tried.
func (l *lookup) sort() {
	for _, rows := range l.buckets {
		l.arrange(rows)
	}
}

// arrange orders rows: lower priorities first, then longer prefixes, then in order of insertion.
func (l *lookup) arrange(rows bucket) {
	if len(rows) < 2 {
		return
	}
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

// position returns where a bucket has an entry with the same keys, -1 if it has none.
func (l *lookup) position(number int32, e *Entry) int {
	return slices.IndexFunc(l.buckets[number], func(r row) bool {
		return slices.Equal(r.entry.Keys, e.Keys)
	})
}
