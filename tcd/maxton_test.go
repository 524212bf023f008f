package tcd

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// TestMaxTonTable is to the picosecond. The first row is the interval of 97 us of the first
// author's configuration files, whose code counts whole microseconds; the second its default of 40
// us.
func TestMaxTonTable(t *testing.T) {
	const g = sluice.Gbps
	for _, test := range []struct {
		rate    sluice.Rate
		delay   sluice.Time
		frame   sluice.Bytes
		epsilon int64 // 1/epsilon
		want    sluice.Time
	}{
		{40 * g, 4 * us, 1030, 20, 96_978_000},
		{40 * g, 1 * us, 1500, 20, 39_900_000},
		{40 * g, 1 * us, 1030, 20, 33_978_000},
		{40 * g, 5 * us, 1030, 20, 117_978_000},
		{100 * g, 1 * us, 1030, 20, 26_191_200},
		{100 * g, 1 * us, 1500, 20, 28_560_000},
		{100 * g, 2 * us, 1030, 20, 47_191_200},
		{10 * g, 5 * us, 1030, 20, 156_912_000},
		{400 * g, 1 * us, 1030, 20, 22_297_800},
		{100 * g, 600 * sluice.Nanosecond, 1526, 20, 20_291_040},
		{40 * g, 4 * us, 1030, 100, 466_418_000},
		{40 * g, 4 * us, 1030, 10, 50_798_000},
		{40 * g, 4 * us, 1030, 5, 27_708_000},
	} {
		link := sluice.Link{Rate: test.rate, Delay: test.delay}
		got := MaxTonCEE(link, 2*test.frame, test.frame, sluice.Ratio{Num: 1, Den: test.epsilon})
		require.Equal(t, test.want, got, "%+v", test)
	}
	fast := sluice.Link{Rate: 1 << 62, Delay: 3} // what takes 7,629,397.53 ps is 2^85 in units of 1/C
	require.Equal(
		t, 15_258_795*sluice.Picosecond,
		MaxTonCEE(fast, sluice.MaxMarking, 0, sluice.Ratio{Num: 1, Den: 1}),
	)
	period := (40 * g).TimeOf(65536)
	require.Equal(t, 13_107_200*sluice.Picosecond, MaxTonInfiniBand(period, sluice.Ratio{}))
	require.Equal(
		t, 12_483_047*sluice.Picosecond, MaxTonInfiniBand(period, DefaultEpsilon()), "12,483.0476 ns",
	)
}

// TestMaxTonIsExact: against fractions of any precision, rounded down.
func TestMaxTonIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		link := sluice.Link{
			Rate:  sluice.Rate(rapid.Int64Range(1, 1<<62).Draw(t, "rate")),
			Delay: sluice.Time(rapid.Int64Range(0, 1<<50).Draw(t, "delay")),
		}
		gap := sluice.Bytes(rapid.Int64Range(0, 1<<42).Draw(t, "gap"))
		frame := sluice.Bytes(rapid.Int64Range(0, 1<<42).Draw(t, "frame"))
		epsilon := sluice.Ratio{
			Num: rapid.Int64Range(1, sluice.MaxRatio).Draw(t, "p"),
			Den: rapid.Int64Range(1, sluice.MaxRatio).Draw(t, "q"),
		}

		picosecondBits := new(big.Int).Mul(
			big.NewInt(int64(gap+frame)), big.NewInt(8*int64(sluice.Second)),
		)
		onWire := new(big.Rat).SetFrac(picosecondBits, big.NewInt(int64(link.Rate)))
		sum := onWire.Add(onWire, new(big.Rat).SetInt64(int64(link.Delay)))
		e := big.NewRat(epsilon.Num, epsilon.Den)
		factor := new(big.Rat).Quo(new(big.Rat).Add(big.NewRat(1, 1), e), e)
		require.Equal(t, floor(sum.Mul(sum, factor)), MaxTonCEE(link, gap, frame, epsilon))

		period := sluice.Time(rapid.Int64Range(1, 1<<62).Draw(t, "period"))
		onePlus := new(big.Rat).Add(big.NewRat(1, 1), e)
		wantPeriod := floor(new(big.Rat).Quo(new(big.Rat).SetInt64(int64(period)), onePlus))
		require.Equal(t, wantPeriod, MaxTonInfiniBand(period, epsilon))
	})
}

func floor(x *big.Rat) sluice.Time {
	n := new(big.Int).Div(x.Num(), x.Denom())
	if !n.IsInt64() {
		return sluice.Never
	}
	return sluice.Time(n.Int64())
}

func TestMaxTonRefuses(t *testing.T) {
	link, epsilon := sluice.Link{Rate: sluice.Gbps}, DefaultEpsilon()
	for _, got := range []sluice.Time{
		MaxTonCEE(sluice.Link{}, 2000, 1000, epsilon),
		MaxTonCEE(sluice.Link{Rate: -1}, 2000, 1000, epsilon),
		MaxTonCEE(sluice.Link{Rate: 1, Delay: -1}, 2000, 1000, epsilon),
		MaxTonCEE(link, -1, 1000, epsilon),
		MaxTonCEE(link, 2000, -1, epsilon),
		MaxTonCEE(link, sluice.MaxMarking+1, 1000, epsilon),
		MaxTonCEE(link, 2000, sluice.MaxMarking+1, epsilon),
		MaxTonCEE(link, 2000, 1000, sluice.Ratio{}),
		MaxTonCEE(link, 2000, 1000, sluice.Ratio{Num: -1, Den: 20}),
		MaxTonCEE(sluice.Link{Rate: 1}, sluice.MaxMarking, sluice.MaxMarking, epsilon),
		MaxTonCEE(
			sluice.Link{Rate: 1, Delay: sluice.Never}, 0, 0, sluice.Ratio{Num: 1, Den: sluice.MaxRatio},
		),
		MaxTonInfiniBand(0, epsilon),
		MaxTonInfiniBand(-5, sluice.Ratio{}),
		MaxTonInfiniBand(5, sluice.Ratio{Num: 1}),
	} {
		require.Equal(t, sluice.Never, got)
	}
}
