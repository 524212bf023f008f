package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice/tofino/ir"
)

// pyrrhaRegisters are the registers of the table in the documentation of [Pyrrha], by level where
// there is one for each. Actions have the order of the constants below.
type pyrrhaRegisters struct {
	heard, tree, identity, slotTop, slotID, iqs, oq, own, setPackets, setKey *ir.Register
	freeTop, freeID, setQueue, queueSet, shared, sequence                    *ir.Register
	roots, iq, up                                                            []*ir.Register
}

// Actions of registers.
const (
	readIt  = 0 // of those that are only read and written
	writeIt = 1
	findIt  = 2 // of those that are read into two fields

	treeChange = 0 // adds to those listed, to those paused
	treeClear  = 1

	iqEnter = 0 // a packet comes: the state, and the slot again if it has an IQ
	iqLeave = 1 // and goes
	iqTurn  = 2 // gets a state, if it has at least another
	iqFree  = 3 // gives up an IQ without packets whose state is at most one

	ownPause = 0 // told to pause, unless it is already
	ownTurn  = 1 // told something, if it was told another
	ownMove  = 2 // told something, whatever it was

	upEnter = 0 // cells come; told to pause if that are so many
	upLeave = 1 // cells go; resumed if it was paused and they are fewer
	upTurn  = 2
	upMove  = 3

	popIt  = 0
	pushIt = 1
)

type (
	tests = []ir.Predicate
	then  = []ir.Update
)

// declareRegisters declares them. The slots and ports of an index lie side by side, the port first.
func (b *pyrrhaBuilder) declareRegisters() {
	r, ports := &b.registers, len(b.full.Ports)
	slots := 1 << slotBits
	plain := func(name string, bits, size int) *ir.Register {
		return b.register(name, bits, size, ir.Ingress, does("read_"+name, nil, nil, sayMemory),
			does("write_"+name, nil, then{setInput}))
	}
	stack := func(name string, size int) *ir.Register {
		return b.register(name, 16, size, ir.Ingress, does("pop_"+name, tests{isValue(0)},
			then{counts(not(ir.First), ir.Low, -1)}, sayIf(not(ir.First)), sayAfter),
			does("push_"+name, nil, then{oneMore}, sayMemory))
	}
	r.heard = b.heard(ports)
	r.tree = b.pair("tree", 16, (b.levels+1)*slots, ir.Ingress,
		does("change_tree", nil, then{adds(ir.Low, 1, false), adds(ir.High, 2, false)},
			sayHalf(ir.Low, true), sayHalf(ir.High, true)),
		does("clear_tree", nil, then{becomes(ir.Always, ir.Low, 0, 0),
			becomes(ir.Always, ir.High, 0, 0)}))
	r.identity = b.pair("identity", 32, (b.levels+1)*slots, ir.Ingress,
		does("read_identity", nil, nil, sayHalf(ir.Low, false), sayHalf(ir.High, false)),
		does("write_identity", nil, then{becomes(ir.Always, ir.Low, 1, 0),
			becomes(ir.Always, ir.High, 2, 0)}))
	for level := 1; level <= b.levels; level++ {
		name := fmt.Sprint("roots", level)
		roots := plain(name, 16, max(b.paths.Numbers(level), 1))
		roots.Actions = append(roots.Actions, does("find_"+name, nil, nil, sayMemory, sayMemory))
		r.roots = append(r.roots, roots)
	}
	r.slotTop, r.slotID = stack("slot_top", b.levels+1), plain("slot_id", 16, (b.levels+1)*slots)
	for level := 1; level <= b.levels; level++ {
		r.iq = append(r.iq, b.iqRegister(fmt.Sprint("iq", level), level, ports*slots))
	}
	r.iqs = b.register("iqs", 8, (b.levels+1)*slots, ir.Ingress,
		does("add_iqs", nil, then{adds(ir.Low, 1, false)}, sayAfter))
	b.declareDepth(ports)
	r.own = b.register("own", 8, ports<<b.portBits, ir.Ingress,
		does("pause_own", tests{isValue(toldPause), isValue(toldNothing)},
			then{becomes(not(ir.First), ir.Low, 0, toldPause)}, sayIf(not(ir.First)), sayIf(ir.Second)),
		does("turn_own", tests{halfAgainst(ir.Low, 1, ir.Equal)},
			then{becomes(ir.First, ir.Low, 2, 0)}, sayIf(ir.First)),
		does("move_own", tests{isValue(toldNothing), isValue(toldPause)}, then{setInput},
			sayIf(not(ir.First)), sayIf(ir.Second)))
	for level := 1; level <= b.levels; level++ {
		r.up = append(r.up, b.upRegister(fmt.Sprint("up", level), level, ports*slots))
	}
	r.setPackets = b.register("set_packets", 16, 1<<setBits, ir.Ingress,
		does("enter_set", tests{isValue(0)}, then{oneMore}, sayIf(ir.First)),
		does("leave_set", tests{isValue(1)}, then{oneLess}, sayIf(ir.First)))
	r.setKey = b.pair("set_key", 32, 1<<setBits, ir.Ingress,
		does("claim_set", nil, then{becomes(ir.Always, ir.Low, 1, 0),
			becomes(ir.Always, ir.High, 2, 0)}),
		does("compare_set", tests{halfAgainst(ir.Low, 1, ir.Equal), halfAgainst(ir.High, 2, ir.Equal)},
			nil, sayIf(not(ir.First&ir.Second))))
	r.freeTop = stack("free_top", ports)
	r.freeTop.Initial[0] = uint32(b.full.IQs - 1)
	r.slotTop.Initial[0] = uint32(b.full.Roots)
	r.freeID, r.setQueue = plain("free_id", 16, ports<<b.queueBits), plain("set_queue", 16, 1<<setBits)
	r.queueSet = plain("queue_set", 32, ports<<b.queueBits)
	r.shared = b.register("shared", 32, ports, ir.Ingress, does("count_shared", nil, then{oneMore}))
	r.sequence = b.numbers(ports)
}

