package hiq

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/stretchr/testify/require"
)

func TestConfigErrorsNameTheField(t *testing.T) {
	good := Config{Rate: 100 * sluice.Gbps}
	for field, spoil := range map[string]func(*Config){
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

// Every range is what its comment says, to the last value.
func TestRanges(t *testing.T) {
	accepted := func(edit func(*Config)) bool {
		c := Config{Rate: 100 * sluice.Gbps}
		edit(&c)
		_, err := New(c)
		return err == nil
	}
	single := func(c *Config, iqs int) { c.SingleTier, c.IQs = true, iqs }
	for name, r := range map[string]struct {
		least, most int
		set         func(c *Config, value int)
	}{
		"Levels":               {1, MaxLevels, func(c *Config, v int) { c.Levels = v }},
		"IQs for five levels":  {5, MaxIQs, func(c *Config, v int) { c.Levels, c.IQs = 5, v }},
		"IQs of a single tier": {2, MaxSingleTierIQs, single},
		"Roots":                {1, MaxRoots, func(c *Config, v int) { c.Roots = v }},
		"MTU":                  {1, 1 << 24, func(c *Config, v int) { c.MTU = sluice.Bytes(v) }},
		"Speedup":              {1, 64, func(c *Config, v int) { c.Speedup = v }},
	} {
		for _, value := range []int{-1, 0, r.least - 1, r.least, r.most, r.most + 1} {
			want := r.least <= value && value <= r.most || value == 0 // the default
			require.Equal(t, want, accepted(func(c *Config) { r.set(c, value) }), "%s %d", name, value)
		}
	}
	require.False(t, accepted(func(c *Config) { c.Rate = 0 }))
	require.True(t, accepted(func(c *Config) { c.Rate = 1 }))
	defaults, err := Config{Rate: 1}.withDefaults()
	require.NoError(t, err)
	require.Equal(t, Config{Rate: 1, Levels: 7, IQs: 100, Roots: 256, MTU: 1518, Speedup: 1}, defaults)
}

func TestNamesOfValuesBeyondTheLast(t *testing.T) {
	require.Equal(t, "State(4)", numStates.String())
	require.Equal(t, "Event(5)", numEvents.String())
	require.Equal(t, "Scheduler(2)", (DeficitRoundRobin + 1).String())
	next, ok := numStates.After(EventPause)
	require.False(t, ok)
	require.Equal(t, numStates, next)
	_, ok = Paused.After(numEvents)
	require.False(t, ok)
}
