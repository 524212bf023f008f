package hashpath

import (
	"slices"

	"github.com/sluicefc/sluice/internal/check"
	"github.com/sluicefc/sluice/internal/enum"
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
func (k Kind) String() string { return enum.Name(k, "Kind", kindNames[:]...) }

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
func (f Field) String() string { return enum.Name(f, "Field", fieldNames[:]...) }

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

var selectionNames = [numSelections]string{"modulo", "resilient"}

// String names the selection.
func (s Selection) String() string { return enum.Name(s, "Selection", selectionNames[:]...) }

// Hash configures how a switch chooses a member of an ECMP group. The zero value is XXH64 of the
// five-tuple with seed 0, modulo the number of members.
type Hash struct {
	Kind Kind
	// CRC is the function of KindCRC; other kinds do not read it.
	CRC CRCParameters
	// Key is the key of KindToeplitz, at least 4 bytes longer than the input of an IPv6 flow. Nil
	// is the 40-byte key of Microsoft's verification suite for receive-side scaling, which many
	// NICs and switches use unchanged.
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
	// Buckets is the number of buckets of a group with Resilient, 1 to 65,536, not below the number
	// of links of the switch to other switches; 0 is 512. Of b buckets and n members of the same
	// weight, some have b/n rounded up and some rounded down.
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

// resolve returns a copy with defaults and without what the kind does not read, and notes faults.
func (h Hash) resolve(c *check.Config) Hash {
	c.That(h.Kind < numKinds, h.Kind, "must be one of the kinds", "Kind")
	if h.Kind == KindCRC {
		h.CRC.validate(c)
	} else {
		h.CRC = CRCParameters{}
	}
	c.That(h.Select < numSelections, h.Select, "must be Modulo or Resilient", "Select")
	c.That(h.Buckets >= 0 && h.Buckets <= maxBuckets, h.Buckets, "must be 0 to 65,536", "Buckets")
	check.Default(&h.Buckets, defaultBuckets)
	h.resolveInput(c)
	width := h.bits()
	c.That(int(h.Offset) < width, h.Offset, "must be below the bits of the function", "Offset")
	c.That(h.Width <= maxSelected && int(h.Offset)+int(h.Width) <= width, h.Width,
		"must be 0 to 32 and end within the bits of the function", "Width")
	check.Default(&h.Width, uint8(min(width-int(h.Offset), maxSelected)))
	return h
}

func (h *Hash) resolveInput(c *check.Config) {
	fields := fiveTuple
	if h.Kind != KindToeplitz {
		h.Key = nil
	} else if fields = fourTuple; h.Key == nil {
		h.Key = microsoftKey
	}
	if h.Fields == nil {
		h.Fields = fields
	}
	*h = h.clone()
	length := 0
	for i, f := range h.Fields {
		c.That(f < numFields, f, "must be one of the fields", "Fields[%d]", i)
		if f < numFields {
			length += int(spans[1][f].end - spans[1][f].start)
		}
	}
	c.That(length > 0 && length <= maxInput, length, "must make 1 to 56 bytes of input", "Fields")
	c.That(h.Kind != KindToeplitz || len(h.Key) >= length+toeplitzWindow, len(h.Key),
		"must be 4 bytes longer at least than the input of an IPv6 flow", "Key")
}

func (h Hash) clone() Hash {
	h.Fields, h.Key = slices.Clone(h.Fields), slices.Clone(h.Key)
	return h
}

// isFunctionOf reports whether two resolved hashes apply the same function to the same fields.
func (h *Hash) isFunctionOf(other *Hash) bool {
	return h.Kind == other.Kind && h.CRC == other.CRC &&
		slices.Equal(h.Fields, other.Fields) && slices.Equal(h.Key, other.Key)
}

func refuse(field string, value any, rule string) error {
	c := check.Of("hashpath", "")
	c.That(false, value, rule, field)
	return c.Err()
}
