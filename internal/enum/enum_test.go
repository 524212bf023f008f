package enum

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestName(t *testing.T) {
	type mode uint8
	names := []string{"on", "off"}
	require.Equal(t, "on", Name(mode(0), "Mode", names...))
	require.Equal(t, "off", Name(mode(1), "Mode", names...))
	require.Equal(t, "Mode(2)", Name(mode(2), "Mode", names...))
	require.Equal(t, "Mode(255)", Name(mode(255), "Mode", names...))
}
