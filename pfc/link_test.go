package pfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
)

// TestLinkDown: while the link is down the port polls no frame, obeys none, and no pause of the
// peer holds a queue: Next and Dequeue empty them (package sluice).
func TestLinkDown(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	out := k.s.Port(0)
	k.enqueue(0, sluice.Local, 3, 100)
	k.receive(0, pauseOf(100, 3))
	k.busy = true
	k.enqueue(1, 0, 3, 1000) // a pause is owed
	w := out.LinkDown(k.now)
	require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, w, "a held queue is sendable")
	require.True(t, out.Sendable(3))
	require.Equal(t, sluice.Never, k.s.Deadline())
	k.free()
	require.Empty(t, k.take())
	require.Equal(t, 1, k.drain(0))

	require.Zero(t, k.receive(0, pauseOf(100, 3)))
	require.True(t, out.Sendable(3))
	require.Equal(t, uint64(1), out.Counters().Stale)
	k.drain(1)
	require.Zero(t, out.Paused(), "accounting goes on")
	k.enqueue(1, 0, 3, 1000)
	require.Equal(t, sluice.MakeClassSet(3), out.Paused())
	require.Empty(t, k.take(), "and no frame is sent")
	require.True(t, out.Snapshot().Down)
	require.Zero(t, out.LinkDown(k.now), "a second time changes nothing")
}

// TestLinkUp: frames from before LinkUp count no more, and the port sends its state again (package
// sluice).
func TestLinkUp(t *testing.T) {
	for _, mode := range []Mode{PriorityPause, ClassicPause} {
		k := newBench(t, twoClasses(mode, 999, g100, g100))
		k.enqueue(1, 0, 3, 1000)
		require.Len(t, k.take(), 1)
		k.s.Port(0).LinkDown(k.now)
		k.at(5000)
		k.poll(k.s.Port(0).LinkUp(k.now))
		frames := k.take()
		require.Len(t, frames, 1)
		require.Equal(t, "pause", frames[0].Kind())
		require.Equal(t, sluice.Time(5000+333*5120), k.s.Deadline())
		k.poll(k.s.Port(0).LinkUp(k.now)) // the device at the other end started anew
		require.Len(t, k.take(), 1)
		k.drain(1)
		require.Len(t, k.take(), 1)
		require.Zero(t, k.s.Port(0).LinkUp(k.now), "nothing is paused, no frame is sent")
		require.NoError(t, k.s.Quiescent())
	}
}

// TestLinkUpEndsHolds: the peer that held the class has forgotten it.
func TestLinkUpEndsHolds(t *testing.T) {
	k := newBench(t, twoClasses(PriorityPause, 0, g100, g100))
	k.receive(0, pauseOf(100, 3, 4))
	require.Equal(
		t,
		sluice.WakePort(0)|sluice.WakeDeadline,
		k.s.Port(0).LinkUp(k.now),
		"packets or not",
	)
	require.True(t, k.s.Port(0).Sendable(3))
	require.Equal(t, sluice.Never, k.s.Deadline())
}

// restart is a card that sends packets of class 3 into port 0 of a switch as fast as it may, over
// 100 m at 100 Gb/s. The way on from the switch is paused all the time, so that the card is paused
// too. Time passes in packets of 1,518 bytes.
type restart struct {
	*bench
	card     *Port
	packets  []sluice.Time // arrivals at the switch
	frames   []timedFrame  // arrivals at the card
	wireFree sluice.Time
}

const packetTime = 1518 * 80 * sluice.Picosecond

func newRestart(t *testing.T) *restart {
	link := sluice.Link{Rate: g100, Delay: Cable(100)}
	port := PortConfig{Link: link, Profile: Profile{XOff: 30_000, XOn: 20_000}}
	port.Headroom = port.HeadroomFor(1518, 0).Total
	r := &restart{
		bench: newBench(
			t,
			Config{Ports: []PortConfig{port, port}, Buffer: sluice.MiB, Classes: sluice.MakeClassSet(3)},
		),
	}
	r.busy = true
	r.newCard(link)
	return r
}

// newCard is a card that started anew: with packets to send, and without a memory of pauses.
func (r *restart) newCard(link sluice.Link) {
	s, err := New(HostConfig(link))
	require.NoError(r.t, err)
	r.card = s.Port(0)
	r.card.Enqueue(r.now, &sluice.Packet{Size: 1518, Class: 3, Ingress: sluice.Local})
}

func (r *restart) run(until sluice.Time) {
	var f Frame
	for ; r.now < until; r.now += packetTime {
		r.at(r.now)
		r.card.owner.Expire(r.now)
		for len(r.frames) > 0 && r.frames[0].at <= r.now {
			r.card.Receive(r.now, &r.frames[0].Frame)
			r.frames = r.frames[1:]
		}
		if _, ok := r.card.Next(r.now); ok {
			r.packets = append(r.packets, r.now+packetTime+Cable(100))
		}
		for len(r.packets) > 0 && r.packets[0] <= r.now {
			r.packets = r.packets[1:]
			r.enqueue(1, 0, 3, 1518)
		}
		if r.wireFree <= r.now && r.s.Port(0).PollFrame(r.now, &f) {
			r.wireFree = r.now + g100.TimeOf(WireLength)
			r.frames = append(r.frames, timedFrame{r.wireFree + Cable(100), f})
		}
	}
}

// TestUpstreamRestartsWhilePaused: with LinkUp at both ends, nothing is lost. With none, the loss
// is bounded by the time to the next refresh, and counted.
func TestUpstreamRestartsWhilePaused(t *testing.T) {
	const ms = sluice.Millisecond
	link := sluice.Link{Rate: g100, Delay: Cable(100)}
	r := newRestart(t)
	r.run(ms)
	require.Equal(t, uint64(1), r.s.Port(0).Counters().Class[3].XOffs)
	require.Zero(t, r.s.Port(0).Counters().Class[3].HeadroomDrops)
	r.newCard(link)
	r.poll(r.s.Port(0).LinkUp(r.now))
	r.run(2 * ms)
	require.Zero(t, r.s.Port(0).Counters().Class[3].HeadroomDrops, "both ends see the flap")

	r = newRestart(t)
	r.run(ms)
	r.newCard(link)
	r.run(2 * ms)
	refresh := g100.TimeOfQuanta(DefaultPause) / 3
	lost := r.s.Port(0).Counters().Class[3].HeadroomDrops
	require.NotZero(t, lost, "the switch does not see the flap")
	require.LessOrEqual(t, lost, uint64(refresh/packetTime)+uint64(2*Cable(100)/packetTime)+2)
	require.Equal(t, lost, r.s.Counters().Dropped[sluice.HeadroomExhausted])
}
