package qos

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// Bucket is a Shaper at work: the time at which the next packet may begin. It counts in time, as
// the generic cell rate algorithm does (ITU-T I.371). It is exact, except that the time of a packet
// is rounded up to a picosecond.
type Bucket struct {
	rate  sluice.Rate
	burst sluice.Time // a full bucket, as time at its rate
	full  sluice.Time // when the bucket is full again
}

// Bucket returns the bucket of a shaper, full.
func (s Shaper) Bucket() Bucket {
	return Bucket{s.Rate, s.Rate.TimeOf(s.Burst), math.MinInt64}
}

// Set takes over another shaper. The missing part of the bucket stays, as time.
func (b *Bucket) Set(s Shaper) { b.rate, b.burst = s.Rate, s.Rate.TimeOf(s.Burst) }

// Ready returns when the next packet may begin: the smallest Time if the bucket is off or was never
// used.
func (b *Bucket) Ready() sluice.Time {
	if b.rate == 0 {
		return math.MinInt64
	}
	return b.full.Add(-b.burst)
}

// Take takes a packet of size bytes, which begins now, out of the bucket.
func (b *Bucket) Take(now sluice.Time, size sluice.Bytes) {
	if b.rate != 0 {
		b.full = chassis.After(max(b.full, now), b.rate.TimeOf(size))
	}
}

// Normalize forgets when a bucket became full that is full now: nothing depends on it.
func (b *Bucket) Normalize(now sluice.Time) {
	if b.full <= now {
		b.full = math.MinInt64
	}
}

// Rebase moves the origin of time: all times are less by so much.
func (b *Bucket) Rebase(by sluice.Time) {
	b.full = chassis.Shift(b.full, by)
}
