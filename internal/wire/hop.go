package wire

import (
	"encoding/binary"

	"github.com/sluicefc/sluice"
)

// HopLength is how many bytes AppendHop appends.
const HopLength = 6

// AppendHop appends a hop: switch (4 bytes) and port (2), big endian.
func AppendHop(dst []byte, h sluice.Hop) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(h.Switch))
	return binary.BigEndian.AppendUint16(dst, uint16(h.Port))
}

// ParseHop reads what AppendHop wrote.
func ParseHop(src []byte) sluice.Hop {
	return sluice.Hop{
		Switch: sluice.SwitchID(binary.BigEndian.Uint32(src)),
		Port:   sluice.PortID(binary.BigEndian.Uint16(src[4:])),
	}
}
