package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/ir"
)

// ofcTables are the tables with the actions that their entries run.
type ofcTables struct {
	ingress, route, cells, class, limits, afc, signals *ir.Table
	depth                                              *ir.Table
	report                                             [ofc.QueuesPerClass]*ir.Action
	from, out, count, kept, plain, limit, word, send   *ir.Action
}

// declareTables declares the tables; the entries come later.
func (b *ofcBuilder) declareTables() {
	t, m, h, ports := &b.tables, &b.md, &b.headers, len(b.full.Ports)
	nothing := b.action("nothing", nil)
	otherwise := func(table ir.Table, actions ...*ir.Action) *ir.Table {
		table.Actions, table.Default = append(actions, nothing), ir.Call{Action: nothing}
		return b.table(table)
	}
	index := param("index", m.ingress)
	number := param("number", m.cameBy) // the same, as a register's input has it
	t.from = b.action("from_port", []*ir.Param{index, number}, assign(m.ingress, index),
		assign(m.cameBy, number), set(m.front, 1))
	t.ingress = otherwise(ir.Table{Name: "port_in", Source: "ports of the switch",
		Keys: []ir.Key{{Name: "port", X: ir.IngressPort}}, Size: ports}, t.from)
	port, egress := param("port", m.port), param("egress", m.egress)
	t.out = b.action("route_to", []*ir.Param{port, egress}, assign(m.port, port),
		assign(m.egress, egress), set(m.routed, 1))
	t.route = otherwise(ir.Table{Name: "route", Source: "where packets go",
		Size: max(1, len(b.Routes)),
		Keys: []ir.Key{{Name: "dst", X: of(h.ip, "dst"), Kind: ir.Prefix}}}, t.out)
	cells := param("cells", m.cells)
	t.count = b.action("takes_cells", []*ir.Param{cells}, assign(m.cells, cells))
	t.cells = otherwise(ir.Table{Name: "packet_cells", Size: b.mostCells(),
		Source: "cells of 176 octets that a packet takes",
		Keys:   []ir.Key{{Name: "total_length", X: of(h.ip, "total_length"), Kind: ir.Range}}}, t.count)
	base := param("queue", m.base)
	t.kept = b.action("under_ofc", []*ir.Param{base}, assign(m.base, base), set(m.managed, 1))
	t.plain = b.action("not_under_ofc", []*ir.Param{base}, assign(m.base, base))
	t.class = otherwise(ir.Table{Name: "class_queue", Size: sluice.Classes,
		Source: "the normal queue of a class, and whether it is under OFC (OFC, section III-B)",
		Keys:   []ir.Key{{Name: "traffic_class", X: m.class}}}, t.kept, t.plain)
	congested, all := param("congested", m.congestedLimit), param("all_limit", m.allLimit)
	on, out := param("resume", m.onLimit), param("queue", m.outLimit)
	t.limit = b.action("limit_to", []*ir.Param{congested, all, on, out},
		assign(m.congestedLimit, congested), assign(m.allLimit, all), assign(m.onLimit, on),
		assign(m.outLimit, out))
	t.limits = otherwise(ir.Table{Name: "limits",
		Source: "X^c_OFF, X_OFF and X_ON (OFC, section III-C)",
		Keys:   []ir.Key{{Name: "ingress", X: b.port(m.ingress)}}, Size: ports}, t.limit)
	word := &ir.Param{Name: "word", Bits: 32}
	t.word = b.action("say_word", []*ir.Param{word},
		ir.Flow{Word: ir.Binary{X: word, Y: m.hold}})
	t.afc = otherwise(ir.Table{Name: "afc", Source: "words of flow control, RESUME; PAUSE is one more",
		Keys: []ir.Key{{Name: "port", X: b.port(m.egress)}, {Name: "traffic_class", X: m.class},
			{Name: "queue", X: ir.Slice{X: m.queue, High: 1}}},
		Size: ports * ofc.QueuesPerClass * sluice.Classes}, t.word)
	b.declareSignals()
	if b.Depth == Ghost {
		b.declareGhost(nothing)
	}
}

// declareSignals declares the table of frames that go out.
func (b *ofcBuilder) declareSignals() {
	t, h := &b.tables, &b.headers
	o := &h.order
	t.send, t.signals = b.frames(framesOut{
		to: "devices upstream", ports: len(b.full.Ports),
		index:    &ir.Param{Name: "index", Bits: b.portBits},
		sequence: b.registers.sequence, number: h.sequence,
		ethernet: h.ethernet, etherType: h.etherType, signal: h.signal, protocol: protocolOFC,
		says: []ir.Statement{
			assign(h.kindOf, o.what), set(h.flags, 0), assign(h.length, o.at),
			set(of(h.subject, "class_pad"), 0), assign(h.signalClass, o.class), assign(h.list, o.flag),
			assign(h.count, o.then), assign(h.signalHigh, o.high), assign(h.signalLow, o.low),
		},
		zero:  []*ir.Header{h.series, h.padding},
		more:  []*ir.Header{h.subject, h.series, h.flow, h.padding},
		spent: []*ir.Header{o.header, h.cut},
	})
}

// declareGhost declares the table by which ghost writes depths.
func (b *ofcBuilder) declareGhost(nothing *ir.Action) {
	t := &b.tables
	var reports []*ir.Action
	for q, r := range b.registers.depths {
		element := &ir.Param{Name: "index", Bits: b.portBits + 3}
		t.report[q] = b.action(fmt.Sprint("report", q), []*ir.Param{element}, ir.Execute{
			Action: r.Actions[1], Index: element, Phv: [2]ir.Expr{wide(ir.GhostDepth, 32)}})
		reports = append(reports, t.report[q])
	}
	t.depth = b.table(ir.Table{Name: "depth", Source: "queues whose depth is told",
		Keys:    []ir.Key{{Name: "pipe_id", X: ir.GhostPipe}, {Name: "qid", X: ir.GhostQueue}},
		Actions: append(reports, nothing), Default: ir.Call{Action: nothing},
		Size: len(b.full.Ports) * ofc.QueuesPerClass * sluice.Classes})
}
