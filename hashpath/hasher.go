package hashpath

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice"
)

// Hasher is a Hash made ready. It is immutable, safe for concurrent use, and allocates nothing.
type Hasher struct {
	profile *profile
	tweak   tweak
}

// NewHasher returns a hasher, or a *sluice.ConfigError that names the field.
func NewHasher(h Hash) (*Hasher, error) {
	if err := h.validate(); err != nil {
		return nil, err
	}
	p, err := newProfile(&h)
	if err != nil {
		return nil, err
	}
	p.prepare(false)
	p.prepare(true)
	return &Hasher{p, p.newTweak(&h, true)}, nil
}

// Sum returns the selected bits of the hash of a packet that came in by ingress: the value from
// which a member is taken. It takes a table look-up a byte of the flow, whatever the function; XXH64
// is calculated.
func (h *Hasher) Sum(ingress sluice.PortID, f *Flow) uint32 {
	if h.profile.affine {
		return h.tweak.selectBits(h.profile.digest(f) ^ h.profile.constant(&h.tweak, ingress, f))
	}
	var s scratch
	return s.seeded(h.profile, &h.tweak, ingress, f)
}

// AppendInput appends the bytes that Sum hashes, to check it against another implementation.
func (h *Hasher) AppendInput(dst []byte, ingress sluice.PortID, f *Flow) []byte {
	return appendInput(dst, h.profile.fields, ingress, f)
}

// Sizes of what a hash may read.
const (
	bytes4   = 13 // IPv4: two addresses, two ports, protocol
	bytes6   = 40 // IPv6: the same and the flow label
	maxInput = 56
)

// profile is a function and what it reads: everything of a Hash that changes more of the
// result than a constant. Switches with the same profile share it.
//
// Every function but XXH64 is affine over GF(2) in the bits of the flow and of the ingress port: the
// result is an exclusive-or of one constant and of one word for each bit that is set. So the
// words of the eight bits of a byte are summed up in a table of 256, and the order of the fields, the
// polynomial and the reflections are all in the tables.
type profile struct {
	function function
	fields   []Field
	affine   bool
	ingress  bool // the ingress port is among the fields

	table4, table6     [][256]uint32 // by byte of the flow, see forEachByte; empty until prepared
	ingress4, ingress6 [2][256]uint32
}

// tweak is what is a switch's own: the result's constant and the bits used.
type tweak struct {
	constant4, constant6 uint32 // of IPv4 and IPv6 flows; low and high half of the seed of XXH64
	mask                 uint32
	shift                uint8
	profile              uint8 // its number in a network
}

func newProfile(h *Hash) (*profile, error) {
	p := &profile{fields: slices.Clone(h.fields()), affine: h.Kind != KindXXHash}
	p.ingress = slices.Contains(p.fields, FieldIngressPort)
	return p, p.function.init(h)
}

// prepare makes the tables for IPv4 or IPv6, from the function applied to flows of one bit.
func (p *profile) prepare(is6 bool) {
	if !p.affine {
		return
	}
	zero := Flow{Is6: is6}
	constant := p.direct(0, 0, &zero)
	table, ingress := &p.table4, &p.ingress4
	n := bytes4
	if is6 {
		table, ingress = &p.table6, &p.ingress6
		n = bytes6
	}
	if *table != nil {
		return
	}
	*table = make([][256]uint32, n)
	for i := range n {
		fillBytes(&(*table)[i], func(bit byte) uint32 {
			f := zero
			f.setByte(i, bit)
			return p.direct(0, 0, &f) ^ constant
		})
	}
	for i := range ingress {
		fillBytes(&ingress[i], func(bit byte) uint32 {
			return p.direct(0, sluice.PortID(bit)<<(8-8*i), &zero) ^ constant
		})
	}
}

// fillBytes fills in the sums of all bytes from those of the eight single bits.
func fillBytes(t *[256]uint32, word func(bit byte) uint32) {
	for b := 1; b < 256; b++ {
		low := b & -b
		if b == low {
			t[b] = word(byte(b))
		} else {
			t[b] = t[b^low] ^ t[low]
		}
	}
}

// setByte sets the i-th byte of the canonical order: source, destination, source port,
// destination port, protocol, flow label.
func (f *Flow) setByte(i int, b byte) {
	address := 4
	if f.Is6 {
		address = 16
	}
	switch {
	case i < address:
		f.Src[i] = b
	case i < 2*address:
		f.Dst[i-address] = b
	default:
		switch i -= 2 * address; i {
		case 0, 1:
			f.SrcPort = uint16(b) << (8 - 8*i)
		case 2, 3:
			f.DstPort = uint16(b) << (24 - 8*i)
		case 4:
			f.Protocol = b
		default:
			f.FlowLabel = uint32(b) << (56 - 8*i)
		}
	}
}

// direct applies the function to the input, bit for bit as the switch does.
func (p *profile) direct(seed uint64, ingress sluice.PortID, f *Flow) uint32 {
	var buffer [maxInput]byte
	return uint32(p.function.sum(seed, appendInput(buffer[:0], p.fields, ingress, f)))
}

