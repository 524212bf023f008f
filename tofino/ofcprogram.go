package tofino

import (
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/ir"
)

// ofcBuilder is a program under construction.
type ofcBuilder struct {
	builder
	full     ofc.Config
	cellBits int

	headers   ofcHeaders
	md        ofcMetadata
	eg        ofcEgress
	registers ofcRegisters
	tables    ofcTables
}

// program makes the program. The control of ingress is a line: every register has one place in it,
// that all kinds of packet pass in the same order, as a register is in one stage of the chip.
func (b *ofcBuilder) program() {
	b.p = &ir.Program{Name: "sluice_ofc", Functions: []*ir.HashFunction{crc32(), crc32c()}}
	b.declareHeaders()
	b.declareMetadata()
	b.declareRegisters()
	b.about(`
q_in cells that came by an ingress (OFC, Algorithm 1)
		q_out cells in the queues of an egress (OFC, Algorithm 1)
		depth depth of a queue as ghost was told
		flow flow_in_port_tab: half of a flow, and its packets
		seen the other half of that flow, and the port that it came by
		unknown packets of flows that flow_in_port_tab has no room for
		backup packets in the paused queue and in the other backup queue (OFC, Algorithm 3)
		side which of the backup queues is the paused one
		ended how many rotations have ended
		ended_out the same in egress
		congested congested_flow_tab: half of a flow, and until which rotation it is paused
		congested_out the copy of congested_flow_tab in egress
		paused_flows paused flows, and those that are paused until the rotation's end
		episode how often upstream was resumed, and whether it was paused since
		walked the episode in which all flows of a queue were named
		told pause_frame_tab: a flow that upstream was told of, or how many there are
		all_held whether upstream was told to hold the whole class
		held what holds a class: a frame, or want of room
		heard the newest sequence number of a port
		sequence the number of a port's next frame`)
	b.declareTables()
	b.control(ir.Ingress,
		part{"What a packet is, and whose state it is about", b.recognise()},
		part{"Whether a frame is newer than those heard", b.hear()},
		part{"q_in and q_out against X^c_OFF, X_OFF and X_ON (Algorithm 1)", b.account()},
		part{"flow_in_port_tab: the flow's cell, or unknown flows", b.findFlow()},
		part{"Backup queues, and their roles (Algorithm 3)", b.rotate()},
		part{"congested_flow_tab (Algorithm 2)", b.findPaused()},
		part{"What is paused upstream, or may be resumed (Algorithm 1)", b.judge()},
		part{"pause_frame_tab", b.name()},
		part{"What holds a class, and the gate of a queue", b.hold()},
		part{"On their way: packets, signals, and what goes round", b.finish()})
	h, m := &b.headers, &b.md
	named(ofcKinds, m.kind, h.kind, h.order.kind, h.tell.kind)
	named(map[uint64]string{ofcPause: "PAUSE", ofcResume: "RESUME"}, h.signalType)
	b.control(ir.Egress, b.egress()...)
	b.ghost(b.tables.depth)
	b.parsers()
	b.mirrors(b.md.session, b.headers.tell.header, b.eg.session, b.headers.bridge)
}

