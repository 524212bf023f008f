package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/ir"
)

// pyrrhaBuilder is a program under construction.
type pyrrhaBuilder struct {
	builder
	machine *pyrrha.Switch
	full    pyrrha.Config
	network *hashpath.Snapshot
	paths   *Paths

	levels, queueBits, levelBits int

	headers   pyrrhaHeaders
	md        pyrrhaMetadata
	registers pyrrhaRegisters
	tables    pyrrhaTables
	found     []ir.TableConfig
}

// What a thread does in its next pass.
const (
	opNothing = iota
	opEnter   // give a root its slot, and go on with the frame that names it
	opTell    // send a frame about the first root of a set
	opCheck   // free the IQ of the first root of a set, if nothing needs it
	opLeaves  // the same of a root at every port
	opTurn    // resume who was paused for an own port, at every ingress
	opMerge   // move who is in the tree of one root to that of another, at every ingress
	opGates   // look at every queue of a port
	opGate    // hold a queue or let it go
	opForget  // give up a root's slot
	opJoin    // go on with who left the tree of one root for that of another
	ops
)

// What is left to do when the loop under way has ended, as bits of a thread.
const (
	todoGates  = 1
	todoMerge  = 2
	todoLeaves = 4
)

// kindThread and kindPass are kinds of packet beside those of package bfc: a thread, and a data
// packet of the class that is not under Pyrrha, of which no notice is taken.
const (
	kindThread = iota + bfcKinds
	kindPass
)

// States of a root's IQ at an egress port, and what an upstream was told of a root. A host that was
// resumed has left the tree, whatever is written here.
const (
	iqNone = iota
	iqMerging
	iqResumed
	iqPaused

	toldNothing = 0
	toldResume  = 1
	toldPause   = 2
)

// setBits is how many bits of a hash find a set.
const setBits = 12

// slotBits is the width of a slot in an index.
const slotBits = 8

// pyrrhaHeaders are those of packets and those that the chip puts in front.
type pyrrhaHeaders struct {
	stack
	bridge, thread, order, root, hop, old                *ir.Header
	padPause, padResume, padMerge                        *ir.Header
	kind                                                 *ir.Field
	threadKind                                           *ir.Field
	orderKind, orderType, orderHop                       *ir.Field
	rootSwitch, rootPort, oldSwitch, oldPort, signalHop  *ir.Field
	orderSwitch, orderPort, orderOldSwitch, orderOldPort *ir.Field
	kept, threaded                                       []keeps // of bridge, of thread
}

// keeps is a field of metadata and the field of a header in which it goes to the next pass.
type keeps struct{ md, header *ir.Field }

// pyrrhaMetadata are the fields of ingress, and of egress the session.
type pyrrhaMetadata struct {
	kind, op, port, egress, ingress, egressClass, ingressClass *ir.Field
	front, claims, abdicates, back, host, silent, peer, where  *ir.Field
	slots, states, lasts, news, joins, turns, floors, marks    []*ir.Field
	cells, beyond, resume, most, mark, under                   *ir.Field
	queue, index, count, other, got, position, wide            *ir.Field
	emptied, owned, last                                       *ir.Field
	frame, level, number, slot, oldLevel, oldNumber, oldSlot   *ir.Field
	to, least, before, waits, oldBefore, oldWaits              *ir.Field
	windowEnd, fresh, known                                    *ir.Field
	rootSwitch, rootPort, oldSwitch, oldPort, rootTail, tail   *ir.Field
	tell, join, check, todo, at, value                         *ir.Field
	listed, paused, moreListed, morePaused, freed, iqs, ready  *ir.Field
	matched, was, newPaused, wasPaused, oldListed              *ir.Field
	session, mirror, replica, hold, goes, gates                *ir.Field
	found, leaves, empty, below, owner, nearer                 *ir.Field
	setHigh, setLow, told, joined, checks                      *ir.Field
}

// declareHeaders declares headers in the order in which they are sent.
func (b *pyrrhaBuilder) declareHeaders() {
	h := &b.headers
	h.kind, h.threadKind, h.orderKind = octet("kind"), octet("kind"), octet("kind")
	h.bridge, h.thread = header("bridge", h.kind), header("thread", h.threadKind)
	h.orderType, h.orderHop = octet("type"), octet("hop")
	h.orderSwitch, h.orderPort = fourOctets("root_switch"), twoOctets("root_port")
	h.orderOldSwitch, h.orderOldPort = fourOctets("old_switch"), twoOctets("old_port")
	h.order = header("order", h.orderKind, h.orderType, h.orderHop, octet("reserved"), h.orderSwitch,
		h.orderPort, h.orderOldSwitch, h.orderOldPort)
	h.stack = newStack(nil, 5)
	h.rootSwitch, h.rootPort = fourOctets("root_switch"), twoOctets("root_port")
	h.root = header("root", h.rootSwitch, h.rootPort)
	h.oldSwitch, h.oldPort = fourOctets("old_switch"), twoOctets("old_port")
	h.old = header("old", h.oldSwitch, h.oldPort)
	h.signalHop = octet("hop")
	h.hop = header("distance", h.signalHop)
	h.padPause = header("pad_pause", octet("x0"), fourOctets("x1"), fourOctets("x2"))
	h.padResume = header("pad_resume", twoOctets("y0"), fourOctets("y1"), fourOctets("y2"))
	h.padMerge = header("pad_merge", &ir.Field{Name: "z0", Bits: 24})
	b.p.Headers = []*ir.Header{h.bridge, h.thread, h.order, h.cut, h.ethernet, h.etherType, h.signal,
		h.root, h.old, h.hop, h.padPause, h.padResume, h.padMerge, h.padding, h.ip, h.l4}
}

