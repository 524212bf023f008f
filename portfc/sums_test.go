package portfc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/fields"
)

// The counters of a switch are the sums of its ports' counters; of peaks they have the highest.
func TestCountersOfASwitchAreSumsOfEveryField(t *testing.T) {
	for name, joined := range fields.Joins[PortCounters]() {
		want := "sum"
		if strings.HasSuffix(name, "Peak") {
			want = "max"
		}
		require.Equal(t, want, joined, name)
	}
}