// iqRegister declares the states of the roots of a level, the low half, and the packets that wait.
func (b *pyrrhaBuilder) iqRegister(name string, level, size int) *ir.Register {
	free := ir.First & not(ir.Second) & ir.Third
	return b.pair(name, 16, size, ir.Ingress,
		does("enter_"+name, tests{halfIs(ir.Low, iqNone)}, then{counts(not(ir.First), ir.High, 1)},
			sayHalf(ir.Low, false), ir.Output{When: not(ir.First), Sum: ir.Sum{Input: 1}}),
		does("leave_"+name, tests{halfIs(ir.High, 1)}, then{counts(ir.Always, ir.High, -1)},
			sayHalf(ir.Low, false), sayLevel(ir.First, level)),
		does("turn_"+name, tests{halfAgainst(ir.Low, 2, ir.MoreOrEqual), halfIs(ir.High, 0)},
			then{becomes(ir.First, ir.Low, 1, 0)}, sayHalf(ir.Low, false),
			sayLevel(not(ir.Second), level)),
		does("free_"+name, tests{halfIs(ir.High, 0), halfIs(ir.Low, iqNone),
			halfAgainst(ir.Low, 1, ir.LessOrEqual)}, then{becomes(free, ir.Low, 0, iqNone)},
			ir.Output{When: free, Sum: memory}))
}

// upRegister declares the cells from each ingress that wait for the roots of a level, the low half,
// and what the upstream was told.
func (b *pyrrhaBuilder) upRegister(name string, level, size int) *ir.Register {
	over, ends := ir.First&not(ir.Second), ir.First&ir.Second
	return b.pair(name, 32, size, ir.Ingress,
		does("enter_"+name, tests{halfAgainst(ir.Low, 2, ir.MoreOrEqual), halfIs(ir.High, toldPause),
			halfIs(ir.High, toldNothing)},
			then{adds(ir.Low, 1, false), becomes(over, ir.High, 0, toldPause)},
			sayLevel(over, level), sayLevel(ir.First&ir.Third, level)),
		does("leave_"+name, tests{halfAgainst(ir.Low, 2, ir.Less), halfIs(ir.High, toldPause)},
			then{adds(ir.Low, 1, true), becomes(ends, ir.High, 0, toldResume)}, sayLevel(ends, level)),
		does("turn_"+name, tests{halfAgainst(ir.High, 1, ir.Equal)},
			then{becomes(ir.First, ir.High, 2, 0)}, sayLevel(ir.First, level)),
		does("move_"+name, tests{halfIs(ir.High, toldNothing), halfIs(ir.High, toldPause)},
			then{becomes(ir.Always, ir.High, 1, 0)}, sayLevel(not(ir.First), level),
			sayLevel(ir.Second, level)))
}

// sayLevel is the result 2^level where a guard holds: sets of levels are or-ed together of them. An
// ALU shifts all such results of a register alike, so that those of a level have the same number.
func sayLevel(g ir.Guard, level int) ir.Output {
	return ir.Output{When: g, Sum: ir.Sum{Constant: 1 << level}}
}

// Bits of what a MERGE's upstream was: in the tree of a root, and paused there.
const (
	wasListed = 0
	wasPaused = 1
)

// declareDepth declares the register of the lengths of OQs, which ghost writes or packets and
// notices.
func (b *pyrrhaBuilder) declareDepth(ports int) {
	if b.Depth == Ghost {
		b.registers.oq = b.told("oq", ports)
		return
	}
	b.registers.oq = b.register("oq", 32, ports, ir.Ingress,
		does("enter_oq", nil, then{adds(ir.Low, 1, false)}, sayAfter),
		does("leave_oq", nil, then{adds(ir.Low, 1, true)}, sayAfter))
}
