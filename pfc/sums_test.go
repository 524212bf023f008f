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
	var a, b PortCounters
	fields.Number(&a, 1)
	fields.Number(&b, 1000)
	for _, pair := range [][2]PortCounters{{a, b}, {b, a}} {
		sum := pair[0]
		fields.Add(&sum, &pair[1])
		for name, got := range fields.Of(&sum) {
			low, high := fields.Of(&a)[name], fields.Of(&b)[name]
			want := low + high
			switch {
			case strings.HasSuffix(name, "Peak") || strings.HasSuffix(name, "HeadroomMissing"):
				want = high
			case strings.HasSuffix(name, "XOffMargin"):
				want = low
			}
			require.Equal(t, want, got, name)
		}
	}
}
