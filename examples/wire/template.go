package main

import (
	"encoding/binary"
	"net"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/bfc"
	"github.com/sluicefc/sluice/hashpath"
)

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
