// Package check gives the zeros of configurations their meaning, and makes the errors.
package check

import (
	"fmt"

	"github.com/sluicefc/sluice"
)

// Config collects what is wrong with a configuration: the first fault that is found.
type Config struct {
	name  string
	fault *sluice.ConfigError
}

// Of returns the check of a configuration of a package, given by its name.
func Of(name string) *Config { return &Config{name: name} }

// That notes, unless ok, that a field with a value breaks a rule: "must be positive". The name of
// the field is a format for fmt.Sprintf if there are indices: "Ports[%d].XOff".
func (c *Config) That(ok bool, value any, rule string, field string, indices ...any) {
	if ok || c.fault != nil {
		return
	}
	if len(indices) > 0 {
		field = fmt.Sprintf(field, indices...)
	}
	c.fault = &sluice.ConfigError{Package: c.name, Field: field, Value: value, Rule: rule}
}

// Fine reports whether nothing is wrong so far: a rule may rely on those before it.
func (c *Config) Fine() bool { return c.fault == nil }

// Err returns the first fault as a [*sluice.ConfigError], nil if there is none.
func (c *Config) Err() error {
	if c.fault == nil {
		return nil
	}
	return c.fault
}

// Default gives a field that is zero its meaning.
func Default[T comparable](field *T, meaning T) {
	var zero T
	if *field == zero {
		*field = meaning
	}
}
