package sluice_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestStandardRates holds Time to its promise: at every standard rate from 1G to 1.6T, the time of
// a byte and of a quantum of 512 bit times (IEEE 802.3 clause 31B.2) is a whole number of
// picoseconds.
func TestStandardRates(t *testing.T) {
	for _, c := range []struct {
		rate          sluice.Rate
		name          string
		byteTime      sluice.Time
		quantum       sluice.Time
		longestPause  sluice.Time // 65,535 quanta
		bytesOfMicros sluice.Bytes
	}{
		{1 * sluice.Gbps, "1Gb/s", 8000, 512_000, 33_553_920_000, 125},
		{2500 * sluice.Mbps, "2.5Gb/s", 3200, 204_800, 13_421_568_000, 312},
		{5 * sluice.Gbps, "5Gb/s", 1600, 102_400, 6_710_784_000, 625},
		{10 * sluice.Gbps, "10Gb/s", 800, 51_200, 3_355_392_000, 1250},
		{25 * sluice.Gbps, "25Gb/s", 320, 20_480, 1_342_156_800, 3125},
		{40 * sluice.Gbps, "40Gb/s", 200, 12_800, 838_848_000, 5000},
		{50 * sluice.Gbps, "50Gb/s", 160, 10_240, 671_078_400, 6250},
		{100 * sluice.Gbps, "100Gb/s", 80, 5_120, 335_539_200, 12_500},
		{200 * sluice.Gbps, "200Gb/s", 40, 2_560, 167_769_600, 25_000},
		{400 * sluice.Gbps, "400Gb/s", 20, 1_280, 83_884_800, 50_000},
		{800 * sluice.Gbps, "800Gb/s", 10, 640, 41_942_400, 100_000},
		{1600 * sluice.Gbps, "1.6Tb/s", 5, 320, 20_971_200, 200_000},
	} {
		require.Equal(t, c.name, c.rate.String())
		require.Equal(t, c.byteTime, c.rate.TimeOf(1), c.name)
		require.EqualValues(
			t, int64(c.rate)*int64(c.byteTime), 8*int64(sluice.Second), "%s: a byte's time is exact", c.name,
		)
		require.Equal(t, c.quantum, c.rate.TimeOfQuanta(1), c.name)
		require.Equal(t, 64*c.byteTime, c.quantum, c.name)
		require.Equal(t, c.longestPause, c.rate.TimeOfQuanta(math.MaxUint16), c.name)
		require.Equal(t, c.bytesOfMicros, c.rate.BytesIn(sluice.Microsecond), c.name)
		require.Equal(t, 1500*c.byteTime, c.rate.TimeOf(1500), c.name)
	}
}

func TestTimeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, n := drawRate(t), sluice.Bytes(drawInt64(t, "bytes"))
		want := int64(0)
		switch {
		case n <= 0:
		case r <= 0:
			want = math.MaxInt64
		default:
			want = divide(int64(n), 8_000_000_000_000, int64(r), true)
		}
		require.Equal(t, want, int64(r.TimeOf(n)), "%v %d bytes", r, n)
	})
}

func TestBytesIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, d := drawRate(t), drawTime(t, "span")
		down, up := int64(0), int64(0)
		if r > 0 && d > 0 {
			down = divide(int64(d), int64(r), 8_000_000_000_000, false)
			up = divide(int64(d), int64(r), 8_000_000_000_000, true)
		}
		require.Equal(t, down, int64(r.BytesIn(d)), "%v %v", r, d)
		require.Equal(t, up, int64(r.BytesInUp(d)), "%v %v", r, d)
		require.Equal(t, r.BytesIn(d), r.BDP(d), "%v %v", r, d)
	})
}

func TestQuanta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, d := drawRate(t), drawTime(t, "span")
		want := int64(0)
		if r > 0 && d > 0 {
			want = min(divide(int64(d), int64(r), 512_000_000_000_000, true), math.MaxUint16)
		}
		require.Equal(t, want, int64(r.QuantaIn(d)), "%v %v", r, d)

		q := rapid.Uint16().Draw(t, "quanta")
		want = 0
		switch {
		case q == 0:
		case r <= 0:
			want = math.MaxInt64
		default:
			want = divide(int64(q), 512_000_000_000_000, int64(r), true)
		}
		require.Equal(t, want, int64(r.TimeOfQuanta(sluice.Quanta(q))), "%v %d quanta", r, q)
	})
}

