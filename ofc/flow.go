package ofc

import (
	"github.com/sluicefc/sluice"
)

// entry is what a port knows of a flow of a class that came in by one ingress: its line in
// flow_in_port_tab, with its bits in congested_flow_tab and pause_frame_tab. Two fit a cache line.
//
// Packets of one flow by several ingresses have an entry for each: they are siblings; the first is
// found, and leads to the others. A flow that downstream pauses and that has no packet here has an
// entry of no ingress. Entries are named by their index in the switch, from 1; 0 is none.
type entry struct {
	flow       uint64
	packets    int32  // here: the value in flow_in_port_tab
	next, prev int32  // in its list
	sibling    int32  // the next entry of the same key
	chain      int32  // the next entry whose resume may be deferred
	place      uint16 // of the account of its packets: their ingress and class
	flags      uint8
}

const (
	entryBytes = 32
	groupBytes = 24
	noIngress  = 1<<13 - 2 // ends where places of 16 bits do
)

// Flags of an entry.
const (
	congested = 1 << iota // in congested_flow_tab: downstream pauses the flow
	deferred              // and resumed it, which takes effect when the rotation ends
	chained               // in the chain of its class, until the rotation ends
	named                 // the refresh under way has named it
	told                  // in pause_frame_tab: a frame paused the flow upstream
)

// list links entries in the order in which they came. A frame is to announce those up to upTo.
type list struct{ head, tail, upTo int32 }

// group is the flows that came in by one ingress, wait at one egress in one class, and that no
// frame paused upstream: flows that downstream does not pause, and flows that it does.
type group struct{ plain, congested list }

func (g *group) of(flags uint8) *list {
	if flags&congested != 0 {
		return &g.congested
	}
	return &g.plain
}

func (s *Switch) push(l *list, i int32) {
	e := &s.entries[i]
	e.prev, e.next = l.tail, 0
	if l.tail == 0 {
		l.head = i
	} else {
		s.entries[l.tail].next = i
	}
	l.tail = i
}

// pushFirst puts an entry before all others, to be announced like the entries there.
func (s *Switch) pushFirst(l *list, i int32) {
	e := &s.entries[i]
	e.prev, e.next = 0, l.head
	if l.head == 0 {
		l.tail = i
	} else {
		s.entries[l.head].prev = i
	}
	l.head = i
	if l.upTo == 0 {
		l.upTo = i
	}
}

func (s *Switch) remove(l *list, i int32) {
	e := &s.entries[i]
	if l.upTo == i {
		l.upTo = e.prev
	}
	if e.prev == 0 {
		l.head = e.next
	} else {
		s.entries[e.prev].next = e.next
	}
	if e.next == 0 {
		l.tail = e.prev
	} else {
		s.entries[e.next].prev = e.prev
	}
}

func (p *Port) enlist(i int32, e *entry) {
	s := p.owner
	if int(e.ingress()) < len(s.ports) {
		s.push(s.group(p.id, e.ingress(), e.class()).of(e.flags), i)
	}
}

// delist takes a flow out of the list of its group. After the last flow to announce, the group owes
// no frame.
func (p *Port) delist(i int32, e *entry) {
	s := p.owner
	if int(e.ingress()) >= len(s.ports) {
		return
	}
	g := s.group(p.id, e.ingress(), e.class())
	l := g.of(e.flags)
	wanted := l.upTo != 0
	s.remove(l, i)
	if wanted && g.plain.upTo|g.congested.upTo == 0 {
		s.ports[e.ingress()].unwant(e.class(), p.id)
	}
}

// find returns the first entry of the key of a flow; 0 if there is none.
func (p *Port) find(flow uint64, class sluice.Class) int32 {
	i, _ := p.flows.Find(flow ^ p.owner.salts[class%sluice.Classes])
	return int32(i) + 1
}

// enterSibling returns the entry of a packet's flow where the first one of the key, if any, is not
// it; 0 if there is no room for one.
func (p *Port) enterSibling(first int32, packet *sluice.Packet) int32 {
	s, from := p.owner, uint16(place(packet.Ingress, packet.Class))
	unused, flags := int32(0), uint8(0)
	for i := first; i != 0; i = s.entries[i].sibling {
		e := &s.entries[i]
		if !e.is(packet.Flow, packet.Class) {
			continue
		}
		if e.place == from {
			return i
		}
		if e.packets == 0 && e.flags&told == 0 {
			unused = i
		}
		flags |= e.flags & (congested | deferred)
	}
	if unused != 0 {
		s.entries[unused].place = from
		return unused
	}
	i := p.newEntry(first, packet.Flow, packet.Class, packet.Ingress)
	if i != 0 && flags&congested != 0 { // the flow is in the table, whatever way it came
		k := &p.classes[packet.Class]
		p.pauseEntry(k, i)
		if flags&deferred != 0 {
			p.deferEntry(k, i)
		}
	}
	return i
}

func (e *entry) is(flow uint64, class sluice.Class) bool {
	return e.flow == flow && e.class() == class
}

func (e *entry) class() sluice.Class { return sluice.Class(e.place % sluice.Classes) }

// ingress returns which ingress the packets of an entry come by: a port, Local or noIngress.
func (e *entry) ingress() sluice.PortID { return sluice.PortID(e.place/sluice.Classes) - 1 }

// newEntry makes an entry of a flow, given the first one of its key or 0; 0 if there is no room.
func (p *Port) newEntry(
	first int32, flow uint64, class sluice.Class, ingress sluice.PortID,
) int32 {
	s := p.owner
	i := p.free
	switch {
	case i != 0:
		p.free = s.entries[i].next
	case p.fresh < s.perPort:
		p.fresh++
		i = p.base() + p.fresh
	default:
		return 0
	}
	s.entries[i] = entry{flow: flow, place: uint16(place(ingress, class))}
	if first != 0 {
		s.entries[i].sibling = s.entries[first].sibling
		s.entries[first].sibling = i
	} else { // there are not more keys than entries, so that the table has room
		p.flows.Put(flow^s.salts[class%sluice.Classes], int(i)-1)
	}
	p.known++
	p.state.counters.FlowsPeak = max(p.state.counters.FlowsPeak, uint64(p.known))
	return i
}

func (p *Port) release(i int32) {
	s := p.owner
	e := &s.entries[i]
	key := e.flow ^ s.salts[e.class()]
	switch before := p.find(e.flow, e.class()); {
	case before == i && e.sibling == 0:
		p.flows.Remove(key)
	case before == i:
		p.flows.Put(key, int(e.sibling)-1)
	default:
		for s.entries[before].sibling != i {
			before = s.entries[before].sibling
		}
		s.entries[before].sibling = e.sibling
	}
	*e = entry{next: p.free}
	p.free = i
	p.known--
}

func (p *Port) base() int32 { return int32(p.id) * p.owner.perPort }

func (p *Port) arrived(k *egress, i int32, e *entry) {
	k.present++
	if e.flags&congested != 0 {
		k.presentCongested++
	}
	if e.flags&told == 0 {
		p.enlist(i, e)
	}
}

// left is what follows when the last packet of a flow is sent, which is not in congested_flow_tab:
// packets of those that are move.
func (p *Port) left(k *egress, i int32, e *entry) {
	k.present--
	if e.flags&told == 0 {
		p.delist(i, e)
		p.release(i)
	}
}
