package ofc

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

func TestConfigErrors(t *testing.T) {
	for field, spoil := range map[string]func(*Config){
		"Ports":                  func(c *Config) { c.Ports = nil },
		"Ports[1].Link.Rate":     func(c *Config) { c.Ports[1].Link.Rate = 0 },
		"Ports[0].Link.Delay":    func(c *Config) { c.Ports[0].Link.Delay = -1 },
		"Ports[0].Reaction":      func(c *Config) { c.Ports[0].Reaction = 2 * sluice.Second },
		"Ports[0].XOff":          func(c *Config) { c.Ports[0].XOff = 1 },
		"Ports[0].XOffCongested": func(c *Config) { c.Ports[0].XOffCongested = c.Ports[0].XOff + 1 },
		"Ports[1].XOn":           func(c *Config) { c.Ports[1].XOn = c.Ports[1].XOffCongested },
		"Ports[0].Headroom":      func(c *Config) { c.Ports[0].Headroom = -1 },
		"Classes":                func(c *Config) { c.Classes = 0x201 },
		"Flows":                  func(c *Config) { c.Flows = MaxFlows + 1 },
		"MaxFlowsPerFrame":       func(c *Config) { c.MaxFlowsPerFrame = 185 },
		"Refresh":                func(c *Config) { c.Refresh = -1 },
		"IdleRefreshes":          func(c *Config) { c.IdleRefreshes = -1 },
		"MAC":                    func(c *Config) { c.MAC[0] = 1 },
		"Speedup":                func(c *Config) { c.Speedup = 65 },
		"MTU":                    func(c *Config) { c.MTU = -1 },
		"Quantum":                func(c *Config) { c.Quantum = 63 },
		"Buffer":                 func(c *Config) { c.Buffer = -1 },
	} {
		port := PortConfig{Link: link40, XOff: 9000, XOffCongested: 8000, XOn: 5000}
		c := Config{Ports: []PortConfig{port, port}}
		_, err := New(c)
		require.NoError(t, err)
		spoil(&c)
		_, err = New(c)
		var fault *sluice.ConfigError
		require.True(t, errors.As(err, &fault), field)
		require.Equal(t, field, fault.Field)
		require.Equal(t, "ofc", fault.Package)
		require.NotEmpty(t, fault.Rule)
	}
}

// An error says which field, which value, and what the rule is, so that it needs no look at the
// documentation. The configuration that it is about stays as the caller made it.
func TestConfigErrorsNameTheRule(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		"Ports = 513: must be 1 to 512":           func(c *Config) { c.Ports = make([]PortConfig, 513) },
		"Flows = -1: must be 1 to 1048576":        func(c *Config) { c.Flows = -1 },
		"MaxFlowsPerFrame = -1: must be 1 to 184": func(c *Config) { c.MaxFlowsPerFrame = -1 },
		"IdleRefreshes = -1: must be 1 to 1073741824": func(c *Config) {
			c.IdleRefreshes = -1
		},
		"must be 0, NoExpiry, or above Refresh and at most 8s": func(c *Config) {
			c.Expiry = 8*sluice.Second + 1
		},
		"MTU = -1B: must be 1B to 16MiB":  func(c *Config) { c.MTU = -1 },
		"XOn = -1B: must not be negative": func(c *Config) { c.Ports[0].XOn = -1 },
	} {
		c := HostConfig(link40)
		spoil(&c)
		_, err := New(c)
		require.ErrorContains(t, err, want)
	}
	c := HostConfig(link40)
	c.Expiry = 8 * sluice.Second
	mustNew(t, c)
	require.Equal(t, PortConfig{Link: link40}, c.Ports[0], "New fills in defaults of its copy")
}

// HeadroomFor is the time until the peer begins no packet more, in bytes, the packet that it begins
// at the end, and all but one byte of the one that went over X_OFF: 2*mtu - 1 besides the time. A
// list of flows lasts longer than a small packet, so that the time is the same for each of those.
func TestHeadroomOfSmallAndHugePackets(t *testing.T) {
	c := HostConfig(link40)
	least := c.HeadroomFor(0, 1)
	require.Equal(t, least+2, c.HeadroomFor(0, 2))
	require.Equal(t, least, c.HeadroomFor(0, 0), "a packet has a byte at least")
	require.Equal(t, least, c.HeadroomFor(0, -7))
	require.Equal(t, c.HeadroomFor(0, MaxBuffer), c.HeadroomFor(0, MaxBuffer+1))
	c.Ports[0].Link = sluice.Link{Rate: math.MaxInt64, Delay: sluice.Never}
	require.Equal(t, sluice.Bytes(math.MaxInt64), c.HeadroomFor(0, 9000), "it saturates")
}

// The defaults are the thresholds of the paper's evaluation: X^c_OFF 68 kB, X_OFF 75 kB, X_ON 45 kB
// (section IV-A).
func TestDefaults(t *testing.T) {
	s := mustNew(t, Config{Ports: []PortConfig{{Link: link40}, {Link: link40, XOff: 150 * sluice.KB}}})
	c := s.Config()
	require.Equal(t, PortConfig{
		Link: link40, XOff: 75 * sluice.KB, XOffCongested: 68 * sluice.KB, XOn: 45 * sluice.KB,
	}, c.Ports[0])
	require.Equal(t, 136*sluice.KB, c.Ports[1].XOffCongested)
	require.Equal(t, 90*sluice.KB, c.Ports[1].XOn)
	require.Equal(t, DefaultFlows, c.Flows)
	require.Equal(t, sluice.AllClasses, c.Classes)
	require.Equal(t, 24, s.Queues())
	c.Ports[0].XOff = 1
	require.Equal(t, 75*sluice.KB, s.Config().Ports[0].XOff, "Config shares nothing")
}

func TestStrings(t *testing.T) {
	names := []string{}
	for state := range numStates {
		names = append(names, state.String())
	}
	require.Equal(t, []string{"all resumed", "partial paused", "partial resumed", "all paused"}, names)
	require.Equal(t, "State(9)", State(9).String())
	s := mustNew(t, HostConfig(link40))
	require.Nil(t, s.Port(1))
}

// Memory counts what New set apart: entries of 32 bytes and the means to find them.
func TestMemory(t *testing.T) {
	require.EqualValues(t, entryBytes, unsafe.Sizeof(entry{}))
	require.EqualValues(t, groupBytes, unsafe.Sizeof(group{}))
	require.EqualValues(t, 64, unsafe.Sizeof(egress{}), "a cache line")
	require.EqualValues(t, 64, unsafe.Offsetof(Port{}.classes), "a cache line before the classes")
	require.Zero(t, unsafe.Sizeof(Port{})%64, "so that it is one at every port")
	require.EqualValues(t, 128, unsafe.Sizeof(account{}), "two cache lines")
	c := Config{Ports: []PortConfig{{Link: link40}, {Link: link40}}, Flows: 100}
	lists := 2 * 2 * sluice.Classes * groupBytes
	require.EqualValues(t, 201*32+2*256*16+lists, mustNew(t, c).Memory())
}

// A configuration with its defaults filled in means what it meant before.
func TestNoClassesStays(t *testing.T) {
	c := HostConfig(sluice.Link{Rate: sluice.Gbps})
	c.Classes = sluice.NoClasses
	for range 2 {
		s, err := New(c)
		require.NoError(t, err)
		c = s.Config()
		require.Equal(t, sluice.NoClasses, c.Classes)
	}
}
