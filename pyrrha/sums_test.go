package pyrrha

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/fields"
)

// The counters of a switch are the sums of its ports' counters; of the most IQs in use they have
// the highest.
func TestCountersOfASwitchAreSumsOfEveryField(t *testing.T) {
	var a, b PortCounters
	fields.Number(&a, 1)
	fields.Number(&b, 1000)
	for _, pair := range [][2]PortCounters{{a, b}, {b, a}} {
		sum := pair[0]
		fields.Add(&sum, &pair[1])
		for name, got := range fields.Of(&sum) {
			want := fields.Of(&a)[name] + fields.Of(&b)[name]
			if name == "Queues.InUsePeak" {
				want = fields.Of(&b)[name]
			}
			require.Equal(t, want, got, name)
		}
	}
}
