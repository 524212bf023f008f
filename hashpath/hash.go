package hashpath

import (
	"strconv"

	"github.com/sluicefc/sluice"
)

// Kind is a hash function.
type Kind uint8

// Hash functions. All but KindXXHash are affine over GF(2): another seed exclusive-ors the result
// with a constant, and no more. See the package comment on polarisation.
const (
	KindXXHash     Kind = iota // XXH64 of the seed, eight bytes little-endian, and the input: 64 bits
	KindCRC32C                 // CRC-32/ISCSI (Castagnoli)
	KindCRC32                  // CRC-32/ISO-HDLC (IEEE 802.3)
	KindCRC16CCITT             // CRC-16/IBM-3740, known as CCITT-FALSE
	KindCRC16ARC               // CRC-16/ARC, known as CRC-16 or IBM
	KindCRC                    // any CRC: Hash.CRC says which
	KindXOR16                  // XOR16
	KindXOR32                  // XOR32
	KindToeplitz               // Toeplitz with Hash.Key
	numKinds
)

var kindNames = [numKinds]string{
	"xxhash", "crc32c", "crc32", "crc16-ccitt", "crc16-arc", "crc", "xor16", "xor32", "toeplitz",
}

// String names the function.
func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// crcOfKind holds the parameters of the kinds that are named CRCs (catalogue of parametrised CRC
// algorithms).
var crcOfKind = [numKinds]CRCParameters{
	KindCRC32C:     {32, 0x1EDC6F41, 0xFFFFFFFF, true, true, 0xFFFFFFFF},
	KindCRC32:      {32, 0x04C11DB7, 0xFFFFFFFF, true, true, 0xFFFFFFFF},
	KindCRC16CCITT: {16, 0x1021, 0xFFFF, false, false, 0},
	KindCRC16ARC:   {16, 0x8005, 0, true, true, 0},
}

// Function returns the parameters of the hash's function if it is a CRC.
func (h *Hash) Function() (CRCParameters, bool) {
	if h.Kind == KindCRC {
		return h.CRC, true
	}
	if h.Kind >= numKinds {
		return CRCParameters{}, false
	}
	p := crcOfKind[h.Kind]
	return p, p.Width != 0
}

// Field is a part of a flow that a hash reads.
type Field uint8

// Fields, with the bytes each contributes to the input, in network byte order.
const (
	FieldSrcAddress  Field = iota // 4 or 16
	FieldDstAddress               // 4 or 16
	FieldSrcPort                  // 2
	FieldDstPort                  // 2
	FieldProtocol                 // 1
	FieldFlowLabel                // 3 for IPv6, the upper 4 bits zero; none for IPv4
	FieldIngressPort              // 2: the port the packet came in by, sluice.Local at a host
	FieldZero                     // 1: a zero byte, padding
	numFields
)

var fieldNames = [numFields]string{
	"src-address", "dst-address", "src-port", "dst-port", "protocol", "flow-label", "ingress-port",
	"zero",
}

// String names the field.
func (f Field) String() string {
	if f < numFields {
		return fieldNames[f]
	}
	return "Field(" + strconv.Itoa(int(f)) + ")"
}

// Selection is how a switch takes a member of an ECMP group from a hash value.
type Selection uint8

// Selections.
const (
	// Modulo takes the member whose number is the value modulo the number of members, a
	// member of weight w counting w times. When the members change, most flows move.
	Modulo Selection = iota
	// Resilient takes the member in the bucket whose number is the value modulo the number of
	// buckets. When a member is lost only its own buckets are refilled, so that the
	// flows of the others stay.
	Resilient
	numSelections
)

// String names the selection.
func (s Selection) String() string {
	switch s {
	case Modulo:
		return "modulo"
	case Resilient:
		return "resilient"
	}
	return "Selection(" + strconv.Itoa(int(s)) + ")"
}

