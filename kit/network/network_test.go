package network_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/fabric"
	"github.com/sluicefc/sluice/internal/lab/params"
	"github.com/sluicefc/sluice/internal/lab/topo"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit/network"
)

func made(t require.TestingT, c network.Config) *network.Network {
	c.Topology = topology
	n, err := network.New(c)
	require.NoError(t, err)
	return n
}

// TestMessagesTakeAsLongAsFlows: messages that are sent at times of timers take as long, to the
// picosecond, as flows of a list with these starts, under every protocol and some controls.
func TestMessagesTakeAsLongAsFlows(t *testing.T) {
	graph, err := topo.Read(strings.NewReader(topology), "topology")
	require.NoError(t, err)
	var flows []workload.Flow
	for i := range 60 {
		f := workload.Flow{ // which starts at no instant of anything else
			Src: sluice.SwitchID(i % 6), Dst: sluice.SwitchID(3 * (i % 2)), DstPort: 100,
			Bytes: sluice.Bytes(1000 * (1 + i*i%97)), Start: sluice.Time(i/8)*sluice.Microsecond + 123_457,
		}
		if f.Src != f.Dst {
			flows = append(flows, f)
		}
	}
	workload.AssignPorts(flows)
	for _, settings := range []string{"", "cc=dcqcn", "cc=hpcc,loss=1/200"} {
		for _, fc := range []string{"pfc", "bfc", "ofc", "pyrrha", "cbfc", "none"} {
			registry, err := params.NewRegistry(fabric.Definitions())
			require.NoError(t, err)
			values, err := registry.Parse(settings)
			require.NoError(t, err)
			run := fabric.Run{Protocol: fc, Topology: graph, Values: values, Seed: 5, Flows: flows}
			want, err := run.Do()
			require.NoError(t, err)

			n := made(t, network.Config{Protocol: fc, Settings: []string{settings}, Seed: 5})
			for i, f := range flows {
				require.NoError(t, n.Schedule(f.Start, uint64(i)))
			}
			arrived, done := 0, 0
			for {
				event, ok, err := n.Next(sluice.Never)
				require.NoError(t, err)
				if !ok {
					break
				}
				f := want.Flows[event.Tag]
				switch event.Kind {
				case network.Timer:
					id, err := n.Send(f.Src, f.Dst, f.Bytes, event.Tag)
					require.NoError(t, err)
					require.Equal(t, network.MessageID(event.Tag), id)
				case network.Arrived:
					arrived++
					require.Equal(t, f.Start, event.Start)
					require.Equal(t, f.Start+f.FCT, event.At, "%s %s: message %d", fc, settings, event.Tag)
				case network.Done:
					done++
					require.Equal(t, f.Start+f.Acknowledged, event.At, "%s %s: message %d", fc, settings,
						event.Tag)
				}
			}
			require.Equal(t, len(flows), arrived)
			require.Equal(t, len(flows), done)
			require.Zero(t, n.UnderWay())
			require.Equal(t, want.Dropped, n.Counters().Dropped)
		}
	}
}

