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
	steps := append(b.collect(), b.outcome()...)
	steps = append(steps, b.signals()...)
	steps = append(steps, b.goOn()...)
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
	return append(steps,
		b.packetTells(),
		choose(way{is(m.kind, kindData), b.do("forward",
			append(slices.Clone(forward), set(h.kind, kindData))...)},
			way{is(m.kind, kindPass), b.do("forward_other", append(forward,
				set(h.kind, kindPass))...)},
			way{is(m.goes, 1), b.do("send_round", sent...)},
			way{is(m.goes, 0), b.do("end", set(ir.IngressDrop, 1))}),
	)
}

// outcome collects what a packet, a notice or a frame leads to, in the fields of a thread.
func (b *pyrrhaBuilder) outcome() []ir.Step {
	m := &b.md
	todo := func(name string, bit uint64, more ...ir.Statement) ir.Step {
		return b.do(name, append(more, assign(m.todo,
			ir.Binary{Op: ir.Or, X: m.todo, Y: ir.Number(8, bit)}))...)
	}
	check := b.checkNamed()
	found := is(m.found, 1)
	when := func(frame uint64, more ...ir.Expr) ir.All {
		return append(ir.All{is(m.frame, frame), found}, more...)
	}
	waits := isNot(m.waits, 0)
	abdicate := todo("abdicate", todoMerge, set(m.oldLevel, 0), assign(m.oldSlot, m.egress),
		assign(m.oldSwitch, ir.Number(32, uint64(b.full.Switch))), assign(m.oldPort, m.egress))
	gates := todo("look_at_gates", todoGates)
	left := ir.All{b.frameIs(typeDealloc), is(m.matched, 1)}
	return []ir.Step{
		where(is(m.kind, kindNotice), b.do("notice_tells", assign(m.tell, m.told),
			assign(m.check, m.checks), set(m.frame, typeResume))),
		where(is(m.kind, kindFrame),
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
				isNot(m.before, iqMerging))}, check),
			where(left, b.tellNamed())),
		where(ir.All{is(m.op, opMerge), isNot(m.oldListed, 0)}, b.tellMerge()),
		where(ir.All{is(m.op, opTurn), is(m.matched, 1)},
			b.do("tell_own", set(m.tell, 1), set(m.frame, typeResume))),
	}
}

