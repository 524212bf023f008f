package tofino

import (
	"github.com/sluicefc/sluice/tofino/ir"
)

// program makes the program. The control of ingress is a line: every register has one place in it,
// that all kinds of packet pass in the same order, as a register is in one stage of the chip.
func (b *bfcBuilder) program() {
	b.p = &ir.Program{Name: "sluice_bfc", Functions: []*ir.HashFunction{crc32()}}
	b.widths()
	b.declareHeaders()
	b.declareMetadata()
	b.declareRegisters()
	b.about(`
last when the last packet of a flow left
		flow_size packets of a flow here (BFC, section 3.2); 2^15 if there never was one
		free_top free queues of a port, a stack
		free_id the queues on that stack
		flow_queue the queue that a flow has (BFC, section 3.2)
		packets packets in a queue
		listed whether a queue is on the stack of free ones
		paused whether downstream has paused a queue
		active N_active of a port (BFC, section 3.3)
		length depth of a queue in cells
		counter packets over the threshold by the queue upstream that they came from (BFC, section 3.3)
		heard the newest sequence number of a port
		sequence the number of a port's next frame`)
	b.declareTables()
	b.control(ir.Ingress,
		part{"What a packet is, and whose state it is about", b.recognise()},
		part{"Whether a frame is newer than those heard", b.hear()},
		part{"Flow table: packets of the flow, and its rest beyond sticky (section 3.2)", b.findFlow()},
		part{"The flow's queue, or the one freed last (section 3.2)", b.findQueue()},
		part{"Packets of queues, and N_active (section 3.3)", b.countPackets()},
		part{"Threshold, and the pause counter of the queue upstream (section 3.3)", b.judge()},
		part{"On their way: packets, signals, words of flow control, second rounds", b.finish()})
	named(kindNames, b.md.kind, b.headers.kind, of(b.headers.order, "kind"))
	named(map[uint64]string{pauseType: "PAUSE", resumeType: "RESUME"}, b.headers.signalType,
		of(b.headers.order, "type"))
	b.control(ir.Egress, b.egress()...)
	b.ghost(b.tables.depth)
	b.parsers()
	b.mirrors(b.md.session, b.headers.order, b.md.mirror, b.headers.bridge)
}

// What frames of ours are, of package bfc.
const (
	protocolBFC = 1
	limitBits   = 19 // of a threshold in cells
)

// recognise finds out what a packet is and whose state it is about. A data packet counts if its
// ports are known and its length is.
func (b *bfcBuilder) recognise() []ir.Step {
	m, h, t := &b.md, &b.headers, &b.tables
	now := assign(m.now, ir.Slice{X: ir.IngressTime, High: 31})
	notice := b.do("take_notice", assign(m.kind, h.kind), assign(m.egress, h.egress),
		assign(m.queue, h.queue), assign(m.ingress, h.ingress), assign(m.upstream, h.upstream),
		assign(m.vfid, h.vfid), assign(m.cells, h.cells), assign(m.counted, h.counted),
		assign(m.back, h.back), now)
	frame := func(name string, hold uint64) ir.Step {
		return b.do(name, set(m.kind, kindFrame), assign(m.egress, m.ingress),
			copyOf(m.queue, of(h.signal, "queue")), set(m.hold, hold),
			window(m.windowEnd, of(h.signal, "sequence")))
	}
	data := b.do("take_packet_in", set(m.kind, kindData), assign(m.back, ir.IngressPort), now,
		assign(m.vfid, ir.Slice{X: ir.Hash{Function: b.p.Functions[0],
			Fields: []ir.Expr{of(h.ip, "src"), of(h.ip, "dst"), of(h.ip, "protocol"),
				of(h.l4, "src"), of(h.l4, "dst")}}, High: m.vfid.Bits - 1}))
	known := b.do("take_shim", assign(m.upstream, of(h.shim, "queue")),
		assign(m.known, ir.Binary{Op: ir.SubSaturated, X: m.upstreamMax, Y: of(h.shim, "queue")}))
	steps := []ir.Step{ir.Apply{Table: t.ingress},
		where(ir.Valid{Header: h.ip}, ir.Apply{Table: t.route}, ir.Apply{Table: t.cells}),
		choose(way{ir.Valid{Header: h.bridge}, notice},
			way{ir.All{ir.Valid{Header: h.signal}, is(m.front, 1)}, either(
				is(of(h.signal, "type"), pauseType), frame("take_pause", 1), frame("take_resume", 0))},
			way{ir.All{ir.Valid{Header: h.ip}, is(m.front, 1), is(m.routed, 1), isNot(m.cells, 0)}, data}),
		where(ir.Valid{Header: h.shim}, known)}
	if t.withhold != nil {
		steps = append(steps, where(is(m.routed, 1), ir.Apply{Table: t.withhold}))
	}
	return steps
}

