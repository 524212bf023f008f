// Package settings sets the fields of a configuration by their names, from text: "Buffer=20MiB,
// Ports=4, Ports[*].Link.Rate=100Gbps".
package settings

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// MaxLength is the most elements that text can give a slice.
const MaxLength = 4096

// Error says which assignment broke which rule.
type Error struct {
	Field string
	Value string // as written
	Rule  string
}

// Error names field, value and rule:
//
//	Ports[0].Link.Rate=fast: must be a rate with a unit, ...
func (e *Error) Error() string { return e.Field + "=" + e.Value + ": " + e.Rule }

// Apply carries out assignments of text to the struct that into points to, in their order. They are
// separated by commas or line ends; what follows a # on a line is left out. A field is written as
// in Go, "Ports[3].Link.Rate"; [*] is every element that there is. A slice of structs is given its
// length by a number, "Ports=4", and grows by an index beyond its end. Other slices are written
// with plus signs between the elements, "8MiB+12MiB".
func Apply(into any, text string) error {
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, assignment := range strings.Split(line, ",") {
			if assignment = strings.TrimSpace(assignment); assignment == "" {
				continue
			}
			name, value, ok := strings.Cut(assignment, "=")
			if !ok {
				return &Error{name, "", "must be written field=value"}
			}
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if rule := assign(reflect.ValueOf(into).Elem(), name, value); rule != "" {
				return &Error{name, value, rule}
			}
		}
	}
	return nil
}

// assign sets the field of a value that a path names; rule is not empty if it cannot be.
func assign(v reflect.Value, path, text string) (rule string) {
	if path == "" {
		return set(v, text)
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return assign(v.Elem(), path, text)
	}
	if inside, ok := strings.CutPrefix(path, "["); ok {
		return assignElement(v, inside, text)
	}
	name, rest := path, ""
	if end := strings.IndexAny(path, ".["); end >= 0 {
		name, rest = path[:end], strings.TrimPrefix(path[end:], ".")
	}
	if v.Kind() != reflect.Struct {
		return name + " is in no struct"
	}
	field, ok := v.Type().FieldByName(name)
	if !ok || !field.IsExported() {
		return fmt.Sprintf("there is no field %s; there are %s", name,
			strings.Join(fields(v.Type()), ", "))
	}
	return assign(v.FieldByIndex(field.Index), rest, text)
}

// assignElement sets something in the elements of a list that begin a path: "3].Link", "*].Link".
func assignElement(v reflect.Value, path, text string) (rule string) {
	index, rest, ok := strings.Cut(path, "]")
	if !ok || v.Kind() != reflect.Slice && v.Kind() != reflect.Array {
		return "there is no list here, or no closing bracket"
	}
	rest = strings.TrimPrefix(rest, ".")
	if index == "*" {
		for i := range v.Len() {
			if rule := assign(v.Index(i), rest, text); rule != "" {
				return rule
			}
		}
		return ""
	}
	i, err := strconv.Atoi(index)
	switch {
	case err != nil || i < 0 || i >= MaxLength:
		return fmt.Sprintf("an index must be 0 to %d, or *", MaxLength-1)
	case i >= v.Len() && v.Kind() == reflect.Array:
		return fmt.Sprintf("an index must be 0 to %d, or *", v.Len()-1)
	case i >= v.Len():
		resize(v, i+1)
	}
	return assign(v.Index(i), rest, text)
}

// resize gives a slice a length; elements that there are keep their values.
func resize(v reflect.Value, n int) {
	longer := reflect.MakeSlice(v.Type(), n, n)
	reflect.Copy(longer, v)
	v.Set(longer)
}

func fields(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() && !f.Anonymous {
			names = append(names, f.Name)
		}
	}
	return names
}
