// Package check gives the zeros of configurations their meaning, and makes the errors.
package check

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/sluicefc/sluice"
)

// Config collects what is wrong with a configuration: the first fault that is found.
type Config struct {
	of, name string
	fault    *sluice.ConfigError
}

// Of returns the check of a type of a package, given by their names, or of what is of no type.
func Of(of, name string) *Config { return &Config{of: of, name: name} }

// That notes, unless ok, that a field with a value breaks a rule: "must be positive". The name of
// the field is a format for fmt.Sprintf if there are indices: "Ports[%d].XOff".
func (c *Config) That(ok bool, value any, rule string, field string, indices ...any) {
	if ok || c.fault != nil {
		return
	}
	if len(indices) > 0 {
		field = fmt.Sprintf(field, indices...)
	}
	c.fault = &sluice.ConfigError{
		Package: c.of, Type: c.name, Field: field, Value: value, Rule: rule,
	}
}

// Within notes, unless it is so, that a value must be least to most. Field is as That has it.
func Within[T cmp.Ordered](c *Config, value, least, most T, field string, indices ...any) {
	if value < least || value > most {
		c.That(false, value, fmt.Sprintf("must be %v to %v", least, most), field, indices...)
	}
}

// Link notes unless the wire at a field has a positive rate, and a delay of 0 to 1 s.
func (c *Config) Link(link sluice.Link, field string, indices ...any) {
	if link.Rate > 0 && 0 <= link.Delay && link.Delay <= sluice.Second {
		return // without making the names of its fields
	}
	c.That(link.Rate > 0, link.Rate, "must be positive", field+".Rate", indices...)
	Within(c, link.Delay, 0, sluice.Second, field+".Delay", indices...)
}

// MaxProducts is the largest fraction that Products takes.
const MaxProducts = 1024

// Products gives a number of bandwidth-delay products that is zero its meaning, and notes unless it
// is 0 to MaxProducts.
func (c *Config) Products(ratio *sluice.Ratio, meaning sluice.Ratio, field string) {
	Default(ratio, meaning)
	n, d := ratio.Num, ratio.Den
	c.That(n >= 0 && d >= 1 && d <= sluice.MaxRatio && n <= MaxProducts*d, *ratio,
		"must be a fraction of 0 to 1,024 with a denominator of 1 to 1,048,576", field)
}

// BDPs returns a multiple of the bandwidth-delay product of a rate and a round trip, rounded down.
// It saturates.
func BDPs(products sluice.Ratio, rate sluice.Rate, roundTrip sluice.Time) sluice.Bytes {
	bdp := min(rate.BDP(roundTrip), math.MaxInt64>>31)
	return bdp * sluice.Bytes(products.Num) / sluice.Bytes(products.Den)
}

// Classes gives a set that is zero its meaning, and notes unless it is a set of classes.
func (c *Config) Classes(
	set *sluice.ClassSet, meaning sluice.ClassSet, field string, indices ...any,
) {
	c.That(*set <= sluice.AllClasses|sluice.NoClasses, uint16(*set),
		"must be classes of 0 to 7, or NoClasses", field, indices...)
	*set = set.Or(meaning)
}

// Part notes the fault of a part that has a check of its own, a [*sluice.ConfigError] or nil: field
// is where the part stands in this configuration, a format if there are indices.
func (c *Config) Part(err error, field string, indices ...any) {
	var fault *sluice.ConfigError
	if !errors.As(err, &fault) {
		return
	}
	c.That(false, fault.Value, fault.Rule, field+"."+fault.Field, indices...)
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
