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

// Every range is what its comment says, to the last value, and the error says it.
func TestRanges(t *testing.T) {
	try := func(edit func(*Config)) error {
		c := Config{Rate: 100 * sluice.Gbps}
		edit(&c)
		_, err := New(c)
		return err
	}
	single := func(c *Config, iqs int) { c.SingleTier, c.IQs = true, iqs }
	for name, r := range map[string]struct {
		least, most int
		says        string
		set         func(c *Config, value int)
	}{
		"Levels":               {1, MaxLevels, "1 to 7", func(c *Config, v int) { c.Levels = v }},
		"IQs for five levels":  {5, MaxIQs, "IQs", func(c *Config, v int) { c.Levels, c.IQs = 5, v }},
		"IQs of a single tier": {2, MaxSingleTierIQs, "2 to 1,024", single},
		"Roots":                {1, MaxRoots, "1 to 4096", func(c *Config, v int) { c.Roots = v }},
		"MTU": {1, 1 << 24, "1B to 16MiB", func(c *Config, v int) {
			c.MTU = sluice.Bytes(v)
		}},
		"Speedup": {1, 64, "1 to 64", func(c *Config, v int) { c.Speedup = v }},
	} {
		for _, value := range []int{-1, 0, r.least - 1, r.least, r.most, r.most + 1} {
			err := try(func(c *Config) { r.set(c, value) })
			if r.least <= value && value <= r.most || value == 0 { // the default
				require.NoError(t, err, "%s %d", name, value)
			} else {
				require.ErrorContains(t, err, r.says, "%s %d", name, value)
			}
		}
	}
	require.Error(t, try(func(c *Config) { c.Rate = 0 }))
	require.NoError(t, try(func(c *Config) { c.Rate = 1 }))
	defaults, err := Config{Rate: 1}.withDefaults()
	require.NoError(t, err)
	require.Equal(t, Config{Rate: 1, Levels: 7, IQs: 100, Roots: 256, MTU: 1518, Speedup: 1}, defaults)
}

func TestNames(t *testing.T) {
	require.Equal(t, "soft-merging", SoftMerging.String())
	require.Equal(t, "adopt", EventAdopt.String())
	require.Equal(t, "round robin", RoundRobin.String())
	require.Equal(t, "deficit round robin", DeficitRoundRobin.String())
	require.Equal(t, "State(4)", numStates.String())
	require.Equal(t, "Event(5)", numEvents.String())
	require.Equal(t, "Scheduler(2)", (DeficitRoundRobin + 1).String())
}
