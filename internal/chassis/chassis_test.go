package chassis

import (
	"math"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestClock: a machine whose clock steps back goes on with the latest time it has seen; Never as
// now is counted as misuse, and taken for that time (package sluice).
func TestClock(t *testing.T) {
	c := NewClock()
	require.Equal(t, sluice.Time(-5), c.Advance(-5), "any origin will do")
	require.Equal(t, sluice.Time(7), c.Advance(7))
	require.Equal(t, sluice.Time(7), c.Advance(6))
	require.Zero(t, c.Misuses)
	require.Equal(t, sluice.Time(7), c.Advance(sluice.Never))
	require.Equal(t, uint64(1), c.Misuses)
	c.Overlook(8)
	require.Equal(t, uint64(1), c.Misuses)
	c.Overlook(sluice.Never)
	require.Equal(t, uint64(2), c.Misuses)
	require.Equal(t, sluice.Time(7), c.Now())
}

// TestClockIsBounded: a machine takes a time outside -2^61 to 2^63 - 2^55 ps for the nearer of
// these bounds, also after Rebase (package sluice, Time). What Rebase returns keeps every other
// time as far from the clock as it was.
func TestClockIsBounded(t *testing.T) {
	c := NewClock()
	require.Equal(t, Earliest, c.Advance(sluice.Never), "the clock has no time")
	require.Equal(t, Earliest, c.Advance(math.MinInt64))
	require.False(t, c.Told())
	require.Equal(t, sluice.Time(7), c.Rebase(7), "timers of a machine whose clock has no time move")
	require.Equal(t, Earliest, c.Now())
	require.Equal(t, Earliest, c.Advance(-1<<62))
	require.True(t, c.Told())
	require.Zero(t, c.Rebase(1))
	require.Equal(t, Earliest, c.Now())
	require.Equal(t, Latest, c.Advance(sluice.Never-1))
	require.Zero(t, c.Rebase(math.MinInt64))
	require.Equal(t, sluice.Time(math.MaxInt64), c.Rebase(math.MaxInt64))
	require.Equal(t, Latest-math.MaxInt64, c.Now())
	require.Equal(t, sluice.Time(1)<<61, c.Rebase(math.MaxInt64)+1<<55-1, "as far as Earliest")
	require.Equal(t, Earliest, c.Now())
	rapid.Check(t, func(t *rapid.T) {
		c := NewClock()
		now := c.Advance(sluice.Time(rapid.Int64().Draw(t, "now")))
		by := sluice.Time(rapid.Int64().Draw(t, "by"))
		if !c.Told() {
			return
		}
		moved := c.Rebase(by)
		require.Equal(t, now-moved, c.Now())
		require.True(t, Earliest <= c.Now() && c.Now() <= Latest)
		require.True(t, 0 <= moved && moved <= by || by <= moved && moved <= 0)
	})
}

// TestAfter: only what does not end ends never, and no embedder hears of a deadline that its clock
// cannot show.
func TestAfter(t *testing.T) {
	require.Equal(t, sluice.Time(12), After(5, 7))
	require.Equal(t, sluice.Never, After(5, sluice.Never))
	require.Equal(t, sluice.Never, After(sluice.Never, 5))
	require.Equal(t, sluice.Never-1, After(Latest, 1<<62))
	require.Equal(t, Latest+1<<54, After(Latest, Longest))
	require.Equal(t, Latest, Due(Latest))
	require.Equal(t, sluice.Never, Due(Latest+1))
	require.Equal(t, sluice.Time(5), Later(math.MinInt64, 5))
	require.Equal(t, sluice.Time(9), Later(9, 5))
	require.Equal(t, sluice.Time(9), Later(9, sluice.Never))
	require.Equal(t, Latest, Later(9, Latest+1))
}

// TestShift: after the origin moved by some time, every time is less by that, and the order of
// times stays as it was.
func TestShift(t *testing.T) {
	require.Equal(t, sluice.Never, Shift(sluice.Never, 1<<62), "no timer runs, whatever the origin")
	require.Equal(t, sluice.Time(3), Shift(10, 7))
	require.Equal(t, sluice.Time(17), Shift(10, -7))
	require.Equal(t, sluice.Never-1, Shift(sluice.Never-5, -100), "the last instant before Never")
	require.Equal(t, sluice.Never-1, Shift(sluice.Never-5, -4))
	require.Equal(t, sluice.Never-1, Shift(sluice.Never-1, -1), "a sum that is Never")
	rapid.Check(t, func(t *rapid.T) {
		a := sluice.Time(rapid.Int64().Draw(t, "a"))
		b := sluice.Time(rapid.Int64().Draw(t, "b"))
		by := sluice.Time(rapid.Int64().Draw(t, "by"))
		require.Equal(t, a == sluice.Never, Shift(a, by) == sluice.Never, "only Never becomes Never")
		if a <= b && a > math.MinInt64/4 {
			require.LessOrEqual(t, Shift(a, by), Shift(b, by))
		}
	})
}

// TestWoken: whatever ports and deadlines are noted, the word and the polled ports say all of it,
// and nothing else.
func TestWoken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := NewWoken(8)
		left := map[sluice.PortID]bool{} // in the set from hooks before
		for range rapid.IntRange(1, 5).Draw(t, "hooks") {
			now := map[sluice.PortID]bool{}
			deadline := false
			for range rapid.IntRange(0, 4).Draw(t, "notes") {
				switch port := sluice.PortID(rapid.IntRange(0, 8).Draw(t, "port")); {
				case port == 8:
					deadline = true
					w.Deadline()
				default:
					now[port] = true
					w.Port(port)
				}
			}
			word := w.Take()
			require.Equal(t, deadline, word.Has(sluice.WakeDeadline))
			require.Equal(t, len(now) > 1, word.Has(sluice.WakeSeveral))
			port, one := word.Port()
			require.Equal(t, len(now) == 1, one)
			require.True(t, !one || now[port])
			if len(now) > 1 {
				for port := range now {
					left[port] = true
				}
			}
			if !rapid.Bool().Draw(t, "polled") {
				continue
			}
			for port, ok := w.Poll(); ok; port, ok = w.Poll() {
				require.True(t, left[port], "port %d", port)
				delete(left, port)
			}
			require.Empty(t, left, "ports stay until they are polled, and are polled once")
		}
	})
}

