package bfc

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/bitset"
	"github.com/sluicefc/sluice/internal/wire"
)

// upstream is the state that a port, as an ingress, has of the queues of the device at its other
// end: which queues it holds paused, and about which of them it owes a frame.
type upstream struct {
	counters []uint32   // by queue: packets held that came from it and were counted
	held     bitset.Set // queues that are paused
	differs  bitset.Set // queues whose last frame was the opposite of held

	heldLen int32 // members of held
	bitmap  bool  // a Bitmap is to be sent

	wire.Peer

	interval sluice.Time // between Bitmaps
	quiet    int         // Bitmaps scheduled since the last queue was resumed
}

func newUpstream(c *Config, id sluice.PortID) upstream {
	n := c.Ports[id].UpstreamQueues
	return upstream{
		counters: make([]uint32, n),
		held:     bitset.New(n),
		differs:  bitset.New(n),
		interval: c.Period,
		Peer:     wire.NewPeer(),
	}
}

func (u *upstream) told(q int) bool { return u.held.Has(q) != u.differs.Has(q) }

// over reports whether a queue is over the pause threshold of packets from there, which is at least
// a byte.
func (p *Port) over(q *queue, from *origin) bool {
	return q.bytes*max(sluice.Bytes(p.active), 1) > from.share && q.bytes > 1
}

// count counts a packet that has joined e, and found its queue over the threshold, against its
// upstream queue, if that is to be. It reports whether the upstream queue is to be paused, for no
// other packet was counted against it.
func (p *Port) count(packet *sluice.Packet, e *entry, from *origin) (first bool) {
	c, counters, q := &p.counters, from.counters, packet.UpstreamQueue
	c.OverThreshold++
	switch {
	case int(q) >= len(counters):
		c.Unpausable++
	case e.size == 1 && !p.owner.countLone:
		c.Exemptions++
	case from.withheld:
		c.Withheld++
	default:
		packet.Note |= noteCounted
		counters[q]++
		return counters[q] == 1
	}
	return false
}

// strictQueues is how many queues after the data queues a device can have: a first-packet queue and
// a control queue, which cannot be paused.
const strictQueues = 2

// uncount undoes the count of a packet that leaves, and returns the pause counter of its upstream
// queue; -1 if it cannot have been counted, and then nothing changes.
func (p *Port) uncount(packet *sluice.Packet) int {
	ingress, q := place(packet.Ingress), packet.UpstreamQueue
	if ingress >= len(p.from) {
		return -1
	}
	counters := p.from[ingress].counters
	if int(q) >= len(counters) || counters[q] == 0 {
		return -1
	}
	counters[q]--
	return int(counters[q])
}

// pause begins a pause of upstream queue q, whose counter is no longer 0, or undoes a resume that
// waited.
func (p *Port) pause(q sluice.QueueID) {
	up := &p.upstream
	if p.owner.resumes.cancel(p.id, q) {
		return
	}
	p.counters.Pauses++
	up.heldLen++
	up.held.Add(int(q))
	p.announce(int(q), true)
}

// release resumes upstream queue q, whose counter is 0 since a packet left by queue by of the port
// egress, now or, if Config.ResumeLimit says so, later.
func (p *Port) release(q sluice.QueueID, egress sluice.PortID, by sluice.QueueID) {
	s := p.owner
	if s.config.ResumeLimit > 0 {
		window := int(egress)*s.config.Queues + int(by)
		if !s.resumes.allow(window, s.config.Queues, s.clock.Now()) {
			p.counters.ResumesDelayed++
			s.postpone(window, p.id, q)
			return
		}
	}
	p.resume(q)
}

// resume ends the pause of upstream queue q.
func (p *Port) resume(q sluice.QueueID) {
	up := &p.upstream
	p.counters.Resumes++
	up.heldLen--
	up.held.Remove(int(q))
	p.announce(int(q), false)
}

// announce notes that queue q was paused or resumed. The port is woken if it has a frame to send
// now and had none before.
func (p *Port) announce(q int, paused bool) {
	s, up := p.owner, &p.upstream
	had := p.pending()
	differs := !up.differs.Has(q)
	up.differs.Put(q, differs)
	if differs && !paused && s.config.Signalling == BitmapResumeAtOnce {
		up.bitmap = true
	}
	if !had && p.pending() {
		s.woken.Port(p.id)
	}
	if s.bitmaps {
		p.refreshSoon()
	}
}

// pending reports whether the port has a frame to send.
func (p *Port) pending() bool {
	up := &p.upstream
	return (up.bitmap || p.owner.listed && !up.differs.Empty()) && !up.Down
}

// PollFrame fills f with the next frame that this port owes the device upstream; it returns false,
// and leaves f as it was, when it owes none. A frame reports the state at the moment of the poll: a
// Bitmap if one is due, which reports all of it, else the Pause or Resume of the lowest queue whose
// last frame said the opposite. Constant time, and O(queues/64 + changes) for a Bitmap.
func (p *Port) PollFrame(_ sluice.Time, f *Frame) bool {
	if !p.pending() {
		return false
	}
	up := &p.upstream
	up.Sent++
	p.counters.FramesSent++
	f.Source, f.Sequence = p.owner.config.MAC, up.Sent
	if up.bitmap {
		p.fillBitmap(f)
	} else {
		p.fillList(f)
	}
	return true
}

// Owes reports whether PollFrame has a frame. O(1).
func (p *Port) Owes() bool { return p.pending() }

func (p *Port) fillBitmap(f *Frame) {
	up := &p.upstream
	p.counters.BitmapsSent++
	up.bitmap = false
	f.Type = Bitmap
	f.Count = uint16(len(up.counters))
	clear(f.Bits[up.held.CopyTo(f.Bits[:]):])
	up.differs.Clear()
}

func (p *Port) fillList(f *Frame) {
	up := &p.upstream
	q := up.differs.Next(0)
	paused := up.held.Has(q)
	if paused {
		f.Type = Pause
		p.counters.PausesSent++
	} else {
		f.Type = Resume
		p.counters.ResumesSent++
	}
	f.Count = 0
	for ; q >= 0 && int(f.Count) < p.owner.config.QueuesPerFrame; q = up.differs.Next(q + 1) {
		if up.held.Has(q) == paused {
			f.Queues[f.Count] = sluice.QueueID(q)
			f.Count++
			up.differs.Remove(q)
		}
	}
}

// WaitsFor reports whether queue q, which the peer holds, waits for packet p to leave the peer's
// device: a pause of an upstream queue ends when packets that came from that queue have left. In
// which queue p waits there makes no difference; came says that it came in by this port's link.
func (p *Port) WaitsFor(q sluice.QueueID, packet *sluice.Packet, _ sluice.QueueID, came bool) bool {
	return came && packet.UpstreamQueue == q && int(q) < p.owner.queues
}
