package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// ruled is twoClasses with rules for both ports.
func ruled(change func(*qos.Port)) Config {
	config := twoClasses(PriorityPause, 0, g100, g100)
	config.EgressPools, config.MAC = []sluice.Bytes{10_000}, sluice.MAC{}
	for i := range config.Ports {
		config.Ports[i].QoS = &qos.Port{}
		change(config.Ports[i].QoS)
	}
	return config
}

// swapped is a map in which two numbers change places.
func swapped(a, b sluice.Class) *qos.Map {
	m := qos.Same()
	m[a], m[b] = b, a
	return &m
}

// TestMaps: SAI, "TC -> Queue", "TC -> Priority Group", "PFC Priority -> Queue" and "PFC Priority
// -> Priority Group": a packet of traffic class 1 goes to group 3 and queue 5, frames about group 3
// have the priority 6, and frames of priority 6 hold queue 5.
func TestMaps(t *testing.T) {
	k := newBench(t, ruled(func(q *qos.Port) {
		q.Queue, q.Group = swapped(1, 5), swapped(1, 3)
		q.PauseQueue, q.PauseGroup = swapped(6, 5), swapped(6, 3)
	}))
	v := k.enqueue(0, 1, 1, 2000)
	require.EqualValues(t, 5, v.Queue())
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 6)}}, k.take())
	require.Equal(t, sluice.MakeClassSet(3), k.s.Port(1).Paused())
	require.EqualValues(t, 2000, k.s.Port(1).IngressBytes(3))
	k.receive(0, pauseOf(9, 6))
	require.Equal(t, sluice.MakeClassSet(5), k.s.Port(0).Held())
	packet := sluice.Packet{Class: 1}
	require.True(t, k.s.Port(0).WaitsFor(5, &packet, 0, true), "the peer has the same maps")
	packet.Class = 3
	require.False(t, k.s.Port(0).WaitsFor(5, &packet, 0, true))
	require.Zero(t, k.drain(0))
	k.receive(0, pauseOf(0, 6))
	require.Equal(t, 1, k.drain(0))
	require.Equal(t, []sent{{1, pauseOf(0, 6)}}, k.take())
	require.NoError(t, k.s.Quiescent())
}

// TestStormOfMappedQueue: what the watchdog drops because of its ingress is of the priority group
// whose priority the stormy queue has.
func TestStormOfMappedQueue(t *testing.T) {
	for action, dropped := range map[WatchdogAction]uint64{WatchdogDrops: 1, WatchdogForwards: 0} {
		config := ruled(func(q *qos.Port) {
			q.Queue, q.PauseQueue = swapped(3, 5), swapped(3, 5)
		})
		config.Watchdog = Watchdog{Detection: 2 * ms, Poll: ms, Action: action}
		k := newBench(t, config)
		for range 40 {
			k.receive(0, pauseOf(65535, 3))
			k.at(k.now + ms/10)
		}
		require.Equal(t, sluice.MakeClassSet(5), k.s.Port(0).Storming())
		k.enqueue(1, 0, 3, 2000)
		c := k.s.Port(0).Counters()
		require.Equal(t, dropped, c.Class[3].Dropped[sluice.WatchdogDrop])
		require.Equal(t, dropped, c.Class[5].Storm.RxDrop)
		require.Empty(t, k.take(), "a forwarding port does not pause its peer")
		k.at(k.now + 20*ms)
		require.Zero(t, k.s.Port(0).Storming())
		k.drain(1)
		require.NoError(t, k.s.Audit())
	}
}

// TestLossyGroup: a lossy priority group is accounted, held to its profile, and pauses no peer.
func TestLossyGroup(t *testing.T) {
	config := ruled(func(q *qos.Port) { q.Lossy = sluice.MakeClassSet(0) })
	config.Ports[1].Profiles[0] = &Profile{XOff: 3000, XOn: 3000}
	config.Ports[0].Profiles[0] = &Profile{XOff: 1 << 20, XOn: 3000}
	k := newBench(t, config)
	for range 3 {
		k.enqueue(0, 1, 0, 1000)
	}
	require.EqualValues(t, 3000, k.s.Port(1).IngressBytes(0))
	require.Equal(t, sluice.BufferFull, k.enqueue(0, 1, 0, 1).Reason())
	c := k.s.Counters()
	require.EqualValues(t, 1, c.Class[0].GroupDrops)
	require.EqualValues(t, 3000, c.Class[0].IngressPeak)
	require.Zero(t, c.Class[0].HeadroomDrops)
	require.Empty(t, k.take())
	config.Ports[1].QoS = &qos.Port{}
	_, err := k.s.Reconfigure(k.now, config)
	require.NoError(t, err, "it has no profile any more")
	require.NoError(t, k.s.Audit())
	require.Equal(t, sluice.Append, k.enqueue(0, 1, 0, 1).Action())
	require.Equal(t, 4, k.drain(0))
	require.NoError(t, k.s.Quiescent())
}

