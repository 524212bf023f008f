package fabric_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/topo"
)

// Under every protocol acknowledgements can have a class of their own: nothing is lost, and all
// flows complete.
func TestAcknowledgementsOfTheirOwnClass(t *testing.T) {
	for _, p := range fabric.Protocols() {
		t.Run(p.Name, func(t *testing.T) {
			result := do(t, fabric.Run{
				Protocol: p.Name, Topology: leafSpine(t), Flows: incast(),
				Values: values(t, "buffer=4MiB,ack.class=7"), Seed: 7,
			})
			require.Equal(t, len(result.Flows), result.Completed)
			require.Zero(t, result.Reordered)
			require.True(t, result.Dropped == 0 || !p.Lossless)
		})
	}
}

// A run ends when nothing but Bitmaps is left, which the authors' form of BFC sends for ever: here
// one is always on some wire, as a link takes as long as the time between two.
func TestRunsEndAmidEndlessBitmaps(t *testing.T) {
	slow := sluice.Link{Rate: link.Rate, Delay: sluice.Microsecond}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 4, HostsPerRack: 4, Spines: 2, HostLink: slow, Uplink: slow,
	})
	require.NoError(t, err)
	result := do(t, fabric.Run{
		Protocol: "bfc", Topology: g, Flows: incast(), Values: values(t, "buffer=4MiB"), Seed: 7,
	})
	require.Equal(t, len(result.Flows), result.Completed)
	last := sluice.Time(0)
	for i := range result.Flows {
		last = max(last, result.Flows[i].Start+result.Flows[i].FCT)
	}
	require.Less(t, result.Simulated, last+200*sluice.Microsecond)
}

// A run that was cut names its deadlock too, though Bitmaps that refresh the pauses are on every
// wire.
func TestACutRunNamesItsDeadlock(t *testing.T) {
	r := ringRun(t, "bfc", ",bfc.queues=2,bfc.assignment=hash,bfc.vfids=1")
	r.Until = sluice.Millisecond
	result := do(t, r)
	require.Less(t, result.Completed, 6)
	require.Regexp(t, `^deadlock at 1ms: (\d+:\d+ q\d waits for ){3}\d+:\d+ q\d$`, result.Deadlock)
	require.Contains(t, result.Notes, result.Deadlock)
}

// bfc-ideal is what its name says, amid an incast that makes the other forms share queues.
func TestIdealFormSharesNothing(t *testing.T) {
	ideal := with(t, "bfc-ideal", "buffer=4MiB")
	require.Zero(t, ideal.Figures[joined])
	require.Empty(t, ideal.Notes)
	require.Positive(t, ideal.ControlFrames["bitmap"])
	require.Positive(t, with(t, "bfc", "buffer=4MiB").Figures[joined])
}
