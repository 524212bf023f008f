package params

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/sluicefc/sluice"
)

// Values are the values of all parameters of a registry: the default where nothing was set.
//
// The accessors Bytes to List return parameters of the kinds that they are named after. They panic
// if the registry has no parameter of that name and kind: that is an error in the program, not of
// the user, and shows at the first run. They return the zero value for a parameter that was not set
// and has no default.
//
// Values remember which of them were asked for: a parameter that a user set and that is never read
// has no effect. They are safe for concurrent use.
type Values struct {
	registry *Registry
	values   []value
	set      []bool
	read     []atomic.Bool
}

func (v *Values) Bytes(name string) sluice.Bytes { return sluice.Bytes(v.get(name, Bytes).num) }
func (v *Values) Time(name string) sluice.Time   { return sluice.Time(v.get(name, Time).num) }
func (v *Values) Rate(name string) sluice.Rate   { return sluice.Rate(v.get(name, Rate).num) }
func (v *Values) Int(name string) int64          { return v.get(name, Int).num }
func (v *Values) Bool(name string) bool          { return v.get(name, Bool).num != 0 }

// Rational returns a parameter of kind Rational in lowest terms; den is positive.
func (v *Values) Rational(name string) (num, den int64) {
	r := v.get(name, Rational)
	return r.num, max(r.den, 1)
}

// String returns a parameter of kind Choice as a text.
func (v *Values) String(name string) string { return v.get(name, Choice).text }

// List returns the choices and the numbers of a parameter of kind List.
func (v *Values) List(name string) (choices []string, numbers []int64) {
	return Items(v.get(name, List).text)
}

// Items returns the choices and the numbers of a text that a parameter of kind List accepts.
func Items(text string) (choices []string, numbers []int64) {
	for _, item := range listItems(text) {
		if n, err := strconv.ParseInt(item, 10, 64); err == nil {
			numbers = append(numbers, n)
		} else {
			choices = append(choices, item)
		}
	}
	return choices, numbers
}

// IsSet reports whether a list given to Parse assigned the parameter. It panics as the other
// accessors do.
func (v *Values) IsSet(name string) bool { return v.set[v.index(name)] }

// Set returns the assignments given to Parse that count, by name, as they were written.
func (v *Values) Set() map[string]string {
	set := make(map[string]string)
	for i := range v.set {
		if v.set[i] {
			set[v.registry.definitions[i].Name] = v.values[i].written
		}
	}
	return set
}

// Same reports whether a parameter has the same value in both, however each is written: they are of
// one registry.
func (v *Values) Same(other *Values, name string) bool {
	a, b := v.values[v.index(name)], other.values[other.index(name)]
	a.written, b.written = "", ""
	return a == b
}

// WasRead reports whether an accessor other than IsSet returned the parameter.
func (v *Values) WasRead(name string) bool { return v.read[v.index(name)].Load() }

func (v *Values) get(name string, kind Kind) value {
	i := v.index(name)
	if d := &v.registry.definitions[i]; d.Kind != kind {
		panic(fmt.Sprintf("params: %s is of kind %v, not %v", name, d.Kind, kind))
	}
	v.read[i].Store(true)
	return v.values[i]
}

func (v *Values) index(name string) int {
	i, ok := v.registry.byName[name]
	if !ok {
		panic(fmt.Sprintf("params: no parameter %q is in the definitions of the registry", name))
	}
	return i
}
