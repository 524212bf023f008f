package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice/tofino/ir"
)

// begin finds out what a thread is about in this pass: of sets of roots the nearest, of copies the
// port or queue that has the copy's number. The last copy goes on with what is left to do.
func (b *pyrrhaBuilder) begin() []ir.Step {
	m := &b.md
	last := func(name string, copies int) ir.Step {
		end := b.do("nothing_after_this_"+name, set(m.tell, 0), set(m.check, 0), set(m.todo, 0))
		return where(isNot(m.at, uint64(copies-1)), end)
	}
	ports, queues := len(b.full.Ports), max(b.full.IQs-1, 1)
	copyOfPort := func(name string, fields ...*ir.Field) ir.Step {
		body := []ir.Statement{assign(m.peer, m.at)}
		for _, f := range fields {
			body = append(body, assign(f, m.at))
		}
		return b.do(name, body...)
	}
	queue := func(name string, more ...ir.Statement) ir.Step {
		return b.do(name, append(more, assign(m.where, m.egress),
			assign(m.queue, ir.Binary{X: m.at, Y: ir.Number(16, 1)}))...)
	}
	return []ir.Step{
		choose(
			way{is(m.op, opTell), b.nearest("tell_of_root", m.tell, 0, assign(m.peer, m.ingress),
				assign(m.where, m.egress))},
			way{is(m.op, opCheck), b.nearest("check_root", m.check, 1, assign(m.peer, m.egress),
				assign(m.where, m.egress))},
			way{is(m.op, opLeaves), copyOfPort("leaves_of_port", m.where)},
			way{ir.Any{is(m.op, opTurn), is(m.op, opMerge)}, copyOfPort("upstream_of_port", m.ingress)},
			way{is(m.op, opJoin), b.do("upstream_that_left", assign(m.peer, m.ingress))},
			way{is(m.op, opGates), queue("gates_of_queue")},
			way{is(m.op, opGate), either(isNot(m.value, 0), queue("gate_of_queue", set(m.gates, 1)),
				queue("gate_of_none"))},
			way{is(m.op, opEnter), b.do("where_it_came", assign(m.peer, m.egress),
				assign(m.where, m.egress), assign(m.port, m.egress), assign(m.ingress, m.egress))}),
		where(ir.Any{is(m.op, opLeaves), is(m.op, opMerge)}, last("port", ports)),
		where(is(m.op, opGates), last("queue", queues)),
	}
}

// nearest takes the nearest root from a set of a thread, of which it may be one of the switch's
// own.
func (b *pyrrhaBuilder) nearest(
	name string, bits *ir.Field, from int, more ...ir.Statement,
) ir.Step {
	m := &b.md
	var ways []way
	for level := from; level <= b.levels; level++ {
		slot := assign(m.slot, m.slots[level])
		if level == 0 {
			slot = assign(m.slot, m.egress)
		}
		rest := ir.Binary{Op: ir.And, X: bits, Y: ir.Number(8, 0xFF&^(1<<level))}
		body := append([]ir.Statement{set(m.level, uint64(level)), slot, assign(bits, rest),
			assign(m.matched, ir.Binary{Op: ir.And, X: m.join, Y: ir.Number(8, 1<<level)})}, more...)
		ways = append(ways, way{ir.Compare{X: ir.Slice{X: bits, High: level, Low: level},
			Y: ir.Number(1, 1)}, b.do(fmt.Sprintf("%s%d", name, level), body...)})
	}
	return choose(ways...)
}

// leaving is the number that takes one away, in 16 bits.
const leaving = 1<<16 - 1

