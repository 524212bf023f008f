package fabric

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// The collector stays away as long as any large network is built, and small ones leave it alone.
func TestHoldCollector(t *testing.T) {
	const usual = 73
	before := debug.SetGCPercent(usual)
	defer debug.SetGCPercent(before)
	percent := func() int {
		now := debug.SetGCPercent(usual)
		debug.SetGCPercent(now)
		return now
	}
	holdCollector(Large - 1)()
	require.Equal(t, usual, percent())
	first, second := holdCollector(Large), holdCollector(2*Large)
	require.Equal(t, -1, percent())
	first()
	require.Equal(t, -1, percent(), "the second network is being built")
	second()
	require.Equal(t, usual, percent(), "as its owner wants it")
}
