package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestConfig: an error of a configuration names field, value and rule, and it is the first error.
func TestConfig(t *testing.T) {
	c := Of("pfc", "Config")
	c.That(true, 1, "must be positive", "Buffer")
	require.NoError(t, c.Err())
	require.True(t, c.Fine())
	c.That(false, -3, "must be positive", "Ports[%d].XOff", 2)
	c.That(false, 9, "must be less", "Other")
	require.False(t, c.Fine())
	require.EqualError(t, c.Err(), "pfc: Config.Ports[2].XOff = -3: must be positive")
}

// Zero has a meaning, any other value means itself.
func TestDefault(t *testing.T) {
	zero, given := 0, -1
	Default(&zero, 7)
	Default(&given, 7)
	require.Equal(t, 7, zero)
	require.Equal(t, -1, given)
}

func TestProducts(t *testing.T) {
	two := sluice.Ratio{Num: 2, Den: 1}
	for _, c := range []struct {
		ratio sluice.Ratio
		fine  bool
	}{
		{sluice.Ratio{}, true}, {sluice.Ratio{Num: 0, Den: 1}, true},
		{sluice.Ratio{Num: MaxProducts * sluice.MaxRatio, Den: sluice.MaxRatio}, true},
		{sluice.Ratio{Num: -1, Den: 1}, false}, {sluice.Ratio{Num: 1, Den: 0}, false},
		{sluice.Ratio{Num: 1, Den: sluice.MaxRatio + 1}, false},
		{sluice.Ratio{Num: MaxProducts + 1, Den: 1}, false},
	} {
		k, ratio := Of("x", "Config"), c.ratio
		k.Products(&ratio, two, "Pause")
		require.Equal(t, c.fine, k.Fine(), c.ratio)
		require.Equal(t, c.ratio == sluice.Ratio{}, ratio == two)
	}
	require.EqualValues(t, 187, BDPs(sluice.Ratio{Num: 3, Den: 2}, sluice.Gbps, sluice.Microsecond))
	require.Positive(t, BDPs(sluice.Ratio{Num: MaxProducts * sluice.MaxRatio, Den: 1},
		1<<62, sluice.Never))
}
