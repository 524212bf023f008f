package tofino

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/ir"
)

// program makes the program. The control of ingress is a line: every register has one place in it,
// that all kinds of packet pass in the same order, as a register is in one stage of the chip.
func (b *pyrrhaBuilder) program() error {
	b.p = &ir.Program{Name: "sluice_pyrrha"}
	b.declareHeaders()
	if err := b.findPaths(); err != nil {
		return err
	}
	b.declareMetadata()
	b.declareRegisters()
	b.about(`
heard the newest sequence number of a port
		tree how many are in the tree of a root, and how many of them are paused (Pyrrha, section IV-C)
		identity switch and port of a root, and its number
		roots the slot of a root by its number (Pyrrha, section V-A)
		slot_top free slots of a level, a stack
		slot_id the slots on that stack
		iq state of a root's IQ at a port, and the packets that wait there
		iqs IQs of a root at all ports
		oq depth of the OQ of a port in cells
		own what upstream was told of a port of this switch as a root
		up cells from an ingress that wait for a root, and what upstream was told
		set_packets packets of a set of roots
		set_key which set an element is of
		free_top free queues of a port, a stack
		free_id the queues on that stack
		set_queue the queue of a set
		queue_set the set of a queue
		shared sets that share a queue
		sequence the number of a port's next frame`)
	b.declareTables()
	b.control(ir.Ingress,
		part{"What a packet is, and whose state it is about; a data packet's path", b.recognise()},
		part{"Whether a frame is newer than those heard, and which port it names", b.hear()},
		part{"The tree of a root: who joins and leaves (section IV-C)", b.lookAtTree()},
		part{"Which port a root is", b.identify()},
		part{"What the IQs of roots may become", b.willBecome()},
		part{"Congestion-root table: slots of roots (section V-A)", b.findRoots()},
		part{"IQs of roots at the egress port", b.findQueues()},
		part{"Slots for roots that have none", b.giveSlots()},
		part{"The OQ, and what upstreams were told of ports of this switch", b.countOutput()},
		part{"What waits for roots, by ingress, against K_pause and K_resume", b.countWaiting()},
		part{"The queue of a set of roots: IsAssigned, QueueId (section V-A)", b.findSet()},
		part{"On their way: packets, frames, threads", b.finish()})
	b.nameValues()
	b.control(ir.Egress, b.egress()...)
	b.ghost(b.tables.depth)
	b.parsers()
	b.mirrors(b.md.session, b.headers.order, b.md.mirror, b.headers.bridge)
	thread := ir.MirrorKind{Type: 2, Gress: ir.Ingress, Session: b.md.session, Original: true,
		Before: b.headers.thread}
	b.p.Mirrors = slices.Insert(b.p.Mirrors, 1, thread)
	return nil
}

// nameValues names kinds of packets, what threads do, and types of frames.
func (b *pyrrhaBuilder) nameValues() {
	h, m := &b.headers, &b.md
	kinds := maps.Clone(kindNames)
	kinds[kindThread], kinds[kindPass] = "KIND_THREAD", "KIND_PASS"
	named(kinds, m.kind, h.kind, h.threadKind, h.orderKind)
	does := map[uint64]string{}
	for op, name := range strings.Fields("ENTER TELL CHECK LEAVES TURN MERGE GATES GATE FORGET JOIN") {
		does[uint64(op+opEnter)] = "OP_" + name
	}
	named(does, m.op, h.threadedAs(m.op))
	named(map[uint64]string{typePause: "PAUSE", typeResume: "RESUME", typeMerge: "MERGE",
		typeDealloc: "DEALLOC"}, m.frame, h.threadedAs(m.frame), h.signalType, h.orderType)
}

// findPaths adds the path tables.
func (b *pyrrhaBuilder) findPaths() (err error) {
	b.paths, b.found, err = NewPaths(PathConfig{Network: b.network, Switch: b.full.Switch,
		Ports: b.Ports, Flow: b.headers.flow()})
	if err != nil {
		return err
	}
	if err := b.checkPaths(); err != nil {
		return err
	}
	b.levels = len(b.paths.Roots)
	b.queueBits, b.levelBits = width(b.full.IQs), width(b.levels+1)
	b.p.Functions = append(b.p.Functions, b.paths.Functions...)
	b.p.Actions = append(b.p.Actions, b.paths.Actions...)
	b.p.Tables = append(b.p.Tables, b.paths.Tables...)
	b.p.Metadata[ir.Ingress] = append(b.p.Metadata[ir.Ingress], b.paths.Metadata...)
	return nil
}

