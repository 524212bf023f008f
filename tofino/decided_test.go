package tofino_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/tofino"
)

// verdict is what becomes of a field on the chip.
type verdict int

const (
	realised verdict = iota // as it is: what is generated depends on it
	inert                   // as it is: the machine decides nothing by it, and nothing depends on it
	changed                 // by a rule
	refused                 // by a rule
)

// decision is one verdict about one field: Realise is to pass it with the field set so.
type decision[C any] struct {
	// field is without the numbers of elements: "Ports[].Profile.Alpha". One that is a struct speaks
	// for all in it.
	field   string
	verdict verdict
	set     func(*C) // gives the field, and no other, another value than the base has
	why     string   // of an inert field: why nothing depends on it; otherwise a part of the rule
}

// realisation is a protocol's: what makes a configuration of the chip, and what is generated of it.
type realisation[C any] struct {
	base      func() C // one that the chip can run as it is
	realise   func(C) (C, []tofino.Change, error)
	generated func(*testing.T, C) string // of one that is realised
	decisions []decision[C]
}

// decided fails unless each field of a configuration is decided: that there is a decision for it,
// and that each decision is what happens. A new field fails until a decision names it.
func decided[C any](t *testing.T, r realisation[C]) {
	var known []string
	for _, d := range r.decisions {
		known = append(known, d.field)
	}
	var base C
	fields := leaves(reflect.TypeOf(base), "")
	for _, field := range fields {
		covered := func(by string) bool { return covers(by, field) }
		assert.True(t, slices.ContainsFunc(known, covered), "no decision about %s", field)
	}
	for at, d := range r.decisions {
		exists := slices.ContainsFunc(fields, func(field string) bool { return covers(d.field, field) })
		assert.True(t, exists, "a decision about %s, which does not exist", d.field)
		t.Run(fmt.Sprintf("%d-%s", at, d.field), func(t *testing.T) { r.check(t, d) })
	}
	same, changes, err := r.realise(r.base())
	require.NoError(t, err)
	assert.Empty(t, changes, "the base is to be what the chip can run")
	assert.Equal(t, r.base(), same)
}

// check fails unless a decision is what happens.
func (r realisation[C]) check(t *testing.T, d decision[C]) {
	given, asked := r.base(), r.base()
	d.set(&given)
	d.set(&asked)
	before, at := r.base(), ""
	differ(reflect.ValueOf(before), reflect.ValueOf(asked), "", func(field string) {
		require.True(
			t, covers(d.field, plain(field)), "the decision is to set its own field alone, not %s", field,
		)
		at = field
	})
	require.NotEmpty(t, at, "the decision is to set its field")
	got, changes, err := r.realise(given)
	assert.Equal(t, asked, given, "a configuration that is given stays as it is")
	if d.verdict == refused {
		var fault *sluice.ConfigError
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, d.field, plain(fault.Field))
		assert.Contains(t, fault.Rule, d.why)
		return
	}
	require.NoError(t, err)
	own := slices.IndexFunc(changes, func(c tofino.Change) bool { return plain(c.Field) == d.field })
	if d.verdict != changed {
		assert.Empty(t, changes)
		assert.Equal(t, asked, got)
		if d.verdict == realised {
			assert.NotEqual(t, r.generated(t, before), r.generated(t, got), "nothing depends on it")
		} else {
			assert.NotEmpty(t, d.why)
			assert.Equal(t, r.generated(t, before), r.generated(t, got), "something depends on it")
		}
		return
	}
	require.GreaterOrEqual(t, own, 0, "no change of the field: %v", changes)
	assert.NotEmpty(t, d.why)
	assert.Contains(t, changes[own].Rule, d.why)
	assert.NotEqual(t, changes[own].From, changes[own].To)
	r.changesAreWhatChanged(t, asked, got, changes)
	again, none, err := r.realise(got)
	require.NoError(t, err)
	assert.Empty(t, none, "what is realised is not changed again")
	assert.Equal(t, got, again)
	r.generated(t, got)
}

