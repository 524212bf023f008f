package sim

import (
	"github.com/sluicefc/sluice/hashpath"
)

// arrived takes a packet off the wire into a port.
func (s *part) arrived(index int32, h handle) {
	if h == 0 {
		return // it was lost when the link failed
	}
	p, pkt := &s.sites[index], s.arena.At(h)
	if s.plain && !p.host && pkt.Value.kind != controlPacket {
		s.forward(p, h, pkt)
		return
	}
	switch {
	case pkt.Value.kind == controlPacket:
		s.receiveFrame(index, h)
	case s.wire.enabled && s.wire.draw(index) == frameLost:
		s.loseOnWire(h)
	case !p.host || p.relays && s.goalOf(pkt) != p.node:
		s.forward(p, h, pkt)
	default:
		s.reach(p, h, pkt)
	}
}

// endOf returns the end of a flow to which packets of a kind go.
func endOf(kind packetKind) int {
	if kind == dataPacket {
		return receiving
	}
	return sending
}

// goalOf returns the node where the way of a packet ends.
func (s *part) goalOf(pkt *packet) int32 {
	return s.endsAt(pkt.Value.flow).node[endOf(pkt.Value.kind)]
}

// reach takes a packet that came to a host where it goes no further.
func (s *part) reach(p *site, h handle, pkt *packet) {
	if s.consumes {
		s.consume(p, pkt)
	}
	if s.answerFaults.enabled && pkt.Value.kind != dataPacket {
		if s.spoil(p, h) {
			return
		}
		pkt = s.arena.At(h)
	}
	if d := s.drains[p.node]; d != nil {
		s.receive(d, p, h, pkt)
		return
	}
	s.deliver(p, h, pkt)
}

// consume tells the machine of a port of a packet that came in by it and that no Enqueue will see.
func (s *part) consume(p *site, pkt *packet) {
	n := &s.nodes[p.node]
	n.driver.Consume(s.now, p.id, &pkt.Packet)
	s.follow(p.node, n)
}

// discard releases a packet that came in by a port and that no Enqueue will see.
func (s *part) discard(p *site, h handle) {
	if s.consumes {
		s.consume(p, s.arena.At(h))
	}
	s.release(h)
}

// forward hands a packet to the egress port that its path names. A path that was cut off at its
// greatest length goes on from here.
func (s *part) forward(in *site, h handle, pkt *packet) {
	if pkt.Value.hopsLeft == 0 {
		s.result.Expired++
		s.discard(in, h)
		return
	}
	pkt.Value.hopsLeft--
	n := &s.nodes[in.node]
	if (!s.plain || pkt.Path.Len() == 0) && !s.checkWay(n, in, h, pkt) {
		return
	}
	pkt.Ingress = in.id
	s.enqueue(n, pkt.Path.At(0).Port, h, pkt)
}

// checkWay gives a packet a way if it needs another than it has; false if there is none.
func (s *part) checkWay(n *node, in *site, h handle, pkt *packet) bool {
	if (s.spread != nil || pkt.Path.Len() == 0) && !s.findWay(in, h, pkt) {
		return false
	}
	out := pkt.Path.At(0)
	if s.config.Failures != nil && n.port(out.Port).down {
		pkt.Path = s.aroundFailure(in, h, pkt)
		if pkt.Path.Len() == 0 {
			s.result.LostOnWire++
			s.discard(in, h)
			return false
		}
		out = pkt.Path.At(0)
	}
	if s.config.VerifyPaths && s.spread == nil {
		taken, ok := s.config.Network.Egress(in.nodeID(), in.id, s.keyOf(h, pkt))
		if !ok || taken != out.Port || int32(out.Switch) != in.node {
			s.fail(
				"flow %d at node %d: predicted hop %v, the switch takes port %d", pkt.Value.flow, in.node, out,
				taken,
			)
			return false
		}
	}
	return true
}

// findWay gives a packet a way from where it came in on; false if there is none.
func (s *part) findWay(in *site, h handle, pkt *packet) bool {
	was := pkt.Path
	path, status, _ := s.way(in.nodeID(), in.id, s.keyOf(h, pkt))
	if pkt.Path = path; path.Len() == 0 {
		if s.config.Failures != nil {
			s.result.LostOnWire++
			s.discard(in, h)
			return false
		}
		s.fail("packet of flow %d has no way on at node %d: %v", pkt.Value.flow, in.node, status)
		return false
	}
	certain := was.At(0)
	if s.config.VerifyPaths && was.Len() > 0 && int32(certain.Switch) == in.node &&
		certain != path.At(0) {
		s.fail("flow %d at node %d: hop %v was certain, the switch takes port %d", pkt.Value.flow,
			in.node, certain, path.At(0).Port)
		return false
	}
	return true
}

// keyOf returns the five-tuple of a packet, which is good until the next one is asked for.
func (s *part) keyOf(h handle, pkt *packet) *hashpath.Flow {
	s.key = s.tuple(pkt.Value.flow)
	if pkt.Value.kind != dataPacket {
		s.key = s.key.Reverse()
	} else if s.labels != nil {
		s.key.FlowLabel = s.arena.letters[h].label
	}
	return &s.key
}

// receiveFrame hands a control frame to the machine of the port it came in by.
func (s *part) receiveFrame(index int32, h handle) {
	p := &s.ports[index]
	p.incoming--
	if s.faults.enabled {
		switch s.faults.draw(index) {
		case frameLost:
			s.arena.release(h)
			return
		case frameDoubled:
			s.deliverFrame(&p.site, h)
		case frameHeldBack:
			if p.late == 0 {
				p.late = h
				s.lateTo[index] = s.now + heldBackFor
				s.agenda.plan(s.now+heldBackFor, eventRelease, index)
				return
			}
		}
	}
	s.deliverFrame(&p.site, h)
	s.arena.release(h)
	s.deliverLate(p)
}

// releaseLate handles the end of the time for which a frame is held back; the frame may be long
// delivered.
func (s *part) releaseLate(index int32) {
	if s.now == s.lateTo[index] {
		s.deliverLate(&s.ports[index])
	}
}

// deliverLate delivers the frame that was held back, if there is one.
func (s *part) deliverLate(p *port) {
	if late := p.late; late != 0 {
		p.late = 0
		s.deliverFrame(&p.site, late)
		s.arena.release(late)
	}
}

func (s *part) deliverFrame(p *site, h handle) {
	n := &s.nodes[p.node]
	if err := n.driver.Receive(s.now, p.id, s.arena.frame(h)); err != nil {
		s.fail("node %d refused a frame at port %d: %v", p.node, p.id, err)
	}
	s.follow(p.node, n)
}
