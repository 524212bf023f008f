package emit

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sluicefc/sluice/tofino/ir"
)

// Difference is a number that a compiler gave and that is not the predicted number. It is reported
// and is no error: the compiler's number is used.
type Difference struct {
	What                string // "table pipe.Ingress.afc", "key port of pipe.Ingress.afc"
	Predicted, Compiled uint32
}

// String formats as "table pipe.Ingress.afc: predicted 46120060, compiled 46120061".
func (d Difference) String() string {
	return fmt.Sprintf("%s: predicted %d, compiled %d", d.What, d.Predicted, d.Compiled)
}

// Compiled returns the names with the numbers of a bf-rt.json that a compiler wrote of the same
// program, and the numbers that differ from the predicted numbers, in the order of the program. It
// returns an error if the text is no schema, or lacks an object of the program.
func (n Names) Compiled(p *ir.Program, schema []byte) (Names, []Difference, error) {
	var file schemaFile
	if err := json.Unmarshal(schema, &file); err != nil {
		return Names{}, nil, fmt.Errorf("emit: the compiled schema: %w", err)
	}
	c := compiled{byName: map[string]*schemaTable{}, names: Names{
		Tables: map[*ir.Table]Object{}, Registers: map[*ir.Register]Object{},
		actions: map[inside]Object{},
		homes:   n.homes, fields: map[string]uint32{}}}
	for at := range file.Tables {
		c.byName[file.Tables[at].Name] = &file.Tables[at]
	}
	for _, table := range p.Tables {
		c.table(&n, table)
	}
	for _, register := range p.Registers {
		c.register(&n, register)
	}
	if len(c.missing) > 0 {
		return Names{}, c.differences, errors.Join(c.missing...)
	}
	return c.names, c.differences, nil
}

// compiled takes numbers out of a schema.
type compiled struct {
	byName      map[string]*schemaTable
	names       Names
	differences []Difference
	missing     []error
}

func (c *compiled) lacks(what string) {
	c.missing = append(c.missing, fmt.Errorf("emit: the compiled schema has no %s", what))
}

func (c *compiled) differ(what string, predicted, is uint32) {
	if predicted != is {
		c.differences = append(c.differences, Difference{what, predicted, is})
	}
}

// object returns the schema of a table or a register, and the numbers of its keys.
func (c *compiled) object(kind string, of Object) (*schemaTable, map[string]uint32) {
	in := c.byName[of.Name]
	if in == nil {
		c.lacks(kind + " " + of.Name)
		return nil, nil
	}
	c.differ(kind+" "+of.Name, of.ID, in.ID)
	keys := map[string]uint32{}
	for _, key := range in.Key {
		keys[key.Name] = key.ID
	}
	return in, keys
}

// table takes the numbers of a table, its keys, its actions and their data.
func (c *compiled) table(n *Names, t *ir.Table) {
	object := n.Tables[t]
	in, keys := c.object("table", object)
	if in == nil {
		return
	}
	c.names.Tables[t] = Object{object.Name, in.ID}
	for at, key := range t.Keys {
		c.field("key", object.Name, keys, uint32(at+1), key.Name)
	}
	if t.Prioritised() {
		c.field("key", object.Name, keys, matchPriorityID, matchPriority)
	}
	for _, action := range t.Actions {
		c.action(n, t, action, in)
	}
}

// action takes the numbers of an action of a table.
func (c *compiled) action(n *Names, t *ir.Table, a *ir.Action, in *schemaTable) {
	object := n.Action(t, a)
	for _, spec := range in.Actions {
		if spec.Name != object.Name {
			continue
		}
		used := inside{n.homes.tables[t], a}
		if _, known := c.names.actions[used]; !known {
			c.differ("action "+object.Name, object.ID, spec.ID)
		}
		c.names.actions[used] = Object{object.Name, spec.ID}
		data := map[string]uint32{}
		for _, datum := range spec.Data {
			data[datum.Name] = datum.ID
		}
		for at, param := range a.Params {
			c.field("datum", in.Name+"/"+object.Name, data, uint32(at+1), param.Name)
		}
		return
	}
	c.lacks("action " + object.Name + " of table " + in.Name)
}

func (c *compiled) register(n *Names, r *ir.Register) {
	object := n.Registers[r]
	in, fields := c.object("register", object)
	if in == nil {
		return
	}
	c.names.Registers[r] = Object{object.Name, in.ID}
	for _, datum := range in.Data {
		fields[datum.Singleton.Name] = datum.Singleton.ID
	}
	c.field("key", object.Name, fields, registerIndexID, registerIndex)
	for at, name := range halves(r, object) {
		c.field("datum", object.Name, fields, uint32(at+1), name)
	}
}

// field takes the number of a key or a datum.
func (c *compiled) field(kind, of string, numbers map[string]uint32, predicted uint32,
	name string) {
	number, known := numbers[name]
	if !known {
		c.lacks(kind + " " + name + " of " + of)
		return
	}
	c.differ(kind+" "+name+" of "+of, predicted, number)
	c.names.fields[of+"/"+name] = number
}

// mostUpdates is how many entries one written request changes.
const mostUpdates = 512

// RequestFiles returns the requests that load the program's own tables and registers, each in a
// file of its own in the order in which they are to be sent: requests/0000.bin and so on, the bytes
// of a WriteRequest with the numbers of a compiled schema; and that schema, requests/bf-rt.json. It
// also returns the numbers that differ from the predicted numbers.
func RequestFiles(p *ir.Program, cfg *ir.Config, schema []byte) ([]File, []Difference, error) {
	predicted := NamesOf(p)
	names, differences, err := predicted.Compiled(p, schema)
	if err != nil {
		return nil, differences, err
	}
	files := []File{{"requests/bf-rt.json", schema}}
	for at, request := range Requests(p, cfg, names, 0, mostUpdates) {
		files = append(files, File{fmt.Sprintf("requests/%04d.bin", at), request.Append(nil)})
	}
	return files, differences, nil
}
