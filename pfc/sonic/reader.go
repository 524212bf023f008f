package sonic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// reader reads entries of a DB, and lists the entries that no import read. The first error stays.
type reader struct {
	db     *DB
	tables map[string]table
	sorted map[string][]string // keys of tables
	read   map[[3]string]bool
	noted  map[[3]string]bool
	left   []Note
	err    error
}

func newReader(db *DB) *reader {
	r := &reader{
		db: db, tables: maps.Clone(db.parsed), read: map[[3]string]bool{},
		noted: map[[3]string]bool{}, sorted: map[string][]string{},
	}
	if names := db.ASICs(); len(names) > 0 && db.asic == "" {
		r.err = &Error{Rule: fmt.Sprintf("an ASIC must be chosen, of %q", names)}
	}
	return r
}

func (r *reader) keys(name string) []string {
	keys, is := r.sorted[name]
	if !is {
		keys = sortedKeys(r.tables[name])
		r.sorted[name] = keys
	}
	return keys
}

// overlay replaces a table.
func (r *reader) overlay(name string, t table) {
	r.tables[name] = t
	delete(r.sorted, name)
}

// sortedKeys returns the keys of a map in their natural order.
func sortedKeys[T any](m map[string]T) []string {
	type part struct {
		letters, all string
		number       int
	}
	parts := make([]part, 0, len(m))
	for key := range m {
		letters, number := split(key)
		parts = append(parts, part{letters, key, number})
	}
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(strings.Compare(a.letters, b.letters), cmp.Compare(a.number, b.number),
			strings.Compare(a.all, b.all))
	})
	keys := make([]string, len(parts))
	for i := range parts {
		keys[i] = parts[i].all
	}
	return keys
}

// natural orders names by their letters, then by the first number in them, then by all.
func natural(a, b string) int {
	nameA, numberA := split(a)
	nameB, numberB := split(b)
	return cmp.Or(
		strings.Compare(nameA, nameB), cmp.Compare(numberA, numberB), strings.Compare(a, b))
}

func split(s string) (string, int) {
	at := strings.IndexAny(s, "0123456789")
	if at < 0 {
		return s, -1
	}
	end := at
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(s[at:min(end, at+9)])
	return s[:at], n
}

func (r *reader) value(name, key, field string) (string, bool) {
	r.read[[3]string{name, key, field}] = true
	s, ok := r.tables[name][key][field]
	return s, ok
}

// get reads a field into a variable; false, and no change, if it is not there or is wrong.
func get[T any](
	r *reader, name, key, field string, parse func(string) (T, error), into *T,
) bool {
	s, ok := r.value(name, key, field)
	if !ok {
		return false
	}
	v, err := parse(strings.TrimSpace(s))
	if err != nil {
		r.fail(name, key, field, s, err.Error())
		return false
	}
	*into = v
	return true
}

func (r *reader) fail(name, key, field, value, rule string) {
	if r.err == nil {
		r.err = &Error{name, key, field, value, rule}
	}
}

func (r *reader) note(name, key, field, why string) {
	r.read[[3]string{name, key, field}] = true
	r.noted[[3]string{name, key, field}] = true
	r.left = append(r.left, Note{Table: name, Key: key, Field: field, Why: why})
}

func (r *reader) noteOnce(name, key, field, why string) {
	if !r.noted[[3]string{name, key, field}] {
		r.note(name, key, field, why)
	}
}

func (r *reader) noteUnread(names ...string) {
	for _, name := range names {
		for _, key := range r.keys(name) {
			for _, field := range slices.Sorted(maps.Keys(r.tables[name][key])) {
				if !r.read[[3]string{name, key, field}] {
					r.note(name, key, field, "nothing here is like it")
				}
			}
		}
	}
}

// reference returns the name in "name", or in "[TABLE|name]" as older versions have it.
func reference(s string) string {
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner = strings.TrimSuffix(inner, "]")
		if _, name, ok := strings.Cut(inner, "|"); ok {
			return name
		}
	}
	return s
}
