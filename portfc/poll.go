package portfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
)

// outbox is what a port has to tell its peer.
type outbox struct {
	differs bitset.Set // items whose state differs from the last announcement to the peer
	repeats bitset.Set // pauses to repeat
	paused  int32      // items for which the peer is to pause
	cursor  int32      // where the search for the next item begins
	sent    uint32     // sequence number of the last frame
}

// Owes reports whether PollFrame has a frame. O(1).
func (p *Port) Owes() bool {
	return !p.down && (!p.out.differs.Empty() || !p.out.repeats.Empty())
}

// setPending notes that what the peer is to know of an item changed to paused, or to not. The port
// is woken if it has a frame to send now and had none before.
func (p *Port) setPending(item int, paused bool) {
	o, had := &p.out, p.Owes()
	o.repeats.Remove(item)
	o.differs.Put(item, !o.differs.Has(item))
	if paused {
		o.paused++
		p.planRefresh()
	} else {
		o.paused--
	}
	if !had && p.Owes() {
		p.owner.woken.Port(p.id)
	}
}

// PollFrame fills f with the next frame that this port owes its peer; false when it owes none, and
// f is as it was. A frame says what holds at the moment it is polled: a pause that was undone
// before makes none. Constant time.
func (p *Port) PollFrame(_ sluice.Time, f *Frame) bool {
	if !p.Owes() {
		return false
	}
	o := &p.out
	item := o.differs.NextCyclic(int(o.cursor))
	if item < 0 {
		item = o.repeats.NextCyclic(int(o.cursor))
		p.counters.Refreshed++
	}
	o.differs.Remove(item)
	o.repeats.Remove(item)
	o.cursor = int32(item + 1)
	o.sent++
	p.counters.FramesSent++
	p.fill(f, item)
	return true
}

// fill makes f the frame of an item.
func (p *Port) fill(f *Frame, item int) {
	s := p.owner
	from, class, e := s.about(item)
	f.Type, f.Source, f.Sequence = Resume, s.config.MAC, p.out.sent
	f.Layer, f.Port = uint8(s.layer), sluice.PortID(e)
	if s.node {
		f.Layer = uint8(from)
	}
	f.Queue = s.network.firstOf(class)
	if s.wanted(p, item) {
		f.Type = Pause
		p.counters.PausesSent++
	} else {
		p.counters.ResumesSent++
	}
	if s.node && class != relayClass {
		p.counters.Relayed++
	}
}

// firstOf returns the first queue of a class, by which frames name it.
func (t NDC) firstOf(class uint8) sluice.QueueID {
	if class == relayClass {
		return t.RelayQueue()
	}
	return sluice.QueueID((t.K - int(class)) * (t.N - 1))
}

// WaitsFor reports whether queue q, which is held, waits for a packet to leave the peer's device,
// where it waits in queue in. A node's queue waits for the queues of its class at the egress port
// that its packets take, with packets of any sender: detection is at the egress. A switch's queue
// waits for the node's relay queue if that queue has a threshold; else see [Port.WaitsBehind].
// Constant time.
func (p *Port) WaitsFor(
	q sluice.QueueID, packet *sluice.Packet, in sluice.QueueID, _ bool,
) bool {
	if int(q) >= p.owner.queues || packet.Path.Len() == 0 {
		return false
	}
	t, to := p.owner.network, packet.Path.At(0).Port
	if !p.owner.node {
		return in == t.RelayQueue() && to < relayHold && p.queue(int(q)).holds>>(relayHold+to)&1 != 0
	}
	class := p.queue(int(q)).class
	if class == relayClass || class == highClass || in > t.DDQ() {
		return false
	}
	e := expand(int32(q)-int32(t.firstOf(class)), p.ownPort)
	return int32(to) == e && uint8(t.K-int(in)/(t.N-1)) == class
}

// WaitsBehind reports whether queue q, which is held, waits for what the peer's queue behind of its
// port by waits for: whether a node has passed on to this switch that it is to hold that queue
// (Algorithm 3). The node's may be empty. Constant time.
func (p *Port) WaitsBehind(q sluice.QueueID, by sluice.PortID, behind sluice.QueueID) bool {
	t := p.owner.network
	return !p.owner.node && q < t.DDQ() && by < relayHold && p.queue(int(q)).holds>>by&1 != 0 &&
		int(behind) == int(q)+t.N-1
}
