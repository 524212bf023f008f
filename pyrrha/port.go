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
	valid    bool // no Reset since
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
	if s.classes>>pkt.Class&1 == 0 {
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
	case pkt.Path.Len() > 0 && pkt.Path.At(0) != (sluice.Hop{Switch: p.owner.id, Port: p.id}):
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

// place finds the queue of a packet that is new here and accounts it there.
func (p *Port) place(pkt *sluice.Packet, size sluice.Bytes) sluice.QueueID {
	if p.roots > 0 {
		if p.owner.single {
			if q, ok := p.placeInSet(pkt, size); ok {
				return q
			}
		} else if r, next := p.match(&pkt.Path, 0); r >= 0 {
			return p.putIQ(r, next, pkt, size)
		}
	}
	return p.putOutput(pkt.Ingress, size)
}

func (p *Port) putOutput(ingress sluice.PortID, size sluice.Bytes) sluice.QueueID {
	p.iq.PutOutput(size)
	p.enteredOutput(ingress, size)
	return hiq.Output
}

func (p *Port) putIQ(r, next int, pkt *sluice.Packet, size sluice.Bytes) sluice.QueueID {
	pkt.Note = note(r, next, p.era)
	q := p.iq.Put(r, size)
	p.enteredIQ(r, pkt.Ingress, size)
	if p.iq.Waits() {
		p.planMove()
	}
	return q
}

// match searches a path for the root whose IQ comes next after a place in the order, and for the one after it. The
// order is from near to far: the nearest root of which this port has an IQ, that is, wherever all know the same
// distances (section IV-C). -1 if there is none.
func (p *Port) match(path *sluice.Path, after uint32) (r, next int) {
	const none = math.MaxUint32
	first, second := uint32(none), uint32(none)
	r, next = noRoot, noRoot
	hops := path.Hops()
	for i := 1; i < len(hops); i++ {
		k := p.owner.table.find(hops[i].Key())
		if k < 0 {
			continue
		}
		switch order := p.iq.Order(k); {
		case order <= after || order == first:
		case order < first:
			second, next = first, r
			first, r = order, k
		case order < second:
			second, next = order, k
		}
	}
	return r, next
}

// A packet's note in an IQ: the root it waits for, the root it will wait for next, and the era in which that was found
// out. While the era lasts the path need not be searched again.
const (
	noRoot       = -1
	noteBits     = 13
	noteMask     = 1<<noteBits - 1
	noteEraShift = 2 * noteBits
)

func note(r, next int, era uint64) uint64 {
	return uint64(r) | uint64(next&noteMask)<<noteBits | era<<noteEraShift
}

// beyond returns the roots that a packet visits after root r, of which the IQ is at a place in the order.
func (p *Port) beyond(pkt *sluice.Packet, order uint32) (r, next int) {
	if p.roots == 0 {
		return noRoot, noRoot
	}
	if pkt.Note>>noteEraShift == p.era&(1<<(64-noteEraShift)-1) && pkt.Note>>noteBits&noteMask == noteMask {
		return noRoot, noRoot
	}
	return p.match(&pkt.Path, order)
}

// placeInSet is place for the single tier.
func (p *Port) placeInSet(pkt *sluice.Packet, size sluice.Bytes) (sluice.QueueID, bool) {
	var set [hiq.MaxLevels]uint16
	n := 0
	hops := pkt.Path.Hops()
	for i := 1; i < len(hops); i++ {
		if r := p.owner.table.find(hops[i].Key()); r >= 0 && p.iq.Order(r) != 0 && !contains(set[:n], uint16(r)) {
			set[n] = uint16(r)
			n++
		}
	}
	if n == 0 {
		return hiq.Output, false
	}
	q, where := p.iq.PutSet(set[:n], size)
	pkt.Note = uint64(where)
	for _, r := range p.iq.RootsOf(where) {
		p.enteredIQ(int(r), pkt.Ingress, size)
	}
	if p.iq.Waits() {
		p.planMove()
	}
	return q, true
}

func contains(set []uint16, r uint16) bool {
	for _, member := range set {
		if member == r {
			return true
		}
	}
	return false
}

// move takes the head of an IQ to the next one or to the OQ.
func (p *Port) move(now sluice.Time, q sluice.QueueID, pkt *sluice.Packet, size sluice.Bytes) sluice.Verdict {
	s := p.owner
	if s.single {
		return p.moveFromSet(now, q, pkt, size)
	}
	r := int(pkt.Note & noteMask)
	if r >= len(s.roots) || s.upstreams[s.row(r, pkt.Ingress)].bytes < size {
		return s.misuse()
	}
	order := p.iq.Order(r)
	if !p.iq.Take(max(now, s.now), q, r, size) {
		return s.misuse()
	}
	s.begin(now)
	p.leftIQ(r, pkt.Ingress, size)
	var to sluice.QueueID
	if next, afterNext := p.beyond(pkt, order); next >= 0 {
		to = p.putIQ(next, afterNext, pkt, size)
	} else {
		to = p.putOutput(pkt.Ingress, size)
	}
	if p.iq.Bytes(r) == 0 || s.left {
		s.left = false
		p.prune(r)
	}
	if p.iq.Waits() {
		p.planMove()
	}
	return p.moved(to)
}

func (p *Port) moveFromSet(now sluice.Time, q sluice.QueueID, pkt *sluice.Packet, size sluice.Bytes) sluice.Verdict {
	s := p.owner
	if pkt.Note>>32 != 0 {
		return s.misuse()
	}
	where := hiq.Place(pkt.Note)
	var set [hiq.MaxLevels]uint16
	n := copy(set[:], p.iq.RootsOf(where))
	for _, r := range set[:n] {
		if int(r) >= len(s.roots) || s.upstreams[s.row(int(r), pkt.Ingress)].bytes < size {
			return s.misuse()
		}
	}
	spilled := p.iq.Spilled()
	if !p.iq.TakeSet(max(now, s.now), q, where, size) {
		return s.misuse()
	}
	s.begin(now)
	for _, r := range set[:n] {
		p.leftIQ(int(r), pkt.Ingress, size)
	}
	to := p.putOutput(pkt.Ingress, size)
	for _, r := range set[:n] {
		p.prune(int(r))
	}
	if spilled && !p.iq.Spilled() {
		p.giveUpAll()
	}
	if p.iq.Waits() {
		p.planMove()
	}
	return p.moved(to)
}

func (p *Port) moved(to sluice.QueueID) sluice.Verdict {
	p.owner.counts.Moved++
	v := sluice.AppendTo(to)
	if p.owner.wake != 0 {
		v = v.WithWake(p.owner.finish())
	}
	return v
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
