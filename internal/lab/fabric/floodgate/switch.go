package floodgate

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/table"
	"github.com/sluicefc/sluice/internal/timers"
	"github.com/sluicefc/sluice/internal/wire"
)

// Switch is a switch with a window for each destination. Its invariants, which Audit recomputes:
//
//  1. The bytes in the queues of all ports are the bytes held; a destination's bytes in the VOQs of
//     all ports are what delayCredit compares.
//  2. What a port has passed on is what waits in its output queue and what was sent. A VOQ is
//     eligible if and only if it has packets and a grant, and has a grant if the window has room
//     for an MTU beside what all ports have passed on without credit, and beside other grants.
//  3. The credit that waits for an upstream is the sum over destinations that are not withheld. If
//     there is any, a frame is due or the timer of T runs.
//  4. While something that was sent is not credited, the timer of SYNs runs.
//
// A Switch and its ports are not safe for concurrent use.
type Switch struct {
	clock     chassis.Clock
	config    Config
	ports     chassis.Ports[Port]
	keys      []uint64 // by destination; 0 stands for all that the switch does not know
	waiting   []int64  // by destination: in VOQs
	flying    []int64  // by destination: passed on by all ports, and not credited
	grants    []int32  // by destination: VOQs that may move a packet
	turns     []int32  // by destination: the port after the last that was given a grant
	directory table.Table
	delay     int64 // threshold of delayCredit; negative: none
	buffered  int64
	active    int // destinations that have packets in VOQs
	peak      int
	delays    uint64 // times credit of a destination was withheld from then on
	woken     chassis.Woken
	timers    timers.Set // two for each port
	incoming  Frame      // ReceiveWire parses into it
}

// New returns the switch of a configuration, or a [*sluice.ConfigError] that names its first bad
// field. It does all the allocation there is.
func New(c Config) (*Switch, error) {
	config, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	n, known := len(config.Ports), config.Destinations+1
	s := &Switch{
		clock: chassis.NewClock(), config: config, ports: make([]Port, n),
		keys: make([]uint64, 1, known), waiting: make([]int64, known),
		flying: make([]int64, known), grants: make([]int32, known), turns: make([]int32, known),
		directory: table.New(config.Destinations, config.Seed), delay: -1,
		woken: chassis.NewWoken(n), timers: timers.New(2 * n),
	}
	for i := range s.ports {
		port := &config.Ports[i]
		s.ports[i] = Port{
			owner: s, id: sluice.PortID(i), edge: port.Edge, window: config.window(port.Link),
			lanes: make([]lane, known), voqs: drr.New(drr.Uniform(known, 1)),
			silent: bitset.New(known), unheard: bitset.New(known), asks: bitset.New(known),
			credits: bitset.New(known), Peer: wire.NewPeer(),
		}
		if !port.Edge && config.Delay.Num > 0 {
			s.delay = max(s.delay, int64(check.BDPs(config.Delay, port.Link.Rate, port.Link.RoundTrip())))
		}
	}
	return s, nil
}

func (s *Switch) Port(id sluice.PortID) *Port { return s.ports.At(id) }

func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: 0 is the output queue, the others are VOQs,
// which have the same number at all ports for one destination.
func (s *Switch) Queues() int { return len(s.waiting) }

func (s *Switch) PollPort() (sluice.PortID, bool) { return s.woken.Poll() }

// Expire makes credits due that have waited for T, and SYNs for what was not credited in time. An
// early call does nothing.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	now = s.clock.Advance(now)
	for slot, due := s.timers.Due(now); due; slot, due = s.timers.Due(now) {
		s.timers.Put(slot, sluice.Never)
		s.woken.Deadline()
		if p := &s.ports[slot/2]; slot%2 == 0 {
			p.due = true
			s.woken.Port(p.id)
		} else {
			p.ask(now)
		}
	}
	return s.woken.Take()
}

func (s *Switch) Deadline() sluice.Time { return s.timers.Next() }

func (s *Switch) Rebase(by sluice.Time) {
	by = s.clock.Rebase(by)
	s.timers.Rebase(by)
	for i := range s.ports {
		s.ports[i].Past.Rebase(by)
	}
}

// place returns the number of a destination, which is known from now on; 0 if there is no room.
func (s *Switch) place(key uint64) int {
	if d, ok := s.directory.Find(key); ok {
		return d
	}
	d := len(s.keys)
	if d == cap(s.keys) {
		return 0
	}
	s.keys = append(s.keys, key)
	s.directory.Put(key, d)
	return d
}

func (s *Switch) withheld(d int) bool { return s.delay >= 0 && s.waiting[d] > s.delay }

// room reports whether the window of a destination has room for n bytes by a port, beside what was
// granted.
func (s *Switch) room(d int, p *Port, n int64) bool {
	return s.flying[d]+int64(s.grants[d])*int64(s.config.MTU)+n <= p.window
}

// grant gives room for an MTU of a destination's window to its VOQs, port by port in turn. Only the
// port itself takes its grant back, by moving a packet.
func (s *Switch) grant(d int) {
	n := len(s.ports)
	for i, first := 0, int(s.turns[d]); i < n && s.waiting[d] > 0; i++ {
		p := &s.ports[(first+i)%n]
		if !s.grantable(d, p) {
			continue
		}
		p.lanes[d].granted = true
		s.grants[d]++
		s.turns[d] = int32((first + i + 1) % n)
		p.voqs.SetEligible(d, true)
		s.woken.Port(p.id)
	}
}

func (s *Switch) grantable(d int, p *Port) bool {
	l := &p.lanes[d]
	return l.bytes > 0 && !l.granted && p.windowed(d) && s.room(d, p, int64(s.config.MTU))
}

// wait changes what waits in the VOQs of a destination, and with it whether credit is withheld.
func (s *Switch) wait(d int, n int64) {
	before := s.withheld(d)
	if s.waiting[d] == 0 {
		s.active++
		s.peak = max(s.peak, s.active)
	}
	if s.waiting[d] += n; s.waiting[d] == 0 {
		s.active--
	}
	if s.withheld(d) == before {
		return
	}
	if !before {
		s.delays++
	}
	for i := range s.ports {
		p := &s.ports[i]
		if owed := p.lanes[d].owed(); before {
			p.credit(owed)
		} else {
			p.credit(-owed)
		}
	}
}

func (s *Switch) setTimer(slot int, at sluice.Time) {
	if s.timers.Put(slot, at) {
		s.woken.Deadline()
	}
}

func (s *Switch) hop(d int) sluice.Hop {
	return sluice.Hop{Switch: sluice.SwitchID(s.keys[d] >> 16), Port: sluice.PortID(s.keys[d])}
}
