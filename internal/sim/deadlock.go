package sim

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/hol"
	"github.com/sluicefc/sluice/kit"
)

// deadlock looks for queues that wait for each other in a circle which none can leave, and
// describes it; "" if there is none. A held queue waits for packets at the next node: see waits.
// In a run that was cut short, a queue waits for nobody while a control frame is on its way to its
// port, as that may be what opens it; if no packet was sent for the first time for longer than
// frames take, it is the refresh of a pause.
func (s *Simulator) deadlock() string {
	w := waits{s: s, refreshed: s.stalled || s.now-s.lastNew > lastFrames, passed: map[hol.Node]bool{}}
	for i := range s.ports {
		p := &s.ports[i]
		if p.held == 0 || w.mayOpen(p) {
			continue
		}
		s.eachHeld(p, func(q sluice.QueueID) { w.add(p, q) })
	}
	circle := w.graph.Stuck()
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

// waits collects what held queues wait for.
type waits struct {
	s         *Simulator
	graph     hol.WaitGraph
	refreshed bool              // what is on its way opens nothing
	passed    map[hol.Node]bool // empty queues whose waits were added
}

// mayOpen reports whether what is on its way to a port may open its queues.
func (w *waits) mayOpen(p *port) bool { return !w.refreshed && w.s.frameUnderWay(p) }

// add adds what a held queue waits for: what its machine says; if it cannot say, the packets
// downstream that left from a queue of that number, or all that came over the link if there are
// none.
func (w *waits) add(p *port, q sluice.QueueID) {
	s := w.s
	peer := &s.ports[p.peer]
	from := queueOf(p, q)
	m := s.nodes[p.node].machine()
	if _, known := kit.WaitsFor(m, p.id, q, &sluice.Packet{}, 0, false); known {
		w.packets(from, peer, func(pkt *packet, in sluice.QueueID) bool {
			held, _ := kit.WaitsFor(m, p.id, q, &pkt.Packet, in, pkt.Ingress == peer.id)
			return held
		})
		w.behind(from, peer, m)
		return
	}
	exact := w.packets(from, peer, func(pkt *packet, _ sluice.QueueID) bool {
		return pkt.Ingress == peer.id && pkt.UpstreamQueue == q
	})
	if !exact {
		w.packets(from, peer, func(pkt *packet, _ sluice.QueueID) bool {
			return pkt.Ingress == peer.id
		})
	}
}

// packets adds an edge to every queue of the peer's node that has a chosen packet; it reports
// whether there was one.
func (w *waits) packets(
	from hol.Node, peer *port, chosen func(*packet, sluice.QueueID) bool,
) (found bool) {
	n := &w.s.nodes[peer.node]
	for i := range n.own {
		p := &n.own[i]
		for q := range sluice.QueueID(n.machine().Queues()) {
			for h := n.driver.Queue(p.id, q).Head(); h != 0; h = w.s.arena.After(h) {
				if chosen(w.s.arena.At(h), q) {
					w.graph.Edge(from, queueOf(p, q))
					found = true
					break
				}
			}
		}
	}
	return found
}

// behind adds an edge to every held queue of the peer's node of which that node has passed the
// pause on. If such a queue is empty nobody else asks what it waits for.
func (w *waits) behind(from hol.Node, peer *port, m kit.Machine) {
	n := &w.s.nodes[peer.node]
	for i := range n.own {
		p := &n.own[i]
		for q := range sluice.QueueID(n.machine().Queues()) {
			if n.machine().Sendable(p.id, q) || !kit.WaitsBehind(m, from.At.Port, from.Queue, p.id, q) {
				continue
			}
			to := queueOf(p, q)
			w.graph.Edge(from, to)
			if n.driver.Queue(p.id, q).Empty() && !w.passed[to] && !w.mayOpen(p) {
				w.passed[to] = true
				w.add(p, q)
			}
		}
	}
}

// queueOf names a queue of a port.
func queueOf(p *port, q sluice.QueueID) hol.Node {
	return hol.Node{At: sluice.Hop{Switch: p.nodeID(), Port: p.id}, Queue: q}
}