// TestEvents beside a model that keeps a list: each message arrives once and is done once, in this
// order, each timer ends at its time, time does not go back, and what is sent at an event begins
// then.
func TestEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		protocol := rapid.SampledFrom([]string{"pfc", "pyrrha"}).Draw(t, "protocol")
		n := made(t, network.Config{Protocol: protocol})
		type message struct {
			sent          sluice.Time
			arrived, done bool
		}
		messages, timers := map[network.MessageID]*message{}, map[uint64]sluice.Time{}
		tag, now := uint64(0), sluice.Time(0)
		act := func() {
			for range rapid.IntRange(0, 3).Draw(t, "messages") {
				src := sluice.SwitchID(rapid.IntRange(0, 5).Draw(t, "from"))
				dst := (src + sluice.SwitchID(rapid.IntRange(1, 5).Draw(t, "places on"))) % 6
				bytes := sluice.Bytes(rapid.IntRange(1, 50_000).Draw(t, "bytes"))
				id, err := n.Send(src, dst, bytes, uint64(src))
				require.NoError(t, err)
				require.Equal(t, network.MessageID(len(messages)), id)
				messages[id] = &message{sent: now}
			}
			for range rapid.IntRange(0, 2).Draw(t, "timers") {
				after := sluice.Time(rapid.IntRange(0, 20).Draw(t, "after")) * sluice.Microsecond
				require.NoError(t, n.Schedule(after, tag))
				timers[tag] = now + after
				tag++
			}
		}
		act()
		for steps := 0; ; steps++ {
			until := sluice.Never
			if rapid.Bool().Draw(t, "bounded") {
				until = now + sluice.Time(rapid.IntRange(0, 10).Draw(t, "until"))*sluice.Microsecond
			}
			event, ok, err := n.Next(until)
			require.NoError(t, err)
			require.GreaterOrEqual(t, n.Now(), now)
			require.LessOrEqual(t, n.Now(), until)
			now = n.Now()
			if !ok {
				if until == sluice.Never {
					break
				}
				require.Equal(t, until, now)
				continue
			}
			require.Equal(t, now, event.At)
			switch m := messages[event.Message]; event.Kind {
			case network.Timer:
				require.Equal(t, timers[event.Tag], now)
				delete(timers, event.Tag)
			case network.Arrived:
				require.Equal(t, m.sent, event.Start)
				require.False(t, m.arrived || m.done)
				m.arrived = true
			case network.Done:
				require.True(t, m.arrived && !m.done)
				m.done = true
			}
			if steps < 30 {
				act()
			}
		}
		require.Empty(t, timers)
		for id, m := range messages {
			require.True(t, m.done, "message %d", id)
		}
		require.Zero(t, n.UnderWay())
	})
}

// TestRowsAreUsedAgain: after as many messages as were under way at once, more take no memory.
func TestRowsAreUsedAgain(t *testing.T) {
	n := made(t, network.Config{})
	round := func() {
		for i := range sluice.SwitchID(6) {
			_, err := n.Send(i, (i+1)%6, 20_000, 0)
			require.NoError(t, err)
		}
		for {
			if _, ok, err := n.Next(sluice.Never); err != nil || !ok {
				require.NoError(t, err)
				return
			}
		}
	}
	for range 10 {
		round()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(20, round), 1.0)
}

// What is wrong is said, and nothing happens.
func TestErrors(t *testing.T) {
	for want, c := range map[string]network.Config{
		"Topology: ":                      {},
		"network: Config.Class = 8: must": {Topology: topology, Class: 8},
		"network: Config.Protocol = pfcc: flow control \"pfcc\": must be one of none": {
			Topology: topology, Protocol: "pfcc",
		},
		"parameter bufer=1: unknown parameter; did you mean buffer?": {
			Topology: topology, Settings: []string{"bufer=1"},
		},
	} {
		_, err := network.New(c)
		require.ErrorContains(t, err, want)
	}
	n := made(t, network.Config{})
	for want, send := range map[string]workload.Flow{
		"network: Config.Src = 6: must be a host": {Src: 6, Bytes: 1},
		"Dst = 9: must be a host":                 {Dst: 9, Bytes: 1},
		"Dst = 0: must differ from Src":           {Bytes: 1},
		"Bytes = 0B: must be positive and":        {Dst: 1},
	} {
		_, err := n.Send(send.Src, send.Dst, send.Bytes, 0)
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, n.Schedule(-1, 0), "must be 0 to")
	require.Zero(t, n.UnderWay())
	_, ok, err := n.Next(sluice.Never)
	require.False(t, ok)
	require.NoError(t, err)
	require.Zero(t, n.Now())
}

// A message whose packets are lost for ever ends with an error that stays.
func TestWhatIsLostIsSaid(t *testing.T) {
	n := made(t, network.Config{Settings: []string{"transport=lossless,pfc.headroom=0,buffer=64KiB"}})
	for src := range sluice.SwitchID(5) {
		_, err := n.Send(src+1, 0, 200_000, 0)
		require.NoError(t, err)
	}
	var err error
	for ok := true; ok && err == nil; {
		_, ok, err = n.Next(sluice.Never)
	}
	require.ErrorContains(t, err, "nothing moves any more")
	_, again := n.Send(1, 0, 1, 0)
	require.Equal(t, err, again)
}