// changesAreWhatChanged fails unless the changes name each field that differs, or what it is a part
// of, and no other.
func (r realisation[C]) changesAreWhatChanged(t *testing.T, asked, got C, changes []tofino.Change) {
	var named, differing []string
	for _, c := range changes {
		named = append(named, plain(c.Field))
	}
	differ(reflect.ValueOf(asked), reflect.ValueOf(got), "", func(field string) {
		differing = append(differing, plain(field))
	})
	for _, field := range differing {
		covered := func(by string) bool { return covers(by, field) }
		assert.True(t, slices.ContainsFunc(named, covered), "%s changed without a word", field)
	}
	for _, field := range named {
		within := func(leaf string) bool { return covers(field, leaf) }
		assert.True(t, slices.ContainsFunc(differing, within), "%s: said to change and the same", field)
	}
}

// covers reports whether a decision about one field speaks for another: that it is the same, or a
// part of it.
func covers(by, field string) bool { return by == field || strings.HasPrefix(field, by+".") }

var numbers = regexp.MustCompile(`\[\d+\]`)

// plain returns a field without the numbers of elements.
func plain(field string) string { return numbers.ReplaceAllString(field, "[]") }

// leaves returns the fields of a type that are not structs themselves: "Ports[].Link.Rate".
func leaves(of reflect.Type, name string) []string {
	switch of.Kind() {
	case reflect.Pointer:
		return leaves(of.Elem(), name)
	case reflect.Slice, reflect.Array:
		if of.Elem().Kind() == reflect.Uint8 {
			return []string{name} // an address
		}
		return leaves(of.Elem(), name+"[]")
	case reflect.Struct:
		if of == reflect.TypeOf(sluice.Ratio{}) || of == reflect.TypeOf(sluice.Marking{}) {
			return []string{name}
		}
		var all []string
		for at := range of.NumField() {
			all = append(all, leaves(of.Field(at).Type, join(name, of.Field(at)))...)
		}
		return all
	default:
		return []string{name}
	}
}

// differ calls visit for each leaf in which two values differ, with the number of the element. A
// leaf that one of them does not have differs.
func differ(a, b reflect.Value, name string, visit func(string)) {
	switch {
	case !a.IsValid() || !b.IsValid():
		there := a
		if !a.IsValid() {
			there = b
		}
		for _, leaf := range leaves(there.Type(), name) {
			visit(leaf)
		}
	case len(leaves(a.Type(), name)) == 1 && leaves(a.Type(), name)[0] == name:
		if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			visit(name)
		}
	case a.Kind() == reflect.Pointer:
		if a.Pointer() != b.Pointer() {
			differ(a.Elem(), b.Elem(), name, visit)
		}
	case a.Kind() == reflect.Struct:
		for at := range a.NumField() {
			differ(a.Field(at), b.Field(at), join(name, a.Type().Field(at)), visit)
		}
	default:
		for at := range max(a.Len(), b.Len()) {
			differ(element(a, at), element(b, at), fmt.Sprintf("%s[%d]", name, at), visit)
		}
	}
}

// element returns an element, or no value beyond the last.
func element(of reflect.Value, at int) reflect.Value {
	if at >= of.Len() {
		return reflect.Value{}
	}
	return of.Index(at)
}

// join puts the name of a field behind its struct's name. The name of an embedded struct is left
// out.
func join(name string, field reflect.StructField) string {
	switch {
	case field.Anonymous:
		return name
	case name == "":
		return field.Name
	}
	return name + "." + field.Name
}

// The helper itself finds what it is for.
func TestDecidedNamesEveryField(t *testing.T) {
	type inner struct{ A, B int }
	type config struct {
		inner
		C   []inner
		D   [2]*inner
		MAC sluice.MAC
	}
	assert.Equal(t, []string{"A", "B", "C[].A", "C[].B", "D[].A", "D[].B", "MAC"},
		leaves(reflect.TypeOf(config{}), ""))
	var found []string
	differ(reflect.ValueOf(config{C: []inner{{1, 2}}}),
		reflect.ValueOf(config{inner: inner{B: 1}, C: []inner{{1, 3}, {0, 0}}, D: [2]*inner{nil, {}}}),
		"",
		func(field string) { found = append(found, field) })
	assert.ElementsMatch(t, []string{"B", "C[0].B", "C[1].A", "C[1].B", "D[1].A", "D[1].B"}, found)
}