// recognise finds out what a packet is and whose state it is about.
func (b *pyrrhaBuilder) recognise() []ir.Step {
	m, h, t := &b.md, &b.headers, &b.tables
	take := func(kind uint64, list []keeps, more ...ir.Statement) []ir.Statement {
		body := append([]ir.Statement{set(m.kind, kind)}, more...)
		for _, one := range list {
			body = append(body, assign(one.md, one.header))
		}
		return body
	}
	notice := b.do("take_notice", take(kindNotice, h.kept, assign(m.where, h.bridgeAs(m.egress)),
		assign(m.peer, h.bridgeAs(m.ingress)))...)
	thread := b.do("take_thread", take(kindThread, h.threaded)...)
	frame := b.do("take_frame", set(m.kind, kindFrame), assign(m.frame, h.signalType),
		assign(m.egress, m.port), assign(m.ingress, m.port), assign(m.where, m.port),
		assign(m.peer, m.port), assign(m.rootSwitch, h.rootSwitch), assign(m.rootPort, h.rootPort),
		assign(m.oldSwitch, h.oldSwitch), assign(m.oldPort, h.oldPort),
		window(m.windowEnd, h.sequence))
	data := b.do("take_packet", set(m.kind, kindData), assign(m.where, m.egress))
	counted := ir.All{is(m.known, 1), isNot(m.cells, 0)}
	taken := where(counted, data)
	if class, apart := b.apart(); apart {
		taken = where(counted, either(ir.Compare{X: h.stack.class(), Y: ir.Number(3, uint64(class))},
			b.do("take_other", set(m.kind, kindPass), assign(m.where, m.egress),
				set(m.queue, uint64(b.otherQueue()))), data))
	}
	packet := append(slices.Clone(b.paths.Steps), // whoever it is from: port_in is a stage
		where(is(m.front, 1), b.do("from_device", assign(m.ingress, m.port), assign(m.peer, m.port)),
			where(is(b.paths.HasPort, 1), ir.Apply{Table: t.egress}), ir.Apply{Table: t.cells}, taken))
	steps := []ir.Step{ir.Apply{Table: t.ingress},
		kinds(kind{ir.Valid{Header: h.bridge}, []ir.Step{notice}},
			kind{ir.Valid{Header: h.thread}, append([]ir.Step{thread}, b.begin()...)},
			kind{ir.Valid{Header: h.ip}, packet}, // before what waits for port_in
			kind{b.framed(), []ir.Step{frame, ir.Apply{Table: t.number}, ir.Apply{Table: t.old},
				b.do("how_much_nearer", assign(m.nearer,
					ir.Binary{Op: ir.SubSaturated, X: m.level, Y: m.oldLevel}))}}),
		ir.Apply{Table: t.peers},
		where(ir.Any{is(m.kind, kindData), is(m.kind, kindNotice), is(m.op, opTurn)},
			ir.Apply{Table: t.limits}),
	}
	return append(steps, b.marks()...)
}

// marks computes what sums are compared with.
func (b *pyrrhaBuilder) marks() []ir.Step {
	m := &b.md
	return []ir.Step{choose(
		way{is(m.kind, kindData), b.do("pause_mark", assign(m.mark,
			ir.Binary{Op: ir.SubSaturated, X: m.beyond, Y: m.cells}))},
		way{is(m.kind, kindNotice), b.do("resume_mark",
			assign(m.mark, ir.Binary{X: m.resume, Y: m.cells}))},
		way{is(m.op, opTurn), b.do("turn_mark",
			assign(m.under, ir.Binary{Op: ir.SubSaturated, X: m.resume, Y: m.value}))})}
}

