package tofino

import (
	"fmt"
	"math/bits"

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

// left is the condition that a thread took somebody out of the tree of another switch's root, in
// which nobody is left.
func (b *pyrrhaBuilder) left() ir.All {
	m := &b.md
	return ir.All{is(m.op, opTell), isNot(m.frame, typeMerge), is(m.leaves, 1), isNot(m.level, 0),
		is(m.listed, 0)}
}

// countOutput counts what is in the OQ, and compares it with what upstreams are told at.
func (b *pyrrhaBuilder) countOutput() []ir.Step {
	m, r := &b.md, &b.registers
	plain := func(kind uint64) ir.All { return ir.All{is(m.kind, kind), ir.Not{X: b.isolated()}} }
	cells := m.cells
	oq := func(name string, action int, input ir.Expr) ir.Step {
		return b.do(name, uses(r.oq, action, b.port(m.egress), input, m.owned))
	}
	below := func(name string, mark *ir.Field, more ...ir.Statement) ir.Step {
		return b.do(name, append(more, assign(m.under,
			ir.Binary{Op: ir.SubSaturated, X: mark, Y: m.owned}))...)
	}
	var steps []ir.Step
	if b.Depth == Ghost {
		both := ir.Any{is(m.kind, kindData), is(m.kind, kindNotice)}
		steps = []ir.Step{where(both, append([]ir.Step{oq("read_output", readIt, nil)},
			b.inCells()...)...)}
	} else {
		steps = []ir.Step{choose(way{plain(kindData), oq("enter_output", 0, cells)},
			way{plain(kindNotice), oq("leave_output", 1, cells)})}
	}
	steps = append(steps, choose(way{plain(kindNotice),
		below("below_resume", m.most, assign(m.value, m.owned))},
		way{plain(kindData), below("below_pause", m.beyond)}),
		where(isNot(m.under, 0), b.do("is_below", set(m.below, 1))))
	return steps
}

// wasInOld is the condition that the upstream of a MERGE's copy was in the tree of the old root: a
// host is while it is paused.
func (b *pyrrhaBuilder) wasInOld() ir.All {
	m := &b.md
	return ir.All{is(m.op, opMerge), ir.Any{ir.All{is(m.host, 0), isNot(m.oldListed, 0)},
		ir.All{is(m.host, 1), isNot(m.wasPaused, 0)}}}
}

// inCells makes cells of ghost's units, of which each has as many as a power of two: it doubles.
func (b *pyrrhaBuilder) inCells() (steps []ir.Step) {
	owned := b.md.owned
	for range bits.Len(uint(b.Unit.Cells())) - 1 {
		steps = append(steps, b.do("units_in_cells", assign(owned, ir.Binary{X: owned, Y: owned})))
	}
	return steps
}

// portOf is the bits of a port's number in any field.
func (b *pyrrhaBuilder) portOf(f *ir.Field) ir.Expr { return wide(f, b.portBits) }

// countWaiting counts what waits for roots by ingress, and changes what upstreams were told of
// roots and of ports of the switch's own. Frames and threads, which are about one level, are apart
// from packets: no level then waits for another's result.
func (b *pyrrhaBuilder) countWaiting() []ir.Step {
	m := &b.md
	var passing []ir.Step
	for level := 1; level <= b.levels; level++ {
		passing = append(passing, b.waiting(level)...)
	}
	plain := ir.All{is(m.kind, kindData), ir.Not{X: b.isolated()}}
	passing = append(passing, where(append(plain, is(m.below, 0), is(m.claims, 1), is(m.silent, 0)),
		b.tells("pause_as_root", ownPause, m.egress, [2]ir.Expr{}, m.news[0], m.joins[0])))
	threads := kinds(
		kind{b.frameIs(typeDealloc), []ir.Step{b.leavesTree()}},
		kind{is(m.op, opMerge), []ir.Step{b.leavesOld()}},
		kind{is(m.op, opJoin), b.joinsNew()},
		kind{ir.All{is(m.op, opTurn), isNot(m.under, 0)}, []ir.Step{b.tells("resume_as_root", ownTurn,
			m.slot, numbers(toldPause, toldResume), m.matched)}})
	return []ir.Step{ir.If{Condition: ir.Any{is(m.kind, kindData), is(m.kind, kindNotice)},
		Then: passing, Else: []ir.Step{threads}}}
}

// waiting counts what waits for the root of a level. While one of a packet's roots is paused, only
// those that are pause its upstream.
func (b *pyrrhaBuilder) waiting(level int) []ir.Step {
	m := &b.md
	slot, state, mark := m.slots[level], m.states[level], m.marks[level]
	there := ir.Compare{Op: ir.NotEqual, X: b.slot(level), Y: ir.Number(slotBits, 0)}
	data, notice := ir.All{is(m.kind, kindData), there}, ir.All{is(m.kind, kindNotice), there}
	pauses := append(data, is(m.silent, 0), ir.Any{is(state, iqPaused),
		ir.All{ir.Not{X: b.held()}, is(state, iqResumed)}})
	against := func(name string, value ir.Expr) ir.Step {
		return b.do(fmt.Sprintf("%s%d", name, level), assign(mark, value))
	}
	both := [2]ir.Expr{m.cells, mark}
	return []ir.Step{
		choose(way{ir.Any{pauses, notice}, against("k_of_root", m.mark)},
			way{data, against("pauses_nobody", ir.Number(32, 1<<32-1))}),
		choose(way{data, b.do(fmt.Sprint("wait_for", level),
			b.upstream(level, upEnter, slot, both, m.news[level], m.joins[level]))},
			way{notice, b.do(fmt.Sprint("wait_no_more_for", level),
				b.upstream(level, upLeave, slot, both, m.news[level]))}),
	}
}

// upstream uses the register of what waits for the roots of a level.
func (b *pyrrhaBuilder) upstream(
	level, action int, slot *ir.Field, in [2]ir.Expr, to ...*ir.Field,
) ir.Statement {
	return ir.Execute{Action: b.registers.up[level-1].Actions[action],
		Index: b.slotOf(b.md.ingress, slot), Phv: in, To: to}
}

// own uses the register of what upstreams were told of ports of the switch's own, tells in a step.
func (b *pyrrhaBuilder) own(
	action int, port ir.Expr, in [2]ir.Expr, to ...*ir.Field,
) ir.Statement {
	return ir.Execute{Action: b.registers.own.Actions[action],
		Index: ir.Concat{port, b.port(b.md.ingress)}, Phv: in, To: to}
}

func (b *pyrrhaBuilder) tells(
	name string, action int, port *ir.Field, in [2]ir.Expr, to ...*ir.Field,
) ir.Step {
	return b.do(name, b.own(action, b.port(port), in, to...))
}

// numbers are two inputs of a register of octets.
func numbers(one, other uint64) [2]ir.Expr {
	return [2]ir.Expr{ir.Number(8, one), ir.Number(8, other)}
}

// leavesTree takes the upstream that sent DEALLOC out of the tree of the root that it names.
func (b *pyrrhaBuilder) leavesTree() ir.Step {
	m := &b.md
	gone := [2]ir.Expr{ir.Number(32, toldResume), ir.Number(32, toldNothing)}
	return b.ofLevel("leaves_tree", 0, m.level, func(level int) []ir.Statement {
		if level == 0 {
			return []ir.Statement{b.own(ownTurn, b.portOf(m.number), numbers(toldResume, toldNothing),
				m.matched)}
		}
		return []ir.Statement{b.upstream(level, upTurn, m.slots[level], gone, m.matched)}
	})
}

// leavesOld takes the upstream of a MERGE's copy out of the tree of the old root, joinsNew puts it
// into the new one's, a round later.
func (b *pyrrhaBuilder) leavesOld() ir.Step {
	m := &b.md
	return b.ofLevel("leaves_old", 0, m.oldLevel, func(level int) []ir.Statement {
		if level == 0 {
			return []ir.Statement{b.own(ownMove, b.portOf(m.oldSlot), numbers(toldNothing, 0),
				m.oldListed, m.wasPaused)}
		}
		return []ir.Statement{b.upstream(level, upMove, m.oldSlot, [2]ir.Expr{m.marks[level]},
			m.oldListed, m.wasPaused)}
	})
}

func (b *pyrrhaBuilder) joinsNew() []ir.Step {
	m := &b.md
	return []ir.Step{
		b.ofLevel("resumed_in_new", 1, m.level, func(level int) []ir.Statement {
			return []ir.Statement{assign(m.marks[level], ir.Number(32, toldResume))}
		}),
		b.ofLevel("joins_new", 1, m.level, func(level int) []ir.Statement {
			return []ir.Statement{b.upstream(level, upMove, m.slot, [2]ir.Expr{m.marks[level]}, m.was,
				m.newPaused)}
		}),
	}
}

// findSet finds the queue of a packet's set, or takes one that is free, and gives it back when the
// last packet has left.
func (b *pyrrhaBuilder) findSet() []ir.Step {
	m, r := &b.md, &b.registers
	data, left := ir.All{is(m.kind, kindData), b.isolated()},
		ir.All{is(m.kind, kindNotice), isNot(m.queue, 0)}
	index := ir.Slice{X: m.index, High: setBits - 1}
	key := [2]ir.Expr{m.wide, m.owner}
	setKey := func(name string, action int, to ...*ir.Field) ir.Step {
		return b.do(name, ir.Execute{Action: r.setKey.Actions[action], Index: index, Phv: key, To: to})
	}
	place := ir.Concat{b.port(m.egress), ir.Slice{X: m.position, High: b.queueBits - 1}}
	queue := ir.Concat{b.port(m.where), ir.Slice{X: m.queue, High: b.queueBits - 1}}
	fresh, got := append(data, is(m.count, 1)), ir.All{is(m.kind, kindData), is(m.got, 1)}
	spill := uint64(b.spill())
	return []ir.Step{
		where(is(m.kind, kindData), b.do("name_set", assign(m.index, ir.Slice{X: ir.Hash{
			Function: b.setHash(), Fields: b.hashed()}, High: m.index.Bits - 1})), b.halves(),
			b.do("whole_set", assign(m.wide, ir.Concat{m.setHigh, m.setLow}))),
		choose(way{data, b.do("enter_set_of", uses(r.setPackets, 0, index, nil, m.count))},
			way{left, b.do("leave_set_of", uses(r.setPackets, 1, index, nil, m.emptied))}),
		where(data, either(is(m.count, 1), setKey("claim_set_key", 0),
			setKey("compare_set_key", 1, m.other))),
		choose(way{fresh, b.do("pop_queue", uses(r.freeTop, popIt, b.port(m.egress), nil, m.got,
			m.position))},
			way{ir.All{is(m.emptied, 1), isNot(m.queue, spill)}, b.do("push_queue",
				uses(r.freeTop, pushIt, b.port(m.egress), nil, m.position))}),
		choose(way{got,
			b.do("read_free", uses(r.freeID, readIt, place, nil, m.queue))},
			way{ir.All{is(m.emptied, 1), isNot(m.queue, spill)},
				b.do("write_free", uses(r.freeID, writeIt, place, m.queue))},
			way{fresh, b.do("spill_queue", set(m.queue, spill))}),
		choose(way{got,
			b.do("write_queue_set", uses(r.queueSet, writeIt, queue, m.wide))},
			way{is(m.emptied, 1), b.do("clear_queue_set", uses(r.queueSet, writeIt, queue,
				ir.Number(32, 0)))},
			way{is(m.op, opGates), b.do("read_queue_set", uses(r.queueSet, readIt, queue, nil,
				m.value))}),
		where(data, either(is(m.count, 1),
			b.do("write_set_queue", uses(r.setQueue, writeIt, index, m.queue)),
			b.do("read_set_queue", uses(r.setQueue, readIt, index, nil, m.queue)))),
		where(ir.All{is(m.kind, kindData), ir.Any{is(m.other, 1), is(m.queue, spill)}},
			b.do("share_queue", uses(r.shared, 0, b.port(m.egress), nil))),
		where(b.held(), b.do("hold_queue", ir.Assign{To: m.hold, Value: ir.Number(32, 1)})),
		where(ir.Any{got, is(m.gates, 1)}, ir.Apply{Table: b.tables.afc}),
	}
}

// isolated is the condition that a packet has a root with an isolation queue, held that one is
// paused: of slots the octet that may not be 0, of states the bits that they have.
func (b *pyrrhaBuilder) isolated() (some ir.Any) {
	for level := 1; level <= b.levels; level++ {
		some = append(some, ir.Compare{Op: ir.NotEqual, X: b.slot(level), Y: ir.Number(slotBits, 0)})
	}
	return some
}

func (b *pyrrhaBuilder) held() (some ir.Any) {
	for level := 1; level <= b.levels; level++ {
		some = append(some, ir.Compare{X: ir.Slice{X: b.md.states[level], High: 1},
			Y: ir.Number(2, iqPaused)})
	}
	return some
}

// halves puts a packet's slots side by side, of two levels at a time.
func (b *pyrrhaBuilder) halves() ir.Step {
	m := &b.md
	half := func(to *ir.Field, low int) ir.Statement {
		if low+1 > b.levels {
			return assign(to, m.slots[low]) // whose upper octet is 0
		}
		return assign(to, ir.Concat{b.slot(low + 1), b.slot(low)})
	}
	body := []ir.Statement{half(m.setLow, 1)}
	if b.levels > 2 {
		body = append(body, half(m.setHigh, 3))
	}
	return b.do("halves_of_set", body...)
}

// slot is the slot of a level without the octet that is 0, hashed what a set's element is found by.
func (b *pyrrhaBuilder) slot(level int) ir.Expr {
	return ir.Slice{X: b.md.slots[level], High: slotBits - 1}
}

func (b *pyrrhaBuilder) hashed() []ir.Expr {
	fields := []ir.Expr{b.md.egress}
	for level := b.levels; level > 0; level-- {
		fields = append(fields, b.slot(level))
	}
	return fields
}

// setHash is the function that finds the element of a set.
func (b *pyrrhaBuilder) setHash() *ir.HashFunction {
	for _, f := range b.p.Functions {
		if f.Name == "set_hash" {
			return f
		}
	}
	f := crc32()
	f.Name = "set_hash"
	b.p.Functions = append(b.p.Functions, f)
	return f
}
