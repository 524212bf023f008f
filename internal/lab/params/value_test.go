package params_test

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/params"
)

func TestUnits(t *testing.T) {
	r := registry(t)
	for _, c := range []struct {
		assignment string
		want       any
		get        func(*params.Values) any
	}{
		{"buffer=1460", sluice.Bytes(1460), func(v *params.Values) any { return v.Bytes("buffer") }},
		{"buffer=20MiB", 20 * sluice.MiB, func(v *params.Values) any { return v.Bytes("buffer") }},
		{"buffer=1.5KB", sluice.Bytes(1500), func(v *params.Values) any { return v.Bytes("buffer") }},
		{"buffer=0.5KiB", sluice.Bytes(512), func(v *params.Values) any { return v.Bytes("buffer") }},
		{"buffer=3B", sluice.Bytes(3), func(v *params.Values) any { return v.Bytes("buffer") }},
		{"buffer=1e6", sluice.MB, func(v *params.Values) any { return v.Bytes("buffer") }},
		{"buffer=1.5e1KB", 15 * sluice.KB, func(v *params.Values) any { return v.Bytes("buffer") }},
		{
			"reaction=4.2e-07s", 420 * sluice.Nanosecond,
			func(v *params.Values) any { return v.Time("reaction") },
		},
		{"pfc.alpha=1.25e-1", "1/8", rational},
		{
			"reaction=1.5us", 1500 * sluice.Nanosecond,
			func(v *params.Values) any { return v.Time("reaction") },
		},
		{"reaction=0", sluice.Time(0), func(v *params.Values) any { return v.Time("reaction") }},
		{"reaction=0.001ns", sluice.Picosecond, func(v *params.Values) any { return v.Time("reaction") }},
		{"reaction=never", sluice.Never, func(v *params.Values) any { return v.Time("reaction") }},
		{"nic=1.6Tbps", 1600 * sluice.Gbps, func(v *params.Values) any { return v.Rate("nic") }},
		{"nic=400Gb/s", 400 * sluice.Gbps, func(v *params.Values) any { return v.Rate("nic") }},
		{"offset=-10", int64(-10), func(v *params.Values) any { return v.Int("offset") }},
		{"ecn=on", true, func(v *params.Values) any { return v.Bool("ecn") }},
		{"pfc.alpha=0.125", "1/8", rational},
		{"pfc.alpha=25%", "1/4", rational},
		{"pfc.alpha=6/4", "3/2", rational},
		{"pfc.alpha=64", "64/1", rational},
		{"pfc.watchdog=alert", "alert", func(v *params.Values) any { return v.String("pfc.watchdog") }},
	} {
		v, err := r.Parse(c.assignment)
		require.NoError(t, err, c.assignment)
		require.Equal(t, c.want, c.get(v), c.assignment)
	}
}

func rational(v *params.Values) any {
	num, den := v.Rational("pfc.alpha")
	return fmt.Sprintf("%d/%d", num, den)
}

func TestParse(t *testing.T) {
	got, err := params.Parse[sluice.Time]("10ms")
	require.NoError(t, err)
	require.Equal(t, 10*sluice.Millisecond, got)
	_, err = params.Parse[sluice.Time]("10")
	require.ErrorContains(t, err, "must be a time with a unit")
}

// TestLongNumbers: a number has at most 40 digits and an exponent of -40 to 40, because more would
// take long to compute; the latest time is none, because it stands for never.
func TestLongNumbers(t *testing.T) {
	r := registry(t)
	zeros := strings.Repeat("0", 39)
	for text, want := range map[string]int64{
		zeros + "7": 7, "0e40": 0, "0e-40": 0, "7" + zeros + "e-39": 7,
		"9223372036854775807": math.MaxInt64,
	} {
		v, err := r.Parse("offset=" + text)
		require.NoError(t, err, text)
		require.Equal(t, want, v.Int("offset"), text)
	}
	for _, text := range []string{
		zeros + "07", "0e41", "0e-41", "7" + zeros + "0e-40", "7e", "e7", "0e1234", "never",
	} {
		_, err := r.Parse("offset=" + text)
		require.Error(t, err, text)
	}
	v, err := r.Parse("reaction=9223372036854775806ps")
	require.NoError(t, err)
	require.Equal(t, sluice.Never-1, v.Time("reaction"))
	for _, text := range []string{"9223372036854775807ps", "0parsec"} {
		_, err = r.Parse("reaction=" + text)
		require.Error(t, err, text)
	}
}

// A decimal of any length is either exactly the number written or refused.
func TestParsingIsExact(t *testing.T) {
	r, err := params.NewRegistry([]params.Definition{
		{Name: "t", Kind: params.Time}, {Name: "q", Kind: params.Rational},
	})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9]{1,12}(\.[0-9]{1,8})?`).Draw(t, "number")
		want, _ := new(big.Rat).SetString(text)
		nanoseconds := new(big.Rat).Mul(want, big.NewRat(1000, 1))
		v, err := r.Parse("t=" + text + "ns")
		if !nanoseconds.IsInt() {
			require.Error(t, err)
		} else {
			require.NoError(t, err)
			require.Equal(t, nanoseconds.Num().Int64(), int64(v.Time("t")))
		}
		v, err = r.Parse("q=" + text)
		if !want.Num().IsInt64() {
			require.ErrorContains(t, err, "out of the range")
			return
		}
		require.NoError(t, err)
		num, den := v.Rational("q")
		require.Zero(t, want.Cmp(big.NewRat(num, den)))
	})
}

// What the vocabulary prints can be typed in again.
func TestFormattedValuesRoundTrip(t *testing.T) {
	r, err := params.NewRegistry([]params.Definition{
		{Name: "t", Kind: params.Time}, {Name: "r", Kind: params.Rate},
		{Name: "i", Kind: params.Int, Min: strconv.Itoa(math.MinInt64)},
	})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		span := sluice.Time(rapid.Int64Min(0).Draw(t, "time"))
		rate := sluice.Rate(rapid.Int64Min(0).Draw(t, "rate"))
		number := rapid.Int64().Draw(t, "int")
		v, err := r.Parse(fmt.Sprintf("t=%v,r=%v,i=%d", span, rate, number))
		require.NoError(t, err)
		require.Equal(t, span, v.Time("t"))
		require.Equal(t, rate, v.Rate("r"))
		require.Equal(t, number, v.Int("i"))
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"buffer=20MiB", "pfc.alpha=1/4,ecn=on", "nic=0.1Tb/s", "reaction=µs", "=,=", "offset=--1",
		"pfc.alpha=9223372036854775808/3",
	} {
		f.Add(seed)
	}
	r := registry(f)
	f.Fuzz(func(t *testing.T, list string) {
		v, err := r.Parse(list)
		if err != nil {
			return
		}
		require.Positive(t, v.Bytes("buffer"))
		require.GreaterOrEqual(t, v.Time("reaction"), sluice.Time(0))
		require.Positive(t, v.Rate("nic"))
		require.LessOrEqual(t, v.Int("classes"), int64(8))
		num, den := v.Rational("pfc.alpha")
		require.GreaterOrEqual(t, num, int64(0))
		require.Positive(t, den)
	})
}
