package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/lab/hol"
	"github.com/sluicefc/sluice/kit"
)

// deadlock looks for queues that wait for each other in a circle which none can leave; nil if there
// is none. A held queue waits for packets at the next node: see waits. In a run that was cut short,
// a queue waits for none while a control frame is on its way to its port, because the frame may
// open it; if no packet was sent for the first time for longer than frames take, the frame is
// the refresh of a pause. So it is if the circle was there before the frame was sent: see standing.
func (s *Simulator) deadlock() []hol.Node {
	lastNew := s.latestOf(func(p *part) sluice.Time { return p.lastNew })
	circle := s.waits(s.stalled || s.Now()-lastNew > lastFrames).graph.Stuck()
	if circle == nil {
		circle = s.standing()
	}
	return circle
}

// waits returns what every held queue waits for. If refreshed, frames under way open none.
func (s *Simulator) waits(refreshed bool) *waits {
	w := &waits{
		s: s, refreshed: refreshed, passed: map[hol.Node]bool{}, waiting: make([][]waiting, len(s.nodes)),
	}
	for i := range s.ports {
		p := &s.ports[i]
		if p.held == 0 || w.mayOpen(p) {
			continue
		}
		s.eachHeld(p, func(q sluice.QueueID) { w.add(p, q) })
	}
	return w
}

// heldBefore is what was held, and what it waited for, some time before the end of a run.
type heldBefore struct {
	waits *waits
	heads []heldHead
}

// heldHead is the first packet of a held queue.
type heldHead struct {
	port     *port
	queue    sluice.QueueID
	flow     uint64
	kind     packetKind
	sequence int32
}

// noteHeld remembers what is held, for standing.
func (s *Simulator) noteHeld() {
	s.before.waits = s.waits(true)
	for i := range s.ports {
		if p := &s.ports[i]; p.held > 0 {
			s.eachHeld(p, func(q sluice.QueueID) { s.before.heads = append(s.before.heads, s.headOf(p, q)) })
		}
	}
}

// headOf returns the first packet of a queue that has some.
func (s *Simulator) headOf(p *port, q sluice.QueueID) heldHead {
	n := &s.nodes[p.node]
	pkt := n.part.arena.At(n.driver.Queue(p.id, q).Head())
	return heldHead{p, q, pkt.Flow, pkt.Value.kind, pkt.Value.sequence}
}

// standing returns a circle of waits that was there when noteHeld looked, if none of its queues has
// sent since: all frames that were under way have come by now, and no queue that one of them waits
// for has sent anything that could make a machine send another. Of an empty queue one cannot see
// whether it was opened since: none waits for it for certain.
func (s *Simulator) standing() []hol.Node {
	if s.before.waits == nil {
		return nil
	}
	graph := &s.before.waits.graph
	for empty := range s.before.waits.passed {
		graph.Free(empty)
	}
	for _, head := range s.before.heads {
		p, q := head.port, head.queue
		n := &s.nodes[p.node]
		if !n.driver.Queue(p.id, q).Empty() && !n.machine().Sendable(p.id, q) && s.headOf(p, q) == head {
			continue
		}
		graph.Free(queueOf(p, q))
	}
	return graph.Stuck()
}

// frameUnderWay reports whether a control frame is on its way to a port, or waits at the other end.
// The run is over then, so that no machine misses a frame that is polled here.
func (s *Simulator) frameUnderWay(p *port) bool {
	peer := &s.ports[p.peer]
	_, _, waits := s.nodes[peer.node].machine().PollFrame(s.Now(), peer.id, nil)
	return waits || p.late != 0 || p.incoming > 0
}

// eachHeld calls visit for every queue of a port that has packets and is held.
func (s *Simulator) eachHeld(p *port, visit func(q sluice.QueueID)) {
	n := &s.nodes[p.node]
	if n.driver.Waiting(p.id) == 0 {
		return
	}
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
	waiting   [][]waiting       // by node; nil where it was not asked yet
}

// waiting is a packet of a queue, and stands for all packets of the queue that differ from it only
// in size, mark and note: what waits for one waits for all.
type waiting struct {
	queue  hol.Node
	packet *packet
}

// mayOpen reports whether what is on its way to a port may open its queues.
func (w *waits) mayOpen(p *port) bool { return !w.refreshed && w.s.frameUnderWay(p) }

// add adds what a held queue waits for, as its machine says.
func (w *waits) add(p *port, q sluice.QueueID) {
	s := w.s
	peer := &s.ports[p.peer]
	from := queueOf(p, q)
	m := s.nodes[p.node].machine()
	w.packets(from, peer, func(pkt *packet, in sluice.QueueID) bool {
		return m.WaitsFor(p.id, q, &pkt.Packet, in, pkt.Ingress == peer.id)
	})
	w.behind(from, peer, m)
}

// packets adds an edge to every queue of the peer's node that has a chosen packet; it reports
// whether there was one.
func (w *waits) packets(
	from hol.Node, peer *port, chosen func(*packet, sluice.QueueID) bool,
) (found bool) {
	var last hol.Node
	for _, one := range w.at(peer.node) {
		if (!found || one.queue != last) && chosen(one.packet, one.queue.Queue) {
			last = one.queue
			w.graph.Edge(from, last)
			found = true
		}
	}
	return found
}

// at returns what waits at a node, queue by queue.
func (w *waits) at(node int32) []waiting {
	if w.waiting[node] == nil {
		n := &w.s.nodes[node]
		list, seen := []waiting{}, map[sluice.Packet]bool{}
		for i := range n.own {
			for q := range sluice.QueueID(n.machine().Queues()) {
				list = w.ofQueue(list, seen, &n.own[i], q)
			}
		}
		w.waiting[node] = list
	}
	return w.waiting[node]
}

// ofQueue appends what waits in a queue. It uses seen as it likes.
func (w *waits) ofQueue(
	list []waiting, seen map[sluice.Packet]bool, p *port, q sluice.QueueID,
) []waiting {
	clear(seen)
	n := &w.s.nodes[p.node]
	for h := n.driver.Queue(p.id, q).Head(); h != 0; h = n.part.arena.After(h) {
		pkt := n.part.arena.At(h)
		alike := pkt.Packet
		alike.Size, alike.ECN, alike.Note = 0, 0, 0
		if !seen[alike] {
			seen[alike] = true
			list = append(list, waiting{queueOf(p, q), pkt})
		}
	}
	return list
}

// behind adds an edge to every held queue of the peer's node whose pause the node has passed on. If
// such a queue is empty, this alone asks what it waits for.
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
