package hashpath

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/check"
)

// Hasher is a Hash made ready. It is immutable, safe for concurrent use, and allocates nothing.
type Hasher struct {
	profile *profile
	tweak   tweak
}

// NewHasher returns a hasher, or a *sluice.ConfigError that names the field.
func NewHasher(h Hash) (*Hasher, error) {
	c := check.Of("hashpath", "")
	if h = h.resolve(c); !c.Fine() {
		return nil, c.Err()
	}
	p := newProfile(h, 0, 1)
	return &Hasher{p, p.newTweak(&h)}, nil
}

// Sum returns the selected bits of the hash of a packet that came in by ingress: the value from
// which a member is taken. It takes one table look-up per byte of the flow, whatever the function;
// XXH64 is calculated.
func (h *Hasher) Sum(ingress sluice.PortID, f *Flow) uint32 {
	return h.profile.value(&h.tweak, h.profile.digest(f), ingress, f)
}

// AppendInput appends the bytes that Sum hashes, to check it against another implementation.
func (h *Hasher) AppendInput(dst []byte, ingress sluice.PortID, f *Flow) []byte {
	return h.profile.hash.appendInput(dst, ingress, f)
}

// profile is a hash function and the fields that it reads. Switches that differ only in seed and in
// the bits of the result that they use share one. A table gives the sum of the words of each byte
// of the flow and of the ingress port, so that the order of the fields, the polynomial and the
// reflections cost nothing at run time. The sum over a flow is its digest.
type profile struct {
	hash    Hash // resolved; what differs between the switches does not count
	affine  bool
	ingress bool // the ingress port is among the fields
	usual   bool // the fields are the five-tuple in its usual order

	// By family, the words by octet and value, to the last octet that counts: the ingress only if
	// the hash reads it. Nil for a family that no address of the network is of.
	tables [2][][256]uint32
}

// tweak is a switch's own part of a hash.
type tweak struct {
	constant [2]uint32 // of IPv4 and IPv6 flows; of XXH64, the low and the high half of the seed
	mask     uint32    // of the result after the shift
	shift    uint8
	profile  uint8 // its number in a network
	plain    bool  // the profile is affine and does not read the ingress port
}

func newProfile(h Hash, families ...uint8) *profile {
	p := &profile{
		hash: h, affine: h.Kind != KindXXHash,
		ingress: slices.Contains(h.Fields, FieldIngressPort),
		usual:   slices.Equal(h.Fields, fiveTuple),
	}
	for _, family := range families {
		if p.affine {
			p.prepare(family)
		}
	}
	return p
}

// prepare makes the table of a family: it applies the function to octets of one bit.
func (p *profile) prepare(family uint8) {
	end := spans[family][FieldIngressPort].start
	if p.ingress {
		end = spans[family][FieldIngressPort].end
	}
	constant := p.direct(0, family, new(octets))
	table := make([][256]uint32, end)
	for i := range table {
		for b := 1; b < 256; b++ {
			if low := b & -b; b != low {
				table[i][b] = table[i][b^low] ^ table[i][low]
				continue
			}
			var o octets
			o[i] = byte(b)
			table[i][b] = p.direct(0, family, &o) ^ constant
		}
	}
	p.tables[family] = table
}

// direct applies the function to the input, as the switch does.
func (p *profile) direct(seed uint64, family uint8, o *octets) uint32 {
	var buffer [maxInput]byte
	return p.hash.affine(uint32(seed), o.appendFields(buffer[:0], family, p.hash.Fields))
}

// newTweak returns a switch's own part of a resolved hash, whose profile is p.
func (p *profile) newTweak(h *Hash) tweak {
	t := tweak{shift: h.Offset, mask: uint32(1<<h.Width - 1), plain: p.affine && !p.ingress}
	if p.affine {
		zeros := new(octets)
		t.constant = [2]uint32{p.direct(h.Seed, 0, zeros), p.direct(h.Seed, 1, zeros)}
	} else {
		t.constant = [2]uint32{uint32(h.Seed), uint32(h.Seed >> 32)}
	}
	return t
}

