package pyrrha

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/table"
	"github.com/sluicefc/sluice/internal/timers"
)

// Switch is a Pyrrha switch, or a host's network card. It is not safe for concurrent use.
//
// Invariants, which Audit checks:
//
//  1. Conservation: Buffered is the sum of all queues; the bytes that wait for a root are the same
//     summed over ingress ports and over egress ports; no counter is negative.
//  2. A root of another switch is in the table exactly while an egress port has an IQ for it, an
//     upstream is listed in its tree, or a frame about it is owed.
//  3. An upstream is paused for a root only while something keeps it so: bytes in the OQ or in
//     IQs that are not below K_resume, or a congested host.
//  4. A leaf keeps no resumed IQ that is empty.
//  5. A port owes its upstream a frame about a root exactly while the last frame to it
//     differs from its state, or a refresh is due; and its parent a DEALLOC only of a root
//     without an IQ there. Every root is counted once for each frame owed that names it, so that
//     none is forgotten before.
//  6. A packet that only its level holds back waits for the timer of moves, and for that only:
//     levels are parked exactly while time alone keeps every packet of the port from going, or
//     the timer, which runs out by then, is not served yet.
//  7. An IQ is far exactly if its switch knows the root nearer: its bytes count as detour,
//     all other bytes as waiting for the root.
//
// Every packet touches two cache lines of a Switch.
type Switch struct {
	id       sluice.SwitchID
	classes  sluice.ClassSet
	direct   sluice.ClassSet // classes, but none in a single tier: Enqueue's common way
	single   bool
	byQueue  bool
	clock    chassis.Clock
	buffered sluice.Bytes
	limit    sluice.Bytes // the most that may be buffered
	ports    chassis.Ports[Port]
	woken    chassis.Woken // by the hook under way
	touched  bitset.Set    // roots to be freed at its end if unused

	upBytes   sluice.Bytes // in the OQs of ports of role Up
	upPorts   int64
	upRule    UpRule
	imbalance sluice.Ratio

	table   table.Table // from the keys of roots to their numbers
	roots   []root
	remotes int // roots 0 to remotes-1 are other switches', then come our own ports
	isolate int // how many of them may be known at once; the rest are for answers
	known   int // roots of other switches in the table
	unused  bitset.Set
	// upstreams is by root, then by ingress; the last of each row is Local, which is counted and
	// never paused.
	upstreams []upstream
	detours   []sluice.Bytes // as upstreams: bytes that wait for a root in far IQs

	timers   timers.Set // by port: moves, then refresh, then expiry
	scratch  Frame
	mostEver int // roots known at once
	hopBDP   sluice.Bytes
	config   Config
}

// answers is how many roots that are not isolated can be in the table only to be answered with
// DEALLOC.
const answers = 16

// root is a congestion root: one of another switch, or a port of our own.
type root struct {
	hop    sluice.Hop
	level  uint8      // its least distance while an upstream was in its tree, 0 for our own
	iqs    int32      // members of egress
	tree   int32      // members of listed
	paused int32      // of those, how many are paused
	frames int32      // owed that name it
	egress bitset.Set // ports with an IQ for it
	listed bitset.Set // ingress ports whose upstream is in its tree
}

// New returns a switch of a configuration. All memory is allocated here.
func New(config Config) (*Switch, error) {
	c, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	remotes := c.Roots + answers
	numbers := remotes + len(c.Ports)
	limit := c.Buffer
	if limit == 0 {
		limit = math.MaxInt64
	}
	s := &Switch{
		id:        c.Switch,
		classes:   c.Classes,
		single:    c.Organisation == SingleTier,
		byQueue:   c.Child == ByQueue,
		clock:     chassis.NewClock(),
		limit:     limit,
		ports:     make([]Port, len(c.Ports)),
		woken:     chassis.NewWoken(len(c.Ports)),
		upRule:    c.UpPorts,
		imbalance: c.Imbalance,
		table:     table.New(numbers, uint64(c.Switch)),
		roots:     make([]root, numbers),
		remotes:   remotes,
		isolate:   c.Roots,
		unused:    bitset.New(remotes),
		touched:   bitset.New(numbers),
		upstreams: make([]upstream, numbers*(len(c.Ports)+1)),
		detours:   make([]sluice.Bytes, numbers*(len(c.Ports)+1)),
		timers:    timers.New(timerKinds * len(c.Ports)),
		config:    c,
	}
	if !s.single {
		s.direct = s.classes
	}
	for i := range s.roots {
		s.roots[i].egress = bitset.New(len(c.Ports))
		s.roots[i].listed = bitset.New(len(c.Ports))
	}
	for i := range remotes {
		s.unused.Add(i)
	}
	for i := range s.ports {
		if err := s.ports[i].init(s, sluice.PortID(i), &c); err != nil {
			return nil, err
		}
		hop := sluice.Hop{Switch: c.Switch, Port: sluice.PortID(i)}
		s.roots[s.own(sluice.PortID(i))].hop = hop
		s.table.Put(hop.Key(), s.own(sluice.PortID(i)))
		if c.Ports[i].Role == Up {
			s.upPorts++
		}
		s.hopBDP = max(s.hopBDP, c.Ports[i].Link.Rate.BDP(c.Ports[i].Link.RoundTrip()))
	}
	return s, nil
}

