package params

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
)

func (f *Field) store(v value) {
	into := f.into
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	if f.zero.IsValid() && v.num == 0 {
		into.Set(f.zero)
		return
	}
	if f.names != nil { // not all of them need be choices
		v.num = int64(slices.Index(f.names, v.text))
	}
	put(into, v)
}

func put(into reflect.Value, v value) {
	switch p := into.Addr().Interface().(type) {
	case *sluice.Ratio:
		*p = sluice.Ratio{Num: v.num, Den: v.den}
		return
	case *Opposite:
		*p.Not = v.num == 0
		return
	}
	switch {
	case into.Kind() == reflect.String:
		into.SetString(v.text)
	case into.Kind() == reflect.Bool:
		into.SetBool(v.num != 0)
	case into.CanUint():
		into.SetUint(uint64(v.num))
	default:
		into.SetInt(v.num)
	}
}

// kindOf returns the kind of a parameter that a variable of a type takes, 0 if it takes none.
func kindOf(t reflect.Type) Kind {
	switch t {
	case reflect.TypeFor[sluice.Bytes]():
		return Bytes
	case reflect.TypeFor[sluice.Time]():
		return Time
	case reflect.TypeFor[sluice.Rate]():
		return Rate
	case reflect.TypeFor[sluice.Ratio]():
		return Rational
	case reflect.TypeFor[Opposite]():
		return Bool
	}
	switch v := reflect.Zero(t); {
	case t.Kind() == reflect.Bool:
		return Bool
	case t.Kind() == reflect.String || enumeration(t) != nil:
		return Choice
	case v.CanInt() || v.CanUint():
		return Int
	}
	return 0
}

// mostOf returns the largest number of an integer type, as far as an int64 has it.
func mostOf(t reflect.Type) int64 {
	bits := t.Bits()
	if reflect.Zero(t).CanInt() || bits == 64 {
		bits--
	}
	return math.MaxInt64 >> (63 - bits)
}

// enumeration returns the names of the constants of a type, with hyphens for blanks, so that a
// shell needs no quotes; nil if it has none.
func enumeration(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Uint8 || !t.Implements(reflect.TypeFor[fmt.Stringer]()) {
		return nil
	}
	v := reflect.New(t).Elem()
	for n := range uint64(math.MaxUint8) {
		v.SetUint(n)
		name := v.Interface().(fmt.Stringer).String()
		if strings.HasSuffix(name, ")") { // behind the last constant: "Mode(2)"
			break
		}
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// Parse reads a value as a parameter of a type that [Bind] knows is written: "600ns", "100Gbps". A
// number may be negative.
func Parse[T any](text string) (v T, err error) {
	if rule := Set(reflect.ValueOf(&v).Elem(), text); rule != "" {
		err = errors.New(rule)
	}
	return v, err
}

// Set gives a variable of such a type what a user wrote. rule is not empty if that cannot be.
func Set(into reflect.Value, text string) (rule string) {
	d := Definition{Kind: kindOf(into.Type()), Choices: enumeration(into.Type())}
	if d.Kind == 0 || d.Kind == Choice && d.Choices == nil {
		return "cannot be set from text"
	}
	v, rule := d.read(text)
	if rule == "" && d.Kind == Int && (v.num < 0 && into.CanUint() || v.num > mostOf(into.Type()) ||
		into.CanInt() && into.OverflowInt(v.num)) {
		rule = "is out of the range of " + into.Kind().String()
	}
	if rule == "" {
		put(into, v)
	}
	return rule
}
