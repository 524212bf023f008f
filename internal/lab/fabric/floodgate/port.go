package floodgate

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/chassis"
	"github.com/sluicefc/sluice/internal/drr"
	"github.com/sluicefc/sluice/internal/wire"
)

// Port is a port of a Switch: an egress with an output queue and VOQs, and what the device upstream
// is owed.
type Port struct {
	owner  *Switch
	id     sluice.PortID
	edge   bool
	due    bool // a frame is to carry credit
	echo   bool // a frame is to carry echoed
	window int64
	bytes  int64  // in the output queue
	lanes  []lane // by destination
	voqs   drr.Ring
	active int // VOQs that have packets

	silent  bitset.Set // destinations that were sent bytes without credit
	unheard bitset.Set // silent destinations without credit since the timer of SYNs ran out
	asks    bitset.Set // destinations that a SYN is owed for

	credits bitset.Set // destinations that the upstream is owed credit for
	sum     int64      // credit that the upstream is owed and that is not withheld
	echoed  Entry      // answer to a SYN about a destination that is not known

	wire.Peer
	counters PortCounters
}

// lane is a destination at a port. Counts of bytes are modulo 2^32 and began when the link came up.
type lane struct {
	// As an egress.
	bytes    int64  // in the VOQ
	granted  bool   // the VOQ may move a packet
	passed   uint32 // to the output queue
	sent     uint32 // on the wire
	credited uint32

	// As an ingress.
	received uint32
	held     uint32 // of that, in queues
	told     uint32 // credit that the upstream has heard of
}

func (l *lane) outstanding() int64 { return int64(l.passed - l.credited) }

// owed is the credit that the upstream has not heard of.
func (l *lane) owed() int64 { return max(0, int64(int32(l.received-l.held-l.told))) }

func (p *Port) creditTimer() int { return 2 * int(p.id) }
func (p *Port) synTimer() int    { return 2*int(p.id) + 1 }

// Enqueue accounts a packet routed to this egress port: to the output queue, if its destination's
// VOQ is empty and its window has room, else to the VOQ. O(1), O(ports) where it makes credit be
// withheld. A packet without a Path has no window, and is counted as Incomplete.
func (p *Port) Enqueue(now sluice.Time, packet *sluice.Packet) sluice.Verdict {
	s, n := p.owner, int64(packet.Size)
	s.clock.Advance(now)
	if reason := chassis.Fault(packet, len(s.ports)); reason != sluice.NoReason {
		p.counters.Dropped[reason]++
		return sluice.DropBecause(reason)
	}
	in := s.ports.At(packet.Ingress)
	d := 0
	if !p.edge || in != nil && !in.edge {
		d = p.destination(packet)
	}
	if in != nil && !in.edge && d > 0 {
		in.lanes[d].received += uint32(n)
		in.lanes[d].held += uint32(n)
	}
	packet.Note = uint64(d)
	if s.config.Buffer > 0 && s.buffered+n > int64(s.config.Buffer) {
		p.counters.Dropped[sluice.BufferFull]++
		s.left(packet)
		return sluice.DropBecause(sluice.BufferFull).WithWake(s.woken.Take())
	}
	s.buffered += n
	p.counters.Enqueued++
	l := &p.lanes[d]
	if d == 0 || p.edge || l.bytes == 0 && (p.Down || s.waiting[d] == 0 && s.room(d, p, n)) {
		p.pass(d, n)
		return sluice.AppendToQueue(0).WithWake(s.woken.Take())
	}
	if l.bytes == 0 {
		p.active++
		p.counters.VOQsPeak = max(p.counters.VOQsPeak, p.active)
	}
	l.bytes += n
	p.counters.Isolated++
	s.wait(d, n)
	s.grant(d)
	p.updateEligible(d)
	return sluice.AppendToQueue(sluice.QueueID(d)).WithWake(s.woken.Take())
}

func (p *Port) pass(d int, n int64) {
	p.bytes += n
	p.lanes[d].passed += uint32(n)
	if p.windowed(d) {
		p.owner.flying[d] += n
	}
}

func (p *Port) windowed(d int) bool { return d > 0 && !p.edge && !p.Down }

// destination returns the number of a packet's destination; 0 if the packet has no window.
func (p *Port) destination(packet *sluice.Packet) int {
	s, last := p.owner, packet.Path.Len()-1
	switch {
	case !s.config.Classes.Has(packet.Class):
		p.counters.Outside++
		return 0
	case last < 0:
		p.counters.Incomplete++
		return 0
	}
	hop := packet.Path.At(last)
	d := s.place(hop.Key())
	if d == 0 {
		p.counters.Uncontrolled++
	}
	return d
}

// Next returns the queue whose head goes next: a VOQ whose window has room, in turn, to move to the
// output queue; else the output queue. Asked again before an input, it answers the same. O(1).
func (p *Port) Next(sluice.Time) (sluice.QueueID, bool) {
	if d := p.voqs.Next(); d >= 0 {
		return sluice.QueueID(d), true
	}
	return 0, p.bytes > 0
}

