package portfc

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// Every field that a configuration gets wrong is named.
func TestConfigErrors(t *testing.T) {
	link := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond}
	ratio := func(num, den int64) sluice.Ratio { return sluice.Ratio{Num: num, Den: den} }
	for _, row := range []struct {
		field  string
		change func(*Config)
	}{
		{"Network", func(c *Config) { c.Network.N = 1 }},
		{"Network", func(c *Config) { c.Network.K = math.MaxInt }},
		{"Network", func(c *Config) { *c = SwitchConfig(NDC{4, 2}, 100, link) }},
		{
			"Network", func(c *Config) { *c = SwitchConfig(NDC{1000, 2}, 1<<30, link); c.HopClasses = true },
		},
		{"Switch", func(c *Config) { c.Switch = 24 }},
		{"Ports", func(c *Config) { c.Ports = c.Ports[:2] }},
		{"Ports[3].Link.Rate", func(c *Config) { c.Ports[3].Link.Rate = 0 }},
		{"Ports[0].Link.Delay", func(c *Config) { c.Ports[0].Link.Delay = -1 }},
		{"Ports[0].Link.Delay", func(c *Config) { c.Ports[0].Link.Delay = sluice.Second + 1 }},
		{"XOff", func(c *Config) { c.XOff = ratio(-1, 1) }},
		{"XOff", func(c *Config) { c.XOff = ratio(1025, 1) }},
		{"XOn", func(c *Config) { c.XOn = ratio(7, 1) }},
		{"XOn", func(c *Config) { c.XOff, c.XOn = ratio(1, 2), ratio(1, 1) }},
		{"XOn", func(c *Config) { c.XOn = ratio(1, 0) }},
		{"XOn", func(c *Config) { c.XOn = ratio(-1, 1) }},
		{"DirectXOff", func(c *Config) { c.DirectXOff = ratio(1, -1) }},
		{"DirectXOn", func(c *Config) { c.DirectXOff = ratio(3, 1) }},
		{"RelayXOff", func(c *Config) { c.RelayXOff = ratio(2000, 1) }},
		{"RelayXOn", func(c *Config) { c.RelayXOn = ratio(2, 1) }},
		{"RelayXOn", func(c *Config) { c.RelayXOff, c.RelayXOn = ratio(1, 1), ratio(2, 1) }},
		{"Marking.KMin", func(c *Config) { c.Marking = sluice.Marking{KMin: 2, KMax: 1} }},
		{"Quantum", func(c *Config) { c.Quantum = -1 }},
		{"Quantum", func(c *Config) { c.Quantum = maxQuantum + 1 }},
		{"Buffer", func(c *Config) { c.Buffer = -1 }},
		{"Refresh", func(c *Config) { c.Refresh = -1 }},
		{"Expiry", func(c *Config) { c.Refresh, c.Expiry = 5, 5 }},
	} {
		c := SwitchConfig(NDC{4, 1}, 19, link)
		row.change(&c)
		_, err := New(c)
		var fault *sluice.ConfigError
		require.True(t, errors.As(err, &fault), "%s: %v", row.field, err)
		require.Equal(t, row.field, fault.Field)
		require.Equal(t, "portfc", fault.Package)
	}
	require.False(t, isFactor(ratio(0, 0)))
	c := SwitchConfig(NDC{4, 1}, 19, link)
	c.Quantum = -1
	_, err := c.withDefaults()
	require.ErrorContains(t, err, "Config.Quantum = -1B: must be 1B to ", "field, value and rule")
	_, err = New(Config{})
	require.Error(t, err)
	_, err = New(NodeConfig(NDC{4, 1}, 3))
	require.ErrorContains(t, err, "k+1 of a node")
}

