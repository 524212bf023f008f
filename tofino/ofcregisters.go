package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/ofc"
	"github.com/sluicefc/sluice/tofino/ir"
)

// ofcRegisters are the registers; a pair of names is of two rows of cells.
type ofcRegisters struct {
	heard, in, out, unknown, backup, side, ended, pausedFlows *ir.Register
	flows, seen, congested, told                              [2]*ir.Register
	episode, walked, count, all, held                         *ir.Register
	endedOut, sequence                                        *ir.Register
	congestedOut                                              [2]*ir.Register
	depths                                                    [ofc.QueuesPerClass]*ir.Register
}

// pairs declares a register of pairs with so many elements for each port and class, single one of
// single numbers.
func (b *ofcBuilder) pairs(
	name string, bits, each int, actions ...*ir.RegisterAction,
) *ir.Register {
	return b.pair(name, bits, b.classes()*each, ir.Ingress, actions...)
}

func (b *ofcBuilder) single(
	name string, bits, each int, actions ...*ir.RegisterAction,
) *ir.Register {
	return b.register(name, bits, b.classes()*each, ir.Ingress, actions...)
}

// classes returns how many elements a register of ports and classes has.
func (b *ofcBuilder) classes() int { return sluice.Classes << b.portBits }

// rows are the names of the two rows of a table.
var rows = [2]string{"a", "b"}

// declareRegisters declares the registers of the table in the documentation of [OFC].
func (b *ofcBuilder) declareRegisters() {
	r, cells := &b.registers, 1<<b.cellBits
	r.heard = b.heard(1 << b.portBits)
	for _, one := range []struct {
		to   **ir.Register
		name string
	}{{&r.in, "q_in"}, {&r.out, "q_out"}} {
		if b.Depth == Ghost && one.to == &r.out {
			b.declareDepths()
			break
		}
		*one.to = b.single(one.name, 32, 1,
			does("fill_"+one.name, nil, []ir.Update{moreBy(ir.Low)}, sayAfter),
			does("drain_"+one.name, nil, []ir.Update{lessBy(ir.Low)}, sayAfter))
	}
	for row, name := range rows {
		r.flows[row] = b.pairs("flow_"+name, 32, cells, flowActions(name)...)
		r.seen[row] = b.pairs("seen_"+name, 32, cells,
			does("note_"+name, nil, []ir.Update{becomes(ir.Always, ir.Low, 1, 0),
				becomes(ir.Always, ir.High, 2, 0)}),
			does("recall_"+name, nil, nil, sayMemory, sayHalf(ir.High, false)))
	}
	r.unknown = b.single("unknown", 32, 1, does("add_unknown", nil, []ir.Update{oneMore}, sayAfter),
		does("take_unknown", nil, []ir.Update{oneLess}), does("look_at_unknown", nil, nil, sayMemory))
	r.backup = b.pairs("backup", 32, 1, backupActions()...)
	r.side = b.single("side", 8, 1, does("turn", []ir.Predicate{isValue(1)}, []ir.Update{
		becomes(ir.First, ir.Low, 0, 2), becomes(not(ir.First), ir.Low, 0, 1)}, sayMemory),
		does("look_at_side", nil, nil, sayMemory))
	r.side.Initial[0] = 1
	r.ended = b.single("ended", 32, 1, does("look_at_ended", nil, nil, sayMemory),
		does("end_rotation", nil, []ir.Update{oneMore}))
	for row, name := range rows {
		r.congested[row] = b.pairs("congested_"+name, 32, cells, congestedActions(name)...)
	}
	r.pausedFlows = b.pairs("paused_flows", 32, 1, pausedFlowsActions()...)
	r.episode = b.pairs("episode", 32, 1,
		does("begin_episode", nil, []ir.Update{becomes(ir.Always, ir.High, 0, 1)},
			sayMemory),
		does("end_episode", []ir.Predicate{isHigh(0)}, []ir.Update{
			counts(not(ir.First), ir.Low, 1), {When: ir.Always, To: ir.High}}, sayIf(not(ir.First))))
	r.episode.Initial[0] = 1
	r.walked = b.single("walked", 32, 1<<b.portBits, does("walk_once",
		[]ir.Predicate{isFirst}, []ir.Update{setInput}, sayIf(not(ir.First))))
	for row, name := range rows {
		r.told[row] = b.pairs("told_"+name, 32, cells, toldActions(name)...)
	}
	r.count = b.single("told", 32, 1, does("add_told", nil, []ir.Update{oneMore}),
		does("take_told", []ir.Predicate{isValue(1)}, []ir.Update{oneLess}, sayIf(ir.First)),
		does("look_at_told", []ir.Predicate{isValue(0)}, nil, sayIf(not(ir.First))))
	r.all = b.single("all_held", 1, 1, does("hold_all", nil, []ir.Update{set1}, sayMemory),
		does("release_all", nil, []ir.Update{set0}, sayMemory))
	r.held = b.pairs("held", 32, 1, heldActions()...)
	b.declareEgressRegisters(cells)
}

