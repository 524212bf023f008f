package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/fields"
)

func TestCountersOfASwitchAreSumsOfEveryField(t *testing.T) {
	var a, b VLCounters
	fields.Number(&a, 1)
	fields.Number(&b, 1000)
	sum := a
	sum.add(&b)
	for name, got := range fields.Of(&sum) {
		require.Equal(t, fields.Of(&a)[name]+fields.Of(&b)[name], got, name)
	}
}

// A link so slow that 65,536 byte times are more than a second has a period of a second.
func TestPeriodOfTheSlowestLink(t *testing.T) {
	for _, rate := range []sluice.Rate{1, 2, 1000} {
		s, err := New(HostConfig(sluice.Link{Rate: rate}))
		require.NoError(t, err)
		require.Equal(t, sluice.Second, s.Config().Ports[0].Period, "%v", rate)
	}
}
