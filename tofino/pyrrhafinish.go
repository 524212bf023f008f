package tofino

import (
	"slices"

	"github.com/sluicefc/sluice/tofino/chip"
	"github.com/sluicefc/sluice/tofino/ir"
)

// Multicast groups of threads, and a session of mirrors.
const (
	groupPorts    = 1
	groupQueues   = 2
	threadSession = 3
)

// finish sends a packet on, frames, and threads.
func (b *pyrrhaBuilder) finish() []ir.Step {
	m, h := &b.md, &b.headers
	forward := []ir.Statement{ir.SetValid{Header: h.bridge, Valid: true},
		assign(ir.EgressSpec, b.paths.Port), copyOf(ir.QueueSpec, m.queue)}
	for _, one := range h.kept {
		forward = append(forward, assign(one.header, one.md))
	}
	others := append(b.signals(), where(is(m.ready, 1), b.outcome()...))
	others = append(others, b.goOn()...)
	give := []ir.Statement{set(h.threadKind, kindThread)}
	for _, one := range h.threaded {
		give = append(give, assign(one.header, one.md))
	}
	sent := append(give, ir.SetValid{Header: h.thread, Valid: true},
		ir.SetValid{Header: h.bridge})
	for _, gone := range []*ir.Header{h.ethernet, h.etherType, h.signal, h.root, h.old, h.hop,
		h.padPause, h.padResume, h.padMerge, h.padding} {
		sent = append(sent, ir.SetValid{Header: gone})
	}
	others = append(others, choose(
		way{is(m.kind, kindPass), b.do("forward_other", append(slices.Clone(forward),
			set(h.kind, kindPass))...)},
		way{is(m.goes, 1), b.do("send_round", sent...)},
		way{is(m.goes, 0), b.do("end", set(ir.IngressDrop, 1))}))
	return append(b.collect(), ir.If{Condition: is(m.kind, kindData),
		Then: []ir.Step{b.do("own_port_too", adds2(m.told, m.told, m.news[0]),
			adds2(m.joined, m.joined, m.joins[0])), b.packetTells(),
			b.do("forward", append(forward, set(h.kind, kindData))...)},
		Else: others})
}

// outcome collects what a frame leads to, in the fields of a thread.
func (b *pyrrhaBuilder) outcome() []ir.Step {
	m := &b.md
	todo := func(name string, bit uint64, more ...ir.Statement) ir.Step {
		return b.do(name, append(more, assign(m.todo,
			ir.Binary{Op: ir.Or, X: m.todo, Y: ir.Number(8, bit)}))...)
	}
	when := func(frame uint64, more ...ir.Expr) ir.All {
		return append(ir.All{is(m.frame, frame), is(m.found, 1)}, more...)
	}
	waits := isNot(m.waits, 0)
	abdicate := todo("abdicate", todoMerge, set(m.oldLevel, 0), assign(m.oldSlot, m.egress),
		assign(m.oldSwitch, ir.Number(32, uint64(b.full.Switch))), assign(m.oldPort, m.egress))
	gates := todo("look_at_gates", todoGates)
	return []ir.Step{
		choose(way{when(typePause, isNot(m.before, iqNone), isNot(m.before, iqPaused), waits), gates},
			way{when(typeResume, is(m.before, iqPaused), waits), gates},
			way{when(typeMerge, is(m.before, iqPaused), waits), gates},
			way{when(typeMerge, is(m.oldBefore, iqPaused), isNot(m.oldWaits, 0)), gates}),
		where(when(typePause, is(m.before, iqNone),
			ir.Compare{X: ir.Slice{X: m.abdicates}, Y: ir.Number(1, 1)}, isNot(m.listed, 0)),
			abdicate),
		where(when(typeMerge, isNot(m.oldBefore, iqNone)),
			todo("merge_trees", todoMerge|todoLeaves)),
		where(ir.Any{when(typeMerge), when(typeResume, isNot(m.before, iqNone),
			isNot(m.before, iqMerging))}, b.checkNamed()),
	}
}

