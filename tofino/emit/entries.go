package emit

import (
	"io"

	"github.com/sluicefc/sluice/tofino/ir"
)

// entry is an element of the list that [Entries] writes. A single entry is filled again and again:
// lists have tens of thousands.
type entry struct {
	table     string
	op        string // "add", "modify", "default", "delete" or "expect"
	pipe      int
	action    string // none if it is empty
	key, data []said
}

// said is a key or a datum of an element.
type said struct {
	name   string
	match  ir.Match // of a key
	value  ir.Value
	second ir.Value // of a key that is not exact: its mask, its length in bits or its upper end
	fixed  any      // of a table of the chip, in the place of value
}

// AllPipes is the pipe of an entry that goes to all pipes.
const AllPipes = 0xFFFF

// Entries writes the configuration of a program as a JSON list, an element a line: fixed tables in
// the order of their list, the driver's expected answer for each port whose queues words name, then
// the program's tables and its registers, and last the switch that lets words of flow control act.
// Program and configuration must be valid.
//
// An element has table_name, action, key and data as add_from_json reads them; op, which is "add",
// "modify", "default", "delete" or "expect"; pipe, 65535 for all; and kinds of match of the keys
// that are not exact. An element that is expected is not written to the switch: it must be read
// there before the rest is written.
func Entries(w io.Writer, p *ir.Program, cfg *ir.Config) error {
	l := newLines(cfg)
	if err := elements(cfg, NamesOf(p), l.add); err != nil {
		return err
	}
	return l.write(w)
}

// elements visits the elements of a configuration in their order. The visited element is filled
// anew for the next visit.
func elements(cfg *ir.Config, names Names, visit func(*entry)) error {
	e := &entry{}
	for _, table := range ir.FixedTables() {
		if table != ir.PipeScheduling {
			e.ofFixed(table, cfg, visit)
		}
	}
	if err := e.expectations(cfg, visit); err != nil {
		return err
	}
	for _, filled := range cfg.Tables {
		for at := range filled.Entries {
			e.ofTable(filled.Table, "add", &filled.Entries[at], names)
			visit(e)
		}
		if filled.Default != nil {
			e.ofDefault(filled.Table, *filled.Default, names)
			visit(e)
		}
	}
	for _, one := range cfg.Registers {
		e.ofRegister(one, names.Registers[one.Register])
		visit(e)
	}
	e.ofFixed(ir.PipeScheduling, cfg, visit)
	return nil
}

func (e *entry) begin(table, op string) {
	*e = entry{table: table, op: op, pipe: AllPipes, key: e.key[:0], data: e.data[:0]}
}

// ofTable makes it the element of one entry of a table.
func (e *entry) ofTable(t *ir.Table, op string, of *ir.Entry, names Names) {
	e.begin(names.Tables[t].Name, op)
	for at, k := range t.Keys {
		v := &of.Keys[at]
		second := v.Mask
		if k.Kind == ir.Prefix {
			second = ir.Uint(uint64(v.Bits))
		}
		e.key = append(e.key, said{name: k.Name, match: k.Kind, value: v.Value, second: second})
	}
	if t.Prioritised() {
		e.key = append(e.key, said{name: matchPriority, value: ir.Uint(uint64(of.Priority))})
	}
	e.calls(t, of.Call, names)
}

func (e *entry) ofDefault(t *ir.Table, c ir.Call, names Names) {
	e.begin(names.Tables[t].Name, "default")
	e.calls(t, c, names)
}

// calls gives the element the action that the entry runs, with its data.
func (e *entry) calls(t *ir.Table, c ir.Call, names Names) {
	e.action = names.Action(t, c.Action).Name
	for at, param := range c.Action.Params {
		e.data = append(e.data, said{name: param.Name, value: c.Data[at]})
	}
}

func (e *entry) ofRegister(of ir.RegisterEntry, object Object) {
	e.begin(object.Name, "modify")
	if of.Pipe >= 0 {
		e.pipe = of.Pipe
	}
	e.key = append(e.key, said{name: registerIndex, value: ir.Uint(uint64(of.Index))})
	for at, name := range halves(of.Register, object) {
		e.data = append(e.data, said{name: name, value: ir.Uint(uint64(of.Value[at]))})
	}
}

func (e *entry) ofFixed(table *ir.FixedTable, cfg *ir.Config, visit func(*entry)) {
	for _, of := range cfg.Fixed {
		if of.Table != table {
			continue
		}
		e.begin(table.Name, "add")
		switch {
		case len(table.Keys) == 0:
			e.op = "default"
		case table.Modify:
			e.op = "modify"
		}
		if table.ByPipe && of.Pipe >= 0 {
			e.pipe = of.Pipe
		}
		e.action = of.Action
		for _, datum := range of.Keys {
			e.key = append(e.key, said{name: datum.Field, fixed: datum.Value})
		}
		for _, datum := range of.Data {
			e.data = append(e.data, said{name: datum.Field, fixed: datum.Value})
		}
		visit(e)
	}
}
