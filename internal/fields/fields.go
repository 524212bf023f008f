// Package fields goes through every integer of a struct of counters: to sum them, and for tests of
// code that must treat all fields alike.
package fields

import (
	"fmt"
	"math"
	"reflect"
)

// Add adds the counters of another to the counters of total, also in structs and arrays within. A
// field tagged `sum:"max"` becomes the larger of the two, one tagged `sum:"min"` the smaller.
// Sums saturate at the largest int64. It allocates.
func Add[T any](total, other *T) {
	add(reflect.ValueOf(total).Elem(), reflect.ValueOf(other).Elem(), "")
}

// Total returns the sum of what parts counted, by Add; there is at least one.
func Total[P, C any](parts []P, counters func(*P) C) C {
	total := counters(&parts[0])
	for i := 1; i < len(parts); i++ {
		other := counters(&parts[i])
		Add(&total, &other)
	}
	return total
}

func add(total, other reflect.Value, rule string) {
	switch {
	case total.Kind() == reflect.Struct:
		for i := range total.NumField() {
			add(total.Field(i), other.Field(i), total.Type().Field(i).Tag.Get("sum"))
		}
	case total.Kind() == reflect.Array:
		for i := range total.Len() {
			add(total.Index(i), other.Index(i), rule)
		}
	case total.CanUint():
		total.SetUint(uint64(joined(int64(total.Uint()), int64(other.Uint()), rule)))
	default:
		total.SetInt(joined(total.Int(), other.Int(), rule))
	}
}

// joined returns what two counters come to. Only counters of the rule min may be negative.
func joined(a, b int64, rule string) int64 {
	switch {
	case rule == "max":
		return max(a, b)
	case rule == "min":
		return min(a, b)
	case a > math.MaxInt64-b:
		return math.MaxInt64
	}
	return a + b
}

// Number sets the integers in the struct that v points to to first, first+1 and so on, also in
// structs and arrays within.
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

// Joins says what Add makes of each integer in two structs of counters, by name: sum, max or min.
// It is for tests.
func Joins[T any]() map[string]string {
	var a, b T
	Number(&a, 1)
	Number(&b, 1000)
	there, back := a, b
	Add(&there, &b)
	Add(&back, &a)
	low, high, again := Of(&a), Of(&b), Of(&back)
	joins := map[string]string{}
	for name, got := range Of(&there) {
		switch {
		case got != again[name]:
			joins[name] = "depends on the order"
		case got == low[name]+high[name]:
			joins[name] = "sum"
		case got == high[name]:
			joins[name] = "max"
		case got == low[name]:
			joins[name] = "min"
		}
	}
	return joins
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
