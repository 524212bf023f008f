package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// nearestBridge is where frames of ours are for: they end at the next device.
const nearestBridge = 0x0180C200000E

// forNearestBridge returns the state that takes the Ethernet header: frames of ours for the nearest
// bridge go on to one state, behind their EtherType, all else to another. The parser compares the
// address, for a gateway compares no 48 bits: that the frame's header is valid says the rest.
func forNearestBridge(ethernet, etherType *ir.Header, frame, other *ir.State) *ir.State {
	dst := of(ethernet, "dst")
	taken := &ir.State{Name: "frame_type", Extract: []*ir.Header{etherType}, Default: frame}
	typed := &ir.State{Name: "nearest_bridge", Select: ir.Peek(16),
		Cases: []ir.Case{sameAs(frameType, 16, taken)}, Default: other}
	low := &ir.State{Name: "reserved_address", Select: ir.Slice{X: dst, High: 15},
		Cases: []ir.Case{sameAs(nearestBridge&0xFFFF, 16, typed)}, Default: other}
	return &ir.State{Name: "ethernet", Extract: []*ir.Header{ethernet},
		Select: ir.Slice{X: dst, High: 47, Low: 16},
		Cases:  []ir.Case{sameAs(nearestBridge>>16, 32, low)}, Default: other}
}

// frameOf returns the case of a frame that begins with a protocol, version 1, a type, and no flags.
func frameOf(protocol, kind uint64, next *ir.State) ir.Case {
	return sameAs(protocol<<24|1<<16|kind<<8, 32, next)
}

// want is a value that a field of a frame is to have.
type want struct {
	field *ir.Field
	value uint64
}

// wanted returns states that refuse what has other values than these, in their order, and what
// follows them.
func wanted(name string, next *ir.State, wants ...want) *ir.State {
	for at := len(wants) - 1; at >= 0; at-- {
		next = only(name+"_"+wants[at].field.Name, wants[at].field, wants[at].value, next)
	}
	return next
}

// only returns a state that refuses what has another value than this.
func only(name string, x ir.Expr, value uint64, next *ir.State) *ir.State {
	return &ir.State{Name: name, Select: x, Refuse: true,
		Cases: []ir.Case{sameAs(value, x.Width(), next)}}
}

// zeros returns states that pass over so many octets, four at most at a time, and refuse what is
// not zeros.
func zeros(octets int, next *ir.State) *ir.State {
	if next == nil {
		next = &ir.State{Name: "padded"}
	}
	for octets > 0 {
		chunk := min(octets, 4)
		octets -= chunk
		after := &ir.State{Name: "behind_zeros", Default: next}
		if len(next.Extract) == 0 {
			twin := *next
			after = &twin
		}
		after.Skip += chunk
		next = only("zeros", ir.Peek(8*chunk), 0, after)
	}
	return next
}

// newer is the step that finds out whether a frame is newer than those that a port has heard: the
// newest number lies from the frame's to the end of its window, which may wrap.
func (b *builder) newer(
	heard *ir.Register, port ir.Expr, sequence, windowEnd, fresh *ir.Field,
) ir.Step {
	hear := func(action int) ir.Step {
		return b.do(heard.Actions[action].Name+"_frame", ir.Execute{Action: heard.Actions[action],
			Index: port, Phv: [2]ir.Expr{sequence, windowEnd}, To: []*ir.Field{fresh}})
	}
	wraps := ir.All{ir.Compare{X: ir.Slice{X: windowEnd, High: 31, Low: 16}, Y: ir.Number(16, 0)},
		ir.Compare{Op: ir.NotEqual, X: ir.Slice{X: windowEnd, High: 15}, Y: ir.Number(16, 1<<16-1)}}
	return either(wraps, hear(1), hear(0))
}

// window is the statement that computes the end of the window that begins at a sequence number.
func window(end, sequence *ir.Field) ir.Statement {
	return assign(end, ir.Binary{X: sequence, Y: ir.Number(32, 1<<16-1)})
}
