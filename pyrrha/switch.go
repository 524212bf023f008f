package pyrrha

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/debug"
	"github.com/sluicefc/sluice/internal/timers"
)

// Switch is a Pyrrha switch, or a host's network card. It is not safe for concurrent use.
//
// Invariants, which Audit checks:
//
//  1. Conservation: Buffered is the sum of all queues; the bytes that wait for a root, summed over ingress ports,
//     are those summed over egress ports; no counter is negative.
//  2. A root of another switch is in the table exactly while an egress port has an IQ for it, an upstream is listed in its
//     tree, or a frame about it is pending.
//  3. An upstream is paused for a root only while something keeps it so: bytes in the OQ or in IQs that are not
//     below K_resume, or a congested host.
//  4. A leaf keeps no resumed IQ that is empty.
//  5. A port is in the set of those that owe frames exactly while it owes one; a frame that is owed is counted with every root that
//     it names, so that no root is forgotten before; no DEALLOC is owed of a root that has an IQ.
type Switch struct {
	id        sluice.SwitchID
	mac       [6]byte
	remotes   int // roots 0 to remotes-1 are other switches', then come our own ports
	classes   sluice.ClassSet
	single    bool
	byQueue   bool
	upRule    UpRule
	imbalance sluice.Ratio
	abdicates bool // up-ports too
	levels    uint8
	limit     sluice.Bytes
	refresh   sluice.Time
	expiry    sluice.Time
	hopBDP    sluice.Bytes // the largest of the ports' links

	now      sluice.Time
	wake     sluice.Wake // of the hook under way
	left     bool        // an upstream left a tree in it
	ports    []Port
	buffered sluice.Bytes
	upBytes  sluice.Bytes // in the OQs of ports of role Up
	upPorts  int64

	table  rootTable
	roots  []root
	unused bitset.Set // numbers of roots
	// upstreams is by root, then by ingress; the last of each row is Local, which is counted and never paused.
	upstreams []upstream
	known     int // roots of other switches in use

	pending bitset.Set // ports with frames to send
	cursor  int        // the port whose turn is next
	timers  timers.Set // by port: moves, then refresh, then expiry
	counts  Counters
}

// root is a congestion root: one of another switch, or a port of our own.
type root struct {
	hop    sluice.Hop
	level  uint8      // its least distance since we know it, 0 for our own
	egress bitset.Set // ports with an IQ for it
	listed bitset.Set // ingress ports whose upstream is in its tree
	iqs    int        // members of egress
	tree   int        // members of listed
	paused int        // of those, how many are paused
	frames int        // pending that name it
}

// upstream is an ingress port as a child of a root.
type upstream struct {
	bytes    sluice.Bytes // came in by it and wait here for the root
	sequence uint32       // of the last DEALLOC heard
	heard    bool
	state    UpstreamState
	into     uint16 // the root it is being told about with MERGE, while that is pending
}

// New returns a switch of a configuration. All memory is allocated here.
func New(config Config) (*Switch, error) {
	c := config.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	numbers := c.Roots + len(c.Ports)
	s := &Switch{
		id:        c.Switch,
		mac:       c.MAC,
		remotes:   c.Roots,
		classes:   c.Classes,
		single:    c.Organisation == SingleTier,
		byQueue:   c.Child == ByQueue,
		upRule:    c.UpPorts,
		imbalance: c.Imbalance,
		abdicates: c.AbdicateUp,
		levels:    uint8(c.Levels),
		limit:     c.Buffer,
		refresh:   c.Refresh,
		expiry:    c.Expiry,
		now:       math.MinInt64 / 4,
		ports:     make([]Port, len(c.Ports)),
		table:     newRootTable(numbers),
		roots:     make([]root, numbers),
		unused:    bitset.New(c.Roots),
		upstreams: make([]upstream, numbers*(len(c.Ports)+1)),
		pending:   bitset.New(len(c.Ports)),
		timers:    timers.New(3 * len(c.Ports)),
	}
	for i := range s.roots {
		s.roots[i].egress, s.roots[i].listed = bitset.New(len(c.Ports)), bitset.New(len(c.Ports))
	}
	for i := range c.Roots {
		s.unused.Add(i)
	}
	for i := range s.ports {
		if err := s.ports[i].init(s, sluice.PortID(i), &c); err != nil {
			return nil, err
		}
		hop := sluice.Hop{Switch: c.Switch, Port: sluice.PortID(i)}
		s.roots[s.own(sluice.PortID(i))].hop = hop
		s.table.insert(hop.Key(), s.own(sluice.PortID(i)))
		if c.Ports[i].Role == Up {
			s.upPorts++
		}
		s.hopBDP = max(s.hopBDP, c.Ports[i].Link.Rate.BDP(c.Ports[i].Link.RoundTrip()))
	}
	return s, nil
}

