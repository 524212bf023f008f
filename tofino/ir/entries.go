package ir

import "errors"

// Add adds an entry to a table, or returns why it cannot be added: it breaks a rule, has the keys
// of another, or the table is full.
func (m *Machine) Add(t *Table, e Entry) error {
	l, err := m.entry(t, e)
	if err != nil {
		return err
	}
	n := l.name(&e)
	switch {
	case l.position(l.index.number(n), &e) >= 0:
		return fault("table "+t.Name, "has an entry with these keys")
	case l.entries >= t.Size:
		return fault("table "+t.Name, "is full: it has room for %d entries", t.Size)
	}
	l.insert(e)
	l.arrange(l.buckets[l.index.number(n)])
	return nil
}

// Modify gives the entry with the same keys the action, data and priority of e, or returns why it
// cannot: e breaks a rule, or no entry has its keys.
func (m *Machine) Modify(t *Table, e Entry) error {
	l, err := m.entry(t, e)
	if err != nil {
		return err
	}
	number := l.index.number(l.name(&e))
	at := l.position(number, &e)
	if at < 0 {
		return fault("table "+t.Name, "has no entry with these keys")
	}
	rows := l.buckets[number]
	rows[at].entry, rows[at].call = e, l.bind(e.Call)
	l.arrange(rows)
	return nil
}

// Delete removes the entry with these keys, or returns that there is none.
func (m *Machine) Delete(t *Table, keys []KeyValue) error {
	l := m.tables[t]
	if l == nil {
		return fault("table", "is not the program's")
	}
	e := Entry{Keys: keys}
	if len(keys) != len(t.Keys) {
		return fault("table "+t.Name, "has %d keys, not %d", len(t.Keys), len(keys))
	}
	n := l.name(&e)
	number := l.index.number(n)
	at := l.position(number, &e)
	if at < 0 {
		return fault("table "+t.Name, "has no entry with these keys")
	}
	l.remove(n, number, at)
	return nil
}

// entry returns the table of an entry that breaks no rule.
func (m *Machine) entry(t *Table, e Entry) (*lookup, error) {
	l := m.tables[t]
	if l == nil {
		return nil, fault("table", "is not the program's")
	}
	return l, entryFaults(t, e, 0)
}

// SetDefault changes what a table does where no entry matches, or returns why it cannot.
func (m *Machine) SetDefault(t *Table, call Call) error {
	l := m.tables[t]
	if l == nil {
		return fault("table", "is not the program's")
	}
	if call.Action == nil || t.action(call.Action) < 0 {
		return fault("table "+t.Name+", default", "runs an action that the table does not list")
	}
	if faults := dataFaults(call, "table "+t.Name+", default"); len(faults) > 0 {
		return errors.Join(faults...)
	}
	l.fallback = l.bind(call)
	return nil
}
