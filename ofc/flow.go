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
	packets    int32 // here: the value in flow_in_port_tab
	next, prev int32 // in its list
	sibling    int32 // the next entry of the same key
	chain      int32 // the next entry whose resume may be deferred
	ingress    uint16
	class      uint8
	flags      uint8
}

const (
	entryBytes = 32
	groupBytes = 24
	noIngress  = 0xffff
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
	if int(e.ingress) < len(s.ports) {
		s.push(s.group(p.id, uint(e.ingress), sluice.Class(e.class)).of(e.flags), i)
	}
}

// delist takes a flow out of the list of its group. After the last flow to announce, the group owes
// no frame.
func (p *Port) delist(i int32, e *entry) {
	s := p.owner
	if int(e.ingress) >= len(s.ports) {
		return
	}
	g := s.group(p.id, uint(e.ingress), sluice.Class(e.class))
	l := g.of(e.flags)
	wanted := l.upTo != 0
	s.remove(l, i)
	if wanted && g.plain.upTo|g.congested.upTo == 0 {
		s.ports[e.ingress].unwant(sluice.Class(e.class), p.id)
	}
}

// find returns the first entry of the key of a flow; 0 if there is none.
func (p *Port) find(flow uint64, class sluice.Class) int32 {
	i, _ := p.flows.Find(flow ^ p.owner.salts[class%sluice.Classes])
	return int32(i) + 1
}

// enter counts a packet, whose ingress has a row, to the entry of its flow, notes that in the
// packet and ends Enqueue. A packet that is not the first of its flow here, by the ingress that is
// found first, takes the common way.
func (p *Port) enter(a *account, k *egress, packet *sluice.Packet, row uint) sluice.Verdict {
	s := p.owner
	found, _ := p.flows.Find(packet.Flow ^ s.salts[packet.Class%sluice.Classes])
	if i := uint(found + 1); i < uint(len(s.entries)) {
		e := &s.entries[i] // entry 0 belongs to no flow, and has no packets
		if e.flow == packet.Flow && e.ingress == uint16(row) && e.class == uint8(packet.Class) &&
			e.packets > 0 {
			e.packets++
			packet.Note = noteTag | uint64(i)
			if a.bytes >= a.congestedOff {
				return p.appendAndTell(a, k, packet)
			}
			return sluice.AppendToQueue(sluice.QueueID(packet.Class) * QueuesPerClass)
		}
	}
	return p.enterFirst(a, k, packet, row, int32(found+1))
}

// enterFirst is enter for any packet, given the first entry of its key or 0: it makes an entry of
// the flow if need be.
//
//go:noinline
func (p *Port) enterFirst(
	a *account, k *egress, packet *sluice.Packet, row uint, i int32,
) sluice.Verdict {
	s := p.owner
	e := &s.entries[i]
	if i == 0 || !e.is(packet.Flow, packet.Class) || e.ingress != uint16(row) {
		if i = p.enterSibling(i, packet, row); i == 0 {
			p.untracked(k, a)
			return p.entered(a, k, packet)
		}
		e = &s.entries[i]
	}
	if e.packets == 0 {
		p.arrived(k, i, e)
	}
	e.packets++
	packet.Note = noteTag | uint64(i)
	return p.entered(a, k, packet)
}

// entered is the end of enterFirst.
func (p *Port) entered(a *account, k *egress, packet *sluice.Packet) sluice.Verdict {
	if a.bytes >= a.congestedOff {
		return p.appendAndTell(a, k, packet)
	}
	return sluice.AppendToQueue(sluice.QueueID(packet.Class) * QueuesPerClass)
}

// enterSibling returns the entry of a packet's flow where the first one of the key, if any, is not
// it; 0 if there is no room for one.
func (p *Port) enterSibling(first int32, packet *sluice.Packet, row uint) int32 {
	s := p.owner
	unused, flags := int32(0), uint8(0)
	for i := first; i != 0; i = s.entries[i].sibling {
		e := &s.entries[i]
		if !e.is(packet.Flow, packet.Class) {
			continue
		}
		if e.ingress == uint16(row) {
			return i
		}
		if e.packets == 0 && e.flags&told == 0 {
			unused = i
		}
		flags |= e.flags & (congested | deferred)
	}
	if unused != 0 {
		s.entries[unused].ingress = uint16(row)
		return unused
	}
	i := p.newEntry(first, packet.Flow, packet.Class, uint16(row))
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
	return e.flow == flow && e.class == uint8(class)
}

// newEntry makes an entry of a flow, given the first one of its key or 0; 0 if there is no room.
func (p *Port) newEntry(first int32, flow uint64, class sluice.Class, ingress uint16) int32 {
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
	s.entries[i] = entry{flow: flow, ingress: ingress, class: uint8(class)}
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
	key := e.flow ^ s.salts[e.class%sluice.Classes]
	switch before := p.find(e.flow, sluice.Class(e.class)); {
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
