package emit

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sluicefc/sluice/tofino/ir"
)

// The run-time interface's schema, as far as match tables and registers need it: the bf-rt.json
// that the compiler writes.
type (
	schemaTable struct {
		schemaField
		Key     []schemaField  `json:"key"`
		Actions []schemaAction `json:"action_specs"`
		Data    []struct {
			Singleton schemaField `json:"singleton"`
		} `json:"data"`
	}
	schemaAction struct {
		schemaField
		Data []schemaField `json:"data"`
	}
	schemaField struct {
		ID    uint32 `json:"id"`
		Name  string `json:"name"`
		Match string `json:"match_type"`
		Type  struct {
			Width int `json:"width"`
		} `json:"type"`
	}
)

// matchTypes are the names of kinds of match in the schema.
var matchTypes = map[ir.Match]string{ir.Exact: "Exact", ir.Ternary: "Ternary", ir.Prefix: "LPM",
	ir.Range: "Range"}

// Compiled returns the names with the numbers of a bf-rt.json that a compiler wrote of the same
// program. It returns an error if the text is no schema, and says in it all that the schema lacks
// of the program or has otherwise: tables, registers, actions, keys with their kinds and widths,
// data with their widths.
func (n Names) Compiled(p *ir.Program, schema []byte) (Names, error) {
	var file struct {
		Tables []schemaTable `json:"tables"`
	}
	if err := json.Unmarshal(schema, &file); err != nil {
		return Names{}, fmt.Errorf("emit: the compiled schema: %w", err)
	}
	c := compiled{byName: map[string]*schemaTable{}, names: Names{
		Tables: map[*ir.Table]Object{}, Registers: map[*ir.Register]Object{},
		actions: map[inside]Object{}, homes: n.homes, fields: map[string]uint32{}}}
	for at := range file.Tables {
		c.byName[file.Tables[at].Name] = &file.Tables[at]
	}
	for _, table := range p.Tables {
		c.table(&n, table)
	}
	for _, register := range p.Registers {
		c.register(&n, register)
	}
	if len(c.faults) > 0 {
		return Names{}, errors.Join(c.faults...)
	}
	return c.names, nil
}

// compiled takes numbers out of a schema.
type compiled struct {
	byName map[string]*schemaTable
	names  Names
	faults []error
}

func (c *compiled) fault(rule string, values ...any) {
	c.faults = append(c.faults, fmt.Errorf("emit: the compiled schema has "+rule, values...))
}

// table takes the numbers of a table, its keys, its actions and their data.
func (c *compiled) table(n *Names, t *ir.Table) {
	name := n.Tables[t].Name
	in := c.byName[name]
	if in == nil {
		c.fault("no table %s", name)
		return
	}
	c.names.Tables[t] = Object{name, in.ID}
	for _, key := range t.Keys {
		is := c.field("key", name, in.Key, key.Name, key.X.Width())
		if kind := matchTypes[key.Kind]; is != nil && is.Match != kind {
			c.fault("key %s of %s as %s: the program has %s", key.Name, name, is.Match, kind)
		}
	}
	if t.Prioritised() {
		c.field("key", name, in.Key, matchPriority, 0)
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
		c.names.actions[inside{n.homes.tables[t], a}] = Object{object.Name, spec.ID}
		for _, param := range a.Params {
			c.field("datum", in.Name+"/"+object.Name, spec.Data, param.Name, param.Bits)
		}
		return
	}
	c.fault("no action %s of table %s", object.Name, in.Name)
}

func (c *compiled) register(n *Names, r *ir.Register) {
	object := n.Registers[r]
	in := c.byName[object.Name]
	if in == nil {
		c.fault("no register %s", object.Name)
		return
	}
	c.names.Registers[r] = Object{object.Name, in.ID}
	c.field("key", object.Name, in.Key, registerIndex, 0)
	var data []schemaField
	for _, datum := range in.Data {
		data = append(data, datum.Singleton)
	}
	for _, name := range halves(r, object) {
		c.field("datum", object.Name, data, name, r.Bits)
	}
}

// field takes the number of a key or a datum, which must have the bits unless these are 0.
func (c *compiled) field(
	kind, of string, fields []schemaField, name string, bits int,
) *schemaField {
	for at := range fields {
		is := &fields[at]
		if is.Name != name {
			continue
		}
		if bits > 0 && is.Type.Width != bits {
			c.fault("%s %s of %s with %d bits: the program has %d", kind, name, of, is.Type.Width, bits)
		}
		c.names.fields[of+"/"+name] = is.ID
		return is
	}
	c.fault("no %s %s of %s", kind, name, of)
	return nil
}

// mostUpdates is how many entries one written request changes.
const mostUpdates = 512

// RequestFiles returns the requests that load the program's own tables and registers, each in a
// file of its own in the order in which they are to be sent: requests/0000.bin and so on, the bytes
// of a WriteRequest with the numbers of a compiled schema; and that schema, requests/bf-rt.json.
// Errors are [Names.Compiled]'s.
func RequestFiles(p *ir.Program, cfg *ir.Config, schema []byte) ([]File, error) {
	names, err := NamesOf(p).Compiled(p, schema)
	if err != nil {
		return nil, err
	}
	files := []File{{Name: "requests/bf-rt.json", Content: schema}}
	for at, request := range Requests(p, cfg, names, 0, mostUpdates) {
		files = append(files, File{Name: fmt.Sprintf("requests/%04d.bin", at),
			Content: request.Append(nil)})
	}
	return files, nil
}
