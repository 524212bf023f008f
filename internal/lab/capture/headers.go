package capture

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
	"github.com/sluicefc/sluice/hashpath"
	"github.com/sluicefc/sluice/internal/lab/fabric"
)

// Lengths of headers in bytes, and what is behind them.
const (
	ethernetLength = 14
	tagLength      = 4
	ipLength       = 20
	udpLength      = 8
	checkSequence  = 4
)

// headersOf returns the headers of a packet between two hosts: Ethernet with a priority tag (IEEE
// 802.1Q, VLAN 0) for the class, IPv4 and UDP. The class is the class selector too (RFC 2474).
func headersOf(p *sluice.Packet, key *hashpath.Flow, hosts [2]sluice.SwitchID) []byte {
	const length = ethernetLength + tagLength + ipLength + udpLength
	b := make([]byte, 0, length)
	to, from := fabric.MAC(hosts[1]), fabric.MAC(hosts[0])
	b = append(append(b, to[:]...), from[:]...)
	b = append(b, 0x81, 0x00, byte(p.Class)<<5, 0, 0x08, 0x00)
	inside := uint16(max(int(p.Size)-ethernetLength-tagLength-checkSequence, ipLength+udpLength))
	ip := len(b)
	b = append(b, 0x45, byte(p.Class)<<5|byte(p.ECN))
	b = binary.BigEndian.AppendUint16(b, inside)
	b = append(b, 0, 0, 0x40, 0, 64, key.Protocol, 0, 0) // not to be fragmented; 64 hops
	b = append(append(b, key.Src[:4]...), key.Dst[:4]...)
	binary.BigEndian.PutUint16(b[ip+10:], checksum(b[ip:]))
	b = binary.BigEndian.AppendUint16(b, key.SrcPort)
	b = binary.BigEndian.AppendUint16(b, key.DstPort)
	b = binary.BigEndian.AppendUint16(b, inside-ipLength)
	return append(b, 0, 0) // no UDP checksum
}

// checksum is the one of an IPv4 header (RFC 791) whose own is zero.
func checksum(header []byte) uint16 {
	sum := uint32(0)
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}
