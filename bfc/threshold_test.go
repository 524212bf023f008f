package bfc

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
)

// The threshold is F x HRTT x rate / N_active rounded down once, at whatever rate, or the largest
// Bytes.
func TestThresholdIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.OneOf(
			rapid.Int64Range(1, 2_000_000_000_000), rapid.Int64Range(1, math.MaxInt64),
		).Draw(t, "rate")
		roundTrip := rapid.Int64Range(1, int64(2*sluice.Second)).Draw(t, "HRTT")
		term := rapid.OneOf(rapid.Int64Range(1, 100), rapid.Int64Range(1, sluice.MaxRatio))
		factor := sluice.Ratio{Num: term.Draw(t, "numerator"), Den: term.Draw(t, "denominator")}
		active := rapid.IntRange(1, MaxQueues).Draw(t, "active")
		port := PortConfig{Link: sluice.Link{Rate: sluice.Rate(rate)}, HRTT: sluice.Time(roundTrip)}
		s := mustNew(t, Config{Ports: []PortConfig{port}, Queues: 1, Factor: factor})

		share := new(big.Int).Mul(big.NewInt(rate), big.NewInt(roundTrip))
		share.Mul(share, big.NewInt(factor.Num))
		share.Div(share, new(big.Int).Mul(big.NewInt(8*int64(sluice.Second)), big.NewInt(factor.Den)))
		if !share.IsInt64() {
			share.SetInt64(math.MaxInt64)
		}
		want := max(share.Int64()/int64(active), 1)
		require.Equal(t, sluice.Bytes(want), s.Threshold(0, 0, active))
	})
}
