package tofino

import (
	"maps"

	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino/ir"
)

// portfcBuilder is a program under construction.
type portfcBuilder struct {
	builder
	full      portfc.Config
	network   portfc.NDC
	layer     int
	addresses DigitLayout

	headers   portfcHeaders
	md        portfcMetadata
	registers portfcRegisters
	tables    portfcTables
}

// What a packet counts for: a detector of a port, or none.
const (
	countsNothing = iota
	countsIHFQ
	countsDDQ
)

// kindReplica is a signal on its way to the port that sends it.
const kindReplica = bfcKinds

// portfcHeaders are those of packets and those that the chip puts in front.
type portfcHeaders struct {
	stack
	bridge, order                             *ir.Header
	kind, class, index, cells                 *ir.Field // of bridge
	orderKind, orderType, orderQueue, orderAt *ir.Field
	queue, port, signalLayer                  *ir.Field
}

// portfcMetadata are the fields of ingress, and of egress the session.
type portfcMetadata struct {
	kind, class, index, from, cells, port, qid  *ir.Field
	mark, told, crossed, windowEnd, fresh, hold *ir.Field
	depth                                       *ir.Field // of the DDQ, by ghost
	session, mirror                             *ir.Field
}

type portfcRegisters struct{ ihfq, ddq, depth, heard, sequence *ir.Register }

// program makes the program. The control of ingress is a line: each register has one place in it.
func (b *portfcBuilder) program() {
	b.p = &ir.Program{Name: "sluice_portfc"}
	b.declareHeaders()
	b.declareMetadata()
	b.declareRegisters()
	b.about(`
ihfq cells in the IHFQs of a port, and whether they are paused (PortFC, Algorithm 1)
		ddq cells in the DDQ of a port, and whether it is paused (PortFC, Algorithm 2)
		ddq_depth depth of a DDQ as ghost was told
		heard the newest sequence number of a port
		sequence the number of a port's next frame`)
	b.declareTables()
	b.control(ir.Ingress,
		part{"What a packet is, its egress and its queue (sections III-B and IV-A)", b.recognise()},
		part{"IHFQs and DDQ against X_off and X_on (Algorithms 1 and 2)", b.countCells()},
		part{"On their way: packets, and signals to all ports but the congested one", b.finish()})
	h, m := &b.headers, &b.md
	kinds := maps.Clone(kindNames)
	kinds[kindReplica] = "KIND_REPLICA"
	named(kinds, m.kind, h.kind, h.orderKind)
	named(map[uint64]string{countsIHFQ: "COUNTS_IHFQ", countsDDQ: "COUNTS_DDQ"}, m.class, h.class)
	named(map[uint64]string{uint64(portfc.Pause): "PAUSE", uint64(portfc.Resume): "RESUME"},
		h.signalType, h.orderType)
	b.control(ir.Egress, b.egress()...)
	b.ghost(b.tables.depth)
	b.parsers()
	b.mirrors(b.md.session, b.headers.order, b.md.mirror, b.headers.bridge)
}

// declareHeaders declares headers in the order in which they are sent.
func (b *portfcBuilder) declareHeaders() {
	h := &b.headers
	h.kind, h.class, h.index, h.cells = octet("kind"), octet("class"), twoOctets("index"),
		fourOctets("cells")
	h.bridge = header("bridge", h.kind, h.class, h.index, h.cells)
	h.orderKind, h.orderType, h.orderQueue, h.orderAt = octet("kind"), octet("type"),
		twoOctets("queue"), twoOctets("port")
	h.order = header("order", h.orderKind, h.orderType, h.orderQueue, h.orderAt)
	h.queue, h.port, h.signalLayer = twoOctets("queue"), twoOctets("port"), octet("layer")
	h.stack = newStack([]*ir.Field{h.queue, h.port, h.signalLayer}, 7,
		&ir.Field{Name: "p0", Bits: 24})
	b.p.Headers = []*ir.Header{
		h.bridge, h.order, h.cut, h.ethernet, h.etherType, h.signal, h.padding, h.ip,
	}
}

// declareMetadata declares what a pass remembers.
func (b *portfcBuilder) declareMetadata() {
	m := &b.md
	in := func(name string, bits int) *ir.Field { return b.field(ir.Ingress, name, bits) }
	m.kind, m.class, m.index, m.from = in("kind", 8), in("class", 8), in("index", 16), in("from", 16)
	m.cells, m.port, m.qid = in("cells", 32), in("port", 9), in("qid", 7)
	m.mark, m.told, m.crossed = in("mark", 32), in("told", 16), in("crossed", 1)
	m.windowEnd, m.fresh, m.session = in("window_end", 32), in("fresh", 1), in("session", 8)
	m.hold = in("hold", 32)
	m.mirror = b.field(ir.Egress, "session", 8)
}