// lookAtTree counts who joins and leaves trees, and finds out whether anybody is in one.
func (b *pyrrhaBuilder) lookAtTree() []ir.Step {
	m, tree := &b.md, b.registers.tree
	change := func(name string, listed, paused uint64) ir.Step {
		body := []ir.Statement{set(m.moreListed, listed), set(m.morePaused, paused)}
		if listed == leaving {
			body = append(body, set(m.leaves, 1))
		}
		return b.do(name, body...)
	}
	listed := ir.Slice{X: m.join, High: wasListed, Low: wasListed}
	paused := ir.Slice{X: m.join, High: wasPaused, Low: wasPaused}
	merged := []ir.Step{
		where(is(m.host, 0), either(ir.Compare{X: listed, Y: ir.Number(1, 1)},
			change("merge_listed", 0, 0), change("merge_joins", 1, 0))),
		where(ir.Compare{X: paused, Y: ir.Number(1, 1)}, either(is(m.host, 1),
			change("merge_host", leaving, leaving), b.do("merge_paused", set(m.morePaused, leaving)))),
	}
	changes := where(is(m.op, opTell),
		choose(way{is(m.frame, typePause), either(isNot(m.matched, 0), change("pause_joins", 1, 1),
			change("pause_again", 0, 1))},
			way{is(m.frame, typeResume), either(is(m.host, 1), change("host_leaves", leaving, leaving),
				change("resume_stays", 0, leaving))},
			way{is(m.frame, 0), change("dealloc_leaves", leaving, 0)}),
		where(is(m.frame, typeMerge), merged...))
	apply := func(name string, index ir.Expr) ir.Step {
		return b.do(name, ir.Execute{Action: tree.Actions[treeChange], Index: index,
			Phv: [2]ir.Expr{m.moreListed, m.morePaused}, To: []*ir.Field{m.listed, m.paused}})
	}
	own := ir.Concat{ir.Number(b.levelBits, 0), wide(m.egress, slotBits)}
	return []ir.Step{changes, choose(
		way{ir.Any{is(m.op, opTell), is(m.op, opCheck), is(m.op, opLeaves)},
			apply("tree_of_root", b.rootOf(m.level, m.slot))},
		way{ir.All{is(m.op, opMerge), is(m.at, 0)}, b.do("tree_moves", ir.Execute{
			Action: tree.Actions[treeClear], Index: b.rootOf(m.oldLevel, m.oldSlot)})},
		way{ir.Any{is(m.kind, kindNotice), b.frameIs(typePause)}, apply("tree_of_own", own)}),
		where(ir.Any{is(m.op, opCheck), is(m.op, opLeaves)}, either(is(m.listed, 0),
			b.do("leaf", set(m.least, iqResumed)), b.do("no_leaf", set(m.least, iqMerging)))),
		where(b.left(), b.do("tree_empties", set(m.empty, 1))),
	}
}

// willBecome prepares what a frame or a thread does to the states of isolation queues: the state
// that they get, and the least that they must have.
func (b *pyrrhaBuilder) willBecome() (steps []ir.Step) {
	m := &b.md
	merging := ir.Number(16, iqMerging)
	for level := 1; level <= b.levels; level++ {
		turn := func(name string, next, least ir.Expr) ir.Step {
			return b.do(fmt.Sprintf("%s%d", name, level), assign(m.turns[level], next),
				assign(m.floors[level], least))
		}
		here := is(m.level, uint64(level))
		steps = append(steps, choose(
			way{ir.All{b.frameIs(typePause, typeResume, typeMerge), here},
				turn("iq_obeys_frame", m.to, m.least)},
			way{ir.All{b.frameIs(typeMerge), is(m.oldLevel, uint64(level))},
				turn("iq_becomes_merging", merging, merging)},
			way{ir.All{ir.Any{is(m.op, opCheck), is(m.op, opLeaves)}, here},
				turn("iq_may_be_freed", m.least, merging)},
			way{is(m.op, opGate), turn("iq_is_read", ir.Number(16, iqNone), ir.Number(16, iqPaused+1))}))
	}
	return steps
}

// become are the inputs of an isolation queue's register: what the state becomes, or the slot of a
// packet, and the least that it must be.
func (b *pyrrhaBuilder) become(level int) [2]ir.Expr {
	return [2]ir.Expr{b.md.turns[level], b.md.floors[level]}
}

