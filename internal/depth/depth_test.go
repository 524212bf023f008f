package depth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice/internal/depth"
)

func TestChoose(t *testing.T) {
	for name, want := range map[string]int{"thorough": 3, "exhaustive": 4} {
		t.Setenv("SLUICE_DEPTH", name)
		require.Equal(t, want, depth.Choose(1, 2, 3, 4), name)
		require.Equal(t, 2, depth.Choose(1, 2), "the last value holds beyond")
	}
	t.Setenv("SLUICE_DEPTH", "")
	want := 2
	if testing.Short() {
		want = 1
	}
	require.Equal(t, want, depth.Choose(1, 2, 3, 4))
	t.Setenv("SLUICE_DEPTH", "deep")
	require.PanicsWithValue(t, `SLUICE_DEPTH is "deep", it must be thorough or exhaustive`,
		func() { depth.Now() })
}
