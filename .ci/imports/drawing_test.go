package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/.ci/module"
)

var update = flag.Bool("update", false, "draw the packages in ARCHITECTURE.md")

const (
	begin = "<!-- drawn by go test ./.ci/imports -update -->\n"
	end   = "<!-- end of the drawing -->\n"
)

// ARCHITECTURE.md shows the packages as they are: what they import, exactly, and how large they
// are, within a tenth: a change of a few lines does not make the drawing stale.
func TestDrawing(t *testing.T) {
	const page = "../../ARCHITECTURE.md"
	packages, err := module.List("../..")
	require.NoError(t, err)
	drawing, refusals, err := newHouse(packages).draw()
	require.NoError(t, err)
	assert.Empty(t, refusals)
	for _, p := range packages {
		assert.Empty(t, upward(p))
	}
	content, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(content), begin)
	require.True(t, found, "the drawing's begin")
	kept, after, found := strings.Cut(rest, end)
	require.True(t, found, "the drawing's end")
	want := "\n```\n" + drawing + "```\n\n" + reasons() + "\n"
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(before+begin+want+end+after), 0o644))
		return
	}
	const advice = "go test ./.ci/imports -update"
	require.Equal(t, sizes.ReplaceAllString(want, "$1"), sizes.ReplaceAllString(kept, "$1"), advice)
	drawn := sizes.FindAllStringSubmatch(kept, -1)
	for i, now := range sizes.FindAllStringSubmatch(want, -1) {
		for k, few := range map[int]float64{2: 0.1, 3: 2} { // thousands of lines, files
			is, was := number(t, now[k]), number(t, drawn[i][k])
			require.InDelta(t, is, was, max(0.1*is, few)+1e-9, "%s: %s", now[1], advice)
		}
	}
}

// sizes is the line of a package: its name, thousands of lines, and files.
var sizes = regexp.MustCompile(`(?m)^(  \S+(?: \(root\))?) +(\d+\.\d) +(\d+)`)

func number(t *testing.T, s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	return n
}

func TestSizesOfADrawing(t *testing.T) {
	require.Equal(t, []string{"  internal/drr  1.2   1", "  internal/drr", "1.2", "1"},
		sizes.FindStringSubmatch("storey\n  internal/drr  1.2   1  root drr\n"))
	require.Equal(t, "  sluice (root)", sizes.FindStringSubmatch("  sluice (root)   0.2  12")[1])
}

// An import that another import brings along is not drawn; sizes without tests are.
func TestDrawingOfThree(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, lines int) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name),
			[]byte("package x\n"+strings.Repeat("\n", lines-1)), 0o644))
	}
	write("a.go", 1234)
	write("a_test.go", 9000)
	at := func(pkg string, imports ...string) module.Package {
		p := module.Package{ImportPath: module.Path + pkg, Dir: dir}
		for _, to := range imports {
			p.Imports = append(p.Imports, module.Path+to)
		}
		return p
	}
	h := newHouse([]module.Package{
		at(""), at("/kit", "", "/ofc"), at("/ofc", "", "/internal/drr"), at("/internal/drr"),
	})
	drawing, refusals, err := h.draw()
	require.NoError(t, err)
	assert.Empty(t, refusals)
	assert.Equal(t, `kit, for embedders
  kit                            1.2   1  ofc

machines
  ofc                            1.2   1  root drr

the vocabulary
  sluice (root)                  1.2   1

tools that know nothing of networks
  internal/drr                   1.2   1
`, drawing)

	write("b.go", 2766)
	_, refusals, err = newHouse([]module.Package{at("/ofc")}).draw()
	require.NoError(t, err)
	assert.Empty(t, refusals)
	write("c.go", 1)
	_, refusals, err = newHouse([]module.Package{at("/ofc"), at("/pfc")}).draw()
	require.NoError(t, err)
	require.Len(t, refusals, 1, "pfc has a reason")
	assert.Contains(t, refusals[0], "ofc has 4001 lines in 3 files")
	write("b.go", 1)
	for range 28 {
		write(strings.Repeat("d", 1+len(glob(t, dir)))+".go", 1)
	}
	_, refusals, err = newHouse([]module.Package{at("/ofc")}).draw()
	require.NoError(t, err)
	require.Len(t, refusals, 1)
	assert.Contains(t, refusals[0], "in 31 files")
	_, refusals, err = newHouse([]module.Package{at("/tofino")}).draw()
	require.NoError(t, err)
	assert.Empty(t, refusals)
}

func glob(t *testing.T, dir string) []string {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	return names
}
