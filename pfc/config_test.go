package pfc

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

func goodConfig() Config {
	port := PortConfig{
		Link:    sluice.Link{Rate: 100 * sluice.Gbps},
		Profile: Profile{Alpha: ratio(1, 8), Reserve: 1000, Headroom: 2000},
	}
	return Config{Ports: []PortConfig{port, port}, Buffer: 100_000, Classes: sluice.MakeClassSet(3, 4)}
}

// TestConfigRules: every rule, the field it names, and that New does not change its argument.
func TestConfigRules(t *testing.T) {
	_, err := New(goodConfig())
	require.NoError(t, err)
	static := func(c *Config, xOff, xOn sluice.Bytes) {
		c.Ports[1].Alpha, c.Ports[1].XOff, c.Ports[1].XOn = sluice.Ratio{}, xOff, xOn
	}
	for _, test := range []struct {
		field  string
		change func(*Config)
	}{
		{"Ports", func(c *Config) { c.Ports = nil }},
		{"Ports", func(c *Config) { c.Ports = make([]PortConfig, MaxPorts+1) }},
		{"Ports[0].Alpha", func(c *Config) { c.Buffer = 0 }},
		{"Ports[1].LossyAlpha", func(c *Config) {
			c.Buffer = 0
			static(c, 5000, 4000)
			c.Ports[0] = c.Ports[1]
			c.Ports[1].LossyAlpha = ratio(1, 1)
		}},
		{"Classes", func(c *Config) { c.Classes = 1<<9 | 1 }},
		{"Buffer", func(c *Config) { c.Buffer = -1 }},
		{"Buffer", func(c *Config) { c.Buffer = MaxBuffer + 1 }},
		{"Buffer", func(c *Config) { c.Buffer = 2*2*3000 - 1 }},
		{"ReservedClasses", func(c *Config) { c.ReservedClasses = -1 }},
		{"ReservedClasses", func(c *Config) { c.ReservedClasses = 9 }},
		{"MAC", func(c *Config) { c.MAC[0] = 1 }},
		{"Groups[0].Classes", func(c *Config) { c.Groups = []Group{{}} }},
		{"Groups[1].Classes", func(c *Config) { c.Groups = []Group{{Classes: 0xf0}, {Classes: 0x1f}} }},
		{"Groups", func(c *Config) { c.Groups = []Group{{Classes: 0x7f}} }},
		{"Groups", func(c *Config) { c.Groups = []Group{} }},
		{
			"Groups[0].Quantum[2]",
			func(c *Config) { c.Groups = []Group{{Classes: 0xff, Quantum: [8]sluice.Bytes{2: -1}}} },
		},
		{
			"Groups[0].Quantum[2]",
			func(c *Config) { c.Groups = []Group{{Classes: 0xff, Quantum: [8]sluice.Bytes{2: 1 << 31}}} },
		},
		{
			"Groups[0].Quantum[7]",
			func(c *Config) { c.Groups = []Group{{Classes: 0x7f, Quantum: [8]sluice.Bytes{7: 1}}} },
		},
		{"Ports[1].Link.Rate", func(c *Config) { c.Ports[1].Link.Rate = 0 }},
		{"Ports[0].Link.Rate", func(c *Config) { c.Ports[0].Link.Rate = -1 }},
		{"Ports[1].Link.Delay", func(c *Config) { c.Ports[1].Link.Delay = -1 }},
		{"Ports[1].Link.Delay", func(c *Config) { c.Ports[1].Link.Delay = sluice.Second + 1 }},
		{"Ports[1].Alpha", func(c *Config) { c.Ports[1].Alpha = sluice.Ratio{} }},
		{"Ports[1].Alpha", func(c *Config) { c.Ports[1].Alpha = ratio(0, 1) }},
		{"Ports[1].Alpha", func(c *Config) { c.Ports[1].Alpha = ratio(1, 0) }},
		{"Ports[1].Alpha", func(c *Config) { c.Ports[1].Alpha = ratio(-1, -1) }},
		{"Ports[1].Alpha", func(c *Config) { c.Ports[1].Alpha = ratio(sluice.MaxRatio+1, 1) }},
		{"Ports[1].XOff", func(c *Config) { c.Ports[1].XOff = 5000 }},
		{"Ports[1].XOff", func(c *Config) { static(c, 999, 999) }},
		{"Ports[1].XOff", func(c *Config) { static(c, MaxBuffer+1, 5000) }},
		{"Ports[1].XOn", func(c *Config) { c.Ports[1].XOn = 5000 }},
		{"Ports[1].XOn", func(c *Config) { static(c, 5000, 999) }},
		{"Ports[1].XOn", func(c *Config) { static(c, 5000, 5001) }},
		{"Ports[1].XOn", func(c *Config) { static(c, 1<<32, 1000) }},
		{"Ports[1].ResumeOffset", func(c *Config) { static(c, 5000, 4000); c.Ports[1].ResumeOffset = 1 }},
		{"Ports[1].ResumeOffset", func(c *Config) { c.Ports[1].ResumeOffset = -2 }},
		{"Ports[1].ResumeOffset", func(c *Config) { c.Ports[1].ResumeOffset = 1 << 31 }},
		{"Ports[1].Reserve", func(c *Config) { c.Ports[1].Reserve = -1 }},
		{"Ports[1].Reserve", func(c *Config) { c.Ports[1].Reserve = 1 << 31 }},
		{"Ports[1].Headroom", func(c *Config) { c.Ports[1].Headroom = -1 }},
		{"Ports[1].Headroom", func(c *Config) { c.Ports[1].Headroom = 1 << 31 }},
		{"Ports[1].Mode", func(c *Config) { c.Ports[1].Mode = 3 }},
		{"Ports[1].MAC", func(c *Config) { c.Ports[1].MAC[0] = 0xff }},
		{"Ports[1].LossyAlpha", func(c *Config) { c.Ports[1].LossyAlpha = ratio(1, 0) }},
		{"Ports[1].ECN[5].KMax", func(c *Config) { c.Ports[1].ECN[5] = sluice.Marking{KMin: 5} }},
		{
			"Ports[1].ECN[5].KMax",
			func(c *Config) { c.Ports[1].ECN[5] = sluice.Marking{KMax: MaxBuffer + 1} },
		},
		{
			"Ports[1].ECN[5].KMin",
			func(c *Config) { c.Ports[1].ECN[5] = sluice.Marking{KMin: -1, KMax: 5} },
		},
		{
			"Ports[1].ECN[5].KMin", func(c *Config) { c.Ports[1].ECN[5] = sluice.Marking{KMin: 6, KMax: 5} },
		},
		{
			"Ports[1].ECN[5].PMax", func(c *Config) { c.Ports[1].ECN[5] = sluice.Marking{KMin: 4, KMax: 5} },
		},
		{
			"Ports[1].ECN[5].PMax",
			func(c *Config) { c.Ports[1].ECN[5] = sluice.Marking{KMin: 4, KMax: 5, PMax: ratio(3, 2)} },
		},
		{"Watchdog.Detection", func(c *Config) { c.Watchdog.Detection = -1 }},
		{"Watchdog.Restoration", func(c *Config) { c.Watchdog.Restoration = -1 }},
		{"Watchdog.Poll", func(c *Config) { c.Watchdog.Poll = -1 }},
		{"Watchdog.Action", func(c *Config) { c.Watchdog.Action = 3 }},
	} {
		config := goodConfig()
		test.change(&config)
		s, err := New(config)
		require.Nil(t, s, test.field)
		var configError *sluice.ConfigError
		require.True(t, errors.As(err, &configError), "%s: %v", test.field, err)
		require.Equal(t, "pfc", configError.Package)
		require.Equal(t, test.field, configError.Field, "%v", err)
	}
}

