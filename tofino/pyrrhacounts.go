package tofino

import (
	"fmt"
	"math/bits"

	"github.com/sluicefc/sluice/tofino/ir"
)

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
