package sim

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/hol"
	"github.com/sluicefc/sluice/kit"
)

// deadlock looks for queues that wait for each other in a circle which none can leave, and
// describes it; "" if there is none. A held queue waits for packets at the next node: see addWaits.
// In a run that was cut short, a queue waits for nobody while a control frame is on its way to its
// port, as that may be what opens it; if no packet was sent for the first time for longer than
// frames take, it is the refresh of a pause.
func (s *Simulator) deadlock() string {
	var waits hol.WaitGraph
	refreshed := s.stalled || s.now-s.lastNew > lastFrames
	for i := range s.ports {
		p := &s.ports[i]
		if p.held == 0 || !refreshed && s.frameUnderWay(p) {
			continue
		}
		s.eachHeld(p, func(q sluice.QueueID) { s.addWaits(&waits, p, q) })
	}
	circle := waits.Stuck()
	if circle == nil {
		return ""
	}
	return fmt.Sprintf("deadlock at %v: %s", s.now, hol.Describe(circle))
}

// frameUnderWay reports whether a control frame is on its way to a port, or waits at the other end.
// It is asked when the run is over, so that a frame which is polled is missed by nobody.
func (s *Simulator) frameUnderWay(p *port) bool {
	peer := &s.ports[p.peer]
	_, _, waits := s.nodes[peer.node].machine().PollFrame(s.now, peer.id, nil)
	if waits || p.late != 0 {
		return true
	}
	for h := p.incoming.Head(); h != 0; h = s.arena.After(h) {
		if s.arena.At(h).Value.kind == controlPacket {
			return true
		}
	}
	return false
}

// eachHeld calls visit for every queue of a port that has packets and is held.
func (s *Simulator) eachHeld(p *port, visit func(q sluice.QueueID)) {
	n := &s.nodes[p.node]
	for q := range sluice.QueueID(n.machine().Queues()) {
		if !n.driver.Queue(p.id, q).Empty() && !n.machine().Sendable(p.id, q) {
			visit(q)
		}
	}
}

// addWaits adds what a held queue waits for: what its machine says; if it cannot say, the packets
// downstream that left from a queue of that number, or all that came over the link if there are
// none.
func (s *Simulator) addWaits(waits *hol.WaitGraph, p *port, q sluice.QueueID) {
	peer := &s.ports[p.peer]
	from := hol.Node{At: sluice.Hop{Switch: p.nodeID(), Port: p.id}, Queue: q}
	m := s.nodes[p.node].machine()
	if _, known := kit.WaitsFor(m, p.id, q, &sluice.Packet{}, 0, false); known {
		s.addWaitsOf(waits, from, peer, func(pkt *packet, in sluice.QueueID) bool {
			held, _ := kit.WaitsFor(m, p.id, q, &pkt.Packet, in, pkt.Ingress == peer.id)
			return held
		})
		return
	}
	exact := s.addWaitsOf(waits, from, peer, func(pkt *packet, _ sluice.QueueID) bool {
		return pkt.Ingress == peer.id && pkt.UpstreamQueue == q
	})
	if !exact {
		s.addWaitsOf(waits, from, peer, func(pkt *packet, _ sluice.QueueID) bool {
			return pkt.Ingress == peer.id
		})
	}
}

// addWaitsOf adds an edge to every queue of the peer's node that has a chosen packet; it reports
// whether there was one.
func (s *Simulator) addWaitsOf(
	waits *hol.WaitGraph, from hol.Node, peer *port, chosen func(*packet, sluice.QueueID) bool,
) bool {
	found := false
	n := &s.nodes[peer.node]
	for i := range n.ports {
		id := sluice.PortID(i)
		for q := range sluice.QueueID(n.machine().Queues()) {
			for h := n.driver.Queue(id, q).Head(); h != 0; h = s.arena.After(h) {
				if chosen(s.arena.At(h), q) {
					waits.Edge(from, hol.Node{At: sluice.Hop{Switch: peer.nodeID(), Port: id}, Queue: q})
					found = true
					break
				}
			}
		}
	}
	return found
}
