package tofino

import (
	"fmt"

	"github.com/sluicefc/sluice/tofino/ir"
)

// stack is the headers of packets and of this module's frames, those that all programs read.
type stack struct {
	cut, ethernet, etherType, signal, padding, ip, l4 *ir.Header
	signalType, length, sequence                      *ir.Field // of signal
}

// clonedOctets is how much of a packet the copy has that becomes a signal: it is thrown away.
const clonedOctets = 14

// EtherTypes.
const (
	shimType     = 0x88B6
	frameType    = 0x88B5
	internetType = 0x0800
)

// newStack returns the headers. A frame has more fields behind its sequence number, and ends with
// padding: so many fields of four octets, before which stand those that are shorter.
func newStack(more []*ir.Field, pads int, short ...*ir.Field) stack {
	s := stack{
		cut:       header("cut", &ir.Field{Name: "octets", Bits: 8 * clonedOctets}),
		ethernet:  header("ethernet", address("dst"), address("src")),
		etherType: header("ether_type", twoOctets("value")),
		padding:   header("padding", short...),
		ip: header("ipv4", octet("version_ihl"), octet("dscp"), twoOctets("total_length"),
			twoOctets("id"), twoOctets("fragment"), octet("ttl"), octet("protocol"),
			twoOctets("checksum"), fourOctets("src"), fourOctets("dst")),
		l4:         header("l4", twoOctets("src"), twoOctets("dst")),
		signalType: octet("type"), length: twoOctets("length"), sequence: fourOctets("sequence"),
	}
	s.signal = header("signal", append([]*ir.Field{octet("protocol"), octet("version"), s.signalType,
		octet("flags"), s.length, s.sequence}, more...)...)
	for range pads {
		s.padding.Fields = append(s.padding.Fields, fourOctets(fmt.Sprint("p", len(s.padding.Fields))))
	}
	return s
}

// flow are the fields of a packet's flow.
func (s *stack) flow() FlowFields {
	return FlowFields{Src: of(s.ip, "src"), Dst: of(s.ip, "dst"), SrcPort: of(s.l4, "src"),
		DstPort: of(s.l4, "dst"), Protocol: of(s.ip, "protocol")}
}

// class is the bits of a packet's traffic class.
func (s *stack) class() ir.Expr { return ir.Slice{X: of(s.ip, "dscp"), High: 7, Low: 5} }

func octet(name string) *ir.Field   { return &ir.Field{Name: name, Bits: 8} }
func twoOctets(n string) *ir.Field  { return &ir.Field{Name: n, Bits: 16} }
func fourOctets(n string) *ir.Field { return &ir.Field{Name: n, Bits: 32} }
func address(name string) *ir.Field { return &ir.Field{Name: name, Bits: 48} }

// portNumber is a field as wide as the chip's ports are numbered, beside one that fills its octets.
// Fields are as wide in a header as in metadata: the compiler lays out both together.
func portNumber(name string) *ir.Field { return &ir.Field{Name: name, Bits: 9} }
func beside(f *ir.Field) *ir.Field {
	return &ir.Field{Name: f.Name + "_pad", Bits: (8 - f.Bits%8) % 8}
}

func header(name string, fields ...*ir.Field) *ir.Header {
	return &ir.Header{Name: name, Fields: fields}
}

// named gives values of fields their names.
func named(values map[uint64]string, fields ...*ir.Field) {
	for _, f := range fields {
		f.Values = values
	}
}

// of returns a field of a header by its name.
func of(h *ir.Header, name string) *ir.Field {
	for _, field := range h.Fields {
		if field.Name == name {
			return field
		}
	}
	panic("tofino: header " + h.Name + " has no field " + name)
}

// recirculationChannel is the local number of the ports by which packets go round.
const recirculationChannel = 6

// parse makes the parsers: what goes round begins with a state, what is from a front port with
// another, and what the chip puts in front of packets tells them apart in egress.
func (b *builder) parse(round, ethernet *ir.State, inside ...ir.Case) {
	b.p.Parse[ir.Ingress] = &ir.State{Name: "begin", Select: ir.Slice{X: ir.IngressPort, High: 6},
		Cases: []ir.Case{sameAs(recirculationChannel, 7, round)}, Default: ethernet}
	b.p.Parse[ir.Egress] = &ir.State{
		Name: "begin", Select: ir.Peek(8), Refuse: true, Cases: inside,
	}
}

// state is a state that takes headers and no more.
func state(name string, headers ...*ir.Header) *ir.State {
	return &ir.State{Name: name, Extract: headers}
}

// ipState takes the header of IPv4, and without options the ports of TCP and UDP.
func (s *stack) ipState() *ir.State {
	ports := state("ports", s.l4)
	protocol := &ir.State{Name: "protocol", Select: of(s.ip, "protocol"),
		Cases: []ir.Case{sameAs(protocolTCP, 8, ports), sameAs(protocolUDP, 8, ports)}}
	return &ir.State{Name: "ip", Extract: []*ir.Header{s.ip}, Select: of(s.ip, "version_ihl"),
		Cases: []ir.Case{sameAs(plainIPv4, 8, protocol)}}
}

// packets is the state of what is from a front port: a frame, or a packet of IPv4.
func (s *stack) packets(frame, ip *ir.State) *ir.State {
	return forNearestBridge(s.ethernet, s.etherType, frame, &ir.State{Name: "packet",
		Extract: []*ir.Header{s.etherType}, Select: of(s.etherType, "value"),
		Cases: []ir.Case{sameAs(internetType, 16, ip)}})
}
