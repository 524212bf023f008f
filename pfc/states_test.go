package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/depth"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/kit/conformance"
)

// TestEqualStates: switches that append the same state behave alike, with every watchdog and with
// rules. TestConformanceOfTriggers has the triggers.
func TestEqualStates(t *testing.T) {
	depth.Fewer(t, 12)
	watchdog := func(change func(*Watchdog)) func(*rapid.T, *Config) {
		return func(t *rapid.T, c *Config) {
			c.Watchdog = Watchdog{Detection: 10 * sluice.Microsecond, Poll: 5 * sluice.Microsecond}
			c.Watchdog.Restoration = sluice.Time(
				rapid.IntRange(0, 30).Draw(t, "restoration")) * sluice.Microsecond
			change(&c.Watchdog)
		}
	}
	for name, change := range map[string]func(*rapid.T, *Config){
		"watchdog drops":    watchdog(func(w *Watchdog) { w.Action = WatchdogDrops }),
		"watchdog forwards": watchdog(func(w *Watchdog) { w.Action = WatchdogForwards }),
		"watchdog alerts":   watchdog(func(w *Watchdog) { w.Action, w.Looks = WatchdogAlerts, 2 }),
		"counting watchdog": watchdog(func(w *Watchdog) { w.CountPolls = true }),
		"big red switch":    watchdog(func(w *Watchdog) { w.BigRedSwitch = true }),
		"rules":             drawRules,
	} {
		t.Run(name, func(t *testing.T) {
			conformance.RunStates(t, conformance.Spec{
				Name: "pfc",
				New: func(t *rapid.T) func() kit.Machine {
					config := drawConfig(t)
					for i := range config.Ports {
						config.Ports[i].ECN = [sluice.Classes]sluice.Marking{}
					}
					change(t, &config)
					return wrapped(config)
				},
				Frame: drawHostileFrame,
			})
		})
	}
}

// A storm begins when a class was held for the detection time, so that it matters when the hold
// began, up to that long ago.
func TestStateHasTheHoldOfAStorm(t *testing.T) {
	config := stormy(WatchdogDrops)
	config.Watchdog.CountPolls = false
	held := func(since sluice.Time) *bench {
		k := newBench(t, config)
		k.now = since
		k.pauseFor(610 * ms)
		return k
	}
	now := 610 * ms
	early, late, later := held(190*ms), held(200*ms), held(395*ms)
	require.Zero(t, early.s.Port(0).Storming()&^late.s.Port(0).Storming())
	require.NotEqual(t, late.s.AppendState(nil, now), later.s.AppendState(nil, now))
	for _, k := range []*bench{late, later} {
		k.pauseFor(801 * ms)
	}
	require.NotZero(t, late.s.Port(0).Storming())
	require.Equal(t, later.s.Port(0).Storming(), late.s.Port(0).Storming())
}
