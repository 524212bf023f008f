package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// bfcTables are the tables with the actions that their entries run.
type bfcTables struct {
	ingress, route, cells, threshold, withhold, afc, signals, depth *ir.Table
	from, out, count, limit, except, word, send, report             *ir.Action
}

// declareTables declares the tables; the entries come later.
func (b *bfcBuilder) declareTables() {
	t, m, h := &b.tables, &b.md, &b.headers
	nothing := b.action("nothing", nil)
	index, class := param("index", m.ingress), param("ingress_class", m.ingressClass)
	sticky, most := param("sticky", m.sticky), param("upstream_queues", m.upstreamMax)
	t.from = b.action("from_port", []*ir.Param{index, class, sticky, most}, assign(m.ingress, index),
		assign(m.ingressClass, class), assign(m.sticky, sticky), assign(m.upstreamMax, most),
		set(m.front, 1))
	t.ingress = b.table(ir.Table{Name: "port_in", Source: "ports of the switch; sticky is two HRTT " +
		"(BFC, section 3.2)", Keys: []ir.Key{{Name: "port", X: ir.IngressPort}},
		Actions: []*ir.Action{t.from, nothing}, Default: ir.Call{Action: nothing},
		Size: len(b.full.Ports)})

	port, egress, to := param("port", m.port), param("egress", m.egress), param(
		"egress_class", m.egressClass,
	)
	t.out = b.action("route_to", []*ir.Param{port, egress, to}, assign(m.port, port),
		assign(m.egress, egress),
		assign(m.egressClass, to), set(m.routed, 1))
	t.route = b.table(ir.Table{Name: "route", Source: "where packets go",
		Keys:    []ir.Key{{Name: "dst", X: of(h.ip, "dst"), Kind: ir.Prefix}},
		Actions: []*ir.Action{t.out, nothing}, Default: ir.Call{Action: nothing},
		Size: max(1, len(b.Routes))})

	cells := param("cells", m.cells)
	t.count = b.action("takes_cells", []*ir.Param{cells}, assign(m.cells, cells))
	t.cells = b.table(ir.Table{Name: "packet_cells", Source: "cells of 176 octets that a packet takes",
		Keys:    []ir.Key{{Name: "total_length", X: of(h.ip, "total_length"), Kind: ir.Range}},
		Actions: []*ir.Action{t.count, nothing}, Default: ir.Call{Action: nothing}, Size: b.mostCells()})

	limit := param("limit", m.limit)
	t.limit = b.action("limit_to", []*ir.Param{limit}, assign(m.limit, limit))
	t.threshold = b.table(ir.Table{Name: "threshold",
		Source: "F x HRTT x rate / N_active (BFC, section " +
			"3.3)", Keys: []ir.Key{{Name: "ingress_class", X: m.ingressClass},
			{Name: "egress_class", X: m.egressClass},
			{Name: "active", X: ir.Slice{X: m.active, High: b.queueBits}}},
		Actions: []*ir.Action{t.limit, nothing}, Default: ir.Call{Action: nothing},
		Size: len(b.full.Ports) * len(b.full.Ports) * (b.full.Queues + 1)})
	if len(b.full.Withhold) > 0 {
		t.except = b.action("withholds", nil, set(m.withheld, 1))
		t.withhold = b.table(ir.Table{Name: "withhold", Source: "pairs of ports that never pause",
			Keys: []ir.Key{{Name: "ingress", X: b.port(m.ingress)},
				{Name: "egress", X: b.port(m.egress)}},
			Actions: []*ir.Action{t.except, nothing}, Default: ir.Call{Action: nothing},
			Size: len(b.full.Withhold)})
	}
	word := &ir.Param{Name: "word", Bits: 32}
	t.word = b.action("say_word", []*ir.Param{word}, ir.Flow{Word: ir.Binary{X: word, Y: m.hold}})
	t.afc = b.table(ir.Table{Name: "afc", Source: "words of flow control, RESUME; PAUSE is one more",
		Keys:    []ir.Key{{Name: "port", X: ir.IngressPort}, {Name: "qid", X: b.queueNumber()}},
		Actions: []*ir.Action{t.word, nothing}, Default: ir.Call{Action: nothing},
		Size: len(b.full.Ports) * b.full.Queues})
	b.declareEgressTables(nothing)
}

// declareEgressTables declares the table of egress, and that of ghost.
func (b *bfcBuilder) declareEgressTables(nothing *ir.Action) {
	t, h := &b.tables, &b.headers
	t.send, t.signals = b.frames(framesOut{
		to: "devices upstream", ports: len(b.full.Ports),
		index:    &ir.Param{Name: "index", Bits: b.portBits},
		sequence: b.registers.sequence, number: of(h.signal, "sequence"),
		ethernet: h.ethernet, etherType: h.etherType, signal: h.signal, protocol: protocolBFC,
		says: []ir.Statement{
			copyOf(of(h.signal, "type"), of(h.order, "type")), set(of(h.signal, "flags"), 0),
			set(of(h.signal, "length"), 4), set(of(h.signal, "count"), 1),
			copyOf(of(h.signal, "queue"), of(h.order, "queue")),
		},
		zero: []*ir.Header{h.padding}, more: []*ir.Header{h.padding},
		spent: []*ir.Header{h.order, h.cut},
	})
	if b.Depth != Ghost {
		return
	}
	element := &ir.Param{Name: "index", Bits: b.portBits + b.queueBits}
	t.report = b.action("report", []*ir.Param{element},
		ir.Execute{Action: b.registers.length.Actions[1],
			Index: element, Phv: [2]ir.Expr{wide(ir.GhostDepth, 32)}})
	t.depth = b.table(ir.Table{Name: "depth", Source: "queues whose depth is told",
		Size: len(b.full.Ports) *
			b.full.Queues, Keys: []ir.Key{
			{Name: "pipe_id", X: ir.GhostPipe}, {Name: "qid", X: ir.GhostQueue},
		},
		Actions: []*ir.Action{t.report, nothing}, Default: ir.Call{Action: nothing}})
}
