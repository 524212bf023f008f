package fabric_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/stretchr/testify/require"
)

// An incast over credit-based flow control loses nothing, however small the buffers are, whether
// links are up at time 0 or come up with the first flow control packets, and however many of those
// are lost, doubled or reordered. Every buffer holds what arrives: none is overrun.
func TestCreditsLoseNothing(t *testing.T) {
	for _, set := range []string{
		"", "cbfc.buffer=1536B", "cbfc.buffer=20KB,cbfc.up=off", "cbfc.period=1us,cbfc.quantum=3000B",
		"cbfc.buffer=40KB,control.loss=1%,control.duplicate=1%,control.reorder=1%", "cc=hpcc",
	} {
		t.Run(set, func(t *testing.T) {
			r := fabric.Run{
				Protocol: "cbfc", Topology: leafSpine(t), Flows: incast(), Seed: 7, VerifyPaths: true,
				Values: values(t, set),
			}
			result := do(t, r)
			require.Equal(t, len(r.Flows), result.Completed, "notes: %v", result.Notes)
			require.Zero(t, result.Dropped)
			require.Zero(t, result.Reordered)
			require.Positive(t, result.Figures["times a class ran out of credit"])
			require.Positive(t, result.ControlFrames["credit"])
		})
	}
}

// Consume counts what a host takes in, or its ABR would be right only after each FCP, and the loop
// longer by T_c: a flow alone, over buffers that BufferFor asks for, never waits for credit.
func TestCreditKeepsTheLineBusy(t *testing.T) {
	r := fabric.Run{
		Protocol: "cbfc", Topology: leafSpine(t), Values: values(t, "window=1GB,cbfc.period=1us"),
		Seed:  1,
		Flows: []workload.Flow{{Src: 4, Dst: 0, Class: 3, Bytes: 4_000_000}},
	}
	result := do(t, r)
	require.Zero(t, result.Figures["times a class ran out of credit"])
	require.Equal(t, []string{"cbfc never held anything: no class ran out of credit"}, result.Notes)
	require.Less(t, float64(result.Flows[0].FCT), 1.01*float64(result.Flows[0].Ideal))
}

// A buffer that cannot keep a link busy is named in the notes of the run.
func TestCreditTooSmallSaysSo(t *testing.T) {
	r := fabric.Run{
		Protocol: "cbfc", Topology: leafSpine(t), Values: values(t, "window=1GB,cbfc.buffer=30KB"),
		Seed:  1,
		Flows: []workload.Flow{{Src: 4, Dst: 0, Class: 3, Bytes: sluice.MB}},
	}
	result := do(t, r)
	require.Equal(t, 1, result.Completed)
	require.Len(t, result.Notes, 1, "once, whatever ports there are")
	require.Contains(t, result.Notes[0], "cbfc.buffer=30000B is less than")
	require.Greater(t, float64(result.Flows[0].FCT), 1.5*float64(result.Flows[0].Ideal))
}

// So is, once, that no buffer can: credit for the way there and back is more than an FCP can say.
func TestCreditForALongWaySaysSo(t *testing.T) {
	long := link
	long.Delay = sluice.Millisecond
	g, err := topo.Ring(topo.RingConfig{
		Switches: 3, HostsPerSwitch: 1, HostLink: long, RingLink: long,
	})
	require.NoError(t, err)
	r := fabric.Run{
		Protocol: "cbfc", Topology: g, Values: values(t, "window=1GB"), Seed: 1,
		Flows: []workload.Flow{{Src: 0, Dst: 1, Class: 3, Bytes: sluice.MB}},
	}
	result := do(t, r)
	require.Equal(t, 1, result.Completed)
	require.Len(t, result.Notes, 1, "once, whatever ports there are")
	require.Contains(t, result.Notes[0], "131072 can be announced")
}

// A detector hangs on credit as on pauses, with InfiniBand's bound of the time a port sends at a
// stretch.
func TestDetectorsOnCredit(t *testing.T) {
	for _, detect := range []string{"ecn", "tcd", "fecn", "npecn"} {
		r := manyToOne(t, "cbfc", "cc=dcqcn,detect="+detect)
		result := do(t, r)
		require.Equal(t, len(r.Flows), result.Completed)
		require.Zero(t, result.Dropped)
	}
}
