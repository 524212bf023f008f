package hashpath

import (
	"encoding/binary"
	"net/netip"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/internal/prng"
)

// Flow is the part of a packet's headers that a switch's hash may read. It is compared with ==,
// provided that the unused bytes of an IPv4 flow are zero.
type Flow struct {
	// Src and Dst are the addresses in network byte order. An IPv4 address is in the first
	// four bytes and the rest is zero.
	Src, Dst [16]byte
	// SrcPort and DstPort are ports of TCP or UDP, 0 for protocols without ports.
	SrcPort, DstPort uint16
	// FlowLabel is the 20-bit label of an IPv6 header (RFC 6437), which PLB changes to move a
	// flow to another path. Higher bits are ignored. IPv4 has none.
	FlowLabel uint32
	// Protocol is the IPv4 protocol or the IPv6 next header.
	Protocol uint8
	// Is6 says that the flow is of IPv6.
	Is6 bool
}

// MakeFlow returns the flow of a five-tuple, of the family of dst; an IPv4-mapped IPv6 address
// counts as IPv4. An address that is invalid or of the other family becomes zeros.
func MakeFlow(src, dst netip.AddrPort, protocol uint8) Flow {
	from, to := src.Addr().Unmap(), dst.Addr().Unmap()
	f := Flow{SrcPort: src.Port(), DstPort: dst.Port(), Protocol: protocol, Is6: to.Is6()}
	if from.BitLen() == to.BitLen() {
		f.Src = octetsOf(from)
	}
	f.Dst = octetsOf(to)
	return f
}

// octetsOf returns the octets of an address, and zeros after them.
func octetsOf(a netip.Addr) (octets [16]byte) {
	if a.IsValid() {
		b := a.As16()
		copy(octets[:], b[16-a.BitLen()/8:])
	}
	return octets
}

// HostAddress returns the IPv4 address a host has if [Builder.AddHost] is given none:
// 10.0.0.0 plus its number, modulo 2^32, so that different hosts have different addresses.
func HostAddress(id sluice.SwitchID) netip.Addr {
	f := FlowBetween(0, id, 0, 0, 0)
	return netip.AddrFrom4([4]byte(f.Dst[:]))
}

// FlowBetween returns the IPv4 flow between the addresses that [HostAddress] gives two hosts.
func FlowBetween(src, dst sluice.SwitchID, srcPort, dstPort uint16, protocol uint8) Flow {
	f := Flow{SrcPort: srcPort, DstPort: dstPort, Protocol: protocol}
	binary.BigEndian.PutUint32(f.Src[:], 10<<24+uint32(src))
	binary.BigEndian.PutUint32(f.Dst[:], 10<<24+uint32(dst))
	return f
}

// Hash returns 64 well mixed bits of the five-tuple, for [sluice.Packet].Flow. It does not read the
// flow label, so a flow that PLB moves to another path keeps its hash.
func (f *Flow) Hash() uint64 {
	h := uint64(f.SrcPort)<<24 | uint64(f.DstPort)<<8 | uint64(f.Protocol)
	if !f.Is6 {
		h = prng.Mix(h + 0x9e3779b97f4a7c15)
		return prng.Mix(h ^ uint64(f.src4())<<32 ^ uint64(f.dst4()))
	}
	h = prng.Mix(h + 0xd1b54a32d192ed03)
	h = prng.Mix(h ^ binary.BigEndian.Uint64(f.Src[:8]))
	h = prng.Mix(h ^ binary.BigEndian.Uint64(f.Src[8:]))
	h = prng.Mix(h ^ binary.BigEndian.Uint64(f.Dst[:8]))
	return prng.Mix(h ^ binary.BigEndian.Uint64(f.Dst[8:]))
}

// Reverse returns the flow of the other direction: addresses and ports exchanged. The flow
// label stays; the two directions of a connection choose theirs independently.
func (f *Flow) Reverse() Flow {
	r := *f
	r.Src, r.Dst = f.Dst, f.Src
	r.SrcPort, r.DstPort = f.DstPort, f.SrcPort
	return r
}

func (f *Flow) src4() uint32 { return binary.BigEndian.Uint32(f.Src[:4]) }
func (f *Flow) dst4() uint32 { return binary.BigEndian.Uint32(f.Dst[:4]) }