// Port returns a port, nil for one that does not exist.
func (s *Switch) Port(id sluice.PortID) *Port {
	if int(id) >= len(s.ports) {
		return nil
	}
	return &s.ports[id]
}

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: the OQ, the IQs, and one for each class that is not under
// Pyrrha.
func (s *Switch) Queues() int {
	p := &s.ports[0]
	return p.iq.Queues() + p.others.count
}

// Buffered returns the bytes held in all queues of all ports.
func (s *Switch) Buffered() sluice.Bytes { return s.buffered }

// Counters returns a copy of the counters, with those of the queues added up. Linear in the ports.
func (s *Switch) Counters() Counters {
	c := s.counts
	for i := range s.ports {
		q := s.ports[i].iq.Counters()
		c.Queues.Assigned += q.Assigned
		c.Queues.Shared += q.Shared
		c.Queues.Refused += q.Refused
		c.Queues.InUse += q.InUse
		c.Queues.MaxInUse = max(c.Queues.MaxInUse, q.MaxInUse)
	}
	return c
}

// TableBytes returns the size of the congestion-root table, which finds a root by its identity. What is kept of each root
// is not in it.
func (s *Switch) TableBytes() int { return 8 * len(s.table.entries) }

// Deadline returns the earliest timer, Never if none runs.
func (s *Switch) Deadline() sluice.Time {
	_, at := s.timers.Min()
	return at
}

// Expire serves the timers that are due: moves between levels that had to wait, refreshes, pauses that nobody
// repeated. Called early it does nothing.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	if _, at := s.timers.Min(); at > now {
		return 0
	}
	s.begin(now)
	for {
		slot, at := s.timers.Min()
		if at > s.now {
			return s.finish()
		}
		s.timers.Put(slot, sluice.Never)
		p := &s.ports[slot%len(s.ports)]
		switch slot / len(s.ports) {
		case moveTimer:
			s.wake = s.wake.Merge(sluice.WakePort(p.id))
			p.planMove()
		case refreshTimer:
			p.refreshUpstreams()
		case expiryTimer:
			p.expirePauses()
		}
	}
}

// Kinds of timers, in the order of slots.
const (
	moveTimer = iota
	refreshTimer
	expiryTimer
)

// start sets a timer of a port.
func (s *Switch) start(kind int, port sluice.PortID, at sluice.Time) {
	if s.timers.Put(kind*len(s.ports)+int(port), at) {
		s.wake |= sluice.WakeDeadline
	}
}

// begin starts an input hook.
func (s *Switch) begin(now sluice.Time) {
	if debug.Enabled && !s.pending.Empty() {
		panic("pyrrha: input before frames were drained with PollFrame")
	}
	s.now = max(s.now, now)
}

// finish ends an input hook and returns what changed.
func (s *Switch) finish() sluice.Wake {
	w := s.wake
	s.wake = 0
	return w
}

// own returns the number of one of our ports as a root.
func (s *Switch) own(port sluice.PortID) int { return s.remotes + int(port) }

// upstream returns an ingress port as a child of root r.
func (s *Switch) upstream(r int, ingress sluice.PortID) *upstream {
	return &s.upstreams[r*(len(s.ports)+1)+int(ingress)]
}

// lookUp returns the number of a root, which it enters in the table if need be; -1 if that is full.
func (s *Switch) lookUp(hop sluice.Hop) int {
	if r := s.table.find(hop.Key()); r >= 0 {
		return r
	}
	r := s.unused.Next(0)
	if r < 0 {
		s.counts.TableFull++
		return -1
	}
	s.unused.Remove(r)
	s.known++
	s.counts.MaxRoots = max(s.counts.MaxRoots, s.known)
	s.table.insert(hop.Key(), r)
	s.roots[r].hop = hop
	for i := range len(s.ports) {
		s.upstream(r, sluice.PortID(i)).heard = false
	}
	return r
}

// forgetIfUnused takes a root of another switch out of the table when nothing here concerns it any more.
func (s *Switch) forgetIfUnused(r int) {
	k := &s.roots[r]
	if r >= s.remotes || k.iqs > 0 || k.tree > 0 || k.frames > 0 || s.unused.Has(r) {
		return
	}
	s.table.remove(k.hop.Key())
	s.unused.Add(r)
	s.known--
}
