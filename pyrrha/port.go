package pyrrha

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/wire"
)

// Port is a port of a switch, with the hooks of the contract.
//
// Its queues: 0 is the OQ, 1 to IQs the isolation queues, and after them one for each class that
// is not under Pyrrha, in ascending order of class. Classes above the highest under Pyrrha
// are served first, the highest first; then the OQ and the moves towards it; then the
// rest, the highest first.
//
// A packet that meets no root touches the first 120 bytes of a Port, two cache lines, and the line
// of the class queues. A packet that is isolated touches besides: the line of the filter; for each
// hop that passes it a line of the table; and for each IQ that it visits a line of the upstreams of
// its root and the lines that package hiq names.
type Port struct {
	owner      *Switch
	id         sluice.PortID
	role       Role
	held       bool         // by a flow control beneath
	detour     bool         // far is not empty
	watched    bool         // more than the OQ changes with a packet that leaves it: see watch
	claims     int32        // upstreams that this port has paused as a root
	isolated   int32        // roots that have an IQ here
	owed       int32        // frames to send
	era        uint32       // counts the roots that got an IQ here
	watchAbove sluice.Bytes // the OQ's length above which a packet that enters it may nominate
	pauseLeast sluice.Bytes // the least K_pause of all ingress ports
	resumeMost sluice.Bytes // the most K_resume of all ingress ports
	enqueued   uint64
	moved      uint64
	sent       uint64
	iq         hiq.Port
	filter     filter
	others     classQueues
	counts     PortCounters // apart from the counters above

	// K_pause and K_resume in bytes, by ingress.
	pause, resume []sluice.Bytes

	// As egress: the state received from downstream.
	levels  uint8
	roots   bitset.Set // that have an IQ here
	far     bitset.Set // of them, roots that this switch knows nearer elsewhere: see free.go
	heard   []heard    // by root, of roots that have an IQ here
	paused  bitset.Set // roots that are paused, while pauses expire
	floor   wire.Mark  // the newest about roots that were given up
	leaving bitset.Set // DEALLOC is owed

	peer wire.Peer

	// As ingress: the frames that the upstream is owed, by root.
	listed    bitset.Set // roots in whose tree the upstream is
	merging   bitset.Set // MERGE is owed, from this root into its upstream's into
	changed   bitset.Set // PAUSE or RESUME is owed: the last frame has another state
	repeating bitset.Set // PAUSE or RESUME is owed again
	congested bool       // the host behind this port, of role NIC
}

type heard struct {
	at   sluice.Time
	mark wire.Mark
}

func (p *Port) init(s *Switch, id sluice.PortID, c *Config) error {
	numbers := len(s.roots)
	queues, err := hiq.New(hiq.Config{
		Rate: c.Ports[id].Link.Rate, Levels: c.Ports[id].Levels, IQs: c.IQs, Roots: numbers, MTU: c.MTU,
		Scheduler: c.Scheduler, Speedup: c.Speedup,
		SingleTier: c.Organisation == SingleTier, Unordered: c.Unordered,
	})
	if err != nil {
		if e, ok := err.(*sluice.ConfigError); ok {
			e.Package = "pyrrha"
		}
		return err
	}
	*p = Port{
		owner: s, id: id, role: c.Ports[id].Role, iq: *queues, levels: uint8(c.Ports[id].Levels),
		pauseLeast: math.MaxInt64, heard: make([]heard, numbers), roots: bitset.New(numbers),
		far: bitset.New(numbers), paused: bitset.New(numbers),
		leaving: bitset.New(numbers), listed: bitset.New(numbers), merging: bitset.New(numbers),
		changed: bitset.New(numbers), repeating: bitset.New(numbers), peer: wire.NewPeer(),
	}
	p.others.init(s.classes, p.iq.Queues())
	p.setThresholds(c)
	p.watchAbove = p.pauseLeast
	if p.role == Up {
		p.watchAbove = -1 // every packet is accounted
	}
	p.watch()
	return nil
}

// setThresholds works out K_pause and K_resume. They depend on the links of the two ports: with an
// earlier port of a link like its own it shares them.
func (p *Port) setThresholds(c *Config) {
	s, id := p.owner, p.id
	for i := range s.ports[:id] {
		if q := &s.ports[i]; c.Ports[i].Link == c.Ports[id].Link {
			p.pause, p.resume, p.pauseLeast, p.resumeMost = q.pause, q.resume, q.pauseLeast, q.resumeMost
			return
		}
	}
	p.pause, p.resume = make([]sluice.Bytes, len(c.Ports)), make([]sluice.Bytes, len(c.Ports))
	for i := range c.Ports {
		p.pause[i] = threshold(c.Pause, c.Ports[id].Link, c.Ports[i].Link)
		// A queue that ran empty always resumes: on a link without delay both thresholds are 0.
		p.resume[i] = max(threshold(c.Resume, c.Ports[id].Link, c.Ports[i].Link), 1)
		p.pauseLeast = min(p.pauseLeast, p.pause[i])
		p.resumeMost = max(p.resumeMost, p.resume[i])
	}
}

