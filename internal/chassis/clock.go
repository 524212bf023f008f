// Package chassis is what the machines of all protocols stand on: the clock that does not go back,
// and the ports that a hook woke. The other parts have packages of their own beside this one:
// bitset, check, drr, table, timers, wire.
package chassis

import (
	"math"

	"github.com/sluicefc/sluice"
)

// Clock is the latest time that a machine has seen. Make it with NewClock.
type Clock struct {
	now sluice.Time
	// Misuses counts times that were Never.
	Misuses uint64
}

// A clock shows no time before Earliest and none after Latest: see Time in package sluice. Ten
// hours lie between Latest and Never, for timers. From Earliest to Latest it is longer than Never,
// so that Span says how long it is from one time to another.
const (
	Earliest sluice.Time = -1 << 61
	Latest   sluice.Time = math.MaxInt64 - 1<<55 + 1
)

// Longest is the interval that intervals which double grow to, five hours.
const Longest sluice.Time = 1 << 54

// origin is the time before any input: any other but Never is after it.
const origin = math.MinInt64

// NewClock returns the clock of a machine that has seen no time yet.
func NewClock() Clock { return Clock{now: origin} }

// Told reports whether the machine has seen a time.
func (c *Clock) Told() bool { return c.now != origin }

// Now returns the latest time seen, Earliest if none was.
func (c *Clock) Now() sluice.Time { return max(c.now, Earliest) }

// Advance moves the clock on to now and returns the time that the hook is to use: now, or the
// latest time told if now is earlier, or Never. It is at least Earliest and at most Latest.
func (c *Clock) Advance(now sluice.Time) sluice.Time {
	if now > c.now {
		return c.forward(now)
	}
	return max(c.now, Earliest)
}

// Overlook takes the time of a hook that changes nothing, not even the clock: it counts Never.
func (c *Clock) Overlook(now sluice.Time) {
	if now == sluice.Never {
		c.Misuses++
	}
}

func (c *Clock) forward(now sluice.Time) sluice.Time {
	if uint64(now) > uint64(Latest) { // before 0, or none that a clock may show
		return c.limited(now)
	}
	c.now = now
	return now
}

func (c *Clock) limited(now sluice.Time) sluice.Time {
	if now == sluice.Never {
		c.Misuses++
		return c.Now()
	}
	c.now = Later(c.now, now)
	return c.now
}

// Later returns the time of a clock that showed one time and hears another: for queues and
// detectors, whose time a switch tells.
func Later(shown, now sluice.Time) sluice.Time {
	if now != sluice.Never {
		shown = max(shown, min(now, Latest))
	}
	return max(shown, Earliest)
}

// After returns when a span ends that begins at t: never, if it does not end; before Never in any
// other case.
func After(t, span sluice.Time) sluice.Time {
	if end := t.Add(span); end != sluice.Never || span == sluice.Never || t == sluice.Never {
		return end
	}
	return sluice.Never - 1
}

// Due returns a deadline as an embedder reads it: Never if it is after all that the clock may
// show. Rebase brings it back.
func Due(deadline sluice.Time) sluice.Time {
	if deadline > Latest {
		return sluice.Never
	}
	return deadline
}

// Span returns how long it is from one time to a later one, at most Never.
func Span(from, to sluice.Time) sluice.Time {
	if span := to - from; span >= 0 {
		return span
	}
	return sluice.Never
}

// Add returns the sum of two amounts that are not negative, saturating.
func Add(a, b sluice.Bytes) sluice.Bytes {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Rebase moves the origin of time: the clock shows so much less, but nothing that no clock may
// show. It returns by how much every other time of the machine is to be less.
func (c *Clock) Rebase(by sluice.Time) sluice.Time {
	if !c.Told() {
		return by
	}
	now := min(max(Shift(c.now, by), Earliest), Latest)
	by = c.now - now // what was asked for, or nearer to 0
	c.now = now
	return by
}

// ShiftAll is Shift of many times, in place.
func ShiftAll(by sluice.Time, times ...[]sluice.Time) {
	for _, some := range times {
		for i := range some {
			some[i] = Shift(some[i], by)
		}
	}
}

// Shift returns t after the origin moved by so much. Never stays Never, and a time before all times
// stays before.
func Shift(t, by sluice.Time) sluice.Time {
	if t == sluice.Never || t == origin {
		return t
	}
	if shifted := t - by; by <= 0 && shifted >= t || by > 0 && shifted < t {
		return min(max(shifted, origin), sluice.Never-1)
	}
	if by > 0 {
		return origin
	}
	return sluice.Never - 1
}
