package bfc

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
)

// ShimLength is the length of a shim in bytes.
const ShimLength = 6

// The shim's EtherType is IEEE 802's local experimental 2.
const (
	shimEtherType = 0x88B6
	shimVersion   = 1
)

var (
	errShimShort     = codec.Fault(0, "shim is shorter than 6 bytes")
	errShimEtherType = codec.Fault(0, "EtherType of the shim is not 0x88B6")
	errShimVersion   = codec.Fault(2, "version of the shim is not 1")
	errShimReserved  = codec.Fault(3, "reserved byte of the shim is not 0")
)

// AppendShim appends the header that carries a packet's upstream queue to the next hop. It stands
// where a VLAN tag would, after the source address and before the packet's own EtherType, and
// leaves an IP header aligned to four bytes:
//
//	offset bytes field
//	0      2     EtherType 0x88B6 (IEEE 802, local experimental 2)
//	2      1     version, 1
//	3      1     reserved, 0
//	4      2     queue, big endian
//
// The queue is the one that was passed to the Dequeue which answered Transmit. Each hop that
// transmits the packet writes its own queue over the last.
func AppendShim(dst []byte, q sluice.QueueID) []byte {
	dst = binary.BigEndian.AppendUint16(dst, shimEtherType)
	dst = append(dst, shimVersion, 0)
	return binary.BigEndian.AppendUint16(dst, uint16(q))
}

// ParseShim reads a shim at the start of src and returns its queue, for
// sluice.Packet.UpstreamQueue, and what follows the shim. The error is a *sluice.FrameError whose
// offsets count from the beginning of src.
func ParseShim(src []byte) (q sluice.QueueID, rest []byte, err error) {
	switch {
	case len(src) < ShimLength:
		return 0, nil, errShimShort
	case binary.BigEndian.Uint16(src) != shimEtherType:
		return 0, nil, errShimEtherType
	case src[2] != shimVersion:
		return 0, nil, errShimVersion
	case src[3] != 0:
		return 0, nil, errShimReserved
	}
	return sluice.QueueID(binary.BigEndian.Uint16(src[4:])), src[ShimLength:], nil
}
