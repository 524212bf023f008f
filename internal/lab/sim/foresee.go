package sim

import "github.com/sluicefc/sluice/internal/prefetch"

// Of the lane of an event that happens, the events whose memory is asked for come this many events
// later: first for what they name, then for what is written there.
const (
	farAhead  = 3
	nearAhead = 1
)

// foresee asks the processor for the memory that later events will touch, in the lane of one that
// happens. Each event of a large network touches about fifteen cache lines, and most of them were
// not touched for thousands of events. It goes step by step: where one line is, stands in another
// that was asked for some events ago. What is foreseen wrongly, since an event came in between,
// costs a little time, and nothing else.
func (s *part) foresee(lane int) {
	lines := &s.foreseen
	switch e := s.agenda.coming(lane, farAhead); e.kind() {
	case eventArrival: // the packet
		pkt := prefetch.Of(s.arena.At(e.packet()))
		lines[0], lines[1] = pkt, pkt+prefetch.Line
	case eventSent: // what is kept of the port
		at := &s.sites[e.place()]
		lines[0] = prefetch.Nth(s.ports, e.place())
		s.nodes[at.node].driver.Foresee(at.id, 0, (*[4]uintptr)(lines[2:]))
	}
	switch e := s.agenda.coming(lane, nearAhead); e.kind() {
	case eventArrival:
		s.foreseePort(e)
	case eventSent: // the first packet of the queue that the next one is likely to leave
		at := &s.sites[e.place()]
		queue, line := s.nodes[at.node].driver.Joined(at.id)
		pkt := prefetch.Of(s.arena.At(queue.Head()))
		lines[6], lines[7], lines[8] = pkt, pkt+prefetch.Line, line
	}
	prefetch.Ask(lines)
}

// foreseePort asks for the port by which a packet leaves that arrives, or for its flow where that
// ends.
func (s *part) foreseePort(e event) {
	lines, at, pkt := &s.foreseen, &s.sites[e.place()], s.arena.At(e.packet())
	if at.host {
		s.foreseeFlow(pkt)
		return
	}
	out := pkt.Path.At(0).Port
	lines[10] = prefetch.Nth(s.ports, e.place()-int32(at.id)+int32(out))
	s.nodes[at.node].driver.Foresee(out, pkt.Class, (*[4]uintptr)(lines[6:]))
}

// foreseeFlow asks for what a packet touches of its flow where that ends.
func (s *part) foreseeFlow(pkt *packet) {
	if pkt.Value.kind == controlPacket { // it came in between
		return
	}
	known, end := s.endsAt(pkt.Value.flow), endOf(pkt.Value.kind)
	// Another part writes its own slots.
	if known == nil || !s.has(known.node[end]) || known.slot[end] == none {
		return
	}
	slot := known.slot[end]
	lines, f := &s.foreseen, prefetch.Nth(s.flows, slot)
	lines[6], lines[7] = f, s.transport.Line(slot)
	if pkt.Value.kind == dataPacket {
		lines[8] = f + prefetch.Line
	} else {
		lines[8] = f + 2*prefetch.Line
	}
}
