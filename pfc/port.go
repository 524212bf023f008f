package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/marking"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/pfc/trigger"
)

// Port is a port of a Switch: an egress with a queue for each class, and the ingress of the same
// number. A packet touches the first cache line of the port and the line of its queue.
type Port struct {
	owner *Switch
	state *state
	// Where arrivals are accounted: Switch.accounts, or none if each needs a look, as a queue is
	// discarded or classes change.
	accounts []account

	id      sluice.PortID
	backlog sluice.ClassSet // queues that are not empty
	blocked sluice.ClassSet // queues that may not send: held, unless the watchdog overrules it
	open    sluice.ClassSet // queues that are not blocked, if nothing else decides: see setOpen
	discard sluice.ClassSet // queues that the watchdog empties
	paused  sluice.ClassSet // classes whose upstream is to be paused
	pending sluice.ClassSet // classes the next frame must speak of
	plain   bool            // a packet that leaves is just sent: no deficit, no discarding
	down    bool            // the link failed
	aside   bool            // arrivals need a look: discarded, in other classes, or held to rules
	_       [7]byte

	queues [sluice.Classes]queue
}

type queue struct {
	bytes       int64
	peak        int64
	busyAbove   int64 // departures that leave more are marked, scheduled or discarded
	lossy       int64 // of bytes: what no ingress accounts and is not local
	enqueued    uint64
	transmitted uint64
	bytesIn     uint64 // sizes of packets enqueued
	bytesOut    uint64 // and transmitted
}

// state is the rest of a port: what few packets touch.
type state struct {
	*record
	retag  []sluice.Class               // by ingress, Local the last, then class; nil: none changes
	rules  *rules                       // nil: no port of the switch has any
	groups []sluice.ClassSet            // nil: strict priority, queue 7 first
	marks  *[sluice.Classes]marking.RED // ports that mark alike share them
	rate   sluice.Rate
	mode   Mode
	mac    sluice.MAC
	strict bool // frames received must be to the bit

	// Pauses of the peer.
	sends        sluice.ClassSet // classes it can be sent pauses of
	maySend      sluice.ClassSet // sends of the configuration
	muted        sluice.ClassSet // classes that the watchdog takes out of them
	told         sluice.ClassSet // classes paused by the last frame
	pause        sluice.Quanta
	refreshEvery sluice.Time
	refreshAt    sluice.Time

	// What the peer says.
	obeys     sluice.ClassSet // classes that it can pause
	held      sluice.ClassSet // classes whose pause timer runs
	bypass    sluice.ClassSet // classes whose pause timer does not hold them, on the watchdog's word
	storming  sluice.ClassSet // classes in a pause storm
	guard     PortWatchdog
	expiresAt [sluice.Classes]sluice.Time

	maps         mapped
	slow         sluice.ClassSet // queues that may not send yet: paced by GFC, or shaped
	ring         drr.Octet
	turns        [sluice.Classes]uint8 // of ring, by group
	lossyLimit   threshold
	lossyReserve int64
	random       prng.Source
}

// record is what is zero until something rarer than packets happens at a port. A switch has the
// records of its ports side by side, without pointers, and New touches none of them: so what
// never happens takes no page of memory, and the garbage collector no time.
type record struct {
	counters    tally
	pausedSince [sluice.Classes]sluice.Time
	heldSince   [sluice.Classes]sluice.Time
	ready       [sluice.Classes]sluice.Time // when queues of slow may send
	pacer       trigger.Pacer
	watch       [sluice.Classes]watch
	excess      [sluice.Classes]int64 // of headroom over a limit newly taken over: invariant 3
	// Packets of each queue, for changes of what is lossless: see regime.go.
	gone       [sluice.Classes]uint64 // dropped by Dequeue
	restored   [sluice.Classes]uint64 // that Restore found in the queue
	before     [sluice.Classes]uint64 // enqueued before the first change that is not complete
	lastBefore [sluice.Classes]uint64 // and before the last one
}

// init sets what stays as it is from New on.
func (p *Port) init(s *Switch, id sluice.PortID) {
	c, t := &s.config.Ports[id], p.state
	p.owner, p.id = s, id
	t.mode = c.Mode
	t.refreshAt = sluice.Never
	t.retag = s.config.retagTable(id)
	t.random = prng.New(prng.Mix(s.config.Seed) + uint64(id))
	for i := range sluice.Classes {
		a := p.account(sluice.Class(i))
		a.setMargin(MaxBuffer)
		if s.cell != 0 {
			a.flags |= inCells
		}
		t.expiresAt[i] = sluice.Never
	}
}

// configure sets what Reconfigure can change.
func (p *Port) configure() {
	s, t := p.owner, p.state
	c := &s.config.Ports[p.id]
	p.setClasses()
	t.rate, t.mac, t.pause, t.strict = c.Link.Rate, c.MAC, c.Pause, c.Strict
	t.guard = s.config.watchdog(int(p.id))
	t.refreshEvery = max(1, t.rate.TimeOfQuanta(t.pause)/3)
	t.lossyLimit = dynamicThreshold(c.LossyAlpha)
	t.lossyReserve = int64(c.LossyReserve)
	p.setRules()
	for i := range sluice.Classes {
		a := p.account(sluice.Class(i))
		a.set(c.profile(sluice.Class(i)))
		a.flags &^= watched | retags
		a.flags |= s.flags
	}
	p.setMarks()
	p.setTrigger()
	groups := s.config.groupsOf(p.id)
	t.groups = strictly(groups)
	p.setPlain()
	for _, g := range groups {
		for class, quantum := range g.Quantum {
			if g.Classes.Has(sluice.Class(class)) {
				t.ring.SetQuantum(class, int64(quantum))
			}
		}
	}
}

// setMarks works out which packets are marked, once for neighbours that mark alike: it does not
// change.
func (p *Port) setMarks() {
	ports, ecn := p.owner.config.Ports, &p.owner.config.Ports[p.id].ECN
	if before := p.id - 1; p.id > 0 && ports[before].ECN == *ecn {
		p.state.marks = p.owner.ports[before].state.marks
		return
	}
	p.state.marks = new([sluice.Classes]marking.RED)
	for i := range ecn {
		p.state.marks[i] = marking.New(ecn[i])
	}
}

// setPlain works out how much there is to do when a packet comes and when one leaves.
func (p *Port) setPlain() {
	p.accounts = p.owner.accounts
	if p.aside = p.discard != 0 || p.state.retag != nil || p.state.rules != nil; p.aside {
		p.accounts = nil
	}
	p.plain = p.state.groups == nil && p.discard == 0 && !p.down && !p.state.rules.shapes()
	for i := range p.queues {
		p.queues[i].busyAbove = -1
		if p.plain && p.owner.config.Trigger != trigger.GFC {
			p.queues[i].busyAbove = p.marksAbove(sluice.Class(i))
		}
	}
	p.setOpen()
}

// setOpen works out among which queues Next need not look further than for the highest.
func (p *Port) setOpen() {
	p.open = 0
	if p.plain {
		p.open = sluice.AllClasses &^ p.blocked
	}
}

func (p *Port) account(class sluice.Class) *account {
	return &p.owner.accounts[int(p.id)*sluice.Classes+int(class)]
}