// Hash configures how a switch chooses a member of an ECMP group. The zero value is XXH64 of the
// five-tuple with seed 0, modulo the number of members.
type Hash struct {
	Kind Kind
	// CRC is the function of KindCRC; other kinds do not read it.
	CRC CRCParameters
	// Key is that of KindToeplitz, 4 bytes longer at least than the input; nil is MicrosoftKey.
	Key []byte
	// Fields are the parts of the flow that are hashed, in order, at most 56 bytes of IPv6. Nil is
	// source address, destination address, source port, destination port, protocol; for
	// KindToeplitz the same without protocol, as in receive-side scaling.
	Fields []Field
	// Seed is exclusive-ored into the initial register of a CRC, into the result of an XOR fold or
	// Toeplitz, and precedes the input of XXH64. Functions of fewer bits use its low bits. See also
	// Config.Seed.
	Seed uint64
	// Offset and Width select bits of the result: Width bits from bit Offset up, bit 0 the least
	// significant. Width 0 takes as many as there are, at most 32. Width may not exceed 32.
	Offset, Width uint8
	Select        Selection
	// Buckets is the number of buckets of a group with Resilient, 1 to 65,536; 0 is 512. It may not
	// be below the number of links of the switch to other switches. Shares are as fair as it is
	// large: of b buckets and n members of the same weight, some have b/n rounded up and some
	// rounded down.
	Buckets int
}

const (
	defaultBuckets = 512
	maxBuckets     = 1 << 16
	maxSelected    = 32 // bits of a hash value that choose a member
)

var (
	fiveTuple = []Field{FieldSrcAddress, FieldDstAddress, FieldSrcPort, FieldDstPort, FieldProtocol}
	fourTuple = fiveTuple[:4]
)

// fields returns the fields in effect.
func (h *Hash) fields() []Field {
	switch {
	case h.Fields != nil:
		return h.Fields
	case h.Kind == KindToeplitz:
		return fourTuple
	}
	return fiveTuple
}

// bits returns the width of the function's result.
func (h *Hash) bits() int {
	switch h.Kind {
	case KindXXHash:
		return 64
	case KindCRC:
		return int(h.CRC.Width)
	case KindCRC16CCITT, KindCRC16ARC, KindXOR16:
		return 16
	}
	return 32
}

// width returns how many bits of the result are used.
func (h *Hash) width() int {
	if h.Width != 0 {
		return int(h.Width)
	}
	return min(h.bits()-int(h.Offset), maxSelected)
}

// buckets returns the number of buckets in effect.
func (h *Hash) buckets() int {
	if h.Buckets == 0 {
		return defaultBuckets
	}
	return h.Buckets
}

// validate checks everything but the length of Key, which NewToeplitz knows.
func (h *Hash) validate() error {
	if h.Kind >= numKinds {
		return configError("Kind", h.Kind, "must be one of the kinds")
	}
	if h.Kind == KindCRC {
		if err := h.CRC.validate(); err != nil {
			return err
		}
	}
	if h.Select >= numSelections {
		return configError("Select", h.Select, "must be Modulo or Resilient")
	}
	if h.Buckets < 0 || h.Buckets > maxBuckets {
		return configError("Buckets", h.Buckets, "must be 0 to 65,536")
	}
	for i, f := range h.fields() {
		if f >= numFields {
			return configError("Fields["+strconv.Itoa(i)+"]", f, "must be one of the fields")
		}
	}
	if n := h.inputLength(true); n == 0 || n > maxInput {
		return configError("Fields", n, "must make 1 to 56 bytes of input")
	}
	if int(h.Offset) >= h.bits() {
		return configError("Offset", h.Offset, "must be below the bits of the function")
	}
	if h.Width > maxSelected || int(h.Offset)+int(h.Width) > h.bits() {
		return configError("Width", h.Width, "must be 0 to 32 and end within the bits of the function")
	}
	return nil
}

// inputLength returns the bytes of input that the fields make.
func (h *Hash) inputLength(is6 bool) int {
	f := Flow{Is6: is6}
	return len(appendInput(nil, h.fields(), sluice.Local, &f))
}

// appendInput appends what the hash reads of a packet.
func appendInput(dst []byte, fields []Field, ingress sluice.PortID, f *Flow) []byte {
	address := 4
	if f.Is6 {
		address = 16
	}
	for _, field := range fields {
		switch field {
		case FieldSrcAddress:
			dst = append(dst, f.Src[:address]...)
		case FieldDstAddress:
			dst = append(dst, f.Dst[:address]...)
		case FieldSrcPort:
			dst = append(dst, byte(f.SrcPort>>8), byte(f.SrcPort))
		case FieldDstPort:
			dst = append(dst, byte(f.DstPort>>8), byte(f.DstPort))
		case FieldProtocol:
			dst = append(dst, f.Protocol)
		case FieldFlowLabel:
			if f.Is6 {
				dst = append(dst, byte(f.FlowLabel>>16)&0xf, byte(f.FlowLabel>>8), byte(f.FlowLabel))
			}
		case FieldIngressPort:
			dst = append(dst, byte(ingress>>8), byte(ingress))
		case FieldZero:
			dst = append(dst, 0)
		}
	}
	return dst
}
