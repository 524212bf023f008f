package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

func TestConfigErrorsNameTheField(t *testing.T) {
	good := Config{Rate: 100 * sluice.Gbps}
	for field, spoil := range map[string]func(*Config){
		"Rate":      func(c *Config) { c.Rate = 0 },
		"Levels":    func(c *Config) { c.Levels = 8 },
		"IQs":       func(c *Config) { c.IQs = 6 },
		"Roots":     func(c *Config) { c.Roots = MaxRoots + 1 },
		"MTU":       func(c *Config) { c.MTU = -1 },
		"Scheduler": func(c *Config) { c.Scheduler = 2 },
		"Speedup":   func(c *Config) { c.Speedup = 65 },
	} {
		c := good
		spoil(&c)
		before := c
		_, err := New(c)
		var e *sluice.ConfigError
		require.ErrorAs(t, err, &e)
		require.Equal(t, field, e.Field)
		require.Equal(t, before, c, "the caller's configuration is not touched")
	}
	for _, c := range []Config{
		{Rate: 1, Levels: -1}, {Rate: 1, IQs: MaxIQs + 1}, {Rate: 1, SingleTier: true, IQs: 1},
		{Rate: 1, SingleTier: true, IQs: MaxSingleTierIQs + 1}, {Rate: -1}, {Rate: 1, Roots: -1},
	} {
		_, err := New(c)
		require.Error(t, err, "%+v", c)
	}
	p, err := New(good)
	require.NoError(t, err)
	require.Equal(t, 101, p.Queues(), "the OQ, and 100 IQs by default")
	_, err = New(Config{Rate: 1 << 62, IQs: MaxIQs, Roots: MaxRoots})
	require.NoError(t, err)
}

func TestNames(t *testing.T) {
	require.Equal(t, "soft-merging", SoftMerging.String())
	require.Equal(t, "State(7)", State(7).String())
	require.Equal(t, "adopt", EventAdopt.String())
	require.Equal(t, "Event(9)", Event(9).String())
	require.Equal(t, "deficit round robin", DeficitRoundRobin.String())
	require.Equal(t, "round robin", RoundRobin.String())
	require.Equal(t, "Scheduler(5)", Scheduler(5).String())
}
