package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Numbers tell frames from before a link came up, for as long as one can be under way.
func TestPast(t *testing.T) {
	link := sluice.Link{Rate: 8 * sluice.Gbps, Delay: 1000 * sluice.Nanosecond} // a byte a nanosecond
	p := NewPast()
	require.False(t, p.Has(-sluice.Second, 0), "a link that never failed has no past")

	var heard Window
	p.Begin(0, link, 100, &heard)
	require.Equal(t, 1100*sluice.Nanosecond, p.Until)
	require.True(t, p.Has(p.Until, 12345), "nothing was heard: all is taken for the past")
	require.True(t, p.Has(p.Until, 1<<31), "however far from 0")
	require.False(t, p.Has(p.Until+1, 12345))

	heard.Fresh(1000)
	p.Begin(0, link, 100, &heard)
	for sequence, past := range map[uint32]bool{
		1000: true, 1000 + Reordering/2 - 1: true, 1000 + Reordering/2: false,
		1<<32 + 1000 - Reordering/2: true, 1<<32 + 1000 - Reordering/2 - 1: false,
		1000 + Reordering: false,
	} {
		require.Equal(t, past, p.Has(0, sequence), "%d", sequence)
	}
	p.Begin(0, link, 100, &Window{})
	require.True(
		t, p.Has(0, 1000), "again, before the first past was over: nothing of it is forgotten",
	)
	require.False(t, p.Has(0, 1000+Reordering))

	p.Rebase(600 * sluice.Nanosecond)
	require.Equal(t, 500*sluice.Nanosecond, p.Until)
	none := NewPast()
	none.Rebase(-sluice.Second)
	require.Equal(t, NewPast(), none)
}