// digest returns the exclusive-or of the words of the flow's bits, which is the same at every
// switch of the profile; 0 if the function is not affine.
func (p *profile) digest(f *Flow) uint32 {
	if f.Is6 {
		return p.digest6(f)
	}
	if len(p.tables[0]) < tuple4 {
		return 0
	}
	t := (*[tuple4][256]uint32)(p.tables[0])
	return fold(t[0:], f.src4()) ^ fold(t[4:], f.dst4()) ^ f.foldPorts(t[8:])
}

func (p *profile) digest6(f *Flow) uint32 {
	if len(p.tables[1]) < tuple6+labelOctets {
		return 0
	}
	t := (*[tuple6 + labelOctets][256]uint32)(p.tables[1])
	a := fold(t[0:], word(&f.Src, 0)) ^ fold(t[4:], word(&f.Src, 4)) ^
		fold(t[8:], word(&f.Src, 8)) ^ fold(t[12:], word(&f.Src, 12))
	b := fold(t[16:], word(&f.Dst, 0)) ^ fold(t[20:], word(&f.Dst, 4)) ^
		fold(t[24:], word(&f.Dst, 8)) ^ fold(t[28:], word(&f.Dst, 12))
	c := t[37][byte(f.FlowLabel>>16)&0xf] ^ t[38][byte(f.FlowLabel>>8)] ^ t[39][byte(f.FlowLabel)]
	return a ^ b ^ c ^ f.foldPorts(t[32:])
}

func word(address *[16]byte, at int) uint32 { return binary.BigEndian.Uint32(address[at:]) }

// fold sums up the words of four bytes, most significant first.
func fold(table [][256]uint32, x uint32) uint32 {
	t := (*[4][256]uint32)(table)
	return t[0][x>>24] ^ t[1][byte(x>>16)] ^ t[2][byte(x>>8)] ^ t[3][byte(x)]
}

func (f *Flow) foldPorts(table [][256]uint32) uint32 {
	t := (*[5][256]uint32)(table)
	return t[0][f.SrcPort>>8] ^ t[1][byte(f.SrcPort)] ^ t[2][f.DstPort>>8] ^ t[3][byte(f.DstPort)] ^
		t[4][f.Protocol]
}

// value returns the selected bits of the hash at a switch; digest is the digest of the flow.
func (p *profile) value(t *tweak, digest uint32, ingress sluice.PortID, f *Flow) uint32 {
	if !p.affine {
		return p.seeded(t, ingress, f)
	}
	family := f.family() & 1
	if p.ingress {
		table := p.tables[family]
		if n := len(table); n >= 2 {
			digest ^= table[n-2][ingress>>8] ^ table[n-1][byte(ingress)]
		}
	}
	return t.value(digest, family)
}

// value returns the selected bits of the hash at a switch whose profile is plain.
func (t *tweak) value(digest uint32, family uint8) uint32 {
	return (digest ^ t.constant[family&1]) >> (t.shift & 31) & t.mask
}

// seeded returns the selected bits of XXH64.
func (p *profile) seeded(t *tweak, ingress sluice.PortID, f *Flow) uint32 {
	var buffer [8 + maxInput]byte
	binary.LittleEndian.PutUint32(buffer[0:], t.constant[0])
	binary.LittleEndian.PutUint32(buffer[4:], t.constant[1])
	var n int
	if p.usual {
		n = 8 + f.putTuple(buffer[8:])
	} else {
		n = len(p.hash.appendInput(buffer[:8], ingress, f))
	}
	return uint32(xxhash.Sum64(buffer[:n])>>(t.shift&63)) & t.mask
}

// octets are all that a hash may read of a packet, in one order for each family: source and
// destination address, source and destination port, protocol, the flow label of IPv6, the ingress
// port, a zero.
type octets [43]byte

// Sizes of a hash's inputs.
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

// appendInput appends the fields of a packet that a resolved hash reads.
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

func (f *Flow) family() uint8 {
	if f.Is6 {
		return 1
	}
	return 0
}
