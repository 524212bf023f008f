package pcn

import (
	"cmp"
	"encoding/binary"
	"net/netip"

	"github.com/sluicefc/sluice"
)

// Lengths of a CNP in bytes, without the frame check sequence, which is the MAC's.
const (
	IPv4Length = ethernetLength + ipv4Length + transportLength
	IPv6Length = ethernetLength + ipv6Length + transportLength
)

// Layout of a CNP: Ethernet, IP, UDP, the base transport header of InfiniBand, 16 octets that begin
// with the rate in four, and the invariant CRC (InfiniBand volume 1, annex A17, "RoCEv2"; Figure 9
// of the paper).
const (
	ethernetLength  = 14
	ipv4Length      = 20
	ipv6Length      = 40
	udpLength       = 8
	bthLength       = 12
	payloadLength   = 16
	icrcLength      = 4
	transportLength = udpLength + bthLength + payloadLength + icrcLength

	udpOffset = ethernetLength + ipv4Length // in errors, which give the offsets of IPv4

	etherTypeOffset = 12
	etherTypeIPv4   = 0x0800
	etherTypeIPv6   = 0x86dd

	protocolUDP = 17
	timeToLive  = 64
	dontFlag    = 0x4000 // IPv4: do not fragment

	portRoCEv2   = 4791
	opcodeCNP    = 0x81
	becn         = 0x40 // of the octet before the destination queue pair
	flagsOffset  = udpLength + 1
	pKeyOffset   = udpLength + 2
	becnOffset   = udpLength + 4
	qpOffset     = udpLength + 5
	rateOffset   = udpLength + bthLength
	icrcOffset   = transportLength - icrcLength
	ecnMask      = 3
	dscpShift    = 2
	defaultPKey  = 0xffff
	padOrVersion = 0x3f // of the octet after the opcode
)

// Errors of Parse, made once so that a hostile frame costs nothing.
var (
	errShort      = frameError(0, "shorter than a CNP")
	errEtherType  = frameError(etherTypeOffset, "EtherType is neither 0x0800 nor 0x86dd")
	errVersion    = frameError(ethernetLength, "not the EtherType's IP version, or IPv4 with options")
	errLength     = frameError(ethernetLength+2, "the lengths of IP and the frame are not a CNP's")
	errFragment   = frameError(ethernetLength+6, "a fragment")
	errProtocol   = frameError(ethernetLength+9, "IPv4 protocol is not UDP")
	errNextHeader = frameError(ethernetLength+6, "IPv6 next header is not UDP")
	errChecksum   = frameError(ethernetLength+10, "IPv4 header checksum is wrong")
	errPort       = frameError(udpOffset+2, "UDP destination port is not 4791")
	errUDPLength  = frameError(udpOffset+4, "UDP length does not fit a CNP")
	errOpcode     = frameError(udpOffset+udpLength, "opcode is not 0x81")
	errBTH        = frameError(udpOffset+flagsOffset, "pad count or transport version is not 0")
	errBECN       = frameError(udpOffset+becnOffset, "BECN is not set")
	errInvariant  = frameError(udpOffset+icrcOffset, "invariant CRC is wrong")
)

// CNP is a congestion notification packet, from the receiver of a flow to its sender. In the
// simplest use only Congested and RecRate matter.
type CNP struct {
	// Congested is the ECN bit: the flow is to slow down to its receiving rate. Otherwise it may
	// go faster.
	Congested bool
	// RecRate is the receiving rate in Mb/s. Zero stands for none, as in a CNP of RoCEv2 that is
	// not PCN's: Parse reads it as Congested.
	RecRate uint32

	// DestinationQP is the queue pair of the flow at its sender, 24 bits.
	DestinationQP uint32
	// PKey is the partition key of the flow. Zero is written as 0xffff, the default partition.
	PKey uint16
	// SourcePort is the UDP source port, which makes no difference but to the choice of paths.
	SourcePort uint16
	// DSCP is the differentiated services code point, 6 bits. It should name a class of its own: a
	// CNP that waits behind data comes too late.
	DSCP uint8
	// SourceMAC and DestinationMAC are the Ethernet addresses.
	SourceMAC, DestinationMAC sluice.MAC
	// Source is the address of the flow's receiver, Destination the address of its sender: both
	// IPv4, or both IPv6. Addresses of two families, or none, are written as IPv6.
	Source, Destination netip.Addr
}

// AppendTo appends the frame to dst, IPv4Length or IPv6Length bytes without the frame check
// sequence.
func (c *CNP) AppendTo(dst []byte) []byte {
	start := len(dst)
	dst = append(dst, c.DestinationMAC[:]...)
	dst = append(dst, c.SourceMAC[:]...)
	if c.Source.Is4() && c.Destination.Is4() {
		dst = c.appendIPv4(dst)
	} else {
		dst = c.appendIPv6(dst)
	}
	dst = c.appendTransport(dst)
	return binary.LittleEndian.AppendUint32(dst, invariantCRC(dst[start+ethernetLength:]))
}

func (c *CNP) appendIPv4(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, etherTypeIPv4)
	var h [ipv4Length]byte
	h[0] = 0x45
	h[1] = c.trafficClass()
	binary.BigEndian.PutUint16(h[2:], ipv4Length+transportLength)
	binary.BigEndian.PutUint16(h[6:], dontFlag)
	h[8] = timeToLive
	h[9] = protocolUDP
	source, destination := c.Source.As4(), c.Destination.As4()
	copy(h[12:], source[:])
	copy(h[16:], destination[:])
	binary.BigEndian.PutUint16(h[10:], ^onesSum(h[:]))
	return append(dst, h[:]...)
}