// declareRegisters declares the registers of the table in the documentation of [PortFC].
func (b *portfcBuilder) declareRegisters() {
	r, n := &b.registers, b.network.N
	r.ihfq = b.pair("ihfq", 32, n, ir.Ingress, addCells("add_ihfq"), takeCells("take_ihfq"))
	r.ddq = b.pair("ddq", 32, n, ir.Ingress, addCells("add_ddq"), takeCells("take_ddq"))
	r.heard, r.sequence = b.heard(n), b.numbers(n)
	if b.Depth == Ghost {
		b.declareDepth()
	}
}

// declareDepth declares what ghost writes, and lets the register of the DDQ keep its flag alone:
// its input is what is missing to the threshold.
func (b *portfcBuilder) declareDepth() {
	r := &b.registers
	r.depth = b.told("ddq_depth", b.network.N)
	b.md.depth = b.field(ir.Ingress, "ddq_depth", 32)
	against := func(missing ir.Relation) []ir.Predicate {
		return []ir.Predicate{{Sum: ir.Sum{Input: 2}, Op: missing}, isHigh(0)}
	}
	r.ddq.Actions = []*ir.RegisterAction{
		does("add_ddq", against(ir.Equal), []ir.Update{becomes(ir.First, ir.High, 0, 1)},
			sayIf(ir.First&ir.Second)),
		does("take_ddq", against(ir.NotEqual), []ir.Update{{When: ir.First, To: ir.High}},
			sayIf(ir.First&^ir.Second)),
	}
}

// addCells adds a packet's cells, the first input, and says whether that takes the sum to X_off for
// the first time: whether it was, before, at least X_off less those cells, the second input.
func addCells(name string) *ir.RegisterAction {
	return does(name, []ir.Predicate{halfAgainst(ir.Low, 2, ir.MoreOrEqual), isHigh(0)},
		[]ir.Update{moreBy(ir.Low), becomes(ir.First, ir.High, 0, 1)}, sayIf(ir.First&ir.Second))
}

// takeCells subtracts them, and says whether that takes a sum whose flag is set down to X_on:
// whether it was, before, at most X_on and those cells, the second input.
func takeCells(name string) *ir.RegisterAction {
	ends := ir.First & not(ir.Second)
	return does(name, []ir.Predicate{halfAgainst(ir.Low, 2, ir.LessOrEqual), isHigh(0)},
		[]ir.Update{lessBy(ir.Low), {When: ir.First, To: ir.High}}, sayIf(ends))
}

// What frames of package portfc are.
const (
	protocolPortFC = 4
	portfcBody     = 5
)

// hq returns the number of the high-priority queue, which signals take too.
func (b *portfcBuilder) hq() int { return int(b.network.HQ(b.full.Switch)) }

// recognise finds out what a packet is, and of which port.
func (b *portfcBuilder) recognise() []ir.Step {
	m, h, t := &b.md, &b.headers, &b.tables
	notice := b.do("take_notice", set(m.kind, kindNotice), assign(m.class, h.class),
		assign(m.index, h.index), assign(m.cells, h.cells))
	order := b.do("take_order", set(m.kind, kindSignal), assign(m.index, h.orderAt),
		set(h.orderKind, kindReplica), ir.SetValid{Header: h.cut})
	frame := func(name string, hold uint64) ir.Step {
		return b.do(name, set(m.kind, kindFrame), set(m.hold, hold), window(m.windowEnd, h.sequence))
	}
	data := b.do("take_packet", set(m.kind, kindData))
	arrived := ir.Apply{Table: t.ingress, Hit: []ir.Step{
		where(ir.Valid{Header: h.signal}, append([]ir.Step{either(is(h.signalType,
			uint64(portfc.Pause)), frame("take_pause", 1), frame("take_resume", 0))}, b.hear()...)...),
		where(ir.Valid{Header: h.ip}, data, ir.Apply{Table: t.egress}, ir.Apply{Table: t.queue},
			ir.Apply{Table: t.cells}),
	}}
	return []ir.Step{ir.If{Condition: ir.Valid{Header: h.bridge}, Then: []ir.Step{notice},
		Else: []ir.Step{either(ir.Valid{Header: h.order}, order, arrived)}}}
}

// hear obeys a frame if it is newer than those before.
func (b *portfcBuilder) hear() []ir.Step {
	m := &b.md
	return []ir.Step{
		b.newer(b.registers.heard, b.port(m.from), b.headers.sequence, m.windowEnd, m.fresh),
		where(is(m.fresh, 1), ir.Apply{Table: b.tables.afc}),
	}
}