// declareDepths declares the registers of depths, which ghost writes.
func (b *ofcBuilder) declareDepths() {
	for q := range b.registers.depths {
		name := fmt.Sprint("depth", q)
		b.registers.depths[q] = b.told(name, b.classes())
		b.md.depths[q] = b.field(ir.Ingress, name, 32)
	}
}

func (b *ofcBuilder) declareEgressRegisters(cells int) {
	r := &b.registers
	r.endedOut = b.single("ended_out", 32, 1, does("look_at_ended_out", nil, nil, sayMemory),
		does("end_rotation_out", nil, []ir.Update{oneMore}))
	for row, name := range rows {
		r.congestedOut[row] = b.pairs("congested_out_"+name, 32, cells, congestedActions("out_"+name)...)
		r.congestedOut[row].Gress = ir.Egress
	}
	r.sequence = b.numbers(1 << b.portBits)
	r.endedOut.Gress = ir.Egress
}

// isFirst and isSecond are the predicates that the lower half is the first input, the upper half
// the second.
var (
	isFirst  = halfAgainst(ir.Low, 1, ir.Equal)
	isSecond = halfAgainst(ir.High, 2, ir.Equal)
)

// flowActions are those of flow_in_port_tab: half a flow in the lower half, packets in the upper. A
// packet joins a cell that is free or its flow's.
func flowActions(row string) []*ir.RegisterAction {
	return []*ir.RegisterAction{
		does("join_"+row, []ir.Predicate{isHigh(0), isFirst}, []ir.Update{
			becomes(ir.First, ir.Low, 1, 0), counts(ir.First|ir.Second, ir.High, 1),
		}, sayIf(ir.First|ir.Second)),
		does("leave_"+row, nil, []ir.Update{counts(ir.Always, ir.High, -1)}),
		does("read_"+row, []ir.Predicate{isHigh(0)}, nil,
			ir.Output{When: not(ir.First), Sum: memory}, sayIf(not(ir.First))),
	}
}

// backupActions are those of the packets of backup queues: of the paused one in the lower half, of
// the one that is served in the upper.
func backupActions() []*ir.RegisterAction {
	drained := halfAgainst(ir.High, 1, ir.Equal)
	turns := ir.First & ir.Second
	return []*ir.RegisterAction{
		does("wait", []ir.Predicate{drained}, []ir.Update{oneMore, lessBy(ir.High)}, sayIf(ir.First)),
		does("drain", []ir.Predicate{isHigh(1)}, []ir.Update{counts(ir.Always, ir.High, -1)},
			sayIf(ir.First)),
		does("rotate", []ir.Predicate{isHigh(0), {Sum: memory, Op: ir.More}}, []ir.Update{
			{When: turns, To: ir.High, Sum: memory}, {When: turns, To: ir.Low}}, sayIf(turns)),
		does("look_at_backup", []ir.Predicate{isHigh(0)}, nil, sayIf(not(ir.First))),
	}
}