// recognise finds out what a packet is and whose state it is about. A data packet counts if its
// ports are known and its length is.
func (b *ofcBuilder) recognise() []ir.Step {
	m, h, t := &b.md, &b.headers, &b.tables
	o := &h.order
	bridged := b.do("take_bridged", assign(m.kind, h.kind), assign(m.egress, h.egress),
		assign(m.ingress, h.ingress), assign(m.class, h.class), assign(m.gone, h.queue),
		assign(m.where, h.where), assign(m.cells, h.cells), assign(m.back, h.back),
		assign(m.port, h.port), assign(m.high, h.high), assign(m.low, h.low))
	order := b.do("take_order", assign(m.kind, o.kind), assign(m.egress, o.egress),
		assign(m.class, o.class), assign(m.ingress, o.ingress), assign(m.back, o.back),
		assign(m.flag, o.flag), assign(m.queue, o.queue), assign(m.at, o.at), assign(m.high, o.high),
		assign(m.low, o.low))
	timer := func(name string, queue uint64) ir.Step {
		return b.do(name, set(m.kind, ofcTimer), copyOf(m.egress, h.batch),
			assign(m.class, ir.Slice{X: h.packet, High: 3, Low: 1}), set(m.hold, 1), set(m.word, 1),
			set(m.queue, queue))
	}
	frame := func(name string, stops uint64) ir.Step {
		return b.do(name, set(m.kind, ofcFrame), assign(m.egress, m.ingress),
			assign(m.class, h.signalClass), assign(m.high, h.signalHigh), assign(m.low, h.signalLow),
			set(m.stops, stops), window(m.windowEnd, h.sequence))
	}
	data := b.do("take_packet_in", set(m.kind, ofcData), assign(m.back, ir.IngressPort),
		assign(m.class, h.stack.class()),
		assign(m.low, b.hash(0)), assign(m.high, b.hash(1)))
	front := ir.Apply{Table: t.ingress, Hit: []ir.Step{
		where(ir.Valid{Header: h.ip}, ir.Apply{Table: t.route}, ir.Apply{Table: t.cells}),
		choose(way{ir.Valid{Header: h.signal}, either(is(h.signalType, ofcPause), frame("take_pause", 1),
			frame("take_resume", 0))},
			way{ir.All{ir.Valid{Header: h.ip}, is(m.routed, 1), isNot(m.cells, 0)}, data})}}
	return []ir.Step{
		ir.If{Condition: ir.Valid{Header: h.bridge}, Then: []ir.Step{bridged}, Else: []ir.Step{
			choose(way{ir.Valid{Header: o.header}, order}, way{ir.Valid{Header: h.timer}, either(
				ir.Compare{X: ir.Slice{X: h.packet}, Y: ir.Number(1, 0)},
				timer("hold_first_backup", 1), timer("hold_second_backup", 2))},
				way{ir.Not{X: ir.Valid{Header: h.timer}}, front})}},
		ir.Apply{Table: t.class},
	}
}

// hash is a function of the five-tuple.
func (b *ofcBuilder) hash(function int) ir.Expr {
	h := &b.headers
	return ir.Hash{Function: b.p.Functions[function], Fields: []ir.Expr{of(h.ip, "dst"),
		of(h.ip, "protocol"), of(h.ip, "src"), of(h.l4, "src"), of(h.l4, "dst")}}
}

// hear finds out whether a frame is newer than those before; obeyed is the condition that it is,
// and is about a class under OFC.
func (b *ofcBuilder) hear() []ir.Step {
	m := &b.md
	return []ir.Step{where(is(m.kind, ofcFrame),
		b.newer(b.registers.heard, b.port(m.egress), b.headers.sequence, m.windowEnd, m.fresh),
		where(ir.All{is(m.fresh, 1), is(m.managed, 1)}, b.do("obey", set(m.obeys, 1))))}
}

func (b *ofcBuilder) obeyed() ir.Expr { return is(b.md.obeys, 1) }

// frameSays is the condition that a frame is obeyed, has a type, and is about all flows or about
// one.
func (b *ofcBuilder) frameSays(kind, all uint64) ir.Expr {
	list := b.headers.list
	return ir.All{b.obeyed(), is(b.headers.signalType, kind),
		ir.Compare{X: ir.Slice{X: list}, Y: ir.Number(1, all)}}
}

// of and by are elements of registers: of an egress port and class, and of an ingress port and
// class.
func (b *ofcBuilder) of() ir.Expr { return ir.Concat{b.port(b.md.egress), b.md.class} }

func (b *ofcBuilder) by() ir.Expr { return ir.Concat{b.port(b.md.ingress), b.md.class} }

// cell is one of the cells that an element has in a row, by bits of a number.
func (b *ofcBuilder) cell(of ir.Expr, by ir.Expr) ir.Expr {
	return ir.Concat{of, ir.Slice{X: by, High: b.cellBits - 1}}
}

