package params

import (
	"errors"
	"fmt"
	"math"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/sluicefc/sluice"
)

// Field is a parameter that is bound to a variable, most often a field of a configuration:
// [Values.Fill] gives the variable the parameter's value. Make one with [Bind].
type Field struct {
	Definition
	into  reflect.Value
	zero  reflect.Value // what the variable becomes where the value is 0, if that is something else
	root  reflect.Value // the configuration that the variable is a field of, if it has a check
	check func() error
	names []string // of the variable's constants
	as    string   // the name of the variable in errors of any configuration
}

// Bind declares a parameter and the variable that takes it. The variable's type is the parameter's
// kind: [sluice.Bytes], [sluice.Time], [sluice.Rate], [sluice.Ratio], an integer, a bool, a string
// with [Field.Of], or an enumeration, a uint8 whose String names its constants: their names are the
// parameter's choices. A pointer to such a type stays nil where nothing is set. It panics for any
// other type: an error in the program, which shows at the first run.
func Bind(name string, into any, initial, doc string) Field {
	v := reflect.ValueOf(into).Elem()
	section, _, _ := strings.Cut(name, ".")
	f := Field{into: v, Definition: Definition{
		Name: name, Default: initial, Section: section, Doc: doc,
	}}
	t := v.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	f.Kind = kindOf(t)
	switch f.Kind {
	case Choice:
		f.names = enumeration(t)
		f.Choices = slices.Clone(f.names)
	case Int:
		f.most = mostOf(t)
	case 0:
		panic(fmt.Sprintf("params: %s: no parameter is a %v", name, t))
	}
	return f
}

// Range bounds the value: see [Definition]. Where a configuration has a check of its own, the check
// knows ranges: see [Checked].
func (f Field) Range(low, high string) Field {
	f.Min, f.Max = low, high
	return f
}

// Of names the values of a variable that is a bool, false first, or a string.
func (f Field) Of(names ...string) Field {
	f.Kind, f.Choices, f.most = Choice, names, 0
	return f
}

// List has a string variable take a list of the names and of numbers: see [Items].
func (f Field) List(names ...string) Field {
	f.Kind, f.Choices = List, names
	return f
}

// Zero has the variable become something else where the value is 0: a configuration whose zero
// means that nothing was said has another number that means 0.
func (f Field) Zero(meaning any) Field {
	f.zero = reflect.ValueOf(meaning)
	return f
}

// But takes names from the choices of an enumeration.
func (f Field) But(names ...string) Field {
	f.Choices = slices.DeleteFunc(f.Choices, func(n string) bool { return slices.Contains(names, n) })
	return f
}

// As says what a configuration calls the variable that takes its value from the field's: see
// [Values.Explain].
func (f Field) As(name string) Field {
	f.as = name
	return f
}

// Opposite is a bool variable that is true where the parameter is false.
type Opposite struct{ Not *bool }

// In returns fields with the section of lists that they are in.
func In(section string, fields ...Field) []Field {
	for i := range fields {
		fields[i].Section = section
	}
	return fields
}

// Checked declares that fields belong to the configuration at the pointer of. Its check knows their
// ranges, so that the fields need no other range, and returns a [*sluice.ConfigError]. Lists of
// parameters show what the check says of them, and [Values.Explain] adds the parameter to its
// errors.
func Checked(of any, check func() error, fields ...Field) []Field {
	for i := range fields {
		fields[i].root, fields[i].check = reflect.ValueOf(of).Elem(), check
	}
	return fields
}

// Definitions returns the definitions of fields.
func Definitions(lists ...[]Field) (all []Definition) {
	for _, fields := range lists {
		for i := range fields {
			d := fields[i].Definition
			d.rule = fields[i].rule()
			all = append(all, d)
		}
	}
	return all
}

// rule returns the rule that the check of the field's configuration says the field breaks when it
// has a number that no field can have; "" if there is no check, or it takes any number.
func (f *Field) rule() string {
	if f.check == nil || f.Kind > Rational {
		return ""
	}
	before := reflect.New(f.into.Type()).Elem()
	before.Set(f.into)
	defer func() { f.into.Set(before) }()
	for _, extreme := range []int64{math.MinInt64 + 1, math.MaxInt64 - 1} {
		f.store(value{num: extreme, den: 1})
		var fault *sluice.ConfigError
		if errors.As(f.check(), &fault) && f.isNamed(fault) {
			return fault.Rule
		}
	}
	return ""
}

// isNamed reports whether an error is about the field's variable, and the value that it has.
func (f *Field) isNamed(fault *sluice.ConfigError) bool {
	into := reflect.Indirect(f.into)
	if !into.IsValid() || fmt.Sprint(into.Interface()) != fmt.Sprint(fault.Value) {
		return false
	}
	name := fault.Field[strings.LastIndexByte(fault.Field, '.')+1:]
	if name == f.as {
		return true
	}
	if !f.root.IsValid() || path.Base(f.root.Type().PkgPath()) != fault.Package {
		return false
	}
	field := f.root.FieldByName(name)
	return field.IsValid() && field.Type() == f.into.Type() &&
		field.Addr().Pointer() == f.into.Addr().Pointer()
}

// Explain adds to an error of a configuration the parameter that the user set to what the
// configuration refuses, if one of the fields is the field that the error names.
func (v *Values) Explain(err error, lists ...[]Field) error {
	var fault *sluice.ConfigError
	if !errors.As(err, &fault) {
		return err
	}
	for _, fields := range lists {
		for i := range fields {
			f := &fields[i]
			if n := v.index(f.Name); v.set[n] && f.isNamed(fault) {
				return fmt.Errorf("%w (parameter %s=%s)", err, f.Name, v.values[n].written)
			}
		}
	}
	return err
}

// Fill gives the variables of fields the values of their parameters: what was set, or else the
// default. A variable whose parameter has neither is left as it is. Without Values all parameters
// have their defaults.
func (v *Values) Fill(lists ...[]Field) {
	for _, fields := range lists {
		for i := range fields {
			f := &fields[i]
			if v != nil {
				n := v.index(f.Name)
				v.read[n].Store(true)
				if v.set[n] {
					f.store(v.values[n])
					continue
				}
			}
			if f.Default != "" {
				initial, _ := f.parse(f.Default) // NewRegistry has parsed it
				f.store(initial)
			}
		}
	}
}
