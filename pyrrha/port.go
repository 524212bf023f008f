package pyrrha

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hiq"
	"github.com/sluicefc/sluice/internal/bitset"
)

// Port is a port of a switch, with the hooks of the contract.
//
// Its queues: 0 is the OQ, 1 to IQs the isolation queues, and after them one for each class that is not under Pyrrha, in
// ascending order of class. Those of classes above the highest under Pyrrha are served first, the highest first;
// then the OQ and the moves towards it; then the rest, the highest first.
type Port struct {
	owner *Switch
	id    sluice.PortID
	role  Role
	held  bool

	iq     hiq.Port
	roots  int    // that have an IQ here
	era    uint64 // counts the changes of that set
	others classQueues

	// K_pause and K_resume in bytes by ingress, and the least and the most of them.
	pause, resume          []sluice.Bytes
	pauseLeast, resumeMost sluice.Bytes

	// As egress: what was heard about the roots that have an IQ here.
	heard    []heard
	paused   bitset.Set // roots that are paused, while pauses expire
	floor    uint32     // latest sequence number of a root that was given up
	hasFloor bool

	// As ingress: what its upstream is to be told, by root.
	sequence uint32
	listed   bitset.Set // roots in whose tree the upstream is
	merging  bitset.Set // MERGE, from this root
	changed  bitset.Set // PAUSE or RESUME
	leaving  bitset.Set // DEALLOC: not to the upstream but to the parent at this port
	answer   sluice.Hop // DEALLOC of a root that the parent named and that has no IQ here
	answers  bool
}

// heard is the last frame about a root.
type heard struct {
	at       sluice.Time
	sequence uint32
	valid    bool // no LinkUp since
}

func (p *Port) init(s *Switch, id sluice.PortID, c *Config) error {
	numbers := c.Roots + len(c.Ports)
	queues, err := hiq.New(hiq.Config{
		Rate: c.Ports[id].Link.Rate, Levels: c.Levels, IQs: c.IQs, Roots: numbers, MTU: c.MTU,
		Scheduler: c.Scheduler, Speedup: c.Speedup, SingleTier: c.Organisation == SingleTier,
	})
	if err != nil {
		if e, ok := err.(*sluice.ConfigError); ok {
			e.Package = "pyrrha"
		}
		return err
	}
	*p = Port{
		owner: s, id: id, role: c.Ports[id].Role, iq: *queues,
		pause: make([]sluice.Bytes, len(c.Ports)), resume: make([]sluice.Bytes, len(c.Ports)),
		pauseLeast: math.MaxInt64,
		heard:      make([]heard, numbers),
		paused:     bitset.New(numbers), listed: bitset.New(numbers),
		merging: bitset.New(numbers), changed: bitset.New(numbers), leaving: bitset.New(numbers),
	}
	p.others.init(c.Classes, p.iq.Queues())
	for i := range c.Ports {
		p.pause[i] = threshold(c.Pause, c.Ports[id].Link, c.Ports[i].Link)
		// A queue that ran empty always resumes: on a link without delay both thresholds are 0.
		p.resume[i] = max(threshold(c.Resume, c.Ports[id].Link, c.Ports[i].Link), 1)
		p.pauseLeast = min(p.pauseLeast, p.pause[i])
		p.resumeMost = max(p.resumeMost, p.resume[i])
	}
	return nil
}

// Enqueue takes a packet that was routed to this port. It answers the queue to append it to, or a drop: BadIngress, BadClass,
// BadSize, BadPath if its path is not empty and does not begin here, BufferFull. A packet with an empty path
// matches no root. It writes Packet.Note. Linear in the length of the path, constant in everything else; constant if no
// root is known here.
func (p *Port) Enqueue(now sluice.Time, pkt *sluice.Packet) sluice.Verdict {
	s := p.owner
	if reason := p.fault(pkt); reason != sluice.NoReason {
		s.counts.Dropped[reason]++
		return sluice.DropBecause(reason)
	}
	size := sluice.Bytes(pkt.Size)
	if s.limit > 0 && s.buffered+size > s.limit {
		s.counts.Dropped[sluice.BufferFull]++
		return sluice.DropBecause(sluice.BufferFull)
	}
	s.begin(now)
	s.buffered += size
	s.counts.Enqueued++
	var q sluice.QueueID
	if !s.classes.Has(pkt.Class) {
		q = p.others.put(pkt.Class, size)
	} else {
		q = p.place(pkt, size)
	}
	v := sluice.AppendTo(q)
	if s.wake != 0 {
		v = v.WithWake(s.finish())
	}
	return v
}

// fault returns what is wrong with a packet.
func (p *Port) fault(pkt *sluice.Packet) sluice.Reason {
	switch {
	case int(pkt.Ingress) >= len(p.owner.ports) && pkt.Ingress != sluice.Local:
		return sluice.BadIngress
	case pkt.Class >= sluice.Classes:
		return sluice.BadClass
	case pkt.Size <= 0:
		return sluice.BadSize
	}
	if hops := pkt.Path.Hops(); len(hops) > 0 && (hops[0].Port != p.id || hops[0].Switch != p.owner.id) {
		return sluice.BadPath
	}
	return sluice.NoReason
}