// hear finds out whether a frame is newer than those before, which port it names, and whether the
// program obeys it.
func (b *pyrrhaBuilder) hear() []ir.Step {
	m, h := &b.md, &b.headers
	obey := b.do("obey", set(m.ready, 1))
	there := ir.All{is(m.known, 1), isNot(m.level, 0), ir.Compare{X: m.level, Y: h.signalHop}}
	frame := []ir.Step{b.newer(b.registers.heard, b.port(m.port), h.sequence, m.windowEnd, m.fresh),
		where(is(m.fresh, 1), choose(
			way{is(m.frame, typePause), where(there, b.do("obey_pause", set(m.ready, 1),
				set(m.to, iqPaused), set(m.least, iqNone)))},
			way{is(m.frame, typeMerge), where(append(there, isNot(m.nearer, 0)),
				b.do("obey_merge", set(m.ready, 1), set(m.to, iqResumed), set(m.least, iqNone)))},
			way{is(m.frame, typeResume), b.do("obey_resume", set(m.ready, 1), set(m.to, iqResumed),
				set(m.least, iqResumed))},
			way{ir.All{is(m.known, 1), is(m.host, 0)}, obey}))}
	enter := b.do("obey_again", set(m.kind, kindFrame), set(m.ready, 1), set(m.least, iqNone))
	return []ir.Step{kinds(
		kind{is(m.op, opEnter), []ir.Step{enter, either(is(m.frame, typePause),
			b.do("enter_paused", set(m.to, iqPaused)), b.do("enter_resumed", set(m.to, iqResumed)))}},
		kind{append(b.framed(), is(m.silent, 0)), frame})}
}

// framed is the condition that a packet is a frame of a device.
func (b *pyrrhaBuilder) framed() ir.All {
	return ir.All{ir.Valid{Header: b.headers.signal}, is(b.md.front, 1)}
}

// port is the bits of a port's number that an index has.
func (b *pyrrhaBuilder) port(f *ir.Field) ir.Expr { return ir.Slice{X: f, High: b.portBits - 1} }

// slotOf is the element of a port and a slot, rootOf that of a level and a slot.
func (b *pyrrhaBuilder) slotOf(port *ir.Field, slot ir.Expr) ir.Expr {
	return ir.Concat{b.port(port), wide(slot, slotBits)}
}

func (b *pyrrhaBuilder) rootOf(level, slot *ir.Field) ir.Expr {
	return ir.Concat{ir.Slice{X: level, High: b.levelBits - 1}, wide(slot, slotBits)}
}

// frameIs is the condition that a frame of one of some types is obeyed.
func (b *pyrrhaBuilder) frameIs(types ...uint64) ir.Expr {
	m, any := &b.md, ir.Any{}
	for _, one := range types {
		any = append(any, is(m.frame, one))
	}
	return ir.All{is(m.ready, 1), any}
}

// identify finds out which port a root is, or writes it down.
func (b *pyrrhaBuilder) identify() []ir.Step {
	m, identity := &b.md, b.registers.identity
	name := uint64(b.full.Switch)
	asked := ir.All{ir.Any{is(m.op, opTell), is(m.op, opCheck), is(m.op, opLeaves),
		is(m.op, opForget)}, isNot(m.frame, typeMerge)}
	enter := b.do("put_identity", assign(m.tail, ir.Concat{m.rootPort, m.number}))
	write := b.do("write_identity", ir.Execute{Action: identity.Actions[writeIt],
		Index: b.rootOf(m.level, m.slot), Phv: [2]ir.Expr{m.rootSwitch, m.tail}})
	read := b.do("read_identity", ir.Execute{Action: identity.Actions[readIt],
		Index: b.rootOf(m.level, m.slot), To: []*ir.Field{m.rootSwitch, m.rootTail}})
	split := b.do("split_identity", assign(m.rootPort, ir.Slice{X: m.rootTail, High: 31, Low: 16}),
		assign(m.number, ir.Slice{X: m.rootTail, High: 15}))
	own := b.do("own_identity", assign(m.rootSwitch, ir.Number(32, name)),
		assign(m.rootPort, m.slot))
	return []ir.Step{
		where(is(m.op, opEnter), enter),
		choose(way{is(m.op, opEnter), write},
			way{append(asked, isNot(m.level, 0)), read},
			way{append(asked, is(m.level, 0)), own}),
		where(append(asked, isNot(m.level, 0)), split),
	}
}

