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
	last := func(copies int) ir.Step {
		end := b.do(fmt.Sprint("only_this", copies), set(m.tell, 0), set(m.check, 0), set(m.todo, 0))
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
	queue := func(name string) ir.Step {
		return b.do(name, assign(m.where, m.egress),
			assign(m.queue, ir.Binary{X: m.at, Y: ir.Number(16, 1)}))
	}
	return []ir.Step{
		choose(
			way{is(m.op, opTell), b.nearest("tell", m.tell, 0, assign(m.peer, m.ingress),
				assign(m.where, m.egress))},
			way{is(m.op, opCheck), b.nearest("check", m.check, 1, assign(m.peer, m.egress),
				assign(m.where, m.egress))},
			way{is(m.op, opLeaves), copyOfPort("leaves_of_port", m.where)},
			way{ir.Any{is(m.op, opTurn), is(m.op, opMerge)}, copyOfPort("upstream_of_port", m.ingress)},
			way{is(m.op, opGates), queue("gates_of_queue")},
			way{is(m.op, opGate), queue("gate_of_queue")},
			way{is(m.op, opEnter), b.do("where_it_came", assign(m.peer, m.egress),
				assign(m.where, m.egress), assign(m.port, m.egress), assign(m.ingress, m.egress))}),
		where(ir.Any{is(m.op, opLeaves), is(m.op, opMerge)}, last(ports)),
		where(is(m.op, opGates), last(queues)),
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
			assign(m.matched, ir.Slice{X: m.join, High: level, Low: level})}, more...)
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
		choose(way{is(m.frame, typePause), either(is(m.matched, 1), change("pause_joins", 1, 1),
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

// findQueues finds the states of the isolation queues of roots at a port, and changes them.
func (b *pyrrhaBuilder) findQueues() (steps []ir.Step) {
	m, r := &b.md, &b.registers
	for level := 1; level <= b.levels; level++ {
		iq, slot, state := r.iq[level-1], m.slots[level], m.states[level]
		to, floor := m.turns[level], m.floors[level]
		both := [2]ir.Expr{to, floor}
		use := func(name string, action int, at ir.Expr, in [2]ir.Expr, to ...*ir.Field) ir.Step {
			return b.do(fmt.Sprintf("%s%d", name, level), ir.Execute{Action: iq.Actions[action],
				Index: b.slotOf(m.where, at), Phv: in, To: to})
		}
		turn := func(name string, next, least ir.Expr) ir.Step {
			return b.do(fmt.Sprintf("%s%d", name, level), assign(to, next), assign(floor, least))
		}
		here, there := is(m.level, uint64(level)), isNot(slot, 0)
		member := ir.Slice{X: m.value, High: 8*level - 1, Low: 8 * (level - 1)}
		named := ir.All{b.frameIs(typePause, typeResume, typeMerge), here, there}
		merged := ir.All{is(m.found, 1), is(m.frame, typeMerge), is(m.oldLevel, uint64(level)),
			isNot(m.oldSlot, 0)}
		looked := ir.All{ir.Any{is(m.op, opCheck), is(m.op, opLeaves)}, here}
		inSet := ir.All{is(m.op, opGate),
			ir.Compare{Op: ir.NotEqual, X: member, Y: ir.Number(8, 0)}}
		merging := ir.Number(16, iqMerging)
		steps = append(steps,
			choose(way{named, turn("will_turn", m.to, m.least)},
				way{merged, turn("will_merge", merging, merging)},
				way{looked, turn("may_free", m.least, merging)},
				way{inSet, turn("will_look", ir.Number(16, iqNone), ir.Number(16, iqPaused+1))}),
			choose(
				way{ir.All{is(m.kind, kindData), there},
					use("enter_iq", iqEnter, slot, [2]ir.Expr{slot}, state, slot)},
				way{ir.All{is(m.kind, kindNotice), there},
					use("leave_iq", iqLeave, slot, [2]ir.Expr{}, state, m.lasts[level])},
				way{named, use("turn_iq", iqTurn, slot, both, state, m.lasts[level])},
				way{merged, use("merge_iq", iqTurn, m.oldSlot, both, state, m.lasts[level])},
				way{looked, use("free_iq", iqFree, m.slot, [2]ir.Expr{to, nil}, m.freed)},
				way{inSet, use("look_at_iq", iqTurn, member, both, state, nil)}))
	}
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

// countOutput counts what is in the OQ, and changes what upstreams were told of a port of our own.
func (b *pyrrhaBuilder) countOutput() []ir.Step {
	m, r := &b.md, &b.registers
	own := func(port *ir.Field) ir.Expr { return ir.Concat{b.port(port), b.port(m.ingress)} }
	told := func(name string, action int, port *ir.Field, in [2]ir.Expr, to ...*ir.Field) ir.Step {
		return b.do(name, ir.Execute{Action: r.own.Actions[action], Index: own(port), Phv: in, To: to})
	}
	number := func(one, other uint64) [2]ir.Expr {
		return [2]ir.Expr{ir.Number(8, one), ir.Number(8, other)}
	}
	plain := func(kind uint64) ir.All { return ir.All{is(m.kind, kind), ir.Not{X: b.isolated()}} }
	cells := m.cells
	oq := func(name string, action int, input ir.Expr) ir.Step {
		return b.do(name, uses(r.oq, action, b.port(m.egress), input, m.owned))
	}
	below := func(name string, mark *ir.Field) ir.Step {
		return b.do(name, assign(m.under, ir.Binary{Op: ir.SubSaturated, X: mark, Y: m.owned}))
	}
	var steps []ir.Step
	if b.Depth == Ghost {
		both := ir.All{ir.Any{is(m.kind, kindData), is(m.kind, kindNotice)}, ir.Not{X: b.isolated()}}
		steps = []ir.Step{where(both, append([]ir.Step{oq("read_output", readIt, nil)},
			b.inCells()...)...)}
	} else {
		steps = []ir.Step{choose(way{plain(kindData), oq("enter_output", 0, cells)},
			way{plain(kindNotice), oq("leave_output", 1, cells)})}
	}
	steps = append(steps, where(plain(kindNotice), below("below_resume", m.most)))
	steps = append(steps, where(plain(kindData), below("below_pause", m.beyond)),
		where(isNot(m.under, 0), b.do("is_below", set(m.below, 1))))
	return append(steps, choose(
		way{append(plain(kindData), is(m.below, 0), is(m.claims, 1), is(m.silent, 0)),
			told("pause_as_root", ownPause, m.egress, [2]ir.Expr{}, m.news[0], m.joins[0])},
		way{ir.All{b.frameIs(typeDealloc), is(m.level, 0)}, b.do("own_left", ir.Execute{
			Action: r.own.Actions[ownTurn], Index: ir.Concat{b.portOf(m.number), b.port(m.ingress)},
			Phv: number(toldResume, toldNothing), To: []*ir.Field{m.matched}})},
		way{ir.All{is(m.op, opTurn), isNot(m.under, 0)},
			told("resume_as_root", ownTurn, m.slot, number(toldPause, toldResume), m.matched)},
		way{ir.All{is(m.op, opMerge), is(m.oldLevel, 0)}, b.do("merge_own", ir.Execute{
			Action: r.own.Actions[ownMove], Index: ir.Concat{b.portOf(m.oldSlot), b.port(m.ingress)},
			Phv: number(toldNothing, 0), To: []*ir.Field{m.oldListed, m.wasPaused}})}),
		where(ir.All{is(m.op, opMerge), is(m.oldLevel, 0), is(m.host, 1)},
			b.do("own_host", assign(m.oldListed, m.wasPaused))))
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

// countWaiting counts what waits for roots by ingress, and changes what upstreams were told. While
// one of a packet's roots is paused, only those that are pause its upstream.
func (b *pyrrhaBuilder) countWaiting() (steps []ir.Step) {
	m, r := &b.md, &b.registers
	cells := m.cells
	for level := 1; level <= b.levels; level++ {
		up, slot, state := r.up[level-1], m.slots[level], m.states[level]
		use := func(name string, action int, at ir.Expr, in [2]ir.Expr, to ...*ir.Field) ir.Step {
			return b.do(fmt.Sprintf("%s%d", name, level), ir.Execute{Action: up.Actions[action],
				Index: b.slotOf(m.ingress, at), Phv: in, To: to})
		}
		here, data := is(m.level, uint64(level)), ir.All{is(m.kind, kindData), ir.Compare{Op: ir.NotEqual,
			X: b.slot(level), Y: ir.Number(slotBits, 0)}}
		notice := ir.All{is(m.kind, kindNotice), ir.Compare{Op: ir.NotEqual,
			X: b.slot(level), Y: ir.Number(slotBits, 0)}}
		pauses := append(data, is(m.silent, 0), ir.Any{is(state, iqPaused),
			ir.All{ir.Not{X: b.held()}, is(state, iqResumed)}})
		mark := m.marks[level]
		against := func(name string, value ir.Expr) ir.Step {
			return b.do(fmt.Sprintf("%s%d", name, level), assign(mark, value))
		}
		old := ir.All{is(m.op, opMerge), is(m.oldLevel, uint64(level))}
		joins := ir.All{is(m.op, opMerge), here, isNot(m.oldListed, 0)}
		steps = append(steps,
			choose(way{ir.Any{pauses, notice}, against("mark", m.mark)},
				way{data, against("no_mark", ir.Number(32, 1<<32-1))},
				way{joins, against("will_join", ir.Number(32, toldResume))}),
			choose(
				way{data, use("wait_for", upEnter, slot, [2]ir.Expr{cells, mark}, m.news[level],
					m.joins[level])},
				way{notice, use("wait_no_more_for", upLeave, slot, [2]ir.Expr{cells, mark},
					m.news[level])},
				way{ir.All{b.frameIs(typeDealloc), here, isNot(slot, 0)}, use("leaves_tree", upTurn, slot,
					[2]ir.Expr{ir.Number(32, toldResume), ir.Number(32, toldNothing)}, m.matched)},
				way{old, use("leaves_old", upMove, m.oldSlot, [2]ir.Expr{mark}, m.oldListed,
					m.wasPaused)},
				way{joins, use("joins_new", upMove, m.slot, [2]ir.Expr{mark}, m.was, m.newPaused)}),
			where(ir.All{is(m.op, opMerge), is(m.oldLevel, uint64(level)), is(m.host, 1)},
				b.do(fmt.Sprint("old_host", level), assign(m.oldListed, m.wasPaused))))
	}
	return steps
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
		where(ir.Any{got, is(m.op, opGate)}, ir.Apply{Table: b.tables.afc}),
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
