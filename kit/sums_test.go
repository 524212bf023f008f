package kit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/internal/fields"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/pfc"
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tcd/cbfc"
)

// The counters of a switch are the sums of its ports' counters; but of peaks, and of what lacked
// headroom, they have the highest, and of margins to X_off the least.
func TestCountersOfASwitchAreSumsOfEveryField(t *testing.T) {
	for protocol, joins := range map[string]map[string]string{
		"bfc":    fields.Joins[bfc.PortCounters](),
		"cbfc":   fields.Joins[cbfc.PortCounters](),
		"ofc":    fields.Joins[ofc.PortCounters](),
		"pfc":    fields.Joins[pfc.PortCounters](),
		"portfc": fields.Joins[portfc.PortCounters](),
		"pyrrha": fields.Joins[pyrrha.PortCounters](),
	} {
		for name, joined := range joins {
			want := "sum"
			switch {
			case strings.HasSuffix(name, "Peak") || strings.HasSuffix(name, "HeadroomMissing"):
				want = "max"
			case strings.HasSuffix(name, "XOffMargin"):
				want = "min"
			}
			require.Equal(t, want, joined, "%s: %s", protocol, name)
		}
	}
}
