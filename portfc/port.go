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
	next      beyond // at a switch: the node's others, by layer; at a node: its peer, as layer 0
	id        sluice.PortID
	strict    uint8 // what goes before ring: see the bits
	over      uint8 // detectors that pause, a bit each
	ownPort   int32 // the port of the node's switch that leads to the node; -1 at a switch
	peer      sluice.SwitchID
	stamp     uint32 // what the notes of all its packets say: id, above the queue
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

// beyond is the switches behind a node, by layer.
type beyond struct {
	ids   [MaxK + 1]sluice.SwitchID
	own   [MaxK + 1]sluice.PortID // the switch's port that leads to the node
	ports [MaxK + 1]sluice.PortID // 0: there is no such switch
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
	p.owner, p.id, p.stamp, p.ownPort = s, id, uint32(id)<<16, -1
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
	next := func(layer int, id sluice.SwitchID, own int) {
		p.next.ids[layer], p.next.own[layer] = id, sluice.PortID(own)
		p.next.ports[layer] = sluice.PortID(t.N)
	}
	if s.node {
		next(0, p.peer, int(p.ownPort))
	} else {
		for layer := range t.Layers() {
			if layer != int(s.layer) {
				next(layer, t.SwitchOf(p.peer, layer), t.Digit(p.peer, layer))
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
	p.owner.clock.Advance(now)
	q, size := p.place(packet), packet.Size
	s, slots := p.owner, p.ring.Slots()
	if !packet.Sized() || packet.Ingress+1 > s.ingresses || uint(q) >= uint(len(slots)) {
		return p.refuse(packet)
	}
	room := s.room - size
	if room < s.least {
		if room < 0 {
			return p.refuse(packet)
		}
		s.least = room
	}
	s.room = room
	p.enqueued++
	to := &slots[q].Of
	if to.packets == 0 {
		if to.strict|to.holds == 0 {
			p.ring.Join(q)
		} else { // nothing holds a strict queue
			p.strict |= to.strict
		}
	}
	to.packets++
	to.bytes += size
	packet.Note = p.note(q, size)
	d := &p.detectors[to.class%detectors]
	held := d.bytes + size
	d.bytes = held
	if held >= d.alert {
		p.rise(to.class)
		return s.woken.Answer(sluice.AppendToQueue(sluice.QueueID(q)))
	}
	return sluice.AppendToQueue(sluice.QueueID(q))
}

// refuse drops a packet that is at fault, or finds no room.
func (p *Port) refuse(packet *sluice.Packet) sluice.Verdict {
	reason := p.fault(packet)
	if reason == sluice.BadPath && packet.Path.Len() == 0 {
		p.counters.Incomplete++
	}
	return p.drop(reason)
}

// Next returns the queue whose head goes next; false when none may go: HQ, then at a node the relay
// queue, then the others in turn by deficit round robin. Asked twice without an input in between it
// answers the same. Constant time while no packet is larger than Config.Quantum.
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	switch {
	case p.strict != 0:
		return p.nextStrict(), true
	case p.ring.Crowded():
		return sluice.QueueID(p.ring.NextOfCrowd()), true
	}
	if q, ok := p.ring.Alone(); ok {
		return sluice.QueueID(q), true
	}
	return 0, false
}

func (p *Port) nextStrict() sluice.QueueID {
	if p.strict&highBit != 0 {
		return sluice.QueueID(p.owner.queues - 1)
	}
	return sluice.QueueID(p.owner.queues - 2)
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
		charge := min(int64(size), s.mostCharge)
		if stay == 0 {
			slot.ChargeLast(charge)
			p.ring.Leave(int(q))
		} else {
			slot.Charge(charge)
		}
	} else if stay == 0 {
		p.strict &^= from.strict
	}
	d := &p.detectors[from.class%detectors]
	held := d.bytes - size
	d.bytes = held
	if held <= d.low || int64(left) > s.markAbove {
		return p.dequeueAside(packet, from.class, left)
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
