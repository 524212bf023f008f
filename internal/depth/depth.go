// Package depth says how far a test goes that could go on for long: least in go test -short,
// further in go test, further still with SLUICE_DEPTH=thorough, which the gates set for the tests
// that they name, and as far as was ever waited for with SLUICE_DEPTH=exhaustive.
package depth

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// Level is a depth; a larger one goes further.
type Level int

// Levels, in order.
const (
	Short Level = iota
	Usual
	Thorough
	Exhaustive
)

// Now returns the level of this run. It panics if SLUICE_DEPTH is neither thorough nor exhaustive.
func Now() Level {
	switch name := os.Getenv("SLUICE_DEPTH"); {
	case name == "exhaustive":
		return Exhaustive
	case name == "thorough":
		return Thorough
	case name != "":
		panic(fmt.Sprintf("SLUICE_DEPTH is %q, it must be thorough or exhaustive", name))
	case testing.Short():
		return Short
	}
	return Usual
}

// Choose returns the value of this run's level: values are by level from Short on, and the last one
// holds for all further levels.
func Choose[T any](values ...T) T { return values[min(int(Now()), len(values)-1)] }

// From skips a test in runs of a lower level: why says what takes so long.
func From(t testing.TB, least Level, why string) {
	t.Helper()
	if Now() < least {
		t.Skipf("%s: SLUICE_DEPTH=thorough goes so far", why)
	}
}

// Fewer lets rapid make this number of checks in go test alone, and 50 in thorough runs, if these
// are more. Other runs, and all that give the flag, make as many as -rapid.checks says; short ones
// a fifth of them.
func Fewer(t testing.TB, checks int) {
	t.Helper()
	given := flag.Lookup("rapid.checks")
	before := given.Value.String()
	switch {
	case before != given.DefValue:
		return
	case Now() == Thorough:
		checks = max(checks, 50)
	case Now() != Usual:
		return
	}
	if err := given.Value.Set(strconv.Itoa(checks)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = given.Value.Set(before) })
}

// OtherSeed lets every attempt of a test draw with rapid what the others did not, also where
// -rapid.seed is given. The flag has its value again when the test ends.
func OtherSeed(t testing.TB, attempt int) {
	t.Helper()
	given := flag.Lookup("rapid.seed").Value
	before := given.String()
	seed, err := strconv.ParseUint(before, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if seed == 0 { // a random one each time
		return
	}
	if err := given.Set(strconv.FormatUint(seed+uint64(attempt), 10)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = given.Set(before) })
}
