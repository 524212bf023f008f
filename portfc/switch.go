package portfc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/marking"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/internal/timers"
)

// Switch is the PortFC of one device of an NDC: a switch, or a node. Its invariants:
//
//  1. Conservation. The bytes held are those enqueued less those dequeued, in all and for each
//     queue. No counter is negative.
//  2. Order. A packet's queue follows from its path and its class alone.
//  3. The bytes of a detector are the sum of the bytes of its queues.
//  4. A detector that pauses has more than its X_on; a detector that does not has less than its
//     X_off. Where the two thresholds are equal it may have just as much.
//  5. A queue is held exactly while a frame that says so stands. B, the relay queue and HQ are
//     never held.
//  6. While a link is up and its last announcements differ from the state, PollFrame has a frame.
//  7. A queue takes part in scheduling exactly while it has packets and is not held.
//
// A Switch and its ports are not safe for concurrent use. Nothing is allocated after New.
type Switch struct {
	// What every packet touches.
	clock      chassis.Clock
	room       sluice.Bytes // left in the buffer
	least      sluice.Bytes // the least that was
	ports      chassis.Ports[Port]
	markAbove  int64 // bytes of a queue
	mostCharge int64 // what a packet costs its queue at most
	queues     int
	id         sluice.SwitchID
	ingresses  sluice.PortID // no ingress plus 1 is above it; the row of Local is 0
	high       sluice.ClassSet
	node       bool
	layer      int8        // of a switch
	first      [routes]int // first queue by the number of hops; negative: no route has that number

	network  NDC
	red      marking.RED
	random   prng.Source
	woken    chassis.Woken
	timers   timers.Set // by kind, then by port
	incoming Frame      // of ReceiveWire
	config   Config     // every zero replaced by its meaning
}

// New returns a device that holds no packet and pauses no queue. The error is a
// *sluice.ConfigError.
func New(c Config) (*Switch, error) {
	config, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	network := config.Network
	s := &Switch{
		clock:     chassis.NewClock(),
		room:      config.room(),
		least:     config.room(),
		ports:     make([]Port, len(config.Ports)),
		high:      config.High,
		id:        config.Switch,
		ingresses: sluice.PortID(len(config.Ports)),
		node:      network.IsNode(config.Switch),
		network:   network,
		queues:    network.SwitchQueues(),
		red:       marking.New(config.Marking),
		random:    prng.New(prng.Mix(config.Seed)),
		woken:     chassis.NewWoken(len(config.Ports)),
		timers:    timers.New(timerKinds * len(config.Ports)),
		config:    config,
	}
	s.markAbove = s.red.Above()
	s.mostCharge = maxQuantaPerPacket * int64(config.Quantum)
	if s.node {
		s.queues = network.NodeQueues()
	} else {
		s.layer = int8(network.Layer(config.Switch))
	}
	s.initFirst()
	for i := range s.ports {
		s.ports[i].init(s, sluice.PortID(i))
	}
	return s, nil
}

// routes is above any Path.Len, which the compiler knows to be of four bits.
const routes = 16

// initFirst sets which queues are for routes of which length. Each node but the last has two hops,
// its own and the hop of the switch after it; a switch is there before them.
func (s *Switch) initFirst() {
	for hops := range s.first {
		left := hops / 2 // relays, at a switch
		if s.node {
			left--
		}
		s.first[hops] = -s.queues
		if (hops%2 == 0) == s.node && left >= 0 && left <= s.network.K {
			s.first[hops] = int(s.network.firstOf(uint8(left)))
		}
	}
}

// Port returns a port, nil if there is none of this number.
func (s *Switch) Port(id sluice.PortID) *Port { return s.ports.At(id) }

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: [NDC.SwitchQueues] or [NDC.NodeQueues].
func (s *Switch) Queues() int { return s.queues }

// PollPort returns the next port that a hook woke, if it said [sluice.WakeSeveral]. O(1).
func (s *Switch) PollPort() (sluice.PortID, bool) { return s.woken.Poll() }

// Buffered returns the bytes held in all queues of all ports.
func (s *Switch) Buffered() sluice.Bytes { return s.config.room() - s.room }

// Config returns a deep copy of the configuration, its defaults filled in.
func (s *Switch) Config() Config { return s.config.clone() }

// An item is the state of a detector, which a port announces to its peer. At a switch the detector
// of class j and egress e has item j*n+e. A node announces the pauses that its port l heard of
// class j and egress e, l*(kn+1)+j*n+e, and of its own relay queue at port l, l*(kn+1)+kn.

func (s *Switch) items() int {
	if s.node {
		return s.network.Layers() * s.itemsPerLayer()
	}
	return s.network.Layers() * s.network.N
}

func (s *Switch) itemsPerLayer() int { return s.network.K*s.network.N + 1 }

// wanted reports whether the peer of port p is to pause on account of an item.
func (s *Switch) wanted(p *Port, item int) bool {
	from, class, e := s.about(item)
	switch {
	case from == int(p.id):
		return false
	case !s.node || class == relayClass:
		return s.ports[from].pauses(class)
	case e == int(s.ports[from].ownPort):
		return false
	}
	return s.ports[from].queue(s.ports[from].queueOf(class, e)).holds != 0
}

// about returns the port that an item comes from, its class, and the congested egress port.
func (s *Switch) about(item int) (from int, class uint8, e int) {
	n := s.network.N
	if !s.node {
		return item % n, uint8(item / n), item % n
	}
	from, item = item/s.itemsPerLayer(), item%s.itemsPerLayer()
	if item == s.network.K*n {
		return from, relayClass, from
	}
	return from, uint8(item / n), item % n
}

func (s *Switch) announce(from sluice.PortID, item int, paused bool) {
	for i := range s.ports {
		if p := &s.ports[i]; p.id != from {
			p.setPending(item, paused)
		}
	}
}

const never = math.MaxInt64
