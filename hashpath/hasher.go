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
	t := p.newTweak(&h)
	p.function = nil // no more needed: its values are in the tables
	return &Hasher{p, t}, nil
}

// Sum returns the selected bits of the hash of a packet that came in by ingress: the value from
// which a member is taken. It takes one table look-up per byte of the flow, whatever the function;
// XXH64 is calculated.
func (h *Hasher) Sum(ingress sluice.PortID, f *Flow) uint32 {
	return h.profile.value(&h.tweak, h.profile.digest(f), ingress, f)
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

// profile is a hash function and the fields that it reads. Switches that differ only in seed and in
// the bits of the result that they use share one.
//
// Every function but XXH64 is affine over GF(2) in the bits of the flow and of the ingress port:
// the result is the exclusive-or of a constant and of one word for each bit that is set. A table
// gives the sum of the words of each byte, so that the order of the fields, the polynomial and the
// reflections cost nothing at run time. The sum over a flow is its digest.
type profile struct {
	function func(seed uint64, p []byte) uint64 // nil once all constants are known
	fields   []Field
	affine   bool
	ingress  bool // the ingress port is among the fields
	usual    bool // the fields are the five-tuple in its usual order

	// By byte of the flow, in the order of setByte, then the two bytes of the ingress port if it is
	// read. Nil for a family of which the network has no address.
	table4, table6 [][256]uint32
}

// tweak is what a switch has of its own in a hash.
type tweak struct {
	constant [2]uint32 // of IPv4 and IPv6 flows; of XXH64, the low and the high half of the seed
	mask     uint32    // of the result after the shift
	shift    uint8
	profile  uint8 // its number in a network
	plain    bool  // the profile is affine and does not read the ingress port
}

func newProfile(h *Hash) (*profile, error) {
	function, err := newFunction(h)
	fields := slices.Clone(h.fields())
	return &profile{
		function: function, fields: fields, affine: h.Kind != KindXXHash,
		ingress: slices.Contains(fields, FieldIngressPort), usual: slices.Equal(fields, fiveTuple),
	}, err
}

// prepare makes the tables for IPv4 or IPv6: it applies the function to flows of one bit.
func (p *profile) prepare(is6 bool) {
	if !p.affine {
		return
	}
	zero := Flow{Is6: is6}
	constant := p.direct(0, 0, &zero)
	n := bytes4
	if is6 {
		n = bytes6
	}
	size := n
	if p.ingress {
		size += 2
	}
	table := make([][256]uint32, size)
	for i := range table {
		fillBytes(&table[i], func(bit byte) uint32 {
			f, ingress := zero, sluice.PortID(0)
			if i < n {
				f.setByte(i, bit)
			} else {
				ingress = sluice.PortID(bit) << (8 * (n + 1 - i))
			}
			return p.direct(0, ingress, &f) ^ constant
		})
	}
	if is6 {
		p.table6 = table
	} else {
		p.table4 = table
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

// direct applies the function to the input, as the switch does.
func (p *profile) direct(seed uint64, ingress sluice.PortID, f *Flow) uint32 {
	var buffer [maxInput]byte
	return uint32(p.function(seed, appendInput(buffer[:0], p.fields, ingress, f)))
}

// newTweak returns a switch's own part of h, whose profile is p.
func (p *profile) newTweak(h *Hash) tweak {
	t := tweak{shift: h.Offset, mask: uint32(1<<h.width() - 1), plain: p.affine && !p.ingress}
	if p.affine {
		t.constant[0] = p.direct(h.Seed, 0, &Flow{})
		t.constant[1] = p.direct(h.Seed, 0, &Flow{Is6: true})
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
	if len(p.table4) < bytes4 {
		return 0
	}
	t := (*[bytes4][256]uint32)(p.table4)
	return fold(t[0:], f.src4()) ^ fold(t[4:], f.dst4()) ^ f.foldPorts(t[8:])
}

func (p *profile) digest6(f *Flow) uint32 {
	if len(p.table6) < bytes6 {
		return 0
	}
	t := (*[bytes6][256]uint32)(p.table6)
	a := fold(t[0:], word(&f.Src, 0)) ^ fold(t[4:], word(&f.Src, 4)) ^
		fold(t[8:], word(&f.Src, 8)) ^ fold(t[12:], word(&f.Src, 12))
	b := fold(t[16:], word(&f.Dst, 0)) ^ fold(t[20:], word(&f.Dst, 4)) ^
		fold(t[24:], word(&f.Dst, 8)) ^ fold(t[28:], word(&f.Dst, 12))
	c := t[37][byte(f.FlowLabel>>16)] ^ t[38][byte(f.FlowLabel>>8)] ^ t[39][byte(f.FlowLabel)]
	return a ^ b ^ c ^ f.foldPorts(t[32:])
}

// word returns four bytes of an address.
func word(address *[16]byte, at int) uint32 { return binary.BigEndian.Uint32(address[at:]) }

// fold sums up the words of four bytes, most significant first.
func fold(table [][256]uint32, x uint32) uint32 {
	t := (*[4][256]uint32)(table)
	return t[0][x>>24] ^ t[1][byte(x>>16)] ^ t[2][byte(x>>8)] ^ t[3][byte(x)]
}

// foldPorts sums up the words of ports and protocol.
func (f *Flow) foldPorts(table [][256]uint32) uint32 {
	t := (*[5][256]uint32)(table)
	return t[0][f.SrcPort>>8] ^ t[1][byte(f.SrcPort)] ^ t[2][f.DstPort>>8] ^ t[3][byte(f.DstPort)] ^
		t[4][f.Protocol]
}

// value returns the selected bits of the hash at a switch; digest is that of the flow.
func (p *profile) value(t *tweak, digest uint32, ingress sluice.PortID, f *Flow) uint32 {
	if !p.affine {
		return p.seeded(t, ingress, f)
	}
	if p.ingress {
		table := p.table4
		if f.Is6 {
			table = p.table6
		}
		if n := len(table); n >= 2 {
			digest ^= table[n-2][ingress>>8] ^ table[n-1][byte(ingress)]
		}
	}
	return t.value(digest, f.family())
}

// value returns the selected bits of the hash at a switch whose profile is plain.
func (t *tweak) value(digest uint32, family uint8) uint32 {
	return (digest ^ t.constant[family&1]) >> (t.shift & 31) & t.mask
}

// family returns 1 for IPv6, 0 for IPv4.
func (f *Flow) family() uint8 {
	if f.Is6 {
		return 1
	}
	return 0
}

// seeded returns the selected bits of XXH64.
func (p *profile) seeded(t *tweak, ingress sluice.PortID, f *Flow) uint32 {
	var buffer [8 + maxInput]byte
	binary.LittleEndian.PutUint32(buffer[0:], t.constant[0])
	binary.LittleEndian.PutUint32(buffer[4:], t.constant[1])
	n := 0
	switch {
	case !p.usual:
		n = len(appendInput(buffer[:8], p.fields, ingress, f))
	case f.Is6:
		*(*[16]byte)(buffer[8:]) = f.Src
		*(*[16]byte)(buffer[24:]) = f.Dst
		n = 40 + f.putPorts(buffer[40:])
	default:
		*(*[4]byte)(buffer[8:]) = [4]byte(f.Src[:])
		*(*[4]byte)(buffer[12:]) = [4]byte(f.Dst[:])
		n = 16 + f.putPorts(buffer[16:])
	}
	return uint32(xxhash.Sum64(buffer[:n])>>(t.shift&63)) & t.mask
}

// putPorts writes the ports and the protocol, and returns how many bytes they take.
func (f *Flow) putPorts(b []byte) int {
	binary.BigEndian.PutUint32(b, uint32(f.SrcPort)<<16|uint32(f.DstPort))
	b[4] = f.Protocol
	return 5
}