// Next returns the queue whose head goes next: to the wire, or on to another queue, which Dequeue says. False if
// none may go now. Linear in the levels.
func (p *Port) Next(now sluice.Time) (sluice.QueueID, bool) {
	s := p.owner
	s.now = max(s.now, now)
	if p.others.ready != 0 {
		if q, ok := p.others.above(); ok {
			return q, true
		}
	}
	if !p.held {
		if q, ok := p.iq.Next(s.now); ok {
			return q, true
		}
	}
	return p.others.below()
}

// Dequeue takes the head of queue q. The head of the OQ or of a class queue is transmitted; the head of an IQ moves to the IQ
// of the next root on its path, or to the OQ, and Packet.Note is written. A packet that cannot have been there is dropped as BadQueue
// and changes nothing.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, pkt *sluice.Packet) sluice.Verdict {
	s := p.owner
	size := sluice.Bytes(pkt.Size)
	if q != hiq.Output && int(q) < p.iq.Queues() {
		return p.move(now, q, pkt, size)
	}
	if q == hiq.Output {
		if !p.iq.TakeOutput(size) {
			return s.misuse()
		}
		s.begin(now)
		p.leftOutput(size)
	} else {
		if !p.others.take(q, size) {
			return s.misuse()
		}
		s.begin(now)
	}
	s.buffered -= size
	s.counts.Transmitted++
	v := sluice.TransmitMarked(pkt.ECN)
	if s.wake != 0 {
		v = v.WithWake(s.finish())
	}
	return v
}

// Hold stops and starts the queues under Pyrrha as a whole, as a flow control beneath wants that pauses this port
// (section IV-E). While held, nothing is sent and nothing moves.
func (p *Port) Hold(now sluice.Time, on bool) sluice.Wake {
	s := p.owner
	s.begin(now)
	if p.held && !on {
		p.held = false
		s.wake = s.wake.Merge(sluice.WakePort(p.id))
		p.planMove()
	}
	p.held = on
	return s.finish()
}

// Blocked returns a paused root on a path, whose first hop is this port, and whether there is one. A host that
// pulls packets from flows asks before it takes a packet, instead of having it wait in an IQ: "To pause and resume at a
// per-flow granularity, end-hosts could leverage a pull-based transmission model" (section IV-D). When it may try again, a Wake
// names the port.
func (p *Port) Blocked(path *sluice.Path) (sluice.Hop, bool) {
	if p.roots == 0 {
		return sluice.Hop{}, false
	}
	for i, hop := range path.Hops() {
		if i == 0 {
			continue
		}
		if r := p.owner.table.find(hop.Key()); r >= 0 && p.iq.State(r) == hiq.Paused {
			return hop, true
		}
	}
	return sluice.Hop{}, false
}

// IncastBacklog is the paper's estimate of what piles up at this port when so many ingress ports send to it at once: "the victim
// egress port will accumulate K_pause + m x per-hop BDPs of data" (section IV-D). The largest threshold and ingress links are taken.
// It is no bound: "Pyrrha cannot guarantee lossless in all scenarios". What upstreams have in their OQs when PAUSE arrives
// comes as well.
func (p *Port) IncastBacklog(senders int) sluice.Bytes {
	pause := sluice.Bytes(0)
	for _, k := range p.pause {
		pause = max(pause, k)
	}
	return pause + sluice.Bytes(max(senders, 0))*p.owner.hopBDP
}

// Backlog returns the bytes held in a queue; 0 for a queue that does not exist.
func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes {
	if int(q) < p.iq.Queues() {
		return p.iq.Backlog(q)
	}
	return p.others.backlog(q)
}

// Sendable reports whether nothing holds a queue: its head goes as soon as the scheduler comes to it. An IQ whose level
// moved its share is not sendable until the instant that Deadline says.
func (p *Port) Sendable(q sluice.QueueID) bool {
	if int(q) < p.iq.Queues() {
		return !p.held && p.iq.Sendable(q)
	}
	return p.others.exists(q)
}

// planMove starts the timer of moves if only time keeps a packet from moving.
func (p *Port) planMove() {
	if p.held {
		return
	}
	if due := p.iq.Due(p.owner.now); due != sluice.Never {
		p.owner.start(moveTimer, p.id, due)
	}
}

// misuse answers a Dequeue that names a packet which is not there.
func (s *Switch) misuse() sluice.Verdict {
	s.counts.Misuse++
	s.counts.Dropped[sluice.BadQueue]++
	return sluice.DropBecause(sluice.BadQueue)
}

// row returns the index in upstreams of root r and an ingress; what is no port of ours counts as Local.
func (s *Switch) row(r int, ingress sluice.PortID) int {
	return r*(len(s.ports)+1) + min(int(ingress), len(s.ports))
}
