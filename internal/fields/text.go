package fields

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Text writes a struct for people to read. A line has the fields that are not zero; below it,
// indented, come the structs within. A time that is never is left out, too. Elements of a list that
// follow each other and are equal share their lines, elements that are zero have none. The first
// line begins with the name of the struct's package.
func Text(w io.Writer, v any) error {
	at := reflect.Indirect(reflect.ValueOf(v))
	t := text{}
	of := at.Type().PkgPath()
	t.block(of[strings.LastIndexByte(of, '/')+1:], at, "")
	_, err := io.WriteString(w, t.String())
	return err
}

type text struct{ strings.Builder }

// block writes a struct under a name.
func (t *text) block(name string, v reflect.Value, indent string) {
	var line []string
	for i := range v.NumField() {
		field, of := v.Type().Field(i), v.Field(i)
		if of.IsZero() || !field.IsExported() || nested(of.Type()) {
			continue
		}
		switch said := fmt.Sprint(of.Interface()); {
		case of.Kind() == reflect.Bool:
			line = append(line, field.Name)
		case said != "never":
			line = append(line, field.Name+" "+said)
		}
	}
	if t.WriteString(indent + name + ":"); line != nil {
		t.WriteString(" " + strings.Join(line, ", "))
	}
	t.WriteString("\n")
	for i := range v.NumField() {
		field, of := v.Type().Field(i), v.Field(i)
		switch {
		case of.IsZero() || !field.IsExported() || !nested(of.Type()):
		case of.Kind() == reflect.Struct:
			t.block(field.Name, of, indent+"  ")
		default:
			t.list(field.Name, of, indent+"  ")
		}
	}
}

// list writes the structs of a list.
func (t *text) list(name string, v reflect.Value, indent string) {
	for first := 0; first < v.Len(); {
		of, last := v.Index(first), first
		for last+1 < v.Len() && reflect.DeepEqual(of.Interface(), v.Index(last+1).Interface()) {
			last++
		}
		numbers := fmt.Sprint(first)
		if last > first {
			numbers += fmt.Sprintf("-%d", last)
		}
		if !of.IsZero() {
			t.block(name+" "+numbers, of, indent)
		}
		first = last + 1
	}
}

// nested reports whether values of a type have lines of their own: structs that are not text by
// themselves, and lists of such structs.
func nested(t reflect.Type) bool {
	switch {
	case t.Implements(reflect.TypeFor[fmt.Stringer]()):
		return false
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		return nested(t.Elem())
	}
	return t.Kind() == reflect.Struct
}