// countCells adds a packet's cells to its detector, or takes those of a departed one from it.
func (b *portfcBuilder) countCells() []ir.Step {
	m := &b.md
	run := func(name string, r *ir.Register, action int) ir.Step {
		return b.do(name, ir.Execute{Action: r.Actions[action], Index: b.port(m.index),
			Phv: [2]ir.Expr{m.cells, m.mark}, To: []*ir.Field{m.crossed}})
	}
	counted := ir.All{
		ir.Any{is(m.kind, kindData), is(m.kind, kindNotice)}, isNot(m.class, countsNothing),
	}
	detector := func(name string, r *ir.Register) ir.Step {
		return either(is(m.kind, kindData), run("arrive_"+name, r, 0), run("leave_"+name, r, 1))
	}
	var steps []ir.Step
	if b.Depth == Ghost {
		steps = append(steps, where(is(m.class, countsDDQ), b.do("look_at_depth", ir.Execute{
			Action: b.registers.depth.Actions[0], Index: b.port(m.index), To: []*ir.Field{m.depth}})))
	}
	return append(steps, where(counted, ir.Apply{Table: b.tables.limits},
		either(
			is(m.class, countsIHFQ), detector("ihfq", b.registers.ihfq), detector("ddq", b.registers.ddq),
		)))
}

// finish sends packets and signals on their way.
func (b *portfcBuilder) finish() []ir.Step {
	m, h := &b.md, &b.headers
	tell := []ir.Statement{assign(h.orderQueue, m.told), assign(h.orderAt, m.index)}
	pause := b.do("tell_pause", append(tell, set(ir.IngressMirror, 1), set(m.session, signalSession),
		set(h.orderKind, kindSignal), set(h.orderType, uint64(portfc.Pause)))...)
	resume := b.do("tell_resume", append(tell, set(m.kind, kindSignal), set(h.orderKind, kindReplica),
		set(h.orderType, uint64(portfc.Resume)), ir.SetValid{Header: h.order, Valid: true},
		ir.SetValid{Header: h.bridge}, ir.SetValid{Header: h.cut})...)
	forward := b.do("forward", ir.SetValid{Header: h.bridge, Valid: true}, set(h.kind, kindData),
		assign(h.class, m.class), assign(h.index, m.index), assign(h.cells, m.cells),
		assign(ir.EgressSpec, m.port), assign(ir.QueueSpec, m.qid))
	return []ir.Step{
		where(is(m.crossed, 1), either(is(m.kind, kindData), pause, resume)),
		choose(way{is(m.kind, kindData), forward},
			way{is(m.kind, kindSignal), ir.Apply{Table: b.tables.others}},
			way{isNot(m.kind, kindNothing), b.do("end", set(ir.IngressDrop, 1))}),
	}
}

// egress sends notices of packets that count, and makes frames.
func (b *portfcBuilder) egress() []part {
	m, h := &b.md, &b.headers
	leave := b.do("unbridge", ir.SetValid{Header: h.bridge})
	notify := b.do("notify", set(h.kind, kindNotice), set(ir.EgressMirror, 1),
		set(m.mirror, noticeSession),
		ir.SetValid{Header: h.bridge})
	return []part{{"Frames to other nodes (section IV); packets, and notices that they have left",
		[]ir.Step{choose(way{ir.All{ir.Valid{Header: h.order}, is(h.orderKind, kindReplica)},
			ir.Apply{Table: b.tables.signals}},
			way{ir.All{ir.Valid{Header: h.bridge}, is(h.kind, kindData)},
				either(is(h.class, countsNothing), leave, notify)})}}}
}

// parsers make the parsers.
func (b *portfcBuilder) parsers() {
	h := &b.headers
	notice := state("notice", h.bridge, h.cut)
	order := state("order", h.order, h.cut)
	round := &ir.State{Name: "round", Select: ir.Peek(8), Refuse: true, Cases: []ir.Case{
		sameAs(kindNotice, 8, notice), sameAs(kindSignal, 8, order)}}
	bridged, ordered := state("bridged", h.bridge), state("ordered", h.order)
	b.parse(round, h.packets(b.frameStates(), state("ip", h.ip)), sameAs(kindData, 8, bridged),
		sameAs(kindNotice, 8, bridged), sameAs(kindSignal, 8, ordered),
		sameAs(kindReplica, 8, ordered))
}

// frameStates parse a frame to the octet: what the machine would refuse is refused.
func (b *portfcBuilder) frameStates() *ir.State {
	signal := b.headers.signal
	known := wanted("frame", zeros(b.headers.padding.Octets(), nil),
		want{of(signal, "length"), portfcBody})
	known.Extract = []*ir.Header{signal}
	return &ir.State{Name: "frame", Select: ir.Peek(32), Refuse: true, Cases: []ir.Case{
		frameOf(protocolPortFC, uint64(portfc.Pause), known),
		frameOf(protocolPortFC, uint64(portfc.Resume), known)}}
}
