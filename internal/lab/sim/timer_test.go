package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// refreshing is a chatty machine that, as pfc does for its refresh, starts a timer when it owes a
// frame.
type refreshing struct {
	chatty
	due     sluice.Time
	expired []sluice.Time
}

func (m *refreshing) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	owes := m.frames > 0
	v := m.chatty.Enqueue(now, port, p)
	if owes {
		m.due = now + sluice.Microsecond
		v = v.WithWake(sluice.WakeDeadline)
	}
	return v
}

func (m *refreshing) Deadline() sluice.Time { return m.due }

func (m *refreshing) Expire(now sluice.Time) sluice.Wake {
	if now < m.due {
		return 0
	}
	m.expired = append(m.expired, now)
	m.due = sluice.Never
	return sluice.WakeDeadline
}

// A timer that a hook starts is served when it is due, though nothing else happens any more.
func TestATimerThatAHookStartsIsServed(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460})
	c.RunOn = 10 * sluice.Microsecond
	var got []byte
	listener := func(m kit.Machine) kit.Machine { return &chatty{Machine: m, received: &got} }
	at(&c, 0, listener)
	hub := &refreshing{due: sluice.Never}
	at(&c, 2, func(m kit.Machine) kit.Machine {
		hub.chatty = chatty{Machine: m, frames: 1, received: &got}
		return hub
	})
	result := run(t, c)
	require.Equal(t, 1, result.Completed)
	require.Equal(t, []sluice.Time{122080*sluice.Picosecond + delay + sluice.Microsecond}, hub.expired)
	require.Equal(t, []byte{0}, got)
	require.Equal(t, map[string]int64{"hello": 1}, result.ControlFrames)
}

// stuck is a machine whose Expire leaves something due.
type stuck struct{ kit.Machine }

func (stuck) Deadline() sluice.Time { return 0 }

func TestAMachineThatDoesNotServeItsTimersIsAnError(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460})
	at(&c, 2, func(m kit.Machine) kit.Machine { return stuck{m} })
	_, err := attempt(t, c)
	require.ErrorContains(t, err, "node 2: Expire left something due at 0ps")
}

// departing is a machine that starts a timer when a packet leaves.
type departing struct {
	refreshing
	left []sluice.Time
}

func (m *departing) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	return m.Machine.Enqueue(now, port, p)
}

func (m *departing) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := m.Machine.Dequeue(now, port, q, p)
	m.left, m.due = append(m.left, now), now+100*sluice.Nanosecond
	return v.WithWake(sluice.WakeDeadline)
}

// The second of two packets leaves when the transmitter becomes free, an event of no packet: the
// timer that it starts is served all the same.
func TestATimerThatADepartureStartsIsServed(t *testing.T) {
	c := config(
		star(3), workload.Flow{Src: 0, Dst: 2, Bytes: 1460}, workload.Flow{Src: 1, Dst: 2, Bytes: 1460},
	)
	hub := &departing{refreshing: refreshing{due: sluice.Never}}
	at(&c, 3, func(m kit.Machine) kit.Machine {
		hub.Machine = m
		return hub
	})
	run(t, c)
	first := 122080*sluice.Picosecond + delay
	require.Equal(t, []sluice.Time{first, first + 122080*sluice.Picosecond}, hub.left[:2])
	require.Contains(t, hub.expired, hub.left[0]+100*sluice.Nanosecond)
	require.Contains(t, hub.expired, hub.left[1]+100*sluice.Nanosecond)
}
