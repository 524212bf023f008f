package emit

import (
	"encoding/json"
	"io"

	"github.com/sluicefc/sluice/tofino/ir"
)

// The run-time interface's schema, as far as match tables and registers need it.
type (
	schemaFile struct {
		Version string        `json:"schema_version"`
		Tables  []schemaTable `json:"tables"`
		Filters []struct{}    `json:"learn_filters"`
	}
	schemaTable struct {
		Name         string         `json:"name"`
		ID           uint32         `json:"id"`
		Type         string         `json:"table_type"`
		Size         int            `json:"size"`
		Annotations  *[]annotation  `json:"annotations,omitempty"` // not of every kind of table
		DependsOn    []uint32       `json:"depends_on"`
		ConstDefault *bool          `json:"has_const_default_action,omitempty"`
		Key          []schemaKey    `json:"key"`
		Actions      []schemaAction `json:"action_specs,omitempty"`
		Data         []schemaCommon `json:"data"`
		Operations   []string       `json:"supported_operations"`
		Attributes   []string       `json:"attributes"`
		ReadOnly     bool           `json:"read_only,omitempty"`
	}
	schemaKey struct {
		ID          uint32       `json:"id"`
		Name        string       `json:"name"`
		Repeated    bool         `json:"repeated"`
		Annotations []annotation `json:"annotations"`
		Mandatory   bool         `json:"mandatory"`
		Match       string       `json:"match_type"`
		Type        schemaType   `json:"type"`
	}
	schemaAction struct {
		ID          uint32       `json:"id"`
		Name        string       `json:"name"`
		Scope       string       `json:"action_scope"`
		Annotations []annotation `json:"annotations"`
		Data        []schemaData `json:"data"`
	}
	schemaData struct {
		ID          uint32       `json:"id"`
		Name        string       `json:"name"`
		Repeated    bool         `json:"repeated"`
		Mandatory   bool         `json:"mandatory"`
		ReadOnly    bool         `json:"read_only"`
		Annotations []annotation `json:"annotations"`
		Type        schemaType   `json:"type"`
	}
	schemaCommon struct {
		Mandatory bool            `json:"mandatory"`
		ReadOnly  bool            `json:"read_only"`
		Singleton schemaSingleton `json:"singleton"`
	}
	schemaSingleton struct {
		ID          uint32         `json:"id"`
		Name        string         `json:"name"`
		Repeated    bool           `json:"repeated"`
		Annotations []annotation   `json:"annotations"`
		Type        *schemaType    `json:"type,omitempty"`
		Container   []schemaCommon `json:"container,omitempty"` // in the place of a type
	}
	schemaType struct {
		Type    string   `json:"type"`
		Width   int      `json:"width,omitempty"`
		Choices []string `json:"choices,omitempty"`
		Default any      `json:"default_value,omitempty"`
	}
	annotation struct {
		Name  string `json:"name"`
		Value string `json:"value,omitempty"`
	}
)

// matchTypes are the names of kinds of match in the schema.
var matchTypes = map[ir.Match]string{ir.Exact: "Exact", ir.Ternary: "Ternary", ir.Prefix: "LPM",
	ir.Range: "Range"}

// Schema writes the bf-rt.json of a valid program, as the compiler writes it, with the tables that
// the compiler adds. No text decides the number of pipe.snapshot.cfg: the compiler takes the number
// of ingress's snapshots or of egress's, whichever control has the lower address in its memory.
// Schema takes ingress's.
func Schema(w io.Writer, p *ir.Program) error {
	names := NamesOf(p)
	file := schemaFile{Version: "1.0.0", Tables: []schemaTable{}, Filters: []struct{}{}}
	for _, table := range p.Tables {
		file.Tables = append(file.Tables, matchTable(table, names))
	}
	for _, register := range p.Registers {
		file.Tables = append(file.Tables, registerTable(register, names.Registers[register]))
	}
	file.Tables = append(file.Tables, ownTables(p)...)
	return indented(w, file)
}

// indented writes JSON that a person can read.
func indented(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

func matchTable(t *ir.Table, names Names) schemaTable {
	object := names.Tables[t]
	made := own(object.Name, object.ID, "MatchAction_Direct", t.Size)
	made.Annotations, made.ConstDefault = &[]annotation{}, new(bool)
	made.Attributes = []string{"EntryScope"}
	for at, key := range t.Keys {
		made.keyed(uint32(at+1), key.Name, false, octets(key.X.Width()))
		made.Key[at].Match = matchTypes[key.Kind]
	}
	if t.Prioritised() {
		made.keyed(matchPriorityID, matchPriority, false, uint32Type)
	}
	for _, action := range t.Actions {
		named := names.Action(t, action)
		spec := schemaAction{ID: named.ID, Name: named.Name,
			Scope: "TableAndDefault", Annotations: []annotation{}, Data: []schemaData{}}
		for at, param := range action.Params {
			spec.Data = append(spec.Data, schemaData{ID: uint32(at + 1), Name: param.Name, Mandatory: true,
				Annotations: []annotation{}, Type: octets(param.Bits)})
		}
		made.Actions = append(made.Actions, spec)
	}
	return made
}

// registerTable returns the schema of a register: an entry for each element.
func registerTable(r *ir.Register, object Object) schemaTable {
	made := own(object.Name, object.ID, "Register", r.Size)
	made.keyed(registerIndexID, registerIndex, true, uint32Type)
	made.Operations = []string{"Sync"}
	for at, name := range halves(r, object) {
		datum := one(uint32(at+1), name, octets(r.Bits))
		datum.Mandatory = true
		datum.Singleton.Annotations = []annotation{{"$bfrt_field_class", "register_data"}}
		made.Data = append(made.Data, datum)
	}
	return made
}

// halves returns the names of the fields of a register's element.
func halves(r *ir.Register, object Object) []string {
	name := object.Name[len("pipe."):]
	if r.Pair {
		return []string{name + ".low", name + ".high"}
	}
	return []string{name + ".f1"}
}

func octets(bits int) schemaType { return schemaType{Type: "bytes", Width: bits} }