// findQueues finds the states of the isolation queues of roots at a port, and changes them.
func (b *pyrrhaBuilder) findQueues() (steps []ir.Step) {
	m, r := &b.md, &b.registers
	use := func(action, level int, at ir.Expr, in [2]ir.Expr, to ...*ir.Field) ir.Statement {
		return ir.Execute{Action: r.iq[level-1].Actions[action], Index: b.slotOf(m.where, at), Phv: in,
			To: to}
	}
	var packets, gates []ir.Step
	for level := 1; level <= b.levels; level++ {
		slot, state, both := m.slots[level], m.states[level], b.become(level)
		there, member := isNot(slot, 0), ir.Slice{X: m.value, High: 8*level - 1, Low: 8 * (level - 1)}
		packets = append(packets, where(there, either(is(m.kind, kindData),
			b.do(fmt.Sprint("enter_iq", level), use(iqEnter, level, slot, both, state, slot)),
			b.do(fmt.Sprint("leave_iq", level), use(iqLeave, level, slot, [2]ir.Expr{}, state,
				m.lasts[level])))))
		gates = append(gates, where(ir.Compare{Op: ir.NotEqual, X: member, Y: ir.Number(8, 0)},
			b.do(fmt.Sprint("look_at_iq", level), use(iqTurn, level, member, both, state, nil))))
	}
	var old []kind
	for level := 1; level < b.levels; level++ {
		old = append(old, kind{is(m.oldLevel, uint64(level)), []ir.Step{
			b.do(fmt.Sprint("merge_iq", level), use(iqTurn, level, m.oldSlot, b.become(level),
				m.states[level], m.lasts[level]))}})
	}
	var turns []kind
	for level := 1; level <= b.levels; level++ {
		slot := m.slots[level]
		steps := []ir.Step{b.do(fmt.Sprint("turn_iq", level), use(iqTurn, level, slot, b.become(level),
			m.states[level], m.lasts[level]))}
		if level > 1 {
			steps = append(steps, where(ir.All{is(m.frame, typeMerge), isNot(m.oldSlot, 0)},
				kinds(old[:level-1]...)))
		}
		turns = append(turns, kind{ir.All{is(m.level, uint64(level)), isNot(slot, 0)}, steps})
	}
	frees := b.ofLevel("free_iq", 1, m.level, func(level int) []ir.Statement {
		return []ir.Statement{use(iqFree, level, m.slot, b.become(level), m.freed)}
	})
	steps = []ir.Step{kinds(
		kind{ir.Any{is(m.kind, kindData), is(m.kind, kindNotice)}, packets},
		kind{b.frameIs(typePause, typeResume, typeMerge), []ir.Step{kinds(turns...)}},
		kind{ir.Any{is(m.op, opCheck), is(m.op, opLeaves)}, []ir.Step{frees}},
		kind{is(m.op, opGate), gates})}
	first := ir.All{is(m.found, 1), ir.Any{is(m.frame, typePause), is(m.frame, typeMerge)},
		is(m.before, iqNone)}
	freed := isNot(m.freed, 0) // threads alone free
	count := func(name string, by uint64) ir.Step {
		return b.do(name, uses(r.iqs, 0, b.rootOf(m.level, m.slot), ir.Number(8, by), m.iqs))
	}
	return append(steps,
		where(b.frameIs(typePause, typeResume, typeMerge),
			b.ofLevel("state_before", 1, m.level, func(level int) []ir.Statement {
				return []ir.Statement{assign(m.before, m.states[level]), assign(m.waits, m.lasts[level])}
			})),
		where(b.frameIs(typeMerge),
			b.ofLevel("old_before", 1, m.oldLevel, func(level int) []ir.Statement {
				return []ir.Statement{assign(m.oldBefore, m.states[level]),
					assign(m.oldWaits, m.lasts[level])}
			})),
		choose(way{first, count("iq_more", 1)}, way{freed, count("iq_less", 0xFF)},
			way{is(m.empty, 1), count("iq_count", 0)}))
}
