package transport

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// sendAll sends what flow 0 may send, and returns it.
func sendAll(tr *Transport, now sluice.Time) (sent []int32) {
	for s, _, ok := tr.Send(now, 0); ok; s, _, ok = tr.Send(now, 0) {
		sent = append(sent, s)
	}
	return sent
}

// TestIgnored: what no correct peer sends is counted and changes nothing.
func TestIgnored(t *testing.T) {
	c := irnConfig
	c.Cap = 7
	tr := newTransport(t, c)
	tr.Start(0, 0, 10)
	sendAll(tr, 0)
	before := *tr
	ignored := uint64(0)
	isIgnored := func() {
		t.Helper()
		ignored++
		require.Equal(t, ignored, tr.Counters().Ignored)
		require.Equal(t, before.flows, tr.flows)
		require.Equal(t, before.sends, tr.sends)
	}
	for _, c := range [][2]int32{{-1, 0}, {1, 0}, {0, -1}, {0, 10}, {0, 11}, {0, 7}} {
		answer, kept := tr.Arrive(0, c[0], c[1])
		require.False(t, kept)
		require.Zero(t, answer)
		isIgnored()
	}
	for _, a := range []Answer{
		{Kind: Ack, Expected: 8}, {Kind: Ack, Expected: -1}, {Kind: NoAnswer, Expected: 1},
		{Kind: Sack, Seen: 7}, {Kind: Sack, Seen: 100},
	} {
		tr.Answered(0, a)
		isIgnored()
	}
	tr.Answered(1, Answer{Kind: Ack})
	isIgnored()
	for _, seen := range []int32{-5, 0} {
		tr.Answered(0, Answer{Kind: Sack, Seen: seen})
		require.Equal(t, before.sends, tr.sends)
	}
}

// TestUnknown: of a flow that was not started nothing is to be sent or awaited.
func TestUnknown(t *testing.T) {
	for _, kind := range []Kind{GoBackN, Lossless, IRN} {
		c := irnConfig
		c.Kind, c.Timeout = kind, us
		tr := newTransport(t, c)
		tr.Start(0, 1, 0)
		tr.Start(0, 2, -1)
		tr.Start(0, 3, 5)
		tr.Finish(3)
		tr.Start(0, -1, 5)
		for i := int32(-1); i < 5; i++ {
			s, ok := tr.Next(i)
			require.Zero(t, s)
			require.False(t, ok)
			_, _, ok = tr.Send(0, i)
			require.False(t, ok)
			require.True(t, tr.Done(i))
			require.True(t, tr.Complete(i))
			require.False(t, tr.recovering(i))
			require.Zero(t, tr.InFlight(i))
			require.Zero(t, tr.Acked(i))
			require.Zero(t, tr.Highest(i))
			require.Zero(t, tr.Expire(sluice.Second, i, false))
			require.Equal(t, sluice.Never, tr.Deadline(i))
		}
	}
}

// TestGaps: a packet beyond a gap is not kept, but under irn; each is counted.
func TestGaps(t *testing.T) {
	for kind, want := range map[Kind]Answer{
		GoBackN: {Kind: Nack}, Lossless: {Kind: Ack, Again: true}, IRN: {Kind: Sack, Seen: 2},
	} {
		c := irnConfig
		c.Kind = kind
		tr := newTransport(t, c)
		tr.Start(0, 0, 10)
		answer, kept := tr.Arrive(0, 0, 2)
		require.Equal(t, want, answer)
		require.Equal(t, kind == IRN, kept)
		require.EqualValues(t, 1, tr.Counters().Gaps)
		answer, kept = tr.Arrive(0, 0, 2)
		require.False(t, kept)
		require.Equal(t, kind != GoBackN, answer.Again)
		if kind == IRN {
			require.Equal(t, Counters{Gaps: 1, Duplicates: 1}, tr.Counters())
		}
	}
}