// TestConfigLimits: the largest allowed values.
func TestConfigLimits(t *testing.T) {
	for _, change := range []func(*Config){
		func(c *Config) { c.Buffer = 2 * 2 * 3000 },
		func(c *Config) { c.Buffer = 2 * 3000; c.ReservedClasses = 1 },
		func(c *Config) {
			c.Buffer = MaxBuffer
			c.Ports[0].Alpha = ratio(sluice.MaxRatio, sluice.MaxRatio)
		},
		func(c *Config) { c.Ports = make([]PortConfig, MaxPorts); c.Classes = sluice.NoClasses; fill(c) },
		func(c *Config) { c.Classes = sluice.NoClasses; c.Ports[0].Alpha = sluice.Ratio{}; c.Buffer = 1 },
		func(c *Config) { c.Ports[0].ECN[0] = sluice.Marking{KMin: 5, KMax: 5} },
		func(c *Config) {
			c.Ports[0] = PortConfig{Link: sluice.Link{Rate: 1}, Profile: Profile{XOff: 1}}
		},
	} {
		config := goodConfig()
		change(&config)
		s, err := New(config)
		require.NoError(t, err)
		require.NoError(t, s.Audit())
		require.NoError(t, s.Quiescent())
	}
}

func fill(c *Config) {
	for i := range c.Ports {
		c.Ports[i].Link.Rate = 1
	}
}

