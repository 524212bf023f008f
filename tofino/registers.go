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

// isValue is the predicate that an element is a number.
func isValue(number int32) ir.Predicate {
	return ir.Predicate{Sum: ir.Sum{Memory: ir.Low, Constant: -number}, Op: ir.Equal}
}

// does is an action of a register.
func does(
	name string, predicates []ir.Predicate, updates []ir.Update, outputs ...ir.Output,
) *ir.RegisterAction {
	return &ir.RegisterAction{Name: name, Predicates: predicates, Updates: updates, Outputs: outputs}
}

// moreBy adds the first input to a half, lessBy takes it away.
func moreBy(half ir.Half) ir.Update {
	return ir.Update{When: ir.Always, To: half, Sum: ir.Sum{Memory: half, Input: 1}}
}

func lessBy(half ir.Half) ir.Update {
	return ir.Update{When: ir.Always, To: half, Sum: ir.Sum{Memory: half, Input: 1, Minus: true}}
}

// isHigh is the predicate that the upper half is a number.
func isHigh(number int32) ir.Predicate {
	return ir.Predicate{Sum: ir.Sum{Memory: ir.High, Constant: -number}, Op: ir.Equal}
}

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
		{Sum: ir.Sum{Memory: ir.Low, Input: 1, Minus: true}, Op: ir.MoreOrEqual},
		{Sum: ir.Sum{Memory: ir.Low, Input: 2, Minus: true}, Op: ir.LessOrEqual},
		{Sum: ir.Sum{Memory: ir.High}, Op: ir.Equal},
	}, []ir.Update{
		{When: fresh, To: ir.Low, Sum: ir.Sum{Input: 1}},
		{When: fresh, To: ir.High, Sum: ir.Sum{Constant: 1}},
	}, sayIf(fresh))
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