// TestIRNKeepsEach: every other packet of a hundred comes twice, then the rest.
func TestIRNKeepsEach(t *testing.T) {
	tr := newTransport(t, irnConfig)
	tr.Start(0, 0, 100)
	for round := range 2 {
		for s := int32(1); s < 100; s += 2 {
			_, kept := tr.Arrive(0, 0, s)
			require.Equal(t, round == 0, kept, "packet %d", s)
		}
	}
	for s := int32(0); s < 100; s += 2 {
		answer, kept := tr.Arrive(0, 0, s)
		require.True(t, kept)
		require.Equal(t, Answer{Kind: Ack, Expected: s + 2}, answer)
	}
	require.True(t, tr.Complete(0))
	require.Equal(t, Counters{Gaps: 50, Duplicates: 50}, tr.Counters())
}

// TestIRNLostAndAcknowledged: packets taken as lost that were only late need not be sent again.
func TestIRNLostAndAcknowledged(t *testing.T) {
	tr := newTransport(t, irnConfig)
	tr.Start(0, 0, 10)
	sendAll(tr, 0)
	tr.Answered(0, Answer{Kind: Sack, Expected: 0, Seen: 5})
	require.EqualValues(t, 10-1-5, tr.InFlight(0), "0 to 4 are lost, 5 has come")
	tr.Answered(0, Answer{Kind: Sack, Expected: 0, Seen: 3})
	require.EqualValues(t, 10-2-4, tr.InFlight(0), "3 has come as well")
	tr.Answered(0, Answer{Kind: Ack, Expected: 2})
	require.EqualValues(t, 8-2-2, tr.InFlight(0))
	require.Equal(t, []int32{2, 4}, sendAll(tr, 0))
	require.EqualValues(t, 8-2, tr.InFlight(0))
	require.True(t, tr.recovering(0))
	tr.Answered(0, Answer{Kind: Ack, Expected: 9})
	require.True(t, tr.recovering(0), "9 was sent before the loss was found")
	tr.Answered(0, Answer{Kind: Ack, Expected: 10})
	require.False(t, tr.recovering(0))
}

// TestIRNSentAgain: what its timer found lost and was sent again is not lost because of a packet
// that was sent before that.
func TestIRNSentAgain(t *testing.T) {
	tr := newTransport(t, irnConfig)
	tr.Start(0, 0, 10)
	tr.Send(0, 0)
	tr.Send(50*us, 0)
	require.EqualValues(t, 1, tr.Expire(100*us, 0, false))
	s, again, _ := tr.Send(100*us, 0)
	require.Zero(t, s)
	require.True(t, again)
	tr.Expire(200*us, 0, true)
	tr.Answered(0, Answer{Kind: Sack, Expected: 0, Seen: 1})
	require.EqualValues(t, 1, tr.InFlight(0), "0 is still under way, and waits in the card")
	s, again, _ = tr.Send(201*us, 0)
	require.EqualValues(t, 2, s)
	require.False(t, again)
}

// TestIRNTimersApart: timers end at their own nanoseconds, whichever these are: also where their
// low 31 bits stand for something else.
func TestIRNTimersApart(t *testing.T) {
	for offset := sluice.Time(-2); offset < 5; offset++ {
		tr := newTransport(t, irnConfig)
		now := (1<<31+offset)*sluice.Nanosecond - irnConfig.RTOLow
		tr.Start(now, 0, 10)
		tr.Send(now, 0)
		tr.Send(now+3*sluice.Nanosecond, 0)
		for k, sent := range []sluice.Time{now, now + 3*sluice.Nanosecond} {
			end := tr.Deadline(0)
			late := end - sent - irnConfig.RTOLow
			require.True(t, 0 <= late && late <= 2*sluice.Nanosecond, "%v late", late)
			require.Zero(t, tr.Expire(end-1, 0, false))
			require.EqualValues(t, 1, tr.Expire(end, 0, false), "offset %d", offset)
			require.EqualValues(t, 1-k, tr.InFlight(0))
		}
		require.Zero(t, tr.InFlight(0))

		tr.Start(now, 0, 10)
		tr.Send(now, 0)
		tr.Send(now, 0)
		tr.Answered(0, Answer{Kind: Sack, Seen: 1})
		require.Zero(t, tr.InFlight(0), "0 is lost, 1 has come")
	}
}

// TestRingsAreUsedAgain: flows at the same index take the memory that earlier flows gave back.
func TestRingsAreUsedAgain(t *testing.T) {
	tr := newTransport(t, irnConfig)
	for round := range 20 {
		for i, packets := range []int32{1, 2, 3, 50, 1000} {
			tr.Start(0, int32(i), packets)
			tr.Arrive(0, int32(i), packets-1)
		}
		require.Len(t, tr.rings.words, 1+1+2+1+4+1+64+2+128+4, "round %d", round)
	}
}

