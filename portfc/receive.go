package portfc

import (
	"math/bits"

	"github.com/sluicefc/sluice"
)

// Receive obeys a frame that came in at this port from its peer (Algorithm 3 at a node, Algorithm 4
// at a switch). The wake carries the port if a queue was resumed, and the ports by which a node
// relays. Constant time; at a node O(ports); O(queues) for a frame of a relay queue.
//
// A frame that is not newer than an earlier one is counted and not obeyed, and so is a frame that
// comes while the link is down. A frame that names what cannot be is counted as malformed.
func (p *Port) Receive(now sluice.Time, f *Frame) sluice.Wake {
	s := p.owner
	s.clock.Advance(now)
	p.counters.FramesReceived++
	if p.down || !p.heard.Fresh(f.Sequence) {
		p.counters.Stale++
		return 0
	}
	class, ok := s.network.classNamed(f)
	if ok {
		if f.Type == Pause {
			p.counters.PausesReceived++
		} else {
			p.counters.ResumesReceived++
		}
		if s.node {
			ok = p.obeyAtNode(f, class)
		} else {
			ok = p.obeyAtSwitch(f, class)
		}
	}
	if !ok {
		p.counters.Malformed++
	}
	return s.woken.Take()
}

// ReceiveWire is Receive of the bytes of a frame, see [Frame.Parse]. Bytes that are no frame are
// counted as malformed, and change nothing else. It does not allocate.
func (p *Port) ReceiveWire(now sluice.Time, frame []byte) (sluice.Wake, error) {
	f := &p.owner.incoming
	if err := f.Parse(frame); err != nil {
		p.owner.clock.Overlook(now)
		p.counters.Malformed++
		return 0, err
	}
	return p.Receive(now, f), nil
}

func (t NDC) classNamed(f *Frame) (uint8, bool) {
	if f.Type != Pause && f.Type != Resume || int(f.Layer) > t.K {
		return 0, false
	}
	switch {
	case f.Queue == t.RelayQueue():
		return relayClass, int(f.Port) == int(f.Layer)
	case f.Queue > t.DDQ() || int(f.Port) >= t.N:
		return 0, false
	}
	return uint8(t.K - int(f.Queue)/(t.N-1)), true
}

// obeyAtNode is Algorithm 3: the queue for that egress port, four-hop or two-hop, and if another
// switch upstream can send there too the node tells it. False if the frame cannot be meant for this
// port.
func (p *Port) obeyAtNode(f *Frame, class uint8) bool {
	e := int(f.Port)
	if class == relayClass || int(f.Layer) != int(p.id) || e == int(p.ownPort) {
		return false
	}
	p.apply(p.queueOf(class, e), 0, f.Type == Pause)
	return true
}

// obeyAtSwitch is Algorithm 4; the relay queue of a node holds all IHFQs.
func (p *Port) obeyAtSwitch(f *Frame, class uint8) bool {
	s, t := p.owner, p.owner.network
	layer := int(f.Layer)
	if layer == int(s.layer) {
		return false
	}
	if class == relayClass {
		for q := range int(t.DDQ()) {
			p.apply(q, relayHold+layer, f.Type == Pause)
		}
		return true
	}
	own := int(p.next.own[layer])
	if int(class) >= t.K || int(f.Port) == own {
		return false
	}
	q := (t.K-int(class)-1)*(t.N-1) + compact(int(f.Port), own)
	p.apply(q, layer, f.Type == Pause)
	return true
}

// relayHold is the first reason on account of a relay queue; the reasons before it are on account
// of an egress port, both by layer. A node knows one reason only.
const relayHold = MaxK + 1

// apply lets reason hold queue q or not, and does what follows from it.
func (p *Port) apply(q, reason int, held bool) {
	s := p.owner
	if p.heardAt != nil && held {
		p.remember(q, reason)
	}
	if !p.hold(q, 1<<reason, held) {
		return
	}
	if !held {
		s.woken.Port(p.id)
	}
	class := p.queue(q).class
	if s.node && int(class) < s.network.K {
		e := int(expand(int32(q)-int32(s.network.firstOf(class)), p.ownPort))
		item := int(p.id)*s.itemsPerLayer() + int(class)*s.network.N + e
		s.announce(p.id, item, held)
	}
}

// LinkDown says that the link of this port failed. No queue of it is held from now on, so that what
// waits here can be taken out, and no frame is sent or obeyed until LinkUp. O(queues x ports).
func (p *Port) LinkDown(now sluice.Time) sluice.Wake {
	s := p.owner
	s.clock.Advance(now)
	p.down = true
	p.releaseAll()
	p.stop(refreshTimer)
	return s.woken.Take()
}

// LinkUp says that the link of this port is there again, or that the device at its other end
// started anew: earlier frames from it are void, sequence numbers included, and the port announces
// again every pause that holds. Call it no sooner than the link's delay after LinkDown: a frame
// that was on the link all the while is obeyed when it comes in. O(queues x ports).
func (p *Port) LinkUp(now sluice.Time) sluice.Wake {
	s := p.owner
	s.clock.Advance(now)
	p.releaseAll()
	p.down = false
	p.heard.Forget()
	for item := range s.items() {
		p.out.repeats.Remove(item)
		p.out.differs.Put(item, s.wanted(p, item))
	}
	if p.out.paused > 0 {
		p.planRefresh()
	}
	if p.Owes() {
		s.woken.Port(p.id)
	}
	return s.woken.Take()
}

func (p *Port) releaseAll() {
	for q := range p.owner.queues {
		for holds := p.queue(q).holds; holds != 0; holds &= holds - 1 {
			p.apply(q, bits.TrailingZeros8(holds), false)
		}
	}
	p.stop(expiryTimer)
}
