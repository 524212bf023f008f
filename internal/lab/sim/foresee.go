package sim

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prefetch"
)

// foresee asks the processor for the memory that the next events will touch. Each event of a large
// network touches about fifteen cache lines, and most of them were not touched for thousands of
// events. It goes step by step: where one line is, stands in another that was asked for two events
// ago. What is foreseen wrongly, since an event came in between, costs a little time, and nothing
// else.
func (s *part) foresee() {
	w := &s.agenda.wheel
	if !prefetch.Enabled || s.agenda.ahead == 0 || w.left() <= lookAhead {
		return
	}
	ahead := (*[lookAhead + 1]event)(w.today[w.next:])
	if e := &ahead[6]; e.kind() <= eventSent {
		s.foreseen[0] = prefetch.Nth(s.ports, e.place())
	}
	if e := &ahead[4]; e.kind() <= eventSent {
		s.foreseePacket(e)
	}
	if e := &ahead[2]; e.kind() <= eventSent {
		s.foreseePort(e)
	}
	if e := &ahead[1]; e.kind() <= eventSent {
		s.foreseeQueue(e)
	}
	prefetch.Ask(&s.foreseen)
}

// foreseePacket asks for the node, and for the packet that arrives or the port that one goes to.
func (s *part) foreseePacket(e *event) {
	lines, p := &s.foreseen, &s.ports[e.place()]
	n := prefetch.Nth(s.nodes, p.node)
	lines[1], lines[2], lines[3] = n, n+prefetch.Line, n+2*prefetch.Line
	if e.kind() == eventArrival {
		pkt := prefetch.Of(s.arena.At(p.incoming.Head()))
		lines[4], lines[5] = pkt, pkt+prefetch.Line
	} else {
		lines[4] = prefetch.Nth(s.ports, p.peer)
	}
}

// foreseePort asks for the port by which a packet leaves, and what goes before it on the wire, or
// for the flow that ends here.
func (s *part) foreseePort(e *event) {
	lines, p := &s.foreseen, &s.ports[e.place()]
	n, out, class := &s.nodes[p.node], p.id, sluice.Class(0)
	switch {
	case e.kind() == eventSent:
		if p.beyond == 0 {
			lines[6] = prefetch.Of(s.arena.At(s.ports[p.peer].incoming.Tail()))
		}
	case p.host:
		s.foreseeFlow(s.arena.At(p.incoming.Head()))
	default:
		pkt := s.arena.At(p.incoming.Head())
		out, class = pkt.Path.At(0).Port, pkt.Class
		lines[6] = prefetch.Nth(n.own, int32(out))
	}
	n.driver.Foresee(out, class, (*prefetch.Quad)(lines[7:]))
}

// foreseeFlow asks for what a packet touches of its flow where that ends.
func (s *part) foreseeFlow(pkt *packet) {
	flow := int(pkt.Value.flow) // of a frame that came in between, something else
	if flow >= len(s.known) {
		return
	}
	known, end := &s.known[flow], endOf(pkt.Value.kind)
	if !s.has(known.node[end]) || known.slot[end] == none { // another part writes its own slots
		return
	}
	slot := known.slot[end]
	lines, f := &s.foreseen, prefetch.Nth(s.flows, slot)
	lines[6], lines[13] = f, s.transport.Line(slot)
	if pkt.Value.kind == dataPacket {
		lines[14] = f + prefetch.Line
	} else {
		lines[14] = f + 2*prefetch.Line
	}
}

// foreseeQueue asks for the first packet of the queue that the next one is likely to leave, or for
// the last one of the queue that it is likely to join and for the other end of the port's link.
func (s *part) foreseeQueue(e *event) {
	lines, p := &s.foreseen, &s.ports[e.place()]
	n := &s.nodes[p.node]
	if e.kind() == eventSent {
		queue, line := n.driver.Joined(p.id)
		pkt := prefetch.Of(s.arena.At(queue.Head()))
		lines[11], lines[12], lines[15] = pkt, pkt+prefetch.Line, line
		return
	}
	out := p.id
	if !p.host {
		out = s.arena.At(p.incoming.Head()).Path.At(0).Port
	}
	if int(out) < len(n.own) {
		queue, _ := n.driver.Joined(out)
		lines[11] = prefetch.Of(s.arena.At(queue.Tail()))
		lines[12] = prefetch.Nth(s.ports, n.own[out].peer)
	}
}
