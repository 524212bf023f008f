package ir

import (
	"errors"
	"fmt"
	"slices"
)

// Validate returns every fault of a configuration of a valid program, joined; nil if there is none.
// Each is a [*Fault]. It takes time in proportion to the entries.
func (cfg *Config) Validate(p *Program) error {
	c := &checker{program: p}
	seen := map[*Table]bool{}
	for _, filled := range cfg.Tables {
		if filled.Table == nil || !slices.Contains(p.Tables, filled.Table) {
			c.fault(true, "configuration", "fills a table that is not the program's")
			continue
		}
		c.fault(seen[filled.Table], "table "+filled.Table.Name, "is filled twice")
		seen[filled.Table] = true
		c.filled(filled)
	}
	for _, entry := range cfg.Registers {
		c.content(entry)
	}
	for at := range cfg.Fixed {
		c.fixed(&cfg.Fixed[at])
	}
	return errors.Join(c.faults...)
}

func (c *checker) filled(t TableConfig) {
	c.fault(len(t.Entries) > t.Table.Size, "table "+t.Table.Name, "%d entries: it has room for %d",
		len(t.Entries), t.Table.Size)
	if t.Default != nil {
		c.call(t.Table, *t.Default, "table "+t.Table.Name+", default")
	}
	taken := make(map[string]int, len(t.Entries))
	for at, entry := range t.Entries {
		if err := entryFaults(t.Table, entry, at); err != nil {
			c.faults = append(c.faults, err)
			continue
		}
		key := entry.name()
		other, twice := taken[key]
		c.fault(twice, place(t.Table, at), "has the key of entry %d", other)
		taken[key] = at
	}
}

// entryFaults returns what is wrong with one entry.
func entryFaults(t *Table, e Entry, at int) error {
	if len(e.Keys) != len(t.Keys) {
		return fault(place(t, at), "has %d keys: the table has %d", len(e.Keys), len(t.Keys))
	}
	if e.Action == nil || t.action(e.Action) < 0 {
		return fault(place(t, at), "runs an action that the table does not list")
	}
	faults := dataFaults(e.Call, place(t, at))
	for i, key := range t.Keys {
		if rule := keyFault(key, e.Keys[i]); rule != "" {
			faults = append(faults, fault(place(t, at), "key %s %s", key.Name, rule))
		}
	}
	if e.Priority < 0 || e.Priority != 0 && !t.Prioritised() {
		faults = append(faults, fault(place(t, at), "has priority %d", e.Priority))
	}
	return errors.Join(faults...)
}

// keyFault returns what is wrong with the value of a key, nothing if it is right.
func keyFault(key Key, v KeyValue) string {
	width := key.X.Width()
	if !v.Value.Fits(width) {
		return fmt.Sprintf("= %v has more than %d bits", v.Value, width)
	}
	switch key.Kind {
	case Exact:
		if !v.Mask.Zero() || v.Bits != 0 {
			return "is exact and has a mask or a length"
		}
	case Ternary:
		if !v.Mask.Fits(width) || v.Bits != 0 {
			return fmt.Sprintf("has a mask %v of more than %d bits, or a length", v.Mask, width)
		}
		if v.Value != v.Value.and(v.Mask) {
			return fmt.Sprintf("= %v has ones outside its mask %v", v.Value, v.Mask)
		}
	case Prefix:
		if v.Bits < 0 || v.Bits > width || !v.Mask.Zero() {
			return fmt.Sprintf("has %d bits of %d, or a mask", v.Bits, width)
		}
		if v.Value != v.Value.and(prefixMask(v.Bits, width)) {
			return fmt.Sprintf("= %v has ones after its first %d bits", v.Value, v.Bits)
		}
	case Range:
		if !v.Mask.Fits(width) || v.Bits != 0 || v.Value.Compare(v.Mask) > 0 {
			return fmt.Sprintf("from %v to %v: must be in order and of %d bits", v.Value, v.Mask, width)
		}
	}
	return ""
}

