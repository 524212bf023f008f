package portfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/wire"
)

// Port is a port of a Switch, with its hooks: an egress with queues and detectors, and the end of a
// link over which it tells its peer what to pause.
type Port struct {
	// What every packet touches: three cache lines.
	ring      drr.Sparse[queue] // all queues; first the queues that are served in turn
	owner     *Switch
	enqueued  uint64
	next      [MaxK + 1]beyond // at a switch: the node's others, by layer; at a node: its peer
	id        sluice.PortID
	strict    uint8 // what goes before ring: see the bits
	over      uint8 // detectors that pause, a bit each
	ownPort   int32 // the port of the node's switch that leads to the node; -1 at a switch
	peer      sluice.SwitchID
	detectors [detectors]detector

	limits   [classes]limits
	peaks    [classes]sluice.Bytes // the most that the bytes of each detector ever were
	out      outbox
	heard    wire.Window
	heardAt  []sluice.Time // by layer and queue: when a pause was heard; empty without Config.Expiry
	down     bool
	counters PortCounters
	_        [16]byte // up to the end of a cache line: see TestCacheLines
}

type queue struct {
	bytes   sluice.Bytes
	packets int32
	class   uint8 // its detector
	holds   uint8 // why it is held, a bit each: see apply
	strict  uint8 // its bit of Port.strict; 0: the queue is served in turn
}

// beyond is a switch behind a node.
type beyond struct {
	id    sluice.SwitchID
	own   sluice.PortID // its port that leads to the node
	ports sluice.PortID // 0: there is no such switch
}

// Classes of queues, and of the detectors that watch them: 0 to k by the relays left, then the
// relay queue and HQ. Class 0 is the DDQ of a switch and queue b of a node.
const (
	relayClass = MaxK + 1
	highClass  = MaxK + 2
	classes    = MaxK + 3
)

// Bits of Port.strict: the lower goes before the higher.
const (
	highBit  = 1 << iota // HQ has packets
	relayBit             // the relay queue has packets and goes first
)

func (p *Port) init(s *Switch, id sluice.PortID) {
	c, t := &s.config, s.network
	p.owner, p.id, p.ownPort = s, id, -1
	far, _ := t.Peer(p.self())
	p.peer = far.Switch
	inTurn := int(t.DDQ() + 1)
	if s.node {
		p.ownPort = int32(far.Port)
		inTurn = int(t.RelayQueue() + 1)
	}
	p.initNext()
	p.ring = drr.NewSparse[queue](drr.Uniform(s.queues, int64(c.Quantum)))
	if s.node && !c.RelayInTurn {
		inTurn--
	}
	for q := range s.queues {
		queue := p.queue(q)
		queue.class = p.classOf(q)
		if q >= inTurn {
			queue.strict = relayBit >> (queue.class - relayClass)
		}
	}
	p.initDetectors()
	p.out = outbox{differs: bitset.New(s.items()), repeats: bitset.New(s.items())}
	if c.Expiry > 0 {
		p.heardAt = make([]sluice.Time, t.Layers()*s.queues)
	}
}

// initNext sets the switches by whose ports packets are sorted.
func (p *Port) initNext() {
	s, t := p.owner, p.owner.network
	ports := sluice.PortID(t.N)
	if s.node {
		p.next[0] = beyond{p.peer, sluice.PortID(p.ownPort), ports}
	} else {
		for layer := range t.Layers() {
			if layer != int(s.layer) {
				id := t.SwitchOf(p.peer, layer)
				p.next[layer] = beyond{id, sluice.PortID(t.Digit(p.peer, layer)), ports}
			}
		}
	}
}

func (p *Port) self() sluice.Hop { return sluice.Hop{Switch: p.owner.id, Port: p.id} }

func (p *Port) queue(q int) *queue { return &p.ring.Slots()[q].Of }

// ID returns the number of the port.
func (p *Port) ID() sluice.PortID { return p.id }

