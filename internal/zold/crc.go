package zold

import (
	"hash/crc32"
	"math/bits"

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

// CRC calculates a cyclic redundancy check eight bytes at a time (slicing by 8); the
// polynomials of IEEE 802.3 and Castagnoli go through hash/crc32, which has instructions for them.
// It is immutable and safe for concurrent use. Its tables take 8 KiB.
type CRC struct {
	parameters CRCParameters
	standard   *crc32.Table // of hash/crc32, nil if it does not know the polynomial
	table      [8][256]uint32
}

// NewCRC makes the tables. It returns a *sluice.ConfigError if the width is out of range or a
// value does not fit it.
func NewCRC(p CRCParameters) (*CRC, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	c := &CRC{parameters: p}
	if p.Width == 32 && p.ReflectIn {
		switch p.Polynomial {
		case bits.Reverse32(crc32.IEEE):
			c.standard = crc32.IEEETable
		case bits.Reverse32(crc32.Castagnoli):
			c.standard = crc32.MakeTable(crc32.Castagnoli)
		}
	}
	c.fill()
	return c, nil
}

// fill makes table[k][b]: the register after byte b and k zero bytes, from a zero register. The
// register is right-aligned if bits enter least significant first, else left-aligned.
func (c *CRC) fill() {
	polynomial := c.parameters.Polynomial << (32 - c.parameters.Width)
	if c.parameters.ReflectIn {
		polynomial = bits.Reverse32(polynomial)
	}
	for b := range 256 {
		var r uint32
		if c.parameters.ReflectIn {
			r = uint32(b)
			for range 8 {
				r = r>>1 ^ polynomial&-(r&1)
			}
		} else {
			r = uint32(b) << 24
			for range 8 {
				r = r<<1 ^ polynomial&-(r>>31)
			}
		}
		c.table[0][b] = r
	}
	for k := 1; k < 8; k++ {
		for b := range 256 {
			r := c.table[k-1][b]
			if c.parameters.ReflectIn {
				c.table[k][b] = r>>8 ^ c.table[0][byte(r)]
			} else {
				c.table[k][b] = r<<8 ^ c.table[0][r>>24]
			}
		}
	}
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

// Parameters returns what the CRC was made of.
func (c *CRC) Parameters() CRCParameters { return c.parameters }

// Sum returns the CRC of p from a register of Init exclusive-or seed. The check values of the
// catalogue are those of seed 0.
func (c *CRC) Sum(seed uint32, p []byte) uint32 {
	align := 32 - c.parameters.Width
	register := (c.parameters.Init ^ seed) << align
	if c.parameters.ReflectIn {
		register = bits.Reverse32(register)
		if c.standard != nil {
			register = ^crc32.Update(^register, c.standard, p)
		} else {
			register = c.sumReflected(register, p)
		}
	} else {
		register = c.sumForward(register, p)
	}
	// A right-aligned register is reflected already; a left-aligned one is not.
	switch {
	case c.parameters.ReflectIn && !c.parameters.ReflectOut:
		register = bits.Reverse32(register) >> align
	case !c.parameters.ReflectIn && c.parameters.ReflectOut:
		register = bits.Reverse32(register)
	case !c.parameters.ReflectIn:
		register >>= align
	}
	return register ^ c.parameters.XorOut
}

func (c *CRC) sumReflected(r uint32, p []byte) uint32 {
	t := &c.table
	for len(p) >= 8 {
		r ^= uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
		r = t[7][byte(r)] ^ t[6][byte(r>>8)] ^ t[5][byte(r>>16)] ^ t[4][r>>24] ^
			t[3][p[4]] ^ t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]]
		p = p[8:]
	}
	for _, b := range p {
		r = r>>8 ^ t[0][byte(r)^b]
	}
	return r
}

func (c *CRC) sumForward(r uint32, p []byte) uint32 {
	t := &c.table
	for len(p) >= 8 {
		r ^= uint32(p[0])<<24 | uint32(p[1])<<16 | uint32(p[2])<<8 | uint32(p[3])
		r = t[7][r>>24] ^ t[6][byte(r>>16)] ^ t[5][byte(r>>8)] ^ t[4][byte(r)] ^
			t[3][p[4]] ^ t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]]
		p = p[8:]
	}
	for _, b := range p {
		r = r<<8 ^ t[0][byte(r>>24)^b]
	}
	return r
}

func configError(field string, value any, rule string) error {
	return &sluice.ConfigError{Package: "hashpath", Field: field, Value: value, Rule: rule}
}