// X_OFF is 6 and X_ON 4 bandwidth-delay products of one hop's latency (section V-A): 75 and 50 KB
// at 100 Gb/s and 1 us, in proportion to the rate of each port.
func TestThresholdsArePerPort(t *testing.T) {
	c := SwitchConfig(NDC{2, 1}, 4, sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Microsecond})
	c.Ports[1].Link.Rate = 160 * sluice.Gbps
	s := mustNew(t, c)
	require.Equal(t, limits{75_000, 50_000}, s.Port(0).limitsOf(1))
	require.Equal(t, limits{75_000, 50_000}, s.Port(0).limitsOf(0))
	require.Equal(t, limits{120_000, 80_000}, s.Port(1).limitsOf(1))
	require.Equal(t, limits{never, outOfReach}, s.Port(1).limitsOf(highClass))
	node := mustNew(t, NodeConfig(NDC{2, 1}, 0, benchLink))
	for class := range uint8(classes) {
		require.Equal(t, limits{never, outOfReach}, node.Port(0).limitsOf(class), "nodes detect nothing")
	}
	c = NodeConfig(NDC{2, 2}, 0, benchLink)
	c.HopClasses = true
	require.Equal(t, limits{75_000, 50_000}, mustNew(t, c).Port(2).limitsOf(relayClass))
	c.RelayXOff, c.RelayXOn = sluice.Ratio{Num: 2, Den: 1}, sluice.Ratio{Num: 1, Den: 1}
	require.Equal(t, limits{25_000, 12_500}, mustNew(t, c).Port(2).limitsOf(relayClass))
	c = SwitchConfig(NDC{2, 1}, 4, benchLink)
	c.DirectXOff, c.DirectXOn = sluice.Ratio{Num: 2, Den: 1}, sluice.Ratio{Num: 1, Den: 1}
	require.Equal(t, limits{25_000, 12_500}, mustNew(t, c).Port(0).limitsOf(0), "of the DDQ its own")
	require.Equal(t, limits{75_000, 50_000}, mustNew(t, c).Port(0).limitsOf(1))
	short := SwitchConfig(NDC{2, 1}, 4, sluice.Link{Rate: sluice.Gbps})
	require.Equal(
		t, limits{1, 0}, mustNew(t, short).Port(0).limitsOf(1), "a threshold is at least a byte",
	)
}

// A threshold is exact however long the link is, and a threshold that no buffer could hold is never
// reached.
func TestThresholdsOfLongLinks(t *testing.T) {
	long := sluice.Link{Rate: 100 * sluice.Gbps, Delay: sluice.Second}
	s := mustNew(t, SwitchConfig(NDC{2, 1}, 4, long))
	require.Equal(t, limits{75_000_000_000, 50_000_000_000}, s.Port(0).limitsOf(1))
	c := SwitchConfig(NDC{2, 1}, 4, sluice.Link{Rate: math.MaxInt64, Delay: sluice.Second})
	c.XOff = sluice.Ratio{Num: 1024, Den: 1}
	s = mustNew(t, c)
	require.Equal(t, sluice.Bytes(never), s.Port(0).limitsOf(1).off)
	require.NoError(t, s.Audit())
	bound, err := c.Headroom(1500, Relay{Link: long})
	require.NoError(t, err)
	require.Equal(t, sluice.Bytes(math.MaxInt64), bound.Total)
}

// "Zero: two thirds of RelayXOff" (Config), whatever fraction that is.
func TestRelayXOnOfAnyFraction(t *testing.T) {
	for _, row := range []struct{ off, on sluice.Ratio }{
		{sluice.Ratio{Num: 6, Den: 1}, sluice.Ratio{Num: 12, Den: 3}},
		{sluice.Ratio{Num: 1, Den: maxDenominator / 3}, sluice.Ratio{Num: 2, Den: maxDenominator - 1}},
		{sluice.Ratio{Num: 7, Den: maxDenominator}, sluice.Ratio{Num: 4, Den: maxDenominator}},
		{sluice.Ratio{Num: 1, Den: maxDenominator}, sluice.Ratio{Num: 0, Den: maxDenominator}},
	} {
		c := NodeConfig(NDC{2, 1}, 0, benchLink)
		c.RelayXOff = row.off
		require.Equal(t, row.on, mustNew(t, c).Config().RelayXOn, "of %v", row.off)
	}
}

// What a configuration is made of is its own.
func TestConfigIsACopy(t *testing.T) {
	c := SwitchConfig(NDC{2, 1}, 4, benchLink)
	s := mustNew(t, c)
	c.Ports[0].Link.Rate = 1
	got := s.Config()
	require.Equal(t, benchLink.Rate, got.Ports[0].Link.Rate)
	got.Ports[0].Link.Rate = 2
	require.Equal(t, benchLink.Rate, s.Config().Ports[0].Link.Rate)
	require.Equal(t, sluice.MakeClassSet(7), got.High)
	require.Equal(t, DefaultQuantum, got.Quantum)
	require.Nil(t, s.Port(2))
	require.Equal(t, 2, s.Ports())
}

