package tofino

import "github.com/sluicefc/sluice/tofino/ir"

// framesOut is how egress makes the frames of a protocol out of the orders that come to it.
type framesOut struct {
	to                          string // whom they are for
	ports                       int    // how many have entries
	index                       *ir.Param
	sequence                    *ir.Register // by index; its first action counts
	number                      *ir.Field    // of the frame
	ethernet, etherType, signal *ir.Header
	protocol                    uint64
	says                        []ir.Statement
	zero                        []*ir.Header // whose fields are all 0
	more                        []*ir.Header // of the frame, behind signal
	spent                       []*ir.Header // of the order
}

// frames declares the action that makes a frame, with the port's index and address as its data, and
// the table that runs it by port. An order at any other port is dropped.
func (w *writer) frames(f framesOut) (send *ir.Action, signals *ir.Table) {
	lost := w.action("lose_signal", nil, set(ir.EgressDrop, 1))
	source := &ir.Param{Name: "source", Bits: 48}
	body := append([]ir.Statement{
		ir.Execute{Action: f.sequence.Actions[0], Index: f.index, To: []*ir.Field{f.number}},
		assign(of(f.ethernet, "dst"), ir.Number(48, nearestBridge)),
		assign(of(f.ethernet, "src"), source),
		set(of(f.etherType, "value"), frameType), set(of(f.signal, "protocol"), f.protocol),
		set(of(f.signal, "version"), 1),
	}, f.says...)
	for _, header := range f.zero {
		for _, field := range header.Fields {
			body = append(body, set(field, 0))
		}
	}
	for _, header := range append([]*ir.Header{f.ethernet, f.etherType, f.signal}, f.more...) {
		body = append(body, ir.SetValid{Header: header, Valid: true})
	}
	for _, header := range f.spent {
		body = append(body, ir.SetValid{Header: header})
	}
	send = w.action("send_signal", []*ir.Param{f.index, source}, body...)
	signals = w.table(ir.Table{Name: "signals", Source: "frames to " + f.to, Size: f.ports,
		Keys: []ir.Key{{Name: "port", X: ir.EgressPort}}, Actions: []*ir.Action{send, lost},
		Default: ir.Call{Action: lost}})
	return send, signals
}
