package cbfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/timers"
)

// Switch is an input-buffered switch with credit-based flow control. Its invariants, which Audit
// recomputes:
//
//  1. The blocks in the egress queues of a VL are the blocks used in the ingress buffers and the
//     blocks of local packets.
//  2. No buffer holds more than its size, no counter is negative, and a queue has bytes if it has
//     blocks.
//  3. The credit of a VL is (limit - FCTBS) mod 4096, and 0 above 2,048 or before the peer was
//     heard. A VL is held while its credit is less than an MTU and the link is up.
//  4. A limit that differs from the last one sent to the peer is pending in PollFrame of its port,
//     or will be at the next tick.
//  5. The deadline is the earliest tick of all ports.
//
// A packet touches two cache lines of its Switch, the last line of its egress Port, and one line
// for its VL at the egress and one at the ingress.
//
// A Switch and its ports are not safe for concurrent use.
type Switch struct {
	clock    chassis.Clock
	buffered int64
	mtu      int64
	needed   int32           // blocks of an MTU
	classes  sluice.ClassSet // VLs in use
	strict   bool            // service in strict order
	ports    chassis.Ports[Port]

	local  [sluice.Classes]int64 // blocks queued that came in by no port
	woken  chassis.Woken
	timers timers.Set // a slot for each port
	peak   int64
	first  sluice.Time // what FCPs are planned from before the clock has a time
	config Config
	frame  Frame // ReceiveWire parses into it
}

// New returns the switch of a configuration, or a [*sluice.ConfigError] that names its first bad
// field. It does all the allocation there is.
func New(c Config) (*Switch, error) {
	config, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	n := len(config.Ports)
	s := &Switch{
		clock:  chassis.NewClock(),
		config: config,
		ports:  make([]Port, n),
		woken:  chassis.NewWoken(n),
		timers: timers.New(n),
	}
	s.mtu = int64(s.config.MTU)
	s.needed = blocks(s.mtu)
	s.classes = s.config.Classes
	s.strict = s.config.Quantum == [sluice.Classes]sluice.Bytes{}
	states := make([]state, n)
	for i := range s.ports {
		s.ports[i].state = &states[i]
		s.ports[i].init(s, sluice.PortID(i))
	}
	return s, nil
}

// Port returns a port, nil if there is none of this number.
func (s *Switch) Port(id sluice.PortID) *Port { return s.ports.At(id) }

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: one per VL. QueueID i is VL i.
func (s *Switch) Queues() int { return sluice.Classes }

// PollPort returns the next port that a hook woke, if it said [sluice.WakeSeveral]. O(1).
func (s *Switch) PollPort() (sluice.PortID, bool) { return s.woken.Poll() }
