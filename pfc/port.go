package pfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/debug"
	"github.com/sluicefc/sluice/internal/marking"
	"github.com/sluicefc/sluice/internal/prng"
)

// Port is a port of a Switch: an egress with a queue for each class, and the ingress of the
// same number.
type Port struct {
	owner    *Switch
	id       sluice.PortID
	backlog  sluice.ClassSet // queues that are not empty
	simple   bool            // a packet dequeued is just sent: no deficit, no discarding
	blocked  sluice.ClassSet // queues that may not send: held, unless the watchdog overrules it
	ordinary sluice.ClassSet // lossless classes that the watchdog does not discard
	discard  sluice.ClassSet // queues that the watchdog empties
	paused   sluice.ClassSet // classes whose upstream is to be paused
	told     sluice.ClassSet // classes whose upstream was last told so
	dirty    sluice.ClassSet // classes the next frame must speak of
	held     sluice.ClassSet // classes whose pause timer runs
	bypass   sluice.ClassSet // classes whose pause timer does not hold them, on the watchdog's word
	storming sluice.ClassSet // classes in a pause storm

	queues [sluice.Classes]queue

	// Deficit round robin.
	deficit [sluice.Classes]int64
	current [sluice.Classes]sluice.Class // by group: whose turn it is

	marking [sluice.Classes]marking.RED
	random  prng.Source

	// Pause timers.
	rate         sluice.Rate
	mode         Mode
	pause        sluice.Quanta // in the frames it sends
	refreshEvery sluice.Time
	refreshAt    sluice.Time
	expiresAt    [sluice.Classes]sluice.Time
	pausedSince  [sluice.Classes]sluice.Time
	heldSince    [sluice.Classes]sluice.Time
	mac          [6]byte

	lossyLimit threshold
	watch      [sluice.Classes]watch
	counters   PortCounters
}

// queue is an egress queue: 40 bytes, all of which a packet touches.
type queue struct {
	bytes       int64
	peak        int64
	markAbove   int64 // KMin; the largest int64 where marking is off
	enqueued    uint64
	transmitted uint64
}

func (p *Port) init(s *Switch, id sluice.PortID, config *Config) {
	c := &config.Ports[id]
	p.owner, p.id = s, id
	p.ordinary = s.lossless
	p.simple = s.strict
	p.rate, p.mode, p.mac, p.pause = c.Link.Rate, c.Mode, c.MAC, c.Pause
	if p.mac == ([6]byte{}) {
		p.mac = config.MAC
	}
	if p.pause == 0 {
		p.pause = DefaultPause
	}
	p.refreshEvery = max(1, p.rate.TimeOfQuanta(p.pause)/2)
	p.refreshAt = sluice.Never
	p.lossyLimit = dynamicThreshold(c.LossyAlpha)
	p.random = prngOf(config.Seed, id)
	for i := range sluice.Classes {
		p.account(sluice.Class(i)).init(c)
		p.expiresAt[i] = sluice.Never
		p.marking[i] = marking.New(c.ECN[i])
		p.queues[i].markAbove = p.marking[i].Above()
	}
}

// Enqueue decides on a packet routed to this egress port and accounts it: to the queue of its
// class, or drop. It may pause the class at the packet's ingress. O(1), O(log ports) if it pauses.
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	if debug.Enabled {
		s.mustBeDrained("Enqueue")
	}
	s.advance(now)
	class, n := packet.Class, int64(packet.Size)
	if class >= sluice.Classes || n <= 0 {
		return p.refuse(packet)
	}
	i := int(packet.Ingress)*sluice.Classes + int(class)
	if i >= len(s.accounts) || p.ordinary>>class&1 == 0 {
		return p.enqueueOther(packet)
	}
	a := &s.accounts[i]
	if a.discard || !a.admit(s, n) {
		return p.enqueueSpilling(packet)
	}
	p.push(class, n)
	if a.over(s.free) && !a.paused {
		return p.appendAndPause(packet)
	}
	return sluice.AppendTo(sluice.QueueID(class))
}

// Dequeue accounts the departure of the packet at the head of queue q, which Next answered: to
// the wire, marked if the queue it leaves is long, or discarded by the watchdog. It may resume the class
// at the packet's ingress. O(1), O(log ports) if it resumes.
//
// A packet that cannot be the head of q (wrong class, size or ingress, empty queue) is counted as misuse and
// answered with a drop; nothing else changes.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	if debug.Enabled {
		s.mustBeDrained("Dequeue")
	}
	s.advance(now)
	class, n := packet.Class, int64(packet.Size)
	if class >= sluice.Classes || sluice.QueueID(class) != q || n <= 0 || n > p.queues[class].bytes {
		return p.misused(q, packet)
	}
	i := int(packet.Ingress)*sluice.Classes + int(class)
	if i >= len(s.accounts) || s.lossless>>class&1 == 0 {
		return p.dequeueOther(packet)
	}
	a := &s.accounts[i]
	if !a.remove(s, n) {
		return p.misused(q, packet)
	}
	e := &p.queues[class]
	e.bytes -= n
	s.buffered -= n
	if e.bytes == 0 {
		p.backlog &^= 1 << class
	}
	if !p.simple || e.bytes > e.markAbove {
		return p.dequeueBusy(packet)
	}
	e.transmitted++
	if a.paused && a.under(s.free) {
		return p.sendAndResume(packet)
	}
	return sluice.TransmitMarked(packet.ECN)
}

// push accounts n bytes to a queue.
func (p *Port) push(class sluice.Class, n int64) {
	s, e := p.owner, &p.queues[class]
	p.backlog |= 1 << class
	e.enqueued++
	e.bytes += n
	if e.bytes > e.peak {
		e.peak = e.bytes
	}
	s.buffered += n
	if s.buffered > s.peak {
		s.peak = s.buffered
	}
}

// account returns what this ingress holds in a class.
func (p *Port) account(class sluice.Class) *account {
	return &p.owner.accounts[int(p.id)*sluice.Classes+int(class)]
}