// TestConfigIsCopied: no change of what New was given, or of what Config returned, reaches the
// switch.
func TestConfigIsCopied(t *testing.T) {
	made := func() Config {
		config := goodConfig()
		config.Groups, config.Pools = []Group{{Classes: 0xff}}, []sluice.Bytes{1000}
		config.EgressPools = []sluice.Bytes{2000}
		p := &config.Ports[0]
		p.Groups, p.QoS = []Group{{Classes: 0xff}}, &qos.Port{Ingress: []qos.Limit{{Static: 5}}}
		p.Profiles[3], p.Watchdog = &Profile{XOff: 5000}, &PortWatchdog{Detection: ms}
		return config
	}
	spoil := func(config Config) {
		p := &config.Ports[0]
		config.Groups[0].Classes, config.Pools[0], config.EgressPools[0] = 1, 1, 1
		p.Groups[0].Classes, p.QoS.Ingress[0].Static, p.Profiles[3].XOff = 1, 1, 1
		p.Watchdog.Detection, p.Reserve = 1, 1
	}
	config, want := made(), newBench(t, made()).s.Config()
	s, err := New(config)
	require.NoError(t, err)
	spoil(config)
	require.Equal(t, want, s.Config())
	spoil(s.Config())
	require.Equal(t, want, s.Config())
	require.EqualValues(t, 5000, s.Port(0).XOff(3))
}

// TestDefaultsOfProfiles: a profile of a class has the defaults of any profile, and a lossy queue
// that shares a pool with lossless classes may have what is free: alpha 1.
func TestDefaultsOfProfiles(t *testing.T) {
	config := goodConfig()
	config.Ports[1].Profiles[3] = &Profile{Alpha: ratio(1, 2)}
	s, err := New(config)
	require.NoError(t, err)
	require.Equal(t, DefaultResumeOffset, s.Config().Ports[1].Profiles[3].ResumeOffset)
	require.Zero(t, config.Ports[1].Profiles[3].ResumeOffset, "of the copy")
	require.Equal(t, ratio(1, 1), s.Config().Ports[1].LossyAlpha)
}

func TestStrings(t *testing.T) {
	require.Equal(t, "{}", sluice.ClassSet(0).String())
	require.Equal(t, "{0 3 7}", sluice.MakeClassSet(0, 7, 3, 9).String())
	require.False(t, sluice.MakeClassSet(0).Has(8))
	require.Equal(t, "1/8", ratio(1, 8).String())
	require.Equal(t, "priority pause", PriorityPause.String())
	require.Equal(t, "Mode(9)", Mode(9).String())
	require.Equal(t, "forward", WatchdogForwards.String())
	require.Equal(t, "WatchdogAction(9)", WatchdogAction(9).String())
}

// TestOutOfRange: questions about what does not exist have harmless answers.
func TestOutOfRange(t *testing.T) {
	s, err := New(goodConfig())
	require.NoError(t, err)
	require.Nil(t, s.Port(2))
	require.Nil(t, s.Port(sluice.Local))
	p := s.Port(1)
	require.Equal(t, sluice.PortID(1), p.ID())
	require.Zero(t, p.Backlog(8))
	require.False(t, p.Sendable(8))
	require.Equal(t, sluice.Never, p.HeldUntil(8))
	require.Zero(
		t,
		p.IngressBytes(8)+p.HeadroomBytes(8)+p.XOff(8)+p.XOn(8)+p.Threshold(8)+p.XOff(0)+p.XOn(0),
	)
}

// TestHostConfig: a network card needs no thresholds. Whatever of its classes the peer pauses is
// held, and what does not come from the host has no room.
func TestHostConfig(t *testing.T) {
	config := HostConfig(sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})
	k := newBench(t, config)
	for c := range sluice.Class(sluice.Classes) {
		for range 100 {
			require.Equal(t, sluice.AppendToQueue(sluice.QueueID(c)), k.enqueue(0, sluice.Local, c, 1500))
		}
		require.Equal(t, sluice.DropBecause(sluice.HeadroomExhausted), k.enqueue(0, 0, c, 64))
		require.Zero(t, k.s.Port(0).XOff(c))
	}
	require.Empty(t, k.take(), "it pauses no peer")
	k.receive(0, pauseOf(10, 0, 1, 2, 3, 4, 5, 6, 7))
	require.Zero(t, k.drain(0))
	k.at(10 * 512 * 10)
	require.Equal(t, 800, k.drain(0))
	require.NoError(t, k.s.Quiescent())

	config.Ports = append(config.Ports, config.Ports...)
	_, err := New(config)
	require.ErrorContains(t, err, "Ports[0].Alpha", "a switch needs them")
}