// collect makes sets of levels of what registers said of each: news, joins and lasts.
func (b *pyrrhaBuilder) collect() []ir.Step {
	m := &b.md
	type list struct {
		to *ir.Field
		of []*ir.Field
	}
	lists := []list{{m.told, m.news}, {m.joined, m.joins}, {m.checks, m.lasts}}
	step := func(name string, pair func(l list) []ir.Statement) ir.Step {
		var body []ir.Statement
		for _, one := range lists {
			body = append(body, pair(one)...)
		}
		return b.do(name, body...)
	}
	var steps []ir.Step
	if b.levels > 2 {
		steps = append(steps, step("levels_in_pairs", func(l list) (body []ir.Statement) {
			for low := 1; low < b.levels; low += 2 {
				body = append(body, adds2(l.of[low], l.of[low], l.of[low+1]))
			}
			return body
		}))
	}
	return append(steps, step("all_levels", func(l list) []ir.Statement {
		switch b.levels {
		case 1:
			return []ir.Statement{assign(l.to, l.of[1])}
		case 2:
			return []ir.Statement{adds2(l.to, l.of[1], l.of[2])}
		}
		return []ir.Statement{adds2(l.to, l.of[1], l.of[3])}
	}))
}

// adds2 gives a set what two sets have.
func adds2(to, x, y *ir.Field) ir.Statement {
	return assign(to, ir.Binary{Op: ir.Or, X: x, Y: y})
}

// packetTells has the upstream of a packet paused: a copy of it goes round as a thread that sends
// the frames. A host that is paused joins the tree in any case.
func (b *pyrrhaBuilder) packetTells() ir.Step {
	m, h := &b.md, &b.headers
	thread := func(name string, joins *ir.Field) ir.Step {
		body := []ir.Statement{set(h.threadKind, kindThread), set(ir.IngressMirror, 2),
			set(m.session, threadSession)}
		for _, one := range h.threaded {
			switch one.md {
			case m.op:
				body = append(body, set(one.header, opTell))
			case m.frame:
				body = append(body, set(one.header, typePause))
			case m.tell:
				body = append(body, assign(one.header, m.told))
			case m.join:
				body = append(body, assign(one.header, joins))
			default:
				body = append(body, assign(one.header, one.md))
			}
		}
		return b.do(name, body...)
	}
	return where(isNot(m.told, 0), either(is(m.host, 1),
		thread("host_is_told", m.told), thread("upstream_is_told", m.joined)))
}

// ofLevel runs an action for the level that a field names.
func (b *pyrrhaBuilder) ofLevel(
	name string, from int, named *ir.Field, body func(level int) []ir.Statement,
) ir.Step {
	var ways []way
	for level := from; level <= b.levels; level++ {
		ways = append(ways, way{is(named, uint64(level)),
			b.do(name+string(rune('0'+level)), body(level)...)})
	}
	return choose(ways...)
}

// checkNamed has the IQ of the root that a frame names looked at: whether anything needs it.
func (b *pyrrhaBuilder) checkNamed() ir.Step {
	return b.ofLevel("check_named", 1, b.md.level, func(level int) []ir.Statement {
		return []ir.Statement{set(b.md.check, 1<<level)}
	})
}

// leftTree goes on with an upstream that left the tree of a root, to take it out of the count.
func (b *pyrrhaBuilder) leftTree() ir.Step {
	m := &b.md
	return b.ofLevel("left_tree", 0, m.level, func(level int) []ir.Statement {
		body := append(b.round(opTell), set(m.tell, 1<<level), set(m.frame, 0))
		if level == 0 {
			body = append(body, assign(m.egress, m.number))
		}
		return body
	})
}

// tellMerge goes on with telling an upstream that was in the tree of the old root. In the set of
// those who join is, for this frame, whether it was in the new one's, and paused there.
func (b *pyrrhaBuilder) tellMerge() []ir.Step {
	m := &b.md
	join := func(name string, bits uint64) ir.Step { return b.do(name, set(m.join, bits)) }
	return []ir.Step{b.ofLevel("tell_merge", 1, m.level, func(level int) []ir.Statement {
		return append(b.round(opTell), set(m.tell, 1<<level), assign(m.slots[level], m.slot),
			set(m.frame, typeMerge))
	}), either(isNot(m.newPaused, 0), join("was_paused_there", 1<<wasListed|1<<wasPaused),
		either(isNot(m.was, 0), join("was_listed_there", 1<<wasListed), join("was_not_there", 0)))}
}

