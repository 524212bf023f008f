package timers

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

// What is stopped stays stopped, and of timers that the new origin makes equal the lowest slot is
// first.
func TestRebase(t *testing.T) {
	for n := 1; n <= 9; n++ {
		set := New(n)
		for i := range n {
			set.Put(i, sluice.Time(100-i))
		}
		set.Put(0, sluice.Never)
		set.Rebase(90)
		require.Equal(t, sluice.Never, set.At(0))
		slot, at := set.Min()
		if n == 1 {
			require.Equal(t, sluice.Never, at)
			continue
		}
		require.Equal(t, n-1, slot)
		require.Equal(t, sluice.Time(10-slot), at)
		for i := 1; i < n; i++ {
			require.Equal(t, sluice.Time(10-i), set.At(i))
		}
	}
}

// The earliest stays the earliest, wherever it is.
func TestRebaseFindsTheEarliest(t *testing.T) {
	for n := 1; n <= 17; n++ {
		for first := range n {
			set := New(n)
			for i := range n {
				set.Put(i, sluice.Time(50+(i*7)%5))
			}
			set.Put(first, 20)
			set.Rebase(10)
			slot, at := set.Min()
			require.Equal(t, first, slot, "of %d", n)
			require.EqualValues(t, 10, at)
		}
	}
}

// A slot that was never set hides no other: not when the earliest is stopped, either.
func TestSlotsThatWereNeverSetHideNothing(t *testing.T) {
	for n := 1; n <= 16; n++ {
		for slot := 1; slot < n; slot++ {
			set := New(n)
			first, at := set.Min()
			require.Equal(t, 0, first)
			require.Equal(t, sluice.Never, at)
			set.Put(0, 5)
			set.Put(slot, 10)
			set.Put(0, sluice.Never)
			got, at := set.Min()
			require.Equal(t, slot, got)
			require.EqualValues(t, 10, at)
		}
	}
}

// What is due is the earliest deadline that is not later than now; a stopped slot never is.
func TestDue(t *testing.T) {
	set := New(3)
	_, due := set.Due(sluice.Never)
	require.False(t, due)
	set.Put(2, 5)
	set.Put(1, 7)
	_, due = set.Due(4)
	require.False(t, due)
	for _, want := range []int{2, 1} {
		slot, due := set.Due(7)
		require.True(t, due)
		require.Equal(t, want, slot)
		set.Put(slot, sluice.Never)
	}
	_, due = set.Due(sluice.Never)
	require.False(t, due)
}
