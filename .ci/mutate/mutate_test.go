package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/.ci/module"
)

const meter = `package meter

// A Meter counts up to a limit.
type Meter struct{ used, limit int }

func New(limit int) *Meter { return &Meter{limit: limit} }

// Add reports whether n more fit.
func (m *Meter) Add(n int) bool {
	if m.used+n > m.limit {
		return false
	}
	m.used += n
	return true
}
`

const tests = `package meter

import "testing"

func TestAdd(t *testing.T) {
	m := New(10)
	if !m.Add(4) || m.Add(7) || m.used != 4 {
		t.Fatal(m)
	}
}
`

// write makes a module of one package and returns it.
func write(t *testing.T, code, test string) module.Package {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module " + module.Path + "\n\ngo 1.26.0\n", "meter.go": code, "meter_test.go": test,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	packages, err := module.List(dir)
	require.NoError(t, err)
	require.Len(t, packages, 1)
	return packages[0]
}

// fates returns by key which test killed each mutant of a package, "" for the survivors.
func fates(t *testing.T, p module.Package) map[string]string {
	t.Helper()
	sources, err := parse(p)
	require.NoError(t, err)
	exports, err := module.Exports(".")
	require.NoError(t, err)
	mutants, err := compiling(p, exports, sources, find("meter", sources))
	require.NoError(t, err)
	tests, err := build(p, p, sources, mutants, filepath.Join(t.TempDir(), "built"))
	require.NoError(t, err)
	require.NoError(t, measure([]*binary{tests}))
	by := map[string]string{}
	for i, m := range mutants {
		by[m.key()] = tests.try(i + 1).by
	}
	return by
}

func TestMutantsOfAFunction(t *testing.T) {
	assert.Equal(t, map[string]string{
		"meter (*Meter).Add: m.used+n > m.limit => m.used+n >= m.limit": "", // never full
		"meter (*Meter).Add: m.used+n > m.limit => m.used+n <= m.limit": "TestAdd",
		"meter (*Meter).Add: m.used+n => m.used-n":                      "TestAdd",
		"meter (*Meter).Add: if m.used+n > m.limit => never":            "TestAdd",
		"meter (*Meter).Add: return false => nothing":                   "TestAdd",
		"meter (*Meter).Add: false => true":                             "TestAdd",
		"meter (*Meter).Add: m.used += n => m.used -= n":                "TestAdd",
		"meter (*Meter).Add: m.used += n => nothing":                    "TestAdd",
		"meter (*Meter).Add: true => false":                             "TestAdd",
	}, fates(t, write(t, meter, tests)))
}

// A mutant that does not compile says nothing about the tests: here a string would be subtracted.
func TestWhatDoesNotCompileIsNotCounted(t *testing.T) {
	by := fates(t, write(t, `package meter

func Greet(name string) string {
	var total int
	total = len(name)
	_ = total
	return "hello " + name
}
`, `package meter

import "testing"

func TestGreet(t *testing.T) {
	if Greet("a") != "hello a" {
		t.Fatal()
	}
}
`))
	assert.NotContains(t, by, `meter Greet: "hello " + name => "hello " - name`)
	assert.Contains(t, by, "meter Greet: total = len(name) => nothing")
}

// A mutant that never ends is stopped, and is killed by that.
func TestEndlessMutantIsStopped(t *testing.T) {
	p := write(t, meter, tests)
	b := &binary{pkg: p, path: "/bin/sh", arguments: []string{"-c", "while :; do :; done"}}
	o, _, _ := b.run(1, []string{"TestAdd"}, 50*time.Millisecond)
	assert.Equal(t, outcome{true, "timeout"}, o)
}

// Mutants keep their places in the draw when other functions change.
func TestDrawDependsOnTheMutantAlone(t *testing.T) {
	ranks := func(code string) map[string]uint64 {
		p := write(t, code, tests)
		sources, err := parse(p)
		require.NoError(t, err)
		ranks := map[string]uint64{}
		for _, m := range find("meter", sources) {
			ranks[m.key()] = m.rank(7)
		}
		return ranks
	}
	before := ranks(meter)
	const twice = "package meter\n\nfunc Twice(n int) int { return n + n }\n"
	after := ranks(twice + meter[len("package meter\n"):])
	maps.Copy(before, ranks(twice))
	assert.Equal(t, before, after)
}

func TestSurvivorsHaveReasons(t *testing.T) {
	read := func(content string) (map[string]string, error) {
		path := filepath.Join(t.TempDir(), "survivors.txt")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		return readSurvivors(path)
	}
	reasons, err := read("# about the list\n\nhiq New: a => b #2\n  no test can\n  see it\n")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"hiq New: a => b #2": "no test can see it"}, reasons)

	for _, bad := range []string{
		"hiq New: a => b\n", "hiq New: a => b\nhiq New: c => d\n  why\n", "  why\n",
		"hiq New: a => b\n  why\nhiq New: a => b\n  why\n",
	} {
		_, err := read(bad)
		assert.Error(t, err, bad)
	}
	_, err = readSurvivors("survivors.txt")
	assert.NoError(t, err, "the list that is kept")
}

// An explanation must go with the code that it explains.
func TestSurvivorsOfGoneCodeAreStale(t *testing.T) {
	p := write(t, meter, tests)
	kept := (&subject{Package: p}).name() + " (*Meter).Add: m.used+n > m.limit => m.used+n >= m.limit"
	reasons := map[string]string{kept: "never full"}
	require.NoError(t, stale(p.Dir, reasons))
	gone := strings.Replace(kept, "Add", "Remove", 1)
	reasons[gone] = "never empty"
	err := stale(p.Dir, reasons)
	require.ErrorContains(t, err, gone)
	assert.NotContains(t, err.Error(), kept)
}

// Mutants that behave as the code does count neither for the tests nor against them.
func TestScoreIsOfWhatCanBeKilled(t *testing.T) {
	var total tally
	assert.Equal(t, 100.0, total.score(), "nothing was drawn")
	total.plus(&tally{drawn: 10, killed: 3, explained: 6, survivors: []string{"a"}})
	assert.Equal(t, 75.0, total.score())
	total.plus(&tally{drawn: 1, survivors: []string{"b"}})
	assert.Equal(t, 60.0, total.score())
	assert.Equal(t, []string{"a", "b"}, total.survivors)
}

// Only what hooks call is drawn for the explorer, through whatever functions.
func TestCalledBy(t *testing.T) {
	sources, err := parse(write(t, `package meter

func Next() int { return deeper() }

func deeper() int { return deepest() + 1 }

func deepest() int { return 1 }

func Audit() int { return deepest() }
`, tests))
	require.NoError(t, err)
	called := calledBy(sources, []string{"Next"})
	assert.True(t, called["Next"] && called["deeper"] && called["deepest"])
	assert.False(t, called["Audit"])
}

// A mutant that breaks no property is named by the first row that differs from the code's.
func TestDifference(t *testing.T) {
	const row = "| pfc | a loop | a flap | %d | 4 | 1 | 9 | %s | holds |"
	before := fmt.Sprintf(row, 10, "pause resume") + "\n" + fmt.Sprintf(row, 20, "pause resume")
	after := fmt.Sprintf(row, 10, "pause resume") + "\n" + fmt.Sprintf(row, 20, "pause")
	assert.Equal(t, "a loop, a flap: frames pause, not pause resume", difference(before, after))
	after = fmt.Sprintf(row, 11, "pause") + "\n"
	assert.Equal(t, "a loop, a flap: states 11, not 10", difference(before, after))
}
