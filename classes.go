package sluice

import (
	"math/bits"
	"strconv"
	"strings"
)

// ClassSet is a set of classes, bit i for class i. In a configuration zero means the default, which
// is all classes unless the field says otherwise; NoClasses is the empty set.
type ClassSet uint16

// AllClasses is the set of all eight classes.
const AllClasses ClassSet = 0xff

// NoClasses is the empty set where a field's zero value means all classes.
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
func (s ClassSet) Has(c Class) bool { return s&AllClasses>>c&1 != 0 }

// OrAll returns what a field of a configuration means: all classes if s is zero, else the classes
// in s.
func (s ClassSet) OrAll() ClassSet {
	if s == 0 {
		return AllClasses
	}
	return s & AllClasses
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
