package sluice_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTimeUnits(t *testing.T) {
	require.EqualValues(t, 1, sluice.Picosecond)
	require.EqualValues(t, 1e3, sluice.Nanosecond)
	require.EqualValues(t, 1e6, sluice.Microsecond)
	require.EqualValues(t, 1e9, sluice.Millisecond)
	require.EqualValues(t, 1e12, sluice.Second)
	require.EqualValues(t, int64(math.MaxInt64), sluice.Never)
}

func TestTimeRange(t *testing.T) {
	days := float64(sluice.Never) / float64(24*3600*sluice.Second)
	require.InDelta(t, 106.7, days, 0.1, "as the comment of Time says")
}

func TestFromDuration(t *testing.T) {
	const largest = math.MaxInt64 / 1000
	for _, c := range []struct {
		from time.Duration
		want sluice.Time
	}{
		{0, 0},
		{1, sluice.Nanosecond},
		{-3 * time.Microsecond, -3 * sluice.Microsecond},
		{largest, largest * 1000},
		{largest + 1, sluice.Never},
		{math.MaxInt64, sluice.Never},
		{-largest, -largest * 1000},
		{-largest - 1, math.MinInt64},
		{math.MinInt64, math.MinInt64},
	} {
		require.Equal(t, c.want, sluice.FromDuration(c.from), "%d ns", int64(c.from))
	}
}

func TestDurationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(-math.MaxInt64/1000, math.MaxInt64/1000).Draw(t, "ns"))
		require.Equal(t, d, sluice.FromDuration(d).Duration())
	})
	require.Equal(t, time.Duration(1), (1999 * sluice.Picosecond).Duration(), "rounded towards zero")
	require.Equal(t, time.Duration(-1), (-1999 * sluice.Picosecond).Duration(), "rounded towards zero")
}

func TestAddSaturates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawTime(t, "a"), drawTime(t, "b")
		want := new(big.Int).Add(big.NewInt(int64(a)), big.NewInt(int64(b)))
		switch {
		case a == sluice.Never || b == sluice.Never:
			want.SetInt64(math.MaxInt64)
		default:
			want = clamp(want)
		}
		require.Equal(t, want.Int64(), int64(a.Add(b)))
		require.Equal(t, a.Add(b), b.Add(a))
	})
}

func TestNeverIsLatest(t *testing.T) {
	for _, d := range []sluice.Time{0, 1, -1, sluice.Second, sluice.Never, math.MinInt64} {
		require.Equal(t, sluice.Never, sluice.Never.Add(d))
		require.Equal(t, sluice.Never, d.Add(sluice.Never))
		require.LessOrEqual(t, d, sluice.Never)
	}
}

func TestMicroseconds(t *testing.T) {
	require.Equal(t, 2.5, (2500 * sluice.Nanosecond).Microseconds())
	require.Equal(t, -0.000001, (-sluice.Picosecond).Microseconds())
}

func TestTimeString(t *testing.T) {
	for want, v := range map[string]sluice.Time{
		"0ps":                    0,
		"1ps":                    1,
		"-999ps":                 -999,
		"1ns":                    sluice.Nanosecond,
		"2.5us":                  2_500_000,
		"-2.5us":                 -2_500_000,
		"1.000001ms":             sluice.Millisecond + sluice.Nanosecond,
		"12.000000000001s":       12*sluice.Second + 1,
		"3600s":                  3600 * sluice.Second,
		"never":                  sluice.Never,
		"9223372.036854775806s":  sluice.Never - 1,
		"-9223372.036854775808s": math.MinInt64,
		"999.999999999ms":        sluice.Second - 1,
		"1.000000000001s":        sluice.Second + 1,
		"-1.000000000001s":       -sluice.Second - 1,
		"100ns":                  100 * sluice.Nanosecond,
		"5.12ns":                 5120,
		"335.54432us":            335_544_320,
		"1s":                     sluice.Second,
		"-1s":                    -sluice.Second,
	} {
		require.Equal(t, want, v.String())
	}
}

// TestTimeStringIsExact reads the text back with exact arithmetic.
func TestTimeStringIsExact(t *testing.T) {
	picoseconds := []struct {
		suffix string
		size   int64
	}{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}
	rapid.Check(t, func(t *rapid.T) {
		v := drawTime(t, "time")
		if v == sluice.Never {
			return
		}
		text := v.String()
		for _, unit := range picoseconds {
			if number, ok := cutUnit(text, unit.suffix); ok {
				require.Equal(t, big.NewRat(int64(v), unit.size), number, text)
				return
			}
		}
		t.Fatalf("no unit in %q", text)
	})
}

// cutUnit reads a number that is followed by the unit and nothing else.
func cutUnit(text, unit string) (*big.Rat, bool) {
	if len(text) <= len(unit) || text[len(text)-len(unit):] != unit {
		return nil, false
	}
	return new(big.Rat).SetString(text[:len(text)-len(unit)])
}

// drawTime draws from the whole range, more often from its ends and from usual spans.
func drawTime(t *rapid.T, label string) sluice.Time {
	return sluice.Time(drawInt64(t, label))
}

func drawInt64(t *rapid.T, label string) int64 {
	return rapid.OneOf(
		rapid.Int64(),
		rapid.Int64Range(math.MaxInt64-10, math.MaxInt64),
		rapid.Int64Range(math.MinInt64, math.MinInt64+10),
		rapid.Int64Range(-1_000_000_000, 1_000_000_000),
		rapid.Just(int64(0)),
	).Draw(t, label)
}

// clamp saturates at the ends of int64.
func clamp(n *big.Int) *big.Int {
	if lowest := big.NewInt(math.MinInt64); n.Cmp(lowest) < 0 {
		return lowest
	}
	if highest := big.NewInt(math.MaxInt64); n.Cmp(highest) > 0 {
		return highest
	}
	return n
}

// A sum saturates at the first picosecond too many, on either side.
func TestSumsSaturate(t *testing.T) {
	require.Equal(t, sluice.Never, (sluice.Never - 1).Add(1))
	require.Equal(t, sluice.Never, sluice.Never.Add(1))
	require.Equal(t, sluice.Time(math.MinInt64), sluice.Time(math.MinInt64+1).Add(-1))
	require.Equal(t, sluice.Time(math.MinInt64), sluice.Time(math.MinInt64).Add(-1))
}