// hear finds out whether a frame is newer than those before; obeyed is the condition that it is,
// and names a queue of the port.
func (b *bfcBuilder) hear() []ir.Step {
	m := &b.md
	return []ir.Step{where(is(m.kind, kindFrame), b.newer(b.registers.heard, b.port(m.ingress),
		of(b.headers.signal, "sequence"), m.windowEnd, m.fresh))}
}

func (b *bfcBuilder) obeyed() ir.Expr {
	m, queue := &b.md, of(b.headers.signal, "queue")
	return ir.All{is(m.kind, kindFrame), is(m.fresh, 1), ir.Compare{
		X: ir.Slice{X: queue, High: 15, Low: b.queueBits}, Y: ir.Number(16-b.queueBits, 0)}}
}

// flow and queue are the elements of registers of a flow and of a queue of the egress port, and
// queueNumber the queue's number with the bits that an index of it has.
func (b *bfcBuilder) flow() ir.Expr {
	return ir.Concat{b.port(b.md.egress), ir.Slice{X: b.md.vfid, High: b.vfidBits - 1}}
}

func (b *bfcBuilder) queue() ir.Expr {
	return ir.Concat{b.port(b.md.egress), b.queueNumber()}
}
func (b *bfcBuilder) queueNumber() ir.Expr { return ir.Slice{X: b.md.queue, High: b.queueBits - 1} }

// findFlow counts a packet in its flow's entry, and finds out how long that has rested beyond
// sticky.
func (b *bfcBuilder) findFlow() []ir.Step {
	m, r := &b.md, &b.registers
	return []ir.Step{
		choose(way{is(m.kind, kindData), b.do("read_flow_time", uses(r.last, 0, b.flow(), nil, m.last))},
			way{is(m.kind, kindNotice), b.do("note_flow_time", uses(r.last, 1, b.flow(), m.now))}),
		choose(way{is(m.kind, kindData),
			b.do("join_flow", uses(r.size, 0, b.flow(), nil, m.empty, m.unused))},
			way{is(m.kind, kindNotice), b.do("leave_flow", uses(r.size, 1, b.flow(), nil))}),
		where(is(m.kind, kindData),
			b.do("age_of_flow", assign(m.age, ir.Binary{Op: ir.Sub, X: m.now, Y: m.last})),
			b.do("beyond_sticky", assign(m.rest, ir.Binary{Op: ir.SubSaturated, X: m.age, Y: m.sticky}))),
	}
}

// idle is the condition that a packet needs a queue: its flow has no packets here, and had none for
// longer than sticky, or ever.
func (b *bfcBuilder) idle() ir.Expr {
	m := &b.md
	return ir.Any{is(m.unused, 1), ir.All{is(m.empty, 1), isNot(m.rest, 0)}}
}

// findQueue gives a packet the queue of its flow, or the one that was freed last.
func (b *bfcBuilder) findQueue() []ir.Step {
	m, r := &b.md, &b.registers
	slot := ir.Concat{b.port(m.egress), ir.Slice{X: m.position, High: b.queueBits - 1}}
	share := assign(m.queue, ir.Binary{Op: ir.And, X: ir.Slice{X: m.vfid, High: 7},
		Y: ir.Number(8, 1<<b.queueBits-1)})
	return []ir.Step{
		choose(way{b.idle(), b.do("pop_queue", uses(r.freeTop, 0, b.port(m.egress), nil, m.got,
			m.position))},
			way{is(m.kind, kindFreed), b.do("push_queue",
				uses(r.freeTop, 1, b.port(m.egress), nil, m.position))}),
		choose(way{is(m.got, 1), b.do("read_free", uses(r.freeID, 0, slot, nil, m.queue))},
			way{is(m.kind, kindFreed), b.do("write_free", uses(r.freeID, 1, slot, m.queue))},
			way{is(m.kind, kindData), b.do("share_queue", share)}),
		where(is(m.kind, kindData), either(b.idle(),
			b.do("write_flow_queue", uses(r.flowQueue, 1, b.flow(), m.queue)),
			b.do("read_flow_queue", uses(r.flowQueue, 0, b.flow(), nil, m.queue)))),
	}
}

