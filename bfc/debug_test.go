//go:build sluicedebug

package bfc

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInputBeforeDrain: every input hook panics while a frame is pending.
func TestInputBeforeDrain(t *testing.T) {
	st := pauser(t, Config{})
	st.late = true
	st.in(1, 7, 0, 3)
	const message = "bfc: input before PollFrame was drained"
	require.PanicsWithValue(t, message, func() { st.in(1, 7, 0, 3) })
	require.PanicsWithValue(t, message, func() { st.out(1) })
	require.PanicsWithValue(t, message, func() { st.hear(1, Pause, 0) })
	require.PanicsWithValue(t, message, func() { st.s.Expire(0) })
	require.PanicsWithValue(t, message, func() { st.s.Port(0).LinkUp(0) })
	require.Equal(t, []string{"pause 0:[3]"}, st.frames())
	require.NotPanics(t, func() { st.in(1, 7, 0, 3) })
}
