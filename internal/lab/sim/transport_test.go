package sim_test

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/sim"
	"github.com/sluicefc/sluice/internal/lab/workload"
	"github.com/sluicefc/sluice/kit"
	"github.com/stretchr/testify/require"
)

// watched is a machine that shows the packets which leave it.
type watched struct {
	kit.Machine
	sent func(now sluice.Time, port sluice.PortID, p *sluice.Packet)
}

func (w watched) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := w.Machine.Dequeue(now, port, q, p)
	if v.Action() == sluice.Transmit {
		w.sent(now, port, p)
	}
	return v
}

// watch calls sent for every packet that leaves a node.
func watch(
	c *sim.Config, node sluice.SwitchID,
	sent func(now sluice.Time, port sluice.PortID, p *sluice.Packet),
) {
	at(c, node, func(m kit.Machine) kit.Machine { return watched{m, sent} })
}

// A sender sends while it has less than a window under way, whole packets: HPCC's rule.
func TestWindowIsFilledToThePacketThatCrossesIt(t *testing.T) {
	for window, packets := range map[sluice.Bytes]int{1: 1, 1460: 1, 1461: 2, 14600: 10, 14601: 11} {
		c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 100})
		c.Window = window
		firstAnswer := sluice.Never
		before := 0
		watch(&c, 1, func(now sluice.Time, _ sluice.PortID, _ *sluice.Packet) {
			firstAnswer = min(firstAnswer, now)
		})
		watch(&c, 0, func(now sluice.Time, _ sluice.PortID, _ *sluice.Packet) {
			if firstAnswer == sluice.Never {
				before++
			}
		})
		run(t, c)
		require.Equal(t, packets, before, "window of %v: packets sent before one had arrived", window)
	}
}

// A full window at 100 Gb/s; the flow does not stop.
func TestDefaultWindowCarriesTheLineRate(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 1000})
	c.Window = 0
	result := run(t, c)
	require.InDelta(t, 1, result.Flows[0].Slowdown(), 0.03)
}

func TestAcknowledgementsHaveTheClassOfTheDataUnlessOneIsSet(t *testing.T) {
	for ackClass, want := range map[sluice.Class]sluice.Class{sluice.Classes: 3, 0: 0, 5: 5} {
		c := config(star(2), workload.Flow{Src: 0, Dst: 1, Class: 3, Bytes: 14600})
		c.AckClass = ackClass
		classes := map[sluice.Class]bool{}
		watch(&c, 1, func(_ sluice.Time, _ sluice.PortID, p *sluice.Packet) { classes[p.Class] = true })
		run(t, c)
		require.Equal(t, map[sluice.Class]bool{want: true}, classes)
	}
}

// marking marks what leaves it.
type marking struct{ kit.Machine }

func (m marking) Dequeue(
	now sluice.Time, port sluice.PortID, q sluice.QueueID, p *sluice.Packet,
) sluice.Verdict {
	v := m.Machine.Dequeue(now, port, q, p)
	if p.ECN != sluice.NotECT {
		v = sluice.TransmitMarked(sluice.CE).WithWake(v.Wake())
	}
	return v
}

// Data leaves its host with the configured code point, acknowledgements with none; what a switch
// marks arrives marked.
func TestMarksArrive(t *testing.T) {
	for ecn, marked := range map[sluice.ECN]int64{sluice.ECT0: 10, sluice.NotECT: 0} {
		c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 14600})
		c.ECN = ecn
		watch(&c, 0, func(_ sluice.Time, _ sluice.PortID, p *sluice.Packet) {
			require.Equal(t, ecn, p.ECN)
		})
		watch(&c, 1, func(_ sluice.Time, _ sluice.PortID, p *sluice.Packet) {
			require.Equal(t, sluice.NotECT, p.ECN)
		})
		at(&c, 2, func(m kit.Machine) kit.Machine { return marking{m} })
		require.Equal(t, marked, run(t, c).Marked)
	}
}

// tapped is a machine that drops the packets chosen.
type tapped struct {
	kit.Machine
	drop func(p *sluice.Packet) bool
}

func (m tapped) Enqueue(now sluice.Time, port sluice.PortID, p *sluice.Packet) sluice.Verdict {
	if m.drop(p) {
		return sluice.DropBecause(sluice.BufferFull)
	}
	return m.Machine.Enqueue(now, port, p)
}

