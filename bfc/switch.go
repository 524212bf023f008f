package bfc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/debug"
	"github.com/sluicefc/sluice/internal/prng"
	"github.com/sluicefc/sluice/internal/timers"
)

// Switch is the BFC of one device: a switch, or a host's network card. Its invariants:
//
//  1. Conservation. The bytes held are those enqueued less those dequeued, in all and for each queue. No
//     counter is negative.
//  2. Order. A flow changes its queue only when it has no packet here.
//  3. The size of a flow table entry is the number of packets held that belong to it.
//  4. The pause counter of (ingress, upstream queue) is the number of packets held that came from
//     there and were counted.
//  5. An upstream queue is held paused exactly while its counter is not 0 or its resume waits for
//     Config.ResumeLimit.
//  6. Whenever the upstream device was told something else than what holds, either PollFrame has a
//     frame, or Deadline is when it will have one.
//  7. A data queue takes part in scheduling exactly while it has packets and downstream does not pause
//     it; their number is N_active.
//  8. A data queue is free exactly while it is empty and downstream does not pause it
//     (Config.AssignPaused drops the second half).
//
// A Switch and its ports are not safe for concurrent use. Nothing is allocated after New.
type Switch struct {
	config Config // every zero replaced by its meaning
	ports  []Port
	now    sluice.Time
	random prng.Source

	mostCharge   int64 // what a packet costs its queue at most: 1 if the scheduler counts packets
	classes      sluice.ClassSet
	queues       int
	firstQueue   sluice.QueueID // of first packets
	controlQueue sluice.QueueID

	bytes    sluice.Bytes // held
	capacity sluice.Bytes
	counters Counters

	dirty    bitset.Set // ports that have a frame to send
	nextPort int        // where PollFrame looks first
	timers   timers.Set // by port: its next bitmap; then by queue: the end of its resume window
	resumes  resumeLimiter
}

// New returns a switch in which nothing is held and nobody is paused. The error is a
// *sluice.ConfigError.
func New(c Config) (*Switch, error) {
	config, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Switch{
		config:   config,
		now:      math.MinInt64,
		random:   prng.New(prng.Mix(config.Seed)),
		classes:  config.Classes,
		queues:   config.Queues,
		capacity: maxBuffer,
		dirty:    bitset.New(len(config.Ports)),
	}
	if config.Buffer > 0 {
		s.capacity = config.Buffer
	}
	if config.FirstPacketQueue {
		s.firstQueue = sluice.QueueID(s.queues)
		s.queues++
	}
	if config.Classes != sluice.AllClasses {
		s.controlQueue = sluice.QueueID(s.queues)
		s.queues++
	}
	if config.Scheduler == DeficitRoundRobin {
		s.mostCharge = maxQuantaPerPacket * int64(config.Quantum)
	} else {
		s.mostCharge = 1
	}
	slots := len(config.Ports)
	if config.ResumeLimit > 0 {
		slots += len(config.Ports) * config.Queues
		s.resumes = newResumeLimiter(&config)
	}
	s.timers = timers.New(slots)
	s.ports = make([]Port, len(config.Ports))
	for i := range s.ports {
		s.ports[i].upstream = newUpstream(&config, sluice.PortID(i))
	}
	for i := range s.ports {
		s.ports[i].init(s, sluice.PortID(i))
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

// Queues returns the number of queues of each port: the data queues, then the first-packet queue if
// Config.FirstPacketQueue, then the control queue if Config.Classes leaves a class out.
func (s *Switch) Queues() int { return s.queues }

// Expire does what is due at now: bitmaps, and resumes that waited for Config.ResumeLimit. Before
// Deadline it does nothing. O(log n) for each timer that is due.
func (s *Switch) Expire(now sluice.Time) sluice.Wake {
	now = s.input(now)
	slot, at := s.timers.Min()
	if at > now || at == sluice.Never {
		return 0
	}
	for at <= now && at != sluice.Never {
		if slot < len(s.ports) {
			s.ports[slot].tick(now)
		} else {
			s.windowEnded(slot-len(s.ports), now)
		}
		slot, at = s.timers.Min()
	}
	if s.dirty.Empty() {
		return sluice.WakeDeadline
	}
	return sluice.WakeDeadline | sluice.WakeFrames
}

// PollFrame fills f with the next frame to send and returns the port it leaves by; false when there
// is none, and f is as it was. Ports take turns. The answer may change after any hook but Next. Constant
// time, and O(changes) for a Bitmap.
func (s *Switch) PollFrame(_ sluice.Time, f *Frame) (sluice.PortID, bool) {
	i := s.dirty.NextCyclic(s.nextPort)
	if i < 0 {
		return 0, false
	}
	p := &s.ports[i]
	p.fill(f)
	s.dirty.Put(i, p.pending())
	s.nextPort = i + 1
	return p.id, true
}

// Deadline returns when Expire has something to do, sluice.Never if it has nothing. It moves with
// WakeDeadline. Bitmaps go on, ever more rarely, after the last resume: do not wait for Never, ask
// Quiescent.
func (s *Switch) Deadline() sluice.Time {
	_, at := s.timers.Min()
	return at
}

// Buffered returns the bytes held in all queues of all ports.
func (s *Switch) Buffered() sluice.Bytes { return s.bytes }

// Counters returns a copy of the counters.
func (s *Switch) Counters() Counters { return s.counters }

// Threshold returns the backlog above which a queue of egress pauses the upstream queue of a packet from
// ingress while that many queues of egress are active: F x HRTT x rate / N_active, rounded down, at
// least a byte. Zero if a port does not exist; active below 1 counts as 1.
func (s *Switch) Threshold(ingress, egress sluice.PortID, active int) sluice.Bytes {
	if int(ingress) >= len(s.ports) || int(egress) >= len(s.ports) {
		return 0
	}
	return max(s.ports[egress].from[ingress].share/sluice.Bytes(max(active, 1)), 1)
}

// input begins a hook that may make frames. It returns now, or the latest time seen if that is later.
func (s *Switch) input(now sluice.Time) sluice.Time {
	if debug.Enabled && !s.dirty.Empty() {
		panic("bfc: input before PollFrame was drained")
	}
	if now < s.now {
		return s.now
	}
	s.now = now
	return now
}

// refuse drops a packet for the first reason that applies.
func (s *Switch) refuse(packet *sluice.Packet) sluice.Verdict {
	switch {
	case packet.Size <= 0:
		return s.drop(sluice.BadSize)
	case int(packet.Ingress) >= len(s.ports) && packet.Ingress != sluice.Local:
		return s.drop(sluice.BadIngress)
	case packet.Class >= sluice.Classes:
		return s.drop(sluice.BadClass)
	}
	return s.drop(sluice.BufferFull)
}

// misuse answers a Dequeue of a packet that is not there.
func (s *Switch) misuse() sluice.Verdict {
	s.counters.Misuse++
	return s.drop(sluice.BadQueue)
}

func (s *Switch) drop(r sluice.Reason) sluice.Verdict {
	s.counters.Drops[r]++
	return sluice.DropBecause(r)
}
