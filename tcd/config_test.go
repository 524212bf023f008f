package tcd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

func TestConfigErrors(t *testing.T) {
	for _, test := range []struct {
		field  string
		change func(*Config)
	}{
		{"MaxTon", func(c *Config) { c.MaxTon = 0 }},
		{"MaxTon", func(c *Config) { c.MaxTon = -1 }},
		{"MaxTon", func(c *Config) { c.MaxTon = MaxTonCEE(sluice.Link{}, 1, 1, DefaultEpsilon()) }},
		{"Marking", func(c *Config) { c.Marking = sluice.Marking{} }},
		{"Marking.KMin", func(c *Config) { c.Marking.KMin = -1 }},
		{"Marking.PMax", func(c *Config) { c.Marking.PMax.Num = 101 }},
		{"Drained", func(c *Config) { c.Drained = 0 }},
		{"Drained", func(c *Config) { c.Drained = sluice.MaxMarking + 1 }},
		{"Slack", func(c *Config) { c.Slack = -1 }},
		{"Slack", func(c *Config) { c.Slack = sluice.MaxMarking + 1 }},
	} {
		config := shipped()
		test.change(&config)
		d, err := New(config)
		require.Nil(t, d)
		requireField(t, test.field, err)
	}
	_, err := NewECN(ECNConfig{})
	requireField(t, "Marking", err)
	_, err = NewECN(ECNConfig{Marking: sluice.Marking{KMin: 5}})
	requireField(t, "Marking.KMax", err)
	_, err = NewFECN(FECNConfig{})
	requireField(t, "Threshold", err)
	_, err = NewFECN(FECNConfig{Threshold: sluice.MaxMarking + 1})
	requireField(t, "Threshold", err)
}

func requireField(t *testing.T, field string, err error) {
	t.Helper()
	var bad *sluice.ConfigError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, "tcd", bad.Package)
	require.Equal(t, field, bad.Field)
	require.NotEmpty(t, bad.Rule)
}

// TestConfigLimits: the least and the largest of each field are accepted.
func TestConfigLimits(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.MaxTon = 1 },
		func(c *Config) { c.MaxTon = sluice.Never - 1 },
		func(c *Config) { c.Drained = 1 },
		func(c *Config) { c.Drained = sluice.MaxMarking },
		func(c *Config) { c.Slack = 0 },
		func(c *Config) { c.Slack = sluice.MaxMarking },
	} {
		config := shipped()
		change(&config)
		_, err := New(config)
		require.NoError(t, err)
	}
	for _, threshold := range []sluice.Bytes{1, sluice.MaxMarking} {
		_, err := NewFECN(FECNConfig{Threshold: threshold})
		require.NoError(t, err)
	}
	fast := sluice.Link{Rate: 1 << 62}
	for _, got := range []sluice.Time{
		MaxTonCEE(fast, sluice.MaxMarking, 0, DefaultEpsilon()),
		MaxTonCEE(fast, 0, sluice.MaxMarking, DefaultEpsilon()),
		MaxTonCEE(sluice.Link{Rate: 1}, 0, 0, DefaultEpsilon()), MaxTonInfiniBand(1, sluice.Ratio{}),
	} {
		require.NotEqual(t, sluice.Never, got)
	}
}
