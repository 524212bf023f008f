package main

import (
	"time"

	"github.com/sluicefc/sluice"
)

// epoch is what the times in packets count from. All nodes are in one process, so that the delay of
// a packet is the difference of two readings of one clock.
var epoch = time.Now()

// sinceEpoch returns nanoseconds.
func sinceEpoch() int64 { return time.Since(epoch).Nanoseconds() }

// clock is a node's wall clock, in the picoseconds of a machine. They last for 106 days, so that
// its origin moves once a day.
type clock struct {
	origin time.Time
	day    time.Duration
}

// now returns the time, and tells rebase by how much the origin moved, if it did.
func (c *clock) now(rebase func(by sluice.Time)) sluice.Time {
	elapsed := time.Since(c.origin)
	if elapsed > c.day {
		rebase(sluice.FromDuration(elapsed))
		c.origin = c.origin.Add(elapsed)
		elapsed = 0
	}
	return sluice.FromDuration(elapsed)
}

// until returns how long it is from now to a time of the machine; a day to Never.
func (c *clock) until(t sluice.Time) time.Duration {
	if t > sluice.FromDuration(2*c.day) {
		return c.day
	}
	return t.Duration() - time.Since(c.origin)
}
