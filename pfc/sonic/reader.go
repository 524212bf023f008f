package sonic

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicefc/sluice"
)

// reader reads entries of a DB, and notes what nobody read. The first error stays.
type reader struct {
	db     *DB
	tables map[string]table
	read   map[[3]string]bool
	left   []Note
	err    error
}

func newReader(db *DB) *reader {
	r := &reader{db: db, tables: map[string]table{}, read: map[[3]string]bool{}}
	for _, name := range known {
		t, err := db.table(name)
		if err != nil && r.err == nil {
			r.err = err
		}
		r.tables[name] = t
	}
	return r
}

func (r *reader) keys(name string) []string {
	return slices.SortedFunc(maps.Keys(r.tables[name]), natural)
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
	raw, ok := r.tables[name][key][field]
	if !ok {
		return "", false
	}
	return text(raw)
}

// get reads a field into a variable; false, and no change, if it is not there or is wrong.
func get[T any](
	r *reader, name, key, field string, parse func(string) (T, error), into *T,
) bool {
	s, ok := r.value(name, key, field)
	if !ok {
		return false
	}
	v, err := parse(s)
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
	r.left = append(r.left, Note{name, key, field, why})
}

func (r *reader) noteOnce(name, key, field, why string) {
	for _, n := range r.left {
		if n.Table == name && n.Key == key && n.Field == field {
			return
		}
	}
	r.note(name, key, field, why)
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
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner = strings.TrimSuffix(inner, "]")
		if _, name, ok := strings.Cut(inner, "|"); ok {
			return name
		}
	}
	return s
}

// members returns the ports and classes of a key as "Ethernet0|3-4" or "Ethernet0,Ethernet4|3".
func (r *reader) members(name, key string) ([]string, sluice.ClassSet) {
	ports, classes, ok := strings.Cut(key, "|")
	set, err := parseClasses(classes)
	if !ok || err != nil || set == 0 {
		r.note(name, key, "", "not of a port and priorities 0 to 7")
		return nil, 0
	}
	return strings.Split(ports, ","), set
}
