package depth_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
)

func TestCollectSeldom(t *testing.T) {
	const usual = 100
	before := debug.SetGCPercent(usual)
	defer debug.SetGCPercent(before)

	t.Setenv("GOGC", "50")
	depth.CollectSeldom()
	require.Equal(t, usual, debug.SetGCPercent(usual), "who sets GOGC decides")

	t.Setenv("GOGC", "")
	depth.CollectSeldom()
	require.Greater(t, debug.SetGCPercent(usual), usual)
}
