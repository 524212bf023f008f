package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/timers"
)

// Switch is a shared-buffer switch with priority-based flow control. Its invariants, which Audit
// recomputes:
//
//  1. The bytes in the egress queues are the bytes accounted: to ingresses for lossless classes, to
//     the pool for lossy ones; local packets are not accounted.
//  2. free + the bytes taken from a pool = its size, and free >= 0, also of the shared headroom
//     pool; after Reconfigure, no less than it was then.
//  3. No counter of bytes is negative, and no headroom in use exceeds its limit; after Reconfigure,
//     by no more than it did then.
//  4. An ingress that is paused holds bytes, so a departure that resumes it will come.
//  5. If the last frame to a peer differs from the state, PollFrame of its port has a frame.
//  6. While an ingress is paused, a refresh is due no later than a third of the pause time after
//     the last decision of its port.
//  7. A held class has an expiry, and the deadline is the earliest of all.
//
// A packet touches two cache lines of its Switch at each hook, which all packets share, and
// besides: one of its account (of the ingress and the class), one of its egress Port, one of its
// queue. Every other line is for timers, marking, the watchdog and counters of rarer events.
//
// A Switch and its ports are not safe for concurrent use.
type Switch struct {
	accounts []account // by ingress port, then class
	clock    chassis.Clock
	buffered int64
	peak     int64 // of buffered
	full     int64 // most bytes of queues without local packets; huge unless more is promised
	cell     int64 // what the buffer counts packets in; 0: bytes

	free         [maxPools]int64 // bytes of each pool not taken
	freeHeadroom int64           // bytes of the shared headroom pool not taken; huge if there is none

	ports  chassis.Ports[Port]
	local  [sluice.Classes]int64 // bytes queued that no ingress accounts
	woken  chassis.Woken
	timers timers.Set // a slot for each port

	flags        uint16          // that all accounts have
	pool         [maxPools]int64 // sizes
	headroomPool int64
	lossyPool    uint8
	// How far amounts were below zero when a smaller configuration was taken over: invariant 2.
	overdrawn         [maxPools]int64
	overdrawnHeadroom int64
	poolPeak          [maxPools]int64 // most taken of each, if they are watched
	egress            egressPools
	headroomPeak      int64 // most taken of the shared headroom pool, or of all headrooms
	troubled          bool  // an ingress has paused its upstream, or lost a lossless packet
	changing          bool  // packets wait that were accounted the other way: see regime.go
	settling          int   // queues, of all ports, that hold none of before the last change
	watchdog          watchdog
	variant           variant
	scratch           Frame // ReceiveWire parses into it
	config            Config
}

// maxPools is how many pools a buffer can be divided into: a power of two.
const maxPools = 8

// New returns the switch of a configuration, or a [*sluice.ConfigError] that names its first
// bad field. It does all the allocation there is.
func New(config Config) (*Switch, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	n := len(config.Ports)
	s := &Switch{
		config:   config.filled(),
		accounts: make([]account, n*sluice.Classes),
		ports:    make([]Port, n),
		clock:    chassis.NewClock(),
		woken:    chassis.NewWoken(n),
		timers:   timers.New(n),
	}
	s.setFlags()
	states, records := make([]state, n), make([]record, n)
	for i := range s.ports {
		s.ports[i].state, states[i].record = &states[i], &records[i]
		s.ports[i].init(s, sluice.PortID(i))
		s.ports[i].configure()
	}
	s.fillPools()
	s.setEgressPools()
	s.startWatchdog()
	if s.config.Watchdog.BigRedSwitch {
		s.setBigRedSwitch(true)
	}
	return s, nil
}

// Port returns a port, nil if there is none of this number.
func (s *Switch) Port(id sluice.PortID) *Port { return s.ports.At(id) }

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: one per class. QueueID i is class i, in which
// its packets leave.
func (s *Switch) Queues() int { return sluice.Classes }

// PollPort returns the next port that a hook woke, if it said [sluice.WakeSeveral]. O(1).
func (s *Switch) PollPort() (sluice.PortID, bool) { return s.woken.Poll() }

// setFlags works out what the buffer counts in, and what sends all packets a slower way.
func (s *Switch) setFlags() {
	s.cell, s.flags, s.full = 0, 0, int64(MaxBuffer)*2
	if s.config.CellSize > 1 {
		s.cell = int64(s.config.CellSize)
	}
	if s.config.overcommitted() {
		s.full = int64(s.config.Buffer)
	}
	if s.config.Watermarks {
		s.flags |= watched
	}
	if s.config.ruled() || len(s.config.Retag) > 0 {
		s.flags |= retags
	}
}
