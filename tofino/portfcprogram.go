package tofino

import (
	"github.com/sluicefc/sluice/portfc"
	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// portfcBuilder is a program under construction.
type portfcBuilder struct {
	PortFCConfig
	full    portfc.Config
	network portfc.NDC
	layer   int

	writer
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
	bridge, order, cut                             *ir.Header
	ethernet, etherType, signal, padding, ip       *ir.Header
	kind, class, index, cells                      *ir.Field // of bridge
	orderKind, orderType, orderQueue, orderAt      *ir.Field
	signalType, sequence, queue, port, signalLayer *ir.Field
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
	control := append(b.recognise(), b.countCells()...)
	b.p.Control[ir.Ingress] = append(control, b.finish()...)
	b.p.Control[ir.Egress] = b.egress()
	if b.Depth == Ghost {
		b.p.Control[ir.Ghost] = []ir.Step{ir.Apply{Table: b.tables.depth}}
	}
	b.parsers()
	b.p.Mirrors = []ir.MirrorKind{
		{Type: 1, Gress: ir.Ingress, Session: b.md.session, Original: true, Before: b.headers.order},
		{Type: 1, Gress: ir.Egress, Session: b.md.mirror, Before: b.headers.bridge},
	}
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
	h.cut = header("cut", &ir.Field{Name: "octets", Bits: 8 * clonedOctets})
	h.ethernet = header("ethernet", address("dst"), address("src"))
	h.etherType = header("ether_type", twoOctets("value"))
	h.signalType, h.sequence, h.queue = octet("type"), fourOctets("sequence"), twoOctets("queue")
	h.port, h.signalLayer = twoOctets("port"), octet("layer")
	h.signal = header("signal", octet("protocol"), octet("version"), h.signalType, octet("flags"),
		twoOctets("length"), h.sequence, h.queue, h.port, h.signalLayer)
	h.padding = header("padding", &ir.Field{Name: "p0", Bits: 24})
	for _, name := range []string{"p1", "p2", "p3", "p4", "p5", "p6", "p7"} {
		h.padding.Fields = append(h.padding.Fields, fourOctets(name))
	}
	h.ip = header("ipv4", octet("version_ihl"), octet("dscp"), twoOctets("total_length"),
		twoOctets("id"),
		twoOctets("fragment"), octet("ttl"), octet("protocol"), twoOctets("checksum"), fourOctets("src"),
		fourOctets("dst"))
	b.p.Headers = []*ir.Header{
		h.bridge, h.order, h.cut, h.ethernet, h.etherType, h.signal, h.padding, h.ip,
	}
}

// declareMetadata declares what a pass remembers.
func (b *portfcBuilder) declareMetadata() {
	m := &b.md
	field := func(gress ir.Gress, name string, bits int) *ir.Field {
		f := &ir.Field{Name: name, Bits: bits}
		b.p.Metadata[gress] = append(b.p.Metadata[gress], f)
		return f
	}
	in := func(name string, bits int) *ir.Field { return field(ir.Ingress, name, bits) }
	m.kind, m.class, m.index, m.from = in("kind", 8), in("class", 8), in("index", 16), in("from", 16)
	m.cells, m.port, m.qid = in("cells", 32), in("port", 9), in("qid", 7)
	m.mark, m.told, m.crossed = in("mark", 32), in("told", 16), in("crossed", 1)
	m.windowEnd, m.fresh, m.session = in("window_end", 32), in("fresh", 1), in("session", 8)
	m.hold = in("hold", 32)
	m.mirror = field(ir.Egress, "session", 8)
}

// declareRegisters declares the registers of the table in the documentation of [PortFC].
func (b *portfcBuilder) declareRegisters() {
	register := func(
		name string, gress ir.Gress, pair bool, actions ...*ir.RegisterAction,
	) *ir.Register {
		r := &ir.Register{
			Name: name, Bits: 32, Pair: pair, Size: b.network.N, Gress: gress, Actions: actions,
		}
		b.p.Registers = append(b.p.Registers, r)
		return r
	}
	b.registers = portfcRegisters{
		ihfq: register("ihfq", ir.Ingress, true, addCells("add_ihfq"), takeCells("take_ihfq")),
		ddq:  register("ddq", ir.Ingress, true, addCells("add_ddq"), takeCells("take_ddq")),
		heard: register(
			"heard", ir.Ingress, true, hears("hear", ir.First&ir.Second),
			hears("hear_wrapped", ir.First|ir.Second),
		),
		sequence: register("sequence", ir.Egress, false,
			does("number", nil, []ir.Update{oneMore}, sayAfter)),
	}
	if b.Depth == Ghost {
		b.declareDepth()
	}
}

// declareDepth declares what ghost writes, and lets the register of the DDQ keep its flag alone:
// its input is what is missing to the threshold.
func (b *portfcBuilder) declareDepth() {
	r := &b.registers
	r.depth = &ir.Register{Name: "ddq_depth", Bits: 32, Size: b.network.N, Shared: true,
		Actions: []*ir.RegisterAction{does("read_depth", nil, nil, sayMemory),
			does("report_depth", nil, []ir.Update{setInput})}}
	b.p.Registers = append(b.p.Registers, r.depth)
	b.md.depth = &ir.Field{Name: "ddq_depth", Bits: 32}
	b.p.Metadata[ir.Ingress] = append(b.p.Metadata[ir.Ingress], b.md.depth)
	tests := []ir.Predicate{{Sum: ir.Sum{Input: 2}, Op: ir.Equal},
		{Sum: ir.Sum{Memory: ir.High}, Op: ir.Equal}}
	r.ddq.Actions = []*ir.RegisterAction{
		does("add_ddq", tests, []ir.Update{{When: ir.First, To: ir.High, Sum: ir.Sum{Constant: 1}}},
			sayIf(ir.First&ir.Second)),
		does("take_ddq", tests, []ir.Update{{When: ir.First, To: ir.High}}, sayIf(ir.First&^ir.Second)),
	}
}

// addCells adds a packet's cells, the first input, and says whether that takes the sum to X_off for
// the first time: whether it was, before, at least X_off less those cells, the second input.
func addCells(name string) *ir.RegisterAction {
	return does(name, []ir.Predicate{
		{Sum: ir.Sum{Memory: ir.Low, Input: 2, Minus: true}, Op: ir.MoreOrEqual},
		{Sum: ir.Sum{Memory: ir.High}, Op: ir.Equal},
	}, []ir.Update{
		{When: ir.Always, To: ir.Low, Sum: ir.Sum{Memory: ir.Low, Input: 1}},
		{When: ir.First, To: ir.High, Sum: ir.Sum{Constant: 1}},
	}, sayIf(ir.First&ir.Second))
}

// takeCells subtracts them, and says whether that takes a sum whose flag is set down to X_on:
// whether it was, before, at most X_on and those cells, the second input.
func takeCells(name string) *ir.RegisterAction {
	ends := ir.First & (ir.Always ^ ir.Second)
	return does(name, []ir.Predicate{
		{Sum: ir.Sum{Memory: ir.Low, Input: 2, Minus: true}, Op: ir.LessOrEqual},
		{Sum: ir.Sum{Memory: ir.High}, Op: ir.Equal},
	}, []ir.Update{
		{When: ir.Always, To: ir.Low, Sum: ir.Sum{Memory: ir.Low, Input: 1, Minus: true}},
		{When: ir.First, To: ir.High},
	}, sayIf(ends))
}

// What frames of package portfc are.
const (
	protocolPortFC = 4
	portfcBody     = 5
)

// hq returns the number of the high-priority queue, which signals take too.
func (b *portfcBuilder) hq() int { return int(b.network.HQ(b.full.Switch)) }

// mostCells returns how many cells the longest packet takes.
func (b *portfcBuilder) mostCells() int { return int(chip.Cells(int64(b.MTU + FrameOverhead))) }

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

// port is the bits of a port's number that an index has.
func (b *portfcBuilder) port(f *ir.Field) ir.Expr {
	return ir.Slice{X: f, High: width(b.network.N) - 1}
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
func (b *portfcBuilder) egress() []ir.Step {
	m, h := &b.md, &b.headers
	leave := b.do("unbridge", ir.SetValid{Header: h.bridge})
	notify := b.do("notify", set(h.kind, kindNotice), set(ir.EgressMirror, 1),
		set(m.mirror, noticeSession),
		ir.SetValid{Header: h.bridge})
	return []ir.Step{choose(
		way{
			ir.All{ir.Valid{Header: h.order}, is(h.orderKind, kindReplica)},
			ir.Apply{Table: b.tables.signals},
		},
		way{ir.All{ir.Valid{Header: h.bridge}, is(h.kind, kindData)},
			either(is(h.class, countsNothing), leave, notify)})}
}

// parsers make the parsers.
func (b *portfcBuilder) parsers() {
	h := &b.headers
	ip := &ir.State{Name: "ip", Extract: []*ir.Header{h.ip}}
	ethernet := forNearestBridge(h.ethernet, h.etherType, b.frameStates(), &ir.State{Name: "packet",
		Extract: []*ir.Header{h.etherType}, Select: of(h.etherType, "value"),
		Cases: []ir.Case{sameAs(internetType, 16, ip)}})
	notice := &ir.State{Name: "notice", Extract: []*ir.Header{h.bridge, h.cut}}
	order := &ir.State{Name: "order", Extract: []*ir.Header{h.order, h.cut}}
	round := &ir.State{Name: "round", Select: ir.Peek(8), Refuse: true, Cases: []ir.Case{
		sameAs(kindNotice, 8, notice), sameAs(kindSignal, 8, order)}}
	b.p.Parse[ir.Ingress] = &ir.State{Name: "begin", Select: ir.Slice{X: ir.IngressPort, High: 6},
		Cases: []ir.Case{sameAs(recirculationChannel, 7, round)}, Default: ethernet}

	bridged := &ir.State{Name: "bridged", Extract: []*ir.Header{h.bridge}}
	ordered := &ir.State{Name: "ordered", Extract: []*ir.Header{h.order}}
	b.p.Parse[ir.Egress] = &ir.State{Name: "begin", Select: ir.Peek(8), Refuse: true, Cases: []ir.Case{
		sameAs(kindData, 8, bridged), sameAs(kindNotice, 8, bridged), sameAs(kindSignal, 8, ordered),
		sameAs(kindReplica, 8, ordered)}}
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
