package pcn

import "hash/crc32"

// invariantCRC returns the invariant CRC of a packet from its IP header to before the CRC: the
// CRC-32 of Ethernet over eight octets of ones, which stand for a link-layer header, and the
// packet with ones in the place of what may change on the way or is not the transport's
// (InfiniBand volume 1, annex A17.3.3). It goes on the wire low octet first.
func invariantCRC(packet []byte) uint32 {
	var masked [ipv6Length + icrcOffset]byte // a copy on the stack: the packet is not ours to change
	b := masked[:copy(masked[:], packet)]
	transport := b[ipv6Length:]
	if b[0]>>4 == 4 {
		transport = b[ipv4Length:]
		b[1] = 0xff               // type of service
		b[8] = 0xff               // time to live
		b[10], b[11] = 0xff, 0xff // header checksum
	} else {
		b[0] |= 0x0f // traffic class and flow label
		b[1], b[2], b[3] = 0xff, 0xff, 0xff
		b[7] = 0xff // hop limit
	}
	transport[6], transport[7] = 0xff, 0xff // UDP checksum
	transport[becnOffset] = 0xff            // FECN, BECN and reserved bits
	crc := afterOnes
	for _, x := range b {
		crc = crcStep(crc, x)
	}
	return ^crc
}

// afterOnes is the state of the CRC after the eight octets of ones.
var afterOnes = func() uint32 {
	crc := ^uint32(0)
	for range 8 {
		crc = crcStep(crc, 0xff)
	}
	return crc
}()

func crcStep(crc uint32, x byte) uint32 { return crc32.IEEETable[byte(crc)^x] ^ crc>>8 }
