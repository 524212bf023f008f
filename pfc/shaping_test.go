package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// shapedBy are the shapers of 10 Gb/s, each alone, that hold queue 0: a packet of 1,250 bytes takes
// them a microsecond.
var shapedBy = map[string]func(*qos.Port){
	"port":  func(q *qos.Port) { q.Shaper.Rate = 10 * sluice.Gbps },
	"queue": func(q *qos.Port) { q.Shapers[0].Rate = 10 * sluice.Gbps },
}

// shaped returns a switch whose queue 0 of port 0 was sent a packet of, has two more, and is held.
func shaped(t *testing.T, config Config) *bench {
	k := newBench(t, config)
	for range 3 {
		k.enqueue(0, sluice.Local, 0, 1250)
	}
	require.Equal(t, []sluice.Class{0}, k.order(1))
	require.False(t, k.s.Port(0).Sendable(0))
	require.Equal(t, sluice.Microsecond, k.s.Deadline())
	return k
}

// TestShaperAndLink: a failed link holds no queue, whatever its shapers say; once it is there
// again, they go on where they were.
func TestShaperAndLink(t *testing.T) {
	for name, by := range shapedBy {
		k := shaped(t, ruled(by))
		k.poll(k.s.Port(0).LinkDown(k.now))
		require.True(t, k.s.Port(0).Sendable(0), name)
		require.Equal(t, sluice.Never, k.s.Deadline())
		k.reconfigure(func(*Config) {})
		require.True(t, k.s.Port(0).Sendable(0), "%s: Reconfigure holds none either", name)
		k.poll(k.s.Port(0).LinkUp(k.now))
		require.False(t, k.s.Port(0).Sendable(0), name)
		k.at(sluice.Microsecond)
		require.True(t, k.s.Port(0).Sendable(0), name)
	}
}

// TestReconfigureEndsShaping, of class 0 as of any other.
func TestReconfigureEndsShaping(t *testing.T) {
	for name, by := range shapedBy {
		k := shaped(t, ruled(by))
		k.reconfigure(func(c *Config) { c.Ports[0].QoS = &qos.Port{} })
		require.True(t, k.s.Port(0).Sendable(0), name)
		require.Equal(t, []sluice.Class{0, 0}, k.order(2))
		require.Equal(t, sluice.Never, k.s.Deadline())
	}
}

// TestDiscardedQueueIsNotShaped: what the watchdog discards takes no time on the wire, so that the
// port has something to do at once.
func TestDiscardedQueueIsNotShaped(t *testing.T) {
	config := ruled(func(q *qos.Port) { q.Shapers[3].Rate = sluice.Gbps })
	k := newBench(t, config)
	k.enqueue(0, sluice.Local, 3, 1250)
	k.enqueue(0, sluice.Local, 3, 1250)
	require.Equal(t, 1, k.drain(0))
	require.Equal(t, sluice.WakePort(0), k.s.BigRedSwitch(k.now, true))
	require.Equal(t, 1, k.drain(0))
}

// TestMarkingBesideRules: a class without WRED is marked by PortConfig.ECN on a port with rules.
func TestMarkingBesideRules(t *testing.T) {
	config := ruled(func(q *qos.Port) {
		step := sluice.Marking{KMin: 500, KMax: 500}
		q.Colors[2] = qos.Red
		q.WRED[2] = &qos.WRED{
			Curves: [qos.Colors]sluice.Marking{step, step, step}, Mark: [qos.Colors]bool{true},
		}
	})
	config.Ports[0].ECN[0] = sluice.Marking{KMin: 500, KMax: 500}
	k := newBench(t, config)
	for _, class := range []sluice.Class{0, 2} {
		for range 2 {
			k.enqueuePacket(0, sluice.Packet{Size: 1000, Class: class, Ingress: 1, ECN: sluice.ECT1})
		}
	}
	for _, want := range []sluice.ECN{sluice.ECT1, sluice.ECT1, sluice.CE, sluice.ECT1} {
		_, v, _ := k.send(0)
		require.Equal(t, sluice.TransmitMarked(want), v, "red packets stay as they are")
	}
}

// TestCommonWay: while nothing is discarded, shaped, scheduled by deficit or held to rules, a
// packet goes the short way, in Enqueue by the accounts, in Dequeue up to the length at which it
// may be marked; also after what was in the way is over.
func TestCommonWay(t *testing.T) {
	short := func(k *bench) bool {
		p := &k.s.ports[0]
		return len(p.accounts) == 16 && p.plain && p.queues[0].busyAbove == 700 &&
			p.state.rules == nil
	}
	config := twoClasses(PriorityPause, 0, g100, g100)
	config.Ports[0].ECN[0] = sluice.Marking{KMin: 700, KMax: 700}
	k := newBench(t, config)
	require.True(t, short(k))
	for name, way := range map[string][2]func(){
		"discarded": {func() { k.s.BigRedSwitch(0, true) }, func() { k.s.BigRedSwitch(0, false) }},
		"down":      {func() { k.s.Port(0).LinkDown(0) }, func() { k.s.Port(0).LinkUp(0) }},
		"groups": {
			func() { k.reconfigure(func(c *Config) { c.Groups = []Group{{Classes: 0xff}} }) },
			func() { k.reconfigure(func(c *Config) { c.Groups = nil }) },
		},
	} {
		way[0]()
		require.False(t, short(k), name)
		way[1]()
		require.True(t, short(k), name)
	}
	require.Nil(t, k.s.ports[0].state.rules)
	k = shaped(t, ruled(shapedBy["port"]))
	k.reconfigure(func(c *Config) { c.Ports[0].QoS = &qos.Port{} })
	require.True(t, k.s.ports[0].plain, "it is shaped no longer")
}
