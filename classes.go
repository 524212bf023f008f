package sluice

import (
	"math/bits"
	"strconv"
	"strings"
)

// ClassSet is a set of classes, bit i for class i. Zero is the empty set, except in a
// configuration: there a zero field, of this type as of any, takes its default. NoClasses is the
// empty set there, and a set that may turn out empty is given as set | NoClasses.
type ClassSet uint16

// AllClasses is the set of all eight classes.
const AllClasses ClassSet = 0xff

// NoClasses is the empty set in a configuration. It is no class: beside classes it says nothing.
const NoClasses ClassSet = 1 << Classes

// MakeClassSet returns the set of the given classes; classes above 7 are left out.
func MakeClassSet(classes ...Class) ClassSet {
	var s ClassSet
	for _, c := range classes {
		s |= 1 << c & AllClasses
	}
	return s
}

// Has reports whether class c is in the set; false for classes above 7.
func (s ClassSet) Has(c Class) bool { return uint32(s&AllClasses)>>c&1 != 0 }

// Or returns what a field of a configuration means, whose zero has the given meaning: the classes,
// or NoClasses. It is never zero, so that a configuration with its defaults filled in means the
// same.
func (s ClassSet) Or(meaning ClassSet) ClassSet {
	if s == 0 {
		s = meaning
	}
	if s &= AllClasses; s != 0 {
		return s
	}
	return NoClasses
}

// Len counts the classes in the set.
func (s ClassSet) Len() int { return bits.OnesCount8(uint8(s)) }

// String lists the classes: "{3 4}".
func (s ClassSet) String() string {
	var names []string
	for c := range Class(Classes) {
		if s.Has(c) {
			names = append(names, strconv.Itoa(int(c)))
		}
	}
	return "{" + strings.Join(names, " ") + "}"
}