// countPackets counts what is in queues, which of them are free, and N_active: those that have
// packets and are not paused.
func (b *bfcBuilder) countPackets() []ir.Step {
	m, r := &b.md, &b.registers
	use := func(name string, register *ir.Register, action int, to ...*ir.Field) ir.Step {
		return b.do(name, uses(register, action, b.queue(), nil, to...))
	}
	changes := func(name string, action int, to ...*ir.Field) ir.Step {
		return b.do(name, uses(r.active, action, b.port(m.egress), nil, to...))
	}
	fills := ir.All{is(m.filled, 1), is(m.paused, 0)}
	empties := ir.All{is(m.emptied, 1), is(m.paused, 0)}
	pauses := ir.All{is(m.busy, 1), is(m.hold, 1), is(m.paused, 0)}
	resumes := ir.All{is(m.busy, 1), is(m.hold, 0), is(m.paused, 1)}
	return []ir.Step{
		choose(way{is(m.kind, kindData), use("enter_queue", r.packets, 0, m.filled)},
			way{is(m.kind, kindNotice), use("leave_queue", r.packets, 1, m.emptied)},
			way{b.obeyed(), use("look_at_packets", r.packets, 2, m.busy)}),
		choose(way{is(m.got, 1), use("off_the_stack", r.listed, 0)},
			way{is(m.emptied, 1), use("on_the_stack", r.listed, 1, m.was)}),
		choose(
			way{ir.Any{is(m.kind, kindData), is(m.kind, kindNotice)},
				use("look_at_pause", r.paused, 2, m.paused)},
			way{b.obeyed(), either(is(m.hold, 1), use("pause_it", r.paused, 0, m.paused),
				use("resume_it", r.paused, 1, m.paused))}),
		choose(way{ir.Any{fills, resumes}, changes("activate_queue", 0, m.active)},
			way{is(m.kind, kindData), changes("look_at_active", 2, m.active)},
			way{ir.Any{empties, pauses}, changes("deactivate_queue", 1)}),
	}
}

// judge compares the queue with the threshold and counts packets over it against the queue that
// they came from: the first pauses it, the last resumes it.
func (b *bfcBuilder) judge() []ir.Step {
	m, r, t := &b.md, &b.registers, &b.tables
	upstream := ir.Concat{b.port(m.ingress), ir.Slice{X: m.upstream, High: b.upstreamBits - 1}}
	over := []ir.Expr{is(m.kind, kindData), is(m.over, 1), isNot(m.known, 0), is(m.withheld, 0)}
	if !b.full.CountLonePackets {
		over = append(over, is(m.empty, 0))
	}
	count := b.do("count_packet", uses(r.counter, 0, upstream, nil, m.first), set(m.counted, 1))
	return append(b.measure(), where(is(m.kind, kindData), ir.Apply{Table: t.threshold},
		b.do("beyond_limit", assign(m.excess, ir.Binary{Op: ir.SubSaturated, X: m.depth, Y: m.limit})),
		where(isNot(m.excess, 0), b.do("over_threshold", set(m.over, 1)))),
		choose(way{ir.All(over), count}, way{ir.All{is(m.kind, kindNotice), is(m.counted, 1)},
			b.do("uncount_packet", uses(r.counter, 1, upstream, nil, m.ended))}))
}

// measure learns the depth of a packet's queue.
func (b *bfcBuilder) measure() []ir.Step {
	m, length := &b.md, b.registers.length
	if b.Depth == Ghost {
		return []ir.Step{where(is(m.kind, kindData),
			b.do("read_depth", uses(length, 0, b.queue(), nil, m.depth)))}
	}
	return []ir.Step{
		choose(way{is(m.kind, kindData),
			b.do("deepen", uses(length, 0, b.queue(), m.cells, m.depth))},
			way{is(m.kind, kindNotice), b.do("lower", uses(length, 1, b.queue(), m.cells))}),
	}
}

