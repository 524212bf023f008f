package hashpath

import (
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice"
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

func (p *CRCParameters) validate() error {
	if p.Width < 8 || p.Width > 32 {
		return configError("CRC.Width", p.Width, "must be 8 to 32")
	}
	limit := uint64(1) << p.Width
	for _, field := range []struct {
		name  string
		value uint32
	}{{"CRC.Polynomial", p.Polynomial}, {"CRC.Init", p.Init}, {"CRC.XorOut", p.XorOut}} {
		if uint64(field.value) >= limit {
			return configError(field.name, field.value, "must fit the width")
		}
	}
	return nil
}

// CRC calculates a cyclic redundancy check a byte at a time. Paths do not need it to be fast: they
// use the tables of [Hasher], which it only fills. It is immutable and safe for concurrent use. Its
// table takes 1 KiB.
type CRC struct {
	parameters CRCParameters
	table      [256]uint32 // register after a byte, from a zero register; both left-aligned
}

// NewCRC makes the table. It returns a *sluice.ConfigError if the width is out of range or a
// value does not fit it.
func NewCRC(p CRCParameters) (*CRC, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	c := &CRC{parameters: p}
	polynomial := p.Polynomial << (32 - p.Width)
	for b := range c.table {
		r := uint32(b) << 24
		for range 8 {
			r = r<<1 ^ polynomial&-(r>>31)
		}
		c.table[b] = r
	}
	return c, nil
}

// Parameters returns what the CRC was made of.
func (c *CRC) Parameters() CRCParameters { return c.parameters }

// Sum returns the CRC of p from a register of Init exclusive-or seed. The check values of the
// catalogue are those of seed 0.
func (c *CRC) Sum(seed uint32, p []byte) uint32 {
	align := 32 - c.parameters.Width
	r := (c.parameters.Init ^ seed) << align
	for _, b := range p {
		if c.parameters.ReflectIn {
			b = bits.Reverse8(b)
		}
		r = r<<8 ^ c.table[byte(r>>24)^b]
	}
	if c.parameters.ReflectOut {
		return bits.Reverse32(r) ^ c.parameters.XorOut
	}
	return r>>align ^ c.parameters.XorOut
}

// microsoftKey is the key of the verification suite for receive-side scaling
// (Microsoft, Verifying the RSS Hash Calculation).
var microsoftKey = [40]byte{
	0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0,
	0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30, 0xf2, 0x0c,
	0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
}

// MicrosoftKey returns a copy of the 40-byte key of Microsoft's verification suite for
// receive-side scaling, which many NICs and switches use unchanged.
func MicrosoftKey() []byte { return append([]byte(nil), microsoftKey[:]...) }

// toeplitzWindow is how many key bytes remain after the last input byte: the window of the
// 32-bit result.
const toeplitzWindow = 4

// Toeplitz is the Toeplitz hash of receive-side scaling with a table for each input byte. It is
// immutable and safe for concurrent use. Its tables take 1 KiB per byte of input.
type Toeplitz struct{ table [][256]uint32 }

// NewToeplitz makes the tables for inputs of up to len(key)-4 bytes. It returns a
// *sluice.ConfigError if the key is shorter than 5 bytes.
func NewToeplitz(key []byte) (*Toeplitz, error) {
	if len(key) <= toeplitzWindow {
		return nil, configError("Key", len(key), "must have more than 4 bytes")
	}
	t := &Toeplitz{table: make([][256]uint32, len(key)-toeplitzWindow)}
	for i := range t.table {
		// The 40 key bits that begin at this byte: bit 0x80 of the input takes the first 32 of
		// them, bit 0x01 the 32 from the eighth on.
		window := uint64(binary.BigEndian.Uint32(key[i:]))<<8 | uint64(key[i+toeplitzWindow])
		fillBytes(&t.table[i], func(bit byte) uint32 {
			return uint32(window >> (1 + bits.TrailingZeros8(bit)))
		})
	}
	return t, nil
}

// fillBytes fills in the value of each byte: the exclusive-or of those of its bits.
func fillBytes(t *[256]uint32, valueOf func(bit byte) uint32) {
	for b := 1; b < 256; b++ {
		low := b & -b
		if b == low {
			t[b] = valueOf(byte(b))
		} else {
			t[b] = t[b^low] ^ t[low]
		}
	}
}

// MaxInput returns the longest input in bytes.
func (t *Toeplitz) MaxInput() int { return len(t.table) }

// Sum returns the hash of p exclusive-or seed. Bytes beyond MaxInput do not count.
func (t *Toeplitz) Sum(seed uint32, p []byte) uint32 {
	for i, b := range p[:min(len(p), len(t.table))] {
		seed ^= t.table[i][b]
	}
	return seed
}

// XOR16 folds p into 16 bits: the exclusive-or of seed and p's 16-bit words in network byte
// order, the last padded with a zero byte.
func XOR16(seed uint16, p []byte) uint16 {
	wide := XOR32(0, p)
	return seed ^ uint16(wide>>16) ^ uint16(wide)
}

// XOR32 folds p into 32 bits: the exclusive-or of seed and p's 32-bit words in network byte
// order, the last padded with zero bytes.
func XOR32(seed uint32, p []byte) uint32 {
	for i, b := range p {
		seed ^= uint32(b) << (24 - 8*(i&3))
	}
	return seed
}

// newFunction returns the hash function of bytes that h names.
func newFunction(h *Hash) (func(seed uint64, p []byte) uint64, error) {
	switch h.Kind {
	case KindXXHash:
		return func(seed uint64, p []byte) uint64 {
			var buffer [8 + maxInput]byte
			binary.LittleEndian.PutUint64(buffer[:], seed)
			return xxhash.Sum64(buffer[:8+copy(buffer[8:], p)])
		}, nil
	case KindXOR16:
		return func(seed uint64, p []byte) uint64 { return uint64(XOR16(uint16(seed), p)) }, nil
	case KindXOR32:
		return func(seed uint64, p []byte) uint64 { return uint64(XOR32(uint32(seed), p)) }, nil
	case KindToeplitz:
		key := h.Key
		if key == nil {
			key = microsoftKey[:]
		}
		t, err := NewToeplitz(key)
		if err == nil && t.MaxInput() < h.inputLength(true) {
			rule := "must be 4 bytes longer at least than the input of an IPv6 flow"
			err = configError("Key", len(key), rule)
		}
		return func(seed uint64, p []byte) uint64 { return uint64(t.Sum(uint32(seed), p)) }, err
	}
	parameters, _ := h.Function()
	c, err := NewCRC(parameters)
	return func(seed uint64, p []byte) uint64 { return uint64(c.Sum(uint32(seed), p)) }, err
}

func configError(field string, value any, rule string) error {
	return &sluice.ConfigError{Package: "hashpath", Field: field, Value: value, Rule: rule}
}
