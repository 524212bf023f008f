package ir

import "math/bits"

// HashKind is a family of hash functions that the chip computes.
type HashKind uint8

// Families.
const (
	CRC      HashKind = iota // any cyclic redundancy check of 8 to 32 bits
	Fold                     // exclusive-or of the octets' groups: XOR16, XOR32
	Identity                 // the concatenation itself
	hashKinds
)

// HashFunction is a hash function of the chip. It has no seed: another seed changes the results of
// functions of these families by a constant, which a table supplies.
type HashFunction struct {
	Name string // an identifier of P4
	Kind HashKind
	Bits int // width of the result: 8 to 32 for CRC, 16 or 32 for Fold

	// The parameters of a CRC in the notation of the catalogue of parametrised CRC algorithms.
	Polynomial uint32 // most significant bit first, without the leading one
	Init       uint32
	Reflected  bool // both input octets and result
	XorOut     uint32
}

// sum returns the hash of octets. It computes a CRC a bit at a time and shares no code with the
// generator of entries.
func (h *HashFunction) sum(octets []byte) Value {
	switch h.Kind {
	case CRC:
		return Uint(uint64(h.crc(octets)))
	case Fold:
		return Uint(uint64(h.fold(octets)))
	default:
		return BytesValue(octets).low(h.Bits)
	}
}

// crc divides by the polynomial.
func (h *HashFunction) crc(octets []byte) uint32 {
	top := uint32(1) << (h.Bits - 1)
	register := h.Init
	for _, octet := range octets {
		if h.Reflected {
			octet = bits.Reverse8(octet)
		}
		for at := 7; at >= 0; at-- {
			carry := register&top != 0 != (octet>>at&1 != 0)
			register <<= 1
			if carry {
				register ^= h.Polynomial
			}
		}
	}
	if h.Reflected {
		register = bits.Reverse32(register << (32 - h.Bits))
	}
	return (register ^ h.XorOut) & uint32(Mask(h.Bits).Lo)
}

// fold exclusive-ors groups of octets, zeros after the last.
func (h *HashFunction) fold(octets []byte) uint32 {
	var sum uint32
	group := h.Bits / 8
	for at, octet := range octets {
		sum ^= uint32(octet) << (8 * (group - 1 - at%group))
	}
	return sum
}