// finish sends a packet on, signals, words and second rounds.
func (b *bfcBuilder) finish() []ir.Step {
	m, h := &b.md, &b.headers
	signal := func(name string, kind uint64) ir.Step {
		return b.do(name, set(ir.IngressMirror, 1), set(m.session, signalSession),
			assign(ir.IngressMirrorPort, m.back), set(ir.IngressMirrorQID, uint64(b.full.Queues)),
			set(of(h.order, "kind"), kindSignal), set(of(h.order, "type"), kind),
			assign(of(h.order, "queue"), m.upstream))
	}
	drop := set(ir.IngressDrop, 1)
	forward := b.do("forward", ir.SetValid{Header: h.bridge, Valid: true}, set(h.kind, kindData),
		assign(h.egress, m.egress), assign(h.queue, m.queue), set(of(h.bridge, "queue_high"), 0),
		assign(h.ingress, m.ingress), assign(h.upstream, m.upstream), assign(h.vfid, m.vfid),
		assign(h.back, m.back), assign(h.cells, m.cells), assign(h.counted, m.counted),
		assign(ir.EgressSpec, m.port),
		copyOf(ir.QueueSpec, m.queue))
	round := b.do("go_round", set(h.kind, kindFreed), assign(ir.EgressSpec, ir.IngressPort))
	return []ir.Step{
		choose(way{is(m.first, 1), signal("tell_pause", pauseType)},
			way{is(m.ended, 1), signal("tell_resume", resumeType)}),
		where(b.obeyed(), ir.Apply{Table: b.tables.afc}),
		either(is(m.kind, kindData), forward, either(ir.All{is(m.emptied, 1), is(m.was, 0)}, round,
			b.do("end", drop))),
	}
}

// parsers make the parsers.
func (b *bfcBuilder) parsers() {
	h := &b.headers
	ip := h.ipState()
	kind := &ir.State{Name: "kind", Extract: []*ir.Header{h.etherType},
		Select: of(h.etherType, "value"), Cases: []ir.Case{sameAs(internetType, 16, ip)}}
	shim := &ir.State{Name: "shim", Extract: []*ir.Header{h.shim}, Select: of(h.shim, "version"),
		Refuse: true, Cases: []ir.Case{sameAs(1, 8, kind)}}
	ethernet := forNearestBridge(h.ethernet, h.etherType, b.frameStates(), &ir.State{Name: "packet",
		Select: ir.Peek(16), Cases: []ir.Case{sameAs(shimType, 16, shim)}, Default: kind})
	round := state("round", h.bridge)
	stamped := state("stamped", h.shim)
	packet := &ir.State{Name: "packet", Extract: []*ir.Header{h.bridge, h.ethernet},
		Select: ir.Peek(16), Cases: []ir.Case{sameAs(shimType, 16, stamped)}}
	b.parse(round, ethernet, sameAs(kindData, 8, packet), sameAs(kindNotice, 8, round),
		sameAs(kindFreed, 8, round), sameAs(kindSignal, 8, state("order", h.order, h.cut)))
}

// frameStates parse a frame of one queue to the octet: what the machine would refuse is refused.
func (b *bfcBuilder) frameStates() *ir.State {
	signal := b.headers.signal
	end := zeros(b.headers.padding.Octets(), nil)
	known := wanted("frame", end, want{of(signal, "length"), 4}, want{of(signal, "count"), 1})
	known.Extract = []*ir.Header{signal}
	return &ir.State{Name: "frame", Select: ir.Peek(32), Refuse: true, Cases: []ir.Case{
		frameOf(protocolBFC, pauseType, known), frameOf(protocolBFC, resumeType, known)}}
}

// egress stamps packets with their queue, sends notices of them, and makes frames.
func (b *bfcBuilder) egress() []part {
	m, h := &b.md, &b.headers
	stamp := b.do("stamp", set(of(h.shim, "ether_type"), shimType), set(of(h.shim, "version"), 1),
		set(of(h.shim, "reserved"), 0), assign(of(h.shim, "queue"),
			ir.Concat{of(h.bridge, "queue_high"), h.queue}),
		ir.SetValid{Header: h.shim, Valid: true}, ir.SetValid{Header: h.bridge}, set(h.kind, kindNotice),
		set(ir.EgressMirror, 1), set(m.mirror, noticeSession))
	return []part{{"Frames upstream (section 3.3); packets, with their queue for the next switch",
		[]ir.Step{choose(way{ir.Valid{Header: h.order}, ir.Apply{Table: b.tables.signals}},
			way{ir.All{ir.Valid{Header: h.bridge}, is(h.kind, kindData)}, stamp})}}}
}