// declareMetadata declares what a pass remembers, and what of it goes to the next.
func (b *pyrrhaBuilder) declareMetadata() {
	m, h := &b.md, &b.headers
	in := func(name string, bits int) *ir.Field { return b.field(ir.Ingress, name, bits) }
	for _, one := range []struct {
		to   **ir.Field
		name string
		bits int
	}{
		{&m.kind, "kind", 8}, {&m.op, "op", 8}, {&m.port, "port", 16}, {&m.egress, "egress", 16},
		{&m.ingress, "ingress", 16}, {&m.egressClass, "egress_class", 16},
		{&m.ingressClass, "ingress_class", 16}, {&m.front, "front", 1}, {&m.claims, "claims", 1},
		{&m.abdicates, "abdicates", 8}, {&m.back, "back", 9}, {&m.host, "host", 1},
		{&m.silent, "silent", 1}, {&m.peer, "peer", 16}, {&m.where, "where", 16},
		{&m.cells, "cells", 32}, {&m.beyond, "beyond", 32}, {&m.resume, "resume", 32},
		{&m.most, "most", 32}, {&m.mark, "mark", 32}, {&m.under, "under", 32},
		{&m.queue, "queue", 16}, {&m.index, "index", 16}, {&m.count, "first", 1}, {&m.other, "other", 1},
		{&m.got, "got", 1}, {&m.position, "position", 16}, {&m.wide, "set", 32},
		{&m.emptied, "emptied", 1}, {&m.gates, "gates", 1},
		{&m.owned, "depth", 32}, {&m.last, "last_copy", 1},
		{&m.frame, "type", 8}, {&m.level, "level", 8}, {&m.number, "number", 16}, {&m.slot, "slot", 16},
		{&m.oldLevel, "old_level", 8}, {&m.oldNumber, "old_number", 16}, {&m.oldSlot, "old_slot", 16},
		{&m.to, "to", 16}, {&m.least, "least", 16}, {&m.before, "before", 16}, {&m.waits, "waits", 8},
		{&m.oldBefore, "old_before", 16}, {&m.oldWaits, "old_waits", 8},
		{&m.windowEnd, "window_end", 32}, {&m.fresh, "fresh", 1}, {&m.known, "known", 1},
		{&m.rootSwitch, "root_switch", 32}, {&m.rootPort, "root_port", 16},
		{&m.oldSwitch, "old_switch", 32}, {&m.oldPort, "old_port", 16}, {&m.rootTail, "root_tail", 32},
		{&m.tail, "tail", 32}, {&m.tell, "tell", 8}, {&m.join, "join", 8}, {&m.check, "check", 8},
		{&m.todo, "todo", 8}, {&m.at, "at", 16}, {&m.value, "value", 32}, {&m.listed, "listed", 16},
		{&m.paused, "paused", 16}, {&m.moreListed, "more_listed", 16},
		{&m.morePaused, "more_paused", 16}, {&m.freed, "freed", 16}, {&m.iqs, "iqs_left", 8},
		{&m.ready, "ready", 1}, {&m.matched, "matched", 8}, {&m.was, "was", 8},
		{&m.newPaused, "new_paused", 8},
		{&m.wasPaused, "was_paused", 8}, {&m.oldListed, "was_listed", 8}, {&m.session, "session", 8},
		{&m.hold, "hold", 32}, {&m.goes, "goes", 1},
		{&m.found, "found", 1}, {&m.leaves, "leaves", 1},
		{&m.empty, "tree_empties", 1}, {&m.below, "below", 1}, {&m.owner, "owner", 32},
		{&m.nearer, "nearer", 8}, {&m.setHigh, "set_high", 16}, {&m.setLow, "set_low", 16},
		{&m.told, "told", 8}, {&m.joined, "joined", 8}, {&m.checks, "checks", 8},
	} {
		*one.to = in(one.name, one.bits)
	}
	for level := range b.levels + 1 {
		name := func(what string) string { return fmt.Sprintf("%s%d", what, level) }
		m.slots = append(m.slots, in(name("slot"), 16))
		m.states = append(m.states, in(name("state"), 16))
		m.lasts = append(m.lasts, in(name("last"), 8))
		m.news = append(m.news, in(name("new"), 8))
		m.joins = append(m.joins, in(name("joins"), 8))
		m.turns = append(m.turns, in(name("turn"), 16))
		m.floors = append(m.floors, in(name("floor"), 16))
		m.marks = append(m.marks, in(name("mark"), 32))
	}
	m.mirror, m.replica = b.field(ir.Egress, "session", 8), b.field(ir.Egress, "copy", 16)

	keep := func(head *ir.Header, list *[]keeps, fields ...*ir.Field) {
		for _, f := range fields {
			if f.Name == "slot0" {
				continue
			}
			held := &ir.Field{Name: f.Name, Bits: f.Bits}
			head.Fields = append(head.Fields, held)
			*list = append(*list, keeps{f, held})
		}
	}
	keep(h.bridge, &h.kept, append([]*ir.Field{m.egress, m.ingress, m.egressClass, m.queue, m.cells,
		m.index}, m.slots...)...)
	keep(h.thread, &h.threaded, append([]*ir.Field{m.op, m.egress, m.ingress, m.egressClass, m.frame,
		m.level, m.number, m.slot, m.oldLevel, m.oldNumber, m.oldSlot, m.tell, m.join, m.check, m.todo,
		m.at, m.value, m.rootSwitch, m.rootPort, m.oldSwitch, m.oldPort, m.abdicates}, m.slots...)...)
}
