package tofino

import (
	"strings"

	"github.com/sluicefc/sluice/tofino/ir"
)

// EtherTypes, and the address for which frames of ours are: they end at the next device.
const (
	shimType      = 0x88B6
	frameType     = 0x88B5
	internetType  = 0x0800
	nearestBridge = 0x0180C200000E

	// recirculationChannel is the local number of the ports by which packets go round.
	recirculationChannel = 6
)

// parse makes the parsers: what goes round begins with a state, what is from a front port with
// another, and what the chip puts in front of packets tells them apart in egress.
func (b *builder) parse(round, ethernet *ir.State, inside ...ir.Case) {
	b.p.Parse[ir.Ingress] = &ir.State{Name: "begin", Select: ir.Slice{X: ir.IngressPort, High: 6},
		Cases: []ir.Case{sameAs(recirculationChannel, 7, round)}, Default: ethernet}
	b.p.Parse[ir.Egress] = &ir.State{Name: "begin", Select: ir.Peek(8), Refuse: true, Cases: inside}
}

// state is a state that takes headers and no more.
func (b *builder) state(name string, headers ...string) *ir.State {
	s := &ir.State{Name: name}
	for _, header := range headers {
		s.Extract = append(s.Extract, b.src.Header(header))
	}
	return s
}

// selects has a state go on by a field.
func (b *builder) selects(s *ir.State, field string, cases ...ir.Case) *ir.State {
	s.Select, s.Cases = b.src.Field(field), cases
	return s
}

// ofKind is the case of a packet inside the chip.
func (b *builder) ofKind(kind string, next *ir.State) ir.Case {
	return sameAs(uint64(b.number("KIND_"+kind)), 8, next)
}

// ipState takes the header of IPv4, and without options the ports of TCP and UDP.
func (b *builder) ipState() *ir.State {
	ports := b.state("ports", "l4")
	protocol := b.selects(b.state("protocol"), "ipv4.protocol", sameAs(protocolTCP, 8, ports),
		sameAs(protocolUDP, 8, ports))
	return b.selects(b.state("ip", "ipv4"), "ipv4.version_ihl", sameAs(plainIPv4, 8, protocol))
}

// packets is the state of what is from a front port: a frame, or a packet of IPv4.
func (b *builder) packets(frame, ip *ir.State) *ir.State {
	return b.forNearestBridge(frame, b.selects(b.state("packet", "ether_type"), "ether_type.value",
		sameAs(internetType, 16, ip)))
}

// forNearestBridge returns the state that takes the Ethernet header: frames of ours for the nearest
// bridge go on to one state, behind their EtherType, all else to another. The parser compares the
// address, for a gateway compares no 48 bits: that the frame's header is valid says the rest.
func (b *builder) forNearestBridge(frame, other *ir.State) *ir.State {
	dst, taken := b.src.Field("ethernet.dst"), b.state("frame_type", "ether_type")
	taken.Default = frame
	typed := &ir.State{Name: "nearest_bridge", Select: ir.Peek(16),
		Cases: []ir.Case{sameAs(frameType, 16, taken)}, Default: other}
	low := &ir.State{Name: "reserved_address", Select: ir.Slice{X: dst, High: 15},
		Cases: []ir.Case{sameAs(nearestBridge&0xFFFF, 16, typed)}, Default: other}
	return &ir.State{Name: "ethernet", Extract: []*ir.Header{b.src.Header("ethernet")},
		Select: ir.Slice{X: dst, High: 47, Low: 16},
		Cases:  []ir.Case{sameAs(nearestBridge>>16, 32, low)}, Default: other}
}

// frames is the state of frames.
func frames(cases ...ir.Case) *ir.State {
	return &ir.State{Name: "frame", Select: ir.Peek(32), Refuse: true, Cases: cases}
}

// frameOf is the case of a frame of a type: it begins with a protocol, version 1, the type, and no
// flags.
func (b *builder) frameOf(kind string, next *ir.State) ir.Case {
	return sameAs(uint64(b.number("protocol")<<24|1<<16|b.number(kind)<<8), 32, next)
}

// want is a value that a field of a frame is to have.
type want struct {
	field string
	value int
}

// wanted returns states that take the header of signals and refuse what has other values than
// these, in their order, and what follows them.
func (b *builder) wanted(name string, next *ir.State, wants ...want) *ir.State {
	for at := len(wants) - 1; at >= 0; at-- {
		_, field, _ := strings.Cut(wants[at].field, ".")
		next = only(name+"_"+field, b.src.Field(wants[at].field), uint64(wants[at].value),
			next)
	}
	next.Extract = b.state("", "signal").Extract
	return next
}

// only returns a state that refuses what has another value than this.
func only(name string, x ir.Expr, value uint64, next *ir.State) *ir.State {
	return &ir.State{Name: name, Select: x, Refuse: true,
		Cases: []ir.Case{sameAs(value, x.Width(), next)}}
}

// zeros returns states that pass over the fields of headers, four octets at most at a time, and
// refuse what is not zeros.
func (b *builder) zeros(next *ir.State, headers ...string) *ir.State {
	if next == nil {
		next = &ir.State{Name: "padded"}
	}
	octets := 0
	for _, header := range headers {
		octets += b.src.Header(header).Octets()
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
