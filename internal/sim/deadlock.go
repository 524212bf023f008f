package sim

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/hol"
)

// deadlock looks for queues that wait for each other in a circle which none can leave, and describes it;
// "" if there is none. It knows of protocols only whether a queue is held: a held queue waits
// for the packets downstream that came from it, or, where a protocol moved them between queues
// before they left, that came over its link. In a run that was cut short, a queue waits for nobody while a control frame is
// on its way to its port, as that may be what opens it; in one that stalled it is the refresh of a pause.
func (s *Simulator) deadlock() string {
	var waits hol.WaitGraph
	for i := range s.ports {
		p := &s.ports[i]
		if p.waiting == 0 || !s.stalled && s.frameUnderWay(p) {
			continue
		}
		for q := range p.queues {
			if !p.queues[q].empty() && !p.machine.Sendable(p.id, sluice.QueueID(q)) {
				s.addWaits(&waits, p, sluice.QueueID(q))
			}
		}
	}
	circle := waits.Stuck()
	if circle == nil {
		return ""
	}
	return fmt.Sprintf("deadlock at %v: %s", s.now, hol.Describe(circle))
}

// frameUnderWay reports whether a control frame is on its way to a port.
func (s *Simulator) frameUnderWay(p *port) bool {
	if p.late != 0 || !s.ports[p.peer].control.empty() {
		return true
	}
	for h := p.incoming.head; h != 0; h = s.arena.at(h).next {
		if s.arena.at(h).kind == controlPacket {
			return true
		}
	}
	return false
}

func (s *Simulator) addWaits(waits *hol.WaitGraph, p *port, q sluice.QueueID) {
	peer := &s.ports[p.peer]
	if peer.host {
		return
	}
	from := hol.Node{At: sluice.Hop{Switch: sluice.SwitchID(p.node), Port: p.id}, Queue: q}
	exact := s.addWaitsOf(waits, from, peer, func(pkt *packet) bool { return pkt.UpstreamQueue == q })
	if !exact {
		s.addWaitsOf(waits, from, peer, func(*packet) bool { return true })
	}
}

// addWaitsOf adds an edge to every queue of the peer's node that has a packet which came in
// by the peer and is chosen; it reports whether there was one.
func (s *Simulator) addWaitsOf(waits *hol.WaitGraph, from hol.Node, peer *port, chosen func(*packet) bool) bool {
	found := false
	n := &s.nodes[peer.node]
	for i := range n.ports {
		p := &s.ports[n.firstPort+i]
		for q := range p.queues {
			for h := p.queues[q].head; h != 0; h = s.arena.at(h).next {
				if pkt := s.arena.at(h); pkt.Ingress == peer.id && chosen(pkt) {
					waits.Edge(from, hol.Node{At: sluice.Hop{Switch: sluice.SwitchID(p.node), Port: p.id}, Queue: sluice.QueueID(q)})
					found = true
					break
				}
			}
		}
	}
	return found
}
