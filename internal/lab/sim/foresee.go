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
	var near, far *event
	if uint(lane) < maxLanes {
		near, far = s.agenda.lanes.lanes[lane].coming()
	} else {
		near, far = s.agenda.wheel.coming()
	}
	if far == nil || near.kind() != far.kind() {
		return
	}
	switch far.kind() {
	case eventArrival:
		s.foreseeArrivals(near, far)
	case eventSent:
		s.foreseeSent(near, far)
	}
}

// foreseeArrivals asks for a packet that arrives, and for the port by which another one leaves that
// comes before it, or for its flow where that ends.
func (s *part) foreseeArrivals(near, far *event) {
	lines := &s.foreseen
	pkt := prefetch.Of(s.arena.At(far.packet()))
	lines[0], lines[1] = pkt, pkt+prefetch.Line
	at, next := &s.sites[near.place()], s.arena.At(near.packet())
	if at.host {
		s.foreseeFlow(next)
	} else {
		out := next.Path.At(0).Port
		lines[2] = prefetch.Nth(s.ports, near.place()-int32(at.id)+int32(out))
		s.nodes[at.node].driver.Foresee(out, next.Class, (*[4]uintptr)(lines[3:]))
	}
	prefetch.Ask(lines)
}

// foreseeSent asks for what is kept of a port whose transmitter will be free, and for the first
// packet of the queue that the next one is likely to leave of a port that comes before it.
func (s *part) foreseeSent(near, far *event) {
	lines, at := &s.foreseen, &s.sites[far.place()]
	lines[0] = prefetch.Nth(s.ports, far.place())
	s.nodes[at.node].driver.Foresee(at.id, 0, (*[4]uintptr)(lines[1:]))
	at = &s.sites[near.place()]
	queue, line := s.nodes[at.node].driver.Joined(at.id)
	pkt := prefetch.Of(s.arena.At(queue.Head()))
	lines[5], lines[6], lines[7] = pkt, pkt+prefetch.Line, line
	prefetch.Ask(lines)
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
	lines[2], lines[3] = f, s.transport.Line(slot)
	if pkt.Value.kind == dataPacket {
		lines[4] = f + prefetch.Line
	} else {
		lines[4] = f + 2*prefetch.Line
	}
}
