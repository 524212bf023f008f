package ir

import "slices"

// Change is one step from a configuration to another: an entry is added, modified or deleted, or a
// table's default is set.
type Change struct {
	Kind  ChangeKind
	Table *Table
	Entry Entry // of SetDefault, the call alone
}

// ChangeKind is the kind of a [Change].
type ChangeKind uint8

// Kinds of changes, in the order in which they are made: room is freed before it is needed.
const (
	Delete ChangeKind = iota
	Modify
	Insert
	SetDefault
)

// Changes are what leads from one configuration to another.
type Changes []Change

// Diff returns the changes of tables that lead from one configuration to another of the same
// program: deletions, modifications, insertions, defaults; each in the order of the tables and
// entries. It takes time in proportion to the entries of both.
func Diff(from, to *Config) Changes {
	var byKind [SetDefault + 1]Changes
	add := func(kind ChangeKind, table *Table, e Entry) {
		byKind[kind] = append(byKind[kind], Change{kind, table, e})
	}
	old := map[*Table]TableConfig{}
	for _, filled := range from.Tables {
		old[filled.Table] = filled
	}
	for _, filled := range to.Tables {
		before := map[string]Entry{}
		for _, e := range old[filled.Table].Entries {
			before[e.name()] = e
		}
		for _, e := range filled.Entries {
			name := e.name()
			was, known := before[name]
			switch {
			case !known:
				add(Insert, filled.Table, e)
			case was.Action != e.Action || was.Priority != e.Priority || !slices.Equal(was.Data, e.Data):
				add(Modify, filled.Table, e)
			}
			delete(before, name)
		}
		for _, e := range old[filled.Table].Entries {
			if _, gone := before[e.name()]; gone {
				add(Delete, filled.Table, e)
			}
		}
		if now, was := filled.initial(), old[filled.Table].initial(); filled.Default != nil ||
			was != nil {
			if was == nil || now.Action != was.Action || !slices.Equal(now.Data, was.Data) {
				add(SetDefault, filled.Table, Entry{Call: *now})
			}
		}
		delete(old, filled.Table)
	}
	for _, filled := range from.Tables {
		if _, gone := old[filled.Table]; gone {
			for _, e := range filled.Entries {
				add(Delete, filled.Table, e)
			}
		}
	}
	return slices.Concat(byKind[:]...)
}

// initial returns the default in effect, nil if the table is not filled.
func (t TableConfig) initial() *Call {
	switch {
	case t.Table == nil:
		return nil
	case t.Default != nil:
		return t.Default
	}
	return &t.Table.Default
}

// name returns the keys of an entry in octets.
func (e *Entry) name() string {
	var octets []byte
	for _, key := range e.Keys {
		octets = key.Value.Append(octets, MaxWidth)
		octets = key.Mask.Append(octets, MaxWidth)
		octets = append(octets, byte(key.Bits))
	}
	return string(octets)
}

// Apply makes the changes at a machine, up to the first change that the machine refuses.
func (c Changes) Apply(m *Machine) error {
	for _, change := range c {
		var err error
		switch change.Kind {
		case Delete:
			err = m.Delete(change.Table, change.Entry.Keys)
		case Modify:
			err = m.Modify(change.Table, change.Entry)
		case Insert:
			err = m.Add(change.Table, change.Entry)
		case SetDefault:
			err = m.SetDefault(change.Table, change.Entry.Call)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
