package fabric_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/internal/golden"
)

// TestDetectorsAndControls: any flow control with any detector and the controls of converged
// Ethernet carries an incast to its end, without loss where that is promised. The table in testdata
// has the mean completion times.
func TestDetectorsAndControls(t *testing.T) {
	depth.From(t, depth.Thorough, "75 runs")
	var table strings.Builder
	table.WriteString(
		"Mean completion time in us of 32 flows of 60 KB into one host, without windows.\n\n",
	)
	controls := []string{"none", "dcqcn", "dcqcn+tcd"}
	fmt.Fprintf(
		&table, "%-8s%-8s%12s%12s%12s\n", "fc", "detect", controls[0], controls[1], controls[2],
	)
	for _, fc := range []string{"none", "pfc", "bfc", "pyrrha", "cbfc"} {
		for _, detect := range []string{"none", "ecn", "tcd", "fecn", "npecn"} {
			fmt.Fprintf(&table, "%-8s%-8s", fc, detect)
			for _, control := range controls {
				assignments := "window=1GiB,detect=" + detect + ",cc=" + control
				if fc == "none" {
					assignments += ",rto=1ms"
				}
				r := manyToOne(t, fc, assignments)
				result := do(t, r)
				require.Equal(t, len(r.Flows), result.Completed, "%s: %v", assignments, result.Notes)
				if fc != "none" {
					require.Zero(t, result.Dropped, assignments)
				}
				fmt.Fprintf(&table, "%12.2f", meanFCT(result))
			}
			table.WriteString("\n")
		}
	}
	golden.Require(t, "detectors.txt", table.String())
}
