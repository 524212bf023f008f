package sim

import (
	"cmp"
	"slices"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
)

// Failure is a link that fails, and may be repaired.
type Failure struct {
	At   sluice.Hop  // either end
	Down sluice.Time // from when
	Up   sluice.Time // until when; 0: for good
}

// change is a link that fails or is repaired.
type change struct {
	at      sluice.Time
	up      bool
	failure int32
}

// planFailures lists the failures and repairs in the order in which they happen: at one time
// failures first.
func (s *Simulator) planFailures() {
	for i, f := range s.config.Failures {
		s.changes = append(s.changes, change{f.Down, false, int32(i)})
		if f.Up > 0 {
			s.changes = append(s.changes, change{f.Up, true, int32(i)})
		}
	}
	slices.SortFunc(s.changes, func(a, b change) int {
		if a.at == b.at && a.up != b.up {
			return map[bool]int{false: -1, true: 1}[a.up]
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.failure, b.failure))
	})
}

// change carries out the first failure or repair that is left.
func (s *Simulator) change() {
	c := s.changes[0]
	s.changes = s.changes[1:]
	if c.up {
		s.repairLink(c.failure)
	} else {
		s.failLink(c.failure)
	}
}

// failLink takes a link out of the network. What is on it is lost, what waits for it is discarded,
// both ends' machines see it, and flows that are under way take new routes. A link that is down
// already stays so.
func (s *Simulator) failLink(i int32) {
	at := s.config.Failures[i].At
	ends := s.endsOf(at)
	if ends[0].down {
		return
	}
	for _, end := range ends {
		end.down = true
		s.nodes[end.node].part.loseIncoming(end)
	}
	if err := s.config.Network.(failing).FailLink(at); err != nil {
		s.at(at.Switch).fail("link %v fails: %v", at, err)
		return
	}
	for _, end := range ends {
		n := &s.nodes[end.node]
		n.driver.LinkDown(n.part.now, end.id)
		n.driver.Flush(n.part.now, end.id)
		n.part.follow(end.node, n)
	}
	for _, p := range s.parts {
		p.rerouteFlows()
	}
}

// endsOf returns both ends of a link, the one asked for first.
func (s *Simulator) endsOf(at sluice.Hop) [2]*port {
	p := s.nodes[at.Switch].port(at.Port)
	return [...]*port{p, &s.ports[p.peer]}
}

// loseIncoming discards what is on the wire into a port. The first arrival stays, without a packet:
// then the run looks whether it is over.
func (s *part) loseIncoming(end *port) {
	index := s.nodes[end.node].firstPort + int32(end.id)
	first := true
	for _, e := range s.agenda.withdraw(index) {
		h := e.packet()
		if h == 0 || first {
			s.agenda.planArrival(e.at, index, 0, noLane)
		}
		if h != 0 {
			first = false
			s.loseOnWire(h)
		}
	}
	end.incoming = 0
	if end.late != 0 {
		s.loseOnWire(end.late)
		end.late = 0
	}
}

// repairLink brings a link back.
func (s *Simulator) repairLink(i int32) {
	at := s.config.Failures[i].At
	ends := s.endsOf(at)
	if !ends[0].down {
		return
	}
	if err := s.config.Network.(failing).RestoreLink(at); err != nil {
		s.at(at.Switch).fail("link %v is repaired: %v", at, err)
		return
	}
	for _, p := range s.parts {
		p.rerouteFlows()
		p.startStranded()
	}
	for _, end := range ends {
		end.down = false
	}
	for _, end := range ends {
		n := &s.nodes[end.node]
		n.driver.LinkUp(n.part.now, end.id)
		n.driver.Ready(n.part.now, end.id)
		n.part.follow(end.node, n)
	}
}

// loseOnWire discards a packet or a frame that a failed link carried.
func (s *part) loseOnWire(h handle) {
	if s.arena.At(h).Value.kind != controlPacket {
		s.result.LostOnWire++
	}
	s.release(h)
}

// strand keeps a flow back that has no way while links are down; a repair starts it.
func (s *part) strand(index int32) bool {
	if s.config.Failures == nil {
		return false
	}
	in := s.flowOf(index)
	key := s.tuple(index)
	back := key.Reverse()
	there, home := s.wayOr(sluice.Path{}, in.Src, &key), s.wayOr(sluice.Path{}, in.Dst, &back)
	if there.Len() > 0 && home.Len() > 0 {
		return false
	}
	s.stranded = append(s.stranded, index)
	return true
}

func (s *part) startStranded() {
	waiting := s.stranded
	s.stranded = nil
	for _, index := range waiting {
		if s.has(s.endsAt(index).node[sending]) {
			s.started--
		}
		s.start(index)
	}
}

// rerouteFlows predicts the ways of flows under way anew. One without a way keeps the old one.
func (s *part) rerouteFlows() {
	for slot := range s.flows {
		f := &s.flows[slot]
		if f.packets == 0 || s.transport.Done(int32(slot)) && f.arrived {
			continue
		}
		in := s.flowOf(f.index)
		f.forward = s.wayOr(f.forward, in.Src, &f.keys[0])
		f.back = s.wayOr(f.back, in.Dst, &f.keys[1])
	}
}

func (s *part) wayOr(old sluice.Path, from sluice.SwitchID, key *hashpath.Flow) sluice.Path {
	if path, _, ok := s.way(from, sluice.Local, key); ok {
		return path
	}
	return old
}

// aroundFailure returns the way of a packet whose next hop is on a link that is down: another one
// if there is one now.
func (s *part) aroundFailure(in *site, h handle, pkt *packet) sluice.Path {
	if path, _, ok := s.way(in.nodeID(), in.id, s.keyOf(h, pkt)); ok {
		return path
	}
	return sluice.Path{}
}
