// Package params is the registry of the named, typed parameters that a user sets with
//
//	-set buffer=20MiB,link.delay=600ns,pfc.alpha=1/4
//
// Whoever has parameters declares them as a list of [Definition]; a [Registry] joins the lists and
// parses assignments into [Values]. Parsing is exact: a number is a decimal fraction times a unit,
// computed without floating point, and a value that is not a whole number of the base unit is
// refused.
package params
