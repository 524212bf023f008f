package main

import (
	"encoding/binary"
	"net"
	"net/netip"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/pfc"
)

// Packets are IPv4 and UDP to the discard port. Their class is in the DSCP. Under BFC a shim with
// the upstream's queue stands before the IP header.
//
//	Ethernet 14 | BFC's shim 0 or 6 | IPv4 20 | UDP 8 | number 8 | time 8 | zeros
const (
	class       = 3
	firstPort   = 49152 // source port of flow 0
	discardPort = 9

	ethernetLength = 14
	typeOffset     = 12
	minFrame       = ethernetLength + bfc.ShimLength + 20 + 8 + 16
	maxFrame       = ethernetLength + mtu

	// EtherTypes beside IPv4's.
	typeShim    = 0x88b6 // bfc.AppendShim
	typeSluice  = 0x88b5 // control frames of our own formats
	typeControl = 0x8808 // IEEE 802.3 clause 31: PAUSE and PFC
)

// headers is what a node reads of a packet. It is kept, and used again and again.
type headers struct {
	flow    hashpath.Flow
	class   sluice.Class
	ecn     sluice.ECN
	queue   sluice.QueueID // of the upstream, by BFC's shim
	stamped bool           // there is a shim
	payload []byte         // of UDP

	ip  layers.IPv4
	udp layers.UDP
	cut bool // off: the headers promise more than there is
}

// parse reads a frame of at least ethernetLength bytes, slices of which it keeps. If the frame is
// no packet it says why.
func (h *headers) parse(frame []byte, shim bool) (why refusal, ok bool) {
	rest := frame[typeOffset:]
	h.stamped = shim
	if shim {
		var err error
		if h.queue, rest, err = bfc.ParseShim(rest); err != nil {
			return foreign, false
		}
	}
	if len(rest) < 2 || binary.BigEndian.Uint16(rest) != uint16(layers.EthernetTypeIPv4) {
		return foreign, false
	}
	h.cut = false
	if h.ip.DecodeFromBytes(rest[2:], h) != nil || h.cut || h.ip.Version != 4 {
		return badHeader, false
	}
	h.class = classes.Class(h.ip.TOS)
	h.ecn = sluice.ECN(h.ip.TOS & 3)
	source, _ := netip.AddrFromSlice(h.ip.SrcIP)
	destination, _ := netip.AddrFromSlice(h.ip.DstIP)
	var sourcePort, destinationPort uint16
	h.payload = nil
	if h.ip.Protocol == layers.IPProtocolUDP && h.ip.FragOffset == 0 {
		if h.udp.DecodeFromBytes(h.ip.Payload, h) != nil || h.cut {
			return badHeader, false
		}
		sourcePort, destinationPort = uint16(h.udp.SrcPort), uint16(h.udp.DstPort)
		h.payload = h.udp.Payload
	}
	h.flow = hashpath.MakeFlow(netip.AddrPortFrom(source, sourcePort),
		netip.AddrPortFrom(destination, destinationPort), uint8(h.ip.Protocol))
	return 0, true
}

// SetTruncated implements gopacket.DecodeFeedback.
func (h *headers) SetTruncated() { h.cut = true }

// classes says what a DSCP means.
var classes pfc.DSCPMap = pfc.ClassSelectors()

// tosOf returns a type of service with another class and code point.
func tosOf(tos uint8, c sluice.Class, mark sluice.ECN) uint8 {
	if classes.Class(tos) != c {
		tos = uint8(c) << 5
	}
	return tos&^3 | uint8(mark)
}

// setTOS writes class and code point of an IPv4 header, and its checksum.
func setTOS(ip []byte, tos uint8) {
	ip[1] = tos
	ip[10], ip[11] = 0, 0
	binary.BigEndian.PutUint16(ip[10:], checksum(ip))
}

// checksum returns the checksum of an IPv4 header (RFC 1071), 0 if the right one is in it.
func checksum(ip []byte) uint16 {
	sum := uint32(0)
	for i := 0; i < int(ip[0]&15)*4; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(ip[i:]))
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

// template returns the packet of a flow, without its number and time.
func template(f int, from, to *place, size int, shim bool) []byte {
	source, destination := from.mac(), to.mac()
	frame := append(destination[:], source[:]...)
	if shim {
		frame = bfc.AppendShim(frame, 0)
	}
	frame = binary.BigEndian.AppendUint16(frame, uint16(layers.EthernetTypeIPv4))
	ip := layers.IPv4{
		Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: address(from), DstIP: address(to),
	}
	udp := layers.UDP{SrcPort: layers.UDPPort(firstPort + f), DstPort: discardPort}
	payload := gopacket.Payload(make([]byte, size-len(frame)-20-8))
	buffer := gopacket.NewSerializeBuffer()
	options := gopacket.SerializeOptions{FixLengths: true} // UDP's checksum is 0: there is none
	if err := gopacket.SerializeLayers(buffer, options, &ip, &udp, payload); err != nil {
		panic(err) // none of this comes from outside
	}
	frame = append(frame, buffer.Bytes()...)
	setTOS(frame[ipOffset(shim):], class<<5|uint8(sluice.ECT0))
	return frame
}

// ipOffset is where the IP header of a packet begins.
func ipOffset(shim bool) int {
	if shim {
		return ethernetLength + bfc.ShimLength
	}
	return ethernetLength
}

func address(p *place) net.IP { return hashpath.HostAddress(p.id).AsSlice() }
