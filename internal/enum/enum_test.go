package enum

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestName(t *testing.T) {
	type mode uint8
	names := []string{"on", "off"}
	require.Equal(t, "on", Name(names, "Mode", mode(0)))
	require.Equal(t, "off", Name(names, "Mode", mode(1)))
	require.Equal(t, "Mode(2)", Name(names, "Mode", mode(2)))
	require.Equal(t, "Mode(255)", Name(names, "Mode", mode(255)))
}
