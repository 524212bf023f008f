package voq

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/table"
	"github.com/sluicefc/sluice/internal/wire"
)

// Switch is a switch with a queue for each destination. Its invariants, which Audit recomputes:
//
//  1. The bytes of a destination are the bytes in its queues at all ports, and the sum over all
//     destinations is the bytes held.
//  2. The directory has each destination that has a queue, and no other. A destination has one if
//     and only if the switch holds packets for it, it is paused at a port, or an upstream is
//     paused, or to be paused, for it.
//  3. A queue is eligible if and only if it has packets and no pause of its destination holds it.
//  4. A port owes a frame about a destination if and only if its peer should hold the destination
//     and is not paused for it, or is paused for it and should not hold it.
//  5. A destination may be given a queue if and only if the rest has no packets and no pauses.
//
// A Switch and its ports are not safe for concurrent use.
type Switch struct {
	clock     chassis.Clock
	config    Config
	ports     chassis.Ports[Port]
	slots     []slot // by queue; 0 is the rest
	directory table.Table
	free      bitset.Set // queues that are no destination's
	strangers int64      // packets of the rest, and pauses of destinations that found no queue
	buffered  int64
	woken     chassis.Woken
	assigned  int // destinations that have a queue
	peak      int
	incoming  Frame // ReceiveWire parses into it
}

type slot struct {
	key    uint64
	bytes  int64
	paused int        // ports at which it is held
	want   bitset.Set // ports whose peers should hold it
	told   bitset.Set // ports whose peers a frame paused
}

func (d *slot) hop() sluice.Hop {
	return sluice.Hop{Switch: sluice.SwitchID(d.key >> 16), Port: sluice.PortID(d.key)}
}

// New returns the switch of a configuration, or a [*sluice.ConfigError] that names its first bad
// field. It does all the allocation there is.
func New(c Config) (*Switch, error) {
	config, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	n, queues := len(config.Ports), config.Queues+1
	s := &Switch{
		clock: chassis.NewClock(), config: config, ports: make([]Port, n),
		slots: make([]slot, queues), directory: table.New(config.Queues, config.Seed),
		free: bitset.New(queues), woken: chassis.NewWoken(n),
	}
	for i := range s.slots {
		s.slots[i] = slot{want: bitset.New(n), told: bitset.New(n)}
		if i > 0 {
			s.free.Add(i)
		}
	}
	s.slots[0].key = Rest.Key()
	for i := range s.ports {
		link := config.Ports[i].Link
		s.ports[i] = Port{
			owner: s, id: sluice.PortID(i),
			pauseAt:  int64(check.BDPs(config.Pause, link.Rate, link.RoundTrip())),
			resumeAt: int64(check.BDPs(config.Resume, link.Rate, link.RoundTrip())),
			bytes:    make([]int64, queues), ring: drr.New(drr.Uniform(queues, int64(config.Quantum))),
			paused: bitset.New(queues), owes: bitset.New(queues), Peer: wire.NewPeer(),
		}
	}
	return s, nil
}

func (s *Switch) Port(id sluice.PortID) *Port { return s.ports.At(id) }

func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: 0 is the rest's queue, and the other queues of
// a destination have the same number at all ports.
func (s *Switch) Queues() int { return len(s.slots) }

func (s *Switch) PollPort() (sluice.PortID, bool) { return s.woken.Poll() }

func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	s.clock.Advance(now)
	return 0
}

func (s *Switch) Deadline() sluice.Time { return sluice.Never }

func (s *Switch) Rebase(by sluice.Time) {
	by = s.clock.Rebase(by)
	for i := range s.ports {
		s.ports[i].Past.Rebase(by)
	}
}

// destination returns the key of the last hop of a packet's way; false if it has none.
func destination(p *sluice.Packet) (uint64, bool) {
	last := p.Path.At(p.Path.Len() - 1)
	return last.Key(), p.Path.Len() > 0 && last != Rest
}

// place returns the queue of a destination, which it may get now; 0 if there is none for it.
func (s *Switch) place(key uint64) int {
	if i, ok := s.directory.Find(key); ok {
		return i
	}
	if s.strangers > 0 {
		return 0
	}
	i := s.free.Next(0)
	if i < 0 {
		return 0
	}
	s.free.Remove(i)
	s.directory.Put(key, i)
	s.slots[i].key = key
	s.assigned++
	s.peak = max(s.peak, s.assigned)
	return i
}

func (s *Switch) release(i int) {
	d := &s.slots[i]
	if i == 0 || d.bytes > 0 || d.paused > 0 || !d.want.Empty() || !d.told.Empty() {
		return
	}
	s.directory.Remove(d.key)
	s.free.Add(i)
	s.assigned--
}

func (s *Switch) ask(i int, port sluice.PortID, hold bool) {
	d, p := &s.slots[i], &s.ports[port]
	d.want.Put(int(port), hold)
	differs := d.told.Has(int(port)) != hold
	p.owes.Put(i, differs)
	if differs {
		s.woken.Port(port)
	}
}
