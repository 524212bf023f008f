package sluice_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawWake draws a word that a machine may answer.
func drawWake(t *rapid.T, label string) sluice.Wake {
	var w sluice.Wake
	if rapid.Bool().Draw(t, label+" deadline") {
		w |= sluice.WakeDeadline
	}
	switch rapid.IntRange(0, 2).Draw(t, label+" ports") {
	case 1:
		port := rapid.OneOf(rapid.Uint16Range(0, 3), rapid.Uint16()).Draw(t, label+" port")
		w = w.Merge(sluice.WakePort(sluice.PortID(port)))
	case 2:
		w |= sluice.WakeSeveral
	}
	return w
}

func TestWakePort(t *testing.T) {
	for _, want := range []sluice.PortID{0, 1, 4095, 0xffff} {
		w := sluice.WakePort(want)
		require.False(t, w.Has(sluice.WakeSeveral))
		require.False(t, w.Has(sluice.WakeDeadline))
		got, ok := w.Port()
		require.True(t, ok)
		require.Equal(t, want, got)
	}
	_, ok := sluice.Wake(0).Port()
	require.False(t, ok)
	_, ok = (sluice.WakeSeveral | sluice.WakeDeadline).Port()
	require.False(t, ok)
}

func TestHasAsksForAll(t *testing.T) {
	w := sluice.WakePort(3) | sluice.WakeDeadline
	require.False(t, w.Has(sluice.WakeSeveral|sluice.WakeDeadline))
	require.True(t, w.Has(sluice.WakeDeadline))
	require.True(t, w.Has(0))
}

// TestMergeLosesNothing: whatever one of the words says, the merged one says: a port by name, or
// that there are several.
func TestMergeLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawWake(t, "a"), drawWake(t, "b")
		merged := a.Merge(b)
		require.Equal(
			t, a.Has(sluice.WakeDeadline) || b.Has(sluice.WakeDeadline), merged.Has(sluice.WakeDeadline),
		)
		if a.Has(sluice.WakeSeveral) || b.Has(sluice.WakeSeveral) {
			require.True(t, merged.Has(sluice.WakeSeveral))
		}
		for _, w := range []sluice.Wake{a, b} {
			if want, ok := w.Port(); ok && !merged.Has(sluice.WakeSeveral) {
				got, ok := merged.Port()
				require.True(t, ok, "%v and %v: %v", a, b, merged)
				require.Equal(t, want, got, "%v and %v: %v", a, b, merged)
			}
		}
	})
}

// TestMergeAddsNothing: one word that names one port, or the same word twice, stays as it is.
func TestMergeAddsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawWake(t, "a")
		require.Equal(t, a, a.Merge(a))
		require.Equal(t, a, a.Merge(0))
		require.Equal(t, a, sluice.Wake(0).Merge(a))
		if _, ok := a.Port(); !ok && !a.Has(sluice.WakeSeveral) {
			merged := a.Merge(sluice.WakePort(7))
			require.False(t, merged.Has(sluice.WakeSeveral))
			port, _ := merged.Port()
			require.Equal(t, sluice.PortID(7), port)
		}
	})
}

func TestWakeString(t *testing.T) {
	for want, w := range map[string]sluice.Wake{
		"nothing":                 0,
		"port 3":                  sluice.WakePort(3),
		"port 3, deadline":        sluice.WakePort(3) | sluice.WakeDeadline,
		"several ports, deadline": sluice.WakeSeveral | sluice.WakeDeadline,
	} {
		require.Equal(t, want, w.String())
	}
}
