package transport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSingleAcknowledgements: of four packets the answer to 0 is lost. The paper's answers to the
// others acknowledge it, too. Where an answer names one packet alone, packet 0 stays in flight
// until its timer ends, and goes again.
func TestSingleAcknowledgements(t *testing.T) {
	for _, single := range []bool{false, true} {
		c := irnConfig
		c.Cap, c.Single = 4, single
		tr := newTransport(t, c)
		tr.Start(0, 0, 4)
		for s := range int32(4) {
			_, _, ok := tr.Send(0, 0)
			require.True(t, ok)
			answer, kept := tr.Arrive(0, 0, s)
			require.True(t, kept)
			if s > 0 {
				tr.Answered(0, answer)
			}
		}
		require.True(t, tr.Complete(0))
		require.Equal(t, !single, tr.Done(0))
		if !single {
			continue
		}
		require.EqualValues(t, 1, tr.InFlight(0))
		require.EqualValues(t, 1, tr.Expire(c.RTOHigh, 0, false))
		s, again, _ := tr.Send(c.RTOHigh, 0)
		require.EqualValues(t, 0, s)
		require.True(t, again)
		answer, kept := tr.Arrive(c.RTOHigh, 0, s)
		require.False(t, kept)
		require.Equal(t, Answer{Kind: Ack, Again: true, Expected: 4, Seen: 0}, answer)
		tr.Answered(0, answer)
		require.True(t, tr.Done(0))
	}
}

// TestSingleGaps: packets 1 and 3 are lost. The paper's SACK of 4 speaks of all that is missing
// before it; a single one of the gap from 3 alone, so that packet 1, whose SACK was lost, waits
// for its timer. Packet 1, when it comes, gets an ACK, as it is beyond no gap.
func TestSingleGaps(t *testing.T) {
	for _, single := range []bool{false, true} {
		c := irnConfig
		c.Cap, c.Single = 10, single
		tr := newTransport(t, c)
		tr.Start(0, 0, 5)
		for range 5 {
			tr.Send(0, 0)
		}
		var last Answer
		for _, s := range []int32{0, 2, 4} {
			last, _ = tr.Arrive(0, 0, s)
		}
		require.Equal(t, Answer{Kind: Sack, Expected: map[bool]int32{false: 1, true: 3}[single],
			Seen: 4}, last)
		tr.Answered(0, last)
		first, _ := tr.Next(0)
		require.Equal(t, last.Expected, first)
		if filled, _ := tr.Arrive(0, 0, 1); single {
			require.Equal(t, Answer{Kind: Ack, Expected: 3, Seen: 1}, filled)
		}
	}
}
