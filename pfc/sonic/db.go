package sonic

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// DB is the content of a config_db.json: tables, of entries by key, of fields. Parts that no call
// changes keep their bytes.
type DB struct {
	doc    *document
	asic   string           // whose tables these are, in a file of several
	tables *object          // in doc
	parsed map[string]table // of tables that this package knows
	lookup Lookup
}

// NewDB returns a configuration without tables.
func NewDB() *DB {
	db, _ := Parse([]byte("{\n}\n")) // an object it is
	return db
}

// Parse reads a config_db.json. It looks into the tables that this package knows: each must be an
// object of objects whose values are strings, numbers, true or false, or lists of these. The others
// may be anything. Of a key that comes twice the last counts; [Switch] has it among its Faults.
//
// A file of a switch of several ASICs, whose outermost keys are localhost, asic0 and so on, has no
// tables until [DB.ChooseASIC].
func Parse(data []byte) (*DB, error) {
	doc, err := parseDocument(data)
	switch {
	case errors.Is(err, errObject):
		return nil, &Error{Value: short(string(data)), Rule: err.Error()}
	case err != nil:
		return nil, fmt.Errorf("sonic: %w", err)
	}
	db := &DB{doc: doc, tables: doc.root}
	if len(db.ASICs()) > 0 {
		db.tables = &object{}
	}
	return db, db.read()
}

// ASICs returns the names of the ASICs of a file that has the tables of several, in the order of
// the file, with localhost, the tables of the switch itself, among them; nil if it is of one.
func (db *DB) ASICs() (names []string) {
	several := false
	for _, m := range db.doc.root.members {
		number, is := strings.CutPrefix(m.key, "asic")
		is = is && number != "" && strings.Trim(number, "0123456789") == ""
		if m.object != nil && (is || m.key == "localhost") {
			names, several = append(names, m.key), several || is
		}
	}
	if !several {
		return nil
	}
	return names
}

// ChooseASIC makes the tables of one of [DB.ASICs] those that Import reads and Update writes.
func (db *DB) ChooseASIC(name string) error {
	for _, known := range db.ASICs() {
		if known == name {
			db.asic, db.tables = name, db.doc.root.get(name)
			return db.read()
		}
	}
	rule := fmt.Sprintf("must be one of the ASICs of the file, %q", db.ASICs())
	return &Error{Table: name, Rule: rule}
}

// known are the tables that Import reads and Update writes.
var known = []string{
	"BUFFER_PG", "BUFFER_POOL", "BUFFER_PORT_EGRESS_PROFILE_LIST",
	"BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PROFILE", "BUFFER_QUEUE", "CABLE_LENGTH",
	"DEFAULT_LOSSLESS_BUFFER_PARAMETER", "DEVICE_METADATA", "DSCP_TO_TC_MAP",
	"LOSSLESS_TRAFFIC_PATTERN", "MAP_PFC_PRIORITY_TO_QUEUE", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP",
	"PFC_WD", "PORT", "PORT_QOS_MAP", "QUEUE", "SCHEDULER",
	"TC_TO_PRIORITY_GROUP_MAP", "TC_TO_QUEUE_MAP", "WRED_PROFILE",
}

// WriteTo writes the file: to the byte as it was read, except the changed parts.
func (db *DB) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(db.doc.append(nil))
	return int64(n), err
}

// MarshalJSON returns what WriteTo writes, without its blanks.
func (db *DB) MarshalJSON() ([]byte, error) { return db.doc.append(nil), nil }

type table map[string]fields

// fields are the values of an entry, by name: of a list with commas between.
type fields map[string]string

// read parses the tables that this package knows.
func (db *DB) read() error {
	db.parsed = map[string]table{}
	for _, name := range known {
		m := db.tables.index[name]
		if m == nil {
			continue
		}
		if m.object == nil {
			return &Error{Table: name, Value: short(m.text), Rule: "must be an object of entries"}
		}
		t := make(table, len(m.object.members))
		for _, entry := range m.object.members {
			if entry.object == nil {
				return &Error{
					Table: name, Key: entry.key, Value: short(entry.text), Rule: "must be an object of fields",
				}
			}
			f := make(fields, len(entry.object.members))
			for _, field := range entry.object.members {
				value, ok := text(field)
				if !ok {
					return &Error{
						Table: name, Key: entry.key, Field: field.key, Value: short(field.value()),
						Rule: "must be a string, a number, true or false, or a list of these",
					}
				}
				f[field.key] = value
			}
			t[entry.key] = f
		}
		db.parsed[name] = t
	}
	return nil
}

func (m *member) value() string {
	if m.object != nil {
		return string(m.object.append(nil))
	}
	return m.text
}

// text returns a value as a string, of a list with commas between; false if it is neither.
func text(m *member) (string, bool) {
	if m.object != nil || m.text == "" {
		return "", false
	}
	switch c := m.text[0]; {
	case c == '"':
		var s string
		err := json.Unmarshal([]byte(m.text), &s)
		return s, err == nil
	case c != '[':
		return m.text, m.text != "null" && c != '{'
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(m.text), &list) != nil {
		return "", false
	}
	all := make([]string, len(list))
	for i, element := range list {
		s, ok := text(&member{text: string(element)})
		if !ok || element[0] == '[' {
			return "", false
		}
		all[i] = s
	}
	return strings.Join(all, ","), true
}

func short(text string) string {
	const most = 40
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}

// set writes a field; an entry and a table that are not there begin to be.
func (db *DB) set(name, key, field, value string) {
	db.entry(name, key)
	if before, is := db.parsed[name][key][field]; is && before == value {
		return
	}
	db.parsed[name][key][field] = value
	entry := db.doc.child(db.doc.child(db.tables, name), key)
	m := db.doc.member(entry, field)
	was := m.text
	raw, _ := json.Marshal(value) // a string has a text
	switch m.object, m.text = nil, string(raw); {
	case strings.HasPrefix(was, "["):
		raw, _ = json.Marshal(strings.Split(value, ","))
		m.text = string(raw)
	case was != "" && was[0] != '"' && json.Valid([]byte(value)):
		m.text = value // a number stays a number
	}
}

// entry makes an entry that is not there begin to be, without fields.
func (db *DB) entry(name, key string) {
	if db.parsed[name] == nil {
		db.parsed[name] = table{}
	}
	if db.parsed[name][key] == nil {
		db.parsed[name][key] = fields{}
		db.doc.child(db.doc.child(db.tables, name), key)
	}
}

// unset removes a field, and with field "" an entry.
func (db *DB) unset(name, key, field string) {
	t := db.tables.get(name)
	if t == nil || db.parsed[name][key] == nil {
		return
	}
	if field == "" {
		delete(db.parsed[name], key)
		t.remove(key)
		return
	}
	delete(db.parsed[name][key], field)
	t.get(key).remove(field)
}

// clone returns a copy that shares nothing that is written.
func (db *DB) clone() *DB {
	c := &DB{doc: db.doc.clone(), asic: db.asic, lookup: db.lookup}
	c.tables = c.doc.root
	if len(c.ASICs()) > 0 {
		c.tables = &object{}
	}
	if db.asic != "" {
		c.tables = c.doc.root.get(db.asic)
	}
	_ = c.read() // as it was read before
	return c
}