// use is a step that runs an action of a register. Inputs may be nil.
func (b *ofcBuilder) use(
	r *ir.Register, action int, index ir.Expr, inputs [2]ir.Expr, to ...*ir.Field,
) ir.Step {
	a := r.Actions[action]
	return b.do(a.Name, ir.Execute{Action: a, Index: index, Phv: inputs, To: to})
}

// inputs are those of a register action.
func inputs(first ir.Expr, second ...ir.Expr) [2]ir.Expr {
	both := [2]ir.Expr{first}
	copy(both[1:], second)
	return both
}

// none are the inputs of a register action that has none.
var none [2]ir.Expr

// account counts cells by ingress and egress, and compares them with thresholds (OFC, Algorithm 1,
// lines 3, 4, 10 and 16). Packets are whole cells: so many bytes are so many cells or more.
func (b *ofcBuilder) account() []ir.Step {
	m, r := &b.md, &b.registers
	cells := inputs(m.cells)
	counts := func(r *ir.Register, index ir.Expr, to *ir.Field) ir.Step {
		return choose(way{is(m.kind, ofcData), b.use(r, 0, index, cells, to)},
			way{is(m.kind, ofcNotice), b.use(r, 1, index, cells, to)})
	}
	beyond := func(x, limit *ir.Field) ir.Expr {
		return ir.Binary{Op: ir.SubSaturated, X: x, Y: limit}
	}
	steps := []ir.Step{
		where(ir.Any{is(m.kind, ofcData), is(m.kind, ofcNotice)}, ir.Apply{Table: b.tables.limits}),
		counts(r.in, b.by(), m.in),
	}
	if b.Depth == Ghost {
		for q, depth := range r.depths {
			steps = append(steps, where(is(m.kind, ofcData), b.use(depth, 0, b.of(), none, m.depths[q])))
		}
		add := func(x, y *ir.Field) ir.Expr { return ir.Binary{X: x, Y: y} }
		steps = append(steps, b.do("two_depths", assign(m.out, add(m.depths[0], m.depths[1]))),
			b.do("three_depths", assign(m.out, add(m.out, m.depths[2]))))
	} else {
		steps = append(steps, counts(r.out, b.of(), m.out))
	}
	note := func(name string, x, is *ir.Field) ir.Step {
		return where(isNot(x, 0), b.do(name, set(is, 1)))
	}
	return append(steps,
		where(b.counted(ofcData), b.do("compare", assign(m.overIn, beyond(m.in, m.congestedLimit)),
			assign(m.overAll, beyond(m.in, m.allLimit)), assign(m.overOut, beyond(m.out, m.outLimit)))),
		where(b.counted(ofcNotice), b.do("compare_low", assign(m.low0, beyond(m.onLimit, m.in)))),
		note("q_in_beyond_congested", m.overIn, m.isIn), note("q_in_beyond", m.overAll, m.isAll),
		note("q_out_beyond", m.overOut, m.isOut), note("q_in_low", m.low0, m.isLow),
	)
}

// counted is the condition that a packet is of a kind, and of a class under OFC.
func (b *ofcBuilder) counted(kind uint64) ir.Expr {
	return ir.All{is(b.md.kind, kind), is(b.md.managed, 1)}
}

