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
					return conformance.Machines(config, New)
				},
				Frame: drawHostileFrame,
			})
		})
	}
}

// A storm begins when a class was held for the detection time, and ends when no frame came in for
// the restoration time: when the hold began, and the last frame came, matters up to that long ago.
func TestStateHasTheTimesOfStorms(t *testing.T) {
	config := stormy(WatchdogForwards) // looks every 200 ms; detection 400 ms, restoration 600 ms
	config.Watchdog.CountPolls = false
	held := func(from, to sluice.Time) *Switch {
		k := newBench(t, config)
		k.at(from)
		k.pauseFor(to)
		return k.s
	}
	storming := func(s *Switch, at sluice.Time) bool {
		s.Expire(at)
		return s.Port(0).Storming() != 0
	}
	early, late := held(190*ms, 610*ms), held(390*ms, 610*ms)
	require.NotEqual(t, early.appendState(nil, 610*ms), late.appendState(nil, 610*ms))
	early, late = held(100*ms, 599*ms), held(390*ms, 599*ms)
	require.True(t, storming(early, 600*ms))
	require.False(t, storming(late, 600*ms))

	early, late = held(0, 601*ms), held(0, 801*ms)
	for _, s := range []*Switch{early, late} { // neither is held any more
		require.True(t, storming(s, 1000*ms))
		require.True(t, s.Port(0).Sendable(3))
	}
	require.NotEqual(t, early.appendState(nil, 1000*ms), late.appendState(nil, 1000*ms))
	require.False(t, storming(early, 1200*ms))
	require.True(t, storming(late, 1200*ms))
}
