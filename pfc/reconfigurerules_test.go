package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// TestReconfigureRefuses what hardware cannot change either, and changes nothing.
func TestReconfigureRefuses(t *testing.T) {
	for field, change := range map[string]func(*Config){
		"Ports":             func(c *Config) { c.Ports = c.Ports[:1] },
		"CellSize":          func(c *Config) { c.CellSize = 208 },
		"Pools":             func(c *Config) { c.Pools = []sluice.Bytes{1000} },
		"HeadroomPool":      func(c *Config) { c.HeadroomPool = 9000 },
		"EgressPools":       func(c *Config) { c.EgressPools = []sluice.Bytes{1, 2} },
		"Trigger":           func(c *Config) { c.Trigger = trigger.CAPFC },
		"Ports[1].Mode":     func(c *Config) { c.Ports[1].Mode = ClassicPause },
		"Buffer":            func(c *Config) { c.Buffer = 1 },
		"Ports[0].Headroom": func(c *Config) { c.Ports[0].Headroom = -1 },
		"Watchdog.Poll":     func(c *Config) { c.Watchdog.Poll = -1 },
		"Ports[1].Profiles[3].XOn": func(c *Config) {
			c.Ports[1].Profiles[3] = &Profile{XOff: 1, XOn: 2}
		},
	} {
		k := newBench(t, lossless34(2, func(*Config) {}))
		k.enqueue(0, 1, 3, 1000)
		before, config := k.s.Snapshot(), k.s.Config()
		changed := k.s.Config()
		change(&changed)
		w, err := k.s.Reconfigure(5, changed)
		require.Zero(t, w)
		var configError *sluice.ConfigError
		require.ErrorAs(t, err, &configError)
		require.Equal(t, field, configError.Field)
		require.Equal(t, before, k.s.Snapshot())
		require.Equal(t, config, k.s.Config())
	}
}

// TestReconfigureRefusesToBegin or to end what a switch has from New on: rules, and a variant of
// the trigger. The error says which.
func TestReconfigureRefusesToBegin(t *testing.T) {
	plain := lossless34(2, func(*Config) {})
	rules := lossless34(2, func(c *Config) { c.Ports[0].QoS = &qos.Port{} })
	variant := lossless34(2, func(c *Config) { c.Trigger = trigger.CAPFC })
	pools := lossless34(2, func(c *Config) { c.EgressPools = make([]sluice.Bytes, 2) })
	pools.EgressPools[0], pools.EgressPools[1] = 1, 1
	fewer := pools
	fewer.EgressPools = pools.EgressPools[:1]
	for _, test := range []struct {
		from, to Config
		want     string
	}{
		{plain, rules, "EgressPools = 0: cannot begin or cease, with QoS of all ports, while"},
		{rules, plain, "EgressPools = 0: cannot begin or cease, with QoS of all ports, while"},
		{pools, fewer, "EgressPools = 1: cannot change while the switch runs"},
		{plain, variant, "Trigger = caPFC: must be AtIngress"},
		{variant, plain, "Trigger = ingress: must be AtIngress"},
	} {
		_, err := newBench(t, test.from).s.Reconfigure(0, test.to)
		require.ErrorContains(t, err, "pfc: Config."+test.want)
	}
}

// TestReconfigureIsAHook: it tells the time; and where no class becomes lossless or lossy, no
// packet waits that was accounted the other way.
func TestReconfigureIsAHook(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	k.enqueue(0, 1, 3, 1000)
	k.now = 5 * ms
	k.reconfigure(func(c *Config) { c.Ports[1].XOn = 1000 })
	require.Equal(t, 5*ms, k.s.Snapshot().Now)
	require.False(t, k.s.Snapshot().Changing)
	k.reconfigure(func(c *Config) { c.Buffer = c.SetApart() + 2000 })
	k.enqueue(0, 1, 3, 1000)
	require.Zero(t, k.s.Free(), "all of a pool that was not overdrawn may be taken")
}

// TestReconfigureOfAFailedLink: no frame is owed while the link is down, whatever changes.
func TestReconfigureOfAFailedLink(t *testing.T) {
	k := newBench(t, lossless34(2, func(c *Config) { c.Ports[1].Sends = sluice.MakeClassSet(4) }))
	k.enqueue(0, 1, 3, 5000)
	k.s.Port(1).LinkDown(0)
	k.reconfigure(func(c *Config) { c.Ports[1].Sends = sluice.MakeClassSet(3, 4) })
	require.Empty(t, k.take())
	require.Equal(t, sluice.Never, k.s.Deadline())
	k.poll(k.s.Port(1).LinkUp(0))
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 3)}}, k.take())
}

// TestReconfigureKeepsTheAlert: the least margin so far is known after a change of thresholds, so
// that only a packet that comes nearer makes it less. Any packet may be a peak.
func TestReconfigureKeepsTheAlert(t *testing.T) {
	k := newBench(t, lossless34(2, func(*Config) {}))
	margin := func() sluice.Bytes { return k.s.Port(1).Counters().Class[3].XOffMargin }
	k.enqueue(0, 1, 3, 1000)
	require.EqualValues(t, 4000, margin())
	k.reconfigure(func(c *Config) { c.Ports[1].XOn = 1000 })
	k.enqueue(0, 1, 3, 500)
	require.EqualValues(t, 3500, margin())
	k.reconfigure(func(c *Config) { c.Ports[1].XOff = 9000 })
	k.enqueue(0, 1, 3, 2000)
	require.EqualValues(t, 3500, margin(), "9,000 less the 3,500 held are more")
	require.EqualValues(t, 3500, k.s.Port(1).Counters().Class[3].IngressPeak)
}

// TestReconfigureKeepsTheLeastMargin: it is a number of bytes, whatever the terms of alpha are.
func TestReconfigureKeepsTheLeastMargin(t *testing.T) {
	config := hpcc(2, g100, sluice.Microsecond, 2*sluice.MiB)
	config.Classes = sluice.AllClasses
	config.Ports[1].Alpha = ratio(1, 8)
	k := newBench(t, config)
	k.enqueue(0, 1, 3, 1000)
	k.drain(0)
	margin := k.s.Port(1).Counters().Class[3].XOffMargin
	require.Positive(t, margin)
	for _, alpha := range []sluice.Ratio{ratio(1, 2), ratio(3, 16), {}} {
		config.Ports[1].Alpha = alpha
		if !given(alpha) {
			config.Ports[1].XOff, config.Ports[1].XOn = 20_000, 10_000
			config.Ports[1].ResumeOffset = 0
		}
		_, err := k.s.Reconfigure(k.now, config)
		require.NoError(t, err)
		require.Equal(t, margin, k.s.Port(1).Counters().Class[3].XOffMargin, "%v", alpha)
	}
}
