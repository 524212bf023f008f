package sonic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DB is the content of a config_db.json: tables, of entries by key, of fields.
type DB struct {
	tables  map[string]json.RawMessage // as they stand in the file
	changed map[string]table           // tables that Update wrote into
}

// NewDB returns a configuration without tables.
func NewDB() *DB {
	return &DB{tables: map[string]json.RawMessage{}, changed: map[string]table{}}
}

// Parse reads a config_db.json. It looks into the tables that this package knows: each must be an
// object of objects whose values are strings, or lists of strings. The others may be anything.
func Parse(data []byte) (*DB, error) {
	db := NewDB()
	if err := json.Unmarshal(data, &db.tables); err != nil {
		return nil, fmt.Errorf("sonic: config_db.json: %w", err)
	}
	if db.tables == nil {
		return nil, &Error{Value: "null", Rule: "config_db.json must be an object of tables"}
	}
	for _, name := range known {
		if _, err := db.table(name); err != nil {
			return nil, err
		}
	}
	return db, nil
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

// MarshalJSON writes it with its tables in the order of their names.
func (db *DB) MarshalJSON() ([]byte, error) {
	all := map[string]any{}
	for name, raw := range db.tables {
		all[name] = raw
	}
	for name, t := range db.changed {
		all[name] = t
	}
	return json.Marshal(all)
}

type table map[string]fields

// fields are the values of an entry, as they stand in the file, by name.
type fields map[string]json.RawMessage

func (db *DB) table(name string) (table, error) {
	if t := db.changed[name]; t != nil {
		return t, nil
	}
	raw, ok := db.tables[name]
	if !ok {
		return nil, nil
	}
	var entries map[string]json.RawMessage
	if err := unmarshal(raw, &entries); err != nil {
		return nil, &Error{Table: name, Value: short(raw), Rule: "must be an object of entries"}
	}
	t := table{}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		var f map[string]json.RawMessage
		if err := unmarshal(entries[key], &f); err != nil {
			return nil, &Error{
				Table: name, Key: key, Value: short(entries[key]), Rule: "must be an object of fields",
			}
		}
		for _, field := range slices.Sorted(maps.Keys(f)) {
			if _, ok := text(f[field]); !ok {
				return nil, &Error{
					Table: name, Key: key, Field: field, Value: short(f[field]),
					Rule: "must be a string, or a list of strings",
				}
			}
		}
		t[key] = f
	}
	return t, nil
}

// unmarshal is json.Unmarshal of an object, which null is not.
func unmarshal[T any](raw json.RawMessage, into *map[string]T) error {
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return fmt.Errorf("null")
	}
	return json.Unmarshal(raw, into)
}

// text returns a value as a string, of a list with commas between; false if it is neither.
func text(raw json.RawMessage) (string, bool) {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return "", false
	}
	if s, ok := value.(string); ok {
		return s, true
	}
	list, ok := value.([]any)
	var all []string
	for _, element := range list {
		s, is := element.(string)
		all, ok = append(all, s), ok && is
	}
	return strings.Join(all, ","), ok
}

func short(raw json.RawMessage) string {
	const most = 40
	if len(raw) <= most {
		return string(raw)
	}
	return strings.ToValidUTF8(string(raw[:most]), "") + "..."
}

// set writes a field; an entry and a table that are not there begin to be.
func (db *DB) set(name, key, field, value string) error {
	t, err := db.table(name)
	if err != nil {
		return err
	}
	if t == nil {
		t = table{}
	}
	if t[key] == nil {
		t[key] = fields{}
	}
	if before, ok := text(t[key][field]); !ok || before != value {
		t[key][field], err = json.Marshal(value)
	}
	db.changed[name] = t
	return err
}
