package tofino

import (
	"errors"
	"fmt"

	"github.com/sluicefc/sluice"
)

// Change is one change of a machine's configuration so that the chip can run it. The machine to
// compare the chip with is made of the changed configuration.
type Change struct {
	Field string // "Ports[3].Headroom"
	From  any    // what was asked for
	To    any    // what the chip can do
	Rule  string // "must be whole cells"
}

// String formats as "Ports[3].Headroom: 1000B becomes 1056B: must be whole cells ...".
func (c Change) String() string {
	return fmt.Sprintf("%s: %v becomes %v: %s", c.Field, c.From, c.To, c.Rule)
}

// realisation collects the changes of a configuration, and the first reason to refuse it.
type realisation struct {
	changes []Change
	err     error
}

// refuse notes a value that the chip cannot do, nor anything near it.
func (r *realisation) refuse(field string, value any, rule string) {
	r.that(false, field, value, rule)
}

// that refuses a value unless a condition holds.
func (r *realisation) that(holds bool, field string, value any, rule string) {
	if !holds && r.err == nil {
		r.err = refused(field, value, rule)
	}
}

// realise gives a field of the copy the value that the chip can do, and notes a change.
func realise[T comparable](r *realisation, field string, value *T, to T, rule string) {
	if *value != to {
		r.changes = append(r.changes, Change{field, *value, to, rule})
		*value = to
	}
}

// without is realise with the zero value, which turns off what the field is about.
func without[T comparable](r *realisation, field string, value *T, rule string) {
	var none T
	realise(r, field, value, none, rule)
}

// rate refuses the rate of a port that no port of the chip has.
func (r *realisation) rate(port int, rate sluice.Rate) {
	_, known := speeds[rate]
	r.that(known, fmt.Sprintf("Ports[%d].Link.Rate", port), rate, ruleRate)
}

// realised realises a configuration: rules change a copy of it, and may ask the machine of the
// original.
func realised[C, M any](
	c C, newMachine func(C) (M, error), rules func(r *realisation, c *C, machine M),
) (C, []Change, error) {
	var none C
	machine, err := newMachine(c)
	if err != nil {
		return none, nil, invalid(err)
	}
	r := &realisation{}
	if rules(r, &c, machine); r.err != nil {
		return none, nil, r.err
	}
	return c, r.changes, nil
}

// unrealised returns the error of a generator whose configuration would change if it were realised:
// it names the first field that would change. Nil if none would.
func unrealised(changes []Change, err error) error {
	if err != nil || len(changes) == 0 {
		return err
	}
	first := changes[0]
	return refused(first.Field, first.From, fmt.Sprintf("%s (the nearest is %v)", first.Rule,
		first.To))
}

// invalid returns the error of a machine that refuses a configuration, in the terms of this
// package.
func invalid(err error) error {
	if configuration := (*sluice.ConfigError)(nil); errors.As(err, &configuration) {
		return refused(configuration.Field, configuration.Value, configuration.Rule)
	}
	return err
}

// machineOf makes the machine of a configuration that has nothing to change to be realised.
func machineOf[C, M any](
	c C, realise func(C) (C, []Change, error), make func(C) (M, error),
) (machine M, err error) {
	_, changes, err := realise(c)
	if err = unrealised(changes, err); err != nil {
		return machine, err
	}
	machine, err = make(c)
	return machine, invalid(err)
}
