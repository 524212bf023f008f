package pyrrha

import (
	"testing"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/wire"
	"github.com/stretchr/testify/require"
)

// LinkDown voids the frames from and to the peer: nothing is held for its roots, the upstream
// leaves every tree, and until the link is up no frame is polled and none obeyed.
func TestLinkDown(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	root := at(20, 1)
	l.pause(0, root, 1)
	q := l.enqueueMany(31, 0, 1, root)
	require.Equal(t, []string{"port 1: pause 20:1 hop 2"}, l.sent())

	l.act(l.s.Port(0).LinkDown(l.now))
	require.True(t, l.woken[0])
	require.True(t, l.s.Port(0).Sendable(q), "what waits can be emptied")
	l.pause(0, root, 1)
	require.EqualValues(t, 1, l.s.Port(0).Counters().Stale)
	require.Equal(t, hiq.SoftMerging, l.state(0, root))
	for range 31 {
		require.True(t, l.transmit(0), "no move waits for the line")
	}
	require.Equal(t, []string{"port 1: resume 20:1"}, l.sent(), "the other links go on")

	l.act(l.s.Port(1).LinkDown(l.now))
	l.enqueueMany(40, 0, 1)
	require.Empty(t, l.sent(), "the link has no peer to pause")
	l.act(l.s.Port(1).LinkUp(l.now))
	l.enqueue(0, 1)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())
	l.act(l.s.Port(0).LinkUp(l.now))
	l.now = l.s.Port(0).peer.Past.Until + 1
	l.serve(0, 41)
	l.deliver(0, Frame{Type: Pause, Root: root, Hop: 1, Sequence: 0})
	require.Equal(t, hiq.Paused, l.state(0, root), "the peer started anew and counts from 0")
	l.enqueueMany(10, 0, 1, root)
	l.deliver(0, Frame{Type: Resume, Root: root, Sequence: 1})
	moved := 0
	for l.transmit(0) {
		moved++
	}
	require.Equal(t, 2, moved, "an MTU and a packet: moves wait for the line again")
}

// A root that had resumed is of the link as well: its IQ waits for no upstream, and the parent that
// is gone gets no DEALLOC.
func TestResumedRootsEndWithTheLink(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down)})
	root := at(20, 1)
	l.pause(0, root, 1)
	l.enqueueMany(31, 0, 1, root)
	l.resume(0, root)
	l.serve(0, 31)
	require.Equal(t, []string{"port 1: pause 20:1 hop 2", "port 1: resume 20:1"}, l.sent())
	l.act(l.s.Port(0).LinkDown(l.now))
	require.Equal(t, hiq.Unassigned, l.state(0, root))
	require.Empty(t, l.sent())
	l.dealloc(1, root)
	require.NoError(t, l.s.Quiescent())
}

// A pause that was on the link when it failed, and comes in when it is up again, is not obeyed, or
// it would hold for ever. A frame of the peer's new life is obeyed, however soon it comes.
func TestFramesFromBeforeTheFailure(t *testing.T) {
	l, peer := newLab(t, Config{Ports: ports(Down, Down)}), newLab(t, Config{Ports: ports(Down, Down)})
	l.pause(0, at(20, 1), 1)
	l.resume(0, at(20, 1))
	require.Equal(t, []string{"port 0: dealloc 20:1"}, l.sent())
	l.act(l.s.Port(0).LinkDown(l.now))
	l.pause(0, at(20, 1), 1)
	l.now += sluice.Microsecond
	l.act(l.s.Port(0).LinkUp(l.now))
	l.now += labLink.Delay
	l.pause(0, at(20, 1), 1)
	require.Equal(t, hiq.Unassigned, l.state(0, at(20, 1)))
	require.EqualValues(t, 2, l.s.Port(0).Counters().Stale)

	var f Frame
	peer.s.Port(1).LinkDown(0)
	peer.s.Port(1).LinkUp(0)
	pkt := sluice.Packet{Size: 1000, Ingress: 1}
	for range 31 {
		peer.s.Port(0).Enqueue(0, &pkt)
	}
	require.True(t, peer.s.Port(1).PollFrame(0, &f))
	f.Root = at(20, 1)
	l.deliver(0, f)
	require.Equal(t, hiq.Paused, l.state(0, at(20, 1)), "%d", f.Sequence)

	// After as long as a frame can be under way, any number is believed: the peer may have started
	// anew.
	l.act(l.s.Port(0).LinkUp(l.now))
	l.now = l.s.Port(0).peer.Past.Until + 1
	l.pause(0, at(20, 2), 1)
	require.Equal(t, hiq.Paused, l.state(0, at(20, 2)))

	// That moves with the origin of time.
	l.act(l.s.Port(0).LinkUp(l.now))
	l.s.Rebase(l.now)
	l.now = 2 * labLink.Delay
	l.pause(0, at(20, 3), 1)
	require.Equal(t, hiq.Paused, l.state(0, at(20, 3)))
}

// Only a number within half the window of the last one, on either side, counts as under way.
func TestNumbersFromBeforeTheFailure(t *testing.T) {
	const last, most = 1000, wire.Reordering / 2
	for sequence, obeyed := range map[uint32]bool{
		last + most - 1: false, last + most: true,
		1<<32 + last - most: false, 1<<32 + last - most - 1: true,
		last: false, last + wire.Reordering: true,
	} {
		l := newLab(t, Config{Ports: ports(Down, Down)})
		l.deliver(0, Frame{Type: Resume, Root: at(20, 1), Sequence: last})
		l.act(l.s.Port(0).LinkUp(l.now))
		l.act(l.s.Port(0).LinkUp(l.now)) // again: of the first life nothing is forgotten
		l.deliver(0, Frame{Type: Pause, Root: at(20, 1), Hop: 1, Sequence: sequence})
		require.Equal(t, obeyed, l.state(0, at(20, 1)) == hiq.Paused, "%d", sequence)
	}
}