// Enqueue decides on a packet routed to this egress port: the queue it is to be appended to, or why
// it is dropped. It writes packet.Note. Unless the packet takes the HQ, Packet.Path must be the
// rest of a route through the network, this port first, and its Ingress another port, or
// sluice.Local at the node it comes from. The wake names the ports that have a frame to send, for
// the packet made a detector pause. Constant time, O(ports) if it did.
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	s.clock.Advance(now)
	q, size := p.place(packet), packet.Size
	room, slots := s.room-size, p.ring.Slots()
	if uint(q) >= uint(len(slots)) || !packet.Sized() || room < s.least ||
		packet.Ingress+1 > s.ingresses {
		return p.enqueueAside(now, packet)
	}
	s.room = room
	p.enqueued++
	to := &slots[q].Of
	if to.packets == 0 {
		if to.strict != 0 {
			p.strict |= to.strict
		} else if to.holds == 0 {
			p.ring.Join(q)
		}
	}
	to.packets++
	to.bytes += size
	packet.Note = p.note(q, packet.Size)
	class := to.class % detectors
	d := &p.detectors[class]
	held := d.bytes + size
	d.bytes = held
	if held >= d.alert {
		p.rise(class)
		return s.woken.Answer(sluice.AppendToQueue(sluice.QueueID(q)))
	}
	return sluice.AppendToQueue(sluice.QueueID(q))
}

// enqueueAside is Enqueue of a packet that is dropped, or leaves less room than there ever was.
func (p *Port) enqueueAside(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	if fault := p.fault(packet); fault != sluice.NoReason {
		if fault == sluice.BadPath && packet.Path.Len() == 0 {
			p.counters.Incomplete++
		}
		return p.drop(fault)
	}
	p.owner.least = p.owner.room - packet.Size
	return p.Enqueue(now, packet)
}

// Next returns the queue whose head goes next; false when none may go: HQ, then at a node the relay
// queue, then the others in turn by deficit round robin. Asked twice without an input in between it
// answers the same. Constant time while no packet is larger than Config.Quantum.
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	if p.strict != 0 {
		if p.strict&highBit != 0 {
			return sluice.QueueID(p.owner.queues - 1), true
		}
		return sluice.QueueID(p.owner.queues - 2), true
	}
	if q := p.ring.Next(); q >= 0 {
		return sluice.QueueID(q), true
	}
	return 0, false
}

// Dequeue accounts that the head of q was taken, which is packet, with the Note that Enqueue wrote.
// It answers Transmit, with CE if Config.Marking marks the packet. For a packet that cannot be
// there it answers Drop with sluice.BadQueue, counts it as misuse and changes nothing. The wake
// names the ports that have a frame to send, for a detector resumes. Constant time, O(ports) if one
// does.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	s.clock.Advance(now)
	slots := p.ring.Slots()
	if int(q) >= len(slots) || packet.Size <= 0 || packet.Note != p.note(int(q), packet.Size) {
		return p.misuse()
	}
	slot, size := &slots[q], packet.Size
	from := &slot.Of
	left, stay := from.bytes-size, from.packets-1
	if !fits(left, stay) {
		return p.misuse()
	}
	s.room += size
	from.bytes, from.packets = left, stay
	if from.strict == 0 {
		slot.Charge(min(int64(size), s.mostCharge))
		if stay == 0 {
			slot.Forfeit()
			p.ring.Leave(int(q))
		}
	} else if stay == 0 {
		p.strict &^= from.strict
	}
	class := from.class % detectors
	d := &p.detectors[class]
	held := d.bytes - size
	d.bytes = held
	if held <= d.low || int64(left) > s.markAbove {
		return p.dequeueAside(packet, class, left)
	}
	return sluice.TransmitMarked(packet.ECN)
}

// dequeueAside ends the Dequeue of a packet that may be marked, because of the bytes that it leaves
// in its queue, or that takes the detector of its class down to X_on.
func (p *Port) dequeueAside(packet *sluice.Packet, class uint8, left sluice.Bytes) sluice.Verdict {
	v := sluice.TransmitMarked(packet.ECN)
	if class != highClass {
		v = p.mark(packet.ECN, left)
	}
	if d := &p.detectors[class]; d.bytes <= d.low {
		p.cross(class, false)
	}
	return p.owner.woken.Answer(v)
}

// Backlog returns the bytes held in queue q; 0 for a queue that does not exist.
func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes {
	if int(q) >= p.owner.queues {
		return 0
	}
	return p.queue(int(q)).bytes
}

// Sendable reports whether no frame holds queue q; false for a queue that does not exist.
func (p *Port) Sendable(q sluice.QueueID) bool {
	return int(q) < p.owner.queues && p.queue(int(q)).holds == 0
}

func (p *Port) mark(ecn sluice.ECN, left sluice.Bytes) sluice.Verdict {
	s := p.owner
	marked := s.red.Mark(ecn, int64(left), &s.random)
	if marked != ecn {
		p.counters.Marked++
	}
	return sluice.TransmitMarked(marked)
}
