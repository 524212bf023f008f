package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/golden"
	"github.com/sluicefc/sluice/internal/lab/papers/general"
	"github.com/sluicefc/sluice/internal/lab/run"
)

// TestConvergenceTable: the table is the same to the byte on every platform; .ci/platforms compares
// longer runs for 386, and for amd64 with and without fused instructions. The runs here are too
// short for controls to converge: the command's defaults show that.
func TestConvergenceTable(t *testing.T) {
	dir := t.TempDir()
	table, picture := filepath.Join(dir, "t.csv"), filepath.Join(dir, "p.svg")
	code, text, errs := invoke("convergence", "-set", "host.rate=10Gbps", "-until", "4ms", "-warmup",
		"2ms",
		"-csv", table, "-plot", picture)
	require.Zero(t, code, errs)
	require.Contains(t, golden.Read(t, picture), "dcqcn, 2 flows: Jain")
	kept := filepath.Join(golden.Dir, "convergence.csv")
	if *golden.Update {
		require.NoError(t, os.WriteFile(kept, []byte(golden.Read(t, table)), 0o666))
	}
	require.Equal(t, golden.Read(t, kept), golden.Read(t, table))
	for _, row := range golden.ReadCSV(t, kept, 0)[1:] {
		require.Contains(t, text, row[0])
	}
}

// TestControlsShareALink: the rates of flows that share a link converge to one value (DCQCN,
// section 4.3), under the other controls too whose authors made them for such links: over 0.95 of
// Jain's index and 0.9 of the link.
func TestControlsShareALink(t *testing.T) {
	depth.From(t, depth.Thorough, "seconds of simulation")
	o := options{
		scenario: general.Convergence, controls: []string{"dcqcn", "dcqcn-hpcc", "dctcp"},
		senders: []int{2, 4},
	}
	o.seed, o.jobs = run.DefaultSeed, 2
	runs, err := o.convergenceRuns()
	require.NoError(t, err)
	require.NoError(t, command{stdout: os.Stdout, stderr: os.Stderr}.converge(&o, runs))
	for _, r := range runs {
		require.Empty(t, r.misses(), "%s, %d flows: %+v", r.control, r.senders, r.shared)
		require.Positive(t, r.shared.Mean)
	}
}
