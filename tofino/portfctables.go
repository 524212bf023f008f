package tofino

import "github.com/sluicefc/sluice/tofino/ir"

type portfcTables struct {
	ingress, egress, queue, cells, limits, others, afc, signals *ir.Table
	depth                                                       *ir.Table
	report, deep, shallow                                       *ir.Action
	from, out, relay, direct, high, count, arrive, leave        *ir.Action
	group, word, send                                           *ir.Action
}

// declareGhost declares the table by which ghost writes depths, and what compares them.
func (b *portfcBuilder) declareGhost(drop, nothing *ir.Action) {
	t, m := &b.tables, &b.md
	limit, told := &ir.Param{Name: "limit", Bits: 32}, param("queue_told", m.told)
	t.deep = b.action("deepens", []*ir.Param{limit, told}, assign(m.told, told),
		assign(m.mark, ir.Binary{Op: ir.SubSaturated, X: limit, Y: m.depth}))
	t.shallow = b.action("lowers", []*ir.Param{limit, told}, assign(m.told, told),
		assign(m.mark, ir.Binary{Op: ir.SubSaturated, X: m.depth, Y: limit}))
	t.limits.Actions = append(t.limits.Actions, t.deep, t.shallow)
	index := &ir.Param{Name: "index", Bits: width(b.network.N)}
	t.report = b.action("report", []*ir.Param{index}, ir.Execute{
		Action: b.registers.depth.Actions[1], Index: index, Phv: [2]ir.Expr{wide(ir.GhostDepth, 32)}})
	t.depth = b.table(ir.Table{Name: "depth", Source: "DDQs, whose depth is told",
		Keys:    []ir.Key{{Name: "pipe_id", X: ir.GhostPipe}, {Name: "qid", X: ir.GhostQueue}},
		Actions: []*ir.Action{t.report, nothing}, Default: ir.Call{Action: nothing}, Size: b.network.N})
}

// declareTables declares the tables; the entries come later.
func (b *portfcBuilder) declareTables() {
	t, m, h, n := &b.tables, &b.md, &b.headers, b.network.N
	drop := b.action("drop", nil, set(ir.IngressDrop, 1), set(m.kind, kindNothing))
	nothing := b.action("nothing", nil)
	own := param("index", m.from)
	t.from = b.action("from_port", []*ir.Param{own}, assign(m.from, own))
	t.ingress = b.table(ir.Table{Name: "port_in", Source: "ports of the switch",
		Keys: []ir.Key{{Name: "port", X: ir.IngressPort}}, Actions: []*ir.Action{t.from, drop},
		Default: ir.Call{Action: drop}, Size: n})

	destination := []ir.Key{{Name: "dst", X: of(h.ip, "dst"), Kind: ir.Ternary}}
	port, egress := param("port", m.port), param("index", m.index)
	t.out = b.action(
		"leave_by", []*ir.Param{port, egress}, assign(m.port, port), assign(m.index, egress),
	)
	t.egress = b.table(ir.Table{Name: "egress",
		Source: "the digit of this layer (PortFC, section IV-A)",
		Keys:   destination, Actions: []*ir.Action{t.out, drop}, Default: ir.Call{Action: drop}, Size: n})
	qid := param("qid", m.qid)
	t.relay = b.action("to_ihfq", []*ir.Param{qid}, assign(m.qid, qid), set(m.class, countsIHFQ))
	t.direct = b.action("to_ddq", nil, set(m.qid, uint64(b.network.DDQ())), set(m.class, countsDDQ))
	t.high = b.action("to_hq", nil, set(m.qid, uint64(b.hq())), set(m.class, countsNothing))
	t.queue = b.table(ir.Table{Name: "queue",
		Source: "the other digit: an IHFQ, or the DDQ if it is the " +
			"next node's own (PortFC, section III-B); HQ by class",
		Keys: append([]ir.Key{{Name: "traffic_class", X: ir.Slice{X: of(h.ip, "dscp"), High: 7, Low: 5},
			Kind: ir.Ternary}}, destination...),
		Actions: []*ir.Action{t.relay, t.direct, t.high, drop}, Default: ir.Call{Action: drop},
		Size: n + b.full.High.Len()})
	cells := param("cells", m.cells)
	t.count = b.action("takes_cells", []*ir.Param{cells}, assign(m.cells, cells))
	t.cells = b.table(ir.Table{Name: "packet_cells", Source: "cells of 176 octets that a packet takes",
		Keys:    []ir.Key{{Name: "total_length", X: of(h.ip, "total_length"), Kind: ir.Range}},
		Actions: []*ir.Action{t.count, drop}, Default: ir.Call{Action: drop}, Size: b.mostCells()})
	b.declareSignals(drop, nothing)
}

