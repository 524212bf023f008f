package tofino

import (
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/ir"
)

// ofcTables are the tables with the actions that their entries run.
type ofcTables struct {
	ingress, route, cells, class, limits, afc, signals *ir.Table
	depth                                              *ir.Table
	report                                             []*ir.Action
	from, out, count, kept, plain, limit, word, send   *ir.Action
}

// declareTables declares the tables; the entries come later.
func (b *ofcBuilder) declareTables() {
	t, m, h, ports := &b.tables, &b.md, &b.headers, len(b.full.Ports)
	b.otherwise = b.action("nothing", nil)
	t.from = b.gives("from_port", "index number", // the same, as a register's input has it
		[]*ir.Field{m.ingress, m.cameBy}, set(m.front, 1))
	t.ingress = b.table(ir.Table{Name: "port_in", Source: "ports of the switch",
		Keys: []ir.Key{{Name: "port", X: ir.IngressPort}}, Size: ports}, t.from)
	t.out = b.gives("route_to", "port egress", []*ir.Field{m.port, m.egress}, set(m.routed, 1))
	t.route = b.table(ir.Table{Name: "route", Source: "where packets go",
		Size: max(1, len(b.Routes)),
		Keys: []ir.Key{{Name: "dst", X: of(h.ip, "dst"), Kind: ir.Prefix}}}, t.out)
	t.cells, t.count = b.cellTable(of(h.ip, "total_length"), m.cells)
	t.kept = b.gives("under_ofc", "queue", []*ir.Field{m.base}, set(m.managed, 1))
	t.plain = b.gives("not_under_ofc", "queue", []*ir.Field{m.base})
	t.class = b.table(ir.Table{Name: "class_queue", Size: sluice.Classes,
		Source: "the normal queue of a class, and whether it is under OFC (OFC, section III-B)",
		Keys:   []ir.Key{{Name: "traffic_class", X: m.class}}}, t.kept, t.plain)
	t.limit = b.gives("limit_to", "congested all_limit resume queue",
		[]*ir.Field{m.congestedLimit, m.allLimit, m.onLimit, m.outLimit})
	t.limits = b.table(ir.Table{Name: "limits",
		Source: "X^c_OFF, X_OFF and X_ON (OFC, section III-C)",
		Keys:   []ir.Key{{Name: "ingress", X: b.port(m.ingress)}}, Size: ports}, t.limit)
	t.afc, t.word = b.wordTable(ports*ofc.QueuesPerClass*sluice.Classes, "", m.hold,
		ir.Key{Name: "port", X: b.port(m.egress)}, ir.Key{Name: "traffic_class", X: m.class},
		ir.Key{Name: "queue", X: ir.Slice{X: m.queue, High: 1}})
	b.declareSignals()
	if b.Depth == Ghost {
		t.depth, t.report = b.depthTable("queues whose depth is told",
			ports*ofc.QueuesPerClass*sluice.Classes, b.portBits+3, b.registers.depths[:]...)
	}
}

// declareSignals declares the table of frames that go out.
func (b *ofcBuilder) declareSignals() {
	t, h := &b.tables, &b.headers
	o := &h.order
	t.send, t.signals = b.frames(framesOut{
		to: "devices upstream", stack: &h.stack, sequence: b.registers.sequence, protocol: protocolOFC,
		says: []ir.Statement{
			assign(h.signalType, o.what), set(of(h.signal, "flags"), 0), assign(h.length, o.at),
			set(of(h.subject, "class_pad"), 0), assign(h.signalClass, o.class), assign(h.list, o.flag),
			assign(h.count, o.then), assign(h.signalHigh, o.high), assign(h.signalLow, o.low),
		},
		zero:  []*ir.Header{h.series, h.padding},
		more:  []*ir.Header{h.subject, h.series, h.flow, h.padding},
		spent: []*ir.Header{o.header, h.cut},
	})
}
