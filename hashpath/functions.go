package hashpath

import (
	"encoding/binary"
	"math/bits"

	"github.com/sluicefc/sluice/internal/check"
)

// CRCParameters describes a cyclic redundancy check in the notation of the catalogue of
// parametrised CRC algorithms (Williams, A painless guide to CRC error detection algorithms): the
// check value of CRC-16/ARC, {16, 0x8005, 0, true, true, 0}, is 0xBB3D.
type CRCParameters struct {
	Width      uint8  // bits of the register, 8 to 32
	Polynomial uint32 // most significant bit first, without the leading one
	Init       uint32 // register before the first bit, most significant bit first
	ReflectIn  bool   // bytes enter least significant bit first
	ReflectOut bool   // the register is reflected at the end
	XorOut     uint32 // exclusive-or of the result
}

func (p *CRCParameters) validate(c *check.Config) {
	c.That(p.Width >= 8 && p.Width <= 32, p.Width, "must be 8 to 32", "CRC.Width")
	for i, value := range []uint32{p.Polynomial, p.Init, p.XorOut} {
		field := [...]string{"Polynomial", "Init", "XorOut"}[i]
		c.That(uint64(value)>>p.Width == 0, value, "must fit the width", "CRC.%s", field)
	}
}

// crcOfKind holds the parameters of the kinds that are named CRCs.
var crcOfKind = map[Kind]CRCParameters{
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
	p, is := crcOfKind[h.Kind]
	return p, is
}

func (h *Hash) bits() int {
	if p, is := h.Function(); is {
		return int(p.Width)
	}
	switch h.Kind {
	case KindXXHash:
		return 64
	case KindXOR16:
		return 16
	}
	return 32
}

// affine returns the whole result of a resolved hash whose function is not XXH64. It follows the
// functions' definitions, bit by bit; it makes the tables that paths use.
func (h *Hash) affine(seed uint32, input []byte) uint32 {
	switch h.Kind {
	case KindXOR16:
		wide := xor32(input)
		return uint32(uint16(seed) ^ uint16(wide>>16) ^ uint16(wide))
	case KindXOR32:
		return seed ^ xor32(input)
	case KindToeplitz:
		return seed ^ toeplitz(h.Key, input)
	}
	p, _ := h.Function()
	return p.sum(seed, input)
}

// sum returns the CRC of the input from a register of Init exclusive-or seed.
func (p *CRCParameters) sum(seed uint32, input []byte) uint32 {
	align := 32 - p.Width
	register, polynomial := (p.Init^seed)<<align, p.Polynomial<<align
	for _, b := range input {
		if p.ReflectIn {
			b = bits.Reverse8(b)
		}
		register ^= uint32(b) << 24
		for range 8 {
			register = register<<1 ^ polynomial&-(register>>31)
		}
	}
	if p.ReflectOut {
		return bits.Reverse32(register) ^ p.XorOut
	}
	return register>>align ^ p.XorOut
}

// xor32 returns the exclusive-or of the input's 32-bit words in network byte order, the last padded
// with zero bytes. The exclusive-or of the 16-bit words is the exclusive-or of its two halves.
func xor32(input []byte) (sum uint32) {
	for i, b := range input {
		sum ^= uint32(b) << (24 - 8*(i&3))
	}
	return sum
}

// toeplitzWindow is how many key bytes remain after the last input byte: the window of the
// 32-bit result.
const toeplitzWindow = 4

// toeplitz returns the exclusive-or, for each bit of the input that is set, of the 32 bits of the
// key from there on (Microsoft, RSS Hashing Functions).
func toeplitz(key, input []byte) (sum uint32) {
	for i, b := range input {
		window := uint64(binary.BigEndian.Uint32(key[i:]))<<8 | uint64(key[i+toeplitzWindow])
		for ; b != 0; b &= b - 1 {
			sum ^= uint32(window >> (1 + bits.TrailingZeros8(b)))
		}
	}
	return sum
}

// microsoftKey is the key of the verification suite for receive-side scaling
// (Microsoft, Verifying the RSS Hash Calculation).
var microsoftKey = []byte{
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0,
	0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c,
	0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
}
