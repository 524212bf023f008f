package pcn

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

func requireField(t *testing.T, field string, err error) {
	t.Helper()
	var bad *sluice.ConfigError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "pcn", bad.Package)
	require.Equal(t, field, bad.Field)
	require.NotEmpty(t, bad.Rule)
}

func TestConfigErrors(t *testing.T) {
	for _, threshold := range []sluice.Bytes{-1, sluice.MaxMarking + 1} {
		_, err := NewCongestionPoint(CPConfig{Threshold: threshold})
		requireField(t, "Threshold", err)
	}
	for field, configs := range map[string][]NPConfig{
		"Period": {{Period: -1}, {Period: sluice.Never}},
		"Share":  {{Share: ratio(0, 1)}, {Share: ratio(21, 20)}, {Share: ratio(-1, 20)}},
	} {
		for _, c := range configs {
			_, err := NewNotificationPoint(c)
			requireField(t, field, err)
		}
	}
	for field, configs := range map[string][]RPConfig{
		"LineRate": {{}, {LineRate: -1}, {LineRate: MaxLineRate + 1}},
		"MinRate":  {{LineRate: g, MinRate: -1}, {LineRate: g, MinRate: g + 1}},
		"WMin": {
			{LineRate: g, WMin: ratio(-1, 2)}, {LineRate: g, WMin: ratio(3, 4)},
			{LineRate: g, WMin: ratio(1, 3), WMax: ratio(1, 4)},
		},
		"WMax": {{LineRate: g, WMax: ratio(-1, 2)}, {LineRate: g, WMax: ratio(3, 2)}},
	} {
		for _, c := range configs {
			_, err := NewReactionPoint(c)
			requireField(t, field, err)
		}
	}
	rates := []sluice.Rate{g}
	for field, configs := range map[string][]FluidConfig{
		"Capacity": {{Rates: rates}, {Rates: rates, Capacity: MaxLineRate + 1}},
		"Period": {
			{Rates: rates, Capacity: g, Period: -1}, {Rates: rates, Capacity: g, Period: sluice.Never},
		},
		"Rates": {{Capacity: g}, {Capacity: g, Rates: make([]sluice.Rate, MaxFluidFlows+1)}},
		"Rates[1]": {
			{Capacity: g, Rates: []sluice.Rate{0, -1}},
			{Capacity: g, Rates: []sluice.Rate{0, MaxLineRate + 1}},
		},
		"WMin": {{Capacity: g, Rates: rates, WMin: ratio(2, 3)}},
		"WMax": {{Capacity: g, Rates: rates, WMax: ratio(3, 2)}},
	} {
		for _, c := range configs {
			_, err := NewFluid(c)
			requireField(t, field, err)
		}
	}
	for _, flows := range []int{0, MaxAdviceFlows + 1} {
		_, _, err := Advice(flows, g, us)
		requireField(t, "Flows", err)
	}
	for _, capacity := range []sluice.Rate{0, MaxLineRate + 1} {
		_, _, err := Advice(1, capacity, us)
		requireField(t, "Capacity", err)
	}
	for _, rtt := range []sluice.Time{0, sluice.Never} {
		_, _, err := Advice(1, g, rtt)
		requireField(t, "RTT", err)
	}
}

// TestDefaults: zero configurations are the paper's, and so is the zero NotificationPoint.
func TestDefaults(t *testing.T) {
	n, err := NewNotificationPoint(NPConfig{})
	require.NoError(t, err)
	require.Equal(t, NotificationPoint{}, n)
	given, err := NewNotificationPoint(NPConfig{Period: 50 * us, Share: ratio(19, 20)})
	require.NoError(t, err)
	for range 20 {
		n.Arrive(0, 1000, sluice.CE)
		given.Arrive(0, 1000, sluice.CE)
	}
	require.Equal(t, n.Deadline(), given.Deadline())
	byDefault, _ := n.Expire(50 * us)
	asGiven, _ := given.Expire(50 * us)
	require.Equal(t, byDefault, asGiven)

	r, err := NewReactionPoint(RPConfig{LineRate: g})
	require.NoError(t, err)
	same, err := NewReactionPoint(RPConfig{
		LineRate: g, MinRate: sluice.Mbps, WMin: ratio(1, 128), WMax: ratio(1, 2),
	})
	require.NoError(t, err)
	require.Equal(t, same, r)
	slow, err := NewReactionPoint(RPConfig{LineRate: 1000})
	require.NoError(t, err)
	slow.Receive(&CNP{Congested: true, RecRate: 1})
	require.Equal(t, sluice.Rate(1000), slow.Rate(), "no link is slower than its least rate")
}

// TestConfigLimits: the least and the largest of each field are accepted.
func TestConfigLimits(t *testing.T) {
	for _, threshold := range []sluice.Bytes{0, sluice.MaxMarking} {
		_, err := NewCongestionPoint(CPConfig{Threshold: threshold})
		require.NoError(t, err)
	}
	for _, c := range []NPConfig{
		{Period: 1}, {Period: sluice.Never - 1}, {Share: ratio(1, sluice.MaxRatio)}, {Share: ratio(1, 1)},
	} {
		_, err := NewNotificationPoint(c)
		require.NoError(t, err)
	}
	for _, c := range []RPConfig{
		{LineRate: 1}, {LineRate: MaxLineRate}, {LineRate: g, MinRate: 1}, {LineRate: g, MinRate: g},
		{LineRate: g, WMax: ratio(1, 1)}, {LineRate: g, WMin: ratio(1, 2)},
		{LineRate: g, WMin: ratio(1, sluice.MaxRatio)},
	} {
		_, err := NewReactionPoint(c)
		require.NoError(t, err)
	}
	for _, c := range []FluidConfig{
		{Capacity: 1, Rates: []sluice.Rate{0}},
		{Capacity: MaxLineRate, Rates: []sluice.Rate{MaxLineRate}},
		{Capacity: g, Period: 1, Rates: make([]sluice.Rate, MaxFluidFlows)},
	} {
		_, err := NewFluid(c)
		require.NoError(t, err)
	}
	for rtt, capacity := range map[sluice.Time]sluice.Rate{1: 1, sluice.Never - 1: MaxLineRate} {
		_, _, err := Advice(1, capacity, rtt)
		require.NoError(t, err)
	}
}
