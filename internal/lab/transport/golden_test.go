package transport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

var irnConfig = Config{
	Kind: IRN, RTOLow: 100 * us, RTOHigh: 320 * us, LowPackets: 3, Cap: 110,
}

// recovering reports whether flow i, under irn, is in loss recovery: not all that was sent before
// the last loss was found is acknowledged.
func (t *Transport) recovering(i int32) bool {
	return t.config.Kind == IRN && t.known(i) && t.flows[i].acked < t.sends[i].recovery
}

func newTransport(t testing.TB, c Config) *Transport {
	t.Helper()
	tr, err := New(c)
	require.NoError(t, err)
	return tr
}

// story sends a flow of ten packets over a link that loses chosen packets the first time, in
// rounds: all that the sender may send, then all that the receiver answers.
func story(t *testing.T, tr *Transport, lost ...int32) string {
	const i = 0
	var text strings.Builder
	missing := map[int32]bool{}
	for _, s := range lost {
		missing[s] = true
	}
	tr.Start(0, i, 10)
	for round := sluice.Time(0); !tr.Done(i); round++ {
		require.Less(t, round, sluice.Time(10))
		var answers []Answer
		for {
			s, again, ok := tr.Send(round, i)
			if !ok {
				break
			}
			switch {
			case missing[s]:
				fmt.Fprintf(&text, "%d lost, ", s)
				delete(missing, s)
				continue
			case again:
				fmt.Fprintf(&text, "%d again, ", s)
			default:
				fmt.Fprintf(&text, "%d, ", s)
			}
			a, _ := tr.Arrive(round, i, s)
			answers = append(answers, a)
		}
		text.WriteString("answers")
		for _, a := range answers {
			text.WriteString(" " + say(a))
		}
		for _, a := range answers {
			if a.Kind == NoAnswer {
				continue
			}
			before := tr.InFlight(i)
			tr.Answered(i, a)
			if s, ok := tr.Next(i); ok {
				fmt.Fprintf(&text, ", at %s next is %d", say(a), s)
			}
			require.LessOrEqual(t, tr.InFlight(i), before)
		}
		fmt.Fprintf(&text, ", recovering %v\n", tr.recovering(i))
	}
	return text.String()
}

func say(a Answer) string {
	switch a.Kind {
	case Ack:
		return fmt.Sprint(a.Expected)
	case Nack:
		return fmt.Sprintf("NACK %d", a.Expected)
	case Sack:
		return fmt.Sprintf("(%d;%d)", a.Expected, a.Seen)
	}
	return "-"
}

// TestIRN: of ten packets 3 and 5 are lost once. SIGCOMM 2018, section 3.1: a receiver
// answers each packet out of order with a NACK, which has the number that it expects next and the
// number of that packet.
func TestIRN(t *testing.T) {
	tr := newTransport(t, irnConfig)
	require.Equal(t, strings.Join([]string{
		"0, 1, 2, 3 lost, 4, 5 lost, 6, 7, 8, 9, answers 1 2 3 (3;4) (3;6) (3;7) (3;8) (3;9)" +
			", at (3;4) next is 3, at (3;6) next is 3, at (3;7) next is 3, at (3;8) next is 3" +
			", at (3;9) next is 3, recovering true",
		"3 again, 5 again, answers 5 10, recovering false",
		"",
	}, "\n"), story(t, tr, 3, 5))
	require.Equal(t, Counters{Sent: 12, Resent: 2, Gaps: 5}, tr.Counters())
}

// TestIRNStepByStep: the sender sends 3 again at (3;4) and 5 at (3;6), each once, and nothing else;
// it leaves recovery when 10 is acknowledged.
func TestIRNStepByStep(t *testing.T) {
	tr := newTransport(t, irnConfig)
	tr.Start(0, 0, 10)
	for range 10 {
		tr.Send(0, 0)
	}
	var sent []int32
	for _, a := range []Answer{
		{Ack, false, 1, 0}, {Ack, false, 2, 0}, {Ack, false, 3, 0}, {Sack, false, 3, 4},
		{Sack, false, 3, 6}, {Sack, false, 3, 7}, {Sack, false, 3, 8}, {Sack, false, 3, 9},
		{Ack, false, 5, 0}, {Ack, false, 10, 0},
	} {
		require.Equal(t, a.Seen >= 6 || a.Expected == 5 || a.Expected == 10, tr.recovering(0))
		tr.Answered(0, a)
		for s, again, ok := tr.Send(0, 0); ok; s, again, ok = tr.Send(0, 0) {
			require.True(t, again)
			require.Equal(t, Sack, a.Kind)
			require.Equal(t, map[int32]int32{4: 3, 6: 5}[a.Seen], s)
			sent = append(sent, s)
		}
	}
	require.Equal(t, []int32{3, 5}, sent)
	require.False(t, tr.recovering(0))
	require.True(t, tr.Done(0))
	require.Zero(t, tr.InFlight(0))
	require.Equal(t, sluice.Never, tr.Deadline(0))
}