// collect makes sets of levels of what registers said of each: news, joins and lasts.
func (b *pyrrhaBuilder) collect() (steps []ir.Step) {
	m := &b.md
	type sum struct {
		to, half *ir.Field
		of       []*ir.Field
	}
	sums := []sum{{m.told, m.half, m.news}, {m.joined, m.half2, m.joins}, {m.checks, m.half3, m.lasts}}
	or := func(x, y *ir.Field) ir.Expr { return ir.Binary{Op: ir.Or, X: x, Y: y} }
	each := func(name string, statements func(s sum) []ir.Statement) {
		var body []ir.Statement
		for _, s := range sums {
			body = append(body, statements(s)...)
		}
		steps = append(steps, b.do(name, body...))
	}
	behind := func(s sum) []*ir.Field { return s.of[1:] } // the own port's is known last
	if b.levels > 1 {
		each("levels_in_pairs", func(s sum) []ir.Statement {
			body := []ir.Statement{assign(s.to, or(behind(s)[0], behind(s)[1]))}
			switch b.levels {
			case 3:
				body = append(body, assign(s.half, behind(s)[2]))
			case 4:
				body = append(body, assign(s.half, or(behind(s)[2], behind(s)[3])))
			}
			return body
		})
	} else {
		each("one_level", func(s sum) []ir.Statement {
			return []ir.Statement{assign(s.to,
				behind(s)[0])}
		})
	}
	if b.levels > 2 {
		each("pairs_together", func(s sum) []ir.Statement {
			return []ir.Statement{assign(s.to, or(s.to, s.half))}
		})
	}
	each("with_the_own_port", func(s sum) []ir.Statement {
		return []ir.Statement{assign(s.to, or(s.to, s.of[0]))}
	})
	return steps
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
	return where(ir.All{is(m.kind, kindData), isNot(m.told, 0)}, either(is(m.host, 1),
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

// tellNamed takes the upstream that left the tree of a root out of the count.
func (b *pyrrhaBuilder) tellNamed() ir.Step {
	m := &b.md
	return b.ofLevel("left_tree", 0, m.level, func(level int) []ir.Statement {
		body := []ir.Statement{set(m.tell, 1<<level), set(m.frame, 0)}
		if level == 0 {
			body = append(body, assign(m.egress, m.number))
		}
		return body
	})
}

// tellMerge tells an upstream that was in the tree of the old root. In the set of those who join
// is, for this frame, whether it was in the new one's, and paused there.
func (b *pyrrhaBuilder) tellMerge() ir.Step {
	m := &b.md
	return b.ofLevel("tell_merge", 1, b.md.level, func(level int) []ir.Statement {
		return []ir.Statement{set(m.tell, 1<<level), assign(m.slots[level], m.slot),
			set(m.frame, typeMerge), assign(m.join, ir.Binary{Op: ir.Or, X: m.newPaused, Y: m.was})}
	})
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

// goOn decides what a thread does next, or that none begins or goes on.
func (b *pyrrhaBuilder) goOn() []ir.Step {
	m := &b.md
	round, err := chip.Recirculation(b.Ports[0].Pipe())
	if err != nil {
		panic(err) // the pipe of a port
	}
	next := func(name string, op uint64, more ...ir.Statement) ir.Step {
		return b.do(name, append(more, set(m.op, op), set(m.goes, 1),
			ir.Assign{To: ir.EgressSpec, Value: ir.Number(9, uint64(round))})...)
	}
	spread := func(name string, op, group uint64, more ...ir.Statement) ir.Step {
		return b.do(name, append(more, set(m.op, op), set(m.goes, 1),
			set(ir.MulticastGroup, group))...)
	}
	has := func(bit int) ir.Expr {
		return ir.Compare{X: ir.Slice{X: m.todo, High: bit, Low: bit}, Y: ir.Number(1, 1)}
	}
	done := func(bits uint64) ir.Statement {
		return assign(m.todo, ir.Binary{Op: ir.And, X: m.todo, Y: ir.Number(8, 0xFF&^bits)})
	}
	turns := ir.All{is(m.kind, kindNotice), isNot(m.paused, 0), is(m.below, 1)} // below: no IQ
	freed := ir.All{isNot(m.freed, 0), is(m.listed, 0), is(m.iqs, 0)}
	gone := ir.All{is(m.empty, 1), is(m.iqs, 0)}
	return []ir.Step{where(isNot(m.kind, kindData), choose(
		way{ir.All{is(m.kind, kindFrame), is(m.got, 1)}, next("give_slot", opEnter)},
		way{ir.All{is(m.op, opGates), isNot(m.value, 0)}, next("look_at_gate", opGate)},
		way{ir.Any{freed, gone}, next("forget", opForget)},
		way{is(m.empty, 1), spread("look_at_leaves", opLeaves, groupPorts)},
		way{turns, spread("resume_upstreams", opTurn, groupPorts, set(m.level, 0),
			assign(m.slot, m.egress), assign(m.value, m.owned))},
		way{isNot(m.tell, 0), next("go_tell", opTell)},
		way{has(0), spread("go_to_gates", opGates, groupQueues, done(todoGates))},
		way{has(1), spread("go_merge", opMerge, groupPorts, done(todoMerge))},
		way{has(2), spread("go_to_leaves", opLeaves, groupPorts, done(todoLeaves),
			assign(m.level, m.oldLevel), assign(m.slot, m.oldSlot), set(m.frame, typeResume))},
		way{isNot(m.check, 0), next("go_check", opCheck)})),
	}
}
