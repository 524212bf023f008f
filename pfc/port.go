package pfc

import (
	"math"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/debug"
	"github.com/sluicefc/sluice/internal/prng"
)

// Port is a port of a Switch: an egress with a queue for each class, and the ingress of the
// same number.
type Port struct {
	owner    *Switch
	id       sluice.PortID
	backlog  ClassSet // queues that are not empty
	blocked  ClassSet // queues that may not send: held, unless the watchdog overrules it
	discard  ClassSet // queues that the watchdog empties
	paused   ClassSet // classes whose upstream is to be paused
	told     ClassSet // classes whose upstream was last told so
	dirty    ClassSet // classes the next frame must speak of
	held     ClassSet // classes whose pause timer runs
	bypass   ClassSet // classes whose pause timer does not hold them, on the watchdog's word
	storming ClassSet // classes in a pause storm

	queues   [sluice.Classes]queue
	accounts [sluice.Classes]account

	// Deficit round robin.
	deficit [sluice.Classes]int64
	current [sluice.Classes]sluice.Class // by group: whose turn it is

	marking [sluice.Classes]marking
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
	p.rate, p.mode, p.mac, p.pause = c.Rate, c.Mode, c.MAC, c.Pause
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
		p.accounts[i].init(c)
		p.expiresAt[i] = sluice.Never
		p.marking[i] = newMarking(c.ECN[i])
		p.queues[i].markAbove = math.MaxInt64
		if c.ECN[i].KMax > 0 {
			p.queues[i].markAbove = int64(c.ECN[i].KMin)
		}
	}
}

// Enqueue decides on a packet routed to this egress port and accounts it: to the queue of its
// class, or drop. It may pause the class at the packet's ingress. O(1), O(log ports) if it pauses.
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s := p.owner
	if debug.Enabled {
		s.mustBeDrained("Enqueue")
	}
	now = s.advance(now)
	class, n := packet.Class, int64(packet.Size)
	if class >= sluice.Classes || n <= 0 {
		return p.refuse(packet)
	}
	var wake sluice.Wake
	switch bit := ClassSet(1) << class; {
	case p.discard&bit != 0:
		return p.dropped(class, sluice.WatchdogDrop)
	case int(packet.Ingress) >= len(s.ports):
		if packet.Ingress != sluice.Local {
			return p.refuse(packet)
		}
		s.local[class] += n
	case s.lossless&bit == 0:
		if !p.admitLossy(class, n) {
			return p.dropped(class, sluice.BufferFull)
		}
	default:
		in := &s.ports[packet.Ingress]
		a := &in.accounts[class]
		if a.discard {
			return p.dropped(class, sluice.WatchdogDrop)
		}
		if reason := in.admit(class, n); reason != sluice.NoReason {
			return p.dropped(class, reason)
		}
		if !a.paused && a.over(s.free) {
			wake = in.pauseUpstream(now, class)
		}
	}
	p.push(class, n)
	return sluice.AppendTo(sluice.QueueID(class)).WithWake(wake)
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
	now = s.advance(now)
	class, n := packet.Class, int64(packet.Size)
	if q >= sluice.Classes || sluice.QueueID(class) != q || n <= 0 || n > p.queues[class&7].bytes {
		return p.misused(q, packet)
	}
	var wake sluice.Wake
	bit := ClassSet(1) << class
	switch {
	case int(packet.Ingress) >= len(s.ports):
		if packet.Ingress != sluice.Local || n > s.local[class] {
			return p.misused(q, packet)
		}
		s.local[class] -= n
	case s.lossless&bit == 0:
		s.free += n
	default:
		in := &s.ports[packet.Ingress]
		a := &in.accounts[class]
		if !a.remove(s, n) {
			return p.misused(q, packet)
		}
		if a.paused && a.under(s.free) {
			wake = in.resumeUpstream(now, class)
		}
	}
	return p.pop(class, n, packet.ECN).WithWake(wake)
}

// push accounts n bytes to a queue.
func (p *Port) push(class sluice.Class, n int64) {
	s, e := p.owner, &p.queues[class]
	p.backlog |= 1 << class
	e.enqueued++
	e.bytes += n
	e.peak = max(e.peak, e.bytes)
	s.buffered += n
	s.peak = max(s.peak, s.buffered)
}

// pop takes n bytes from a queue and says where the packet goes.
func (p *Port) pop(class sluice.Class, n int64, ecn sluice.ECN) sluice.Verdict {
	s, e := p.owner, &p.queues[class]
	bit := ClassSet(1) << class
	e.bytes -= n
	s.buffered -= n
	if e.bytes == 0 {
		p.backlog &^= bit
	}
	if p.discard&bit != 0 {
		return p.dropped(class, sluice.WatchdogDrop)
	}
	if !s.strict {
		p.charge(class, n)
	}
	e.transmitted++
	if e.bytes > e.markAbove {
		ecn = p.mark(class, ecn)
	}
	return sluice.TransmitMarked(ecn)
}

// admitLossy takes n bytes of the pool for a packet of a lossy class, if its queue may grow so far.
func (p *Port) admitLossy(class sluice.Class, n int64) bool {
	s := p.owner
	if n > s.free || p.lossyLimit.exceededBy(p.queues[class].bytes+n, s.free) {
		return false
	}
	s.free -= n
	return true
}

// refuse counts and answers a packet that is not well-formed.
func (p *Port) refuse(packet *sluice.Packet) sluice.Verdict {
	reason := sluice.BadIngress
	if packet.Class >= sluice.Classes {
		reason = sluice.BadClass
	} else if packet.Size <= 0 {
		reason = sluice.BadSize
	}
	p.counters.Dropped[reason]++
	return sluice.DropBecause(reason)
}

// misused counts and answers a Dequeue that does not fit what was enqueued.
func (p *Port) misused(q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	p.counters.Misuse++
	switch {
	case q >= sluice.Classes || sluice.QueueID(packet.Class) != q || p.queues[q].bytes == 0:
		return sluice.DropBecause(sluice.BadClass)
	case packet.Size <= 0 || int64(packet.Size) > p.queues[q].bytes:
		return sluice.DropBecause(sluice.BadSize)
	}
	return sluice.DropBecause(sluice.BadIngress)
}

// dropped counts and answers a packet that is discarded.
func (p *Port) dropped(class sluice.Class, reason sluice.Reason) sluice.Verdict {
	p.counters.Dropped[reason]++
	p.counters.Class[class].Dropped++
	return sluice.DropBecause(reason)
}