// TestGoBackN: the same losses. One NACK of 3, and everything from 3 on again; then one of 5.
func TestGoBackN(t *testing.T) {
	tr := newTransport(t, Config{Timeout: 10 * sluice.Millisecond})
	require.Equal(t, strings.Join([]string{
		"0, 1, 2, 3 lost, 4, 5 lost, 6, 7, 8, 9, answers 1 2 3 NACK 3 - - - -" +
			", at NACK 3 next is 3, recovering false",
		"3 again, 4 again, 5 again, 6 again, 7 again, 8 again, 9 again, answers 4 5 6 7 8 9 10" +
			", recovering false",
		"",
	}, "\n"), story(t, tr, 3, 5))
	require.Equal(t, Counters{Sent: 17, Resent: 7, Gaps: 5}, tr.Counters())
}

// TestLossless: an answer to each packet, no timer.
func TestLossless(t *testing.T) {
	tr := newTransport(t, Config{Kind: Lossless, Timeout: 10 * sluice.Millisecond})
	require.Equal(t,
		"0, 1, 2, 3, 4, 5, 6, 7, 8, 9, answers 1 2 3 4 5 6 7 8 9 10, recovering false\n", story(t, tr))
	require.Equal(t, sluice.Never, tr.Deadline(0))
	require.Equal(t, Counters{Sent: 10}, tr.Counters())
}

// TestAckEvery: an answer to every fourth packet and to the last.
func TestAckEvery(t *testing.T) {
	tr := newTransport(t, Config{AckEvery: 4})
	require.Contains(t, story(t, tr), "answers - - - 4 - - - 8 - 10,")
}

// TestNackInterval: the receiver repeats a NACK for the same packet after the interval, not before.
func TestNackInterval(t *testing.T) {
	tr := newTransport(t, Config{NackInterval: 500 * sluice.Microsecond})
	tr.Start(0, 0, 10)
	for _, c := range []struct {
		at   sluice.Time
		want AnswerKind
	}{
		{0, Nack}, {1, NoAnswer}, {499_999_999, NoAnswer}, {500_000_000, Nack}, {500_000_001, NoAnswer},
		{sluice.Second, Nack},
	} {
		a, _ := tr.Arrive(c.at, 0, 5)
		require.Equal(t, c.want, a.Kind, "%v", c.at)
	}
	a, kept := tr.Arrive(0, 0, 0)
	require.True(t, kept)
	require.Equal(t, Answer{Kind: Ack, Expected: 1}, a)
	a, _ = tr.Arrive(1, 0, 5)
	require.Equal(t, Answer{Kind: Nack, Expected: 1}, a, "for another packet at once")
}

// TestDuplicates: acknowledged again, or left without an answer.
func TestDuplicates(t *testing.T) {
	for _, ignore := range []bool{false, true} {
		tr := newTransport(t, Config{IgnoreDuplicates: ignore})
		tr.Start(0, 0, 2)
		tr.Arrive(0, 0, 0)
		a, kept := tr.Arrive(0, 0, 0)
		require.False(t, kept)
		want := Answer{Kind: Ack, Again: true, Expected: 1}
		if ignore {
			want = Answer{}
		}
		require.Equal(t, want, a)
	}
}

// TestGoBackNTimer: the timer runs from the start of the flow, period after period. It goes back at
// the end of one in which nothing was acknowledged, unless a packet waits in the network card.
func TestGoBackNTimer(t *testing.T) {
	const rto = 10 * sluice.Millisecond
	tr := newTransport(t, Config{Timeout: rto})
	tr.Start(5, 0, 10)
	for range 4 {
		tr.Send(6, 0)
	}
	require.Equal(t, 5+rto, tr.Deadline(0))
	tr.Answered(0, Answer{Kind: Ack, Expected: 2})
	require.Zero(t, tr.Expire(4+rto, 0, false), "too early")
	require.Zero(t, tr.Expire(5+rto, 0, false), "2 were acknowledged in this period")
	require.Equal(t, 5+2*rto, tr.Deadline(0))
	require.Zero(t, tr.Expire(5+2*rto, 0, true), "one waits in the card")
	require.EqualValues(t, 1, tr.Expire(5+3*rto, 0, false))
	s, ok := tr.Next(0)
	require.True(t, ok)
	require.EqualValues(t, 2, s)
	tr.Answered(0, Answer{Kind: Ack, Expected: 4})
	s, _ = tr.Next(0)
	require.EqualValues(t, 4, s, "what was acknowledged meanwhile is not sent again")
	require.Zero(t, tr.Expire(5+4*rto, 0, false))
	require.Zero(t, tr.Expire(5+5*rto, 0, false), "nothing is in flight")
}

