package tofino_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/tofino"
	"github.com/sluicefc/sluice/tofino/fit"
	"github.com/sluicefc/sluice/tofino/internal/samples"
)

// placements are what the compiler of the Tofino family placed of programs of this module: by a
// debug build of its back end, whose constants of the parser are not to be trusted. Of
// the others the gate with the compiler says more.
var placements = []struct {
	Program string
	Stages  int
	Cost    fit.Cost
	Why     string // it is more than the estimate, as far as that is known
}{
	{"paths", 12, fit.Cost{Blocks: 17}, "action data of path0_link take a block of their own"},
}

// The estimate beside what the compiler placed: it is a lower bound, and the page that says so has
// its figures.
func TestFitBesideTheCompiler(t *testing.T) {
	reports := map[string]*fit.Report{}
	p, cfg, err := samples.Paths(16)
	require.NoError(t, err)
	reports["paths"] = fit.Of(p, cfg)
	p, cfg, err = samples.PortFC(tofino.Notices)
	require.NoError(t, err)
	reports["portfc"] = fit.Of(p, cfg)
	p, cfg, err = samples.BFC(tofino.Notices)
	require.NoError(t, err)
	reports["bfc"] = fit.Of(p, cfg)
	p, cfg, err = samples.OFC(tofino.Notices)
	require.NoError(t, err)
	reports["ofc"] = fit.Of(p, cfg)
	made, err := samples.Pyrrha(4, 0, tofino.Notices)
	require.NoError(t, err)
	reports["pyrrha"] = fit.Of(made.Program, made.Config)

	page, err := os.ReadFile("JUDGES.md")
	require.NoError(t, err)
	for name, r := range reports {
		assert.Contains(t, string(page), fmt.Sprintf("| %s | %d | %d | %d | %d | %d |", name, r.Stages,
			r.Total.Blocks, r.Total.TCAMs, r.Total.MapRAMs, r.Total.ALUs))
	}
	for _, placed := range placements {
		r := reports[placed.Program]
		assert.LessOrEqual(t, r.Stages, placed.Stages, placed.Program)
		assert.LessOrEqual(t, r.Total.Blocks, placed.Cost.Blocks, placed.Program)
		assert.Equal(t, [3]int{placed.Cost.TCAMs, placed.Cost.MapRAMs, placed.Cost.ALUs},
			[3]int{r.Total.TCAMs, r.Total.MapRAMs, r.Total.ALUs}, placed.Program)
		assert.Contains(t, string(page), placed.Why)
	}
}
