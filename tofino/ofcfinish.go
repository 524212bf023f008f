package tofino

import (
	"github.com/sluicefc/sluice/tofino/ir"
)

// Sessions of mirrors beside those of signals and notices: copies that go round in ingress, packets
// that move.
const (
	roundSession = 3
	movedSession = 4
)

// finish sends packets, signals and what goes round on their way.
func (b *ofcBuilder) finish() []ir.Step {
	m := &b.md
	steps := []ir.Step{b.tellUpstream(), b.startRound()}
	ends := b.do("end", set(ir.IngressDrop, 1))
	walks := ir.Any{ir.All{is(m.kind, ofcWalk), b.before()}, ir.All{is(m.kind, ofcRepeal), b.before(),
		is(m.last, 0)}}
	return append(steps, choose(
		way{is(m.kind, ofcData), b.do("forward", b.bridge(ofcData, ir.Number(8, 0), m.base)...)},
		way{is(m.kind, ofcMoved), b.do("to_paused_queue", b.bridge(ofcData, b.paused(), m.qid)...)},
		way{is(m.kind, ofcNotice), b.afterNotice(ends)},
		way{b.frameSays(ofcPause, 0), b.tellEgress("tell_egress_pause", tellPause, 0)},
		way{ir.All{b.frameSays(ofcResume, 0), is(m.rotating, 1)},
			b.tellEgress("tell_egress_defer", tellDefer, 0)},
		way{ir.All{b.frameSays(ofcResume, 0), isNot(m.goneFlows, 0)},
			b.tellEgress("tell_egress_resume", tellResume, 1)},
		way{is(m.kind, ofcTold), b.round("mark_order", ofcMark)},
		way{ir.All{is(m.kind, ofcMark), is(m.rotated, 1)}, b.open("open_paused", b.paused())},
		way{is(m.kind, ofcEnded), b.round("next_rotation", ofcNext, assign(b.headers.order.flag, m.any))},
		way{ir.All{is(m.kind, ofcNext), is(m.rotated, 1)}, b.open("open_next", b.paused())},
		way{is(m.kind, ofcNext), b.open("open_normal", ir.Number(8, 0))},
		way{ir.All{is(m.kind, ofcOpen), is(b.headers.order.then, 1)}, b.round("repeal_then", ofcRepeal,
			set(b.headers.order.at, 0))},
		way{walks, b.round("walk_on", uint64(0), assign(b.headers.order.at,
			ir.Binary{X: b.headers.order.at, Y: ir.Number(16, 1)}))},
		way{isNot(m.kind, ofcData), ends}))
}

// before is the condition that a walk is not at the last cell.
func (b *ofcBuilder) before() ir.Expr { return isNot(b.md.at, 1<<(b.cellBits+1)-1) }

// tellUpstream has a frame made: that a flow is paused, or all flows of the class are, or that they
// are resumed.
func (b *ofcBuilder) tellUpstream() ir.Step {
	m, t := &b.md, &b.headers.tell
	tell := func(name string, kind uint64, length, count int, flags ir.Expr, flow bool) ir.Step {
		body := []ir.Statement{set(ir.IngressMirror, 1), set(m.session, signalSession),
			assign(ir.IngressMirrorPort, m.back), set(ir.IngressMirrorQID, uint64(b.signals())),
			set(t.kind, ofcSignal), set(t.what, kind), assign(t.class, m.class), assign(t.flag, flags),
			set(t.at, uint64(length)), set(t.then, uint64(count))}
		if flow {
			body = append(body, assign(t.high, m.high), assign(t.low, m.low))
		}
		return b.do(name, body...)
	}
	all, none := ir.Number(8, ofcAll), ir.Number(8, 0)
	return choose(
		way{ir.Any{is(m.freshA, 1), is(m.freshB, 1)},
			tell("pause_flow", ofcPause, ofcBody+ofcFlow, 1, none, true)},
		way{ir.All{is(m.allNew, 1), is(m.allWas, 0)},
			tell("pause_all", ofcPause, ofcBody, 0, all, false)},
		way{ir.All{is(m.was, 1), is(m.allWas, 1)}, tell("resume_all", ofcResume, ofcBody, 0, all, false)},
		way{ir.All{is(m.kind, ofcRepeal), is(m.found, 1)}, either(is(m.last, 1),
			tell("resume_last_flow", ofcResume, ofcBody+ofcFlow, 1, ir.Number(8, ofcLast), true),
			tell("resume_flow", ofcResume, ofcBody+ofcFlow, 1, none, true))})
}

// startRound sends a copy of a data packet round: to name all flows of its queue, or because it
// leaves the backup queue empty as it moves.
func (b *ofcBuilder) startRound() ir.Step {
	m, t := &b.md, &b.headers.tell
	order := func(name string, kind uint64, more ...ir.Statement) ir.Step {
		return b.do(name, append([]ir.Statement{set(ir.IngressMirror, 1), set(m.session, roundSession),
			set(t.kind, kind), assign(t.egress, m.egress), assign(t.class, m.class)}, more...)...)
	}
	return choose(
		way{is(m.walk, 1), order("walk_flows", ofcWalk, assign(t.ingress, m.ingress),
			assign(t.back, m.back), assign(t.flag, m.original))},
		way{ir.All{is(m.kind, ofcMoved), is(m.drains, 1), is(m.ended, 1)},
			order("moved_last", ofcEnded)})
}

