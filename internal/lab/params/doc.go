// Package params is the registry of the named, typed parameters that a user sets with
//
//	-set buffer=20MiB,link.delay=600ns,pfc.alpha=1/4
//
// A package binds its parameters to variables: a [Field] says in one place what the variable is
// called, its default, its range and what it means, and the variable's type says what kind it is
// and what its constants are called. [Values.Fill] gives the variables what was set. Parameters
// that a program reads by name are a list of [Definition]. A [Registry] joins definitions and
// parses assignments into [Values].
//
// Parsing is exact: a number is a decimal fraction times a unit, computed without floating point,
// and a value that is not a whole number of the base unit is refused. A constant is written as the
// String of its type names it, with hyphens or blanks between the words, or by one word of its name
// that no other has.
package params