func (c *CNP) appendIPv6(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint16(dst, etherTypeIPv6)
	dst = binary.BigEndian.AppendUint32(dst, 6<<28|uint32(c.trafficClass())<<20)
	dst = binary.BigEndian.AppendUint16(dst, transportLength)
	dst = append(dst, protocolUDP, timeToLive)
	source, destination := c.Source.As16(), c.Destination.As16()
	dst = append(dst, source[:]...)
	return append(dst, destination[:]...)
}

// appendTransport appends the headers after IP, up to the invariant CRC. The UDP checksum is zero,
// as RoCEv2 has it.
func (c *CNP) appendTransport(dst []byte) []byte {
	var h [icrcOffset]byte
	binary.BigEndian.PutUint16(h[0:], c.SourcePort)
	binary.BigEndian.PutUint16(h[2:], portRoCEv2)
	binary.BigEndian.PutUint16(h[4:], transportLength)
	h[udpLength] = opcodeCNP
	binary.BigEndian.PutUint16(h[pKeyOffset:], cmp.Or(c.PKey, defaultPKey))
	binary.BigEndian.PutUint32(h[becnOffset:], becn<<24|c.DestinationQP&0xffffff)
	binary.BigEndian.PutUint32(h[rateOffset:], c.RecRate)
	return append(dst, h[:]...)
}

// trafficClass is CE for congestion and not ECN-capable otherwise, so that no switch can turn one
// into the other.
func (c *CNP) trafficClass() byte {
	class := c.DSCP << dscpShift
	if c.Congested {
		class |= byte(sluice.CE)
	}
	return class
}

// Parse sets c from the frame in src, without its frame check sequence. It refuses, with a
// [*sluice.FrameError], bytes that are not exactly one CNP of RoCEv2, or are damaged; c is then
// unchanged. Octets that are reserved are not looked at, but the invariant CRC covers them.
func (c *CNP) Parse(src []byte) error {
	if len(src) < IPv4Length {
		return errShort
	}
	switch binary.BigEndian.Uint16(src[etherTypeOffset:]) {
	case etherTypeIPv4:
		return c.parseIPv4(src)
	case etherTypeIPv6:
		return c.parseIPv6(src)
	}
	return errEtherType
}

func (c *CNP) parseIPv4(src []byte) error {
	h := src[ethernetLength:]
	switch {
	case h[0] != 0x45:
		return errVersion
	case len(src) != IPv4Length || binary.BigEndian.Uint16(h[2:]) != ipv4Length+transportLength:
		return errLength
	case binary.BigEndian.Uint16(h[6:])&^dontFlag != 0:
		return errFragment
	case h[9] != protocolUDP:
		return errProtocol
	case onesSum(h[:ipv4Length]) != 0xffff:
		return errChecksum
	}
	source, destination := netip.AddrFrom4([4]byte(h[12:])), netip.AddrFrom4([4]byte(h[16:]))
	return c.parseTransport(src, h[1], source, destination)
}

func (c *CNP) parseIPv6(src []byte) error {
	h := src[ethernetLength:]
	switch {
	case h[0]>>4 != 6:
		return errVersion
	case len(src) != IPv6Length || binary.BigEndian.Uint16(h[4:]) != transportLength:
		return errLength
	case h[6] != protocolUDP:
		return errNextHeader
	}
	source, destination := netip.AddrFrom16([16]byte(h[8:])), netip.AddrFrom16([16]byte(h[24:]))
	return c.parseTransport(src, h[0]<<4|h[1]>>4, source, destination)
}

func (c *CNP) parseTransport(src []byte, class byte, source, destination netip.Addr) error {
	packet := src[ethernetLength : len(src)-icrcLength]
	h := src[len(src)-transportLength:]
	switch {
	case binary.BigEndian.Uint16(h[2:]) != portRoCEv2:
		return errPort
	case binary.BigEndian.Uint16(h[4:]) != transportLength:
		return errUDPLength
	case h[udpLength] != opcodeCNP:
		return errOpcode
	case h[flagsOffset]&padOrVersion != 0:
		return errBTH
	case h[becnOffset]&becn == 0:
		return errBECN
	case binary.LittleEndian.Uint32(h[icrcOffset:]) != invariantCRC(packet):
		return errInvariant
	}
	rate := binary.BigEndian.Uint32(h[rateOffset:])
	*c = CNP{
		Congested:      rate == 0 || sluice.ECN(class&ecnMask) == sluice.CE,
		RecRate:        rate,
		DestinationQP:  binary.BigEndian.Uint32(h[becnOffset:]) & 0xffffff,
		PKey:           binary.BigEndian.Uint16(h[pKeyOffset:]),
		SourcePort:     binary.BigEndian.Uint16(h),
		DSCP:           class >> dscpShift,
		SourceMAC:      sluice.MAC(src[6:]),
		DestinationMAC: sluice.MAC(src),
		Source:         source,
		Destination:    destination,
	}
	return nil
}

// onesSum returns the one's complement sum of b, which is 16-bit words (RFC 1071).
func onesSum(b []byte) uint16 {
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	for sum>>16 != 0 {
		sum = sum>>16 + sum&0xffff
	}
	return uint16(sum)
}

func frameError(offset int, rule string) error {
	return &sluice.FrameError{Package: "pcn", Offset: offset, Rule: rule}
}
