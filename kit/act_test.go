package kit_test

import (
	"errors"
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/stretchr/testify/require"
)

// TestActSendsWhatOthersWoke: thresholds that are lowered while packets wait make a pause due, and
// the wake of a method that the driver does not know says so.
func TestActSendsWhatOthersWoke(t *testing.T) {
	config := pfc.Config{Buffer: sluice.MiB, Ports: make([]pfc.PortConfig, 2)}
	for i := range config.Ports {
		config.Ports[i] = pfc.PortConfig{
			Link:    sluice.Link{Rate: sluice.Gbps},
			Profile: pfc.Profile{XOff: 9000, XOn: 4500, Headroom: 9000},
		}
	}
	machine, err := kit.WrapNew(pfc.New(config))
	require.NoError(t, err)
	b := newBench(t, machine)
	b.busy[1] = true
	for _, name := range []string{"a", "b"} {
		h := b.packet(name)
		b.store.At(h).Ingress = 0
		b.driver.Enqueue(b.now, 1, h)
	}
	require.Empty(t, b.told(), "2,000 bytes are below the threshold")

	config.Ports[0].XOff, config.Ports[0].XOn = 2000, 1000
	wake, err := kit.Unwrap(machine).(*pfc.Switch).Reconfigure(b.now, config)
	require.NoError(t, err)
	b.driver.Act(b.now, wake)
	require.Equal(t, []string{"0 sends frame pause"}, b.told())
}

// TestWrapNewPassesTheError: a configuration that New refuses makes no machine.
func TestWrapNewPassesTheError(t *testing.T) {
	machine, err := kit.WrapNew(pfc.New(pfc.Config{}))
	require.Nil(t, machine)
	var refused *sluice.ConfigError
	require.True(t, errors.As(err, &refused))
	require.Equal(t, "pfc", refused.Package)
}
