package bfc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/prng"
)

// Port is a port of a Switch, with its hooks. As an egress it has queues and a flow table. As an
// ingress it pauses the queues of the device upstream.
//
// A packet touches, at Enqueue and Dequeue together, besides the Switch: three cache lines of the
// Port; a line that says which queues may be served; a line for its queue, and one for the queue's
// turn; a line for its ingress; one or two for its flow, and one more to find the flow with
// Config.Ideal. To count it against its upstream queue takes one more, and a line of counters.
type Port struct {
	// Every packet touches these three cache lines.
	owner   *Switch
	queues  []queue // data queues, then the first-packet queue, then the control queue
	entries []entry // the flow table
	active  int32   // data queues that take part in ring: N_active
	data    uint16  // number of data queues
	strict  uint8   // queues served before or instead of ring: see the bits
	ideal   bool    // Config.Ideal

	table    []entry // entries where vfid says which is a flow's, else nil: lookup does
	from     []origin
	seed     uint64
	enqueued uint64

	ring drr.Ring // data queues

	exact  *exact // Config.Ideal: owners of queues
	id     sluice.PortID
	paused []uint64    // data queues that downstream pauses, a bit each
	free   bitset.Set  // data queues that may be assigned
	freed  *freedStack // LastFreed, else nil
	named  []uint32    // AssignForgotten, else nil: by data queue, the entries whose queue it is

	told     sluice.Time // when downstream last sent its pauses
	expiry   sluice.Time // how long that holds; 0: for ever
	expiring bool        // its timer runs

	upstream upstream
	counters PortCounters
	_        [32]byte // whole cache lines
}

type queue struct {
	bytes   sluice.Bytes
	packets int64
}

// origin is an egress port's copy of the state of the ingress that a packet came by.
type origin struct {
	share    sluice.Bytes // F x HRTT x rate: the pause threshold if one queue is active
	sticky   sluice.Time
	counters []uint32 // the ingress's pause counters
	beyond   int32    // the first number that is no queue of the upstream device
	withheld bool     // Config.Withhold lists the pair
	_        [16]byte // a cache line
}

// place returns where Port.from has an ingress: Local first, as the number after the last wraps.
func place(ingress sluice.PortID) int { return int(ingress + 1) }

// Bits of Port.strict: the lower goes before the higher.
const (
	controlBit = 1 << iota // the control queue has packets
	firstBit               // the first-packet queue has packets
	lowestBit              // always set with LowestFirst
)

// init makes the egress side of a port. The upstream part of every port of the switch must be
// there, for packets may come from any of them.
func (p *Port) init(s *Switch, id sluice.PortID) {
	c := &s.config
	p.owner, p.id, p.data = s, id, uint16(c.Queues)
	p.queues = make([]queue, s.queues)
	quantum, _ := c.charges()
	p.ring = drr.New(drr.Uniform(c.Queues, quantum))
	p.free = bitset.New(c.Queues)
	p.paused = make([]uint64, (c.Queues+63)/64)
	for q := range c.Queues {
		p.free.Add(q)
	}
	if c.Assignment == LastFreed {
		p.freed = newFreedStack(c.Queues)
	}
	if c.Scheduler == LowestFirst {
		p.strict = lowestBit
	}
	p.initTable(c)
	p.initOrigins(c)
	p.expiry = c.expiry(id)
	if c.IdleBitmaps < 0 && s.bitmaps {
		s.timers.Put(int(id), c.Period)
	}
}

func (p *Port) initOrigins(c *Config) {
	own := c.Ports[p.id]
	p.from = make([]origin, len(c.Ports)+1)
	for i, from := range c.Ports {
		p.from[place(sluice.PortID(i))] = origin{
			share:    c.share(own.Link.Rate, from.HRTT),
			sticky:   c.stickyTime(from.HRTT),
			counters: p.owner.ports[i].upstream.counters,
			beyond:   int32(from.UpstreamQueues) + strictQueues,
		}
	}
	p.from[place(sluice.Local)] = origin{
		share:  math.MaxInt64,
		sticky: c.stickyTime(own.HRTT),
		beyond: math.MaxInt32,
	}
	for _, pair := range c.Withhold {
		if pair.Egress == p.id {
			p.from[place(pair.Ingress)].withheld = true
		}
	}
}

func (p *Port) initTable(c *Config) {
	p.seed = prng.Mix(c.Seed)
	if c.Ideal {
		p.exact, p.ideal = newExact(c, p.seed), true
		p.entries = make([]entry, p.exact.known+sharedEntries)
		return
	}
	p.entries = make([]entry, c.VFIDs)
	if c.Index == SpreadHash {
		p.table = p.entries
	}
	if c.AssignForgotten {
		p.named = make([]uint32, c.Queues)
	}
}

// ID returns the number of the port.
func (p *Port) ID() sluice.PortID { return p.id }

// Next returns the queue whose head goes next; false when none may go. Asked twice without an input
// in between it answers the same. Constant time while no packet is larger than Config.Quantum.
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	if p.strict != 0 {
		return p.nextStrict()
	}
	if q, ok := p.ring.Stays(); ok {
		return sluice.QueueID(q), true
	}
	q := p.ring.Pass()
	return sluice.QueueID(max(q, 0)), q >= 0
}

// Backlog returns the bytes held in queue q; 0 for a queue that does not exist.
func (p *Port) Backlog(q sluice.QueueID) sluice.Bytes {
	if int(q) >= len(p.queues) {
		return 0
	}
	return p.queues[q].bytes
}

// Sendable reports whether downstream does not pause queue q. The control queue and the
// first-packet queue always are sendable; a queue that does not exist is not.
func (p *Port) Sendable(q sluice.QueueID) bool {
	if uint16(q) >= p.data {
		return int(q) < len(p.queues)
	}
	return !p.isPaused(int(q))
}

// Active returns N_active: how many data queues have packets and are not paused.
func (p *Port) Active() int { return int(p.active) }

// Holding reports whether upstream queue q of the device at the other end is held paused by this
// port; false for a queue that it does not have.
func (p *Port) Holding(q sluice.QueueID) bool {
	up := &p.upstream
	return int(q) < len(up.counters) && up.held.Has(int(q))
}

// Counter returns the pause counter of upstream queue q: how many packets that came from it and
// were counted are held; 0 for a queue that the device upstream does not have.
func (p *Port) Counter(q sluice.QueueID) int {
	if int(q) >= len(p.upstream.counters) {
		return 0
	}
	return int(p.upstream.counters[q])
}
