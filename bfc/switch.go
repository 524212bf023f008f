package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/internal/timers"
)

// Switch is the BFC of one device: a switch, or a host's network card. Its invariants:
//
//  1. Conservation. The bytes held are those enqueued less those dequeued, in all and for each
//     queue. No counter is negative.
//  2. Order. A flow changes its queue only when it has no packet here.
//  3. The size of a flow table entry is the number of packets held that belong to it.
//  4. The pause counter of (ingress, upstream queue) is the number of packets held that came from
//     there and were counted.
//  5. An upstream queue is held paused exactly while its counter is not 0 or its resume waits for
//     Config.ResumeLimit.
//  6. While a link is up and the last frames to the device upstream differ from the present state,
//     PollFrame has a frame, or Deadline is when it will have one.
//  7. A data queue takes part in scheduling exactly while it has packets and downstream does not
//     pause it; their number is N_active.
//  8. A data queue is free exactly while it is empty, downstream does not pause it
//     (Config.AssignPaused drops this, Config.AssignForgotten where no entry names the queue), and
//     with Config.Ideal no flow owns it. With LastFreed every free queue is on the stack, once.
//
// A Switch and its ports are not safe for concurrent use. Nothing is allocated after New.
//
// A packet touches the first cache line of the Switch at Enqueue and at Dequeue; see [Port] for the
// rest.
type Switch struct {
	// Every packet touches these.
	clock        chassis.Clock
	room         sluice.Bytes // left in the buffer
	ports        chassis.Ports[Port]
	mostCharge   int64 // most cost of a packet to its queue: 1 if the scheduler counts packets
	classes      sluice.ClassSet
	controlQueue sluice.QueueID
	firstQueue   sluice.QueueID // of first packets
	countLone    bool
	firstPackets bool

	random   prng.Source
	woken    chassis.Woken
	timers   timers.Set // by port: its next Bitmap; then by queue: the end of its resume window
	phase    sluice.Time
	resumes  resumeLimiter
	listed   bool  // Pause and Resume frames are sent
	bitmaps  bool  // Bitmaps are sent periodically
	incoming Frame // of ReceiveWire

	queues int
	config Config // every zero replaced by its meaning
}

// New returns a switch that holds no packet and pauses no queue. The error is a
// *sluice.ConfigError.
func New(c Config) (*Switch, error) {
	config, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Switch{
		clock:        chassis.NewClock(),
		room:         config.room(),
		ports:        make([]Port, len(config.Ports)),
		classes:      config.Classes,
		countLone:    config.CountLonePackets,
		firstPackets: config.FirstPacketQueue,
		random:       prng.New(prng.Mix(config.Seed)),
		woken:        chassis.NewWoken(len(config.Ports)),
		timers:       timers.New(config.timers()),
		listed:       config.Signalling == TransitionsAndBitmap || config.Signalling == Transitions,
		bitmaps:      config.Signalling != Transitions,
		queues:       config.Queues,
		config:       config,
	}
	_, s.mostCharge = config.charges()
	if config.FirstPacketQueue {
		s.firstQueue = sluice.QueueID(s.queues)
		s.queues++
	}
	if s.classes != sluice.AllClasses {
		s.controlQueue = sluice.QueueID(s.queues)
		s.queues++
	}
	if config.ResumeLimit > 0 {
		s.resumes = newResumeLimiter(&config)
	}
	for i := range s.ports {
		s.ports[i].upstream = newUpstream(&config, sluice.PortID(i))
	}
	for i := range s.ports {
		s.ports[i].init(s, sluice.PortID(i))
	}
	return s, nil
}

// Port returns a port, nil if there is none of this number.
func (s *Switch) Port(id sluice.PortID) *Port { return s.ports.At(id) }

// Ports returns the number of ports.
func (s *Switch) Ports() int { return len(s.ports) }

// Queues returns the number of queues of each port: the data queues, then the first-packet queue if
// Config.FirstPacketQueue, then the control queue if Config.Classes leaves a class out.
func (s *Switch) Queues() int { return s.queues }

// PollPort returns the next port that a hook woke when it answered WakeSeveral; false if there is
// none. Constant time.
func (s *Switch) PollPort() (sluice.PortID, bool) { return s.woken.Poll() }

// Buffered returns the bytes held in all queues of all ports.
func (s *Switch) Buffered() sluice.Bytes { return s.config.room() - s.room }

// Config returns a copy of the configuration with its defaults filled in. It shares nothing with
// the switch.
func (s *Switch) Config() Config { return s.config.clone() }

// Threshold returns the backlog above which a queue of egress pauses the upstream queue of a packet
// from ingress while that many queues of egress are active: F x HRTT x rate / N_active, rounded
// down, at least a byte. Zero if a port does not exist; active below 1 counts as 1.
func (s *Switch) Threshold(ingress, egress sluice.PortID, active int) sluice.Bytes {
	if int(ingress) >= len(s.ports) || int(egress) >= len(s.ports) {
		return 0
	}
	return max(s.ports[egress].from[place(ingress)].share/sluice.Bytes(max(active, 1)), 1)
}