// findRoots finds the slots of roots by their numbers.
func (b *pyrrhaBuilder) findRoots() []ir.Step {
	m, r := &b.md, &b.registers
	use := func(action, level int, index, input ir.Expr, to ...*ir.Field) ir.Statement {
		return uses(r.roots[level-1], action, index, input, to...)
	}
	numbered := func(number *ir.Field, level int) ir.Expr {
		return wide(number, width(r.roots[level-1].Size))
	}
	var onPath []ir.Step
	for level := 1; level <= b.levels; level++ {
		path := b.paths.Roots[level-1]
		onPath = append(onPath, where(is(path.Has, 1), b.do(fmt.Sprint("find_root", level),
			use(findIt, level, path.Number, nil, m.slots[level], m.turns[level]))))
	}
	var old []kind // of a MERGE, whose old root is nearer
	for level := 1; level < b.levels; level++ {
		old = append(old, kind{is(m.oldLevel, uint64(level)), []ir.Step{
			b.do(fmt.Sprint("old_root", level), use(readIt, level, numbered(m.oldNumber, level), nil,
				m.oldSlot))}})
	}
	one := func(name string, body func(level int) []ir.Statement) []ir.Step {
		var levels []kind
		for level := 1; level <= b.levels; level++ {
			steps := []ir.Step{b.do(fmt.Sprint(name, level), body(level)...)}
			if level > 1 && name != "forget_root" {
				steps = append(steps, where(b.frameIs(typeMerge), kinds(old[:level-1]...)))
			}
			levels = append(levels, kind{is(m.level, uint64(level)), steps})
		}
		return []ir.Step{kinds(levels...)}
	}
	return []ir.Step{kinds(kind{is(m.kind, kindData), onPath},
		kind{is(m.op, opEnter), one("enter_root", func(level int) []ir.Statement {
			return []ir.Statement{use(writeIt, level, numbered(m.number, level), m.slot),
				assign(m.slots[level], m.slot)}
		})},
		kind{is(m.ready, 1), one("named_root", func(level int) []ir.Statement {
			return []ir.Statement{use(findIt, level, numbered(m.number, level), nil,
				m.slots[level], m.slot)}
		})},
		kind{is(m.op, opForget), one("forget_root", func(level int) []ir.Statement {
			return []ir.Statement{use(writeIt, level, numbered(m.number, level), ir.Number(16, 0))}
		})}),
		where(ir.All{is(m.ready, 1), isNot(m.slot, 0)}, b.do("root_is_known", set(m.found, 1))),
	}
}

// giveSlots takes a free slot for a root that has none, or gives one back.
func (b *pyrrhaBuilder) giveSlots() []ir.Step {
	m, r := &b.md, &b.registers
	needs := ir.All{b.frameIs(typePause, typeMerge), isNot(m.op, opEnter), is(m.slot, 0)}
	level := ir.Slice{X: m.level, High: b.levelBits - 1}
	place := ir.Concat{level, ir.Slice{X: m.position, High: slotBits - 1}}
	return []ir.Step{
		choose(way{needs, b.do("pop_slot", uses(r.slotTop, popIt, level, nil, m.got, m.position))},
			way{is(m.op, opForget), b.do("push_slot", uses(r.slotTop, pushIt, level, nil, m.position))}),
		choose(way{ir.All{is(m.ready, 1), is(m.got, 1)},
			b.do("read_slot", uses(r.slotID, readIt, place, nil, m.slot))},
			way{is(m.op, opForget), b.do("write_slot", uses(r.slotID, writeIt, place, m.slot))}),
	}
}

// apart returns the class that is not under Pyrrha; false if all are.
func (b *pyrrhaBuilder) apart() (class int, is bool) {
	for class := range 8 {
		if b.full.Classes&(1<<class) == 0 {
			return class, true
		}
	}
	return 0, false
}

// abdicates reports whether a port gives way to a root downstream of it.
func (b *pyrrhaBuilder) abdicates(at int) bool {
	up := b.full.Ports[at].Role == pyrrha.Up && !b.full.AbdicateUp
	return !up && b.full.Merge == pyrrha.MergeAlways
}
