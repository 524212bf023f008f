package tofino

import (
	"github.com/sluicefc/sluice/pyrrha"
	"github.com/sluicefc/sluice/tofino/ir"
)

// pyrrhaTables are the tables with the actions that their entries run.
type pyrrhaTables struct {
	ingress, peers, egress, limits, cells, number, old, afc, signals, depth *ir.Table
	from, peer, out, limit, count, at, oldAt, word, send                    *ir.Action
	report                                                                  []*ir.Action
}

// giving declares a table that gives fields what its entries say, and nothing where none matches.
func (b *pyrrhaBuilder) giving(
	t ir.Table, action string, more []ir.Statement, fields ...*ir.Field,
) (*ir.Table, *ir.Action) {
	words := ""
	for _, f := range fields {
		words += " to_" + f.Name
	}
	gives := b.gives(action, words, fields, more...)
	return b.table(t, gives), gives
}

// declareTables declares the tables but for those of paths; the entries come later.
func (b *pyrrhaBuilder) declareTables() {
	t, m, h, ports := &b.tables, &b.md, &b.headers, len(b.full.Ports)
	b.otherwise = b.action("nothing", nil)
	exact := func(name string, x ir.Expr) ir.Key { return ir.Key{Name: name, X: x} }
	t.ingress, t.from = b.giving(ir.Table{Name: "port_in", Source: "ports of the switch",
		Keys: []ir.Key{exact("port", ir.IngressPort)}, Size: ports}, "from_port",
		[]ir.Statement{set(m.front, 1)}, m.port, m.abdicates)
	t.peers, t.peer = b.giving(ir.Table{Name: "peers", Source: "what is at the other end of a port",
		Keys: []ir.Key{exact("index", b.port(m.peer))}, Size: ports}, "peer_is", nil, m.back,
		m.ingressClass,
		m.host, m.silent)
	t.egress, t.out = b.giving(ir.Table{Name: "port_out", Source: "ports of the switch",
		Keys: []ir.Key{exact("port", b.paths.Port)}, Size: ports}, "leave_by",
		[]ir.Statement{set(m.known, 1)}, m.egress, m.egressClass, m.claims, m.owner)
	t.limits, t.limit = b.giving(ir.Table{Name: "limits",
		Source: "K_pause and K_resume of pairs of ports (Pyrrha, sections IV-A and VIII)",
		Keys: []ir.Key{exact("egress_class", b.port(m.egressClass)),
			exact("ingress_class", b.port(m.ingressClass))},
		Size: ports * ports}, "limits_are", nil, m.beyond, m.resume, m.most)
	t.cells, t.count = b.giving(ir.Table{Name: "packet_cells",
		Source: "cells of 176 octets that a packet takes",
		Keys:   []ir.Key{{Name: "total_length", X: of(h.ip, "total_length"), Kind: ir.Range}},
		Size:   b.mostCells()}, "takes_cells", nil, m.cells)
	t.number, t.at = b.giving(ir.Table{Name: "root_number",
		Source: "ports behind the switch, by distance (Pyrrha, section V-A)",
		Keys:   []ir.Key{exact("root_switch", h.rootSwitch), exact("root_port", h.rootPort)}, Size: 1},
		"root_at", []ir.Statement{set(m.known, 1)}, m.level, m.number)
	t.old, t.oldAt = b.giving(ir.Table{Name: "old_number", Source: "the same of a MERGE's old root",
		Keys: []ir.Key{exact("old_switch", h.oldSwitch), exact("old_port", h.oldPort)}, Size: 1},
		"old_at", nil, m.oldLevel, m.oldNumber)
	t.afc, t.word = b.wordTable(max(1, ports*(b.full.IQs-1)), "", m.hold,
		exact("egress", b.port(m.where)), exact("qid", ir.Slice{X: m.queue, High: 6}))
	t.send, t.signals = b.frames(framesOut{
		to: "other devices", stack: &h.stack, sequence: b.registers.sequence, protocol: protocolPyrrha,
		says: []ir.Statement{
			assign(h.signalType, h.orderType), set(of(h.signal, "flags"), 0),
			assign(h.rootSwitch, h.orderSwitch), assign(h.rootPort, h.orderPort),
			assign(h.oldSwitch, h.orderOldSwitch), assign(h.oldPort, h.orderOldPort),
			assign(h.signalHop, h.orderHop),
		},
		zero:  []*ir.Header{h.padPause, h.padResume, h.padMerge, h.padding},
		more:  []*ir.Header{h.root, h.padding},
		spent: []*ir.Header{h.order, h.cut},
	})
	if b.Depth == Ghost {
		t.depth, t.report = b.depthTable("queues whose depth is told", ports, b.portBits,
			b.registers.oq)
	}
}

// What frames of package pyrrha are.
const (
	protocolPyrrha = 3
	typePause      = uint64(pyrrha.Pause)
	typeResume     = uint64(pyrrha.Resume)
	typeMerge      = uint64(pyrrha.Merge)
	typeDealloc    = uint64(pyrrha.Dealloc)
	lengthOfRoot   = 6
	lengthOfPause  = lengthOfRoot + 1
	lengthOfMerge  = 2*lengthOfRoot + 1
)

// signalQueue and otherQueue are the last two queues of a port; spill is the last isolation queue.
func (b *pyrrhaBuilder) signalQueue() int { return b.full.IQs + 1 }
func (b *pyrrhaBuilder) otherQueue() int  { return b.full.IQs + 2 }
func (b *pyrrhaBuilder) spill() int       { return b.full.IQs }