// signals sends a frame: the one that a thread is to send, or DEALLOC.
func (b *pyrrhaBuilder) signals() []ir.Step {
	m, h := &b.md, &b.headers
	order := func(name string, kind, hop ir.Expr) ir.Step {
		return b.do(name, set(ir.IngressMirror, 1), set(m.session, signalSession),
			assign(ir.IngressMirrorPort, m.back), set(ir.IngressMirrorQID, uint64(b.signalQueue())),
			set(h.orderKind, kindSignal), assign(h.orderType, kind), assign(h.orderHop, hop),
			assign(h.orderSwitch, m.rootSwitch), assign(h.orderPort, m.rootPort),
			assign(h.orderOldSwitch, m.oldSwitch), assign(h.orderOldPort, m.oldPort))
	}
	dealloc := ir.Number(8, typeDealloc)
	unknown := ir.All{b.frameIs(typeResume), is(m.before, iqNone)}
	return []ir.Step{choose(
		way{ir.All{is(m.op, opTell), is(m.kind, kindThread), isNot(m.frame, 0)},
			order("tell", m.frame, ir.Binary{X: m.level, Y: ir.Number(8, 1)})},
		way{ir.All{is(m.kind, kindThread), is(m.freed, iqResumed)},
			order("tell_freed", dealloc, ir.Number(8, 0))},
		way{unknown, order("answer", dealloc, ir.Number(8, 0))})}
}

// round are the statements by which a thread goes round, to do something in its next pass.
func (b *pyrrhaBuilder) round(op uint64) []ir.Statement {
	port, err := chip.Recirculation(b.Ports[0].Pipe())
	if err != nil {
		panic(err) // the pipe of a port
	}
	return []ir.Statement{set(b.md.op, op), set(b.md.goes, 1), set(ir.EgressSpec, uint64(port))}
}

// goOn decides what a thread does next, or that none begins or goes on. A thread that looks at all
// queues goes on to each: one that no set has is found out there.
func (b *pyrrhaBuilder) goOn() []ir.Step {
	m := &b.md
	next := func(name string, op uint64, more ...ir.Statement) []ir.Step {
		return []ir.Step{b.do(name, append(more, b.round(op)...)...)}
	}
	spread := func(name string, op, group uint64, more ...ir.Statement) []ir.Step {
		return []ir.Step{b.do(name, append(more, set(m.op, op), set(m.goes, 1),
			set(ir.MulticastGroup, group))...)}
	}
	has := func(bit int) ir.Expr {
		return ir.Compare{X: ir.Slice{X: m.todo, High: bit, Low: bit}, Y: ir.Number(1, 1)}
	}
	done := func(bits uint64) ir.Statement {
		return assign(m.todo, ir.Binary{Op: ir.And, X: m.todo, Y: ir.Number(8, 0xFF&^bits)})
	}
	notice := is(m.kind, kindNotice)
	turns := ir.All{notice, isNot(m.paused, 0), is(m.below, 1)} // below: no IQ
	resumes, checks := set(m.frame, typeResume), assign(m.check, m.checks)
	freed := ir.All{isNot(m.freed, 0), is(m.listed, 0), is(m.iqs, 0)}
	gone := ir.All{is(m.empty, 1), is(m.iqs, 0)}
	return []ir.Step{kinds(
		kind{ir.All{is(m.ready, 1), is(m.got, 1)}, next("give_slot", opEnter)},
		kind{is(m.op, opGates), next("look_at_gate", opGate)},
		kind{ir.Any{freed, gone}, next("forget", opForget)},
		kind{is(m.empty, 1), spread("look_at_leaves", opLeaves, groupPorts)},
		kind{turns, spread("resume_upstreams", opTurn, groupPorts, set(m.level, 0),
			assign(m.slot, m.egress))},
		kind{ir.All{notice, isNot(m.told, 0)}, next("notice_tells", opTell,
			assign(m.tell, m.told), checks, resumes)},
		kind{ir.All{notice, isNot(m.checks, 0)}, next("notice_checks", opCheck, checks, resumes)},
		kind{ir.All{b.frameIs(typeDealloc), isNot(m.matched, 0)}, []ir.Step{b.leftTree()}},
		kind{ir.All{is(m.op, opTurn), isNot(m.matched, 0)}, next("tell_own", opTell,
			set(m.tell, 1), resumes)},
		kind{b.wasInOld(), next("go_join", opJoin)},
		kind{is(m.op, opJoin), b.tellMerge()},
		kind{isNot(m.tell, 0), next("go_tell", opTell)},
		kind{has(0), spread("go_to_gates", opGates, groupQueues, done(todoGates))},
		kind{has(1), spread("go_merge", opMerge, groupPorts, done(todoMerge))},
		kind{has(2), spread("go_to_leaves", opLeaves, groupPorts, done(todoLeaves),
			assign(m.level, m.oldLevel), assign(m.slot, m.oldSlot), set(m.frame, typeResume))},
		kind{isNot(m.check, 0), next("go_check", opCheck)}),
	}
}