// bridge are the statements that send data to a queue.
func (b *ofcBuilder) bridge(kind uint64, queue, qid ir.Expr) []ir.Statement {
	m, h := &b.md, &b.headers
	return []ir.Statement{ir.SetValid{Header: h.bridge, Valid: true}, set(h.kind, kind),
		assign(h.egress, m.egress), assign(h.ingress, m.ingress), assign(h.class, m.class),
		assign(h.queue, queue), assign(h.where, m.where), assign(h.cells, m.cells),
		assign(h.back, m.back), assign(h.port, m.port), assign(h.high, m.high), assign(h.low, m.low),
		assign(ir.EgressSpec, m.port), copyOf(ir.QueueSpec, qid)}
}

// afterNotice is what a notice becomes: the end of a rotation, the resume of all flows that were
// told, both in turn, or nothing.
func (b *ofcBuilder) afterNotice(ends ir.Step) ir.Step {
	m, h := &b.md, &b.headers
	o := &h.order
	become := func(name string, kind, then uint64) ir.Step {
		return b.do(name, ir.SetValid{Header: h.bridge}, ir.SetValid{Header: o.header, Valid: true},
			set(o.kind, kind), assign(o.egress, m.egress), assign(o.class, m.class),
			assign(o.ingress, m.ingress), assign(o.back, m.back), set(o.what, 0), set(o.flag, 0),
			set(o.queue, 0), set(o.then, then), set(o.at, 0), set(o.high, 0), set(o.low, 0),
			assign(ir.EgressSpec, ir.IngressPort))
	}
	drained := ir.All{is(m.drains, 1), is(m.ended, 1)}
	resumes := ir.All{is(m.was, 1), is(m.told, 1)}
	return choose(way{ir.All{drained, resumes}, become("drained_then_repeal", ofcEnded, 1)},
		way{drained, become("drained", ofcEnded, 0)}, way{resumes, become("repeal", ofcRepeal, 0)},
		way{is(m.kind, ofcNotice), ends})
}

// tellEgress sends a frame round to the egress copy of congested_flow_tab.
func (b *ofcBuilder) tellEgress(name string, what, effective uint64) ir.Step {
	m, h := &b.md, &b.headers
	o := &h.order
	body := []ir.Statement{ir.SetValid{Header: o.header, Valid: true},
		ir.SetValid{Header: h.cut, Valid: true}, set(o.kind, ofcTell), assign(o.egress, m.egress),
		assign(o.class, m.class), set(o.ingress, 0), set(o.back, 0), set(o.what, what),
		set(o.flag, effective), set(o.queue, 0), set(o.then, 0), set(o.at, 0), assign(o.high, m.high),
		assign(o.low, m.low), assign(ir.EgressSpec, ir.Number(9, uint64(b.roundPort())))}
	for _, gone := range []*ir.Header{h.ethernet, h.etherType, h.signal, h.subject, h.flow} {
		body = append(body, ir.SetValid{Header: gone})
	}
	return b.do(name, body...)
}

// round sends an order round once more, as another kind if that is not 0.
func (b *ofcBuilder) round(name string, kind uint64, more ...ir.Statement) ir.Step {
	body := append(more, assign(ir.EgressSpec, ir.IngressPort))
	if kind != 0 {
		body = append(body, set(b.headers.order.kind, kind))
	}
	return b.do(name, body...)
}

// open sends an order round that opens a queue.
func (b *ofcBuilder) open(name string, queue ir.Expr) ir.Step {
	return b.round(name, ofcOpen, assign(b.headers.order.queue, queue))
}

