package emit

import (
	"io"

	"github.com/sluicefc/sluice/tofino/ir"
)

// entry is an element of the list that [Entries] writes.
type entry struct {
	Table  string
	Op     string // "add", "modify", "default", "delete" or "expect"
	Pipe   int
	Action *string
	Key    fields
	Data   fields
	Kinds  fields // of match, of keys that are not exact
}

// append appends the element as JSON.
func (e *entry) append(text []byte) []byte {
	all := fields{{"table_name", e.Table}, {"op", e.Op}, {"pipe", e.Pipe}, {"action", e.Action},
		{"key", e.Key}, {"data", e.Data}}
	if len(e.Kinds) > 0 {
		all = append(all, named{"kinds", e.Kinds})
	}
	return all.append(text)
}

// bare appends what add_from_json reads of the element.
func (e *entry) bare(text []byte) []byte {
	return fields{
		{"table_name", e.Table}, {"action", e.Action}, {"key", e.Key}, {"data", e.Data},
	}.append(text)
}

// AllPipes is the pipe of an entry that goes to all of them.
const AllPipes = 0xFFFF

// Entries writes the configuration of a program as a JSON list, an element a line: fixed tables in
// the order of their list, what the driver is to answer for each port whose queues words name, then
// the program's tables and its registers, and the switch that lets words of flow control act last.
// Both must be valid.
//
// An element has table_name, action, key and data as add_from_json reads them; op, which is "add",
// "modify", "default", "delete" or "expect"; pipe, 65535 for all; and kinds of match of the keys
// that are not exact. What is expected is not written: it must be read before the rest is.
func Entries(w io.Writer, p *ir.Program, cfg *ir.Config) error {
	list, err := elements(p, cfg)
	if err != nil {
		return err
	}
	return lines(w, list)
}

// elements returns the elements of a configuration in their order.
func elements(p *ir.Program, cfg *ir.Config) ([]*entry, error) {
	names := NamesOf(p)
	var list []*entry
	for _, table := range ir.FixedTables() {
		if table != ir.PipeScheduling {
			list = append(list, fixedEntries(table, cfg)...)
		}
	}
	expected, err := expectations(cfg)
	if err != nil {
		return nil, err
	}
	list = append(list, expected...)
	for _, filled := range cfg.Tables {
		list = append(list, tableEntries(filled, names)...)
	}
	for _, e := range cfg.Registers {
		list = append(list, registerEntry(e, names.Registers[e.Register]))
	}
	return append(list, fixedEntries(ir.PipeScheduling, cfg)...), nil
}

// tableEntries returns the entries of one of the program's tables, its default last.
func tableEntries(t ir.TableConfig, names Names) []*entry {
	var list []*entry
	for _, e := range t.Entries {
		list = append(list, tableEntry(t.Table, "add", e, names))
	}
	if t.Default != nil {
		list = append(list, call(t.Table, "default", fields{}, *t.Default, names))
	}
	return list
}

// tableEntry returns the element of one entry of a table.
func tableEntry(t *ir.Table, op string, e ir.Entry, names Names) *entry {
	var key, kinds fields
	for at, k := range t.Keys {
		key = append(key, named{k.Name, keyValue(k, e.Keys[at])})
		if k.Kind != ir.Exact {
			kinds = append(kinds, named{k.Name, k.Kind.String()})
		}
	}
	if t.Prioritised() {
		key = append(key, named{matchPriority, e.Priority})
	}
	one := call(t, op, key, e.Call, names)
	one.Kinds = kinds
	return one
}

// call returns an element of an action with its data.
func call(t *ir.Table, op string, key fields, c ir.Call, names Names) *entry {
	name := names.Action(t, c.Action).Name
	data := fields{}
	for at, param := range c.Action.Params {
		data = append(data, named{param.Name, number(c.Data[at])})
	}
	return &entry{
		Table: names.Tables[t].Name, Op: op, Pipe: AllPipes, Action: &name, Key: key, Data: data,
	}
}

// keyValue returns a key as the list has it: a number, or a number with its mask, its length in
// bits, or its upper end.
func keyValue(k ir.Key, v ir.KeyValue) any {
	switch k.Kind {
	case ir.Ternary, ir.Range:
		return []any{number(v.Value), number(v.Mask)}
	case ir.Prefix:
		return []any{number(v.Value), v.Bits}
	}
	return number(v.Value)
}

// number returns a value as JSON has it: those that a double does not hold as text.
func number(v ir.Value) any {
	if v.Hi == 0 && v.Lo < 1<<53 {
		return v.Lo
	}
	return v.String()
}

// registerEntry returns the element of a register.
func registerEntry(e ir.RegisterEntry, object Object) *entry {
	pipe := e.Pipe
	if pipe < 0 {
		pipe = AllPipes
	}
	data := fields{}
	for at, name := range halves(e.Register, object) {
		data = append(data, named{name, e.Value[at]})
	}
	return &entry{Table: object.Name, Op: "modify", Pipe: pipe, Key: fields{{registerIndex, e.Index}},
		Data: data}
}

// fixedEntries returns the entries of a fixed table.
func fixedEntries(table *ir.FixedTable, cfg *ir.Config) []*entry {
	var list []*entry
	for _, e := range cfg.Fixed {
		if e.Table != table {
			continue
		}
		one := &entry{Table: table.Name, Op: "add", Pipe: AllPipes, Key: members(e.Keys),
			Data: members(e.Data)}
		switch {
		case len(table.Keys) == 0:
			one.Op = "default"
		case table.Modify:
			one.Op = "modify"
		}
		if table.ByPipe && e.Pipe >= 0 {
			one.Pipe = e.Pipe
		}
		if e.Action != "" {
			one.Action = &e.Action
		}
		list = append(list, one)
	}
	return list
}

// members returns data as the members of an object.
func members(data []ir.FixedDatum) fields {
	list := fields{}
	for _, datum := range data {
		list = append(list, named{datum.Field, datum.Value})
	}
	return list
}
