package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// ticking is a machine with a timer that never ends, as one that repeats its state has.
type ticking struct {
	kit.Machine
	next  sluice.Time
	every sluice.Time
}

func (m *ticking) Deadline() sluice.Time { return m.next }

func (m *ticking) Expire(now sluice.Time) sluice.Wake {
	if now >= m.next {
		m.next = now + m.every
	}
	return sluice.WakeDeadline
}

// Packets wait at a queue that is held for good. Whatever goes on beside them, the run ends when
// nothing has moved for StallAfter.
func TestARunEndsWhenWhatWaitsDoesNotMove(t *testing.T) {
	for _, c := range []struct {
		name  string
		beats func(*sim.Config)
	}{
		{"nothing else", func(*sim.Config) {}},
		{"a machine's timer", func(c *sim.Config) {
			at(c, 2, func(m kit.Machine) kit.Machine { return &ticking{m, 0, sluice.Microsecond} })
		}},
		{"retransmission timers", func(c *sim.Config) { c.RetransmitAfter = sluice.Millisecond }},
		{"samples", func(c *sim.Config) { c.SampleEvery = 100 * sluice.Microsecond }},
		{"samples and timers", func(c *sim.Config) {
			c.SampleEvery, c.RetransmitAfter = 100*sluice.Microsecond, sluice.Millisecond
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := config(
				star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460},
				workload.Flow{Src: 1, Dst: 0, Bytes: 14600},
			)
			at(&config, 2, func(m kit.Machine) kit.Machine { return held{m} })
			config.Inspect = notAfter(100 * sluice.Millisecond)
			config.StallAfter = 5 * sluice.Millisecond
			c.beats(&config)
			result := run(t, config)
			require.Equal(
				t, 1, result.Completed,
				"one flow cannot reach host 0, nor can the acknowledgements of the other",
			)
			require.LessOrEqual(t, result.Simulated, 8*sluice.Millisecond)
			require.Contains(t, result.Notes[0], "1 of 2 flows did not complete")
			require.Contains(t, result.Notes[0], "bytes wait at 2:0")
		})
	}
}

// A packet is lost and no host sends it again: machines' timers and samples alone do not keep the
// run alive.
func TestARunEndsWhenWhatIsMissingIsGone(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460})
	at(&c, 2, func(m kit.Machine) kit.Machine {
		return &ticking{&lossy{m, 1}, 0, sluice.Microsecond}
	})
	c.SampleEvery = 10 * sluice.Microsecond
	c.Inspect = notAfter(100 * sluice.Millisecond)
	result := run(t, c)
	require.Zero(t, result.Completed)
	require.EqualValues(t, 1, result.Dropped)
	require.LessOrEqual(t, result.Simulated, 11*sluice.Millisecond)
}

// deferring is a machine that holds a packet which comes to an idle port for some time.
type deferring struct {
	kit.Machine
	by, until sluice.Time
}

func (m *deferring) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	if m.until == 0 {
		m.until = now + m.by
	}
	return m.Machine.Enqueue(now, port, p).WithWake(sluice.WakeDeadline)
}

func (m *deferring) Deadline() sluice.Time {
	if m.until == 0 {
		return sluice.Never
	}
	return m.until
}

func (m *deferring) Next(now sluice.Time, port sluice.PortID) (sluice.QueueID, bool) {
	if now < m.until {
		return 0, false
	}
	return m.Machine.Next(now, port)
}

func (m *deferring) Expire(now sluice.Time) sluice.Wake {
	if now < m.until {
		return 0
	}
	m.until = 0
	return sluice.WakePort(0) | sluice.WakeDeadline
}

// The network was idle for longer than StallAfter before the second flow, whose packets wait a
// moment.
func TestIdleTimeBetweenFlowsIsNoStall(t *testing.T) {
	second := workload.Flow{Src: 1, Dst: 0, Bytes: 1460, Start: 50 * sluice.Millisecond}
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460}, second)
	at(&c, 1, func(m kit.Machine) kit.Machine { return &deferring{m, sluice.Microsecond, 0} })
	at(&c, 2, func(m kit.Machine) kit.Machine { return &ticking{m, 0, sluice.Millisecond} })
	result := run(t, c)
	require.Equal(t, 2, result.Completed, "%v", result.Notes)
	require.Equal(t, result.Flows[1].Ideal+sluice.Microsecond, result.Flows[1].FCT)
}

// A lost packet is sent again after 30 ms, longer than the 10 ms that a stall takes by default,
// while the acknowledgement of another flow is held.
func TestASlowRetransmissionTimerIsNoStall(t *testing.T) {
	c := config(
		star(4), workload.Flow{Src: 1, Dst: 0, Bytes: 1460}, workload.Flow{Src: 2, Dst: 3, Bytes: 1460},
	)
	at(&c, 4, func(m kit.Machine) kit.Machine { return held{&lossy{m, 2}} })
	at(&c, 0, func(m kit.Machine) kit.Machine { return &ticking{m, 0, sluice.Millisecond} })
	c.RetransmitAfter = 30 * sluice.Millisecond
	c.Inspect = notAfter(sluice.Second)
	result := run(t, c)
	require.Equal(t, 1, result.Completed, "%v", result.Notes)
	require.NotEqual(t, sluice.Never, result.Flows[1].FCT)
}
