// Package fields looks at every integer in a struct, for tests of code that must treat all fields
// alike: a field that was added, and forgotten there, is found.
package fields

import (
	"fmt"
	"reflect"
)

// Number sets the integers in the struct that v points to to first, first+1 and so on, those of
// structs and arrays in it too.
func Number(v any, first int64) {
	next := first
	walk(reflect.ValueOf(v).Elem(), "", func(_ string, field reflect.Value) {
		if field.CanInt() {
			field.SetInt(next)
		} else {
			field.SetUint(uint64(next))
		}
		next++
	})
}

// Of returns the integers in the struct that v points to, by name: "Class[3].Marked".
func Of(v any) map[string]int64 {
	all := map[string]int64{}
	walk(reflect.ValueOf(v).Elem(), "", func(name string, field reflect.Value) {
		if field.CanInt() {
			all[name] = field.Int()
		} else {
			all[name] = int64(field.Uint())
		}
	})
	return all
}

func walk(v reflect.Value, name string, do func(name string, field reflect.Value)) {
	switch {
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			inner := v.Type().Field(i).Name
			if name != "" {
				inner = name + "." + inner
			}
			walk(v.Field(i), inner, do)
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), fmt.Sprintf("%s[%d]", name, i), do)
		}
	case v.CanInt() || v.CanUint():
		do(name, v)
	default:
		panic(fmt.Sprintf("fields: %s is no integer", name))
	}
}