// findFlow counts a packet in its flow's cell, or among those of unknown flows. A walk reads a cell
// instead, and with it the flow.
func (b *ofcBuilder) findFlow() []ir.Step {
	m, r := &b.md, &b.registers
	first, second := is(m.where, 1), is(m.where, 2)
	walk, last := is(m.kind, ofcWalk), b.secondRow()
	at := b.cell(b.of(), m.at)
	note := func(row int, cell, half ir.Expr) ir.Step {
		return b.use(r.seen[row], 0, cell, inputs(half, m.cameBy))
	}
	inA, inB := b.cell(b.of(), m.low), b.cell(b.of(), m.high)
	joins := ir.All{b.counted(ofcData), is(m.gotA, 0)}
	leaves := b.counted(ofcNotice)
	return []ir.Step{
		choose(way{b.counted(ofcData), b.use(r.flows[0], 0, inA, inputs(m.high), m.gotA)},
			way{ir.All{leaves, first}, b.use(r.flows[0], 1, inA, none)},
			way{ir.All{walk, ir.Not{X: last}}, b.use(r.flows[0], 2, at, none, m.high, m.found)}),
		choose(way{joins, b.use(r.flows[1], 0, inB, inputs(m.low), m.gotB)},
			way{ir.All{leaves, second}, b.use(r.flows[1], 1, inB, none)},
			way{ir.All{walk, last}, b.use(r.flows[1], 2, at, none, m.low, m.found)}),
		choose(way{is(m.gotA, 1), note(0, inA, m.low)},
			way{ir.All{walk, ir.Not{X: last}}, b.use(r.seen[0], 1, at, none, m.low, m.from)}),
		choose(way{is(m.gotB, 1), note(1, inB, m.high)},
			way{ir.All{walk, last}, b.use(r.seen[1], 1, at, none, m.high, m.from)}),
		choose(way{ir.All{joins, is(m.gotB, 0)}, b.use(r.unknown, 0, b.by(), none, m.unknown)},
			way{b.counted(ofcData), b.use(r.unknown, 2, b.by(), none, m.unknown)},
			way{ir.All{leaves, is(m.where, 0)}, b.use(r.unknown, 1, b.by(), none)}),
		where(isNot(m.unknown, 0), b.do("has_strangers", set(m.strangers, 1))),
		choose(way{is(m.gotA, 1), b.do("in_first_row", set(m.where, 1))},
			way{is(m.gotB, 1), b.do("in_second_row", set(m.where, 2))}),
	}
}

// secondRow is the condition that what walks is at a cell of the second row.
func (b *ofcBuilder) secondRow() ir.Expr {
	return ir.Compare{X: ir.Slice{X: b.md.at, High: b.cellBits, Low: b.cellBits}, Y: ir.Number(1, 1)}
}

// rotate counts packets in backup queues, and has the queues change their roles (OFC, Algorithm 3).
// The paused queue is served when the order mark has come, and something waits in it; or when the
// one that was served is empty, if flows were resumed meanwhile.
func (b *ofcBuilder) rotate() []ir.Step {
	m, r := &b.md, &b.registers
	drains := b.do("from_backup", set(m.drains, 1))
	turns := ir.Any{is(m.kind, ofcMark), ir.All{is(m.kind, ofcNext), is(m.flag, 1)}}
	return []ir.Step{
		where(ir.All{ir.Any{is(m.kind, ofcMoved), is(m.kind, ofcNotice)}, isNot(m.gone, 0)}, drains),
		choose(way{is(m.kind, ofcMoved), b.use(r.backup, 0, b.of(), inputs(m.drains), m.ended)},
			way{ir.All{is(m.kind, ofcNotice), is(m.drains, 1)}, b.use(r.backup, 1, b.of(), none, m.ended)},
			way{turns, b.use(r.backup, 2, b.of(), none, m.rotated)},
			way{b.obeyed(), b.use(r.backup, 3, b.of(), none, m.rotating)}),
		choose(way{is(m.rotated, 1), b.use(r.side, 0, b.of(), none, m.side)},
			way{ir.Any{is(m.kind, ofcMoved), is(m.kind, ofcNext), b.obeyed()},
				b.use(r.side, 1, b.of(), none, m.side)}),
		b.do("other_backup_queue", assign(m.other, ir.Binary{Op: ir.Sub, X: ir.Number(8, 3), Y: m.side}),
			assign(m.qid, ir.Binary{X: m.base, Y: m.side})),
	}
}

// paused and other are the numbers of the paused queue and of the other backup queue in a class, 1
// and 2 or 2 and 1.
func (b *ofcBuilder) paused() ir.Expr { return b.md.side }
func (b *ofcBuilder) other() ir.Expr  { return b.md.other }

