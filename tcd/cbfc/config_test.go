package cbfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

func TestConfigErrors(t *testing.T) {
	good := PortConfig{Link: sluice.Link{Rate: g}}
	for field, change := range map[string]func(*Config){
		"Ports":               func(c *Config) { c.Ports = nil },
		"Classes":             func(c *Config) { c.Classes = sluice.NoClasses },
		"MTU":                 func(c *Config) { c.MTU = MaxMTU + 1 },
		"Quantum[3]":          func(c *Config) { c.Quantum[3] = -1 },
		"Ports[1].Link.Rate":  func(c *Config) { c.Ports[1].Link.Rate = 0 },
		"Ports[1].Link.Delay": func(c *Config) { c.Ports[1].Link.Delay = -1 },
		"Ports[1].Buffer":     func(c *Config) { c.Ports[1].Buffer = DefaultMTU - 64 },
		"Ports[1].PeerBuffer": func(c *Config) { c.Ports[1].PeerBuffer = MaxBuffer + 1 },
		"Ports[1].Period":     func(c *Config) { c.Ports[1].Period = sluice.Second + 1 },
		"Ports[1].KeepAlive":  func(c *Config) { c.Ports[1].Period, c.Ports[1].KeepAlive = us, us-1 },
	} {
		c := Config{Ports: []PortConfig{good, good}}
		change(&c)
		_, err := New(c)
		var bad *sluice.ConfigError
		require.ErrorAs(t, err, &bad, field)
		require.Equal(t, field, bad.Field)
		require.Equal(t, "cbfc", bad.Package)
	}
	_, err := New(Config{Ports: []PortConfig{good}, MTU: -1})
	require.ErrorContains(t, err, "MTU")
}

// TestConfigLimits: the least and the largest of each field are accepted; defaults are filled in.
func TestConfigLimits(t *testing.T) {
	port := PortConfig{Link: sluice.Link{Rate: 40 * g}}
	for _, change := range []func(*Config){
		func(c *Config) { c.Ports = make([]PortConfig, MaxPorts); fill(c.Ports, port) },
		func(c *Config) { c.Ports[0].Link = sluice.Link{Rate: 1, Delay: sluice.Second} },
		func(c *Config) { c.Ports[0].Period = sluice.Second },
		func(c *Config) { c.Ports[0].Period = 1 },
		func(c *Config) { c.Ports[0].Period, c.Ports[0].KeepAlive = us, us },
		func(c *Config) { c.Ports[0].KeepAlive = sluice.Second },
		func(c *Config) { c.MTU, c.Ports[0].Buffer, c.Ports[0].PeerBuffer = 1, 64, 64 },
		func(c *Config) { c.MTU, c.Ports[0].Buffer = MaxMTU, MaxMTU },
		func(c *Config) { c.Ports[0].Buffer, c.Ports[0].PeerBuffer = MaxBuffer, MaxBuffer },
		func(c *Config) { c.Quantum[7] = 1<<31 - 1 },
	} {
		c := Config{Ports: []PortConfig{port}}
		change(&c)
		_, err := New(c)
		require.NoError(t, err)
	}
	for field, spoil := range map[string]func(*Config){
		"Ports": func(c *Config) {
			c.Ports = make([]PortConfig, MaxPorts+1)
			fill(c.Ports, port)
		},
		"Ports[0].Link.Delay": func(c *Config) { c.Ports[0].Link.Delay = sluice.Second + 1 },
		"Ports[0].Period":     func(c *Config) { c.Ports[0].Period = -1 },
		"Ports[0].KeepAlive":  func(c *Config) { c.Ports[0].KeepAlive = sluice.Second + 1 },
		"Ports[0].Buffer":     func(c *Config) { c.Ports[0].Buffer = -64 },
		"Ports[0].PeerBuffer": func(c *Config) { c.MTU, c.Ports[0].PeerBuffer = 65, 64 },
		"Quantum[0]":          func(c *Config) { c.Quantum[0] = 1 << 31 },
	} {
		c := Config{Ports: []PortConfig{port}}
		spoil(&c)
		_, err := New(c)
		var bad *sluice.ConfigError
		require.ErrorAs(t, err, &bad, field)
		require.Equal(t, field, bad.Field)
	}
	for _, rate := range []sluice.Rate{1, 1000} { // 65,536 byte times are more than a second
		slow := newSwitch(t, HostConfig(sluice.Link{Rate: rate})).Config().Ports[0]
		require.Equal(t, sluice.Second, slow.Period)
		require.Equal(t, sluice.Second, slow.KeepAlive)
	}
	filled := newSwitch(t, Config{
		Ports: []PortConfig{port, {Link: port.Link, Period: 60 * us}}, Quantum: [8]sluice.Bytes{3: 7},
	}).Config()
	require.Equal(t, Config{
		Ports: []PortConfig{
			{Link: port.Link, Buffer: MaxAnnounced, Period: 13_107_200, KeepAlive: 52_428_800},
			{Link: port.Link, Buffer: MaxAnnounced, Period: 60 * us, KeepAlive: 60 * us},
		},
		Classes: sluice.AllClasses, MTU: DefaultMTU,
		Quantum: [8]sluice.Bytes{
			DefaultMTU, DefaultMTU, DefaultMTU, 7, DefaultMTU, DefaultMTU, DefaultMTU, DefaultMTU,
		},
	}, filled)
	filled.Ports[0].Buffer = 0
	require.NoError(t, func() error { _, err := New(filled); return err }())
}

// TestConfigIsACopy: neither the caller's ports nor those that Config returns are the switch's own.
func TestConfigIsACopy(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: 40 * g})
	s := newSwitch(t, c)
	require.Zero(t, c.Ports[0].Period, "the caller's has no defaults filled in")
	s.Config().Ports[0].Period = 1
	require.NotEqual(t, sluice.Time(1), s.Config().Ports[0].Period)
}

func fill(ports []PortConfig, port PortConfig) {
	for i := range ports {
		ports[i] = port
	}
}
