package check

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConfig: "a configuration error names field, value and rule" (CONTRIBUTING), and it is the
// first one.
func TestConfig(t *testing.T) {
	c := Of("pfc")
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
