package hashpath

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
)

// octets are all that a hash may read of a packet, in one order for each family: source and
// destination address, source and destination port, protocol, the flow label of IPv6, the ingress
// port, a zero.
type octets [43]byte

// Sizes of what a hash may read.
const (
	tuple4      = 13 // the five-tuple of IPv4
	tuple6      = 37
	labelOctets = 3
	maxInput    = 56
)

// spans says by family and field which octets it is.
var spans = [2][numFields]struct{ start, end uint8 }{
	{
		FieldSrcAddress: {0, 4}, FieldDstAddress: {4, 8}, FieldSrcPort: {8, 10},
		FieldDstPort: {10, 12}, FieldProtocol: {12, 13}, FieldIngressPort: {13, 15},
		FieldZero: {15, 16},
	},
	{
		FieldSrcAddress: {0, 16}, FieldDstAddress: {16, 32}, FieldSrcPort: {32, 34},
		FieldDstPort: {34, 36}, FieldProtocol: {36, 37}, FieldFlowLabel: {37, 40},
		FieldIngressPort: {40, 42}, FieldZero: {42, 43},
	},
}

// appendInput appends what a resolved hash reads of a packet.
func (h *Hash) appendInput(dst []byte, ingress sluice.PortID, f *Flow) []byte {
	var o octets
	n := f.putTuple(o[:])
	if f.Is6 {
		o[n], o[n+1], o[n+2] = byte(f.FlowLabel>>16)&0xf, byte(f.FlowLabel>>8), byte(f.FlowLabel)
		n += labelOctets
	}
	binary.BigEndian.PutUint16(o[n:], uint16(ingress))
	return o.appendFields(dst, f.family(), h.Fields)
}

func (o *octets) appendFields(dst []byte, family uint8, fields []Field) []byte {
	for _, field := range fields {
		s := spans[family][field]
		dst = append(dst, o[s.start:s.end]...)
	}
	return dst
}

// putTuple writes the five-tuple, and returns how many bytes it takes.
func (f *Flow) putTuple(b []byte) int {
	at := 2 * len(f.Src)
	if f.Is6 {
		*(*[16]byte)(b) = f.Src
		*(*[16]byte)(b[16:]) = f.Dst
	} else {
		*(*[4]byte)(b) = [4]byte(f.Src[:])
		*(*[4]byte)(b[4:]) = [4]byte(f.Dst[:])
		at = 8
	}
	binary.BigEndian.PutUint32(b[at:], uint32(f.SrcPort)<<16|uint32(f.DstPort))
	b[at+4] = f.Protocol
	return at + 5
}

// family returns 1 for IPv6, 0 for IPv4.
func (f *Flow) family() uint8 {
	if f.Is6 {
		return 1
	}
	return 0
}