// TestLimits of a queue, of a port at its egress and of a port at its ingress, where a lossless
// packet goes to the headroom and pauses its class.
func TestLimits(t *testing.T) {
	k := newBench(t, ruled(func(q *qos.Port) {
		q.Queues[0] = &qos.Limit{Static: 2000, Reserve: 500}
		q.Queues[1] = &qos.Limit{Alpha: ratio(1, 2)}
		q.Queues[2] = &qos.Limit{}
		q.Egress = []qos.Limit{{Static: 7000}}
		q.Ingress = []qos.Limit{{Static: 800}}
	}))
	drops := func(class sluice.Class) uint64 { return k.s.Counters().Class[class].QueueDrops }
	k.enqueue(0, 1, 0, 2500)
	k.enqueue(0, 1, 0, 1)
	require.EqualValues(t, 1, drops(0))
	require.EqualValues(t, 8000, k.s.FreeOfEgress(0))
	k.enqueue(0, 1, 1, 4001)
	require.EqualValues(t, 1, drops(1), "alpha times what is free")
	k.enqueue(0, 1, 1, 4000)
	k.enqueue(0, 1, 2, 1001)
	require.EqualValues(t, 1, drops(2), "the port's limit")
	k.enqueue(1, 0, 2, 4001)
	require.EqualValues(t, 2, drops(2), "the pool is empty")
	require.EqualValues(t, 6000, k.s.Counters().EgressPoolPeak[0])
	k.s.ClearPeaks(PoolPeaks)
	require.Equal(t, 2, k.drain(0))
	require.EqualValues(t, 6000, k.s.Counters().EgressPoolPeak[0])

	k.enqueue(0, 1, 3, 600)
	require.Empty(t, k.take())
	k.enqueue(0, 1, 4, 300)
	require.Equal(t, []sent{{1, pauseOf(DefaultPause, 4)}}, k.take(), "800 is the port's limit")
	require.EqualValues(t, 300, k.s.Port(1).HeadroomBytes(4))
	require.Equal(t, 2, k.drain(0))
	require.NoError(t, k.s.Quiescent())
}

// TestWREDOfColors: above the threshold of its colour a packet that is not ECN-capable is dropped,
// and an ECN-capable packet leaves marked.
func TestWREDOfColors(t *testing.T) {
	step := func(n sluice.Bytes) sluice.Marking { return sluice.Marking{KMin: n, KMax: n} }
	k := newBench(t, ruled(func(q *qos.Port) {
		q.Colors[1] = qos.Red
		q.Queue = &qos.Map{0, 0, 2, 3, 4, 5, 6, 7}
		q.WRED[0] = &qos.WRED{
			Curves: [qos.Colors]sluice.Marking{qos.Green: step(2000), qos.Red: step(900)},
			Mark:   [qos.Colors]bool{qos.Green: true}, Drop: [qos.Colors]bool{true, false, true},
		}
	}))
	packet := func(class sluice.Class, ecn sluice.ECN) sluice.Verdict {
		return k.enqueuePacket(0, sluice.Packet{Size: 1000, Class: class, Ingress: 1, ECN: ecn})
	}
	packet(0, sluice.NotECT)
	require.Equal(t, sluice.BufferFull, packet(1, sluice.ECT0).Reason(), "red is not marked")
	require.Equal(t, sluice.Append, packet(0, sluice.NotECT).Action())
	for range 3 {
		require.Equal(t, sluice.Append, packet(0, sluice.ECT0).Action())
	}
	require.Equal(t, sluice.BufferFull, packet(0, sluice.NotECT).Reason())
	c := k.s.Counters().Class[0]
	require.Equal(t, [qos.Colors]uint64{1, 0, 1}, c.WREDDrops)
	require.EqualValues(t, 2000, c.DroppedBytes)
	k.drain(0)
	c = k.s.Counters().Class[0]
	require.EqualValues(t, 0, c.Marked, "the two that left more than 2,000 bytes are not capable")
	for range 5 {
		packet(0, sluice.ECT0)
	}
	_, v, _ := k.send(0)
	require.Equal(t, sluice.CE, v.Mark())
	k.drain(0)
	c = k.s.Counters().Class[0]
	require.EqualValues(t, 2, c.Marked)
	require.EqualValues(t, 2000, c.MarkedBytes)
}