// findPaused looks a flow up in congested_flow_tab, or does what a frame says of it (OFC, Algorithm
// 2).
func (b *ofcBuilder) findPaused() []ir.Step {
	m, r := &b.md, &b.registers
	pauses, resumes := b.frameSays(ofcPause, 0), b.frameSays(ofcResume, 0)
	looks := ir.Any{b.counted(ofcData), is(m.kind, ofcWalk)}
	row := func(row int, half, rest, own, room, gone *ir.Field, pauses ir.Expr) ir.Step {
		table, cell := r.congested[row], b.cell(b.of(), half)
		input := inputs(rest, m.until)
		return choose(way{looks, b.use(table, 1, cell, input, own)},
			way{pauses, b.use(table, 0, cell, input, room, m.newFlow, m.backAgain)},
			way{ir.All{resumes, is(m.rotating, 0)}, b.use(table, 2, cell, input, gone)},
			way{resumes, b.use(table, 3, cell, input, gone)})
	}
	sum := func(x, y *ir.Field) ir.Expr { return ir.Binary{X: x, Y: y} }
	set := func(name string, more, less ir.Expr) ir.Step {
		return b.do(name, assign(m.more, more), assign(m.less, less))
	}
	counts := inputs(m.more, m.less)
	return []ir.Step{
		choose(way{is(m.kind, ofcEnded), b.use(r.ended, 1, b.of(), none)},
			way{ir.Any{looks, b.obeyed()}, b.use(r.ended, 0, b.of(), none, m.until)}),
		row(0, m.low, m.high, m.ownA, m.roomA, m.goneA, pauses),
		row(1, m.high, m.low, m.ownB, m.roomB, m.goneB, ir.All{pauses, is(m.roomA, 0)}),
		where(resumes, b.do("flows_resumed", assign(m.goneFlows, sum(m.goneA, m.goneB)))),
		choose(way{pauses, set("paused_more", sum(m.newFlow, m.backAgain), m.backAgain)},
			way{ir.All{resumes, is(m.rotating, 0)}, set("paused_less", m.goneFlows, ir.Number(32, 0))},
			way{resumes, set("paused_until", m.goneFlows, m.goneFlows)}),
		choose(way{pauses, b.use(r.pausedFlows, 0, b.of(), counts)},
			way{resumes, b.use(r.pausedFlows, 1, b.of(), counts)},
			way{is(m.kind, ofcEnded), b.use(r.pausedFlows, 2, b.of(), none, m.any)},
			way{b.counted(ofcData), b.use(r.pausedFlows, 3, b.of(), none, m.original)}),
	}
}

// beyond is the condition that a packet finds q_in and q_out over X^c_OFF, full that it finds q_in
// over X_OFF.
func (b *ofcBuilder) beyond() ir.Expr {
	m := &b.md
	return ir.All{b.counted(ofcData), is(m.isIn, 1), is(m.isOut, 1), is(m.isAll, 0)}
}

func (b *ofcBuilder) overfull() ir.Expr {
	return ir.All{b.counted(ofcData), is(b.md.isAll, 1)}
}

// falls is the condition that a notice finds q_in down to X_ON.
func (b *ofcBuilder) falls() ir.Expr {
	return ir.All{b.counted(ofcNotice), is(b.md.isLow, 1)}
}

// judge notes that something is paused upstream, or that it may be resumed, and whether all flows
// of the queue are to be named (OFC, Algorithm 1).
func (b *ofcBuilder) judge() []ir.Step {
	m, r := &b.md, &b.registers
	var steps []ir.Step
	if b.full.Undistinguished {
		steps = append(steps, b.do("each_is_original", set(m.original, 1)))
	}
	return append(steps,
		choose(way{ir.Any{b.beyond(), b.overfull()}, b.use(r.episode, 0, b.by(), none, m.epoch)},
			way{b.falls(), b.use(r.episode, 1, b.by(), none, m.was)}),
		where(ir.All{b.beyond(), is(m.strangers, 0)}, b.use(r.walked, 0,
			ir.Concat{b.port(m.egress), b.port(m.ingress), m.class}, inputs(m.epoch), m.walk)),
	)
}