// newTweak returns a switch's own part of h, whose profile is p. The constant of IPv6 is made only
// if it is wanted.
func (p *profile) newTweak(h *Hash, with6 bool) tweak {
	t := tweak{shift: h.Offset, mask: uint32(1<<h.width() - 1)}
	if !p.affine {
		t.constant4, t.constant6 = uint32(h.Seed), uint32(h.Seed>>32)
		return t
	}
	t.constant4 = p.direct(h.Seed, 0, &Flow{})
	if with6 {
		t.constant6 = p.direct(h.Seed, 0, &Flow{Is6: true})
	}
	return t
}

// digest returns the sum over the bytes of the flow, which is the same at every switch of the
// profile.
func (p *profile) digest(f *Flow) uint32 {
	if f.Is6 {
		return p.digest6(f)
	}
	if len(p.table4) < bytes4 {
		return 0
	}
	t := (*[bytes4][256]uint32)(p.table4)
	a := t[0][f.Src[0]] ^ t[1][f.Src[1]] ^ t[2][f.Src[2]] ^ t[3][f.Src[3]]
	b := t[4][f.Dst[0]] ^ t[5][f.Dst[1]] ^ t[6][f.Dst[2]] ^ t[7][f.Dst[3]]
	c := t[8][f.SrcPort>>8] ^ t[9][byte(f.SrcPort)] ^ t[10][f.DstPort>>8] ^ t[11][byte(f.DstPort)]
	return a ^ b ^ c ^ t[12][f.Protocol]
}

func (p *profile) digest6(f *Flow) uint32 {
	if len(p.table6) < bytes6 {
		return 0
	}
	t := (*[bytes6][256]uint32)(p.table6)
	var a, b uint32
	for i, x := range f.Src {
		a ^= t[i][x]
	}
	for i, x := range f.Dst {
		b ^= t[16+i][x]
	}
	c := t[32][f.SrcPort>>8] ^ t[33][byte(f.SrcPort)] ^ t[34][f.DstPort>>8] ^ t[35][byte(f.DstPort)]
	d := t[36][f.Protocol] ^ t[37][byte(f.FlowLabel>>16)] ^ t[38][byte(f.FlowLabel>>8)] ^ t[39][byte(f.FlowLabel)]
	return a ^ b ^ c ^ d
}

// constant returns what a switch adds to the digest.
func (p *profile) constant(t *tweak, ingress sluice.PortID, f *Flow) uint32 {
	c, table := t.constant4, &p.ingress4
	if f.Is6 {
		c, table = t.constant6, &p.ingress6
	}
	if p.ingress {
		c ^= table[0][ingress>>8] ^ table[1][byte(ingress)]
	}
	return c
}

func (t *tweak) selectBits(sum uint32) uint32 { return sum >> (t.shift & 31) & t.mask }

// function is a hash function of bytes.
type function struct {
	kind     Kind
	crc      *CRC
	toeplitz *Toeplitz
}

func (g *function) init(h *Hash) (err error) {
	g.kind = h.Kind
	switch h.Kind {
	case KindCRC:
		g.crc, err = NewCRC(h.CRC)
	case KindCRC32C, KindCRC32, KindCRC16CCITT, KindCRC16ARC:
		g.crc, err = NewCRC(crcOfKind[h.Kind])
	case KindToeplitz:
		key := h.Key
		if key == nil {
			key = microsoftKey[:]
		}
		if g.toeplitz, err = NewToeplitz(key); err == nil && g.toeplitz.MaxInput() < h.inputLength(true) {
			err = configError("Key", len(key), "must be 4 bytes longer at least than the input of an IPv6 flow")
		}
	}
	return err
}

func (g *function) sum(seed uint64, p []byte) uint64 {
	switch g.kind {
	case KindXOR16:
		return uint64(XOR16(uint16(seed), p))
	case KindXOR32:
		return uint64(XOR32(uint32(seed), p))
	case KindToeplitz:
		return uint64(g.toeplitz.Sum(uint32(seed), p))
	case KindXXHash:
		var buffer [8 + maxInput]byte
		binary.LittleEndian.PutUint64(buffer[:], seed)
		return xxhash.Sum64(buffer[:8+copy(buffer[8:], p)])
	}
	return uint64(g.crc.Sum(uint32(seed), p))
}

// scratch is what a walk remembers of a flow between hops.
type scratch struct {
	digests [4]uint32 // of the first profiles
	have    uint8     // which of them

	laid  *profile // whose input is in buffer behind eight bytes for the seed
	used  int
	input [8 + maxInput]byte
}

// digest is profile.digest, calculated once for a walk.
func (s *scratch) digest(profiles []*profile, number uint8, f *Flow) uint32 {
	if number >= uint8(len(s.digests)) {
		return profiles[number].digest(f)
	}
	if s.have>>number&1 == 0 {
		s.have |= 1 << number
		s.digests[number] = profiles[number].digest(f)
	}
	return s.digests[number]
}

// seeded returns the selected bits of XXH64; the input is laid out once for a walk.
func (s *scratch) seeded(p *profile, t *tweak, ingress sluice.PortID, f *Flow) uint32 {
	if s.laid != p || p.ingress {
		s.laid = p
		s.used = len(appendInput(s.input[:8], p.fields, ingress, f))
	}
	binary.LittleEndian.PutUint64(s.input[:], uint64(t.constant6)<<32|uint64(t.constant4))
	return uint32(xxhash.Sum64(s.input[:s.used])>>(t.shift&63)) & t.mask
}
