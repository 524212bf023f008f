package tofino

import "github.com/sluicefc/sluice/tofino/ir"

type portfcTables struct {
	ingress, egress, queue, cells, limits, others, afc, signals *ir.Table
	depth                                                       *ir.Table
	missing                                                     *ir.Action
	report                                                      []*ir.Action
	from, out, relay, direct, high, count, arrive, leave        *ir.Action
	group, word, send                                           *ir.Action
}

// declareGhost declares how far a depth that ghost told is from a limit.
func (b *portfcBuilder) declareGhost(told *ir.Param, limit *ir.Param) {
	t, m := &b.tables, &b.md
	t.missing = b.action("missing_to", []*ir.Param{limit, told}, assign(m.told, told),
		assign(m.mark, ir.Binary{Op: ir.SubSaturated, X: limit, Y: m.depth}))
	t.limits.Actions = append(t.limits.Actions, t.missing)
}

// declareTables declares the tables; the entries come later.
func (b *portfcBuilder) declareTables() {
	t, m, h, n := &b.tables, &b.md, &b.headers, b.network.N
	b.otherwise = b.action("drop", nil, set(ir.IngressDrop, 1), set(m.kind, kindNothing))
	nothing := b.action("nothing", nil)
	t.from = b.gives("from_port", "index", []*ir.Field{m.from})
	t.ingress = b.table(ir.Table{Name: "port_in", Source: "ports of the switch",
		Keys: []ir.Key{{Name: "port", X: ir.IngressPort}}, Size: n}, t.from)
	destination := ir.Key{Name: "dst", X: of(h.ip, "dst"), Kind: ir.Ternary}
	t.out = b.gives("leave_by", "port index", []*ir.Field{m.port, m.index})
	t.egress = b.table(ir.Table{Name: "egress", Size: n,
		Source: "the digit of this layer (PortFC, section IV-A)",
		Keys:   []ir.Key{destination}}, t.out)
	t.relay = b.gives("to_ihfq", "qid", []*ir.Field{m.qid}, set(m.class, countsIHFQ))
	t.direct = b.action("to_ddq", nil, set(m.qid, uint64(b.network.DDQ())), set(m.class, countsDDQ))
	t.high = b.action("to_hq", nil, set(m.qid, uint64(b.hq())), set(m.class, countsNothing))
	t.queue = b.table(ir.Table{Name: "queue", Size: n + b.full.High.Len(),
		Source: "the other digit: an IHFQ, or the DDQ if it is the next node's own (PortFC, section " +
			"III-B); HQ by class", Keys: []ir.Key{
			{Name: "traffic_class", X: h.stack.class(), Kind: ir.Ternary}, destination},
	}, t.relay, t.direct, t.high)
	t.cells, t.count = b.cellTable(of(h.ip, "total_length"), m.cells)
	b.declareSignals(nothing)
}

// declareSignals declares the tables of thresholds, of frames that come in and of those that go
// out.
func (b *portfcBuilder) declareSignals(nothing *ir.Action) {
	t, m, h, n := &b.tables, &b.md, &b.headers, b.network.N
	limit, told := &ir.Param{Name: "limit", Bits: 32}, param("queue_told", m.told)
	t.arrive = b.action("arrives", []*ir.Param{limit, told}, assign(m.told, told),
		assign(m.mark, ir.Binary{Op: ir.SubSaturated, X: limit, Y: m.cells}))
	t.leave = b.action("leaves", []*ir.Param{limit, told}, assign(m.told, told),
		assign(m.mark, ir.Binary{X: limit, Y: m.cells}))
	t.limits = b.table(ir.Table{Name: "limits", Size: 4 * n,
		Source: "X_off and X_on of the IHFQs and of the DDQ (PortFC, section IV)",
		Keys: []ir.Key{{Name: "kind", X: ir.Slice{X: m.kind, High: 2}},
			{Name: "queue_class", X: ir.Slice{X: m.class, High: 1}}, {Name: "port", X: b.port(m.index)}},
	}, t.arrive, t.leave)
	ghost := b.Depth == Ghost
	if ghost {
		b.declareGhost(told, limit)
	}
	drop := b.otherwise
	b.otherwise = nothing
	if ghost {
		t.depth, t.report = b.depthTable("DDQs, whose depth is told", n, b.portBits,
			b.registers.depth)
	}
	t.group = b.gives("to_others", "group excluded", []*ir.Field{ir.MulticastGroup, ir.ExcludedPort},
		set(ir.QueueSpec, uint64(b.hq())))
	t.others = b.tableElse(ir.Table{Name: "others", Size: n,
		Source: "all ports but the congested one (PortFC, Algorithms 1 and 2)",
		Keys:   []ir.Key{{Name: "port", X: b.port(m.index)}}}, drop, t.group)
	t.afc, t.word = b.wordTable(n*(n-1), " (PortFC, Algorithm 4)", m.hold,
		ir.Key{Name: "congested", X: b.port(m.from)}, ir.Key{Name: "queue", X: h.queue},
		ir.Key{Name: "port", X: h.port}, ir.Key{Name: "layer", X: h.signalLayer})
	t.send, t.signals = b.frames(framesOut{
		to: "the nodes", stack: &h.stack, sequence: b.registers.sequence, protocol: protocolPortFC,
		says: []ir.Statement{
			assign(h.signalType, h.orderType), set(of(h.signal, "flags"), 0),
			set(of(h.signal, "length"), portfcBody), assign(h.queue, h.orderQueue),
			assign(h.port, h.orderAt), set(h.signalLayer, uint64(b.layer)),
		},
		zero: []*ir.Header{h.padding}, more: []*ir.Header{h.padding},
		spent: []*ir.Header{h.order},
	})
}
