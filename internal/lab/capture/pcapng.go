package capture

import (
	"bytes"
	"encoding/binary"

	"github.com/sluicefc/sluice"
)

// Types of blocks and codes of options, of the pcapng format (draft-ietf-opsawg-pcapng, sections 4
// and 3.5).
const (
	blockSection   = 0x0a0d0d0a
	blockInterface = 1
	blockPacket    = 6

	optionEnd                = 0
	optionApplication        = 4 // of a section
	optionName               = 2 // of an interface
	optionDescription        = 3
	optionSpeed              = 8
	optionResolution         = 9
	optionFlags              = 2 // of a packet
	outbound                 = 2
	nanoseconds              = 9
	byteOrder                = 0x1a2b3c4d
	unknownLength     uint64 = 1<<64 - 1
)

type linkType uint16

const (
	linkEthernet linkType = 1
	linkERF      linkType = 197 // Endace's extensible record format
)

// pcapng is a file with one section, in little-endian order.
type pcapng struct {
	out        bytes.Buffer
	interfaces uint32
}

func newPcapng() *pcapng {
	f := &pcapng{}
	var body []byte
	body = binary.LittleEndian.AppendUint32(body, byteOrder)
	body = append(body, 1, 0, 0, 0) // version 1.0
	body = binary.LittleEndian.AppendUint64(body, unknownLength)
	body = appendOption(body, optionApplication, []byte("sluice"))
	f.block(blockSection, appendOption(body, optionEnd, nil))
	return f
}

// addInterface describes an interface and returns its number.
func (f *pcapng) addInterface(link linkType, name, description string, speed sluice.Rate) uint32 {
	var body []byte
	body = binary.LittleEndian.AppendUint16(body, uint16(link))
	body = append(body, 0, 0, 0, 0, 0, 0) // reserved; packets of any length
	body = appendOption(body, optionName, []byte(name))
	body = appendOption(body, optionDescription, []byte(description))
	body = appendOption(body, optionSpeed, binary.LittleEndian.AppendUint64(nil, uint64(speed)))
	body = appendOption(body, optionResolution, []byte{nanoseconds})
	f.block(blockInterface, appendOption(body, optionEnd, nil))
	f.interfaces++
	return f.interfaces - 1
}

// packet adds a packet that left by an interface: the bytes that are known of it, and how long it
// was. Its time is rounded to the nearest nanosecond.
func (f *pcapng) packet(at sluice.Time, number uint32, known []byte, length int) {
	ns := uint64((at + sluice.Nanosecond/2) / sluice.Nanosecond)
	body := make([]byte, 0, 20+len(known)+16)
	for _, x := range [...]uint32{
		number, uint32(ns >> 32), uint32(ns), uint32(len(known)), uint32(max(length, len(known))),
	} {
		body = binary.LittleEndian.AppendUint32(body, x)
	}
	body = pad(append(body, known...))
	body = appendOption(body, optionFlags, []byte{outbound, 0, 0, 0})
	f.block(blockPacket, appendOption(body, optionEnd, nil))
}

func (f *pcapng) block(kind uint32, body []byte) {
	length := uint32(len(body) + 12)
	var b []byte
	b = binary.LittleEndian.AppendUint32(b, kind)
	b = binary.LittleEndian.AppendUint32(b, length)
	b = binary.LittleEndian.AppendUint32(append(b, body...), length)
	f.out.Write(b)
}

func appendOption(b []byte, code uint16, value []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, code)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(value)))
	return pad(append(b, value...))
}

// pad fills up to 32 bits.
func pad(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