// TestShapers: a queue of 10 Gb/s beside an unshaped queue, on a port of 40 Gb/s.
func TestShapers(t *testing.T) {
	config := ruled(func(q *qos.Port) {
		q.Shaper.Rate = 40 * sluice.Gbps
		q.Shapers[7] = qos.Shaper{Rate: 10 * sluice.Gbps, Burst: 2500}
	})
	k := newBench(t, config)
	for range 60 {
		k.enqueue(0, sluice.Local, 7, 1250)
		k.enqueue(0, sluice.Local, 0, 1250)
	}
	var sent [8]int
	for k.now < 20*sluice.Microsecond {
		if q, ok := k.s.Port(0).Next(k.now); ok {
			k.send(0)
			sent[q]++
		}
		k.at(k.now + 250*sluice.Nanosecond) // a packet at 40 Gb/s
	}
	// 20 us at 10 Gb/s are 20 packets, after a burst of two.
	require.Equal(t, [8]int{7: 22, 0: 58}, sent)
	k.send(0)
	require.False(t, k.s.Port(0).Sendable(7))
	packet := sluice.Packet{Class: 7}
	require.False(t, k.s.Port(0).WaitsFor(7, &packet, 0, true), "it waits for time alone")

	deadline := k.s.Deadline()
	k.s.Rebase(sluice.Microsecond)
	require.Equal(t, deadline-sluice.Microsecond, k.s.Deadline())
	require.NoError(t, k.s.Audit())
	for i := range config.Ports {
		config.Ports[i].QoS = &qos.Port{}
	}
	_, err := k.s.Reconfigure(k.now, config)
	require.NoError(t, err)
	require.True(t, k.s.Port(0).Sendable(7), "it is shaped no longer")
}

// TestRestoreWithRules: a restored switch distinguishes queued packets of ports from local ones.
func TestRestoreWithRules(t *testing.T) {
	config := ruled(func(q *qos.Port) { q.Queues[0] = &qos.Limit{Static: 3000} })
	k := newBench(t, config)
	k.enqueue(0, 1, 0, 2000)
	k.enqueue(0, sluice.Local, 0, 2500)
	k = k.restored(config)
	require.EqualValues(t, 8000, k.s.FreeOfEgress(0))
	k.enqueue(0, 1, 0, 1001)
	require.EqualValues(t, 1, k.s.Counters().Class[0].QueueDrops)
}

// TestGroupsOfPort: a port schedules by its own groups.
func TestGroupsOfPort(t *testing.T) {
	config := host()
	config.Ports[0].Groups = []Group{{Classes: 0x0f}, {Classes: 0xf0}}
	k := newBench(t, config)
	for c := range sluice.Class(8) {
		k.enqueue(0, sluice.Local, c, 9216)
	}
	require.Equal(t, []sluice.Class{1, 2, 3, 0, 4, 5, 6, 7}, k.order(8))
}

// TestErrorsOfRules: bad rules are named by field.
func TestErrorsOfRules(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"Ports[0].QoS.PauseGroup[1]": func(c *Config) { c.Ports[0].QoS.PauseGroup = &qos.Map{3: 0} },
		"Ports[1].QoS.Queue[7]":      func(c *Config) { c.Ports[1].QoS.Queue = &qos.Map{7: 8} },
		"Ports[0].QoS.Queues[2].Pool": func(c *Config) {
			c.Ports[0].QoS.Queues[2] = &qos.Limit{Pool: 1}
		},
		"Ports[0].QoS.Egress[0].Reserve": func(c *Config) {
			c.Ports[0].QoS.Egress = []qos.Limit{{Reserve: 1}}
		},
		"Ports[0].QoS.Ingress": func(c *Config) { c.Ports[0].QoS.Ingress = make([]qos.Limit, 2) },
		"Ports[0].QoS.Lossy":   func(c *Config) { c.Ports[0].QoS.Lossy = sluice.MakeClassSet(3) },
		"Ports[0].Profiles[0].Headroom": func(c *Config) {
			c.Ports[0].QoS.Lossy = sluice.MakeClassSet(0)
		},
		"Ports[0].QoS.WRED[3].Curves[2].KMax": func(c *Config) {
			c.Ports[0].QoS.WRED[3] = &qos.WRED{Curves: [3]sluice.Marking{2: {KMax: -1}}}
		},
		"Ports[0].QoS.WRED[3].Curves[1]": func(c *Config) {
			c.Ports[0].QoS.WRED[3] = &qos.WRED{Drop: [3]bool{1: true}}
		},
		"Ports[0].QoS.Shaper.Rate":      func(c *Config) { c.Ports[0].QoS.Shaper.Rate = 1 },
		"Ports[0].QoS.Shapers[4].Burst": func(c *Config) { c.Ports[0].QoS.Shapers[4].Burst = 1 },
		"Ports[0].Groups":               func(c *Config) { c.Ports[0].Groups = []Group{{Classes: 1}} },
		"Ports[0].QoS.Colors[1]":        func(c *Config) { c.Ports[0].QoS.Colors[1] = 3 },
		"EgressPools[0]":                func(c *Config) { c.EgressPools[0] = 0 },
		"Trigger":                       func(c *Config) { c.Trigger = trigger.CAPFC },
	} {
		config := ruled(func(*qos.Port) {})
		change(&config)
		_, err := New(config)
		var fault *sluice.ConfigError
		require.ErrorAs(t, err, &fault, want)
		require.Equal(t, want, fault.Field)
	}
	k := newBench(t, ruled(func(*qos.Port) {}))
	_, err := k.s.Reconfigure(0, twoClasses(PriorityPause, 0, g100, g100))
	require.ErrorContains(t, err, "cannot")
	_, err = k.s.Reconfigure(0, ruled(func(q *qos.Port) { q.Queue = swapped(1, 2) }))
	require.ErrorContains(t, err, "maps")
}
