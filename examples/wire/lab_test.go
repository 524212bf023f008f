package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/kit"
	"github.com/sluicefc/sluice/pfc"
	"github.com/stretchr/testify/require"
)

// required is an environment variable with which a test fails where it may make no namespaces.
const required = "SLUICE_REQUIRE_WIRE"

// needNetwork skips a test of a network where none can be made.
func needNetwork(t testing.TB) {
	t.Helper()
	probe := &plan{}
	probe.connect(probe.add(host, "a"), probe.add(host, "b"))
	c, err := layCables(probe)
	if err != nil {
		require.Empty(t, os.Getenv(required), "%v, and %s is set", err, required)
		t.Skip(err)
	}
	require.NoError(t, c.remove())
}

// attempts is how often a scenario is tried on a machine that stands still for longer than the
// headroom covers: then packets may be lost, and shares are off.
const attempts = 3

// steadily runs a scenario, and returns what was counted when all had arrived.
func steadily(t *testing.T, s settings, scenario func(l *lab)) (*lab, []snapshot) {
	t.Helper()
	for range attempts {
		l, all := once(t, s, scenario)
		stalls := uint64(0)
		for _, s := range all {
			stalls += s.stalls
		}
		if stalls == 0 {
			return l, all
		}
		t.Log("the machine stood still for longer than the headroom covers")
	}
	require.FailNow(t, "the machine stood still each time")
	return nil, nil
}

// once runs a scenario.
func once(t *testing.T, s settings, scenario func(l *lab)) (*lab, []snapshot) {
	t.Helper()
	needNetwork(t)
	l, err := start(s)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.close()) })
	scenario(l)
	all := l.drain()
	t.Log(l.format(all))
	require.NoError(t, l.close())
	require.Empty(t, namespacesOf(os.Getpid()), "namespaces are removed")
	for _, s := range all {
		require.NoError(t, s.broken)
	}
	return l, all
}

// lasting lets a network run.
func lasting(d time.Duration) func(*lab) { return func(*lab) { time.Sleep(d) } }

func namespacesOf(process int) []string {
	left, _ := filepath.Glob(filepath.Join(namespaceDir, namespacePrefix+strconv.Itoa(process)+"-*"))
	return left
}

// missing is how many packets of a flow did not arrive.
func (l *lab) missing(all []snapshot, f int) int {
	flow := l.plan.flows[f]
	return int(all[flow.from].sent[f]) - int(all[flow.to].sinks[f].received)
}

// requireLossless checks that all arrived, in order.
func requireLossless(t *testing.T, l *lab, all []snapshot) {
	t.Helper()
	for f, flow := range l.plan.flows {
		require.NotZero(t, all[flow.to].sinks[f].received, "flow %d", f)
		require.Zero(t, l.missing(all, f), "flow %d", f)
		require.Zero(t, all[flow.to].sinks[f].outOfOrder, "flow %d", f)
	}
	for _, s := range all {
		for id := range s.ports {
			require.Zero(t, s.ports[id].vanished(), "port %d of %s", id, s.place.name)
		}
		require.Zero(t, s.buffered)
	}
}

// requireHeard checks that what one end of each cable sent, the other end received.
func requireHeard(t *testing.T, l *lab, all []snapshot) (frames uint64) {
	t.Helper()
	for _, at := range l.plan.places {
		for id, to := range at.peers {
			here, there := &all[at.id].ports[id], &all[to.id].ports[to.port]
			text := fmt.Sprintf("port %d of %s to port %d of %s", id, at.name, to.port, to.name)
			require.Equal(t, here.Sent, there.Received, text)
			require.Equal(t, here.machine.FramesSent, there.machine.FramesReceived, text)
			require.Zero(t, there.machine.Malformed, text)
			frames += here.machine.FramesSent
		}
	}
	return frames
}

// pauses are the counters of PFC at a port for the class of the packets.
func (l *lab) pauses(node, port int) pfc.ClassCounters {
	machine := kit.Unwrap(l.nodes[node].driver.Machine()).(*pfc.Switch)
	return machine.Port(sluice.PortID(port)).Counters().Class[class]
}

// collisions counts packets under BFC that joined a queue with packets of another flow.
func (l *lab) collisions(node, port int) uint64 {
	machine := kit.Unwrap(l.nodes[node].driver.Machine()).(*bfc.Switch)
	return machine.Port(sluice.PortID(port)).Counters().QueueCollisions
}

// inTime is how many packets a link carries.
func inTime(s settings, d time.Duration) int {
	return int(s.rate().BytesIn(sluice.FromDuration(d))) / s.size
}

// defaults are the settings without flags.
func defaults() (s settings) {
	s.flags(flag.NewFlagSet("wire", flag.PanicOnError))
	return s
}
