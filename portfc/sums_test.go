package portfc

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/fields"
)

func TestCountersOfASwitchAreSumsOfEveryField(t *testing.T) {
	var a, b PortCounters
	fields.Number(&a, 1)
	fields.Number(&b, 1000)
	sum := a
	fields.Add(&sum, &b)
	for name, got := range fields.Of(&sum) {
		want := fields.Of(&a)[name] + fields.Of(&b)[name]
		if strings.HasSuffix(name, "Peak") {
			want = fields.Of(&b)[name]
		}
		require.Equal(t, want, got, name)
	}
}