// ID returns the port's number.
func (p *Port) ID() sluice.PortID { return p.id }

// Enqueue takes a packet that was routed to this port. It answers the queue to append it to, or a
// drop: BadIngress, BadClass, BadSize, BadPath if its path is not empty and does not begin here,
// BufferFull. A packet with an empty path matches no root, and is counted as Incomplete if its
// class is under Pyrrha. It writes Packet.Note. Linear in the length of the path, constant in
// everything else; constant if no root is known here.
func (p *Port) Enqueue(now sluice.Time, pkt *sluice.Packet) sluice.Verdict {
	s := p.owner
	class := pkt.Class
	if !s.comesBy(pkt.Ingress) || class >= sluice.Classes || !s.direct.Has(class%sluice.Classes) ||
		!pkt.Sized() || pkt.Path.Len() == 0 ||
		pkt.Path.At(0) != (sluice.Hop{Switch: s.id, Port: p.id}) {
		return p.enqueueOther(now, pkt)
	}
	s.clock.Advance(now)
	size := pkt.Size
	if s.buffered+size > s.limit {
		return p.refuse(pkt)
	}
	s.buffered += size
	p.enqueued++
	if p.isolated > 0 {
		if hops := p.mayMeet(&pkt.Path); hops != 0 {
			return p.placeBeyond(0, pkt, hops)
		}
	}
	p.iq.PutOutput(size)
	if _, parked := p.iq.Ready(); parked != 0 || p.iq.OutputBacklog() > p.watchAbove {
		return p.enteredOutput(pkt)
	}
	return sluice.AppendToQueue(hiq.Output)
}

// Next returns the queue whose head goes next: to the wire, or on to another queue, which Dequeue
// says. False if none may go now. Linear in the levels.
func (p *Port) Next(now sluice.Time) (sluice.QueueID, bool) {
	s := p.owner
	s.clock.Advance(now)
	if p.others.ready != 0 || p.held {
		return p.nextOther()
	}
	if !p.iq.MayMove() {
		return hiq.Output, p.iq.OutputBacklog() > 0
	}
	if p.peer.Down {
		return p.nextOther()
	}
	return p.iq.Next(s.clock.Now())
}

// Dequeue takes the head of queue q. The head of the OQ or of a class queue is transmitted; the
// head of an IQ moves to the IQ of the next root on its path, or to the OQ, and Packet.Note is
// written. A packet that cannot have been there is dropped as BadQueue and changes nothing.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, pkt *sluice.Packet) sluice.Verdict {
	s := p.owner
	if q != hiq.Output || s.single {
		return p.move(now, q, pkt)
	}
	size := pkt.Size
	if !p.iq.LeaveOutput(size) {
		return p.misuse(now)
	}
	s.clock.Advance(now)
	s.buffered -= size
	p.sent++
	if p.watched || p.iq.Waits() {
		return p.sentOutput(pkt)
	}
	return sluice.TransmitMarked(pkt.ECN)
}

// Hold stops and starts the queues under Pyrrha as a whole, as a flow control beneath wants that
// pauses this port (section IV-E). While held, nothing is sent and nothing moves.
func (p *Port) Hold(now sluice.Time, on bool) sluice.Wake {
	s := p.owner
	s.clock.Advance(now)
	released := p.held && !on
	p.held = on
	if released {
		s.woken.Port(p.id)
		p.planMove()
	}
	return s.finish()
}

// Backlog returns the bytes held in a queue; 0 for a queue that does not exist.
func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes {
	if int(q) < p.iq.Queues() {
		return p.iq.Backlog(q)
	}
	return p.others.backlog(q)
}

// Sendable reports whether nothing holds a queue: its head goes as soon as the scheduler comes to
// it. An IQ whose level moved its share is not sendable until the instant that Deadline says.
func (p *Port) Sendable(q sluice.QueueID) bool {
	if int(q) < p.iq.Queues() {
		return !p.held && p.iq.Sendable(q)
	}
	return p.others.exists(q)
}

// PausedByPeer reports whether the device downstream stops a queue: an IQ by a PAUSE of a root of
// it, the OQ by a pause of the port that Hold reported. An IQ that has no root, or whose level
// moved its share, is not Sendable either, but not paused.
func (p *Port) PausedByPeer(q sluice.QueueID) bool {
	return q == hiq.Output && p.held || p.iq.Paused(q)
}
