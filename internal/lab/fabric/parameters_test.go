package fabric_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// with runs the incast under a protocol with parameters, on a network whose uplinks are as fast as
// its hosts, so that they are congested too.
func with(t *testing.T, protocol, set string) *sim.Result {
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 4, HostsPerRack: 4, Spines: 2, HostLink: link, Uplink: link,
	})
	require.NoError(t, err)
	return do(
		t, fabric.Run{Protocol: protocol, Topology: g, Flows: incast(), Values: values(t, set), Seed: 7},
	)
}

// Every parameter of a protocol reaches it: the run is another than without, in the way that the
// parameter says.
func TestParametersTakeEffect(t *testing.T) {
	buffer := map[string]string{
		"none": "buffer=200KiB", "pfc": "buffer=2MiB", "bfc": "buffer=4MiB", "pyrrha": "buffer=4MiB",
		"bfc-pyrrha": "buffer=4MiB",
	}
	plain := map[string]*sim.Result{}
	for p := range buffer {
		plain[p] = with(t, p, buffer[p])
	}
	for _, c := range []struct {
		protocol, set string
		effect        func(t *testing.T, plain, got *sim.Result)
	}{
		{"pfc", "pfc.alpha=1/64", moreFrames("pause")},
		{"pfc", "pfc.quanta=100", moreFrames("pause")},
		{"pfc", "pfc.resume=30KiB,pfc.alpha=1/64", moreFrames("pause")},
		{"pfc", "ecn.kmin=10KB,ecn.kmax=100KB,ecn.pmax=1", func(t *testing.T, plain, got *sim.Result) {
			require.Zero(t, plain.Marked)
			require.Positive(t, got.Marked)
		}},
		{"none", "rto=50us", func(t *testing.T, plain, got *sim.Result) {
			require.Positive(t, plain.Dropped)
			require.Greater(t, got.Timeouts, plain.Timeouts)
		}},
		{"bfc", "bfc.queues=2", moreFigure(joined)},
		{"bfc", "bfc.vfids=2", moreFigure("packets that met another flow's VFID entry")},
		{"bfc", "bfc.assignment=static-hash", moreFigure(joined)},
		{"bfc", "bfc.assignment=lowest-free", differs},
		{"bfc", "bfc.assignment=last-freed,bfc.paused=free", differs},
		{"bfc", "bfc.index=low-bits,bfc.queues=32,bfc.vfids=128", differs},
		{"bfc", "bfc.factor=1/10", differs},
		{"bfc", "bfc.sticky=0", differs},
		{"bfc", "bfc.overflow=random,bfc.queues=2", func(t *testing.T, _, got *sim.Result) {
			differs(t, with(t, "bfc", "buffer=4MiB,bfc.queues=2"), got)
		}},
		{"bfc", "bfc.lone=counted", differs},
		{"bfc", "bfc.scheduler=deficit-round-robin", differs},
		{"bfc", "bfc.scheduler=lowest-first", differs},
		{"bfc", "bfc.acks=data", differs},
		{"bfc", "bfc.resumes=1,bfc.queues=4", differs},
		{"bfc", "bfc.nic.queues=2", differs},
		{"bfc", "bfc.tau=20us", differs},
		{"bfc", "bfc.signalling=periodic-bitmap", differs},
		{"bfc", "bfc.signalling=transitions-and-bitmap", func(t *testing.T, plain, got *sim.Result) {
			require.Zero(t, plain.ControlFrames["pause"])
			require.Positive(t, got.ControlFrames["pause"])
			require.Positive(t, got.ControlFrames["bitmap"])
		}},
		{"bfc", "bfc.signalling=transitions", func(t *testing.T, plain, got *sim.Result) {
			require.Positive(t, plain.ControlFrames["bitmap"])
			require.Zero(t, got.ControlFrames["bitmap"])
		}},
		{"pyrrha", "pyrrha.pause=1/2,pyrrha.resume=1/4", moreFrames("pause")},
		{"pyrrha", "pyrrha.refresh=2us", moreFrames("pause")},
		{"pyrrha", "pyrrha.up=always", differs},
		{"pyrrha", "pyrrha.up=never,pyrrha.pause=1,pyrrha.resume=1/2",
			func(t *testing.T, plain, got *sim.Result) {
				differs(
					t, with(t, "pyrrha", "buffer=4MiB,pyrrha.up=always,pyrrha.pause=1,pyrrha.resume=1/2"), got,
				)
			}},
		{"pyrrha", "pyrrha.child=by-queue", differs},
		{"pyrrha", "pyrrha.levels=1", differs},
		{"pyrrha", "pyrrha.iqs=7", func(t *testing.T, plain, got *sim.Result) {
			const inUse = "isolation queues in use at a port"
			require.LessOrEqual(t, got.Figures[inUse], int64(7))
		}},
		{"pyrrha", "pyrrha.pause=1000,pyrrha.resume=999", func(t *testing.T, plain, got *sim.Result) {
			require.Zero(t, got.ControlFrames["pause"])
			require.Equal(t, []string{
				"pyrrha never paused: no output queue grew past K_pause, 1000 one-hop bandwidth-delay products",
			}, got.Notes)
		}},
		{"pfc", "ack.class=0", differs},
		{"bfc", "ack.class=3", differs}, // among the data
		{"pyrrha", "ack.class=7", differs},
		{"bfc-pyrrha", "ack.class=7", differs},
		{"pfc", "ack.size=1000B", differs},
		{"pfc", "payload=500B", func(t *testing.T, plain, got *sim.Result) {
			require.Greater(t, got.PacketHops, 2*plain.PacketHops)
		}},
		{"pfc", "header=1000B", func(t *testing.T, plain, got *sim.Result) {
			require.Greater(t, got.Flows[0].Ideal, plain.Flows[0].Ideal)
		}},
		{"pfc", "window=10KB", func(t *testing.T, plain, got *sim.Result) {
			require.Less(t, got.MaxSwitchBytes, plain.MaxSwitchBytes)
		}},
	} {
		t.Run(c.protocol+" "+c.set, func(t *testing.T) {
			got := with(t, c.protocol, buffer[c.protocol]+","+c.set)
			require.Equal(t, len(got.Flows), got.Completed)
			c.effect(t, plain[c.protocol], got)
		})
	}
}

