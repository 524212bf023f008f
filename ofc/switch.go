package ofc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/internal/timers"
)

// QueuesPerClass is how many queues a class has at each port: the normal queue and two backup
// queues. Class c has the queues 3c to 3c+2, the normal queue first.
const QueuesPerClass = 3

// Switch is the OFC of one device: a switch, or a host's network card. Its invariants:
//
//  1. q_in of an (ingress, class) is the bytes that came in by it and wait; q_out of an (egress,
//     class) is the bytes of its three queues. Both have the same sum for each class.
//  2. Of a class's two backup queues one is the paused queue. The other is empty, but in a
//     rotation, when it is served in the place of the normal queue and is not empty.
//  3. A flow outside congested_flow_tab has no packet in the paused queue: so the paused queue has
//     no more packets than the flows in congested_flow_tab have here.
//  4. The count of a flow is its packets here; a flow is known exactly while it has packets, is in
//     congested_flow_tab, or is announced: a frame paused it upstream.
//  5. A flow with packets is in the list of its (egress, ingress, class), or once it is announced
//     in the list of the (ingress, class); no other flow is in the former list.
//  6. Where the announced flows differ from the flows to pause, PollFrame has a frame.
//  7. A class may send exactly while its served queue has packets and nothing holds it.
//
// A Switch and its ports are not safe for concurrent use. Nothing is allocated after New.
type Switch struct {
	// What every packet touches.
	clock    chassis.Clock
	room     int64     // left in the buffer
	accounts []account // by place
	entries  []entry   // of all ports, from 1; 0 is no entry
	groups   []group   // by egress, ingress, class
	ports    chassis.Ports[Port]
	classes  sluice.ClassSet
	salts    [sluice.Classes]uint64

	perPort  int32 // entries of each port
	woken    chassis.Woken
	timers   timers.Set // by port
	incoming Frame      // of ReceiveWire
	config   Config     // every zero replaced by its meaning
}

// New returns a switch in which no packet waits and no pause holds. The error is a
// *sluice.ConfigError.
func New(c Config) (*Switch, error) {
	config, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	n := len(config.Ports)
	s := &Switch{
		clock:    chassis.NewClock(),
		room:     int64(config.room()),
		accounts: make([]account, (n+1)*sluice.Classes),
		entries:  make([]entry, n*config.Flows+1),
		groups:   make([]group, n*n*sluice.Classes),
		ports:    make([]Port, n),
		classes:  config.Classes,
		perPort:  int32(config.Flows),
		woken:    chassis.NewWoken(n),
		timers:   timers.New(n),
		config:   config,
	}
	random := prng.New(prng.Mix(config.Seed))
	for class := range s.salts {
		s.salts[class] = random.Uint64()
	}
	for i := range s.accounts {
		s.initAccount(sluice.PortID(i/sluice.Classes)-1, sluice.Class(i%sluice.Classes))
	}
	states := make([]state, n)
	for i := range s.ports {
		s.ports[i].init(s, sluice.PortID(i), &states[i])
	}
	return s, nil
}

// initAccount sets the thresholds of an account. What no port accounts never reaches them.
func (s *Switch) initAccount(ingress sluice.PortID, class sluice.Class) {
	a := s.account(ingress, class)
	a.off, a.congestedOff, a.limit = math.MaxInt64, math.MaxInt64, math.MaxInt64
	if ingress == sluice.Local || !s.classes.Has(class) {
		return
	}
	c := &s.config.Ports[ingress]
	a.off, a.congestedOff, a.on = int64(c.XOff), int64(c.XOffCongested), int64(c.XOn)
	if c.Headroom > 0 {
		a.limit = int64(c.XOff + c.Headroom)
	}
	a.wanted = bitset.New(len(s.ports))
}

// Port returns a port, nil if there is none of this number.
func (s *Switch) Port(id sluice.PortID) *Port { return s.ports.At(id) }

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: three for each class.
func (s *Switch) Queues() int { return QueuesPerClass * sluice.Classes }

// PollPort returns the next port that a hook woke when it answered WakeSeveral; false if there is
// none. O(1).
func (s *Switch) PollPort() (sluice.PortID, bool) { return s.woken.Poll() }

// Buffered returns the bytes in all queues of all ports.
func (s *Switch) Buffered() sluice.Bytes { return s.config.room() - sluice.Bytes(s.room) }

// Config returns a copy of the configuration with its defaults filled in. It shares nothing with
// the switch.
func (s *Switch) Config() Config { return s.config.clone() }

// Memory returns how many bytes the three tables of all ports take, with the lists that connect
// flows and the means to find them: what was set apart by New, however many flows there are. O(1).
func (s *Switch) Memory() sluice.Bytes {
	bytes := len(s.entries)*entryBytes + len(s.groups)*groupBytes
	for i := range s.ports {
		bytes += s.ports[i].flows.Bytes()
	}
	return sluice.Bytes(bytes)
}

func (c *Config) room() sluice.Bytes {
	if c.Buffer == 0 {
		return MaxBuffer
	}
	return c.Buffer
}

// place returns where Switch.accounts has a class of an ingress: Local first, as the number after
// the last wraps.
func place(ingress sluice.PortID, class sluice.Class) uint {
	return uint(ingress+1)*sluice.Classes + uint(class)
}

func (s *Switch) account(ingress sluice.PortID, class sluice.Class) *account {
	return &s.accounts[place(ingress, class)]
}

// group returns the lists of the flows that came in by an ingress and wait at an egress.
func (s *Switch) group(egress, ingress sluice.PortID, class sluice.Class) *group {
	row := uint(egress)*uint(len(s.ports)) + uint(ingress)
	return &s.groups[row*sluice.Classes+uint(class)]
}