// TestFlowsApart: flows at other indexes do not see each other, whatever rings were given back
// before.
func TestFlowsApart(t *testing.T) {
	tr := newTransport(t, irnConfig)
	for range 3 {
		for i := range int32(4) {
			tr.Start(0, i, 10)
		}
		for i := range int32(4) {
			for range 10 {
				tr.Send(0, i)
			}
			tr.Answered(i, Answer{Kind: Sack, Seen: 5 + i})
			_, kept := tr.Arrive(0, i, 5+i)
			require.True(t, kept)
		}
		for i := range int32(4) {
			require.EqualValues(t, 10-5-i-1, tr.InFlight(i))
			for s := range int32(10) {
				_, kept := tr.Arrive(0, i, s)
				require.Equal(t, s != 5+i, kept)
			}
		}
		for i := range int32(4) {
			tr.Finish(i)
			tr.Finish(i)
		}
	}
	require.Len(t, tr.rings.words, 4*(16+1))
}

// TestIRNLowerLoss: the first packet to send again may be before packets that were sent again.
func TestIRNLowerLoss(t *testing.T) {
	tr := newTransport(t, irnConfig)
	tr.Start(0, 0, 10)
	sendAll(tr, 0)
	tr.Answered(0, Answer{Kind: Sack, Seen: 4})
	require.Equal(t, []int32{0, 1, 2, 3}, sendAll(tr, us))
	require.EqualValues(t, 5, tr.Expire(irnConfig.RTOHigh, 0, false), "5 to 9")
	s, _, _ := tr.Send(2*us, 0)
	require.EqualValues(t, 5, s)
	require.EqualValues(t, 4, tr.Expire(irnConfig.RTOHigh+us, 0, false), "0 to 3")
	require.Equal(t, []int32{0, 1, 2, 3, 6, 7, 8, 9}, sendAll(tr, 3*us))
}

// TestTimers: gbn has a timer if it has a timeout; the other kinds have none at the start.
func TestTimers(t *testing.T) {
	for _, kind := range []Kind{GoBackN, Lossless, IRN} {
		for _, timeout := range []sluice.Time{0, us, sluice.Never} {
			c := irnConfig
			c.Kind, c.Timeout = kind, timeout
			tr := newTransport(t, c)
			tr.Start(5, 0, 10)
			want := sluice.Never
			if kind == GoBackN && timeout == us {
				want = 5 + us
			}
			require.Equal(t, want, tr.Deadline(0))
		}
	}
}

// TestLimits: the ends of what a configuration may be.
func TestLimits(t *testing.T) {
	c := irnConfig
	c.RTOLow, c.RTOHigh, c.Cap, c.LowPackets = MaxTimeout, MaxTimeout, MaxCap, 0
	newTransport(t, c)
	c.RTOLow, c.RTOHigh, c.Cap = 1, 1, 1
	newTransport(t, c)
}

// TestStartTimers: from then on a flow that makes no progress goes back, whether it had started
// before or not; a flow that is done has no timer.
func TestStartTimers(t *testing.T) {
	tr := newTransport(t, Config{Kind: GoBackN})
	for flow := range int32(2) {
		tr.Start(0, flow, 2)
		tr.Send(0, flow)
		require.Equal(t, sluice.Never, tr.Deadline(flow))
	}
	tr.Send(0, 1)
	tr.Answered(1, Answer{Kind: Ack, Expected: 2})
	tr.StartTimers(5*us, us)
	require.Equal(t, 6*us, tr.Deadline(0))
	require.Equal(t, sluice.Never, tr.Deadline(1))
	require.Equal(t, int32(1), tr.Expire(6*us, 0, false))
	next, ok := tr.Next(0)
	require.True(t, ok)
	require.Zero(t, next)
	tr.Start(7*us, 2, 1)
	require.Equal(t, 8*us, tr.Deadline(2))

	irn := newTransport(t, irnConfig)
	irn.Start(0, 0, 1)
	irn.StartTimers(0, us)
	require.Equal(t, sluice.Never, irn.Deadline(0), "it has timers of packets")
}
