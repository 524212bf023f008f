package emit

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/sluicefc/sluice/tofino/ir"
)

// entry is an element of the list that [Entries] writes.
type entry struct {
	Table  string  `json:"table_name"`
	Op     string  `json:"op"` // "add", "modify" or "default"
	Pipe   int     `json:"pipe"`
	Action *string `json:"action"`
	Key    fields  `json:"key"`
	Data   fields  `json:"data"`
}

// fields is an object whose members keep their order.
type fields []named

type named struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (f fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for at, one := range f {
		if at > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(one.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(one.value)
		if err != nil {
			return nil, err
		}
		b.Write(append(append(name, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// AllPipes is the pipe of an entry that goes to all of them.
const AllPipes = 0xFFFF

// Entries writes the configuration of a program as a JSON list, an element a line: fixed tables in
// the order of their list, then the program's tables and its registers, and the switch that lets
// words of flow control act last. Both must be valid. Elements of the program's tables are what
// add_from_json reads, which does not look at op and pipe.
func Entries(w io.Writer, p *ir.Program, cfg *ir.Config) error {
	names := NamesOf(p)
	var list []entry
	for _, table := range ir.FixedTables() {
		if table != ir.PipeScheduling {
			list = append(list, fixedEntries(table, cfg)...)
		}
	}
	for _, filled := range cfg.Tables {
		list = append(list, tableEntries(filled, names)...)
	}
	for _, e := range cfg.Registers {
		list = append(list, registerEntry(e, names.Registers[e.Register]))
	}
	list = append(list, fixedEntries(ir.PipeScheduling, cfg)...)
	return lines(w, list)
}

// lines writes a list with an element on each line.
func lines(w io.Writer, list []entry) error {
	var b bytes.Buffer
	b.WriteString("[")
	for at := range list {
		separator := ",\n"
		if at == 0 {
			separator = "\n"
		}
		b.WriteString(separator)
		element, err := json.Marshal(&list[at])
		if err != nil {
			return err
		}
		b.Write(element)
	}
	b.WriteString("\n]\n")
	_, err := w.Write(b.Bytes())
	return err
}

// tableEntries returns the entries of one of the program's tables, its default last.
func tableEntries(t ir.TableConfig, names Names) []entry {
	var list []entry
	for _, e := range t.Entries {
		var key fields
		for at, k := range t.Table.Keys {
			key = append(key, named{k.Name, keyValue(k, e.Keys[at])})
		}
		if t.Table.Prioritised() {
			key = append(key, named{"$MATCH_PRIORITY", e.Priority})
		}
		list = append(list, call(t.Table, "add", key, e.Call, names))
	}
	if t.Default != nil {
		list = append(list, call(t.Table, "default", fields{}, *t.Default, names))
	}
	return list
}

// call returns an element of an action with its data.
func call(t *ir.Table, op string, key fields, c ir.Call, names Names) entry {
	name := names.Action(t, c.Action).Name
	data := fields{}
	for at, param := range c.Action.Params {
		data = append(data, named{param.Name, number(c.Data[at])})
	}
	return entry{names.Tables[t].Name, op, AllPipes, &name, key, data}
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
func registerEntry(e ir.RegisterEntry, object Object) entry {
	pipe := e.Pipe
	if pipe < 0 {
		pipe = AllPipes
	}
	data := fields{}
	for at, name := range halves(e.Register, object) {
		data = append(data, named{name, e.Value[at]})
	}
	return entry{object.Name, "modify", pipe, nil, fields{{"$REGISTER_INDEX", e.Index}}, data}
}

// fixedEntries returns the entries of a fixed table.
func fixedEntries(table *ir.FixedTable, cfg *ir.Config) []entry {
	var list []entry
	for _, e := range cfg.Fixed {
		if e.Table != table {
			continue
		}
		one := entry{Table: table.Name, Op: "add", Pipe: AllPipes, Key: members(e.Keys),
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
