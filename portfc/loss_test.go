package portfc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
)

// pair is a switch and a node of NDC(4,1) with a link between them, and frames that travel in an
// instant unless the test loses them.
type pair struct {
	*testing.T
	network    NDC
	sw, node   *Switch
	down, up   *Port // of the link: at the switch, at the node
	egress     *Port // of the switch, which gets congested
	now        sluice.Time
	lose       func(*Frame) bool
	packets    []sluice.Packet
	queue      sluice.QueueID
	lost, sent int
}

func newPair(t *testing.T, refresh sluice.Time) *pair {
	network := NDC{4, 1}
	p := &pair{T: t, network: network, lose: func(*Frame) bool { return false }}
	for device, s := range map[sluice.SwitchID]**Switch{19: &p.sw, 15: &p.node} {
		c := smallConfig(network, device)
		c.Refresh = refresh
		*s = mustNew(t, c)
	}
	p.down, p.up, p.egress = p.sw.Port(3), p.node.Port(0), p.sw.Port(0)
	return p
}

// fill puts packets for node 12 into the DDQ of the egress port.
func (p *pair) fill(n int) {
	for range n {
		path, _ := sluice.MakePath(sluice.Hop{Switch: 19, Port: 0})
		packet := sluice.Packet{Size: 1000, Ingress: 3, Path: path}
		p.queue = p.egress.Enqueue(p.now, &packet).Queue()
		p.packets = append(p.packets, packet)
	}
	p.deliver()
}

func (p *pair) drain() {
	for i := range p.packets {
		p.egress.Dequeue(p.now, p.queue, &p.packets[i])
	}
	p.packets = nil
	p.deliver()
}

func (p *pair) deliver() {
	var f Frame
	for p.down.PollFrame(p.now, &f) {
		p.sent++
		if p.lose(&f) {
			p.lost++
			continue
		}
		p.up.Receive(p.now, &f)
	}
}

// run lets time pass, with every timer.
func (p *pair) run(span sluice.Time) {
	end := p.now + span
	for {
		next := min(p.sw.Deadline(), p.node.Deadline())
		if next > end {
			p.now = end
			return
		}
		p.now = max(p.now, next)
		p.sw.Expire(p.now)
		p.node.Expire(p.now)
		p.deliver()
		require.NoError(p, p.sw.Audit())
		require.NoError(p, p.node.Audit())
	}
}

// twoHop is the node's queue b for that egress port.
const twoHop = 3

// The paper repeats nothing: a Resume that is lost hangs its queue for ever. With Refresh the node
// obeys a pause without a repetition no longer than Expiry.
func TestLostResume(t *testing.T) {
	for _, refresh := range []sluice.Time{0, 20 * sluice.Microsecond} {
		p := newPair(t, refresh)
		p.fill(6)
		require.False(t, p.up.Sendable(twoHop))
		p.lose = func(f *Frame) bool { return f.Type == Resume }
		p.drain()
		require.Equal(t, 1, p.lost)
		p.run(60 * sluice.Microsecond)
		require.False(t, p.up.Sendable(twoHop), "nothing has expired yet")
		p.run(sluice.Second)
		require.Equal(t, refresh > 0, p.up.Sendable(twoHop))
		require.Equal(t, refresh > 0, p.node.Counters().Expired == 1)
		if refresh > 0 {
			require.Equal(t, sluice.Never, min(p.sw.Deadline(), p.node.Deadline()), "nothing is left to do")
		}
	}
}

// A lost Pause is repeated within Refresh, and then for as long as the pause holds.
func TestLostPause(t *testing.T) {
	p := newPair(t, 20*sluice.Microsecond)
	p.lose = func(f *Frame) bool { return p.lost == 0 }
	p.fill(6)
	require.True(t, p.up.Sendable(twoHop))
	p.run(20 * sluice.Microsecond)
	require.False(t, p.up.Sendable(twoHop))
	p.run(sluice.Millisecond)
	require.False(t, p.up.Sendable(twoHop))
	require.InDelta(t, 51, p.down.Counters().Refreshed, 1)
	p.drain()
	require.True(t, p.up.Sendable(twoHop))
	p.run(sluice.Second)
	require.NoError(t, p.node.Quiescent())
	require.Zero(t, p.node.Counters().Expired)
}

// A node that starts anew, and its switches, call LinkUp: no pause is left behind on either side,
// and a pause that holds is announced again.
func TestRestart(t *testing.T) {
	p := newPair(t, 0)
	p.fill(6)
	require.Equal(t, 1, p.node.Port(1).out.differs.Len(), "the node relays it")
	p.node = mustNew(t, smallConfig(p.network, 15))
	p.up = p.node.Port(0)
	p.down.LinkUp(p.now)
	p.up.LinkUp(p.now)
	require.True(t, p.up.Sendable(twoHop))
	p.deliver()
	require.False(t, p.up.Sendable(twoHop), "paused again")
	p.drain()
	require.NoError(t, p.node.Quiescent())

	// The switch starts anew while it pauses the node, which had told its other switch.
	p.fill(6)
	var f Frame
	for p.node.Port(1).PollFrame(p.now, &f) {
	}
	require.Equal(t, Pause, f.Type)
	p.sw = mustNew(t, smallConfig(p.network, 19))
	wake := p.up.LinkUp(p.now)
	require.True(t, p.up.Sendable(twoHop))
	require.True(
		t, wake.Has(sluice.WakeSeveral), "the port that is released, and the one that tells: %v", wake,
	)
	require.True(t, p.node.Port(1).PollFrame(p.now, &f))
	require.Equal(t, Resume, f.Type, "the node announces it to its other switch")
}

