package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fake writes a module of the same path whose packages have the imports given, and checks it.
func fake(t *testing.T, imports map[string]string) []string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module github.com/sluicefc/sluice\n\ngo 1.26.0\n"}
	for pkg, imported := range imports {
		files[pkg+"/a.go"] = "package " + filepath.Base(pkg) + "\n\nimport _ \"" + imported + "\"\n"
	}
	for name, content := range files {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	refusals, err := check(dir)
	require.NoError(t, err)
	return refusals
}

// A new protocol is held to the rule although its name is written nowhere.
func TestNewProtocolIsChecked(t *testing.T) {
	assert.Equal(t,
		[]string{"github.com/sluicefc/sluice/ofc imports net, which is not on the allow-list"},
		fake(t, map[string]string{"ofc": "net"}))
}

func TestPackagesBelowOneAreChecked(t *testing.T) {
	assert.Contains(t, fake(t, map[string]string{"kit/fast": "unsafe"}),
		"github.com/sluicefc/sluice/kit/fast imports unsafe, which is not on the allow-list")
}

// What a public package reaches inside the module is in an embedder's binary too.
func TestInternalPackageOfAPublicOneIsChecked(t *testing.T) {
	assert.Equal(t,
		[]string{"github.com/sluicefc/sluice/internal/drr imports os, which is not on the allow-list"},
		fake(t, map[string]string{
			"ofc": "github.com/sluicefc/sluice/internal/drr", "internal/drr": "os",
		}))
}

func TestProtocolsDoNotImportEachOther(t *testing.T) {
	refusals := fake(t, map[string]string{"ofc": "github.com/sluicefc/sluice/pfc", "pfc": "errors"})
	assert.Len(t, refusals, 1)
	assert.Contains(t, refusals[0], "ofc imports github.com/sluicefc/sluice/pfc, which is not on")
}

func TestOthersImportWhatTheyNeed(t *testing.T) {
	assert.Empty(t, fake(t, map[string]string{
		"internal/lab/sim": "os", "examples/embed": "net", "bench": "net/http", "cmd/top": "os",
		"pfc": "fmt",
	}))
}

// What machines stand on knows nothing of experiments, and no import leads up.
func TestNoArrowLeadsUp(t *testing.T) {
	const path = "github.com/sluicefc/sluice/"
	assert.Equal(t,
		[]string{path + "internal/drr imports " + path + "internal/lab/sim, " +
			"which is on a storey above: the laboratory: the simulator"},
		fake(t, map[string]string{"internal/drr": path + "internal/lab/sim", "internal/lab/sim": "os"}))
	assert.Equal(t,
		[]string{path + "internal/lab/run imports " + path + "internal/lab/papers/ofc, " +
			"which is on a storey above: the laboratory: papers"},
		fake(t, map[string]string{
			"internal/lab/run": path + "internal/lab/papers/ofc", "internal/lab/papers/ofc": "os",
		}))
	assert.Empty(t, fake(t, map[string]string{
		"internal/lab/papers/ofc": path + "internal/lab/run",
		"internal/lab/run":        path + "internal/lab/sim",
		"internal/lab/sim":        path + "internal/prng",
		"internal/prng":           "math",
		"bench":                   path + "internal/lab/sim",
	}))
}

func TestEveryPackageIsOnAStorey(t *testing.T) {
	assert.Equal(t,
		[]string{"github.com/sluicefc/sluice/internal/lab/attic is on no storey: see storeys in .ci/imports"},
		fake(t, map[string]string{"internal/lab/attic": "os"}))
}

// An embedder cannot declare a variable of an internal type, so no exported function, method,
// field, constraint or alias may name one; what is not exported may.
func TestNoInternalTypeInAPublicSignature(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	const path = "github.com/sluicefc/sluice"
	write("go.mod", "module "+path+"\n\ngo 1.26.0\n")
	write("internal/a/a.go", "package a\n\ntype T struct{}\n\nfunc (T) Deep() *T { return nil }\n")
	write("p/p.go", "package p\n\nimport \""+path+"/internal/a\"\n"+`
func Function(a.T)                 {}
func function() (t *a.T)           { return }
func Generic[X interface{ ~[]a.T }](X) {}

var Variable map[string][]a.T

type Alias = a.T

type Struct struct {
	Field  func() [2]a.T
	field  a.T
	Inner  *Named
}

type Embeds struct{ *inner }

type inner struct{ a.T }

type Named struct{ x chan a.T }

func (*Named) Method() chan a.T { return nil }
func (*Named) method() *a.T     { return nil }

type Interface interface{ Of(*a.T) }
`)
	refusals, err := hidden(dir)
	require.NoError(t, err)
	var of []string
	for _, r := range refusals {
		name, _, _ := strings.Cut(strings.TrimPrefix(r, path+"/p."), " names "+path+"/internal/a.T")
		of = append(of, name)
	}
	assert.Equal(t, []string{
		"Alias", "Embeds.Deep", "Function", "Generic", "Interface", "Named.Method",
		"Struct", "Variable",
	}, of)
}