// Config returns a copy of the configuration with its defaults filled in. It shares nothing with
// the switch.
func (s *Switch) Config() Config { return s.config.clone() }

// Port returns a port, nil if there is none of this number.
func (s *Switch) Port(id sluice.PortID) *Port { return s.ports.At(id) }

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: the OQ, the IQs, and one for each class that is
// not under Pyrrha.
func (s *Switch) Queues() int {
	p := &s.ports[0]
	return p.iq.Queues() + p.others.count
}

// Buffered returns the bytes held in all queues of all ports.
func (s *Switch) Buffered() sluice.Bytes { return s.buffered }

// Memory returns the size of the congestion-root table, which finds a root by its identity, as
// section V-A counts it: eight bytes for each of twice as many entries as there may be roots,
// rounded up to a power of two. The state of each root is not in it.
func (s *Switch) Memory() sluice.Bytes {
	entries := 2
	for entries < 2*s.table.Capacity() {
		entries *= 2
	}
	return sluice.Bytes(8 * entries)
}

// PollPort names the ports that a hook woke, one by one, when its Wake said that there are several.
func (s *Switch) PollPort() (sluice.PortID, bool) { return s.woken.Poll() }

// later returns what the clock will show after now.
func (s *Switch) later(now sluice.Time) sluice.Time {
	shown := s.clock.Now()
	if now <= shown || now == sluice.Never {
		return shown
	}
	return now
}

// finish ends an input hook: it frees roots that the hook left unused and returns what changed.
func (s *Switch) finish() sluice.Wake {
	if !s.touched.Empty() {
		s.freeUnused()
	}
	return s.woken.Take()
}

// quiet reports whether the hook under way changed no root and woke no port.
func (s *Switch) quiet() bool { return s.touched.Empty() && s.woken.Quiet() }

// answer is finish for a hook that answers with a verdict.
func (s *Switch) answer(v sluice.Verdict) sluice.Verdict { return v.WithWake(s.finish()) }

// comesBy reports whether a packet can have come in by a port of that number: Local wraps to 0.
func (s *Switch) comesBy(ingress sluice.PortID) bool { return int(ingress+1) <= len(s.ports) }

func (s *Switch) own(port sluice.PortID) int { return s.remotes + int(port) }

func (s *Switch) find(hop sluice.Hop) int {
	if r, ok := s.table.Find(hop.Key()); ok {
		return r
	}
	return noRoot
}

// enter returns the number of a root, which it enters in the table if need be; negative if there
// is no room, which for a root that is only to be answered is a little more.
func (s *Switch) enter(hop sluice.Hop, room int) int {
	r := s.find(hop)
	if r >= s.remotes || r >= 0 && s.roots[r].known() {
		return r
	}
	others := s.known
	if r >= 0 {
		others--
	}
	if others >= room {
		return noRoot
	}
	if r >= 0 {
		return r
	}
	r = s.unused.Next(0)
	s.unused.Remove(r)
	s.known++
	s.mostEver = max(s.mostEver, min(s.known, s.isolate))
	s.table.Put(hop.Key(), r)
	s.roots[r].hop = hop
	for i := range s.ports {
		u := s.upstream(r, sluice.PortID(i))
		*u = upstream{bytes: u.bytes}
	}
	s.touch(r)
	return r
}

// known reports whether the root is more than to be answered.
func (k *root) known() bool { return k.iqs > 0 || k.tree > 0 }

const noRoot = -1
