package sluice

import (
	"math"
	"strconv"
	"time"
)

// Time is an instant or a span in picoseconds from an arbitrary origin. At every
// standard rate from 1 Gb/s to 1.6 Tb/s the time of a byte and of a PFC quantum is a
// whole number of picoseconds. The range is 106.7 days.
type Time int64

// Spans of time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// Never is the deadline that does not come. It is later than every other Time, so
// that deadlines combine with min.
const Never Time = math.MaxInt64

// FromDuration converts a span of nanoseconds; it saturates at Never and at the smallest Time.
func FromDuration(d time.Duration) Time {
	switch {
	case d > math.MaxInt64/1000:
		return Never
	case d < math.MinInt64/1000:
		return math.MinInt64
	}
	return Time(d) * Nanosecond
}

// Duration converts to nanoseconds, rounded towards zero.
func (t Time) Duration() time.Duration { return time.Duration(t / Nanosecond) }

// Add returns t+d, saturating at Never and at the smallest Time. Never plus
// anything is Never, and so is anything plus Never.
func (t Time) Add(d Time) Time {
	if t == Never || d == Never {
		return Never
	}
	sum := t + d
	if d > 0 && sum < t {
		return Never
	}
	if d < 0 && sum > t {
		return math.MinInt64
	}
	return sum
}

// Microseconds returns t as a floating-point number of microseconds, for reports.
func (t Time) Microseconds() float64 { return float64(t) / float64(Microsecond) }

// String formats t in the largest unit that keeps it exact: "2.5us" for 2,500,000, "never".
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	units := [...]struct {
		size Time
		name string
	}{{Second, "s"}, {Millisecond, "ms"}, {Microsecond, "us"}, {Nanosecond, "ns"}}
	for _, u := range units {
		if t >= u.size || t <= -u.size {
			return formatScaled(int64(t), int64(u.size)) + u.name
		}
	}
	return strconv.FormatInt(int64(t), 10) + "ps"
}

// formatScaled prints n/unit as an exact decimal; unit is a power of ten.
func formatScaled(n, unit int64) string {
	sign := ""
	magnitude := uint64(n)
	if n < 0 {
		sign = "-"
		magnitude = -magnitude
	}
	whole, rest := magnitude/uint64(unit), magnitude%uint64(unit)
	s := sign + strconv.FormatUint(whole, 10)
	if rest == 0 {
		return s
	}
	fraction := strconv.FormatUint(uint64(unit)+rest, 10)[1:]
	for fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	return s + "." + fraction
}
