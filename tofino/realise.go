package tofino

import (
	"errors"
	"fmt"

	"github.com/sluicefc/sluice"
)

// Change is one thing that had to be changed in a machine's configuration so that the chip can run
// it. The machine to compare the chip with is made of the changed one.
type Change struct {
	Field string // "Ports[3].Headroom"
	From  any    // what was asked for
	To    any    // what the chip can do
	Rule  string // "must be whole cells of 176 B: it is rounded up"
}

// String formats as "Ports[3].Headroom: 1000B becomes 1056B: must be whole cells ...".
func (c Change) String() string {
	return fmt.Sprintf("%s: %v becomes %v: %s", c.Field, c.From, c.To, c.Rule)
}

// realisation collects what a configuration is changed in, and the first thing that it is refused
// for. Functions that realise a protocol's configuration change a copy and return both.
type realisation struct {
	changes []Change
	err     error
}

// refuse notes what the chip cannot do, nor anything near it.
func (r *realisation) refuse(field string, value any, rule string) {
	if r.err == nil {
		r.err = refused(field, value, rule)
	}
}

// that refuses a value unless a condition holds.
func (r *realisation) that(holds bool, field string, value any, rule string) {
	if !holds {
		r.refuse(field, value, rule)
	}
}

// realise gives a field of the copy the value that the chip can do, and notes it if it is another.
func realise[T comparable](r *realisation, field string, value *T, to T, rule string) {
	if *value != to {
		r.changes = append(r.changes, Change{field, *value, to, rule})
		*value = to
	}
}

// unrealised returns the error of a generator that is given a configuration which is not what it
// is realised as: it names the first field that would change. Nil if none would.
func unrealised(changes []Change, err error) error {
	if err != nil || len(changes) == 0 {
		return err
	}
	first := changes[0]
	return refused(
		first.Field, first.From, fmt.Sprintf("%s (the nearest is %v)", first.Rule, first.To),
	)
}

// invalid returns the error of a machine that refuses a configuration, in the terms of this
// package.
func invalid(err error) error {
	if configuration := (*sluice.ConfigError)(nil); errors.As(err, &configuration) {
		return refused(configuration.Field, configuration.Value, configuration.Rule)
	}
	return err
}