// An upstream that started anew while it was paused, with LinkUp at both ends, loses no packet. Its
// next packet that comes too early pauses it again.
func TestUpstreamThatRestarts(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Host, Down)})
	l.enqueueMany(31, 0, 1)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())
	l.act(l.s.Port(1).LinkUp(l.now))
	require.Empty(t, l.sent())
	l.enqueue(0, 1)
	require.Equal(t, []string{"port 1: pause 10:0 hop 1"}, l.sent())
}

// A host that is congested says so again to a switch that started anew: no packet would make it.
func TestCongestedHostSaysSoAgain(t *testing.T) {
	l := newLab(t, Config{Ports: ports(NIC)})
	l.act(l.s.Port(0).Congested(0, true))
	require.Equal(t, []string{"port 0: pause 10:0 hop 1"}, l.sent())
	l.act(l.s.Port(0).LinkDown(l.now))
	require.Empty(t, l.sent())
	l.act(l.s.Port(0).LinkUp(l.now))
	require.Equal(t, []string{"port 0: pause 10:0 hop 1"}, l.sent())
}

// Int64 picoseconds last for 106 days. A switch that moves its origin every half hour passes that
// with pauses, refreshes and moves under way, and answers as a twin that was started later.
func TestRebaseCrossesTheLimitOfTime(t *testing.T) {
	const far = chassis.Latest - 20*sluice.Microsecond
	config := Config{Ports: ports(Host, Down), Refresh: 10 * sluice.Microsecond, MTU: 1000}
	l, twin := newLab(t, config), newLab(t, config)
	root, beyond := at(20, 1), at(30, 1)
	l.now = far
	twin.now = 0 // its clock began later
	for step := range 200 {
		for _, one := range []*lab{l, twin} {
			switch step % 10 {
			case 0:
				one.enqueueMany(33, 0, 1)
			case 1:
				one.pause(0, root, 1)
				one.pause(0, beyond, 2)
			case 2:
				one.enqueueMany(4, 0, 1, root, beyond)
			case 4:
				one.resume(0, root)
			case 5, 6:
				for one.transmit(0) {
				}
			case 7:
				one.act(one.s.Expire(one.now))
			case 8:
				one.resume(0, beyond)
			}
			one.now += sluice.Time(step%7) * 100 * sluice.Nanosecond
		}
		if step == 12 { // a pause, its refresh and its expiry are under way
			require.NotEqual(t, sluice.Never, l.s.Deadline())
			l.s.Rebase(far)
			l.now -= far
		}
		require.Equal(t, twin.sent(), l.sent(), "step %d", step)
		require.Equal(t, twin.s.Snapshot().Roots, l.s.Snapshot().Roots, "step %d", step)
		if step >= 12 {
			require.Equal(t, twin.now, l.now)
			require.Equal(t, twin.s.Deadline(), l.s.Deadline(), "step %d", step)
		}
	}
	require.Less(t, sluice.Time(0), l.now)
}

// A now of Never is misuse: it is counted, and the hook uses the latest time before.
func TestNeverIsMisuse(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Down, Down), Refresh: 10 * sluice.Microsecond})
	p := l.s.Port(0)
	l.now = sluice.Microsecond
	l.pause(0, at(20, 1), 1)
	deadline := l.s.Deadline()
	var f Frame
	pkt := sluice.Packet{Size: 1000, Ingress: 1}
	for i, hook := range []func(){
		func() { p.Enqueue(sluice.Never, &pkt) },
		func() { p.PollFrame(sluice.Never, &f) },
		func() { p.Next(sluice.Never) },
		func() { p.Dequeue(sluice.Never, 0, &pkt) },
		func() { p.Receive(sluice.Never, &Frame{Type: Dealloc}) },
		func() { _, _ = p.ReceiveWire(sluice.Never, nil) },
		func() { l.s.Expire(sluice.Never) },
		func() { p.Hold(sluice.Never, false) },
		func() { l.s.Port(1).LinkDown(sluice.Never) },
		func() { l.s.Port(1).LinkUp(sluice.Never) },
	} {
		hook()
		require.EqualValues(t, i+1, l.s.Counters().Misuse)
		require.Equal(t, deadline, l.s.Deadline())
	}
	require.EqualValues(t, 1, p.Counters().Malformed)
	p.Dequeue(sluice.Never, 0, &pkt)
	require.EqualValues(t, 12, l.s.Counters().Misuse, "nothing is there, besides")
	p.Enqueue(sluice.Never, &sluice.Packet{Size: -1})
	require.EqualValues(t, 13, l.s.Counters().Misuse)
}

// A port's description in a line, and in a value.
func TestPortDescribesItself(t *testing.T) {
	l := newLab(t, Config{Ports: ports(Up, Down), UpPorts: UpAlways})
	l.pause(0, at(20, 1), 1)
	l.enqueueMany(31, 0, 1)
	l.enqueue(0, 1, at(20, 1))
	p := l.s.Port(0)
	require.Equal(
		t, PortSnapshot{Port: 0, Role: Up, OQ: 31_000, Isolated: 1, IQs: 1, Claims: 1}, p.Snapshot(),
	)
	p.Hold(0, true)
	p.LinkDown(0)
	require.True(t, p.Snapshot().Held)
	require.True(t, p.Snapshot().Down)
	require.Len(t, l.s.Snapshot().Ports, 2)
	require.Equal(t, sluice.PortID(0), p.ID())
	require.Equal(t, 7, l.s.Config().Ports[0].Levels)
}
