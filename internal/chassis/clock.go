// Package chassis is what the machines of all protocols stand on: the clock that does not go back,
// and the ports that a hook woke. The other parts have packages of their own beside this one:
// bitset, check, drr, table, timers, wire.
package chassis

import (
	"math"

	"github.com/sluicefc/sluice"
)

// Clock is the latest time that a machine was told. Make it with NewClock.
type Clock struct {
	now sluice.Time
	// Misuses counts times that were Never.
	Misuses uint64
}

// origin is the time before any input: any other but Never is after it.
const origin = math.MinInt64

// NewClock returns the clock of a machine that was told no time yet.
func NewClock() Clock { return Clock{now: origin} }

// Told reports whether the machine was told any time.
func (c *Clock) Told() bool { return c.now != origin }

// Now returns the latest time told.
func (c *Clock) Now() sluice.Time { return c.now }

// Advance moves the clock on to now and returns the time that the hook is to use: now, or the
// latest time told if now is earlier, or Never.
func (c *Clock) Advance(now sluice.Time) sluice.Time {
	if now > c.now {
		return c.forward(now)
	}
	return c.now
}

// Overlook takes the time of a hook that changes nothing, not even the clock: it counts Never.
func (c *Clock) Overlook(now sluice.Time) {
	if now == sluice.Never {
		c.Misuses++
	}
}

func (c *Clock) forward(now sluice.Time) sluice.Time {
	if now == sluice.Never {
		c.Misuses++
		return c.now
	}
	c.now = now
	return now
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

// Rebase moves the origin of time by so much: the clock shows that much less.
func (c *Clock) Rebase(by sluice.Time) { c.now = Shift(c.now, by) }

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
