package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// A link so slow that 65,536 byte times are more than a second has a period of a second.
func TestPeriodOfTheSlowestLink(t *testing.T) {
	for _, rate := range []sluice.Rate{1, 2, 1000} {
		s, err := New(HostConfig(sluice.Link{Rate: rate}))
		require.NoError(t, err)
		require.Equal(t, sluice.Second, s.Config().Ports[0].Period, "%v", rate)
	}
}