const joined = "times a flow joined a queue with packets of others"

func moreFrames(kind string) func(*testing.T, *sim.Result, *sim.Result) {
	return func(t *testing.T, plain, got *sim.Result) {
		require.Greater(t, got.ControlFrames[kind], plain.ControlFrames[kind])
	}
}

func moreFigure(what string) func(*testing.T, *sim.Result, *sim.Result) {
	return func(t *testing.T, plain, got *sim.Result) {
		require.Contains(t, plain.Figures, what)
		require.Greater(t, got.Figures[what], plain.Figures[what])
	}
}

func differs(t *testing.T, plain, got *sim.Result) {
	var before, after sluice.Time
	for i := range plain.Flows {
		before += plain.Flows[i].FCT
		after += got.Flows[i].FCT
	}
	require.NotEqual(t, before, after)
}

// A configuration that a machine refuses is refused with its words.
func TestRunsThatCannotBeBuiltSayWhy(t *testing.T) {
	for _, c := range []struct {
		protocol, set, says string
	}{
		{"pfc", "buffer=64KiB", "node 16: pfc: Config.Buffer = "},
		{"pfc", "buffer=64KiB", " (parameter buffer=64KiB)"},
		{"bfc", "bfc.queues=64,bfc.nic.queues=5000", " (parameter bfc.nic.queues=5000)"},
		{"bfc", "bfc.queues=5000", " (parameter bfc.queues=5000)"},
		{"pfc", "transport=irn,irn.rto-low=2s,irn.rto-high=3s", " (parameter irn.rto-low=2s)"},
		{"pfc", "hash=crc32,hash.offset=32", " (parameter hash.offset=32)"},
		{
			"pyrrha", "pyrrha.pause=1,pyrrha.resume=2",
			"node 0: pyrrha: Config.Pause = 1: must not be below Resume",
		},
		{"pyrrha+pfc", "pyrrha.pause=1,pyrrha.resume=2", "node 0: pyrrha: Config.Pause = 1"},
		{"bfc", "bfc.vfids=4000000,bfc.queues=2,bfc.resumes=4000000000", "bfc: Config.ResumeLimit = "},
		{"pyrrha+pfc", "buffer=64KiB", "node 16: pfc: Config.Buffer = "},
		{"pfc", "control.loss=1,control.reorder=1%", "sim: Config.ControlReorder = "},
	} {
		r := fabric.Run{
			Protocol: c.protocol, Topology: leafSpine(t), Flows: incast(), Values: values(t, c.set),
		}
		_, err := r.Do()
		require.ErrorContains(t, err, c.says, c.protocol)
	}
	fast := sluice.Link{Rate: 11 * sluice.Tbps}
	g, err := topo.LeafSpine(topo.LeafSpineConfig{
		Racks: 1, HostsPerRack: 2, Spines: 1, HostLink: fast, Uplink: fast,
	})
	require.NoError(t, err)
	flows := []workload.Flow{{Src: 0, Dst: 1, Bytes: 1}}
	tooFast := fabric.Run{
		Protocol: "ideal", Topology: g, Flows: flows, Values: values(t, "cc=dcqcn"),
	}
	require.ErrorContains(t, tooFast.Check(), "must have no host faster than 10Tb/s")
	tooFast.Values = values(t, "")
	require.NoError(t, tooFast.Check())

	r := fabric.Run{Protocol: "pcf", Topology: leafSpine(t), Values: values(t, "")}
	_, err = r.Do()
	require.ErrorContains(t, err, `flow control "pcf"`)

	r = fabric.Run{
		Protocol: "pfc", Topology: leafSpine(t), Values: values(t, ""),
		Routes: []fabric.Route{{At: 16, Host: 99}},
	}
	_, err = r.Do()
	require.ErrorContains(t, err, "99")

	r = fabric.Run{
		Protocol: "pfc", Topology: leafSpine(t), Values: values(t, ""),
		Flows: []workload.Flow{{Src: 0, Dst: 0, Bytes: 1}},
	}
	_, err = r.Do()
	require.ErrorContains(t, err, "Flows[0].Dst = 0")
}

// An error in the middle of a run names the protocol.
func TestAnErrorNamesTheProtocol(t *testing.T) {
	r := fabric.Run{Protocol: "ideal", Topology: leafSpine(t), Values: values(t, ""), Flows: incast()}
	r.Inspect = func(*sim.Simulator) error { return assert.AnError }
	_, err := r.Do()
	require.ErrorIs(t, err, assert.AnError)
	require.ErrorContains(t, err, "ideal: ")
}

// Probabilities have more digits than a millionth has.
func TestFatesOfAnyPrecision(t *testing.T) {
	third := "0.333333333333333333"
	got := with(
		t, "pfc", "buffer=2MiB,pfc.quanta=500,control.loss=0.00000001,control.duplicate="+third,
	)
	require.Equal(
		t, len(got.Flows), got.Completed,
		"a third of all frames comes twice, and one in a million is lost",
	)
}