// What every range of numbers has at its ends is accepted, and what is next to it is not.
func TestConfigRanges(t *testing.T) {
	ratio := func(num, den int64) sluice.Ratio { return sluice.Ratio{Num: num, Den: den} }
	thresholds := func(c *Config, r sluice.Ratio) { c.XOff, c.XOn = r, r }
	for _, row := range []struct {
		field  string // that New names; "": it takes it
		change func(*Config)
	}{
		{"", func(c *Config) { thresholds(c, ratio(0, 1)) }},
		{"", func(c *Config) { thresholds(c, ratio(1024, 1)) }},
		{"", func(c *Config) { thresholds(c, ratio(1024<<22, 1<<22)) }},
		{"XOff", func(c *Config) { c.XOff = ratio(1024<<22+1, 1<<22) }},
		{"XOff", func(c *Config) { c.XOff = ratio(1<<22, 1<<22+1) }},
		{"", func(c *Config) { *c = NodeConfig(NDC{682, 2}, 0, benchLink); c.HopClasses = true }},
		{"Network", func(c *Config) { *c = NodeConfig(NDC{683, 2}, 0, benchLink); c.HopClasses = true }},
		{"", func(c *Config) { c.Quantum = 1 }},
		{"", func(c *Config) { c.Quantum = 1 << 30 }},
		{"", func(c *Config) { c.Buffer = 1 }},
		{"", func(c *Config) { c.Buffer = 1<<50 - 1 }},
		{"Buffer", func(c *Config) { c.Buffer = 1 << 50 }},
		{"", func(c *Config) { c.Refresh = sluice.Second }},
		{"Refresh", func(c *Config) { c.Refresh = sluice.Second + 1 }},
		{"", func(c *Config) { c.Refresh, c.Expiry = 5, 6 }},
		{"", func(c *Config) { c.Expiry = 4 * sluice.Second }},
		{"Expiry", func(c *Config) { c.Expiry = 4*sluice.Second + 1 }},
	} {
		c := SwitchConfig(NDC{4, 1}, 19, benchLink)
		row.change(&c)
		_, err := New(c)
		if row.field == "" {
			require.NoError(t, err, "%+v", c)
		} else {
			var fault *sluice.ConfigError
			require.ErrorAs(t, err, &fault, "%+v", c)
			require.Equal(t, row.field, fault.Field)
		}
	}
}

// Zero means what the field says, of what is given of the others.
func TestConfigDefaults(t *testing.T) {
	c := NodeConfig(NDC{4, 2}, 0, benchLink)
	c.HopClasses, c.Refresh = true, 20*sluice.Microsecond
	c.XOff, c.XOn = sluice.Ratio{Num: 9, Den: 1}, sluice.Ratio{Num: 5, Den: 1}
	got := mustNew(t, c).Config()
	require.Equal(t, c.XOff, got.DirectXOff)
	require.Equal(t, c.XOn, got.DirectXOn)
	require.Equal(t, c.XOff, got.RelayXOff, "where K is above 1")
	require.Equal(t, 80*sluice.Microsecond, got.Expiry)
	got = mustNew(t, NodeConfig(NDC{4, 1}, 0, benchLink)).Config()
	require.Zero(t, got.RelayXOff, "where K is 1")
	require.Zero(t, got.RelayXOn)
	require.Zero(t, got.Expiry)
}

// The links of a node are by layer, the last also of the layers beyond; a switch has n of one kind.
// A network that New refuses makes no more ports than the largest.
func TestPortsOfADevice(t *testing.T) {
	rates := func(c Config) (rates []sluice.Rate) {
		for _, p := range c.Ports {
			rates = append(rates, p.Link.Rate)
		}
		return rates
	}
	a, b := sluice.Link{Rate: 1}, sluice.Link{Rate: 2}
	require.Equal(t, []sluice.Rate{1, 2, 2}, rates(NodeConfig(NDC{4, 2}, 0, a, b)))
	require.Equal(t, []sluice.Rate{1, 2}, rates(NodeConfig(NDC{4, 1}, 0, a, b, a)))
	require.Equal(t, []sluice.Rate{1, 1, 1, 1}, rates(SwitchConfig(NDC{4, 1}, 16, a)))
	require.Len(t, SwitchConfig(NDC{1 << 30, 1}, 0, a).Ports, MaxN)
	require.Len(t, NodeConfig(NDC{4, 1 << 30}, 0, a).Ports, MaxK+1)
	require.Empty(t, SwitchConfig(NDC{-1, 1}, 0, a).Ports)
}
