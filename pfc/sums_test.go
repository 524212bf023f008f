package pfc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/fields"
)

// TestSumsOfEveryField: the counters of a switch are the sums of its ports' counters; but of peaks
// they have the highest, and of margins to X_off the least.
func TestSumsOfEveryField(t *testing.T) {
	for name, joined := range fields.Joins[PortCounters]() {
		want := "sum"
		switch {
		case strings.HasSuffix(name, "Peak") || strings.HasSuffix(name, "HeadroomMissing"):
			want = "max"
		case strings.HasSuffix(name, "XOffMargin"):
			want = "min"
		}
		require.Equal(t, want, joined, name)
	}
}
