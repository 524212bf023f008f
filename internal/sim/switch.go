package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

// arrived takes the first packet off the wire into a port.
func (s *Simulator) arrived(e event) {
	p := &s.ports[e.index]
	h := p.incoming.pop(&s.arena)
	if p.incoming.empty() {
		s.agenda.drop()
	} else {
		s.agenda.postpone(e, s.arena.at(p.incoming.head).arrivesAt)
	}
	pkt := s.arena.at(h)
	switch {
	case pkt.kind == controlPacket:
		s.receiveFrame(e.index, p, h)
	case p.host:
		s.deliver(p, h, pkt)
	default:
		s.forward(p, h, pkt)
	}
}

// forward hands a packet to the egress port that its path names. A path that was cut off at its
// greatest length goes on from here.
func (s *Simulator) forward(in *port, h handle, pkt *packet) {
	if pkt.hopsLeft == 0 {
		s.result.Expired++
		s.arena.release(h)
		return
	}
	pkt.hopsLeft--
	if pkt.Path.Len() == 0 {
		var status hashpath.Status
		pkt.Path, status = s.config.Network.Path(sluice.SwitchID(in.node), in.id, s.keyOf(pkt))
		if pkt.Path.Len() == 0 {
			s.fail("packet of flow %d has no way on at node %d: %v", pkt.flow, in.node, status)
			return
		}
	}
	out := pkt.Path.At(0)
	if s.config.VerifyPaths {
		taken, ok := s.config.Network.Egress(sluice.SwitchID(in.node), in.id, s.keyOf(pkt))
		if !ok || taken != out.Port || int32(out.Switch) != in.node {
			s.fail("flow %d at node %d: predicted hop %v, the switch takes port %d", pkt.flow, in.node, out, taken)
			return
		}
	}
	pkt.Ingress = in.id
	s.enqueue(s.nodes[in.node].firstPort+int32(out.Port), h, pkt)
}

// keyOf returns the five-tuple of a packet.
func (s *Simulator) keyOf(pkt *packet) *hashpath.Flow {
	key := &s.flows[pkt.flow].keys[0]
	if pkt.kind != dataPacket {
		key = &s.flows[pkt.flow].keys[1]
	}
	return key
}

// enqueue hands a packet to an egress port; it reports whether the packet was kept.
func (s *Simulator) enqueue(index int32, h handle, pkt *packet) bool {
	p := &s.ports[index]
	verdict := p.machine.Enqueue(s.now, p.id, &pkt.Packet)
	if verdict.Action() != sluice.Append {
		s.lose(p, pkt, verdict.Reason())
		s.arena.release(h)
		s.act(p, verdict.Wake())
		return false
	}
	p.queues[verdict.Queue()].push(&s.arena, h)
	p.waiting++
	p.held += sluice.Bytes(pkt.Size)
	n := &s.nodes[p.node]
	n.held += sluice.Bytes(pkt.Size)
	if !p.host {
		s.result.MaxPortBytes = max(s.result.MaxPortBytes, p.held)
		s.result.MaxSwitchBytes = max(s.result.MaxSwitchBytes, n.held)
	}
	s.act(p, verdict.Wake())
	s.kick(index)
	return true
}

// act does what a wake of p's machine asks for.
func (s *Simulator) act(p *port, wake sluice.Wake) {
	if wake == 0 {
		return
	}
	n := &s.nodes[p.node]
	if wake.Has(sluice.WakeFrames) {
		s.drainFrames(p.node, n)
	}
	if wake.Has(sluice.WakeQueues) {
		s.release(p.node, n, wake.Port())
	}
	if wake&(sluice.WakeDeadline|sluice.WakeFrames) != 0 { // a frame that was polled may have started a timer
		s.planTimer(p.node, n)
	}
}

// release lets a port of a node send, or all.
func (s *Simulator) release(node int32, n *node, port sluice.PortID) {
	switch {
	case int32(port) < n.ports:
		s.kick(n.firstPort + int32(port))
	case port == sluice.AnyPort:
		for i := range n.ports {
			s.kick(n.firstPort + i)
		}
	default:
		s.fail("machine of node %d released queues of port %d, which it does not have", node, port)
	}
}

// drainFrames moves pending control frames to their ports.
func (s *Simulator) drainFrames(node int32, n *node) {
	for {
		h, pkt := s.arena.take()
		frame, out, kind, ok := n.machine.PollFrame(s.now, pkt.frame[:0])
		if !ok {
			s.arena.release(h)
			return
		}
		if int32(out) >= n.ports {
			s.fail("machine of node %d sent a frame from port %d, which it does not have", node, out)
			return
		}
		const checkSequence = 4
		pkt.frame = frame
		pkt.kind = controlPacket
		pkt.Size = int32(len(frame) + checkSequence)
		pkt.Path = sluice.Path{}
		s.countFrame(kind)
		index := n.firstPort + int32(out)
		s.ports[index].control.push(&s.arena, h)
		s.kick(index)
	}
}

// receiveFrame hands a control frame to the machine of the port it came in by.
func (s *Simulator) receiveFrame(index int32, p *port, h handle) {
	if s.faults.enabled {
		switch s.faults.draw() {
		case frameLost:
			s.arena.release(h)
			return
		case frameDoubled:
			s.deliverFrame(p, h)
		case frameHeldBack:
			if p.late == 0 {
				p.late, p.lateTo = h, s.now+heldBackFor
				s.agenda.plan(p.lateTo, eventRelease, index)
				return
			}
		}
	}
	s.deliverFrame(p, h)
	s.arena.release(h)
	s.deliverLate(p)
}

// releaseLate handles the end of the time a frame is held back, or that of one which is long delivered.
func (s *Simulator) releaseLate(index int32) {
	if p := &s.ports[index]; s.now == p.lateTo {
		s.deliverLate(p)
	}
}

// deliverLate delivers the frame that was held back, if there is one.
func (s *Simulator) deliverLate(p *port) {
	if late := p.late; late != 0 {
		p.late = 0
		s.deliverFrame(p, late)
		s.arena.release(late)
	}
}

func (s *Simulator) deliverFrame(p *port, h handle) {
	wake, err := p.machine.Receive(s.now, p.id, s.arena.at(h).frame)
	if err != nil {
		s.fail("node %d refused a frame at port %d: %v", p.node, p.id, err)
		return
	}
	s.act(p, wake)
}

// planTimer makes sure that the machine's deadline is in the agenda.
func (s *Simulator) planTimer(index int32, n *node) {
	if at := n.machine.Deadline(); at < n.timerAt {
		n.timerAt = at
		s.agenda.plan(max(at, s.now), eventTimer, index)
	}
}

// timer handles a machine's deadline, or a plan that an earlier one overtook.
func (s *Simulator) timer(index int32, planned sluice.Time) {
	n := &s.nodes[index]
	if planned < n.timerAt {
		return
	}
	n.timerAt = sluice.Never
	wake := n.machine.Expire(s.now)
	s.act(&s.ports[n.firstPort], wake)
	s.planTimer(index, n)
	if n.timerAt <= s.now {
		s.fail("node %d: Expire left something due at %v", index, n.timerAt)
	}
}