// TestRoundingDirections: what was sent in the time of n bytes is at least n bytes, and a pause
// of QuantaIn(d) lasts at least d.
func TestRoundingDirections(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := sluice.Rate(rapid.Int64Range(1, 2_000_000_000_000).Draw(t, "rate"))
		n := sluice.Bytes(rapid.Int64Range(1, 1_000_000).Draw(t, "bytes"))
		span := r.TimeOf(n)
		require.GreaterOrEqual(t, r.BytesIn(span), n)
		if span > 1 && r <= 8_000_000_000_000 {
			require.Less(t, r.BytesIn(span-1), n, "TimeOf is the first instant at which n bytes are sent")
		}
		d := sluice.Time(rapid.Int64Range(1, 1_000_000_000).Draw(t, "span"))
		require.LessOrEqual(t, r.BytesIn(d), r.BytesInUp(d))
		require.LessOrEqual(t, r.BytesInUp(d)-r.BytesIn(d), sluice.Byte)
		if q := r.QuantaIn(d); q < math.MaxUint16 {
			require.GreaterOrEqual(t, r.TimeOfQuanta(q), d)
			require.Less(t, r.TimeOfQuanta(q-1), d)
		}
	})
}

// TestSaturation looks at quotients next to 2^63 and 2^64, which random numbers do not hit.
func TestSaturation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shift := rapid.SampledFrom([]uint{63, 64}).Draw(t, "power of two")
		r := 4_000_000_000_000 - rapid.Int64Range(1, 1_000_000_000).Draw(t, "rate below 4 Tb/s")
		edge := new(big.Int).Lsh(big.NewInt(r), shift)
		edge.Div(edge, big.NewInt(8_000_000_000_000))
		n := clamp(edge.Add(edge, big.NewInt(rapid.Int64Range(-3, 3).Draw(t, "beside"))))
		if n.Sign() <= 0 {
			return
		}
		want := divide(n.Int64(), 8_000_000_000_000, r, true)
		require.Equal(
			t, want, int64(sluice.Rate(r).TimeOf(sluice.Bytes(n.Int64()))), "%d b/s %v bytes", r, n,
		)
	})
	require.Equal(t, sluice.Never, sluice.Rate(1).TimeOf(math.MaxInt64))
	require.EqualValues(t, int64(math.MaxInt64), sluice.Rate(math.MaxInt64).BytesIn(sluice.Never))
	require.EqualValues(t, math.MaxUint16, sluice.Rate(math.MaxInt64).QuantaIn(sluice.Never))
	require.Equal(t, sluice.Never, sluice.Rate(0).TimeOf(1))
	require.Equal(t, sluice.Never, sluice.Rate(-1).TimeOf(1))
	require.Zero(t, sluice.Rate(0).TimeOf(0))
	require.Zero(t, (100 * sluice.Gbps).TimeOf(-1))
	require.Zero(t, (100 * sluice.Gbps).BytesIn(-1))
	require.Zero(t, sluice.Rate(0).BytesInUp(1))
}

func TestRateTimesTimeBeyond64Bits(t *testing.T) {
	// 400 Gb/s for 24 us is more than 2^63 bit picoseconds.
	require.EqualValues(t, 1_200_000, (400 * sluice.Gbps).BytesIn(24*sluice.Microsecond))
	require.EqualValues(t, int64(50_000_000_000), (400 * sluice.Gbps).BytesIn(sluice.Second))
	require.Equal(t, 20*sluice.Second, (400 * sluice.Gbps).TimeOf(sluice.Bytes(1e12)))
}

func TestRateString(t *testing.T) {
	for want, r := range map[string]sluice.Rate{
		"0b/s":                      0,
		"999b/s":                    999,
		"-1b/s":                     -1,
		"1kb/s":                     sluice.Kbps,
		"-1kb/s":                    -sluice.Kbps,
		"1.5Mb/s":                   1500 * sluice.Kbps,
		"400Gb/s":                   400 * sluice.Gbps,
		"1.6Tb/s":                   1600 * sluice.Gbps,
		"-9223372.036854775808Tb/s": math.MinInt64,
		"9223372.036854775807Tb/s":  math.MaxInt64,
		"999.999999999Gb/s":         sluice.Tbps - 1,
	} {
		require.Equal(t, want, r.String())
	}
}

func TestAmounts(t *testing.T) {
	require.EqualValues(t, 1e3, sluice.KB)
	require.EqualValues(t, 1e6, sluice.MB)
	require.EqualValues(t, 1e9, sluice.GB)
	require.EqualValues(t, 1<<10, sluice.KiB)
	require.EqualValues(t, 1<<20, sluice.MiB)
	require.EqualValues(t, 1<<30, sluice.GiB)
}

// divide is a*b/c in arithmetic without bounds, saturating. a, b, c are positive.
func divide(a, b, c int64, up bool) int64 {
	product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
	quotient, remainder := product.QuoRem(product, big.NewInt(c), new(big.Int))
	if up && remainder.Sign() != 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return clamp(quotient).Int64()
}

// drawRate draws a standard rate, or any.
func drawRate(t *rapid.T) sluice.Rate {
	return sluice.Rate(rapid.OneOf(
		rapid.SampledFrom([]int64{1e9, 10e9, 25e9, 100e9, 400e9, 1600e9}),
		rapid.Custom(func(t *rapid.T) int64 { return drawInt64(t, "any rate") }),
	).Draw(t, "rate"))
}