// declareSignals declares the tables of thresholds, of frames that come in and of those that go
// out.
func (b *portfcBuilder) declareSignals(drop, nothing *ir.Action) {
	t, m, h, n := &b.tables, &b.md, &b.headers, b.network.N
	limit, told := &ir.Param{Name: "limit", Bits: 32}, param("queue_told", m.told)
	t.arrive = b.action("arrives", []*ir.Param{limit, told}, assign(m.told, told),
		assign(m.mark, ir.Binary{Op: ir.SubSaturated, X: limit, Y: m.cells}))
	t.leave = b.action("leaves", []*ir.Param{limit, told}, assign(m.told, told),
		assign(m.mark, ir.Binary{X: limit, Y: m.cells}))
	t.limits = b.table(ir.Table{Name: "limits",
		Source: "X_off and X_on of the IHFQs and of the DDQ (PortFC, " +
			"section IV)", Keys: []ir.Key{{Name: "kind", X: ir.Slice{X: m.kind, High: 2}},
			{Name: "queue_class", X: ir.Slice{X: m.class, High: 1}}, {Name: "port", X: b.port(m.index)}},
		Actions: []*ir.Action{t.arrive, t.leave, drop},
		Default: ir.Call{Action: drop}, Size: 4 * n})
	if b.Depth == Ghost {
		b.declareGhost(drop, nothing)
	}
	all, except := param("group", ir.MulticastGroup), param("excluded", ir.ExcludedPort)
	t.group = b.action("to_others", []*ir.Param{all, except}, assign(ir.MulticastGroup, all),
		assign(ir.ExcludedPort, except), set(ir.QueueSpec, uint64(b.hq())))
	t.others = b.table(ir.Table{Name: "others",
		Source: "all ports but the congested one (PortFC, Algorithms 1 " +
			"and 2)", Keys: []ir.Key{{Name: "port", X: b.port(m.index)}},
		Actions: []*ir.Action{t.group, drop},
		Default: ir.Call{Action: drop}, Size: n})
	word := &ir.Param{Name: "word", Bits: 32}
	t.word = b.action("say_word", []*ir.Param{word}, ir.Flow{Word: ir.Binary{X: word, Y: m.hold}})
	t.afc = b.table(ir.Table{Name: "afc",
		Source: "words of flow control, RESUME; PAUSE is one more (PortFC, " +
			"Algorithm 4)", Keys: []ir.Key{{Name: "congested", X: b.port(m.from)},
			{Name: "queue", X: h.queue},
			{Name: "port", X: h.port}, {Name: "layer", X: h.signalLayer}},
		Actions: []*ir.Action{t.word, nothing}, Default: ir.Call{Action: nothing}, Size: n * (n - 1)})

	t.send, t.signals = b.frames(framesOut{
		to: "the nodes", ports: n, index: &ir.Param{Name: "index", Bits: width(n)},
		sequence: b.registers.sequence, number: h.sequence,
		ethernet: h.ethernet, etherType: h.etherType, signal: h.signal, protocol: protocolPortFC,
		says: []ir.Statement{
			assign(h.signalType, h.orderType), set(of(h.signal, "flags"), 0),
			set(of(h.signal, "length"), portfcBody), assign(h.queue, h.orderQueue),
			assign(h.port, h.orderAt), set(h.signalLayer, uint64(b.layer)),
		},
		zero: []*ir.Header{h.padding}, more: []*ir.Header{h.padding},
		spent: []*ir.Header{h.order},
	})
}
