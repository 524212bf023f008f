package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/stretchr/testify/require"
)

// The hook that gives a port a packet that it may send must wake it, and Next must find the packet.
// Here a level that moved its share has to wait for its time; the other, which need not, is paused
// again before the transmitter, busy with a class that is not under Pyrrha, can ask.
func TestPausedAgainWhileTheWireIsBusy(t *testing.T) {
	for _, late := range []sluice.Time{0, 1, sluice.Microsecond} {
		pausedAgain(t, late)
	}
}

func pausedAgain(t *testing.T, late sluice.Time) {
	l := newLab(t, Config{Ports: ports(Down, Down), Classes: 0x01})
	x, y := at(20, 1), at(30, 1)
	l.pause(0, x, 1)
	l.pause(0, y, 2)
	packet := sluice.Packet{Size: 1500, Ingress: 1}
	for _, hop := range []sluice.Hop{at(int(labID), 0), x, y} {
		packet.Path.Append(hop)
	}
	waitsForX := l.put(packet)
	for range 3 {
		require.Equal(t, waitsForX, l.put(packet))
	}

	l.resume(0, x)
	require.False(t, l.transmit(0))
	require.EqualValues(t, 3000, l.s.Port(0).Backlog(waitsForX), "two have moved on")
	l.pause(0, x, 1)
	l.resume(0, x)
	require.NotEqual(t, sluice.Never, l.s.Deadline(), "its level still has to wait")
	require.NoError(t, l.s.Audit())
	other := sluice.Packet{Size: 500, Ingress: 1, Class: 1}
	other.Path.Append(at(int(labID), 0))
	l.put(other)
	require.True(t, l.transmit(0), "the packet of the other class")
	end := l.now + labLink.Rate.TimeOf(500)

	l.resume(0, y)
	l.pause(0, y, 2)
	l.now = end
	require.False(t, l.transmit(0), "the level of X moved its share")
	deadline := l.s.Deadline()
	require.Greater(t, deadline, end)
	require.NotEqual(t, sluice.Never, deadline)
	require.False(t, l.s.Port(0).Sendable(waitsForX))
	require.NoError(t, l.s.Audit())
	timer := l.s.slot(moveTimer, 0)
	l.s.timers.Put(timer, sluice.Never)
	require.ErrorContains(t, l.s.Audit(), "invariant 6: port 0")
	l.s.timers.Put(timer, deadline)

	l.now = deadline + late
	l.act(l.s.Expire(l.now))
	require.True(t, l.woken[0])
	require.True(t, l.s.Port(0).Sendable(waitsForX))
	require.False(t, l.transmit(0), "packets move to the IQ of Y, which is paused")
	for l.s.Deadline() != sluice.Never {
		l.expire()
		require.False(t, l.transmit(0))
	}
	require.Zero(t, l.s.Port(0).Backlog(waitsForX))
	require.Equal(t, hiq.Paused, l.state(0, y))
	l.resume(0, y)
	l.serve(0, 4)
	require.NoError(t, l.s.Quiescent())
}