// Dequeue accounts the packet at the head of queue q, which Next answered: from a VOQ it goes to
// the output queue; from the output queue to the wire, and the upstream that it came from is owed
// credit. O(1), O(ports) where credit is not withheld any more. A packet that cannot be the head of
// q is counted as misuse.
func (p *Port) Dequeue(now sluice.Time, q sluice.QueueID, packet *sluice.Packet) sluice.Verdict {
	s, d, n := p.owner, int(packet.Note), int64(packet.Size)
	now = s.clock.Advance(now)
	if packet.Note >= uint64(len(p.lanes)) || n <= 0 || q != 0 && int(q) != d || !p.Sendable(q) ||
		n > int64(p.Backlog(q)) || q == 0 && n > int64(p.lanes[d].passed-p.lanes[d].sent) ||
		!s.holds(packet) {
		p.counters.Misuse++
		return sluice.DropBecause(sluice.BadQueue)
	}
	l := &p.lanes[d]
	if q != 0 {
		if l.bytes -= n; l.bytes == 0 {
			p.active--
		}
		p.release(d)
		p.pass(d, n)
		p.voqs.Charge(d, 1)
		p.counters.Moved++
		s.wait(d, -n)
		s.grant(d)
		p.updateEligible(d)
		return sluice.AppendToQueue(0).WithWake(s.woken.Take())
	}
	p.bytes -= n
	s.buffered -= n
	p.counters.Transmitted++
	l.sent += uint32(n)
	if p.windowed(d) {
		p.silent.Add(d)
		if s.timers.At(p.synTimer()) == sluice.Never {
			s.setTimer(p.synTimer(), chassis.After(now, s.config.Timeout))
		}
	} else {
		l.credited += uint32(n)
	}
	s.left(packet)
	return sluice.TransmitMarked(packet.ECN).WithWake(s.woken.Take())
}

func (p *Port) release(d int) {
	if l := &p.lanes[d]; l.granted {
		l.granted = false
		p.owner.grants[d]--
	}
}

func (s *Switch) holds(packet *sluice.Packet) bool {
	in := s.ports.At(packet.Ingress)
	return in == nil && packet.Ingress == sluice.Local || in != nil &&
		(in.edge || packet.Note == 0 || int64(in.lanes[packet.Note].held) >= int64(packet.Size))
}

// left owes credit for a packet that the switch holds no more.
func (s *Switch) left(packet *sluice.Packet) {
	in, d := s.ports.At(packet.Ingress), int(packet.Note)
	if in == nil || in.edge || d == 0 {
		return
	}
	l := &in.lanes[d]
	before := l.owed()
	l.held -= uint32(packet.Size)
	in.note(d, before)
}

// note takes over what the upstream is owed for a destination, which was so much before.
func (p *Port) note(d int, before int64) {
	l := &p.lanes[d]
	if p.Down {
		l.told = l.received - l.held
	}
	owed := l.owed()
	p.credits.Put(d, owed > 0)
	if !p.owner.withheld(d) {
		p.credit(owed - before)
	}
}

func (p *Port) credit(n int64) {
	s := p.owner
	p.sum += n
	switch {
	case n == 0:
	case p.sum == 0:
		p.due = false
		s.setTimer(p.creditTimer(), sluice.Never)
	case p.sum >= int64(s.config.Threshold):
		if !p.due {
			s.setTimer(p.creditTimer(), sluice.Never)
		}
		p.due = true
		s.woken.Port(p.id)
	case !p.due && s.timers.At(p.creditTimer()) == sluice.Never:
		s.setTimer(p.creditTimer(), chassis.After(s.clock.Now(), s.config.Interval))
	}
}

func (p *Port) updateEligible(d int) {
	p.voqs.SetEligible(d, p.lanes[d].bytes > 0 && p.Sendable(sluice.QueueID(d)))
}

// PollFrame builds the next frame that this port owes its peer, from the state as it is now:
// credits that are due, else a SYN. False, and f unchanged, when no frame is owed. O(destinations
// owed).
func (p *Port) PollFrame(_ sluice.Time, f *Frame) bool {
	if !p.Owes() {
		return false
	}
	p.Sent++
	p.counters.FramesSent++
	f.Source, f.Sequence, f.Count = p.owner.config.MAC, p.Sent, 0
	if p.due || p.echo {
		p.fillCredit(f)
	} else {
		p.fillSYN(f)
	}
	return true
}

func (p *Port) Owes() bool { return p.due || p.echo || !p.asks.Empty() }

func (p *Port) fillCredit(f *Frame) {
	s := p.owner
	f.Type = Credit
	p.counters.Credits++
	if p.echo {
		p.echo = false
		f.add(p.echoed)
	}
	for d := p.credits.Next(0); d >= 0 && p.due && f.Count < MaxListed; d = p.credits.Next(d + 1) {
		if s.withheld(d) {
			continue
		}
		l := &p.lanes[d]
		p.sum -= l.owed()
		l.told = l.received - l.held
		p.credits.Remove(d)
		f.add(Entry{Destination: s.hop(d), Credited: l.told})
	}
	if p.sum == 0 {
		p.due = false
	}
}

func (p *Port) fillSYN(f *Frame) {
	f.Type = SYN
	p.counters.SYNs++
	for d := p.asks.Next(0); d >= 0 && f.Count < MaxListed; d = p.asks.Next(d + 1) {
		l := &p.lanes[d]
		p.asks.Remove(d)
		f.add(Entry{Destination: p.owner.hop(d), Credited: l.credited, Sent: l.sent})
	}
}