// TestIRNTimers: with few packets in flight, so that no later packet finds the loss, the timeout is
// the low one (SIGCOMM 2018, section 3.1).
func TestIRNTimers(t *testing.T) {
	c := irnConfig
	tr := newTransport(t, c)
	tr.Start(0, 0, 10)
	for k := range sluice.Time(4) {
		tr.Send(k*sluice.Microsecond, 0)
	}
	require.Equal(t, c.RTOLow, tr.Deadline(0))
	require.EqualValues(t, 3, tr.Expire(c.RTOLow+2*sluice.Microsecond, 0, false),
		"0, 1, 2; 3 has the high timeout")
	require.Equal(t, c.RTOHigh+3*sluice.Microsecond, tr.Deadline(0))
	require.EqualValues(t, 1, tr.InFlight(0))
	for want := range int32(3) {
		s, again, _ := tr.Send(c.RTOLow+2*sluice.Microsecond, 0)
		require.Equal(t, want, s)
		require.True(t, again)
	}
	s, _ := tr.Next(0)
	require.EqualValues(t, 4, s)
	require.EqualValues(t, 1, tr.Expire(c.RTOHigh+3*sluice.Microsecond, 0, false), "3")
	require.EqualValues(t, 4, tr.Counters().Timeouts)
}

// TestIRNWaiting: the packet that waits in the network card is not lost when its timer ends.
func TestIRNWaiting(t *testing.T) {
	tr := newTransport(t, irnConfig)
	tr.Start(0, 0, 10)
	tr.Send(0, 0)
	tr.Send(0, 0)
	require.EqualValues(t, 1, tr.Expire(irnConfig.RTOLow, 0, true))
	s, _ := tr.Next(0)
	require.EqualValues(t, 0, s)
	require.Equal(t, irnConfig.RTOLow+irnConfig.RTOHigh, tr.Deadline(0))
}

// TestIRNLostTwice: what was sent again is not found lost by later SACKs: it waits for its timer.
func TestIRNLostTwice(t *testing.T) {
	tr := newTransport(t, irnConfig)
	tr.Start(0, 0, 100)
	for range 20 {
		tr.Send(0, 0)
	}
	tr.Answered(0, Answer{Kind: Sack, Seen: 1})
	s, again, _ := tr.Send(0, 0)
	require.EqualValues(t, 0, s)
	require.True(t, again)
	for seen := int32(2); seen < 20; seen++ {
		tr.Answered(0, Answer{Kind: Sack, Seen: seen})
		_, again, ok := tr.Send(0, 0)
		require.True(t, ok)
		require.False(t, again, "new data")
	}
	require.EqualValues(t, 18, tr.Expire(irnConfig.RTOHigh, 0, true), "0, and new ones but the last")
	s, _ = tr.Next(0)
	require.EqualValues(t, 0, s)
}

// TestCapOfOutstanding: of ten packets at most four are in flight where those that came and those
// that are lost do not count: packet 0 is lost, 1 and 2 came, so that 4 and 5 go beside 3 and the
// second sending of 0, and then 6 and 7 once 3 and 4 came. Where the cap is on all from the oldest
// hole on (IRN, section 3.2), nothing goes before packet 0 has come.
func TestCapOfOutstanding(t *testing.T) {
	sent := func(tr *Transport) (all []int32) {
		for s, _, ok := tr.Send(0, 0); ok; s, _, ok = tr.Send(0, 0) {
			all = append(all, s)
		}
		return all
	}
	for outstanding, want := range map[bool][][]int32{
		false: {{0, 1, 2, 3}, {0}, nil, {4, 5, 6, 7}},
		true:  {{0, 1, 2, 3}, {0, 4, 5}, {6, 7}, {8}},
	} {
		c := irnConfig
		c.Cap, c.Outstanding = 4, outstanding
		tr := newTransport(t, c)
		tr.Start(0, 0, 10)
		require.Equal(t, want[0], sent(tr))
		tr.Answered(0, Answer{Kind: Sack, Expected: 0, Seen: 1})
		tr.Answered(0, Answer{Kind: Sack, Expected: 0, Seen: 2})
		require.Equal(t, want[1], sent(tr))
		for s := int32(3); s < min(5, tr.Highest(0)); s++ {
			tr.Answered(0, Answer{Kind: Sack, Expected: 0, Seen: s})
		}
		require.Equal(t, want[2], sent(tr))
		tr.Answered(0, Answer{Kind: Ack, Expected: min(5, tr.Highest(0))})
		require.Equal(t, want[3], sent(tr))
	}
}

// TestCap: at most Cap packets from the first that is not acknowledged.
func TestCap(t *testing.T) {
	c := irnConfig
	c.Cap = 5
	tr := newTransport(t, c)
	tr.Start(0, 0, 100)
	sent := 0
	for _, _, ok := tr.Send(0, 0); ok; _, _, ok = tr.Send(0, 0) {
		sent++
	}
	require.Equal(t, 5, sent)
	tr.Answered(0, Answer{Kind: Sack, Expected: 0, Seen: 4})
	for range 4 {
		_, again, ok := tr.Send(0, 0)
		require.True(t, ok && again)
	}
	_, ok := tr.Next(0)
	require.False(t, ok)
	tr.Answered(0, Answer{Kind: Ack, Expected: 1})
	s, _ := tr.Next(0)
	require.EqualValues(t, 5, s)
}