// A verdict carries what its hook noted: nothing, a port, or that Poll names several. One that took
// the word before keeps it.
func TestAnswer(t *testing.T) {
	w := NewWoken(4)
	v := sluice.AppendToQueue(7)
	require.Equal(t, v, w.Answer(v))
	w.Port(1)
	one := w.Answer(v)
	require.Equal(t, v.WithWake(sluice.WakePort(1)), one)
	require.Equal(t, one, w.Answer(one))
	w.Port(1)
	w.Port(3)
	w.Deadline()
	both := w.Answer(v)
	require.Equal(t, sluice.AppendToQueue(7).WithWake(sluice.WakeSeveral|sluice.WakeDeadline), both)
	for _, want := range []sluice.PortID{1, 3} {
		port, ok := w.Poll()
		require.True(t, ok)
		require.Equal(t, want, port)
	}
	require.True(t, w.Quiet())
}

func TestFault(t *testing.T) {
	good := sluice.Packet{Size: 1, Ingress: 2, Class: 7}
	for want, change := range map[sluice.Reason]func(*sluice.Packet){
		sluice.NoReason:   func(p *sluice.Packet) {},
		sluice.BadIngress: func(p *sluice.Packet) { p.Ingress = 3 },
		sluice.BadClass:   func(p *sluice.Packet) { p.Class = 8 },
		sluice.BadSize:    func(p *sluice.Packet) { p.Size = 0 },
	} {
		p := good
		change(&p)
		require.Equal(t, want, Fault(&p, 3))
	}
	good.Ingress = sluice.Local
	require.Equal(t, sluice.NoReason, Fault(&good, 3))
}