// losing drops at the switch the n-th data packet and the m-th acknowledgement that come there,
// counted from 1; 0 for none.
func losing(c *sim.Config, data, acks int) {
	at(c, 2, func(m kit.Machine) kit.Machine {
		return tapped{m, func(p *sluice.Packet) bool {
			count := &data
			if p.Size == 60 {
				count = &acks
			}
			*count--
			return *count == 0
		}}
	})
}

// A gap is complained of once. The sender goes back once, and what it sends again up to where it
// was does not count as reordered.
func TestALostPacketCostsOneComplaint(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 60})
	c.Window = 1460 * 20
	losing(&c, 11, 0)
	data, answers := 0, 0
	watch(&c, 0, func(sluice.Time, sluice.PortID, *sluice.Packet) { data++ })
	watch(&c, 1, func(sluice.Time, sluice.PortID, *sluice.Packet) { answers++ })
	result := run(t, c)
	require.Equal(t, 1, result.Completed)
	require.Zero(t, result.Timeouts)
	require.Zero(t, result.Reordered)
	again := data - 60
	require.Greater(t, again, 1, "go-back-N sends more than what was lost")
	require.LessOrEqual(t, again, 20, "and at most a window")
	require.Equal(t, 60+1, answers,
		"each packet that comes in order is acknowledged, the gap is complained of once, "+
			"and what else comes out of order is passed over")
}

// Acknowledgements are cumulative: a lost one is made good by the next.
func TestALostAcknowledgementCostsNothing(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 60})
	losing(&c, 0, 5)
	data := 0
	watch(&c, 0, func(sluice.Time, sluice.PortID, *sluice.Packet) { data++ })
	result := run(t, c)
	require.Equal(t, 1, result.Completed)
	require.Equal(t, 60, data)
	require.Equal(t, result.Flows[0].Ideal, result.Flows[0].FCT)
}

// The sender of a lost acknowledgement for which there is no next one times out. What it sends
// again is acknowledged again.
func TestADuplicateIsAcknowledged(t *testing.T) {
	c := config(
		star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460},
		workload.Flow{Src: 0, Dst: 1, Bytes: 1460, Start: sluice.Millisecond},
	)
	c.RetransmitAfter = 20 * sluice.Microsecond
	losing(&c, 0, 1)
	answers := 0
	watch(&c, 1, func(sluice.Time, sluice.PortID, *sluice.Packet) { answers++ })
	result := run(t, c)
	require.Equal(t, 2, result.Completed)
	require.Equal(t, 3, answers)
	require.EqualValues(t, 1, result.Timeouts)
	require.Zero(t, result.Reordered)
	require.Equal(t, result.Flows[0].Ideal, result.Flows[0].FCT, "the data were there")
}

// A timer that finds progress, or a packet still in the card, does not go back.
func TestTheTimerGoesBackOnlyWithoutProgress(t *testing.T) {
	c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 100})
	c.RetransmitAfter = 5 * sluice.Microsecond
	require.Zero(
		t, run(t, c).Timeouts, "100 packets take 13 us, an acknowledgement comes every 122 ns",
	)

	c = config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460})
	c.RetransmitAfter = 5 * sluice.Microsecond
	at(&c, 0, func(m kit.Machine) kit.Machine { return &deferring{m, 96 * sluice.Microsecond, 0} })
	require.Zero(
		t, run(t, c).Timeouts,
		"the packet was held in the card for 96 us, and then was acknowledged before the next look",
	)
}

// A card that refuses a packet does not block its flow: the timer sends it again.
func TestAPacketLostInTheCardIsRepaired(t *testing.T) {
	for name, wrap := range map[string]func(kit.Machine) kit.Machine{
		"at Enqueue": func(m kit.Machine) kit.Machine { return &lossy{m, 1} },
		"at Dequeue": func(m kit.Machine) kit.Machine { return &discarding{m, 1} },
	} {
		c := config(star(2), workload.Flow{Src: 0, Dst: 1, Bytes: 1460 * 3})
		c.RetransmitAfter = 20 * sluice.Microsecond
		at(&c, 0, wrap)
		result := run(t, c)
		require.Equal(t, 1, result.Completed, name)
		require.EqualValues(t, 1, result.Timeouts, name)
		require.Len(t, result.Drops, 1, name)
		require.Equal(t, sluice.Hop{Switch: 0, Port: 0}, result.Drops[0].At, name)
	}
}
