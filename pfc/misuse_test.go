package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/pfc/qos"
)

// TestMisuse: a Dequeue that does not fit the enqueued packets is refused with a reason, counted,
// and changes nothing.
func TestMisuse(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	k.enqueue(0, 1, 3, 500)
	k.enqueue(1, 1, 3, 400) // the ingress holds more than waits in queue 3 of port 0
	k.enqueue(0, 1, 0, 500)
	k.enqueue(0, 1, 1, 500)
	k.enqueue(0, sluice.Local, 4, 500)
	k.enqueue(0, 1, 4, 100)
	k.enqueue(0, sluice.Local, 2, 1100)
	p := func(class sluice.Class, size sluice.Bytes, in sluice.PortID) sluice.Packet {
		return sluice.Packet{Class: class, Size: size, Ingress: in}
	}
	for _, test := range []struct {
		name   string
		queue  sluice.QueueID
		packet sluice.Packet
		want   sluice.Reason
	}{
		{"no such queue", 8, p(0, 500, 1), sluice.BadQueue},
		{"no such queue, class of the same low bits", 0x0103, p(3, 500, 1), sluice.BadQueue},
		{"another class", 3, p(4, 500, 1), sluice.BadClass},
		{"no such class", 3, p(200, 500, 1), sluice.BadClass},
		{"empty queue", 5, p(5, 500, 1), sluice.BadClass},
		{"larger than the queue", 3, p(3, 501, 1), sluice.BadSize},
		{"no size", 3, p(3, 0, 1), sluice.BadSize},
		{"negative size", 3, p(3, -500, 1), sluice.BadSize},
		{"another ingress", 3, p(3, 500, 0), sluice.BadIngress},
		{"no such ingress", 3, p(3, 500, 2), sluice.BadIngress},
		{"local that was not", 3, p(3, 500, sluice.Local), sluice.BadIngress},
		{"another ingress, a byte", 3, p(3, 1, 0), sluice.BadIngress},
		{"no such ingress, where local packets wait", 4, p(4, 100, 2), sluice.BadIngress},
		{"no such ingress, class 0", 0, p(0, 500, 2), sluice.BadIngress},
		{"lossy, no such ingress", 1, p(1, 500, 2), sluice.BadIngress},
		{"lossy, local that was not", 1, p(1, 500, sluice.Local), sluice.BadIngress},
		{"larger than all that is local", 4, p(4, 501, sluice.Local), sluice.BadIngress},
		{"not local that was", 4, p(4, 500, 1), sluice.BadIngress},
		{"lossy, not local that was, more than the pool lacks", 2, p(2, 1100, 1), sluice.BadIngress},
	} {
		before := k.s.Counters().Misuse
		v := k.s.Port(0).Dequeue(0, test.queue, &test.packet)
		require.Equal(t, sluice.DropBecause(test.want), v, test.name)
		require.Equal(t, before+1, k.s.Counters().Misuse, test.name)
		require.NoError(t, k.s.Audit(), test.name)
	}
	require.Equal(t, 7, k.drain(0)+k.drain(1))
	require.NoError(t, k.s.Quiescent())
}

// TestHeadroomMisuse: a packet larger than the buffer beside the headroom.
func TestHeadroomMisuse(t *testing.T) {
	port := PortConfig{
		Link:    sluice.Link{Rate: g100},
		Profile: Profile{XOff: 1000, XOn: 0, Headroom: 3000},
	}
	k := newBench(
		t,
		Config{Ports: []PortConfig{port, port}, Buffer: sluice.MiB, Classes: sluice.MakeClassSet(3)},
	)
	k.enqueue(0, 1, 3, 500)
	k.enqueue(0, 1, 3, 1500)
	k.enqueue(0, 0, 3, 900)
	v := k.s.Port(0).Dequeue(0, 3, &sluice.Packet{Class: 3, Size: 2500, Ingress: 1})
	require.Equal(t, sluice.DropBecause(sluice.BadIngress), v)
	require.NoError(t, k.s.Audit())
	require.Equal(t, sluice.Bytes(1500), k.s.Port(1).HeadroomBytes(3))
}

// TestMisuseWithMaps: a packet leaves the queue that the maps say, and what came from no port is
// known by queue and port: the bytes of another queue, port or kind make up for nothing.
func TestMisuseWithMaps(t *testing.T) {
	k := newBench(t, ruled(func(q *qos.Port) { q.Queue = swapped(3, 5) }))
	k.enqueue(0, sluice.Local, 5, 300) // to queue 3
	k.enqueue(0, 1, 5, 300)
	k.enqueue(0, 1, 3, 400) // to queue 5
	k.enqueue(1, sluice.Local, 3, 400)
	for _, test := range []struct {
		name   string
		port   sluice.PortID
		queue  sluice.QueueID
		packet sluice.Packet
		want   sluice.Reason
	}{
		{"the queue of its own number", 0, 3, sluice.Packet{Class: 3, Size: 300, Ingress: 1},
			sluice.BadClass},
		{"local, the queue of its own number", 0, 3,
			sluice.Packet{Class: 3, Size: 300, Ingress: sluice.Local}, sluice.BadClass},
		{"local, as at another port", 0, 5,
			sluice.Packet{Class: 3, Size: 400, Ingress: sluice.Local}, sluice.BadIngress},
		{"of a port, where local packets wait", 1, 5, sluice.Packet{Class: 3, Size: 400, Ingress: 1},
			sluice.BadIngress},
		{"no such class", 0, 3, sluice.Packet{Class: 8, Size: 300, Ingress: 1}, sluice.BadClass},
		{"no such class, queue 8", 0, 8, sluice.Packet{Class: 8, Size: 300, Ingress: 1},
			sluice.BadQueue},
	} {
		v := k.s.Port(test.port).Dequeue(0, test.queue, &test.packet)
		require.Equal(t, sluice.DropBecause(test.want), v, test.name)
		require.NoError(t, k.s.Audit(), test.name)
	}
	require.EqualValues(t, 6, k.s.Counters().Misuse)
	require.Equal(t, 4, k.drain(0)+k.drain(1))
	require.NoError(t, k.s.Quiescent())
}
