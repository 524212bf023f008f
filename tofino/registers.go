package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// What actions of registers are made of.
var (
	memory    = ir.Sum{Memory: ir.Low}
	oneMore   = ir.Update{When: ir.Always, To: ir.Low, Sum: ir.Sum{Memory: ir.Low, Constant: 1}}
	oneLess   = ir.Update{When: ir.Always, To: ir.Low, Sum: ir.Sum{Memory: ir.Low, Constant: -1}}
	set1      = ir.Update{When: ir.Always, To: ir.Low, Sum: ir.Sum{Constant: 1}}
	set0      = ir.Update{When: ir.Always, To: ir.Low}
	setInput  = ir.Update{When: ir.Always, To: ir.Low, Sum: ir.Sum{Input: 1}}
	sayMemory = ir.Output{When: ir.Always, Sum: memory}
	sayAfter  = ir.Output{When: ir.Always, Sum: memory, After: true}
)

// sayIf is the result 1 where a guard holds, else 0.
func sayIf(g ir.Guard) ir.Output { return ir.Output{When: g, Sum: ir.Sum{Constant: 1}} }

// isValue is the predicate that an element, or its lower half, is a number, isHigh that its upper
// half is.
func isValue(number int32) ir.Predicate { return halfIs(ir.Low, number) }
func isHigh(number int32) ir.Predicate  { return halfIs(ir.High, number) }

// does is an action of a register.
func does(
	name string, predicates []ir.Predicate, updates []ir.Update, outputs ...ir.Output,
) *ir.RegisterAction {
	return &ir.RegisterAction{Name: name, Predicates: predicates, Updates: updates, Outputs: outputs}
}

// not is the guard that another does not hold.
func not(g ir.Guard) ir.Guard { return ir.Always ^ g }

// halfIs is the predicate that a half of an element is a number.
func halfIs(half ir.Half, number int32) ir.Predicate {
	return ir.Predicate{Sum: ir.Sum{Memory: half, Constant: -number}, Op: ir.Equal}
}

// halfAgainst compares a half of an element with an input.
func halfAgainst(half ir.Half, input int, op ir.Relation) ir.Predicate {
	return ir.Predicate{Sum: ir.Sum{Memory: half, Input: input, Minus: true}, Op: op}
}

// becomes gives a half the value of an input, or of a constant.
func becomes(when ir.Guard, half ir.Half, input int, constant int32) ir.Update {
	return ir.Update{When: when, To: half, Sum: ir.Sum{Input: input, Constant: constant}}
}

// adds adds an input to a half, or takes it away.
func adds(half ir.Half, input int, minus bool) ir.Update {
	return ir.Update{When: ir.Always, To: half, Sum: ir.Sum{Memory: half, Input: input, Minus: minus}}
}

// counts adds a constant to a half where a guard holds.
func counts(when ir.Guard, half ir.Half, by int32) ir.Update {
	return ir.Update{When: when, To: half, Sum: ir.Sum{Memory: half, Constant: by}}
}

// sayHalf is the value of a half before.
func sayHalf(half ir.Half, after bool) ir.Output {
	return ir.Output{When: ir.Always, Sum: ir.Sum{Memory: half}, After: after}
}

// moreBy adds the first input to a half, lessBy takes it away.
func moreBy(half ir.Half) ir.Update { return adds(half, 1, false) }
func lessBy(half ir.Half) ir.Update { return adds(half, 1, true) }

// heard declares the register of the newest sequence number that each port has heard, numbers that
// of the frames that each port sends.
func (b *builder) heard(ports int) *ir.Register {
	return b.pair("heard", 32, ports, ir.Ingress, hears("hear", ir.First&ir.Second),
		hears("hear_wrapped", ir.First|ir.Second))
}

func (b *builder) numbers(ports int) *ir.Register {
	return b.register("sequence", 32, ports, ir.Egress,
		does("number", nil, []ir.Update{oneMore}, sayAfter))
}

// hears is an action of the register of sequence numbers: a frame is stale if one was heard and the
// newest, modulo 2^32, lies from its number, the first input, to the end of its window, the second.
// That is both tests, or where the window wraps one of them.
func hears(name string, within ir.Guard) *ir.RegisterAction {
	fresh := ir.Third | (ir.Always ^ within)
	return does(name, []ir.Predicate{
		halfAgainst(ir.Low, 1, ir.MoreOrEqual), halfAgainst(ir.Low, 2, ir.LessOrEqual), isHigh(0),
	}, []ir.Update{becomes(fresh, ir.Low, 1, 0), becomes(fresh, ir.High, 0, 1)}, sayIf(fresh))
}

// crc32 is the function whose low bits find a flow's entry: that of Ethernet.
func crc32() *ir.HashFunction {
	return &ir.HashFunction{Name: "flow_hash", Kind: ir.CRC, Bits: 32, Polynomial: 0x04C11DB7,
		Init: 1<<32 - 1, Reflected: true, XorOut: 1<<32 - 1}
}

// crc32c is the function of the upper half of a flow: that of iSCSI.
func crc32c() *ir.HashFunction {
	return &ir.HashFunction{Name: "flow_hash_high", Kind: ir.CRC, Bits: 32, Polynomial: 0x1EDC6F41,
		Init: 1<<32 - 1, Reflected: true, XorOut: 1<<32 - 1}
}
