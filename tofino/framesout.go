package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// framesOut is how egress makes the frames of a protocol out of the orders that come to it.
type framesOut struct {
	to       string       // whom they are for
	sequence *ir.Register // by port; its first action counts
	stack    *stack
	protocol uint64
	says     []ir.Statement
	zero     []*ir.Header // whose fields are all 0
	more     []*ir.Header // of the frame, behind signal
	spent    []*ir.Header // of the order
}

// frames declares the action that makes a frame, with the port's index and address as its data, and
// the table that runs it by port. An order at any other port is dropped.
func (b *builder) frames(f framesOut) (send *ir.Action, signals *ir.Table) {
	lost := b.action("lose_signal", nil, set(ir.EgressDrop, 1))
	index, source := &ir.Param{Name: "index", Bits: b.portBits}, &ir.Param{Name: "source", Bits: 48}
	s := f.stack
	body := append([]ir.Statement{
		ir.Execute{Action: f.sequence.Actions[0], Index: index, To: []*ir.Field{s.sequence}},
		assign(of(s.ethernet, "dst"), ir.Number(48, nearestBridge)),
		assign(of(s.ethernet, "src"), source),
		set(of(s.etherType, "value"), frameType), set(of(s.signal, "protocol"), f.protocol),
		set(of(s.signal, "version"), 1),
	}, f.says...)
	for _, header := range f.zero {
		for _, field := range header.Fields {
			body = append(body, set(field, 0))
		}
	}
	for _, header := range append([]*ir.Header{s.ethernet, s.etherType, s.signal}, f.more...) {
		body = append(body, ir.SetValid{Header: header, Valid: true})
	}
	for _, header := range f.spent {
		body = append(body, ir.SetValid{Header: header})
	}
	send = b.action("send_signal", []*ir.Param{index, source}, body...)
	return send, b.tableElse(ir.Table{Name: "signals", Source: "frames to " + f.to,
		Size: len(b.Ports), Keys: []ir.Key{{Name: "port", X: ir.EgressPort}}}, lost, send)
}
