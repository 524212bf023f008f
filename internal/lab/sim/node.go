package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/kit"
)

// node is a switch or a host: a machine with its driver, and the driver's Output. A hop touches
// three cache lines of it.
type node struct {
	part      *part
	own       []port       // its part of Simulator.ports
	firstPort int32        // where that begins
	overhead  sluice.Bytes // of a control frame on the wire
	held      sluice.Bytes
	timerAt   sluice.Time // the earliest eventTimer in the agenda, Never if none
	driver    kit.Driver[cargo]
}

// machine returns the flow control of the node.
func (n *node) machine() kit.Machine { return n.driver.Machine() }

func (n *node) port(id sluice.PortID) *port { return &n.own[id] }

// Free implements kit.Output.
func (n *node) Free(id sluice.PortID) bool {
	p, s := n.port(id), n.part
	switch {
	case s.now >= p.busyUntil:
		return !p.down // when it is up again it is Ready
	case !p.planned:
		p.planned = true
		s.agenda.planSent(p.busyUntil, n.firstPort+int32(id), p.lane)
	}
	return false
}

// Send implements kit.Output. A host's card has room again for the flow's next packet.
func (n *node) Send(id sluice.PortID, h handle) {
	p, s := n.port(id), n.part
	pkt := s.arena.At(h)
	n.leave(p, pkt)
	if s.signals != 0 && (!p.host || p.relays) {
		s.depart(n, p, h)
	}
	if pkt.Value.kind != dataPacket || pkt.Ingress != sluice.Local {
		s.launch(p, h, pkt)
		return
	}
	slot := s.endsAt(pkt.Value.flow).slot[sending]
	s.flows[slot].inCard = false
	if s.config.PaceOnWire {
		s.begins(slot, h, pkt.Size)
	}
	last := pkt.Value.sequence == s.flows[slot].packets-1
	s.launch(p, h, pkt)
	if last && s.live == nil && s.isMessage(s.flows[slot].index) {
		s.planInjected(p, slot)
	}
	if s.stays == nil {
		s.refill(slot)
		return
	}
	s.stays.begin = p.busyUntil
	s.refill(slot)
	s.stays.begin = 0
}

// SendFrame implements kit.Output.
func (n *node) SendFrame(id sluice.PortID, frame []byte, kind string) {
	s := n.part
	h, pkt := s.arena.takeFrame(frame)
	pkt.Size = sluice.Bytes(len(frame)) + n.overhead
	s.countFrame(kind)
	s.launch(n.port(id), h, pkt)
}

// Drop implements kit.Output.
func (n *node) Drop(id sluice.PortID, h handle, why sluice.Reason) {
	p, s := n.port(id), n.part
	pkt := s.arena.At(h)
	n.leave(p, pkt)
	s.lose(p, pkt, why)
	s.release(h)
}

// enter accounts a packet that is offered to a port.
func (n *node) enter(p *port, pkt *packet) {
	p.held += pkt.Size
	n.held += pkt.Size
}

// leave accounts a packet that is no longer held for a port.
func (n *node) leave(p *port, pkt *packet) {
	p.held -= pkt.Size
	n.held -= pkt.Size
}

// enqueue hands a packet to an egress port; it reports whether the packet was kept.
func (s *part) enqueue(n *node, id sluice.PortID, h handle, pkt *packet) bool {
	p := n.port(id)
	n.enter(p, pkt)
	if s.stays != nil {
		s.wait(h, pkt)
	}
	port, all := p.held, n.held
	verdict := n.driver.Enqueue(s.now, id, h)
	kept := verdict.Action() == sluice.Append
	if kept && !p.host {
		s.result.MaxPortBytes = max(s.result.MaxPortBytes, port)
		s.result.MaxSwitchBytes = max(s.result.MaxSwitchBytes, all)
	} else if kept && p.relays {
		s.result.MaxRelayBytes = max(s.result.MaxRelayBytes, all)
	}
	s.follow(p.node, n)
	return kept
}

// follow does what is left to do after a hook of a node.
func (s *part) follow(index int32, n *node) {
	if n.driver.DeadlineMoved() {
		s.followUp(index, n)
	}
}

// followUp puts the deadline of a node into the agenda; a broken rule ends the run.
func (s *part) followUp(index int32, n *node) {
	s.planTimer(index, n)
	if n.driver.Err() != nil {
		s.blame(index, n)
	}
}

// blame ends the run for a rule that the machine of a node broke.
func (s *part) blame(index int32, n *node) {
	s.fail("machine of node %d: %v", index, n.driver.Err())
}

// planTimer makes sure that the machine's deadline is in the agenda.
func (s *part) planTimer(index int32, n *node) {
	if at := n.driver.Deadline(); at < n.timerAt {
		n.timerAt = at
		s.agenda.plan(max(at, s.now), eventTimer, index)
	}
}

// timer handles a machine's deadline, or a plan that an earlier one overtook.
func (s *part) timer(index int32, planned sluice.Time) {
	n := &s.nodes[index]
	if planned < n.timerAt {
		return
	}
	n.timerAt = sluice.Never
	n.driver.Expire(s.now)
	s.planTimer(index, n)
	if n.timerAt <= s.now {
		s.fail("node %d: Expire left something due at %v", index, n.timerAt)
	}
}