// egress has packets of paused flows move, sends notices of the others, keeps its copy of
// congested_flow_tab, and makes frames.
func (b *ofcBuilder) egress() []part {
	e, h, r := &b.eg, &b.headers, &b.registers
	o := &h.order
	data := ir.All{ir.Valid{Header: h.bridge}, is(h.kind, ofcData)}
	order := func(kind uint64) ir.Expr { return ir.All{ir.Valid{Header: o.header}, is(o.kind, kind)} }
	tells := func(what uint64) ir.Expr { return ir.All{order(ofcTell), is(o.what, what)} }
	element := func(port, class *ir.Field) ir.Expr {
		return ir.Concat{ir.Slice{X: port, High: b.portBits - 1}, ir.Slice{X: class, High: 2}}
	}
	here, there := element(h.egress, h.class), element(o.egress, o.class)
	row := func(row int, half, rest, own *ir.Field, pauses ir.Expr) ir.Step {
		table, input := r.congestedOut[row], inputs(rest, e.until)
		cell := b.cell(there, half)
		return choose(way{data, b.use(table, 1, b.cell(here, half), input, own)},
			way{pauses, b.use(table, 0, cell, input, e.got)},
			way{tells(tellResume), b.use(table, 2, cell, input)},
			way{tells(tellDefer), b.use(table, 3, cell, input)})
	}
	look := func(name string, element ir.Expr, high, low *ir.Field) ir.Step {
		return b.do(name, ir.Execute{Action: r.endedOut.Actions[0], Index: element,
			To: []*ir.Field{e.until}}, assign(e.high, high), assign(e.low, low))
	}
	mirrored := func(name string, kind, session uint64, more ...ir.Statement) ir.Step {
		return b.do(name, append(more, set(h.kind, kind), set(ir.EgressMirror, 1),
			set(e.session, session), ir.SetValid{Header: h.bridge})...)
	}
	flow := choose(way{data, look("flow_of_packet", here, h.high, h.low)},
		way{order(ofcTell), look("flow_of_frame", there, o.high, o.low)},
		way{order(ofcEnded), b.use(r.endedOut, 1, there, none)})
	rows := []ir.Step{row(0, e.low, e.high, e.ownA, tells(tellPause)),
		row(1, e.high, e.low, e.ownB, ir.All{tells(tellPause), is(e.got, 0)})}
	return []part{{"Whose state it is about, and how many rotations have ended", []ir.Step{flow}},
		{"The copy of congested_flow_tab (Algorithm 2)", rows},
		{"On their way: frames, packets of paused flows and others (Algorithm 3)", []ir.Step{choose(
			way{order(ofcSignal), ir.Apply{Table: b.tables.signals}},
			way{ir.All{data, ir.Any{is(e.ownA, 1), is(e.ownB, 1)}},
				mirrored("move", ofcMoved, movedSession, set(ir.EgressDrop, 1))},
			way{data, mirrored("notify", ofcNotice, noticeSession)},
			way{ir.All{order(ofcTell), is(o.flag, 1)}, b.do("told_egress", set(o.kind, ofcTold))},
			way{order(ofcTell), b.do("end_frame", set(ir.EgressDrop, 1))})}}}
}

// parsers make the parsers.
func (b *ofcBuilder) parsers() {
	h := &b.headers
	ethernet := h.packets(b.frameStates(), h.ipState())
	notice, moved := state("notice", h.bridge, h.cut), state("moved", h.bridge)
	order, ordered := state("order", h.order.header, h.cut), state("ordered", h.order.header, h.cut)
	bridged := state("bridged", h.bridge)
	round := &ir.State{Name: "round", Select: ir.Peek(8), Refuse: true, Cases: []ir.Case{
		sameAs(ofcNotice, 8, notice), sameAs(ofcMoved, 8, moved),
		{Value: ir.Uint(0), Mask: ir.Uint(0xC0), Next: state("timer", h.timer)}}}
	inside := []ir.Case{sameAs(ofcData, 8, bridged), sameAs(ofcNotice, 8, bridged),
		sameAs(ofcMoved, 8, bridged)}
	for kind := uint64(ofcWalk); kind <= ofcSignal; kind++ {
		round.Cases = append(round.Cases, sameAs(kind, 8, order))
		inside = append(inside, sameAs(kind, 8, ordered))
	}
	b.parse(round, ethernet, inside...)
}

// frameStates parse a frame of one flow, or of a whole class, to the octet: what the machine would
// refuse is refused.
func (b *ofcBuilder) frameStates() *ir.State {
	h := &b.headers
	end := zeros(h.padding.Octets(), nil)
	flow := &ir.State{Name: "flow", Extract: []*ir.Header{h.flow}, Default: end}
	all := wanted("all", end, want{h.signalLow, 0})
	all.Extract = []*ir.Header{h.flow}
	// subject goes on if class, list and count, which come next, are among those that are listed.
	subject := func(name string, next *ir.State, lists ...uint64) *ir.State {
		taken := &ir.State{Name: name + "_subject", Extract: []*ir.Header{h.subject},
			Default: zeros(h.series.Octets(), next)}
		s := &ir.State{Name: name, Select: ir.Peek(32), Refuse: true}
		for _, list := range lists {
			s.Cases = append(s.Cases, ir.Case{Value: ir.Uint(list), Mask: ir.Uint(0xF8FFFFFF), Next: taken})
		}
		return s
	}
	whole := subject("whole", only("all_flows", ir.Peek(32), 0, all), ofcAll<<16)
	sized := func(name string, one *ir.State) *ir.State {
		return &ir.State{Name: name, Extract: []*ir.Header{h.signal}, Select: h.length, Refuse: true,
			Cases: []ir.Case{sameAs(ofcBody, 16, whole), sameAs(ofcBody+ofcFlow, 16, one)}}
	}
	return &ir.State{Name: "frame", Select: ir.Peek(32), Refuse: true, Cases: []ir.Case{
		frameOf(protocolOFC, ofcPause, sized("pause", subject("one", flow, 1))),
		frameOf(protocolOFC, ofcResume, sized("resume", subject("one_or_last", flow, 1, ofcLast<<16|1)))}}
}
