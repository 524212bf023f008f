package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/fields"
)

func TestCountersOfASwitchAreSumsOfEveryField(t *testing.T) {
	var a, b PortCounters
	fields.Number(&a, 1)
	fields.Number(&b, 1000)
	sum := a
	sum.add(&b)
	for name, got := range fields.Of(&sum) {
		require.Equal(t, fields.Of(&a)[name]+fields.Of(&b)[name], got, name)
	}
}