// prefixMask returns the first bits of a width.
func prefixMask(bits, width int) Value { return Mask(width).xor(Mask(width - bits)) }

func (c *checker) content(e RegisterEntry) {
	if e.Register == nil || !slices.Contains(c.program.Registers, e.Register) {
		c.fault(true, "configuration", "fills a register that is not the program's")
		return
	}
	where := fmt.Sprintf("register %s, element %d", e.Register.Name, e.Index)
	c.fault(e.Index < 0 || e.Index >= e.Register.Size, where, "has %d elements", e.Register.Size)
	c.fault(e.Pipe < -1 || e.Pipe > 3, where, "pipe %d: must be 0 to 3, or -1 for all", e.Pipe)
	for half, value := range e.Value {
		c.fault(!Uint(uint64(value)).Fits(e.Register.Bits) || half == 1 && !e.Register.Pair && value != 0,
			where, "the value %d does not fit", value)
	}
}

func (c *checker) fixed(e *FixedEntry) {
	if e.Table == nil || !slices.Contains(FixedTables(), e.Table) {
		c.fault(true, "configuration", "fills a table that is not the chip's")
		return
	}
	where := "table " + e.Table.Name
	if len(e.Keys) > 0 {
		where += fmt.Sprintf(", key %v", e.Keys[0].Value)
	}
	c.fault(e.Table.ByPipe && (e.Pipe < -1 || e.Pipe > 3), where, "pipe %d: must be 0 to 3, or -1 "+
		"for all", e.Pipe)
	c.fault(!e.Table.ByPipe && e.Pipe != 0, where, "is of all pipes, not of pipe %d", e.Pipe)
	if len(e.Table.Actions) == 0 {
		c.fault(e.Action != "", where, "has no actions")
	} else {
		c.fault(!slices.Contains(e.Table.Actions, e.Action), where, "has no action %q", e.Action)
	}
	c.data(e.Keys, e.Table.Keys, where)
	c.data(e.Data, e.Table.Fields, where)
	c.fault(len(e.Keys) != len(e.Table.Keys), where, "has %d keys: the table has %d", len(e.Keys),
		len(e.Table.Keys))
}

func (c *checker) data(data []FixedDatum, fields []FixedField, where string) {
	seen := map[string]bool{}
	for _, datum := range data {
		at := slices.IndexFunc(fields, func(f FixedField) bool { return f.Name == datum.Field })
		if at < 0 {
			c.fault(true, where, "has no field %s", datum.Field)
			continue
		}
		c.fault(seen[datum.Field], where, "says %s twice", datum.Field)
		seen[datum.Field] = true
		c.fault(fields[at].ReadOnly, where, "%s can only be read", datum.Field)
		rule := fields[at].fault(datum.Value)
		c.fault(rule != "", where, "%s = %v: %s", datum.Field, datum.Value, rule)
	}
}

// fault returns what is wrong with a value of the field, nothing if it is right.
func (f *FixedField) fault(value any) string {
	switch f.Kind {
	case FixedBool:
		if _, is := value.(bool); !is {
			return "must be a bool"
		}
	case FixedText:
		text, is := value.(string)
		if !is || len(f.Choices) > 0 && !slices.Contains(f.Choices, text) {
			return fmt.Sprintf("must be one of %q", f.Choices)
		}
	case FixedUint:
		number, is := value.(uint64)
		if !is || !Uint(number).Fits(f.Bits) {
			return fmt.Sprintf("must be a number of at most %d bits", f.Bits)
		}
	case FixedList:
		numbers, is := value.([]uint64)
		if !is || slices.ContainsFunc(numbers, func(n uint64) bool { return !Uint(n).Fits(f.Bits) }) {
			return fmt.Sprintf("must be numbers of at most %d bits", f.Bits)
		}
	}
	return ""
}