// name puts a flow into pause_frame_tab, or takes one out to resume it.
func (b *ofcBuilder) name() []ir.Step {
	m, r := &b.md, &b.registers
	own := ir.Any{is(m.ownA, 1), is(m.ownB, 1)}
	itself := ir.All{b.beyond(), is(m.strangers, 0), is(m.walk, 0), ir.Any{is(m.original, 1), own}}
	met := ir.All{is(m.kind, ofcWalk), is(m.found, 1), ir.Compare{X: ir.Slice{X: m.from,
		High: b.portBits - 1}, Y: b.port(m.ingress)}, ir.Any{is(m.flag, 1), own}}
	tells := ir.Any{itself, met}
	repeals, last := is(m.kind, ofcRepeal), b.secondRow()
	flow, at := inputs(m.low, m.high), b.cell(b.by(), m.at)
	lacks := b.do("no_room", set(m.allNew, 1))
	return []ir.Step{
		choose(way{tells, b.use(r.told[0], 0, b.cell(b.by(), m.low), flow, m.roomA, m.freshA)},
			way{ir.All{repeals, ir.Not{X: last}}, b.use(r.told[0], 1, at, none, m.low, m.high, m.found)}),
		choose(way{ir.All{tells, is(m.roomA, 0)},
			b.use(r.told[1], 0, b.cell(b.by(), m.high), flow, m.roomB,
				m.freshB)},
			way{ir.All{repeals, last}, b.use(r.told[1], 1, at, none, m.low, m.high, m.found)}),
		choose(way{ir.Any{is(m.freshA, 1), is(m.freshB, 1)}, b.use(r.count, 0, b.by(), none)},
			way{ir.All{repeals, is(m.found, 1)}, b.use(r.count, 1, b.by(), none, m.last)},
			way{is(m.was, 1), b.use(r.count, 2, b.by(), none, m.told)}),
		where(ir.Any{b.overfull(), ir.All{b.beyond(), is(m.strangers, 1)},
			ir.All{itself, is(m.roomA, 0), is(m.roomB, 0)}}, lacks),
		choose(way{is(m.allNew, 1), b.use(r.all, 0, b.by(), none, m.allWas)},
			way{is(m.was, 1), b.use(r.all, 1, b.by(), none, m.allWas)}),
	}
}

// hold notes what holds a class, and moves the gate of a queue: that which is served as a frame
// says, or those that change their roles.
func (b *ofcBuilder) hold() []ir.Step {
	m, r := &b.md, &b.registers
	spills := ir.All{b.frameSays(ofcPause, 0), is(m.roomA, 0), is(m.roomB, 0)}
	last := ir.All{b.frameSays(ofcResume, 0), ir.Compare{
		X: ir.Slice{X: b.headers.list, High: 1, Low: 1}, Y: ir.Number(1, 1)}}
	pauses := inputs(m.stops)
	held := func(name string, action int) ir.Step {
		return b.do(name, ir.Execute{Action: r.held.Actions[action], Index: b.of(), Phv: pauses,
			To: []*ir.Field{m.hold}}, set(m.word, 1))
	}
	opens := b.do("look_at_held", ir.Execute{Action: r.held.Actions[2], Index: b.of(),
		To: []*ir.Field{m.hold}})
	gate := func(name string, queue ir.Expr) ir.Step { return b.do(name, assign(m.queue, queue)) }
	shut := func(name string, queue ir.Expr) ir.Step {
		return b.do(name, assign(m.queue, queue), set(m.hold, 1), set(m.word, 1))
	}
	return []ir.Step{
		choose(way{ir.Any{b.frameSays(ofcPause, 1), b.frameSays(ofcResume, 1)}, held("as_frame_says", 0)},
			way{ir.Any{spills, last}, held("as_there_is_room", 1)},
			way{is(m.kind, ofcOpen), opens}),
		choose(way{ir.All{b.obeyed(), is(m.rotating, 1)}, gate("gate_of_draining", b.other())},
			way{b.obeyed(), gate("gate_of_normal", ir.Number(8, 0))},
			way{ir.All{is(m.kind, ofcMark), is(m.rotated, 1)}, shut("shut_normal", ir.Number(8, 0))},
			way{is(m.kind, ofcNext), shut("shut_drained", b.other())},
			way{ir.All{is(m.kind, ofcOpen), is(m.hold, 0)}, b.do("open_it", set(m.word, 1))}),
		where(is(m.word, 1), ir.Apply{Table: b.tables.afc}),
	}
}
