package conformance

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A frame that nobody has words for is printed as its bytes.
func TestFramesWithoutWords(t *testing.T) {
	var s step
	require.Equal(t, "[2 bytes: ab01]", s.contents([]byte{0xab, 0x01}))
}
