package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// bfcTables are the tables with the actions that their entries run.
type bfcTables struct {
	ingress, route, cells, threshold, withhold, afc, signals, depth *ir.Table
	from, out, count, limit, except, word, send                     *ir.Action
	report                                                          []*ir.Action
}

// declareTables declares the tables; the entries come later.
func (b *bfcBuilder) declareTables() {
	t, m, h := &b.tables, &b.md, &b.headers
	ports := len(b.full.Ports)
	b.otherwise = b.action("nothing", nil)
	t.from = b.gives("from_port", "index ingress_class sticky upstream_queues",
		[]*ir.Field{m.ingress, m.ingressClass, m.sticky, m.upstreamMax}, set(m.front, 1))
	t.ingress = b.table(ir.Table{Name: "port_in", Size: ports,
		Source: "ports of the switch; sticky is two HRTT (BFC, section 3.2)",
		Keys:   []ir.Key{{Name: "port", X: ir.IngressPort}}}, t.from)
	t.out = b.gives("route_to", "port egress egress_class",
		[]*ir.Field{m.port, m.egress, m.egressClass}, set(m.routed, 1))
	t.route = b.table(ir.Table{Name: "route", Source: "where packets go",
		Keys: []ir.Key{{Name: "dst", X: of(h.ip, "dst"), Kind: ir.Prefix}},
		Size: max(1, len(b.Routes))}, t.out)
	t.cells, t.count = b.cellTable(of(h.ip, "total_length"), m.cells)
	t.limit = b.gives("limit_to", "limit", []*ir.Field{m.limit})
	t.threshold = b.table(ir.Table{Name: "threshold",
		Source: "F x HRTT x rate / N_active (BFC, section 3.3)",
		Keys: []ir.Key{{Name: "ingress_class", X: m.ingressClass},
			{Name: "egress_class", X: m.egressClass},
			{Name: "active", X: ir.Slice{X: m.active, High: b.queueBits}}}}, t.limit)
	if len(b.full.Withhold) > 0 {
		t.except = b.action("withholds", nil, set(m.withheld, 1))
		t.withhold = b.table(ir.Table{Name: "withhold", Source: "pairs of ports that never pause",
			Keys: []ir.Key{{Name: "ingress", X: b.port(m.ingress)},
				{Name: "egress", X: b.port(m.egress)}}}, t.except)
	}
	t.afc, t.word = b.wordTable(ports*b.full.Queues, "", m.hold,
		ir.Key{Name: "port", X: ir.IngressPort}, ir.Key{Name: "qid", X: b.queueNumber()})
	t.send, t.signals = b.frames(framesOut{
		to: "devices upstream", stack: &h.stack, sequence: b.registers.sequence, protocol: protocolBFC,
		says: []ir.Statement{
			copyOf(h.signalType, of(h.order, "type")), set(of(h.signal, "flags"), 0),
			set(h.length, 4), set(of(h.signal, "count"), 1),
			copyOf(of(h.signal, "queue"), of(h.order, "queue")),
		},
		zero: []*ir.Header{h.padding}, more: []*ir.Header{h.padding},
		spent: []*ir.Header{h.order, h.cut},
	})
	if b.Depth == Ghost {
		t.depth, t.report = b.depthTable("queues whose depth is told", ports*b.full.Queues,
			b.portBits+b.queueBits, b.registers.length)
	}
}