// At a switch, LinkDown releases what the node behind the link held.
func TestLinkDownReleases(t *testing.T) {
	s := mustNew(t, smallConfig(NDC{4, 1}, 19))
	p := s.Port(3)
	p.Receive(0, &Frame{Type: Pause, Sequence: 1, Queue: 3, Port: 1, Layer: 1})
	p.Receive(0, &Frame{Type: Pause, Sequence: 2, Queue: 6, Port: 1, Layer: 1})
	for q := range sluice.QueueID(3) {
		require.False(t, p.Sendable(q), "the relay queue holds all IHFQs")
	}
	require.True(t, p.Sendable(3), "and never the DDQ")
	require.Equal(t, sluice.WakePort(3), p.LinkDown(0))
	for q := range sluice.QueueID(4) {
		require.True(t, p.Sendable(q))
	}
	require.NoError(t, s.Quiescent())
}

// At the last time that a clock shows no timer ends; what was said then is repeated, and expires,
// once the origin of time has moved.
func TestTimersAtTheEndOfTime(t *testing.T) {
	const last = chassis.Latest
	p := newPair(t, 20*sluice.Microsecond)
	p.now = last
	p.fill(6)
	require.False(t, p.up.Sendable(twoHop))
	require.Equal(t, sluice.Never, min(p.sw.Deadline(), p.node.Deadline()))
	p.sw.Rebase(last)
	p.node.Rebase(last)
	p.now = 0
	require.Equal(t, 20*sluice.Microsecond, p.sw.Deadline())
	p.run(70 * sluice.Microsecond)
	require.EqualValues(t, 3, p.down.Counters().Refreshed)
	p.lose = func(*Frame) bool { return true }
	p.run(sluice.Millisecond)
	require.True(t, p.up.Sendable(twoHop), "no frame repeats it")
	require.EqualValues(t, 1, p.node.Counters().Expired)
}

// A timer runs while the peer is to pause: it starts with the first pause, goes on with the second,
// and stops while the link is down. LinkUp, which announces pauses again, starts it again. A port
// that owes a frame already is not woken again.
func TestRefreshTimer(t *testing.T) {
	const ddq, ihfq = 0, 1
	network := NDC{2, 1}
	for _, refresh := range []sluice.Time{1, 20 * sluice.Microsecond} {
		c := smallConfig(network, 4)
		c.Refresh = refresh
		s := mustNew(t, c)
		congest := func(now sluice.Time, route int) sluice.Wake {
			p := sluice.Packet{Size: 6000, Ingress: 1, Path: anyPath(network, 4, 0, route)}
			return s.Port(0).Enqueue(now, &p).Wake()
		}
		teller := s.Port(1)
		require.Zero(t, teller.LinkDown(0))
		require.Zero(t, teller.LinkUp(0))
		require.Equal(t, sluice.Never, s.Deadline(), "nothing to repeat")
		require.Equal(t, sluice.WakePort(1)|sluice.WakeDeadline, congest(0, ddq))
		require.Equal(t, refresh, s.Deadline())
		require.Equal(t, sluice.WakeDeadline, teller.LinkDown(1))
		require.Equal(t, sluice.Never, s.Deadline())
		require.Equal(t, sluice.WakePort(1)|sluice.WakeDeadline, teller.LinkUp(2))
		require.Equal(t, 2+refresh, s.Deadline())
		require.Zero(t, congest(3, ihfq))
		require.Equal(t, 2+refresh, s.Deadline(), "as it was")
		for i := range sluice.Time(2) {
			require.Equal(t, sluice.WakeDeadline, s.Expire(2+(i+1)*refresh))
		}
		s = mustNew(t, c)
		s.Port(1).LinkDown(0)
		require.Zero(t, congest(0, ddq), "neither a frame nor a timer of a link that is down")
		require.Equal(t, sluice.Never, s.Deadline())
	}
}

// Each pause is obeyed for Expiry after it was last heard: one timer ends them one after the other.
// A Resume starts none, and LinkDown stops it.
func TestExpiryTimer(t *testing.T) {
	const expiry = 80 * sluice.Microsecond
	config := func(network NDC, device sluice.SwitchID) Config {
		c := smallConfig(network, device)
		c.HopClasses, c.Expiry = true, expiry
		return c
	}
	s := mustNew(t, config(NDC{4, 1}, 15))
	p := s.Port(0)
	require.Zero(t, p.Receive(0, &Frame{Type: Resume, Sequence: 1}))
	require.Equal(t, sluice.Never, s.Deadline())
	p.Receive(0, &Frame{Type: Pause, Sequence: 2})
	p.LinkDown(1)
	require.Equal(t, sluice.Never, s.Deadline())
	p.LinkUp(2)
	for i := range sluice.Time(2) {
		p.Receive(2+i, &Frame{Type: Pause, Sequence: uint32(i), Port: sluice.PortID(i)})
		require.Equal(t, 2+expiry, s.Deadline())
	}
	for i := range sluice.Time(2) {
		require.Equal(t, sluice.WakePort(0)|sluice.WakeDeadline, s.Expire(2+i+expiry))
		require.True(t, p.Sendable(sluice.QueueID(i)))
	}
	require.Equal(t, sluice.Never, s.Deadline())

	// What two other switches of a node say about one queue expires by itself.
	s = mustNew(t, config(NDC{2, 2}, 8))
	p = s.Port(0)
	for i := range sluice.Time(2) {
		p.Receive(i, &Frame{
			Type: Pause, Sequence: uint32(i), Queue: NDC{2, 2}.DDQ(), Port: 1, Layer: uint8(1 + i),
		})
	}
	for i := range sluice.Time(2) {
		require.False(t, p.Sendable(1))
		s.Expire(i + expiry)
		require.EqualValues(t, i+1, s.Counters().Expired)
	}
	require.True(t, p.Sendable(1))
}