// untilResumed is the rotation until which a flow is paused that no frame has resumed.
const untilResumed = 1<<31 - 1

// congestedActions are those of congested_flow_tab: half a flow in the lower half; in the upper how
// many rotations will have ended when it is paused no longer. The second input is how many have.
func congestedActions(row string) []*ir.RegisterAction {
	tests := []ir.Predicate{isFirst,
		halfAgainst(ir.High, 2, ir.More), isHigh(untilResumed)}
	free, own := not(ir.Second), ir.First&ir.Second
	return []*ir.RegisterAction{
		does("claim_"+row, tests, []ir.Update{
			becomes(ir.First|free, ir.Low, 1, 0), becomes(ir.First|free, ir.High, 0, untilResumed),
		}, sayIf(ir.First|free), sayIf(free), sayIf(own&^ir.Third)),
		does("is_paused_"+row, tests[:2], nil, sayIf(own)),
		does("clear_"+row, tests[:2], []ir.Update{becomes(own, ir.High, 2, 0)}, sayIf(own)),
		does("defer_"+row, tests, []ir.Update{becomes(own&ir.Third, ir.High, 2, 1)},
			sayIf(own&ir.Third)),
	}
}

// pausedFlowsActions are those of the number of paused flows: those that no frame has resumed in
// the lower half, those that are paused until the rotation's end in the upper.
func pausedFlowsActions() []*ir.RegisterAction {
	more := adds(ir.High, 2, false)
	less := more
	less.Sum.Minus = true
	empty := []ir.Predicate{isValue(0), isHigh(0)}
	return []*ir.RegisterAction{
		does("count_paused", nil, []ir.Update{moreBy(ir.Low), less}),
		does("count_resumed", nil, []ir.Update{lessBy(ir.Low), more}),
		does("resume_deferred", []ir.Predicate{isHigh(0)}, []ir.Update{{When: ir.Always, To: ir.High}},
			sayIf(not(ir.First))),
		does("is_original", empty, nil, sayIf(ir.First&ir.Second)),
	}
}

// toldActions are those of pause_frame_tab: a flow, its lower half in the lower half. Zeros are a
// free cell.
func toldActions(row string) []*ir.RegisterAction {
	own, free := ir.First&ir.Second, ir.Third&ir.Fourth
	return []*ir.RegisterAction{
		does("tell_"+row, []ir.Predicate{isFirst, isSecond, isValue(0), isHigh(0)}, []ir.Update{
			becomes(free, ir.Low, 1, 0), becomes(free, ir.High, 2, 0),
		}, sayIf(own|free), sayIf(free)),
		does("take_"+row, []ir.Predicate{isValue(0), isHigh(0)}, []ir.Update{
			{When: ir.Always, To: ir.Low}, {When: ir.Always, To: ir.High},
		}, sayMemory, sayHalf(ir.High, false),
			sayIf(not(ir.First&ir.Second))),
	}
}

// heldActions are those of what holds a class: a frame in the lower half, want of room in the
// upper. The input is 1 or 0.
func heldActions() []*ir.RegisterAction {
	released := ir.Predicate{Sum: ir.Sum{Input: 1}, Op: ir.Equal}
	either := not(ir.First & ir.Second)
	return []*ir.RegisterAction{
		does("hold_by_frame", []ir.Predicate{released, isHigh(0)}, []ir.Update{setInput}, sayIf(either)),
		does("hold_for_room", []ir.Predicate{released, isValue(0)}, []ir.Update{
			becomes(ir.Always, ir.High, 1, 0)}, sayIf(either)),
		does("look_at_held", []ir.Predicate{isValue(0), isHigh(0)}, nil, sayIf(either)),
	}
}
